"""Which resources of a cluster the class of its change is about, and the reasons of that class."""

from typing import Literal

import pytest

from pulumi_gke_tpu.core.fleet import Range
from pulumi_gke_tpu.core.graph.resource_types import CLUSTER, NETWORK, NODE_POOL, SUBNETWORK
from pulumi_gke_tpu.features.diff.effects.classes import Affected, affected, facts_of, subject
from pulumi_gke_tpu.features.diff.model import ChangeClass, Difference, ItemChange, ResourceChange, SourcedReason

OPERATIONS = {"delete": "delete", "create": "create", "replace": "replace"}
NETWORKS = ("network", "networks")
SYSTEM_POOL = ("system pool", "system pools")
CPU_POOL = ("CPU pool", "CPU pools")
CLUSTERS = ("cluster", "clusters")


def resource(kind: str, effect: ChangeClass, name: str = "x", *differences: Difference) -> ResourceChange:
    return ResourceChange("", "", kind, name, "", OPERATIONS.get(effect, "update"), effect, differences=differences)  # type: ignore[arg-type]


def item(change: ChangeClass, *resources: ResourceChange, kind: Literal["cluster", "slices"] = "cluster") -> ItemChange:
    return ItemChange(
        "plan.yaml", "c", "c", kind, "", change, (), "", (), "", (), None, Range.ZERO, Range.ZERO, tuple(resources)
    )


@pytest.mark.parametrize(
    ("change", "resources", "expected", "words"),
    [
        ("delete", [(CLUSTER, "delete"), (NETWORK, "delete")], [("delete", CLUSTERS, 1)], ""),
        ("replace", [(CLUSTER, "replace"), (NODE_POOL, "delete")], [("replace", CLUSTERS, 1)], ""),
        ("create", [(CLUSTER, "create"), (NETWORK, "create")], [("create", CLUSTERS, 1)], ""),
        ("in-place", [(CLUSTER, "in-place"), (NETWORK, "in-place")], [("in-place", CLUSTERS, 1)], ""),
        ("restart", [(CLUSTER, "restart"), (NETWORK, "restart")], [("restart", CLUSTERS, 1)], ""),
        ("delete", [(NETWORK, "delete"), (CLUSTER, "in-place")], [("delete", NETWORKS, 1)], "network"),
        ("delete", [(NETWORK, "delete"), (NETWORK, "delete")], [("delete", NETWORKS, 2)], "2 networks"),
        (
            "delete",
            [(NETWORK, "delete"), (NODE_POOL, "replace"), (SUBNETWORK, "in-place")],
            [("delete", NETWORKS, 1), ("replace", SYSTEM_POOL, 1)],
            "network",
        ),
        ("delete", [(NETWORK, "delete"), (NODE_POOL, "delete")], [("delete", SYSTEM_POOL, 1)], "system pool"),
        ("in-place", [(NETWORK, "in-place"), (SUBNETWORK, "create")], [("in-place", NETWORKS, 1)], "network"),
        ("metadata", [], [("metadata", CLUSTERS, 1)], ""),
        (
            "refused",
            [(CLUSTER, "refused"), (NETWORK, "restart")],
            [("refused", CLUSTERS, 1), ("restart", NETWORKS, 1)],
            "",
        ),
        # one of them is deleted and another one of its type created
        ("replace", [(NETWORK, "delete"), (NETWORK, "create")], [("replace", NETWORKS, 1)], "network"),
    ],
)
def test_the_class_of_a_cluster_is_about_its_most_important_resources(
    change: ChangeClass,
    resources: list[tuple[str, ChangeClass]],
    expected: list[tuple[ChangeClass, tuple[str, str], int]],
    words: str,
) -> None:
    found = item(change, *(resource(*each) for each in resources))
    assert affected(found) == tuple(Affected(*each) for each in expected)
    assert subject(found) == words


@pytest.mark.parametrize(("name", "words"), [("c/system", SYSTEM_POOL), ("c/cpu_pools/head", CPU_POOL)])
def test_a_cpu_pool_has_its_own_name(name: str, words: tuple[str, str]) -> None:
    assert affected(item("delete", resource(NODE_POOL, "delete", name))) == (Affected("delete", words, 1),)


def test_a_slice_group_is_the_subject_of_its_own_change() -> None:
    assert subject(item("delete", resource(NODE_POOL, "delete"), kind="slices")) == ""


def test_the_reasons_are_those_of_the_effect_the_most_dangerous_first() -> None:
    def differing(effect: ChangeClass, text: str) -> Difference:
        return Difference("path", 1, 2, effect, SourcedReason(text))

    replaced = resource(NETWORK, "replace", "x", differing("in-place", "a label"), differing("replace", "fixed"))
    updated = resource(NETWORK, "in-place", "y", differing("in-place", "a label"))
    repeated = resource(NETWORK, "restart", "z", differing("restart", "restarts"), differing("in-place", "quiet"))
    texts = [fact.text for fact in facts_of([updated, repeated, replaced])]
    assert texts == ["fixed", "restarts", "a label"]
    follows = resource(NETWORK, "replace", "x", differing("in-place", "another reason"))
    assert [fact.text for fact in facts_of([follows])] == ["another reason"]
