"""Laws of descriptions.

What describes the resources of a plan is the plan: it has the same findings and the same settings. What is adopted has
every property that its plan sets.
"""

import datetime
import functools
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import pytest
import yaml
from support.described_sources import SOURCES, made_by, shown
from support.fleets import fleets, resources
from support.foreign_files import Made
from support.plan_corpus import KINDS
from support.plan_edits import document
from support.recorded_clusters import as_file, recorded_clusters
from support.sampling import sample

from pulumi_gke_tpu.core.against_plan.places import clusters_by_place, resources_by_place
from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.fleet.checked import CheckedPlan
from pulumi_gke_tpu.core.graph.resource_types import CLUSTER, NODE_POOL
from pulumi_gke_tpu.core.plan.base import Unknown
from pulumi_gke_tpu.core.resource_rules.files import check_resources
from pulumi_gke_tpu.core.resources.model import RawResource
from pulumi_gke_tpu.core.resources.pools import cluster_id
from pulumi_gke_tpu.core.resources.read import ResourceReader
from pulumi_gke_tpu.core.rules import check_plan
from pulumi_gke_tpu.core.text.findings import Finding
from pulumi_gke_tpu.core.text.formats.property_path import contains, parse_path, value_at
from pulumi_gke_tpu.core.workflows.described import DescribedDocument, described_documents
from pulumi_gke_tpu.features.adopt.adoption import adopt_fleets

CATALOG = read_catalog()

_CREATED = "gke-tpu sets it on clusters that it creates, not on those that it takes over"
_OFF = "what is off has no key"
_EXISTING = "it follows from a cluster that no source shows"
_USUAL = "GKE and the provider have the same value where nothing is set"
ON_CLUSTERS = {
    "addonsConfig": _OFF,
    "anonymousAuthenticationConfig": _CREATED,
    "clusterAutoscaling.autoProvisioningDefaults": _CREATED,
    "clusterAutoscaling.autoscalingProfile": _CREATED,
    "clusterAutoscaling.enabled": _OFF,
    "controlPlaneEndpointsConfig": _OFF,
    "datapathProvider": "the plan says nothing, and the provider chooses it",
    "deletionProtection": "a cluster that the plan takes over is protected",
    "initialNodeCount": _CREATED,
    "ipAllocationPolicy.stackType": _CREATED,
    "minMasterVersion": "an answer has the version that a cluster runs, not the minimum that a program asks for",
    "networkingMode": _CREATED,
    "nodeConfig": _CREATED,
    "privateClusterConfig": _OFF,
    "rbacBindingConfig": _CREATED,
    "releaseChannel.channel": "a program without a channel gets the usual one",
    "removeDefaultNodePool": _CREATED,
    "subnetwork": "a path in the project and region of the cluster is written as its name",
}
ON_NODE_POOLS = {
    "initialNodeCount": "the number of nodes at creation follows from limits that can have changed since",
    "management": _USUAL,
    "networkConfig.enablePrivateNodes": _EXISTING,
    "nodeConfig.bootDisk.diskType": _USUAL,
    "nodeConfig.labels.cloud.google.com/compute-class": "GKE sets it itself on node pools of a ComputeClass",
    "nodeConfig.spot": _USUAL,
    "nodeConfig.taints": "GKE sets taints of components.gke.io itself",
    "nodeConfig.workloadMetadataConfig": _EXISTING,
    "nodeLocations": "a node pool without zones is in those of its cluster",
}
"""Properties that differ between the program of a plan and that of its description -> reason. Outermost path."""
ALARMS = {"TPU465": "a plan keeps the location policy of a node pool that it takes over without a finding"}
"""Rule that speaks only about the resources -> reason."""


def without_extra(data: Any) -> Any:
    """A plan without properties that no key describes."""
    if isinstance(data, dict):
        return {key: without_extra(item) for key, item in data.items() if key not in ("extra", "today")}
    return [without_extra(item) for item in data] if isinstance(data, list) else data


SHOWING = ("rule TPU216 passing 0", "rule TPU531 passing 0")
"""Plans that, with those of stacks, show each exception."""


@functools.cache
def corpus() -> tuple[tuple[str, CheckedPlan, datetime.date], ...]:
    """Every plan of the repository that has no error."""
    return tuple(_valid(sample(_named(), 24, lambda each: each[0], of="described laws")))


@functools.cache
def _named() -> list[tuple[str, str, Any, datetime.date]]:
    return [(kind, *each) for kind in KINDS for each in KINDS[kind]() if isinstance(each[1], dict)]


def _valid(plans: Iterable[tuple[str, str, Any, datetime.date]]) -> Iterator[tuple[str, CheckedPlan, datetime.date]]:
    for _, name, data, today in plans:
        try:
            read = document(yaml.safe_dump(without_extra(data), sort_keys=False))
        except AssertionError:
            continue  # some examples cannot be read
        checked = check_plan(read, CATALOG, today)
        if not checked.has_errors and checked.fleet is not None:
            yield name, checked, today


@functools.cache
def programs() -> tuple[tuple[list[Made], tuple[tuple[str, CheckedPlan, datetime.date], ...]], ...]:
    """The plans of the corpus by the resources that they make, which two of five plans share with an earlier one."""
    found: dict[tuple[str, datetime.date], tuple[list[Made], list[tuple[str, CheckedPlan, datetime.date]]]] = {}
    for name, checked, today in corpus():
        made = made_by(checked)
        found.setdefault((repr(made), today), (made, []))[1].append((name, checked, today))
    return tuple((made, tuple(plans)) for made, plans in found.values())


def leaves(value: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """Path and text of each value."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield from leaves(item, f"{path}.{key}" if path else key)
    elif isinstance(value, list) and value and isinstance(value[0], dict):
        for item in value:
            yield from leaves(item, f"{path}[]")
    else:
        yield path, repr(value)


def identities(made: list[Made]) -> dict[tuple[Any, ...], dict[str, Any]]:
    """The clusters and node pools by what makes them the same."""
    names = ("project", "location", "cluster", "name")
    return {
        (kind, *(values.get(name) for name in names)): values
        for kind, _, values in made
        if kind in (CLUSTER, NODE_POOL)
    }


def described(found: tuple[RawResource, ...]) -> tuple[DescribedDocument, ...]:
    return described_documents(found, CATALOG)


def exception(kind: str, path: str) -> str | None:
    known = ON_CLUSTERS if kind == CLUSTER else ON_NODE_POOLS
    return next((item for item in known if path == item or path.startswith((f"{item}.", f"{item}["))), None)


def alarms(made: list[Made], plans: Iterable[CheckedPlan], source: str) -> Iterator[Finding]:
    """What is found in the resources of plans and not in each of the plans."""
    own = [{finding.rule for finding in checked.findings} for checked in plans]
    found = check_resources(shown(made, source), CATALOG)
    return (finding for finding in found if not all(finding.rule in rules for rules in own))


@pytest.mark.parametrize("source", SOURCES)
def test_a_valid_plan_has_no_other_finding_as_resources(source: str) -> None:
    for made, plans in programs():
        found = alarms(made, (checked for _, checked, _ in plans), source)
        assert [each for each in found if each.rule not in ALARMS] == [], [name for name, _, _ in plans]


def differences(made: list[Made], today: datetime.date, source: str) -> Iterator[tuple[str, str]]:
    """Type and path of each property that differs between a plan and what describes it."""
    documents = described(shown(made, source))
    again = [item for each in documents for item in made_by(check_plan(each, CATALOG, today, rules=()))]
    assert [finding for each in documents for finding in each.findings] == []
    before, after = identities(made), identities(again)
    assert before.keys() == after.keys()
    for key, values in before.items():
        for path in sorted({path for path, _ in {*leaves(values)} ^ {*leaves(after[key])}}):
            yield key[0], path


@pytest.mark.parametrize("source", SOURCES)
def test_what_describes_a_plan_has_its_settings(source: str) -> None:
    """Same clusters and node pools, and each property that both set has the same value."""
    for made, ((name, _, today), *_) in programs():
        found = differences(made, today, source)
        assert [each for each in found if exception(*each) is None] == [], name


def test_each_exception_is_needed() -> None:
    plans = [each for each in _named() if each[0] == "stacks" or each[1] in SHOWING]
    needed: set[tuple[str, str | None]] = set()
    for _, checked, today in _valid(plans):
        made = made_by(checked)
        for source in SOURCES:
            needed |= {(each[0], exception(*each)) for each in differences(made, today, source)}
            needed |= {("rule", finding.rule) for finding in alarms(made, [checked], source)}
    known = {"rule": ALARMS, CLUSTER: ON_CLUSTERS, NODE_POOL: ON_NODE_POOLS}
    assert needed == {(kind, name) for kind, names in known.items() for name in names}


AS_ADOPTED = {
    "deletionProtection": "only the provider has it",
    "releaseChannel.channel": "an answer leaves out the channel none",
}
"""Properties that a plan sets and a source can lack -> reason."""
OLDER = {("nodeConfig", "bootDisk", "sizeGb"): ("nodeConfig", "diskSizeGb")}


def canonical(value: Any) -> Any:
    """A value as every source spells it: numbers as numbers, networks by name, without what says nothing."""
    if isinstance(value, dict):
        found = {key: canonical(item) for key, item in sorted(value.items())}
        return {key: item for key, item in found.items() if item is not None}
    if isinstance(value, list):
        return sorted((canonical(item) for item in value), key=repr) or None
    if isinstance(value, str):
        value = value.rpartition("/")[2] if "networks/" in value else value
        value = int(value) if value.isdecimal() else {"TRUE": True, "FALSE": False}.get(value, value)
    return value or None


def of_fleets() -> Iterator[tuple[str, tuple[RawResource, ...]]]:
    for fleet in fleets():
        yield fleet.name, resources(fleet)


def of_recordings() -> Iterator[tuple[str, tuple[RawResource, ...]]]:
    for recorded, answer in sample(recorded_clusters(), 24, lambda item: item[0].case, of="adopted laws"):
        found = ResourceReader(CATALOG).read("cluster.json", as_file(answer))
        yield recorded.id, found.found if found is not None else ()


def of_plans() -> Iterator[tuple[str, tuple[RawResource, ...]]]:
    for made, ((name, _, _), *_) in sample(programs(), 30, of="adopted laws"):
        yield name, shown(made, "gcloud")


@pytest.mark.parametrize("adoptable", [of_fleets, of_recordings, of_plans], ids=lambda found: found.__name__)
def test_what_is_adopted_has_every_property_that_its_plan_sets(
    adoptable: Callable[[], Iterator[tuple[str, tuple[RawResource, ...]]]],
) -> None:
    """Compared value by value with the source, not with what the adoption compares."""
    compared, needed = 0, set[str]()
    for name, found in adoptable():
        existing = {(raw.type, raw.name, cluster_id(raw.values)[1]): raw.existing for raw in found if raw.existing}
        for adoption in adopt_fleets(found, CATALOG):
            made = [((CLUSTER, at[1], ""), item) for at, item in clusters_by_place(adoption.graph).items()]
            made += [((NODE_POOL, at[2], at[0]), item) for at, item in resources_by_place(adoption.graph).items()]
            for key, item in made:
                source = existing[key]
                assert source is not None
                ignored = [parse_path(path) for path in item.options.ignore_changes]
                for steps, value in properties(item.inputs):
                    if any(contains(path, steps) for path in ignored):
                        continue
                    property, known = ".".join(steps), value_at(source.data, steps)
                    if known is None and steps in OLDER:
                        known = value_at(source.data, OLDER[steps])
                        needed.add(property)
                    if canonical(known) != canonical(value):
                        assert property in AS_ADOPTED, (name, key, steps)
                        needed.add(property)
                    compared += 1
    assert compared > 200
    assert adoptable is not of_fleets or needed == {*AS_ADOPTED, *map(".".join, OLDER)}


def properties(value: Any, above: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Each known value inside the blocks of a resource."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield from properties(item, (*above, key))
    elif value is not None and not isinstance(value, Unknown):
        yield above, value


@pytest.mark.parametrize("source", SOURCES)
def test_two_clusters_of_one_name_keep_it(source: str) -> None:
    places = {"us-east5": "us-east5-b", "us-east1": "us-east1-d", "us-central2": "us-central2-b"}
    clusters = {
        f"c{number}": {
            "mode": "standard",
            "name": "train",
            "location": location,
            "network": {"network": "n", "subnetwork": "s"},
            "slices": {"main": {"tpu": "v6e", "topology": "4x4", "zone": zone}},
        }
        for number, (location, zone) in enumerate(places.items())
    }
    plan = document(yaml.safe_dump({"version": 1, "project": "acme-ml", "clusters": clusters}))
    (found,) = described(shown(made_by(check_plan(plan, CATALOG, rules=())), source))
    fleet = check_plan(found, CATALOG, rules=()).fleet
    assert fleet is not None
    assert {(item.name, item.location) for item in fleet.clusters} == {("train", location) for location in places}
    assert len({item.key for item in fleet.clusters}) == len(places)
