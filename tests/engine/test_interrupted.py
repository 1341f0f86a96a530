"""``pulumi up`` killed while GKE creates a resource: what is left, and the way out that docs/stacks.md describes."""

import pathlib
from typing import Any

import pytest
from support.engine.cli_project import Project
from support.engine.engine_cloud import Engine
from support.gcp_standin.knowledge import POOL

PLAN = """
version: 1
project: acme-ml
clusters:
  train:
    mode: standard
    location: us-east5
    deletion_protection: false
    slices:
      pretrain: {tpu: v6e, topology: 4x4, zone: us-east5-b, capacity: {reservation: ours}}
"""
CLUSTER_ID = "projects/acme-ml/locations/us-east5/clusters/train"
COMPONENT = "gke-tpu:index:TpuFleet$gke-tpu:index:StandardCluster"
SLICES = f"urn:pulumi:lab::gke-tpu::{COMPONENT}$gke-tpu:index:TpuSlices::train/pretrain"
CLUSTER = f"urn:pulumi:lab::gke-tpu::{COMPONENT}::train"


@pytest.fixture
def project(engine: Engine, tmp_path: pathlib.Path) -> Project:
    return Project(engine, tmp_path / "project")


def killed(engine: Engine, project: Project, name: str, plan: str) -> None:
    """A stack whose first update was killed while GKE made the resource; GKE has created it nevertheless."""
    project.add("lab", plan)
    engine.cloud.knobs.slow.add(name)
    assert "^C received; terminating" in project.kill("lab", engine.cloud.creating)
    engine.cloud.knobs.slow.clear()
    engine.cloud.ended.set()


@pytest.mark.parametrize(
    ("pool", "name", "parent", "protected"),
    [("train/pretrain/pretrain-0", "pretrain-0", SLICES, True), ("train/system", "system", CLUSTER, False)],
    ids=["slice", "system pool"],
)
def test_a_pool_that_gke_made_after_the_kill_is_imported_and_not_replaced(
    engine: Engine, project: Project, pool: str, name: str, parent: str, protected: bool
) -> None:
    killed(engine, project, name, PLAN)
    stopped = project.pulumi("up", "-s", "lab", "--yes")
    assert f"{CLUSTER_ID}/nodePools/{name} - already exists" in stopped.stdout
    assert project.pulumi("refresh", "-s", "lab", "--yes").returncode == 0
    assert kept(project, pool) == [], "a refresh does not find the pool"

    imported = project.pulumi(
        *("import", "gcp:container/nodePool:NodePool", pool, f"{CLUSTER_ID}/nodePools/{name}"),
        *("--parent", f"parent={parent}", "--generate-code=false", "-s", "lab", "--yes"),
    )
    assert imported.returncode == 0, imported.stdout + imported.stderr
    (resource,) = kept(project, pool)
    assert resource["parent"] == parent
    cleared = project.pulumi(
        *("refresh", "--clear-pending-creates", "--target", resource["urn"], "-s", "lab", "--yes"),
    )
    assert cleared.returncode == 0, cleared.stdout + cleared.stderr
    done = project.pulumi("up", "-s", "lab", "--yes")
    assert done.returncode == 0, done.stdout + done.stderr
    assert set(engine.cloud.sent(pool)) == {"POST NodePool"}
    assert len(engine.cloud.names(POOL)) == 2
    assert project.pulumi("preview", "-s", "lab", "--expect-no-changes").returncode == 0
    assert "pending_operations" not in project.state("lab")
    assert bool(kept(project, pool)[0].get("protect")) is protected


def kept(project: Project, pool: str) -> list[dict[str, Any]]:
    """The pool in the stack's state, where it is there."""
    return [item for item in project.state("lab")["resources"] if item["urn"].endswith(f"NodePool::{pool}")]


def test_a_cluster_that_is_deleted_by_hand_is_created_by_the_next_update(engine: Engine, project: Project) -> None:
    killed(engine, project, "train", PLAN)
    assert "already exists" in project.pulumi("up", "-s", "lab", "--yes").stdout
    engine.cloud.delete("by hand", CLUSTER_ID)
    done = project.pulumi("up", "-s", "lab", "--yes")
    assert done.returncode == 0, done.stdout + done.stderr
    assert project.pulumi("preview", "-s", "lab", "--expect-no-changes").returncode == 0
