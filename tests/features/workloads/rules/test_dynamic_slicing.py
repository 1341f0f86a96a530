"""Partitions that a plan lists for its slices, and the releases of operators that slices need."""

from typing import Any

import pytest
import yaml
from support.slices_of_cubes import plan_of_cubes

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.plan import parse_plan
from pulumi_gke_tpu.core.rules import check_plan
from pulumi_gke_tpu.core.text.findings import Severity


def found(workloads: dict[str, list[list[str]]], topology: str = "4x4x8") -> list[str]:
    """The rules and messages about workloads on three cubes."""
    items: dict[str, Any] = {
        name: {"slices": "one", "topology": topology, "count": len(partitions), "partitions": partitions}
        for name, partitions in workloads.items()
    }
    findings = check_plan(parse_plan(plan_of_cubes(items, {"one": 3})), read_catalog()).findings
    return [f"{item.rule}: {item.message}" for item in findings if item.severity is Severity.ERROR]


@pytest.mark.parametrize(
    ("workloads", "topology"),
    [
        ({"a": [["p1", "p2"]]}, "4x4x8"),
        ({"a": [["p1"]], "b": [["p2"], ["P-3.x"]]}, "4x4x4"),
        ({"a": [["q1"], ["q2"]], "b": [["q3"]]}, "2x2x4"),
    ],
)
def test_each_partition_in_one_slice_is_right(workloads: dict[str, list[list[str]]], topology: str) -> None:
    assert found(workloads, topology) == []


def test_a_partition_belongs_to_one_slice_of_the_cluster() -> None:
    assert found({"a": [["p1"]], "b": [["p2"], ["p1"]]}, "4x4x4") == [
        "TPU886: duplicate partition `p1`: already used in slice 1 of `a`"
    ]


@pytest.mark.parametrize("name", ["P 1!", "", "-p", "p" * 64, "p/1"])
def test_a_partition_id_is_the_value_of_a_label(name: str) -> None:
    (message,) = found({"a": [[name]]}, "4x4x4")
    assert message.startswith("TPU886: invalid partition ID ")


def test_slices_need_no_more_cubes_than_the_group_has() -> None:
    assert found({"a": [["p1", "p2"]], "b": [["p3", "p4"]], "c": [["p5", "p6"]]}) == [
        "TPU886: the slices up to this workload have 4 cubes, and `train/one` has 3 cubes"
    ]


@pytest.mark.parametrize(
    ("operators", "workload", "expected"),
    [
        ("jobset: {version: 0.10.0}", "topology: 4x4x8, count: 2, kind: jobset", [Severity.ERROR]),
        ("jobset: {version: 0.10.0}", "topology: 4x4x8, kind: jobset", [Severity.WARNING]),
        ("jobset: {version: 0.10.1}", "topology: 4x4x8, count: 2, kind: jobset", []),
        ("jobset: {version: 0.11.1}", "topology: 2x2x2, count: 2, kind: jobset", [Severity.WARNING]),
        ("jobset: {version: 0.10.0}", "topology: 4x4x8, kind: job", []),
        ("leaderworkerset: {version: 0.7.0}", "topology: 2x2x2, kind: leaderworkerset", [Severity.WARNING]),
        ("leaderworkerset: {version: 0.7.0}", "topology: 4x4x4, kind: leaderworkerset", []),
        ("kueue: {version: 0.18.1}", "topology: 2x2x2", [Severity.WARNING]),
        ("kueue: {version: 0.18.1}", "topology: 4x4x8", []),
        ("jobset: {}, kueue: {}", "topology: 2x2x2, count: 2, kind: jobset", []),
    ],
)
def test_operators_of_a_plan_have_the_releases_that_slices_need(
    operators: str, workload: str, expected: list[Severity]
) -> None:
    keys = yaml.safe_load(f"{{{workload}}}")
    plan = plan_of_cubes({"run": {"slices": "one", "queue": "lq", **keys}})
    (cluster,) = plan["clusters"].values()
    cluster["kubernetes"]["operators"] = yaml.safe_load(f"{{{operators}}}")
    own = [item for item in check_plan(parse_plan(plan), read_catalog()).findings if item.rule == "TPU667"]
    assert [item.severity for item in own] == expected
    assert all(item.path[-3:-1] == ("operators", operators.partition(":")[0]) for item in own)
