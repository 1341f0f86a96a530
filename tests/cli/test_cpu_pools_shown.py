"""CPU pools in what `preview` and `explain` show."""

import json
import pathlib
from collections.abc import Callable
from typing import Any

import pytest

PLAN = """
version: 1
project: acme-ml
clusters:
  east:
    mode: standard
    location: us-east5
    network: create
    cpu_pools:
      head: {machine_type: n2-standard-64, nodes: 2, zones: [us-east5-a, us-east5-b]}
      loaders: {machine_type: n2-standard-16, max_nodes: 10, spot: true}
"""


@pytest.fixture
def run(tmp_path: pathlib.Path, gke_tpu: Callable[..., Any]) -> Callable[..., str]:
    """Runs a command on the plan; what it prints."""
    path = tmp_path / "plan.yaml"
    path.write_text(PLAN)

    def call(command: str, *options: str) -> str:
        result = gke_tpu(command, path, *options)
        assert result.code == 0, result.err
        return str(result.out)

    return call


def test_the_tree_shows_nodes_machine_type_zones_and_spot(run: Callable[..., str]) -> None:
    lines = [" ".join(line.split()) for line in run("preview").splitlines()]
    assert "├─ head CPU pool, 2 × n2-standard-64, us-east5-a and us-east5-b" in lines
    assert "└─ loaders CPU pool, 0..10 × n2-standard-16, spot" in lines


def test_markdown_lists_them_with_the_cluster(run: Callable[..., str]) -> None:
    assert "- CPU pool loaders: 0..10 × n2-standard-16, spot" in run("preview", "--format", "markdown").replace(
        "\\", ""
    )


def test_json_has_them_in_the_record_of_the_cluster(run: Callable[..., str]) -> None:
    (cluster,) = json.loads(run("preview", "--format", "json"))["clusters"]
    assert cluster["cpu_pools"] == [
        {
            "name": "head",
            "path": "clusters.east.cpu_pools.head",
            "machine_type": "n2-standard-64",
            "nodes": {"min": 2, "max": 2},
            "zones": ["us-east5-a", "us-east5-b"],
            "spot": False,
            "autoscaled": False,
        },
        {
            "name": "loaders",
            "path": "clusters.east.cpu_pools.loaders",
            "machine_type": "n2-standard-16",
            "nodes": {"min": 0, "max": 10},
            "zones": [],
            "spot": True,
            "autoscaled": True,
        },
    ]


def test_their_cost_is_not_in_any_amount_and_the_preview_states_it(run: Callable[..., str]) -> None:
    assert "not included: system and CPU pools" in " ".join(run("preview").split())


def test_a_property_that_replaces_the_node_pool_later_is_noted(
    tmp_path: pathlib.Path, gke_tpu: Callable[..., Any]
) -> None:
    path = tmp_path / "plan.yaml"
    path.write_text(PLAN.replace("spot: true", "extra: {max_pods_per_node: 64}"))
    assert "east/cpu_pools/loaders: extra maxPodsPerNode" in " ".join(gke_tpu("preview", path).out.split())


@pytest.mark.parametrize(
    ("pool", "value", "reason"),
    [
        ("head", "2 x n2-standard-64", "fixed number of nodes, 1 per zone; zones us-east5-a and us-east5-b"),
        ("loaders", "0..10 x n2-standard-16, Spot VMs", "GKE scales the total number of nodes between the limits"),
    ],
)
def test_explain_tells_how_many_nodes_are_in_each_zone(
    pool: str, value: str, reason: str, run: Callable[..., str]
) -> None:
    text = " ".join(run("explain", f"east.cpu_pools.{pool}").split())
    assert value in text
    assert reason in text
