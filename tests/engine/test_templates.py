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
from support.engine.javascript_run import PROGRAMS, JavaScript, plugin_on_path
from support.gcp_standin.knowledge import CLUSTER, POOL
from support.npm_packages import required_packages
from support.tool_installation import CACHE

TEMPLATES = ROOT / "templates"
CONFIG = {
    "gke-tpu-python": {},
    "gke-tpu-slices-python": {
        "cluster": "projects/my-project/locations/us-east5/clusters/train",
        "zone": "us-east5-b",
        "nodeServiceAccount": "tpu-nodes@my-project.iam.gserviceaccount.com",
    },
    "gke-tpu-yaml": {"gcp:project": "my-project", "location": "us-central1"},
}
"""Template -> what people answer to the questions of `pulumi new`."""
MADE = {"gke-tpu-python": {CLUSTER, POOL}, "gke-tpu-slices-python": {POOL}, "gke-tpu-yaml": {CLUSTER}}
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
def test_a_new_project_is_previewed(template: str, pulumi: Pulumi, tmp_path: pathlib.Path) -> None:
    asked = {name for name, about in questions(template).items() if "default" not in about}
    assert asked <= CONFIG[template].keys() == questions(template).keys()
    new(pulumi, template)
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


def test_the_template_in_typescript(pulumi: Pulumi, engine: Engine, tmp_path: pathlib.Path) -> None:
    """It contains no types, so it is also JavaScript; the class of the guide stands for the generated SDK."""
    new(pulumi, "gke-tpu-typescript")
    package = json.loads((tmp_path / "project" / "package.json").read_text(encoding="utf-8"))
    assert package["name"] == "first-fleet"
    javascript = JavaScript(
        engine.cli, required_packages(PROGRAMS / "package.json", CACHE), tmp_path / "js", engine.port
    )
    text = (tmp_path / "project" / package["main"]).read_text(encoding="utf-8")
    config = {'Config("gcp").require("project")': '"my-project"', 'Config().require("location")': '"us-central1"'}
    for question, answer in config.items():
        assert f"new pulumi.{question}" in text
        text = text.replace(f"new pulumi.{question}", answer)
    (javascript.folder / "template.js").write_text(text.replace('"pulumi-gke-tpu"', '"./gke_tpu.js"'), encoding="utf-8")
    planned = javascript.preview("template")
    assert (planned.error, planned.steps) == ("", javascript.preview("autopilot").steps)
    assert {"gcp:project", "location"} == questions("gke-tpu-typescript").keys()


def questions(template: str) -> dict[str, Any]:
    """What `pulumi new` asks."""
    found: dict[str, Any] = yaml.safe_load((TEMPLATES / template / "Pulumi.yaml").read_text())["template"].get(
        "config", {}
    )
    return found


def test_every_template_is_tried() -> None:
    assert {path.name for path in TEMPLATES.iterdir()} == {*CONFIG, "gke-tpu-typescript"}
