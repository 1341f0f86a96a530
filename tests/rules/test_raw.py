"""No plan can bring a node pool into a state that only raw resources can be in."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.checking import validate

from pulumi_gke_tpu.catalog import Catalog, Topology, read_catalog
from pulumi_gke_tpu.catalog.spelling import snake_case
from pulumi_gke_tpu.catalog.topologies import custom_shapes, selectable_rows
from pulumi_gke_tpu.findings import Severity
from pulumi_gke_tpu.fleet import NodePool, SliceGroup, derive
from pulumi_gke_tpu.graph.builders.node_pool import node_pools
from pulumi_gke_tpu.graph.builders.properties import ClusterContext
from pulumi_gke_tpu.plan import Plan, parse_plan
from pulumi_gke_tpu.rules import Rule
from pulumi_gke_tpu.rules.pools.raw import RULES
from pulumi_gke_tpu.yamlfile import parse_yaml

CATALOG = read_catalog()
Properties = dict[str, Any]


# What is wrong in each state. ``hosts`` is how many a slice has; 1 on single-host pools.


def node(properties: Properties) -> Properties:
    return properties.get("node_config", {})


def placement(properties: Properties) -> Properties:
    return properties.get("placement_policy", {})


def scaling(properties: Properties) -> Properties:
    return properties.get("autoscaling", {})


def affinity(properties: Properties) -> Properties:
    return node(properties).get("reservation_affinity", {})


def kind(properties: Properties) -> str:
    return str(affinity(properties).get("consume_reservation_type", "NO_RESERVATION"))


def queued(properties: Properties) -> bool:
    return bool(properties.get("queued_provisioning", {}).get("enabled"))


def needs_policy(properties: Properties) -> bool:
    machine_type = node(properties).get("machine_type", "")
    return any(
        machine_type in generation.machine_types and generation.multi_host_placement == "workload_policy"
        for generation in map(CATALOG.generation, CATALOG.generation_names)
    )


def wrong_size(properties: Properties, hosts: int) -> bool:
    auto = scaling(properties)
    if auto:
        limits = (auto.get("min_node_count"), auto.get("max_node_count"), properties.get("initial_node_count", 0))
        return hosts > 1 and limits != (0, hosts, 0)
    return hosts > 1 and properties.get("node_count") != hosts


WRONG: dict[str, Callable[[Properties, int], bool]] = {
    "TPU161": lambda p, hosts: hosts > 1 and needs_policy(p) and not placement(p).get("policy_name"),
    "TPU162": lambda p, hosts: bool(placement(p).get("policy_name")) and placement(p).get("type") != "",
    "TPU163": lambda p, hosts: hosts == 1 and bool(placement(p)),
    "TPU164": lambda p, hosts: bool(placement(p)) and not placement(p).get("tpu_topology"),
    "TPU361": lambda p, hosts: kind(p) not in ("NO_RESERVATION", "SPECIFIC_RESERVATION"),
    "TPU362": lambda p, hosts: (node(p).get("flex_start") or queued(p)) and kind(p) != "NO_RESERVATION",
    "TPU363": lambda p, hosts: node(p).get("spot") and (node(p).get("flex_start") or kind(p) != "NO_RESERVATION"),
    "TPU364": lambda p, hosts: (
        kind(p) == "SPECIFIC_RESERVATION" and not (affinity(p).get("key") and len(affinity(p).get("values", [])) == 1)
    ),
    "TPU365": lambda p, hosts: not affinity(p),
    "TPU366": lambda p, hosts: queued(p) and node(p).get("labels", {}).get("cloud.google.com/gke-queued") != "true",
    "TPU367": lambda p, hosts: not str(node(p).get("max_run_duration") or "0s").removesuffix("s").isdigit(),
    "TPU461": lambda p, hosts: hosts > 1 and any(name.startswith("total_") for name in scaling(p)),
    "TPU462": wrong_size,
    "TPU463": lambda p, hosts: hosts > 1 and "node_count" in p and not p.get("ignore_node_count_changes"),
    "TPU464": lambda p, hosts: len(p.get("node_locations", [])) != 1,
    "TPU465": lambda p, hosts: bool(scaling(p)) and scaling(p).get("location_policy") != "ANY",
    "TPU466": lambda p, hosts: "node_count" in p and ("autoscaling" in p or "initial_node_count" in p),
    "TPU467": lambda p, hosts: len({name.startswith("total_") for name in scaling(p) if "node_count" in name}) > 1,
    "TPU591": lambda p, hosts: "image_type" in node(p),
    "TPU592": lambda p, hosts: "advanced_machine_features" in node(p),
    "TPU593": lambda p, hosts: "boot_disk" in node(p) and bool({"disk_size_gb", "disk_type"} & node(p).keys()),
}


# The rules themselves


def as_python(value: Any) -> Any:
    if isinstance(value, dict):
        return {snake_case(key): as_python(item) for key, item in value.items()}
    return value


def example(text: str) -> tuple[Properties, int]:
    """The properties of an example, and the hosts of its slice."""
    properties = as_python(parse_yaml(text.encode(), "example").data)
    machine_type, topology = node(properties).get("machine_type", ""), placement(properties).get("tpu_topology")
    if not placement(properties):
        return properties, 1
    chips = int(machine_type.rsplit("-", 1)[1].removesuffix("t"))
    return properties, Topology.parse(topology).chips // chips if topology else 16


def by_id(rule: Rule) -> str:
    return rule.id


def test_every_rule_of_raw_resources_is_proved() -> None:
    assert set(WRONG) == {rule.id for rule in RULES}
    assert all(rule.breakable == "derived" and rule.check is None for rule in RULES)


@pytest.mark.parametrize("rule", RULES, ids=by_id)
def test_the_failing_example_is_in_the_wrong_state(rule: Rule) -> None:
    assert WRONG[rule.id](*example(rule.failing))


@pytest.mark.parametrize("rule", RULES, ids=by_id)
def test_the_passing_example_is_not(rule: Rule) -> None:
    assert not WRONG[rule.id](*example(rule.passing))


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
        (group, pool, as_python({name: value for name, value in declared.properties.items() if value is not None}))
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
        broken = [id for id, is_wrong in WRONG.items() if is_wrong(properties, group.shape.hosts)]
        assert broken == []


@given(groups())
def test_pools_add_up_to_the_slices_of_the_group(drawn: tuple[dict[str, Any], str]) -> None:
    for group, pool, properties in pools(plan_of(*drawn)):
        assert group.shape.hosts * group.shape.chips_per_host == group.shape.chips
        assert sum(other.hosts.maximum for other in group.pools) == group.hosts.maximum
        assert properties["node_locations"] == [group.zone]
        assert len(properties["name"]) <= 40
        if not group.autoscaled:
            assert properties["node_count"] == pool.hosts.maximum


@pytest.mark.parametrize(
    ("group", "multi_host", "chips", "expected"),
    [
        (
            {"tpu": "v5e", "topology": "16x16", "zone": "us-west4-a"},
            True,
            256,
            {"node_count": 64, "ignore_node_count_changes": True},
        ),
        (
            {"tpu": "v5e", "topology": "16x16", "zone": "us-west4-a", "count": {"min": 0, "max": 1}},
            True,
            256,
            {
                "initial_node_count": 0,
                "autoscaling": {"min_node_count": 0, "max_node_count": 64, "location_policy": "ANY"},
            },
        ),
        ({"tpu": "v4", "topology": "2x2x2", "zone": "us-central2-b"}, True, 8, {"node_count": 2}),
        ({"tpu": "v5e", "topology": "2x2", "zone": "us-west4-a", "count": 3}, False, 4, {"node_count": 3}),
        (
            {"tpu": "v5e", "topology": "2x2", "zone": "us-west4-a", "count": {"min": 1, "max": 3}},
            False,
            4,
            {"autoscaling": {"total_min_node_count": 1, "total_max_node_count": 3, "location_policy": "ANY"}},
        ),
        (
            {"tpu": "tpu7x", "topology": "4x4x4", "zone": "us-central1-c"},
            True,
            64,
            {
                "node_count": 16,
                "placement_policy": {"type": "", "policy_name": "train-main-4x4x4", "tpu_topology": "4x4x4"},
            },
        ),
        (
            {"tpu": "v6e", "topology": "4x4", "zone": "us-east5-b"},
            True,
            16,
            {"node_count": 4, "placement_policy": {"type": "COMPACT", "tpu_topology": "4x4"}},
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
    assert properties["node_config"]["machine_type"] == "ct5lp-hightpu-4t"
    assert group.shape.accelerator_label == "tpu-v5-lite-podslice"
