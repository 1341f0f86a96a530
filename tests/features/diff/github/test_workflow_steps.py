"""The example workflows, step by step, in a repository that `gke-tpu init` made, with a hostile pull request.

pip installs what the workflows name, from a repository on loopback. The checkout of a pull request is full of traps:
modules that Python would find in its working directory, and symbolic links where something might be written.
"""

import json
import os
import pathlib
import re
import shutil
import sys
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
import yaml
from support.github_standin import REPOSITORY, TOKEN, Repository, serving
from support.installed_wheel import ROOT, attempt
from support.published import OFFLINE, PLACEHOLDER, git, interpreter, needs_git, served
from support.terraform.recordings import RECORDINGS
from support.workflow_runner import Runner

from pulumi_gke_tpu.cli import main
from pulumi_gke_tpu.features.diff.output.comment import MARKER
from pulumi_gke_tpu.features.plan import requirement

EXAMPLES = ROOT / "docs" / "examples" / "github"
pytestmark = [needs_git, pytest.mark.setup]
STARTER = ("--mode", "standard", "--tpu", "v6e", "--topology", "4x4")
OURS = "OWNER/pulumi-gke-tpu"
TRAP = "import pathlib; pathlib.Path({where!r}).write_text('executed')\n"
TRAPS = ("pip.py", "yaml.py", "click.py", "sitecustomize.py", "usercustomize.py", "venv.py", "json.py", "ensurepip.py")
STANDARDS = "version: 1\nstandards:\n  size: {max: {chips: 16, per: all}, owner: capacity-team}\n"
WRITTEN = ("tpu-diff.json", "events.jsonl", "findings.sarif", "summary", "output")


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str, pathlib.Path]]:
    """Address, commit, and the folder that GitHub makes of the action."""
    folder = tmp_path_factory.mktemp("published")
    with served(folder) as (url, commit):
        git(folder, "clone", "--quiet", str(folder / "work"), str(folder / "action"))
        yield url, commit, folder / "action"


class Origin:
    """The repository of a user, as init wrote it, and a pull request on it."""

    def __init__(self, folder: pathlib.Path, where: pathlib.Path) -> None:
        self.folder, self.where = folder, where
        git(folder, "init", "--quiet", "--initial-branch=main")
        (folder / "organization.yaml").write_text(STANDARDS, encoding="utf-8")
        self.base = self._commit("base")
        git(folder, "switch", "--quiet", "--create", "wider")
        plan = folder / "stacks" / "prod" / "plan.yaml"
        text = plan.read_text(encoding="utf-8")
        plan.write_text(text.replace("topology: 4x4", "topology: 4x8"), encoding="utf-8")
        assert plan.read_text(encoding="utf-8") != text
        (folder / "organization.yaml").write_text(STANDARDS.replace("16", "1600"), encoding="utf-8")
        self._set_traps()
        self.head = self._commit("head")
        git(folder, "switch", "--quiet", "main")

    def _commit(self, message: str) -> str:
        git(self.folder, "add", "--all")
        git(self.folder, "commit", "--quiet", f"--message={message}")
        return git(self.folder, "rev-parse", "HEAD").strip()

    def _set_traps(self) -> None:
        trap = TRAP.format(where=str(self.where / "executed"))
        for name in TRAPS:
            (self.folder / name).write_text(trap, encoding="utf-8")
        for package in ("pulumi_gke_tpu", "yaml", "pip"):
            (self.folder / package).mkdir()
            for name in ("__init__.py", "__main__.py"):
                (self.folder / package / name).write_text(trap, encoding="utf-8")
        for name in WRITTEN:
            (self.folder / name).symlink_to(self.where / "written")

    def assert_untouched(self) -> None:
        assert not (self.where / "executed").exists(), "something of the pull request was executed"
        assert not (self.where / "written").exists(), "something was written through a symbolic link"


@pytest.fixture
def origin(published: tuple[str, str, pathlib.Path], tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> Origin:
    url, commit, _ = published
    source = {"url": url, "vcs_info": {"vcs": "git", "commit_id": commit}}
    monkeypatch.setattr(requirement, "direct_url", lambda: json.dumps(source))
    folder = tmp_path / "origin"
    with pytest.raises(SystemExit) as stop:
        main(["init", str(folder / "stacks"), "--stack", "prod", *STARTER])
    assert stop.value.code == 0
    (tmp_path / "traps").mkdir()
    return Origin(folder, tmp_path / "traps")


class Machine:
    """A runner for one event of the pull request, with stand-ins for the actions of others."""

    def __init__(self, origin: Origin, published: tuple[str, str, pathlib.Path], folder: pathlib.Path) -> None:
        self.origin, self.published, self.folder = origin, published, folder
        self.uploaded: dict[str, bytes] = {}
        self.terraform_plan = RECORDINGS / "no_change" / "plan.json"
        self.runs = 0
        self.cached: dict[str, pathlib.Path] = {}
        """Key -> the folder that a run leaves for the next with that key. GitHub keeps it only if the job passes."""

    def runner(self, ref: str, github: Mapping[str, Any], **environment: str) -> Runner:
        self.runs += 1
        actions = {
            "actions/checkout": lambda runner, given: self._check_out(runner, ref),
            "actions/setup-python": lambda runner, given: runner.paths.insert(0, str(interpreter(self.folder))),
            "actions/cache": self._cache,
            "actions/upload-artifact": self._upload,
            "github/codeql-action/upload-sarif": self._upload,
            "google-github-actions/auth": lambda runner, given: None,
            "pulumi/actions": self._pulumi,
            "hashicorp/setup-terraform": self._terraform,
            OURS: self.published[2],
        }
        contexts = {"github": github, "secrets": {"PULUMI_ACCESS_TOKEN": ""}, "vars": {}}
        basic = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
        variables = {**basic, **OFFLINE, **environment}
        variables["PATH"] = os.pathsep.join([str(interpreter(self.folder)), variables["PATH"]])
        return Runner(self.folder / f"machine {self.runs}", actions, contexts, variables)

    def job(self, workflow: str, name: str) -> dict[str, Any]:
        url, commit, _ = self.published
        text = (EXAMPLES / workflow).read_text(encoding="utf-8")
        filled = text.replace(f"{PLACEHOLDER}@COMMIT", f"{url}@{commit}")
        job: dict[str, Any] = yaml.safe_load(filled)["jobs"][name]
        return job

    def _check_out(self, runner: Runner, ref: str) -> None:
        git(runner.root, "clone", "--quiet", "--no-checkout", str(self.origin.folder), str(runner.workspace))
        git(runner.workspace, "checkout", "--quiet", "--detach", ref)

    def _cache(self, runner: Runner, given: Mapping[str, str]) -> None:
        path = pathlib.Path(given["path"])
        kept = self.cached.setdefault(given["key"], path)
        if kept.exists() and not path.exists():
            shutil.copytree(kept, path, symlinks=True)

    def _upload(self, runner: Runner, given: Mapping[str, str]) -> None:
        path = pathlib.Path(given.get("path") or given["sarif_file"])
        assert path.is_relative_to(runner.temp)
        if path.exists():
            self.uploaded[path.name] = path.read_bytes()

    def _pulumi(self, runner: Runner, given: Mapping[str, str]) -> None:
        runner.add_program("pulumi", _PULUMI)

    def _terraform(self, runner: Runner, given: Mapping[str, str]) -> None:
        runner.add_program("terraform", _TERRAFORM.format(plan=self.terraform_plan))


_TERRAFORM = """#!/bin/sh
# Gives a recorded plan, in the folder of the configuration only.
[ -f main.tf ] || exit 9
case "$*" in
  "init -input=false") ;;
  "plan -input=false -lock=false -out "*) touch "$5" ;;
  "show -json "*) [ -f "$3" ] && cat "{plan}" ;;
  *) exit 8 ;;
esac
"""
_PULUMI = """#!/bin/sh
# Runs the program as far as the stack's plan, with the Python that is first on PATH, and tells nothing about resources.
[ "$*" = "preview --stack prod --json" ] && [ -f Pulumi.yaml ] || exit 9
python -I -c 'import pulumi_gke_tpu as p; p.load_plan("prod/plan.yaml"); print(p.__file__)' >&2 || exit 8
echo '{"sequence":0,"timestamp":1,"preludeEvent":{"config":{}}}'
summary='"isPreview":true,"result":"succeeded","PolicyPacks":{},"resourceChanges":{}'
echo '{"sequence":1,"timestamp":1,"summaryEvent":{'"$summary"'}}'
echo '{"sequence":2,"timestamp":1,"cancelEvent":{}}'
"""


@pytest.fixture
def machine(origin: Origin, published: tuple[str, str, pathlib.Path], tmp_path: pathlib.Path) -> Machine:
    return Machine(origin, published, tmp_path)


def pull_request(origin: Origin) -> dict[str, Any]:
    sides = {"base": {"sha": origin.base}, "head": {"sha": origin.head, "repo": {"full_name": REPOSITORY}}}
    return {"event": {"pull_request": {"number": 7, **sides}}, "repository": REPOSITORY}


def test_the_change_of_a_pull_request(machine: Machine, origin: Origin) -> None:
    runner = machine.runner(origin.head, pull_request(origin))
    assert runner.run_job(machine.job("tpu-diff.yml", "diff")), runner.steps
    assert "4x4 → 4x8" in runner.summary
    assert json.loads(machine.uploaded["tpu-diff.json"])["format"] >= 1
    origin.assert_untouched()
    assert git(runner.workspace, "status", "--porcelain") == ""


def test_a_second_run_finds_the_installation_in_the_cache(machine: Machine, origin: Origin) -> None:
    installed = []
    for _ in range(2):
        runner = machine.runner(origin.head, pull_request(origin))
        assert runner.run_job(machine.job("tpu-diff.yml", "diff")), runner.steps
        installed.append((runner.temp / "gke-tpu" / "environment" / "pyvenv.cfg").stat().st_mtime_ns)
    assert installed[0] == installed[1]


def test_the_engine_beside_the_change(machine: Machine, origin: Origin) -> None:
    """The program of the branch may run here, but only in Pulumi."""
    runner = machine.runner(origin.head, pull_request(origin))
    assert runner.run_job(machine.job("tpu-diff.yml", "engine")), runner.steps
    preview = next(step for step in runner.steps if step.name == "Preview")
    assert f"{runner.temp}/program/" in preview.err
    assert "engine" in runner.summary.lower()
    origin.assert_untouched()


def workflow_run(origin: Origin) -> dict[str, Any]:
    run = {
        "event": "pull_request",
        "head_sha": origin.head,
        "head_branch": "wider",
        "head_repository": {"full_name": REPOSITORY, "owner": {"login": "fork"}},
    }
    return {"event": {"workflow_run": run, "repository": {"default_branch": "main"}}, "repository": REPOSITORY}


@pytest.fixture
def repository(origin: Origin) -> Iterator[Repository]:
    with serving() as served_repository:
        sides = {"base": {"sha": origin.base}, "head": {"sha": origin.head}}
        served_repository.pulls.append({"number": 7, "label": "fork:wider", **sides})
        yield served_repository


def comment(machine: Machine, origin: Origin, repository: Repository, **given: str) -> Runner:
    """Run the workflow of the comment; ``given`` are inputs of the action."""
    event = workflow_run(origin)
    file = machine.folder / "event.json"
    file.write_text(json.dumps(event["event"]), encoding="utf-8")
    github = {"token": TOKEN, **event}
    runner = machine.runner(
        origin.base,
        github,
        GITHUB_REPOSITORY=REPOSITORY,
        GITHUB_API_URL=repository.url,
        GITHUB_EVENT_NAME="workflow_run",
        GITHUB_EVENT_PATH=str(file),
        GITHUB_SERVER_URL="https://github.com",
        GITHUB_RUN_ID="123",
    )
    job = machine.job("tpu-comment.yml", "comment")
    compare, _ = [step for step in job["steps"] if step.get("uses", "").startswith(OURS)]
    compare["with"].update(given)
    runner.run_job(job)
    return runner


def test_the_comment_on_a_pull_request(machine: Machine, origin: Origin, repository: Repository) -> None:
    runner = comment(machine, origin, repository)
    assert [step.status for step in runner.steps] == [0] * len(runner.steps), runner.steps
    (body,) = repository.bodies()
    assert "4x4 → 4x8" in body
    assert len(repository.labels) == 1
    origin.assert_untouched()


def test_a_pull_request_that_loosens_the_standards_it_breaks(
    machine: Machine, origin: Origin, repository: Repository
) -> None:
    runner = comment(machine, origin, repository, organization="organization.yaml")
    assert runner.steps[-1].status == 0, runner.steps
    (body,) = repository.bodies()
    assert "error TPU925" in body
    assert "32 chips exceed the limit of 16 per sum of all plans" in body
    assert "(owner: capacity-team) (organization.yaml:3:3)" in body
    assert "this comparison uses the file of the base" in body
    assert "would not be reported" in body
    origin.assert_untouched()


def test_a_comparison_that_fails_takes_the_place_of_an_older_comment(
    machine: Machine, origin: Origin, repository: Repository
) -> None:
    repository.comment(f"{MARKER}\n### TPU plan: no changes")
    repository.labels.append("tpu: create")
    runner = comment(machine, origin, repository, plans="no-such-folder")
    assert runner.steps[-1].status == 2
    (body,) = repository.bodies()
    assert f"could not compare `{origin.base}` with `{origin.head}`" in body
    assert f"https://github.com/{REPOSITORY}/actions/runs/123" in body
    assert repository.labels == []
    assert "the comparison failed" in runner.summary


def test_findings_as_alerts(machine: Machine, origin: Origin) -> None:
    runner = machine.runner(origin.head, {"event_name": "push"})
    assert runner.run_job(machine.job("tpu-findings.yml", "sarif")), runner.steps
    assert json.loads(machine.uploaded["tpu-findings.sarif"])["version"] == "2.1.0"
    origin.assert_untouched()


def plan_with_terraform(machine: Machine, origin: Origin, repository: Repository, recording: str) -> Runner:
    """Run the workflow of a repository with Terraform. Its plan is a recorded one."""
    machine.terraform_plan = RECORDINGS / recording / "plan.json"
    (origin.folder / "terraform").mkdir()
    (origin.folder / "terraform" / "main.tf").write_text("# node pools\n", encoding="utf-8")
    git(origin.folder, "add", "--all")
    git(origin.folder, "commit", "--quiet", "--message=terraform")
    event = pull_request(origin)
    file = machine.folder / "event.json"
    file.write_text(json.dumps(event["event"]), encoding="utf-8")
    runner = machine.runner(
        git(origin.folder, "rev-parse", "HEAD").strip(),
        {"token": TOKEN, **event},
        GITHUB_REPOSITORY=REPOSITORY,
        GITHUB_API_URL=repository.url,
        GITHUB_EVENT_NAME="pull_request",
        GITHUB_EVENT_PATH=str(file),
        GITHUB_SERVER_URL="https://github.com",
        GITHUB_RUN_ID="123",
    )
    runner.run_job(machine.job("tpu-terraform.yml", "plan"))
    return runner


def test_a_plan_of_terraform_is_compared_checked_and_commented(
    machine: Machine, origin: Origin, repository: Repository
) -> None:
    """A topology that GKE ignores: the gate and the check fail, and the comment is still written."""
    runner = plan_with_terraform(machine, origin, repository, "topology")
    diff, check, comment = [step for step in runner.steps if step.name == "Run gke-tpu"]
    assert [bool(step.status) for step in (diff, check, comment)] == [True, True, False]
    assert "TPU168" in check.out
    (body,) = repository.bodies()
    assert "4x4 → 4x8" in body
    assert "4x4 → 4x8" in runner.summary


def test_a_plan_of_terraform_without_changes_passes(machine: Machine, origin: Origin, repository: Repository) -> None:
    runner = plan_with_terraform(machine, origin, repository, "no_change")
    assert [step.status for step in runner.steps] == [0] * len(runner.steps), runner.steps
    assert repository.bodies() == []


def test_every_job_is_carried_out_here() -> None:
    text = pathlib.Path(__file__).read_text(encoding="utf-8")
    carried_out = set(re.findall(r'machine\.job\("([\w.-]+)", "(\w+)"\)', text))
    there = {(path.name, job) for path in EXAMPLES.glob("*.yml") for job in yaml.safe_load(path.read_text())["jobs"]}
    assert carried_out == there


def test_the_traps_work(origin: Origin, tmp_path: pathlib.Path) -> None:
    """Python without isolation falls into them."""
    shutil.copytree(origin.folder, tmp_path / "checkout")
    git(tmp_path / "checkout", "checkout", "--quiet", origin.head)
    attempt(sys.executable, "-m", "pip", "--version", cwd=tmp_path / "checkout")
    with pytest.raises(AssertionError, match="executed"):
        origin.assert_untouched()
