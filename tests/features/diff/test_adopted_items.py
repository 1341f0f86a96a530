"""Clusters and node pools that a plan takes over: nothing is created."""

import pytest
from support.plan_edits import items, report

from pulumi_gke_tpu.features.diff.output.labels import label

CLUSTER = """
version: 1
project: acme-ml
clusters:
  train:
    mode: standard
    location: us-east5
    {adopted}
    cpu_pools:
      cpu: {{machine_type: e2-standard-4, nodes: 2, zones: [us-east5-b]{cpu}}}
      {more_cpu}
    slices:
      old: {{tpu: v6e, topology: 4x4, zone: us-east5-b, count: {count}{old}}}
      {more}
"""


def plan(more: str = "", more_cpu: str = "", count: int = 1, *, adopted: bool = True) -> str:
    key = ", adopted: true" if adopted else ""
    whole = "adopted: true" if adopted else ""
    return CLUSTER.format(adopted=whole, cpu=key, old=key, more=more, more_cpu=more_cpu, count=count)


def test_a_plan_of_what_exists_imports_it() -> None:
    found = items("", plan())
    assert {name: (item.change, item.in_state) for name, item in found.items()} == {
        "train": ("metadata", "import"),
        "train/old": ("metadata", "import"),
    }
    assert found["train"].consequence.startswith("Pulumi adopts 1 cluster and 1 node pool: nothing changes")
    assert "adopts 1 node pool with 4 hosts (16 chips)" in found["train/old"].consequence
    assert not found["train/old"].hosts_new.maximum
    assert report("", plan()).unchanged_resources == 0


@pytest.mark.parametrize(
    ("after", "item", "word"),
    [
        (plan("more: {tpu: v6e, topology: 4x4, zone: us-east5-b, adopted: true}"), "train/more", "IMPORT"),
        (plan("more: {tpu: v6e, topology: 4x4, zone: us-east5-b}"), "train/more", "CREATE"),
        (
            plan(more_cpu="more: {machine_type: e2-standard-4, nodes: 1, zones: [us-east5-b], adopted: true}"),
            "train",
            "IMPORT",
        ),
        (plan(more_cpu="more: {machine_type: e2-standard-4, nodes: 1, zones: [us-east5-b]}"), "train", "CREATE"),
        (plan(count=2), "train/old", "SCALE UP"),
    ],
)
def test_only_what_exists_is_imported(after: str, item: str, word: str) -> None:
    (found,) = items(plan(), after).values()
    assert (found.item, label(found)) == (item, word)


def test_a_new_cluster_is_created() -> None:
    assert {label(item) for item in items("", plan(adopted=False)).values()} == {"CREATE"}
