"""``gke-tpu diff --terraform``: node pools without TPUs, and node pools in the configuration of a cluster."""

import json
from collections.abc import Mapping
from typing import Any

import pytest
from support.terraform.plans import CLUSTER, POOL, change, changed, cluster_values, compared, slice_values

from pulumi_gke_tpu.features.diff.model import ItemChange
from pulumi_gke_tpu.features.diff.output.document import change_text
from pulumi_gke_tpu.features.diff.output.page import change_page

TRAINING = f"{CLUSTER}.training"
HEAD = f"{POOL}.head"
INSIDE = f"{TRAINING}.node_pool[0]"


def cpu_values(name: str = "head", **other: Any) -> dict[str, Any]:
    """A node pool of two nodes without TPUs."""
    return {
        "name": name,
        "cluster": "training",
        "location": "us-east5",
        "project": "my-project",
        "node_count": 2,
        "node_locations": ["us-east5-b"],
        "node_config": [{"machine_type": "n2-standard-16", "labels": {"role": "head"}}],
        **other,
    }


def inline(*pools: Mapping[str, Any], **other: Any) -> dict[str, Any]:
    """A cluster with node pools in its own configuration."""
    of_cluster = ("cluster", "location", "project")
    blocks = [{key: value for key, value in pool.items() if key not in of_cluster} for pool in pools]
    return cluster_values(node_pool=blocks, **other)


def items(*changes: Mapping[str, Any]) -> dict[str, ItemChange]:
    return {item.item: item for item in compared(*changes).report.change.items}


def one(*changes: Mapping[str, Any]) -> ItemChange:
    (item,) = items(*changes).values()
    return item


@pytest.mark.parametrize(
    ("actions", "path", "value", "effect", "said"),
    [
        (["delete"], "", None, "delete", "is deleted (2 nodes); workloads on it stop"),
        (["create"], "", None, "create", "is created (2 nodes)"),
        (["delete", "create"], "node_count", 3, "replace", "is deleted (2 nodes), then created with 3 nodes"),
        (["create", "delete"], "name", "b", "replace", "is deleted (2 nodes) after a new one is created"),
        (
            ["update"],
            "node_config.machine_type",
            "n2-standard-32",
            "restart",
            "drains and re-creates the nodes of node pool `head` (2 nodes)",
        ),
        (["update"], "node_count", 3, "in-place", "has 3 nodes instead of 2"),
        (
            ["update"],
            "node_config.labels",
            {"role": "b"},
            "in-place",
            "No source in the catalog mentions a node restart",
        ),
    ],
)
def test_a_node_pool_without_tpus_has_the_class_of_a_cpu_pool(
    actions: list[str], path: str, value: Any, effect: str, said: str
) -> None:
    before = None if actions == ["create"] else cpu_values()
    after = None if actions == ["delete"] else changed(cpu_values(), path, value) if path else cpu_values()
    item = one(change(HEAD, actions, before, after))
    assert (item.kind, item.change) == ("nodes", effect)
    assert said in item.consequence
    assert (item.hosts_gone.maximum, item.hosts_new.maximum, item.size) == (0, 0, None)


def test_node_pools_without_tpus_are_counted_as_such() -> None:
    found = compared(
        change(HEAD, ["delete", "create"], cpu_values(), cpu_values()),
        change(f"{POOL}.slice", ["delete"], slice_values(), None),
        change(f"{POOL}.same", ["no-op"], cpu_values("same"), cpu_values("same")),
    )
    text = change_text(change_page(found.report, found.findings), resources=False, width=120, color=False)
    assert "1 TPU node pool deleted, 1 node pool without TPUs replaced" in text
    assert "Unchanged: 1 item, 1 resource" in text


def test_a_machine_type_that_is_not_known_yet_is_neither() -> None:
    unknown = change(HEAD, ["create"], None, cpu_values(), after_unknown={"node_config": [{"machine_type": True}]})
    found = compared(unknown)
    assert found.report.change.items == ()
    assert "1 google_container_node_pool (its machine type is not known)" in " ".join(found.report.change.notes)


def test_an_inline_slice_is_an_item_of_its_own() -> None:
    after = inline(changed(slice_values(), "placement_policy.tpu_topology", "4x8"), cpu_values())
    item = one(change(TRAINING, ["update"], inline(slice_values(), cpu_values()), after))
    assert (item.item, item.kind, item.change) == (INSIDE, "slices", "no-op")
    assert [(each.key, each.was, each.will) for each in item.written] == [
        ("placement_policy.tpu_topology", "4x4", "4x8")
    ]
    assert "replaces the cluster: add a `google_container_node_pool` instead" in item.consequence
    assert item.size is not None
    assert item.size.will.maximum == 16


def test_an_inline_node_pool_without_tpus_is_too() -> None:
    after = inline(slice_values(), changed(cpu_values(), "node_config.machine_type", "n2-standard-32"))
    item = one(change(TRAINING, ["update"], inline(slice_values(), cpu_values()), after))
    assert (item.item, item.kind, item.change) == (f"{TRAINING}.node_pool[1]", "nodes", "restart")


def test_the_rest_of_an_update_stays_with_the_cluster() -> None:
    before, after = inline(slice_values()), inline(changed(slice_values(), "node_config.labels", {"team": "x"}))
    found = items(change(TRAINING, ["update"], before, {**after, "resource_labels": {"a": "b"}}))
    assert {address: item.change for address, item in found.items()} == {TRAINING: "metadata", INSIDE: "in-place"}
    assert [each.key for each in found[TRAINING].written] == ["resource_labels.a"]


@pytest.mark.parametrize(
    ("actions", "effect", "gone", "new"),
    [(["create"], "create", 0, 4), (["delete"], "delete", 4, 0), (["delete", "create"], "replace", 4, 4)],
)
def test_an_inline_slice_is_created_and_deleted_with_its_cluster(
    actions: list[str], effect: str, gone: int, new: int
) -> None:
    before = None if actions == ["create"] else inline(slice_values())
    after = None if actions == ["delete"] else inline(changed(slice_values(), "node_config.labels", {"team": "x"}))
    found = items(change(TRAINING, actions, before, after))
    item = found[INSIDE]
    assert (item.change, item.hosts_gone.maximum, item.hosts_new.maximum) == (effect, gone, new)


def test_node_pools_that_a_refresh_adds_to_a_cluster_are_counted_once() -> None:
    """The state of a cluster contains the node pools of other resources too."""
    after = changed(slice_values(), "placement_policy.tpu_topology", "4x8")
    found = items(
        change(TRAINING, ["update"], inline(slice_values(), cpu_values()), inline(after, cpu_values())),
        change(f"{POOL}.slice", ["update"], slice_values(), after),
        change(HEAD, ["delete"], cpu_values(), None),
    )
    assert found.keys() == {f"{POOL}.slice", HEAD}


def test_a_new_name_of_the_cluster_does_not_hide_its_node_pools() -> None:
    """The node pools refer to a cluster whose name is known only after the apply."""
    moved = change(TRAINING, ["delete", "create"], inline(slice_values()), cluster_values("b"))
    pool = change(
        f"{POOL}.slice", ["delete", "create"], slice_values(), slice_values(), after_unknown={"cluster": True}
    )
    found = items(moved, pool)
    assert found.keys() == {TRAINING, f"{POOL}.slice"}
    assert "with its node pools (4 TPU hosts)" in found[TRAINING].consequence


@pytest.mark.parametrize("pools", [None, 1, "x", [None], [1], [{}], [{"name": 1}], {"name": "a"}])
def test_other_forms_of_inline_node_pools_are_ignored(pools: Any) -> None:
    before, after = cluster_values(), cluster_values(resource_labels={"a": "b"}, node_pool=pools)
    for actions, was, will in ((["update"], before, after), (["delete"], after, None), (["create"], None, after)):
        assert TRAINING in items(json.loads(json.dumps(change(TRAINING, actions, was, will))))
