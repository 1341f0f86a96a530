"""Every policy about one resource: what it refuses, and what it lets pass."""

import copy
from collections.abc import Iterator
from typing import Any

import pulumi_policy
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.pack_in_process import CLUSTER, NODE_POOL, UNKNOWN, Made, Pack, Violation, told
from support.raw_pools import CLUSTERS, EXAMPLES, HOSTS, REGIONAL, SLICE, WRONG, Properties, by_id, changed, example
from support.sampling import sample

from pulumi_gke_tpu.core.resource_rules.checker import RESOURCE_RULES, STACK_RULES
from pulumi_gke_tpu.core.rules import Rule
from pulumi_gke_tpu.core.rules.engine.rule import Scope
from pulumi_gke_tpu.features.policy_pack.pack import tpu_policies

PACK = Pack()
POLICIES = [policy for policy in tpu_policies() if isinstance(policy, pulumi_policy.ResourceValidationPolicy)]

OPTIONS = {"deleteBeforeReplace": True}


def pool(properties: Properties, options: Properties | None = None, pack: Pack = PACK) -> list[Violation]:
    return pack.resource(Made(NODE_POOL, properties, options=OPTIONS if options is None else options))


def rules_of(violations: list[Violation]) -> set[str]:
    """The rules of the violations, of any policy."""
    return {violation.message.splitlines()[1].split()[0] for violation in violations}


def test_every_policy_has_its_case() -> None:
    own = {rule.id for rule in RESOURCE_RULES if rule.scope is Scope.POOL}
    assert own == {*map(by_id, EXAMPLES)}
    assert {*WRONG, *CLUSTERS} <= {rule.id for rule in RESOURCE_RULES} - own


@pytest.mark.parametrize("properties", [SLICE, HOSTS], ids=["slice", "hosts"])
def test_right_pools_break_nothing(properties: Properties) -> None:
    assert pool(properties) == []


@pytest.mark.parametrize("id", sample(sorted(WRONG), 25))
def test_a_wrong_pool_breaks_exactly_this_rule(id: str) -> None:
    assert rules_of(pool(changed(*WRONG[id]))) == {id}


@pytest.mark.parametrize("rule", sample(EXAMPLES, 30), ids=by_id)
def test_the_examples_of_raw_rules_hold(rule: Rule[Any]) -> None:
    assert rule.id in rules_of(pool(*example(rule.failing)))
    assert rule.id not in rules_of(pool(*example(rule.passing)))


@pytest.mark.parametrize("id", sorted(CLUSTERS))
def test_a_wrong_cluster_breaks_exactly_this_rule(id: str) -> None:
    assert rules_of(PACK.resource(Made(CLUSTER, REGIONAL))) == set()
    assert rules_of(PACK.resource(Made(CLUSTER, {**REGIONAL, **CLUSTERS[id]}))) == {id}


@pytest.mark.parametrize("id", sample(sorted(set(WRONG) - {"TPU205", "TPU206", "TPU232", "TPU233"}), 15))
def test_node_pools_inside_a_cluster_are_checked_too(id: str) -> None:
    inside = {key: value for key, value in changed(*WRONG[id]).items() if key not in ("cluster", "version")}
    cluster = {**REGIONAL, "location": inside.pop("location", "us-east5"), "nodePools": [inside]}
    violations = PACK.resource(Made(CLUSTER, cluster))
    assert rules_of(violations) == {id}
    assert all(" nodePools[0]." in violation.message for violation in violations)


@pytest.mark.parametrize(
    ("version", "expected"),
    [("1.30", {"TPU232"}), ("1.32", set()), ("latest", set()), ("-", set()), (UNKNOWN, set())],
)
def test_a_cluster_is_held_against_the_pools_inside_it(version: str, expected: set[str]) -> None:
    inside = {key: value for key, value in SLICE.items() if key not in ("cluster", "location")}
    cluster = {**REGIONAL, "minMasterVersion": version, "nodePools": [inside]}
    assert rules_of(PACK.resource(Made(CLUSTER, cluster))) == expected


@pytest.mark.parametrize(
    "change",
    [
        {"nodeConfig.machineType": UNKNOWN, "placementPolicy.tpuTopology": "4x3"},
        {"nodeConfig.machineType": None, "nodeConfig.bootDisk": None, "placementPolicy": None},
        {"placementPolicy": UNKNOWN},
        {"nodeCount": 0},
        {"nodeCount": None, "initialNodeCount": 4},
        {"autoscaling": {"minNodeCount": 4, "maxNodeCount": 4}, "nodeCount": None},
        {"version": "latest"},
        {"nodeConfig.imageType": "cos_containerd"},
        {"nodeConfig.preemptible": True},
        {"ignoreNodeCountChanges": True, "name": "x" * 200},
        {"nodeConfig.advancedMachineFeatures.threadsPerCore": 2},
    ],
    ids=str,
)
def test_nothing_is_reported_if_nothing_is_certain(change: Properties) -> None:
    assert pool(changed(SLICE, change)) == []


@pytest.mark.parametrize(
    "change",
    [
        {"nodeConfig.bootDisk.sizeGb": 5},
        {"networkConfig.acceleratorNetworkProfile": "another"},
        {"nodeConfig.linuxNodeConfig.transparentHugepageEnabled": "TRANSPARENT_HUGEPAGE_ENABLED_UNSPECIFIED"},
        {"maxPodsPerNode": 0},
    ],
)
def test_a_value_that_no_plan_can_contain_hides_no_violation(change: Properties) -> None:
    wrong = {"nodeConfig.bootDisk.diskType": "pd-ssd"}
    assert "TPU501" in rules_of(pool(changed(SLICE, {**wrong, **change})))


def test_single_hosts_may_lie_in_several_zones() -> None:
    assert pool(changed(HOSTS, {"nodeLocations": ["us-east5-a", "us-east5-b"]})) == []


@pytest.mark.parametrize("topology", [None, "2x2x1"])
@pytest.mark.parametrize("nodes", [1, 1.0])
def test_a_single_host_with_a_workload_policy_has_no_contradicting_findings(topology: str | None, nodes: float) -> None:
    (rule,) = [rule for rule in STACK_RULES if rule.id == "TPU164"]
    properties, options = example(rule.failing)
    placement = {"type": "", "policyName": "cubes", "tpuTopology": topology}
    single = changed(properties, {"nodeCount": nodes, "placementPolicy": placement})
    found = rules_of(pool(single, options)) | rules_of(PACK.stack(Made(NODE_POOL, single, name="main")))
    assert found & {"TPU163", "TPU164"} == ({"TPU163"} if topology else set())


@pytest.mark.parametrize(
    ("options", "change", "expected"),
    [
        ({}, {}, {"TPU167"}),
        ({"deleteBeforeReplace": False}, {}, {"TPU167"}),
        ({}, {"name": "it-0a1b2c3"}, set()),
        ({}, {"name": None}, set()),
        ({**OPTIONS, "ignoreChanges": ["*"]}, {}, {"TPU166"}),
        ({**OPTIONS, "ignoreChanges": ["nodeConfig"]}, {}, {"TPU166"}),
        ({**OPTIONS, "ignoreChanges": ["nodeLocations"]}, {}, {"TPU166"}),
        ({**OPTIONS, "ignoreChanges": ["nodeConfig.labels", "nodeCount", "version"]}, {}, set()),
        ({**OPTIONS, "ignoreChanges": ["nodeCount"]}, {"ignoreNodeCountChanges": None}, set()),
    ],
)
def test_resource_options(options: Properties, change: Properties, expected: set[str]) -> None:
    assert rules_of(pool(changed(SLICE, change), options)) == expected


# What is not known, and what makes no sense


def paths(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """The path of every value inside."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield (*path, key)
        yield from paths(item, (*path, key))


def put(properties: Properties, path: tuple[str | int, ...], value: Any) -> Properties:
    properties = copy.deepcopy(properties)
    holder: Any = properties
    for step in path[:-1]:
        holder = holder[step]
    holder[path[-1]] = value
    return properties


ALL_WRONG = [changed(*case) for case in WRONG.values()] + [example(rule.failing)[0] for rule in EXAMPLES]


@pytest.mark.parametrize("properties", [SLICE, HOSTS, *ALL_WRONG[::3]], ids=range(2 + len(ALL_WRONG[::3])))
def test_a_value_that_is_not_known_never_adds_a_verdict(properties: Properties) -> None:
    before = rules_of(pool(properties))
    for path in paths(properties):
        assert rules_of(pool(put(properties, path, UNKNOWN))) <= before, path


HOSTILE = st.one_of(
    st.none(),
    st.booleans(),
    st.floats(allow_nan=False, allow_infinity=False),
    st.integers(-(10**6), 10**18),
    st.sampled_from(["", "x" * 100_000, "\x1b[31m\u202e", "0x0", "9" * 5000, "projects/", "{}", UNKNOWN]),
    st.lists(st.none() | st.text(max_size=3), max_size=3),
    st.dictionaries(
        st.sampled_from(["type", "machineType", "tpuTopology", "enabled"]), st.none() | st.text(), max_size=3
    ),
)


@given(st.data())
def test_no_value_raises_or_prints_control_characters(data: st.DataObject) -> None:
    properties = data.draw(st.sampled_from([SLICE, HOSTS, *ALL_WRONG]))
    for _ in range(data.draw(st.integers(1, 3))):
        found = list(paths(properties))
        properties = put(properties, data.draw(st.sampled_from(found)), data.draw(HOSTILE)) if found else properties
    made = Made(NODE_POOL, properties) if data.draw(st.booleans()) else Made(CLUSTER, {"nodePools": [properties]})
    for violation in PACK.resource(made):
        assert violation.message.replace("\n", " ").isprintable()
        assert len(violation.message) < 4_000
        assert "can't run policy" not in violation.message


def nested(depth: int) -> Any:
    value: Any = "x"
    for _ in range(depth):
        value = {"nodeConfig": [value]}
    return value


@pytest.mark.parametrize(
    "value",
    [
        None,
        0,
        float("nan"),
        float("inf"),
        10**5000,
        b"x",
        object(),
        {1: 2, None: 3},
        {"nodeConfig": None},
        nested(5000),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_the_engine_would_never_send_does_not_raise_either(value: Any) -> None:
    said: list[str] = []
    cases = [value, {"nodePools": value}, {"nodePools": [value]}, *(put(SLICE, path, value) for path in paths(SLICE))]
    for properties in cases:
        for kind in (NODE_POOL, CLUSTER):
            args = pulumi_policy.ResourceValidationArgs(kind, properties, "urn", "it", None, None)  # type: ignore[arg-type]
            for policy in POLICIES:
                policy.validate(args, lambda message, urn: said.append(message))
    assert said
    assert max(map(len, said)) < 4_000


def test_a_rule_is_reported_by_the_policy_with_its_name() -> None:
    assert told(pool(changed(*WRONG["TPU112"]))) == {"TPU112"}


AFFINITY = {"consumeReservationType": "SPECIFIC_RESERVATION"}
NAME = "compute.googleapis.com/reservation-name"


@pytest.mark.parametrize(
    ("key", "values", "expected"),
    [
        (NAME, ["v6e-pretrain"], set()),
        (NAME, ["projects/acme-ml/reservations/v6e-pretrain"], set()),
        (NAME, ["v6e-pretrain", "v6e-pretrain"], set()),
        (UNKNOWN, ["v6e-pretrain"], set()),
        (NAME, ["v6e-pretrain", "v6e-serve"], {"TPU364"}),
        ("googleapis.com/reservation-name", ["v6e-pretrain"], {"TPU364"}),
        ("compute.googleapis.com/reservation", ["v6e-pretrain"], {"TPU364"}),
    ],
)
def test_a_reservation_is_selected_by_one_name(key: str, values: list[str], expected: set[str]) -> None:
    change = {"nodeConfig.reservationAffinity": {**AFFINITY, "key": key, "values": values}}
    assert rules_of(pool(changed(SLICE, change))) == expected
