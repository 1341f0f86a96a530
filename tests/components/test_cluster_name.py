"""The ``cluster`` argument of ``TpuSlices``: what it may be, what contradicts it, and what node pools are sent."""

from typing import Any

import pulumi
import pytest
import yaml
from support.plans import NODE_POOL
from support.recording import record

from pulumi_gke_tpu import FindingsError, StandardCluster, TpuSlices
from pulumi_gke_tpu.core.rules import Rule, all_rules
from pulumi_gke_tpu.core.text.findings import format_path

GROUP: Any = {"tpu": "v6e", "topology": "4x4", "zone": "us-east5-b", "project": "acme-ml", "location": "us-east5"}
IN_COMPONENTS = [rule for rule in all_rules() if rule.scope.breakable == "component"]


def slices(cluster: Any, **more: Any) -> None:
    TpuSlices("train", {**GROUP, "cluster": cluster, **more})


def broken(cluster: Any, **more: Any) -> list[tuple[str, str, str]]:
    """Rule, place and fix of everything that is wrong."""
    try:
        record(lambda: slices(cluster, **more))
    except FindingsError as refused:
        return [(item.rule, format_path(item.path), item.fix) for item in refused.findings]
    return []


@pytest.mark.parametrize(
    "reference",
    [
        "east",
        "projects/acme-ml/locations/us-east5/clusters/east",
        "projects/1234567890/locations/us-east5/clusters/east",
        "projects/acme-ml/zones/us-east5/clusters/east",
        "https://container.googleapis.com/v1/projects/acme-ml/locations/us-east5/clusters/east",
        "https://container.googleapis.com/v1beta1/projects/acme-ml/locations/us-east5/clusters/east",
        "//container.googleapis.com/projects/acme-ml/locations/us-east5/clusters/east",
    ],
)
@pytest.mark.parametrize("known", [str, pulumi.Output.from_input], ids=["plain", "output"])
def test_pools_are_sent_the_bare_name(reference: str, known: Any) -> None:
    pool = record(lambda: slices(known(reference))).one(NODE_POOL)
    assert pool.inputs["cluster"] == "east"


@pytest.mark.parametrize(
    ("reference", "expected"),
    [
        ("projects/acme-ml/locations/us-central1/clusters/c", [("TPU215", "location", "location: us-central1")]),
        ("projects/acme-ml/locations/us-east5-b/clusters/c", [("TPU215", "location", "location: us-east5-b")]),
        ("projects/other/locations/us-east5/clusters/c", [("TPU215", "project", "project: other")]),
        (
            "projects/other/locations/us-central1/clusters/c",
            [("TPU215", "location", "location: us-central1"), ("TPU215", "project", "project: other")],
        ),
        ("us-east5/c", [("TPU215", "cluster", "")]),
        ("projects/acme-ml/locations/us-east5/clusters/c/nodePools/p", [("TPU215", "cluster", "")]),
        ("", [("TPU215", "cluster", "")]),
        (7, [("TPU215", "cluster", "")]),
    ],
)
def test_a_cluster_elsewhere_is_refused(reference: Any, expected: list[tuple[str, str, str]]) -> None:
    assert broken(reference) == expected


def test_a_project_number_is_reported_once() -> None:
    found = broken("projects/acme-ml/locations/us-east5/clusters/c", project="1234567890")
    assert [rule for rule, _, _ in found] == ["TPU241"]


def test_a_replaced_cluster_is_unknown_to_its_pools() -> None:
    """Else the engine would not see that the pools depend on it. A cluster elsewhere: tests/engine."""
    group = {key: value for key, value in GROUP.items() if key not in ("project", "location")}
    args: Any = {"project": "acme-ml", "location": "us-east5", "slices": {"train": group}}
    recording = record(lambda: StandardCluster("east", args))
    pools = recording.of_type(NODE_POOL)
    sources = [pool.request.propertyDependencies["cluster"].urns[0].rpartition("::")[2] for pool in pools]
    assert sources == ["east", "east"]


@pytest.mark.parametrize("rule", IN_COMPONENTS, ids=[rule.id for rule in IN_COMPONENTS])
def test_the_examples_of_rules_about_components(rule: Rule[Any]) -> None:
    def found(text: str) -> set[str]:
        args = yaml.safe_load(text)
        return {item[0] for item in broken(args.pop("cluster"), **args)}

    assert (found(rule.failing), found(rule.passing)) == ({rule.id}, set())
