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
WITH_TAINTS = f"""{PLAN}      serve:
        {{tpu: v6e, topology: 2x2, zone: us-east5-b, taints: [{{key: tier, value: serving, effect: NoSchedule}}]}}
    cpu_pools:
      head: {{machine_type: n2-standard-64, nodes: 1, zones: [us-east5-b]}}
"""
CLUSTER_ID = "projects/acme-ml/locations/us-east5/clusters/train"
COMPONENT = "gke-tpu:index:TpuFleet$gke-tpu:index:StandardCluster"
SLICES = f"urn:pulumi:lab::gke-tpu::{COMPONENT}$gke-tpu:index:TpuSlices::"
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
    ("plan", "pool", "parent", "sent"),
    [
        (PLAN, "train/pretrain/pretrain-0", f"{SLICES}train/pretrain", []),
        (PLAN, "train/system", CLUSTER, []),
        (WITH_TAINTS, "train/cpu_pools/head", CLUSTER, []),
        (WITH_TAINTS, "train/serve/serve", f"{SLICES}train/serve", ["PUT NodePool"]),
    ],
    ids=["slice", "system pool", "CPU pool", "slice with taints"],
)
def test_a_pool_that_gke_made_after_the_kill_is_imported_and_not_replaced(
    engine: Engine, project: Project, plan: str, pool: str, parent: str, sent: list[str]
) -> None:
    name = pool.rpartition("/")[2]
    killed(engine, project, name, plan)
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
    first, *others = engine.cloud.sent(pool)
    assert (first, [what for what in others if what != first]) == ("POST NodePool", sent)
    assert len(engine.cloud.names(POOL)) == (2 if plan == PLAN else 4)
    assert project.pulumi("preview", "-s", "lab", "--expect-no-changes").returncode == 0
    assert "pending_operations" not in project.state("lab")
    assert bool(kept(project, pool)[0].get("protect")) is ("pretrain" in pool), "reserved capacity is protected"


def kept(project: Project, pool: str) -> list[dict[str, Any]]:
    """The pool in the stack's state, where it is there."""
    return [item for item in project.state("lab")["resources"] if item["urn"].endswith(f"NodePool::{pool}")]


def test_a_cluster_that_is_deleted_by_hand_is_created_by_the_next_update(engine: Engine, project: Project) -> None:
    killed(engine, project, "train", PLAN)
    assert "already exists" in project.pulumi("up", "-s", "lab", "--yes").stdout
    engine.cloud.delete("by hand", CLUSTER_ID)
    done = project.pulumi("up", "-s", "lab", "--yes")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "1 pending operations from previous deployment" in done.stdout
    assert "1 pending operations" in project.pulumi("up", "-s", "lab", "--yes").stdout, "the warning stays"
    assert project.pulumi("refresh", "-s", "lab", "--clear-pending-creates", "--yes").returncode == 0
    assert "pending operations" not in project.pulumi("up", "-s", "lab", "--yes").stdout
    assert project.pulumi("preview", "-s", "lab", "--expect-no-changes").returncode == 0
