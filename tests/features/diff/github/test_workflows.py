"""The action and the example workflows: pinned, with few rights, and without values inside of scripts."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest
import yaml
from support.published import needs_git

ROOT = pathlib.Path(__file__).parents[4]
EXAMPLES = ROOT / "docs" / "examples" / "github"
WORKFLOWS = sorted(EXAMPLES.glob("*.yml"))
ACTION = ROOT / "action.yml"
OURS = "OWNER/pulumi-gke-tpu@COMMIT"

every_file = pytest.mark.parametrize("path", [ACTION, *WORKFLOWS], ids=lambda path: path.name)
every_workflow = pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)


def read(path: pathlib.Path) -> dict[str, Any]:
    content: dict[str, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
    return content


def steps(path: pathlib.Path) -> Iterator[dict[str, Any]]:
    content = read(path)
    if "runs" in content:
        yield from content["runs"]["steps"]
    for job in content.get("jobs", {}).values():
        yield from job["steps"]


def permissions(path: pathlib.Path) -> dict[str, dict[str, str]]:
    """What each job may do."""
    content = read(path)
    return {name: job.get("permissions", content["permissions"]) for name, job in content["jobs"].items()}


@every_file
def test_actions_of_others_are_pinned_to_a_commit_and_say_its_version(path: pathlib.Path) -> None:
    text = path.read_text(encoding="utf-8")
    used = [line.strip() for line in text.splitlines() if re.match(r"\s*(- )?uses:", line)]
    assert used
    for line in used:
        assert OURS in line or re.search(r"@[0-9a-f]{40} # v\d+\.\d+\.\d+", line), line


@every_file
def test_no_value_is_written_into_a_script(path: pathlib.Path) -> None:
    assert [step["run"] for step in steps(path) if "${{" in step.get("run", "")] == []


@every_file
def test_python_runs_isolated_and_outside_of_the_checkout(path: pathlib.Path) -> None:
    """In the checkout of a pull request, `python -m pip` would execute a file `pip.py` of that pull request."""
    for step in steps(path):
        calls = re.findall(r'(?:^|[\s/"])(?:python3?|\$python)"? +(\S+)', step.get("run", ""))
        assert set(calls) <= {"-I"}, step
        assert not calls or step["working-directory"] == "${{ runner.temp }}", step


@every_file
def test_nothing_is_written_into_the_checkout(path: pathlib.Path) -> None:
    """A file there may be a symbolic link that leads to another place."""
    for step in steps(path):
        for target in re.findall(r">>? *(\S+)", re.sub(r"\d?>&\d", "", step.get("run", ""))):
            assert target.startswith(('"$RUNNER_TEMP/', '"$GITHUB_', '"$output"', '"$findings"', '"$folder/')), target


def test_each_job_may_do_what_it_needs_and_nothing_else() -> None:
    assert {path.stem: permissions(path) for path in WORKFLOWS} == {
        "tpu-comment": {"comment": {"contents": "read", "pull-requests": "write"}},
        "tpu-diff": {
            "diff": {"contents": "read"},
            "engine": {"contents": "read", "id-token": "write"},
        },
        "tpu-findings": {"sarif": {"contents": "read", "security-events": "write"}},
        "tpu-terraform": {"plan": {"contents": "read", "id-token": "write", "pull-requests": "write"}},
    }


@every_workflow
def test_credentials_are_for_branches_of_the_repository_only(path: pathlib.Path) -> None:
    for job in read(path)["jobs"].values():
        if "secrets." in str(job) or "id-token" in str(job.get("permissions")):
            assert job["if"] == "github.event.pull_request.head.repo.full_name == github.repository"


@every_workflow
def test_every_job_ends(path: pathlib.Path) -> None:
    assert all(job["timeout-minutes"] <= 30 for job in read(path)["jobs"].values())


def test_the_one_who_writes_takes_nothing_from_the_pull_request_s_run() -> None:
    text = (EXAMPLES / "tpu-comment.yml").read_text(encoding="utf-8")
    assert "download-artifact" not in text
    assert "ref:" not in text
    assert read(EXAMPLES / "tpu-comment.yml")[True] == {
        "workflow_run": {"workflows": [read(EXAMPLES / "tpu-diff.yml")["name"]], "types": ["completed"]}
    }


# Carried out


@pytest.fixture
def checkout(tmp_path: pathlib.Path) -> pathlib.Path:
    """A repository with a plan on main, and a larger slice on a branch with a hostile name."""
    folder = tmp_path / "checkout"
    shutil.copytree(ROOT / "stacks" / "dev", folder / "stacks" / "dev")
    plan = folder / "stacks" / "dev" / "plan.yaml"
    git(folder, "init", "--quiet", "--initial-branch=main")
    git(folder, "add", ".")
    git(folder, "commit", "--quiet", "--message=base")
    git(folder, "switch", "--quiet", "--create", HOSTILE)
    text = plan.read_text(encoding="utf-8")
    plan.write_text(text.replace("topology: 2x2", "topology: 4x4", 1), encoding="utf-8")
    assert plan.read_text(encoding="utf-8") != text
    git(folder, "commit", "--quiet", "--all", "--message=head")
    return folder


HOSTILE = "wider;touch${IFS}pwned;$(touch${IFS}pwned)"


def git(folder: pathlib.Path, *arguments: str) -> None:
    who = ["-c", "user.name=a", "-c", "user.email=a@example.com"]
    subprocess.run(["git", *who, *arguments], cwd=folder, check=True, capture_output=True)


def compare(checkout: pathlib.Path, **inputs: str) -> subprocess.CompletedProcess[str]:
    """Run the action's own script the way GitHub does, with its inputs."""
    action = read(ACTION)
    (step,) = [step for step in action["runs"]["steps"] if step.get("id") == "diff"]
    values = {name: str(value["default"]) for name, value in action["inputs"].items()} | inputs
    environment = {
        name: values[re.fullmatch(r"\$\{\{ inputs\.([\w-]+) \}\}", text).group(1)]  # type: ignore[union-attr]
        for name, text in step["env"].items()
    }
    return subprocess.run(
        ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", step["run"]],
        cwd=checkout,
        env={
            **os.environ,
            **environment,
            "PATH": f"{pathlib.Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
            "GITHUB_OUTPUT": str(checkout / "output"),
            "GITHUB_STEP_SUMMARY": str(checkout / "summary"),
            "RUNNER_TEMP": str(checkout.parent),
        },
        capture_output=True,
        text=True,
        check=False,
    )


@needs_git
def test_the_action_writes_the_summary_and_the_change(checkout: pathlib.Path) -> None:
    done = compare(checkout, base="main", head=HOSTILE)
    assert (done.returncode, done.stderr) == (0, "")
    assert "2x2 → 4x4" in (checkout / "summary").read_text(encoding="utf-8")
    diff = checkout.parent / "tpu-diff.json"
    assert (checkout / "output").read_text() == f"diff={diff}\nstatus=0\n"
    assert diff.stat().st_size > 0
    assert not (checkout / "pwned").exists()


@needs_git
def test_a_gate_fails_the_step_after_the_summary_is_written(checkout: pathlib.Path) -> None:
    done = compare(checkout, base="main", head=HOSTILE, **{"fail-on": "in-place,replace,restart,metadata,create"})
    assert done.returncode != 0
    assert (checkout / "output").read_text().endswith(f"\nstatus={done.returncode}\n")
    assert "2x2 → 4x4" in (checkout / "summary").read_text(encoding="utf-8")


@needs_git
@pytest.mark.parametrize(("most", "code"), [("", 0), ("0", 0), ("-1", 2)])
def test_the_limit_of_hosts_is_an_input(checkout: pathlib.Path, most: str, code: int) -> None:
    done = compare(checkout, base="main", head=HOSTILE, **{"most-hosts": most})
    assert done.returncode == code
    assert ("--most-hosts" in done.stderr) == (code == 2)


@needs_git
@pytest.mark.parametrize("inputs", [{}, {"base": "main"}, {"head": HOSTILE}], ids=["neither", "no head", "no base"])
def test_without_two_sides_the_step_fails(checkout: pathlib.Path, inputs: dict[str, str]) -> None:
    """Events other than pull requests leave the defaults empty, and no comparison must not look like no changes."""
    done = compare(checkout, **{"base": "", "head": "", **inputs})
    assert done.returncode == 2
    assert done.stdout.startswith("::error title=gke-tpu diff::Missing inputs base and head")
    assert (checkout / "output").read_text().endswith("\nstatus=2\n")
    assert not (checkout / "summary").exists()


@needs_git
def test_a_missing_revision_is_reported(checkout: pathlib.Path) -> None:
    done = compare(checkout, base="main", head="nowhere")
    assert done.returncode == 2
    assert "nowhere" in done.stderr
    assert "the comparison failed" in (checkout / "summary").read_text(encoding="utf-8")


def compared_with(tmp_path: pathlib.Path, **inputs: str) -> tuple[int, list[str]]:
    """The exit code of the step of the action that compares, and the arguments of `gke-tpu diff`."""
    step = next(step for step in steps(ACTION) if step.get("id") == "diff")
    command = tmp_path / "gke-tpu"
    command.write_text('#!/bin/sh\n[ "$1" = comment ] || printf "%s\\n" "$@" > "$RUNNER_TEMP/arguments"\n')
    command.chmod(0o755)
    values = {**dict.fromkeys(step["env"], ""), "COMMAND": "diff", **inputs}
    places = {name: str(tmp_path / name) for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
    path = f"{tmp_path}{os.pathsep}{os.environ['PATH']}"
    ran = subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
        env={**values, **places, "PATH": path, "RUNNER_TEMP": str(tmp_path)},
        capture_output=True,
        check=False,
    )
    arguments = tmp_path / "arguments"
    return ran.returncode, arguments.read_text().splitlines() if arguments.exists() else []


def test_the_action_compares_revisions_or_shows_plans_of_terraform(tmp_path: pathlib.Path) -> None:
    assert compared_with(tmp_path, BASE="a", HEAD="b", PLANS="stacks") == (
        0,
        [
            "diff",
            "--format",
            "json",
            "--ack-from",
            "base",
            "--base-rev",
            "a",
            "--head-rev",
            "b",
            "--merge-base",
            "--",
            "stacks",
        ],
    )
    assert compared_with(tmp_path, TERRAFORM="one.json\ntwo files.json\n", BASE="a", FAIL_ON="delete") == (
        0,
        ["diff", "--format", "json", "--terraform", "one.json", "--terraform", "two files.json", "--fail-on", "delete"],
    )
    assert compared_with(tmp_path, TERRAFORM="p.json", BASE="a", INVENTORY="i.yaml") == (
        0,
        ["diff", "--format", "json", "--terraform", "p.json", "--base-rev", "a", "--inventory", "i.yaml"],
    )


def test_the_action_checks_files(tmp_path: pathlib.Path) -> None:
    files = {"FILES": "a b.yaml\n\n-x\n", "INVENTORY": "i.yaml"}
    for name in ("check", "validate"):
        expected = [name, "--format", "github", "--inventory", "i.yaml", "--", "a b.yaml", "-x"]
        assert compared_with(tmp_path, COMMAND=name, FORMAT="github", **files) == (0, expected)
    assert compared_with(tmp_path, COMMAND="check", FORMAT="sarif", FILES="a")[1][:3] == ["check", "--format", "sarif"]
    assert (tmp_path / "tpu-findings.sarif").exists()
    assert f"findings={tmp_path}/tpu-findings.sarif" in (tmp_path / "GITHUB_OUTPUT").read_text()


@pytest.mark.parametrize("inputs", [{"COMMAND": "check"}, {"COMMAND": "apply", "FILES": "a"}])
def test_the_action_does_nothing_else(inputs: dict[str, str], tmp_path: pathlib.Path) -> None:
    assert compared_with(tmp_path, **inputs) == (2, [])


def test_the_action_needs_two_revisions_or_a_plan_of_terraform(tmp_path: pathlib.Path) -> None:
    assert compared_with(tmp_path, BASE="a") == (2, [])
