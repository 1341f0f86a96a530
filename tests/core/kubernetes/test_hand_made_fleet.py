"""The plan of the guide about shared reservations, and the same fleet as people write it by hand, object by object.

A difference that the data does not list fails, and so does an entry of the list without a difference. Each reason is a
row of the table in the guide. What a queue means is compared: its quotas, and the workers behind its checks.
"""

import fnmatch
import pathlib
import re
from collections.abc import Iterator, Mapping

import pytest
import yaml
from support.control_plane.client import Object
from support.kubernetes_model.matching import thousandths

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.estimate import cost_of
from pulumi_gke_tpu.core.estimate.holdings import reservation_holdings
from pulumi_gke_tpu.core.estimate.reservations import OwnedReservations
from pulumi_gke_tpu.core.fleet.checked import CheckedPlan, plans_in_fleet
from pulumi_gke_tpu.core.kubernetes.fleet import manifests
from pulumi_gke_tpu.core.plan import parse_plan
from pulumi_gke_tpu.core.rules import check_plan

ROOT = pathlib.Path(__file__).parents[3]
PLAN = ROOT / "docs" / "examples" / "shared-reservation.yaml"
GUIDE = (ROOT / "docs" / "share-a-reservation.md").read_text(encoding="utf-8")
HAND = yaml.safe_load((pathlib.Path(__file__).parent / "data" / "hand_made_fleet.yaml").read_text(encoding="utf-8"))
KINDS = {
    *("ResourceFlavor", "ClusterQueue", "LocalQueue", "Cohort"),
    *("AdmissionCheck", "MultiKueueConfig", "MultiKueueCluster"),
}
CHECKED = check_plan(parse_plan(yaml.safe_load(PLAN.read_text(encoding="utf-8"))), read_catalog())
Meaning = dict[str, dict[str, object]]
"""Kind and name of an object -> its fields."""


def meaning(objects: list[Object], names: Mapping[str, Mapping[str, str]]) -> Meaning:
    """The objects of Kueue by kind and name; flavors have the names of ours."""
    flavors = names.get("ResourceFlavor", {})
    configs = {one["metadata"]["name"]: one["spec"]["clusters"] for one in objects if one["kind"] == "MultiKueueConfig"}
    checks = {
        one["metadata"]["name"]: configs[one["spec"]["parameters"]["name"]]
        for one in objects
        if one["kind"] == "AdmissionCheck"
    }
    found: Meaning = {}
    for one in objects:
        if one["kind"] not in KINDS:
            continue
        name = names.get(one["kind"], {}).get(one["metadata"]["name"], one["metadata"]["name"])
        spec = dict(one.get("spec", {}))
        fields: dict[str, object] = {}
        if one["kind"] == "ClusterQueue":
            asked = spec.pop("admissionChecksStrategy", {}).get("admissionChecks", ())
            fields["workers"] = sorted({worker for check in asked for worker in checks[check["name"]]})
            for flavor in (each for part in spec.pop("resourceGroups") for each in part["flavors"]):
                for resource in flavor["resources"]:
                    key = f"quotas/{flavors.get(flavor['name'], flavor['name'])}/{resource['name']}"
                    amounts = {item: thousandths(value) for item, value in resource.items() if item != "name"}
                    fields[key] = amounts
        found[f"{one['kind']}/{name}"] = {**fields, **dict(flat(spec))}
    return found


def flat(value: object, path: str = "") -> Iterator[tuple[str, object]]:
    if isinstance(value, dict) and value:
        for key, part in value.items():
            yield from flat(part, f"{path}/{key}" if path else key)
    elif path:
        yield path, value


def differences(checked: CheckedPlan) -> Iterator[tuple[str, str, str]]:
    """Cluster, object and field of each difference; no field if one side lacks the object."""
    assert checked.fleet is not None
    for cluster in checked.fleet.clusters:
        ours = meaning([item.object for item in manifests(cluster, read_catalog())], {})
        hand = meaning(HAND["clusters"][cluster.key], HAND["same_names"])
        for key in sorted(ours.keys() | hand.keys()):
            if key not in ours or key not in hand:
                yield cluster.key, key, ""
                continue
            one, other = ours[key], hand[key]
            for field in sorted(one.keys() | other.keys()):
                if one.get(field) != other.get(field):
                    yield cluster.key, key, field


def explains(entry: Mapping[str, str], difference: tuple[str, str, str]) -> bool:
    _, key, field = difference
    return fnmatch.fnmatchcase(key, entry["of"]) and fnmatch.fnmatchcase(field, entry.get("field", ""))


def test_every_difference_has_a_reason_and_every_reason_a_difference() -> None:
    found = [*differences(CHECKED)]
    unexplained = [one for one in found if not any(explains(entry, one) for entry in HAND["differences"])]
    stale = [entry for entry in HAND["differences"] if not any(explains(entry, one) for one in found)]
    assert (unexplained, stale) == ([], [])


def test_the_reasons_are_the_rows_of_the_table_in_the_guide() -> None:
    table = GUIDE.partition("## Differences from a fleet made by hand")[2]
    rows = [line.split("|")[1].strip() for line in table.splitlines() if re.match(r"\| (?!there)[a-z]", line)]
    reasons = {entry["row"] for entry in HAND["differences"]}
    assert [row for row in rows if not any(row.startswith(reason) for reason in reasons)] == []
    assert [reason for reason in reasons if not any(row.startswith(reason) for row in rows)] == []


@pytest.mark.parametrize(
    ("given", "written", "of"),
    [
        ("{v6e: 20}", "{v6e: 21}", {"ClusterQueue/v6e-1x1"}),
        ("{v6e: 64}, cohort: v6e}", "{v6e: 64}}", {"ClusterQueue/v6e-2x4"}),
        ("tpu7x-2x2x1: {cohort: tpu7x}", "tpu7x-2x2x1: {}", {"ClusterQueue/tpu7x-2x2x1"}),
    ],
)
def test_another_quota_or_cohort_is_a_difference(given: str, written: str, of: set[str]) -> None:
    text = PLAN.read_text(encoding="utf-8")
    assert given in text
    checked = check_plan(parse_plan(yaml.safe_load(text.replace(given, written))), read_catalog())
    more = [one for one in differences(checked) if not any(explains(entry, one) for entry in HAND["differences"])]
    assert {key for _, key, _ in more} == of


def test_the_plan_has_the_size_of_the_fleet() -> None:
    """At most 70 lines; two reservations of 128 chips of which 44 and 56 are in use elsewhere."""
    fleet, text = CHECKED.fleet, PLAN.read_text(encoding="utf-8")
    assert fleet is not None
    assert len(text.splitlines()) <= 70
    assert CHECKED.findings == ()
    groups = [group for _, group in fleet.groups()]
    assert len({str(group.shape.topology) for group in groups}) == len(groups) == 6
    queues = {
        name: queue.chips
        for cluster in fleet.clusters
        if not cluster.workers and cluster.plan.kubernetes
        for name, queue in cluster.plan.kubernetes.queues.items()
    }
    assert sorted(sum(chips.values()) for chips in queues.values()) == sorted([20, 64, 8, 32, 0, 0, 0])
    found = cost_of(fleet, read_catalog())
    assert (found.total.chips.maximum, sum(item.asked.maximum for item in found.shared)) == (128 - 44 + 128 - 56, 444)
    held = reservation_holdings(OwnedReservations(()).uses(plans_in_fleet([CHECKED])), OwnedReservations(()))
    assert sorted((item.name, item.counted.total.maximum) for item in held) == [("tpu7x-ci", 72), ("v6e-ci", 84)]
