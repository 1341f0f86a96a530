"""The checkout's own project through the command line of Pulumi, as people run it: ``pulumi preview -s dev``.

Where the Python language host of a Pulumi release is on PATH it runs the program; elsewhere a small one does.
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
from typing import Any

import key_service
import language_host
import pytest
from cli_environment import cli_environment
from engine_cloud import Engine
from shipped import NAMES, STACKS

ROOT = STACKS.parent


class Project:
    """The project of this checkout in a folder of its own, so that stack settings are not written into the checkout."""

    def __init__(self, engine: Engine, folder: pathlib.Path) -> None:
        for name in ("bin", "stacks"):
            (folder / name).mkdir(parents=True)
        shutil.copy(ROOT / "Pulumi.yaml", folder)
        for path in STACKS.iterdir():
            if path.suffix != ".yaml":
                (folder / "stacks" / path.name).symlink_to(path)
        path = [str(engine.cli.root / "bin"), str(pathlib.Path(sys.executable).parent), os.environ["PATH"]]
        if shutil.which("pulumi-language-python") is None:
            language_host.put_on_path(folder / "bin")
            path.append(str(folder / "bin"))
        self.folder = folder
        self._environment = {
            **os.environ,
            **cli_environment(folder, engine.port),
            "PATH": os.pathsep.join(path),
        }

    def pulumi(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["pulumi", *arguments, "--non-interactive"],
            cwd=self.folder,
            env=self._environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    def init(self, stack: str) -> None:
        done = self.pulumi("stack", "init", stack, "--secrets-provider", key_service.URL)
        assert done.returncode == 0, done.stdout + done.stderr

    def preview(self, stack: str) -> dict[str, Any]:
        """What ``pulumi preview -s STACK`` would do."""
        done = self.pulumi("preview", "-s", stack, "--json")
        assert done.returncode == 0, done.stdout + done.stderr
        found: dict[str, Any] = json.loads(done.stdout)
        return found


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


def test_a_wrong_plan_is_told_in_its_own_words(project: Project) -> None:
    wrong = project.folder / "stacks" / "wrong"
    wrong.mkdir()
    plan = (STACKS / "dev" / "plan.yaml").read_text(encoding="utf-8")
    (wrong / "plan.yaml").write_text(plan.replace("topology: 4x4", "topology: 4x5"), encoding="utf-8")
    project.init("wrong")
    done = project.pulumi("preview", "-s", "wrong")
    assert done.returncode != 0
    assert "TPU112 clusters.dev.slices.batch.topology: v5e has no topology 4x5" in done.stdout
    assert "+ 1 to create" in done.stdout  # the stack itself
