"""The templates of ``pulumi new``: the real CLI makes a project from each, and previews it."""

import json
import os
import pathlib
import re
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest
import yaml
from support.documents import ROOT
from support.engine import key_service, language_host
from support.engine.cli_environment import cli_environment
from support.engine.engine_cloud import Engine
from support.engine.generated_sdks import unpack_for_node
from support.engine.javascript_run import plugin_on_path
from support.gcp_standin.knowledge import CLUSTER, POOL

TEMPLATES = ROOT / "templates"
CONFIG = {
    "gke-tpu-python": {},
    "gke-tpu-slices-python": {
        "cluster": "projects/my-project/locations/us-east5/clusters/train",
        "zone": "us-east5-b",
        "nodeServiceAccount": "tpu-nodes@my-project.iam.gserviceaccount.com",
    },
    "gke-tpu-typescript": {"gcp:project": "my-project", "location": "us-central1"},
    "gke-tpu-yaml": {"gcp:project": "my-project", "location": "us-central1"},
}
"""Template -> what people answer to the questions of `pulumi new`."""
MADE = {
    "gke-tpu-python": {CLUSTER, POOL},
    "gke-tpu-slices-python": {POOL},
    "gke-tpu-typescript": {CLUSTER},
    "gke-tpu-yaml": {CLUSTER},
}
Pulumi = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def pulumi(engine: Engine, yaml_host: pathlib.Path, tmp_path: pathlib.Path) -> Pulumi:
    for folder in ("bin", "project"):
        (tmp_path / folder).mkdir()
    plugin_on_path(tmp_path / "bin")
    language_host.put_on_path(tmp_path / "bin")
    path = (
        tmp_path / "bin",
        engine.cli.root / "bin",
        yaml_host,
        pathlib.Path(sys.executable).parent,
        os.environ["PATH"],
    )
    environment = cli_environment(tmp_path, engine.port)
    variables = {**environment, "PATH": os.pathsep.join(map(str, path)), "HOME": environment["PULUMI_HOME"]}

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        command = [engine.cli.root / "bin" / "pulumi", *words, "--non-interactive"]
        folder = tmp_path / "project"
        return subprocess.run(
            command, cwd=folder, env=variables, check=False, capture_output=True, text=True, stdin=subprocess.DEVNULL
        )

    return run


def new(pulumi: Pulumi, template: str) -> None:
    options = ("--generate-only", "--yes", "--name", "first-fleet", "--description", "Slices")
    done = pulumi("new", str(TEMPLATES / template), *options)
    assert "Created project 'first-fleet'" in done.stdout, done.stderr


@pytest.mark.parametrize("template", CONFIG)
def test_a_new_project_is_previewed(
    template: str, pulumi: Pulumi, tmp_path: pathlib.Path, request: pytest.FixtureRequest
) -> None:
    asked = {name for name, about in questions(template).items() if "default" not in about}
    assert asked <= CONFIG[template].keys() == questions(template).keys()
    new(pulumi, template)
    if template == "gke-tpu-typescript":  # what `pulumi install` gets, with the SDK of the release
        unpack_for_node(request.getfixturevalue("sdks"), tmp_path / "project" / "node_modules")
        package = json.loads((tmp_path / "project" / "package.json").read_text(encoding="utf-8"))
        assert package["name"] == "first-fleet"
        compiler = tmp_path / "project" / "node_modules" / "typescript" / "bin" / "tsc"
        command = ["node", compiler, "--noEmit", "--project", tmp_path / "project"]
        assert subprocess.run(command, capture_output=True, text=True, check=False).stdout == ""
    file = tmp_path / "project" / "Pulumi.yaml"
    # The plugin on PATH stands for that of the release, which the engine would fetch.
    file.write_text(re.sub(r"packages:\n  .*\n|  options:\n    toolchain.*\n    virtualenv.*\n", "", file.read_text()))
    pulumi("stack", "init", "dev", "--secrets-provider", key_service.URL)
    for name, value in CONFIG[template].items():
        assert pulumi("config", "set", name, value).returncode == 0
    planned = pulumi("preview", "--json")
    assert planned.returncode == 0, planned.stdout + planned.stderr
    steps = json.loads(planned.stdout)["steps"]
    assert {step["newState"]["type"] for step in steps if step["op"] == "create"} >= MADE[template]


def questions(template: str) -> dict[str, Any]:
    """What `pulumi new` asks."""
    found: dict[str, Any] = yaml.safe_load((TEMPLATES / template / "Pulumi.yaml").read_text())["template"].get(
        "config", {}
    )
    return found


def test_every_template_is_tried() -> None:
    assert {path.name for path in TEMPLATES.iterdir()} == set(CONFIG)
