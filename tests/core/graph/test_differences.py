"""Values that come from other resources, before and after a change."""

import datetime
from typing import Any

import pytest

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.graph.builders.ignored import is_set
from pulumi_gke_tpu.core.graph.builders.properties import timeouts
from pulumi_gke_tpu.core.graph.differences import LaterValues, find_differences, same_to_provider
from pulumi_gke_tpu.core.graph.property_values import ABSENT
from pulumi_gke_tpu.core.graph.resource_types import CLUSTER, NODE_POOL
from pulumi_gke_tpu.core.graph.semantics import Semantics
from pulumi_gke_tpu.core.plan.base import Unknown
from pulumi_gke_tpu.core.plan.slices import Timeouts

OLD, NEW, OTHER = "urn:old", "urn:new", "urn:other"
FROM_OLD, FROM_NEW, FROM_OTHER = (Unknown((urn,)) for urn in (OLD, NEW, OTHER))


def values(*moving: str) -> LaterValues:
    """The resource OLD is NEW after the change, and its stored name is ``train``."""
    return LaterValues({OLD: NEW}, {*moving}, {OLD: "train"})


@pytest.mark.parametrize(
    ("was", "will", "equal"),
    [
        (FROM_OLD, FROM_NEW, True),
        (FROM_OLD, FROM_OTHER, False),
        ("train", FROM_NEW, False),
        ({"a": [FROM_OLD, 1]}, {"a": [FROM_NEW, 1]}, True),
        ({"a": [FROM_OLD, 1]}, {"a": [FROM_NEW]}, False),
        ({"a": 1, "b": 1}, {"a": 1}, False),
        ([1], {"a": 1}, False),
    ],
)
def test_an_unknown_value_is_equal_if_it_has_the_same_source(was: object, will: object, equal: bool) -> None:
    assert values().equal(was, will) is equal


def test_a_value_of_a_new_resource_is_never_equal() -> None:
    assert not values(NEW).equal(FROM_OLD, FROM_NEW)


@pytest.mark.parametrize(
    ("was", "will", "same"),
    [
        (FROM_OLD, "train", True),
        (FROM_OLD, "serve", False),
        (FROM_OTHER, "train", False),
        (Unknown((OLD, OTHER)), "train", False),
        ("train", "train", False),
        (None, "train", False),
    ],
)
def test_a_name_that_is_written_now_is_that_of_the_state(was: object, will: object, same: bool) -> None:
    assert values().same_as_stored(was, will) is same


@pytest.mark.parametrize(
    ("was", "will", "differs"),
    [
        (FROM_OLD, FROM_NEW, False),
        (FROM_OLD, FROM_OTHER, True),
        ("train", FROM_NEW, True),
        (None, FROM_NEW, True),
        (FROM_OLD, "train", False),
        (FROM_OLD, "serve", True),
        (FROM_OTHER, "train", True),
        (FROM_OLD, None, True),
    ],
)
def test_a_value_of_another_resource_differs_unless_it_stays_or_is_written_now(
    was: object, will: object, differs: bool
) -> None:
    semantics = Semantics(read_catalog().provider, NODE_POOL)
    found = find_differences(semantics, values(), {"cluster": was}, {"cluster": will}, ())
    assert [(item.path, item.was, item.will) for item in found] == (
        [("cluster", ABSENT if was is None else was, ABSENT if will is None else will)] if differs else []
    )


def test_each_timeout_of_a_plan_is_that_of_its_operation() -> None:
    hours = {name: datetime.timedelta(hours=number) for number, name in enumerate(("create", "update", "delete"), 1)}
    assert dict(timeouts(Timeouts(**hours))) == {"create": "3600s", "update": "7200s", "delete": "10800s"}
    usual = dict(timeouts(None))
    assert dict(timeouts(Timeouts(update=hours["update"]))) == usual | {"update": "7200s"}


@pytest.mark.parametrize(
    ("path", "read"),
    [
        ("nodeConfig.unheardOf", False),
        ("nodeConfig.sandboxConfig", False),
        ("nodeConfig.shieldedInstanceConfig", True),
        ("nodeConfig.spot", False),
    ],
)
def test_an_empty_block_is_read_unless_the_provider_reads_none(path: str, read: bool) -> None:
    assert Semantics(read_catalog().provider, NODE_POOL).is_read_empty(tuple(path.split("."))) is read


@pytest.mark.parametrize("read", [False, True])
def test_only_the_provider_has_a_block_that_is_empty_and_left_out(read: bool) -> None:
    semantics = Semantics(read_catalog().provider, NODE_POOL)
    found = find_differences(semantics, values(), {"nodeConfig": {"gvnic": {}}}, {"nodeConfig": {}}, (), read=read)
    assert [item.path for item in found] == (["nodeConfig.gvnic"] if read else [])


@pytest.mark.parametrize(
    ("was", "will", "different"),
    [([], ["a"], [(ABSENT, ["a"])]), (["a"], [], [(["a"], ABSENT)]), ([], [], []), ([], None, []), (None, [], [])],
)
def test_an_empty_list_is_an_absent_one(was: object, will: object, different: list[object]) -> None:
    semantics = Semantics(read_catalog().provider, NODE_POOL)
    found = find_differences(semantics, values(), {"nodeLocations": was}, {"nodeLocations": will}, ())
    assert [(item.was, item.will) for item in found] == different


@pytest.mark.parametrize(
    ("was", "will", "same"),
    [
        ("projects/p/global/networks/a", "a", True),
        ("a", "projects/p/global/networks/a", True),
        ("projects/p/global/networks/a", "b", False),
        ("projects/p/global/networks/a", "projects/q/global/networks/a", False),
    ],
)
def test_a_network_is_the_same_by_name_and_path_but_not_in_another_project(was: str, will: str, same: bool) -> None:
    assert same_to_provider("networkConfig.subnetwork", was, will) is same
    assert not same_to_provider("nodeConfig.serviceAccount", was, will)


@pytest.mark.parametrize(
    ("was", "will", "same"),
    [("a", "a", True), (0, None, True), ("", False, True), ([], {}, True), ("a", None, False), (1, "a", False)],
)
def test_what_says_nothing_is_the_same_as_none(was: object, will: object, same: bool) -> None:
    assert same_to_provider("network", was, will) is same
    assert same_to_provider("network", will, was) is same


def network(profile: str | None = None, **more: object) -> dict[str, object]:
    return {"networkConfig": {**more, **({"acceleratorNetworkProfile": profile} if profile else {})}}


@pytest.mark.parametrize(
    ("was", "will", "cleared"),
    [
        (network("a"), network("a"), False),
        (network("a"), network("b"), True),
        (network("a"), network(podRange="r"), True),
        (network("a"), {}, False),
        (network(), network(), True),
    ],
)
def test_networks_of_a_profile_are_removed_with_it(was: dict[str, Any], will: dict[str, Any], cleared: bool) -> None:
    networks = ("networkConfig", "additionalNodeNetworkConfigs")
    assert Semantics(read_catalog().provider, NODE_POOL).cleared(was, will) == ((networks,) if cleared else ())


@pytest.mark.parametrize(
    ("resource_type", "inputs", "read"),
    [
        (
            NODE_POOL,
            {"upgradeSettings": {"strategy": "SURGE"}},
            {"upgradeSettings": {"strategy": "SURGE", "maxSurge": 1}},
        ),
        (NODE_POOL, {"upgradeSettings": {"strategy": "BLUE_GREEN"}}, {"upgradeSettings": {"strategy": "BLUE_GREEN"}}),
        (
            NODE_POOL,
            {"placementPolicy": {"type": "COMPACT", "policyName": "p"}},
            {"placementPolicy": {"policyName": "p"}},
        ),
        (NODE_POOL, {"placementPolicy": {"type": "COMPACT"}}, {"placementPolicy": {"type": "COMPACT"}}),
        (
            CLUSTER,
            {"enableAutopilot": True, "project": "p", "verticalPodAutoscaling": {"enabled": False}},
            {"verticalPodAutoscaling": {"enabled": True}, "workloadIdentityConfig": {"workloadPool": "p.svc.id.goog"}},
        ),
        (CLUSTER, {"verticalPodAutoscaling": {"enabled": False}}, {"verticalPodAutoscaling": {"enabled": False}}),
    ],
)
def test_what_gke_returns_for_inputs(resource_type: str, inputs: dict[str, Any], read: dict[str, Any]) -> None:
    found = Semantics(read_catalog().provider, resource_type).as_read(inputs)
    assert {name: found[name] for name in read} == read


@pytest.mark.parametrize(
    ("properties", "path", "is_there"),
    [
        ({"nodeConfig": {"spot": None}}, "nodeConfig.spot", True),
        ({"nodeConfig": {"labels": {}}}, "nodeConfig.spot", False),
        ({"nodeConfig": None}, "nodeConfig.spot", False),
        ({}, "nodeConfig.spot", False),
        ({"nodeConfig": FROM_OLD}, "nodeConfig.spot", True),
        ({"version": "1.34"}, "version", True),
    ],
)
def test_a_property_is_set_with_null_too_and_perhaps_by_a_value_that_is_not_known(
    properties: dict[str, object], path: str, is_there: bool
) -> None:
    assert is_set(properties, path) is is_there
