"""What a path means in a plan."""

import pytest

from pulumi_gke_tpu.core.plan import Plan, parse_plan
from pulumi_gke_tpu.features.explain.values.surroundings import Item, NoSuchItemError, find_item, items

GROUP = {"tpu": "v6e", "topology": "2x2", "zone": "us-east5-b"}
CLUSTER = {"mode": "standard", "location": "us-east5"}


@pytest.fixture(scope="module")
def plan() -> Plan:
    document = parse_plan(
        {
            "version": 1,
            "project": "acme-ml",
            "clusters": {
                "train": {**CLUSTER, "slices": {"a": GROUP, "slices": GROUP, "a.b": GROUP}},
                "clusters": {**CLUSTER, "slices": {"train": GROUP}},
            },
        }
    )
    assert document.content is not None
    return document.content


@pytest.mark.parametrize(
    ("path", "item"),
    [
        ("", Item()),
        ("clusters", Item()),
        ("train", Item("train")),
        ("clusters.train", Item("train")),
        ("train/a", Item("train", "a")),
        ("train.a", Item("train", "a")),
        ("clusters.train.slices.a", Item("train", "a")),
        ("clusters/train/slices/a/topology", Item("train", "a", "topology")),
        ("train/a/boot_disk.type", Item("train", "a", "boot_disk.type")),
        ("train/a/pool/0", Item("train", "a", "pool.0")),
        ("train/mode", Item("train", "", "mode")),
        ("train/slices", Item("train", "slices")),
        ("clusters.train.slices.slices", Item("train", "slices")),
        ("train/a.b", Item("train", "a.b")),
        ('clusters.train.slices["a.b"].zone', Item("train", "a.b", "zone")),
        ("clusters.clusters", Item("clusters")),
        ("clusters.clusters.slices.train", Item("clusters", "train")),
        (" train/a ", Item("train", "a")),
        ("train/", Item("train")),
    ],
)
def test_paths(plan: Plan, path: str, item: Item) -> None:
    assert find_item(plan, path) == item


@pytest.mark.parametrize("path", ["tarin", "clusters.train.slices.b", "[", "nope/a", "\x00"])
def test_paths_that_lead_nowhere(plan: Plan, path: str) -> None:
    with pytest.raises(NoSuchItemError) as error:
        find_item(plan, path)
    assert error.value.choices == items(plan)


def test_items_are_clusters_and_groups(plan: Plan) -> None:
    assert items(plan) == ("train", "train/a", "train/slices", "train/a.b", "clusters", "clusters/train")


def test_the_nearest_item_is_suggested(plan: Plan) -> None:
    with pytest.raises(NoSuchItemError) as error:
        find_item(plan, "tran")
    assert error.value.near == "train"
