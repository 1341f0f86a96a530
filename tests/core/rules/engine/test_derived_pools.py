"""No plan describes a node pool that breaks a rule about node pools of any Pulumi program."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.checking import validate

from pulumi_gke_tpu.core.catalog import Catalog, read_catalog
from pulumi_gke_tpu.core.catalog.topologies import custom_shapes, selectable_rows
from pulumi_gke_tpu.core.fleet import NodePool, SliceGroup, derive
from pulumi_gke_tpu.core.graph.builders.node_pool import node_pools
from pulumi_gke_tpu.core.graph.builders.properties import ClusterContext
from pulumi_gke_tpu.core.graph.resource_types import NODE_POOL
from pulumi_gke_tpu.core.plan import Plan, parse_plan
from pulumi_gke_tpu.core.resources.pools import CheckedResource, Machines, PoolContext
from pulumi_gke_tpu.core.resources.values import Values
from pulumi_gke_tpu.core.rules.engine.discovery import rules_of
from pulumi_gke_tpu.core.rules.engine.rule import Scope
from pulumi_gke_tpu.core.text.findings import Severity

CATALOG = read_catalog()
Properties = dict[str, Any]


def node(properties: Properties) -> Properties:
    return properties.get("nodeConfig", {})


def placement(properties: Properties) -> Properties:
    return properties.get("placementPolicy", {})


def scaling(properties: Properties) -> Properties:
    return properties.get("autoscaling", {})


def affinity(properties: Properties) -> Properties:
    return node(properties).get("reservationAffinity", {})


def broken(properties: Properties) -> list[str]:
    """The rules about node pools of any program that a derived pool breaks."""
    options = Values({"deleteBeforeReplace": True})
    resource = CheckedResource(NODE_POOL, "main", Values(properties), options)
    (pool,) = Machines(CATALOG).pools(resource)
    rules = [rule for rule in rules_of(Scope.POOL) if rule.check is not None]
    assert len(rules) > 20
    return [rule.id for rule in rules if rule.check is not None and list(rule.check(PoolContext(pool, CATALOG)))]


def loose(properties: Properties, hosts: int) -> list[str]:
    """What a derived pool leaves open although a plan decides it. More is demanded of it than of pools of others."""
    auto, reserved, several = scaling(properties), affinity(properties), hosts > 1
    limits = (auto.get("minNodeCount"), auto.get("maxNodeCount"), properties.get("initialNodeCount", 0))
    queued = properties.get("queuedProvisioning", {}).get("enabled")
    found = {
        "one zone": len(properties.get("nodeLocations", [])) == 1,
        "no image": "imageType" not in node(properties),
        "no machine features": "advancedMachineFeatures" not in node(properties),
        "one reservation": reserved["consumeReservationType"] == "NO_RESERVATION"
        or (bool(reserved["key"]) and len(reserved["values"]) == 1),
        "label of queued pools": not queued or node(properties)["labels"]["cloud.google.com/gke-queued"] == "true",
        "location policy": not auto or auto["locationPolicy"] == "ANY",
        "one size": "nodeCount" not in properties or not (auto or "initialNodeCount" in properties),
        "size of a slice": not several or (limits == (0, hosts, 0) if auto else properties["nodeCount"] == hosts),
        "placement of slices": bool(placement(properties)) is several,
        "type beside a policy": not placement(properties).get("policyName") or placement(properties)["type"] == "",
        "topology of slices": not several or bool(placement(properties)["tpuTopology"]),
        "one boot disk": not ("bootDisk" in node(properties) and {"diskSizeGb", "diskType"} & node(properties).keys()),
    }
    return [name for name, holds in found.items() if not holds]


# Derived pools

TRAIN = ClusterContext(
    catalog=CATALOG,
    project="acme-ml",
    location="us-east5",
    region="us-east5",
    cluster_name="train",
    service_account="nodes@acme-ml.iam.gserviceaccount.com",
    private_nodes=True,
    workload_identity=True,
    secure_boot=False,
    resource_labels={"team": "research"},
)


def pools(plan: Plan) -> list[tuple[SliceGroup, NodePool, Properties]]:
    """Every pool of a plan with its group and properties."""
    return [
        (group, pool, {name: value for name, value in declared.properties.items() if value is not None})
        for _, group in derive(plan, CATALOG).groups()
        for pool, declared in zip(group.pools, node_pools(TRAIN, group, policy_of(group), "", ""), strict=True)
    ]


def policy_of(group: SliceGroup) -> str | None:
    return str(group.plan.placement.workload_policy) if group.plan.placement else group.policy_name


def plan_of(group: dict[str, Any], location: str) -> Plan:
    cluster = {"mode": "standard", "location": location, "slices": {"main": group}}
    document = parse_plan({"version": 1, "project": "acme-ml", "clusters": {"train": cluster}})
    assert document.content is not None
    assert document.findings == ()
    return document.content


def choices(catalog: Catalog) -> list[tuple[str, str, str, int, bool]]:
    """Generation, family, topology, chips per host and whether it spans hosts: every row, and some custom shapes."""
    found = []
    for name in catalog.generation_names:
        generation = catalog.generation(name)
        for row in selectable_rows(generation, "standard"):
            machine = generation.machine_types[row.machine_type]
            found.append((name, machine.family, row.topology, machine.chips, row.hosts == "multi"))
        custom = generation.custom_topologies
        if custom:
            machine = generation.machine_types[custom.machine_type]
            for chips in (128, 256, 512, 1536):
                for shape in custom_shapes(custom, chips):
                    found.append((name, machine.family, str(shape), machine.chips, True))
    return found


CHOICES = choices(CATALOG)


@st.composite
def groups(draw: st.DrawFn) -> tuple[dict[str, Any], str]:
    """A valid group of a Standard cluster, and the location of its cluster."""
    tpu, family, topology, chips_per_host, multi_host = draw(st.sampled_from(CHOICES))
    offered = CATALOG.capacity.families[family]
    modes = [mode for mode, offering in offered.items() if offering.offer != "no"]
    mode = draw(st.sampled_from(modes))
    capacity: Any = mode
    if mode == "reservation":
        reservation = {"name": "reserved", **draw(st.sampled_from([{}, {"project": "acme-shared"}, {"block": "b-1"}]))}
        capacity = {"reservation": reservation}
    if mode == "flex_start":
        duration = draw(st.sampled_from([None, "10m", "7d"]))
        combined = CATALOG.capacity.flex_start.queued.get(family)
        both = "queued" in modes and (combined is None or combined.offer != "no")
        queued = duration is None and both and draw(st.booleans())
        capacity = {"flex_start": {**({"max_run_duration": duration} if duration else {}), "queued": queued}}
    zone = draw(st.sampled_from(CATALOG.zones.families[family].documented.zones))
    group: dict[str, Any] = {
        "tpu": tpu,
        "topology": topology,
        "chips_per_host": chips_per_host,
        "zone": zone,
        "capacity": capacity,
        **draw(sizes(mode in ("flex_start", "queued"), multi_host)),
    }
    if mode not in ("flex_start", "queued"):
        group |= draw(st.sampled_from([{}, {"upgrade": {"max_surge": 1, "max_unavailable": 0}}]))
    generation = CATALOG.generation(tpu)
    if multi_host and (generation.named_policy or generation.multi_host_placement == "workload_policy"):
        group |= draw(st.sampled_from([{}, {"placement": {"workload_policy": "existing-policy"}}]))
    if draw(st.booleans()):
        group["boot_disk"] = {"type": CATALOG.disks.families[family].default_boot, "size_gib": 200}
    return group, zone.rsplit("-", 1)[0]


def sizes(on_request: bool, multi_host: bool) -> st.SearchStrategy[dict[str, Any]]:
    most = st.integers(1, 4)
    ranges = most.map(lambda top: {"count": {"min": 0, "max": top}})
    indices = st.lists(st.integers(0, 9), min_size=1, max_size=3, unique=True).map(lambda given: {"indices": given})
    forms = [st.just({}), ranges]
    if multi_host:
        forms.append(indices)
    if not on_request:
        forms.append(st.integers(0, 4).map(lambda count: {"count": count}))
    if not on_request and not multi_host:
        forms.append(most.map(lambda top: {"count": {"min": top, "max": top + 2}}))
    return st.one_of(forms)


@given(groups())
def test_no_derived_pool_is_in_a_wrong_state(drawn: tuple[dict[str, Any], str]) -> None:
    plan = plan_of(*drawn)
    errors = [item for item in validate(plan, CATALOG) if item.severity is Severity.ERROR]
    assert errors == []
    for group, _, properties in pools(plan):
        assert broken(properties) == []
        assert loose(properties, group.shape.hosts) == []


@given(groups())
def test_pools_add_up_to_the_slices_of_the_group(drawn: tuple[dict[str, Any], str]) -> None:
    for group, pool, properties in pools(plan_of(*drawn)):
        assert group.shape.hosts * group.shape.chips_per_host == group.shape.chips
        assert sum(other.hosts.maximum for other in group.pools) == group.hosts.maximum
        assert properties["nodeLocations"] == [group.zone]
        assert len(properties["name"]) <= 40
        if not group.autoscaled:
            assert properties["nodeCount"] == pool.hosts.maximum


@pytest.mark.parametrize(
    ("group", "multi_host", "chips", "expected"),
    [
        (
            {"tpu": "v5e", "topology": "16x16", "zone": "us-west4-a"},
            True,
            256,
            {"nodeCount": 64, "ignoreNodeCountChanges": True},
        ),
        (
            {"tpu": "v5e", "topology": "16x16", "zone": "us-west4-a", "count": {"min": 0, "max": 1}},
            True,
            256,
            {
                "initialNodeCount": 0,
                "autoscaling": {"minNodeCount": 0, "maxNodeCount": 64, "locationPolicy": "ANY"},
            },
        ),
        ({"tpu": "v4", "topology": "2x2x2", "zone": "us-central2-b"}, True, 8, {"nodeCount": 2}),
        ({"tpu": "v5e", "topology": "2x2", "zone": "us-west4-a", "count": 3}, False, 4, {"nodeCount": 3}),
        (
            {"tpu": "v5e", "topology": "2x2", "zone": "us-west4-a", "count": {"min": 1, "max": 3}},
            False,
            4,
            {"autoscaling": {"totalMinNodeCount": 1, "totalMaxNodeCount": 3, "locationPolicy": "ANY"}},
        ),
        (
            {"tpu": "tpu7x", "topology": "4x4x4", "zone": "us-central1-c"},
            True,
            64,
            {
                "nodeCount": 16,
                "placementPolicy": {"type": "", "policyName": "train-main-4x4x4", "tpuTopology": "4x4x4"},
            },
        ),
        (
            {"tpu": "v6e", "topology": "4x4", "zone": "us-east5-b"},
            True,
            16,
            {"nodeCount": 4, "placementPolicy": {"type": "COMPACT", "tpuTopology": "4x4"}},
        ),
    ],
)
def test_known_slices(group: dict[str, Any], multi_host: bool, chips: int, expected: Properties) -> None:
    ((derived, _, properties),) = pools(plan_of(group, group["zone"].rsplit("-", 1)[0]))
    assert derived.shape.multi_host is multi_host
    assert derived.shape.chips == chips
    assert {key: properties[key] for key in expected} == expected


def test_a_v5e_slice_of_256_chips_is_formed_by_the_machine_of_4() -> None:
    ((group, _, properties),) = pools(plan_of({"tpu": "v5e", "topology": "16x16", "zone": "us-west4-a"}, "us-west4"))
    assert properties["nodeConfig"]["machineType"] == "ct5lp-hightpu-4t"
    assert group.shape.accelerator_label == "tpu-v5-lite-podslice"
