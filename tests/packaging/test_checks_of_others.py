"""What others check and run: twine, actionlint and pre-commit, each the real program."""

import os
import pathlib
import shutil
import subprocess
import sys
from collections.abc import Mapping
from typing import Any

import pytest
import yaml
from support.go_tools import ACTIONLINT
from support.installed_wheel import ROOT
from support.published import git, needs_git, repository
from support.publishing import find_publishing
from support.tool_installation import found_or_skipped

pytestmark = pytest.mark.setup
ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
HOOKS = [hook["id"] for hook in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))]
WORKLOAD = (ROOT / "docs" / "examples" / "workload.yaml").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def python(pytestconfig: pytest.Config) -> pathlib.Path:
    return found_or_skipped(pytestconfig, "setup", find_publishing)


def run(*command: object, cwd: pathlib.Path, **variables: str) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "PYTEST"))}
    return subprocess.run(
        [*map(str, command)], cwd=cwd, env={**environment, **variables}, capture_output=True, text=True, check=False
    )


# The distributions


def test_twine_takes_both_distributions_and_refuses_a_readme_that_pypi_cannot_show(
    python: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    built = run(sys.executable, ROOT / "tools" / "release.py", "build", tmp_path / "dist", cwd=ROOT)
    assert built.returncode == 0, built.stderr
    files = sorted((tmp_path / "dist").iterdir())
    assert len(files) == 4
    checked = run(python, "-m", "twine", "check", "--strict", *files, cwd=tmp_path)
    assert checked.returncode == 0, checked.stdout + checked.stderr
    assert checked.stdout.count("PASSED") == len(files)
    other = tmp_path / "other"
    shutil.copytree(ROOT / "distributions" / "pulumi-gke-tpu", other)
    shutil.copy(ROOT / "components" / "pulumi_gke_tpu" / "_version.py", other)
    (other / "README.rst").write_text("Title\n===\n\n.. broken::\n")
    project = other / "pyproject.toml"
    text = project.read_text().replace("README.md", "README.rst").replace("../../components/pulumi_gke_tpu/", "")
    project.write_text(text)
    run(sys.executable, "-m", "build", "--no-isolation", "--wheel", "--outdir", other / "dist", other, cwd=tmp_path)
    refused = run(python, "-m", "twine", "check", "--strict", *(other / "dist").iterdir(), cwd=tmp_path)
    assert refused.returncode == 1


# The action and the workflows


@pytest.fixture(scope="module")
def actionlint(pytestconfig: pytest.Config) -> pathlib.Path:
    return found_or_skipped(pytestconfig, "setup", ACTIONLINT.build).program("actionlint")


def test_actionlint_accepts_every_workflow(actionlint: pathlib.Path) -> None:
    workflows = [
        *(ROOT / ".github" / "workflows").glob("*.yml"),
        *(ROOT / "docs" / "examples" / "github").glob("*.yml"),
    ]
    assert len(workflows) >= 7
    done = run(actionlint, *workflows, cwd=ROOT)
    assert (done.stdout, done.returncode) == ("", 0)


def as_workflow(action: Mapping[str, Any]) -> str:
    """The steps of an action as those of a workflow that is called with its inputs."""
    inputs = {name: {"type": "string", "default": "x"} for name in action["inputs"]}
    outputs = {name: about["value"] for name, about in action["outputs"].items()}
    job = {"runs-on": "ubuntu-24.04", "outputs": outputs, "steps": action["runs"]["steps"]}
    return yaml.safe_dump({"name": "Called", "on": {"workflow_call": {"inputs": inputs}}, "jobs": {"action": job}})


def lint_action(actionlint: pathlib.Path, folder: pathlib.Path, action: Mapping[str, Any], given: str) -> str:
    """What actionlint says of a repository with the action, of a workflow that uses it, and of its steps."""
    workflows = folder / ".github" / "workflows"
    workflows.mkdir(parents=True, exist_ok=True)
    (folder / ".git").mkdir(exist_ok=True)
    (folder / "action.yml").write_text(yaml.safe_dump(action, sort_keys=False))
    (workflows / "called.yml").write_text(as_workflow(action))
    steps = [{"uses": "./", "id": "tpu", "with": {given: "x"}}, {"run": "cat ${{ steps.tpu.outputs.diff }}"}]
    job = {"runs-on": "ubuntu-24.04", "steps": steps}
    (workflows / "uses.yml").write_text(yaml.safe_dump({"name": "Uses", "on": "push", "jobs": {"uses": job}}))
    return run(actionlint, cwd=folder).stdout


def test_actionlint_accepts_the_action_and_finds_mistakes_in_it(
    actionlint: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    for given in ACTION["inputs"]:
        assert lint_action(actionlint, tmp_path, ACTION, given) == ""
    assert 'input "plan" is not defined' in lint_action(actionlint, tmp_path, ACTION, "plan")
    without = {name: value for name, value in ACTION.items() if name != "description"}
    assert "description" in lint_action(actionlint, tmp_path, without, "plans")
    *steps, last = ACTION["runs"]["steps"]
    wrong = {**ACTION, "runs": {**ACTION["runs"], "steps": [*steps, {**last, "env": {"BASE": "${{ inputs.bas }}"}}]}}
    assert '"bas" is not defined' in lint_action(actionlint, tmp_path, wrong, "plans")


def test_the_marketplace_takes_the_name_the_description_and_the_branding() -> None:
    """The limits of GitHub: the description is cut at 125 characters; icons are those of Feather, with exceptions."""
    assert len(ACTION["description"]) <= 125
    assert ACTION["branding"] == {"icon": "git-pull-request", "color": "blue"}
    assert ACTION["author"]
    assert (ROOT / "README.md").is_file(), "the page of the action"


# The hooks


@pytest.fixture(scope="module")
def hooks(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    return repository(tmp_path_factory.mktemp("hooks"))


class User:
    """A repository with the hooks of ours."""

    def __init__(self, folder: pathlib.Path, hooks: pathlib.Path, python: pathlib.Path, home: pathlib.Path) -> None:
        self.folder, self._hooks, self._python = folder, hooks, python
        self._variables = {"PRE_COMMIT_HOME": str(home), "PRE_COMMIT_COLOR": "never"}
        folder.mkdir()
        git(folder, "init", "--quiet")
        config = {
            "repo": str(hooks),
            "rev": git(hooks, "rev-parse", "HEAD").strip(),
            "hooks": [{"id": a} for a in HOOKS],
        }
        self.write(".pre-commit-config.yaml", yaml.safe_dump({"repos": [config]}))

    def write(self, name: str, text: str) -> None:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def results(self, *words: object) -> dict[str, str]:
        """Name of each hook -> Passed, Failed or Skipped."""
        git(self.folder, "add", "--all")
        done = run(self._python, "-m", "pre_commit", *words, "--all-files", cwd=self.folder, **self._variables)
        lines = [line for line in done.stdout.splitlines() if line.endswith(("Passed", "Failed", "Skipped"))]
        assert len(lines) == len(HOOKS), done.stdout + done.stderr
        assert done.returncode == any(line.endswith("Failed") for line in lines)
        return {id: line.rpartition(".")[2].rpartition(")")[2] for id, line in zip(HOOKS, lines, strict=True)}

    def run(self) -> set[str]:
        """The hooks that fail; none is skipped."""
        results = self.results("run")
        assert "Skipped" not in results.values(), results
        return {id for id, result in results.items() if result == "Failed"}

    def try_repo(self) -> dict[str, str]:
        return self.results("try-repo", self._hooks)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    return tmp_path_factory.mktemp("pre-commit")


@pytest.fixture
def user(hooks: pathlib.Path, python: pathlib.Path, home: pathlib.Path, tmp_path: pathlib.Path) -> User:
    return User(tmp_path / "user", hooks, python, home)


@needs_git
def test_every_hook_runs_in_a_repository_with_a_plan_and_fails_for_what_it_checks(user: User, gke_tpu: Any) -> None:
    user.write("plan.yaml", WORKLOAD)
    assert gke_tpu("manifests", user.folder / "plan.yaml", "-o", user.folder / "manifests").code == 0
    assert user.try_repo() == dict.fromkeys(HOOKS, "Passed")
    assert user.run() == set()

    user.write("plan.yaml", WORKLOAD.replace("version: 1", "version: 1\nunknown: 1"))
    assert user.run() == {"gke-tpu-validate", "gke-tpu-fix", "gke-tpu-manifests"}
    user.write("plan.yaml", WORKLOAD)
    file = next(path for path in sorted((user.folder / "manifests").glob("*.yaml")) if "kind: Job" in path.read_text())
    text = file.read_text()
    file.write_text(text.replace("google.com/tpu: ", "google.com/tpu: 1"))
    assert user.run() == {"gke-tpu-check", "gke-tpu-manifests"}
    file.write_text(text)
    (user.folder / "plan.yaml").unlink()
    user.write("gke-tpu.yaml", WORKLOAD)
    user.write("plan.yaml", "steps: []\n")
    assert user.run() == set(), "the plan has the other name"
    (user.folder / "gke-tpu.yaml").unlink()
    assert user.run() == {"gke-tpu-manifests"}, "the objects of a plan that is gone"


@needs_git
def test_no_hook_says_anything_about_files_of_other_tools(user: User) -> None:
    user.write("plan.yaml", "steps:\n- name: build\n")
    user.write("deploy/plan.yaml", "version: 1\nproject: x\nslices: [a, b]\n")
    user.write("manifests/web.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: web}\n")
    user.write("k8s/values.yaml", "replicas: 2\n")
    assert user.run() == set()
    user.write("plan.yaml", "a: {{ template }}\n")
    assert user.run() == set()
    (user.folder / "plan.yaml").unlink()
    assert user.run() == set()
