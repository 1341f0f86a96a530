"""The checkout's own project through the command line of Pulumi, as people run it: ``pulumi preview -s dev``.

Where the Python language host of a Pulumi release is on PATH it runs the program; elsewhere a small one does.
"""

import pathlib

import pytest
from support.engine.cli_project import ROOT, Project
from support.engine.engine_cloud import Engine
from support.gcp_standin.knowledge import POOL
from support.shipped import NAMES, STACKS


@pytest.fixture
def project(engine: Engine, tmp_path: pathlib.Path) -> Project:
    return Project(engine, tmp_path / "project")


@pytest.mark.parametrize("stack", NAMES)
def test_preview_creates_what_the_stack_is_made_of(project: Project, stack: str) -> None:
    project.init(stack)
    steps = [step for step in project.preview(stack)["steps"] if "::pulumi:" not in step["urn"]]
    assert {step["op"] for step in steps} == {"create"}
    registered = (ROOT / "tests" / "acceptance" / "data" / f"registered-{stack}.yaml").read_text(encoding="utf-8")
    urns = sorted(line.removeprefix("- urn: ") for line in registered.splitlines() if line.startswith("- urn: "))
    assert sorted(step["urn"] for step in steps) == urns


def test_settings_of_a_stack_lie_beside_its_plan(project: Project) -> None:
    project.init("dev")
    assert [path.name for path in (project.folder / "stacks").glob("Pulumi*")] == ["Pulumi.dev.yaml"]
    assert not (project.folder / "Pulumi.dev.yaml").exists()


def test_up_then_nothing_more_to_do_then_destroy(project: Project) -> None:
    project.init("dev")
    up = project.pulumi("up", "-s", "dev", "--yes")
    assert up.returncode == 0, up.stdout + up.stderr
    assert "gcloud container clusters get-credentials dev" in project.pulumi("stack", "output", "-s", "dev").stdout
    assert project.pulumi("preview", "-s", "dev", "--expect-no-changes").returncode == 0
    assert project.pulumi("destroy", "-s", "dev", "--yes").returncode == 0


def test_the_error_of_an_invalid_plan_contains_its_findings(project: Project) -> None:
    wrong = project.folder / "stacks" / "wrong"
    wrong.mkdir()
    plan = (STACKS / "dev" / "plan.yaml").read_text(encoding="utf-8")
    (wrong / "plan.yaml").write_text(plan.replace("topology: 4x4", "topology: 4x5"), encoding="utf-8")
    project.init("wrong")
    done = project.pulumi("preview", "-s", "wrong")
    assert done.returncode != 0
    assert "TPU112 clusters.dev.slices.batch.topology: v5e has no topology 4x5" in done.stdout
    assert "+ 1 to create" in done.stdout  # the stack itself


def test_a_plain_destroy_of_a_protected_stack_deletes_nothing(project: Project, engine: Engine) -> None:
    """Its preview fails before anything is deleted; that of a stack without protected resources does not."""
    project.init("prod")
    up = project.pulumi("up", "-s", "prod", "--yes", "--skip-preview")
    assert up.returncode == 0, up.stdout + up.stderr
    pools = engine.cloud.names(POOL)
    done = project.pulumi("destroy", "-s", "prod", "--yes")
    assert done.returncode != 0
    assert "cannot be deleted" in done.stdout
    assert [request.what for request in engine.cloud.requests if request.what.startswith("DELETE")] == [
        "DELETE NodePool"  # the default pool, which is deleted when the cluster is created
    ]
    assert engine.cloud.names(POOL) == pools
