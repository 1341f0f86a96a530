"""``gke-tpu validate``: messages on stdout and stderr, and exit codes."""

import json
import pathlib
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest
from support.written import FORMATS_OF_FINDINGS

GOOD = """\
version: 1
project: acme-ml
clusters:
  dev: {mode: autopilot, location: us-central1, slices: {notebook: {tpu: v5e, topology: 2x2}}}
"""
WRONG = GOOD.replace("2x2", "4x3")
DOUBTFUL = """\
version: 1
project: acme-ml
clusters:
  train:
    mode: standard
    location: us-east5
    slices:
      pretrain: {tpu: v6e, topology: 4x4, zone: us-east5-c}
"""


@pytest.fixture
def plan(tmp_path: pathlib.Path) -> Callable[[str], pathlib.Path]:
    def write(content: str, name: str = "plan.yaml") -> pathlib.Path:
        path = tmp_path / name
        path.write_text(content)
        return path

    return write


def test_a_valid_plan_prints_no_findings_and_exits_with_0(gke_tpu: Any, plan: Any) -> None:
    run = gke_tpu("validate", plan(GOOD))
    assert (run.code, run.out, run.err) == (0, "no findings\n", "")


def test_an_error_has_its_place_and_exits_with_1(gke_tpu: Any, plan: Any) -> None:
    run = gke_tpu("validate", plan(WRONG))
    assert run.code == 1
    assert "plan.yaml:4:89: error TPU112: v5e has no topology 4x3" in " ".join(run.out.split())


def test_a_warning_exits_with_0_unless_strict_or_accepted(gke_tpu: Any, plan: Any) -> None:
    path = plan(DOUBTFUL)
    assert gke_tpu("validate", path, "--today", "2026-11-20").code == 0
    run = gke_tpu("validate", path, "--strict", "--today", "2026-11-20")
    assert run.code == 1
    rule = next(word for word in run.out.split() if word.startswith("TPU")).rstrip(":")
    accepted = plan(f"{DOUBTFUL}accept: [{{rule: {rule}, reason: own capacity there, until: 2026-12-01}}]\n")
    assert gke_tpu("validate", accepted, "--strict", "--today", "2026-12-01").code == 0
    assert gke_tpu("validate", accepted, "--strict", "--today", "2026-12-02").code == 1


def test_several_plans_are_checked_at_once(gke_tpu: Any, plan: Any) -> None:
    run = gke_tpu("validate", plan(WRONG, "a.yaml"), plan(WRONG.replace("dev", "test"), "b.yaml"), "--format", "json")
    findings = json.loads(run.out)["findings"]
    assert [pathlib.Path(finding["file"]).name for finding in findings] == ["a.yaml", "b.yaml"]


@pytest.mark.parametrize("form", FORMATS_OF_FINDINGS)
def test_every_format_reports_the_same_rule(gke_tpu: Any, plan: Any, form: str) -> None:
    run = gke_tpu("validate", plan(WRONG), "--format", form)
    assert run.code == 1
    assert "TPU112" in run.out
    if form in ("json", "sarif"):
        json.loads(run.out)


@pytest.mark.parametrize(
    "arguments",
    [[], ["validate", "x", "--format", "xml"], ["validate", "x", "--today", "soon"], ["vaildate", "x"]],
)
def test_a_wrong_command_exits_with_2_and_writes_to_stderr_only(gke_tpu: Any, arguments: list[str]) -> None:
    run = gke_tpu(*arguments)
    assert run.code == 2 or arguments == []
    assert "Traceback" not in run.err
    if arguments:
        assert run.out == ""
        assert run.err


def test_an_unknown_command_gets_a_suggestion(gke_tpu: Any) -> None:
    assert "Did you mean validate?" in gke_tpu("vaildate").err


SECRETS = {
    "passwd": "root:x:0:0:s3cret:/root:/bin/sh\ndaemon:x:1:1::/:/bin/sh\n",
    "env": "TOKEN=s3cret\nPASSWORD='s3cret\n",
    "key": "-----BEGIN PRIVATE KEY-----\ns3cret\n",
    "json": '{"type": "service_account", "private_key": "s3cret"}',
    "kubeconfig": "apiVersion: v1\nclusters:\n- s3cret: s3cret\nusers: [{token: s3cret}]\n",
    "one line": '{"clusters": [], "users": [{"token": "s3cret"}]}',
    "scalar": "s3cret\n",
    "list": "- s3cret: yes\n",
    "alias": "a: *s3cret\n",
    "version": "version: s3cret\ntoken: s3cret\n",
}


@pytest.mark.parametrize("form", FORMATS_OF_FINDINGS)
@pytest.mark.parametrize("content", SECRETS.values(), ids=list(SECRETS))
def test_a_file_that_is_not_a_plan_is_not_quoted(
    gke_tpu: Any, plan: Any, tmp_path: pathlib.Path, content: str, form: str
) -> None:
    """A plan may be a link to anything, and findings reach logs and code scanning."""
    link = tmp_path / "linked.yaml"
    link.symlink_to(plan(content, "secret"))
    for arguments in ((link,), (plan(GOOD), "--inventory", link)):
        run = gke_tpu("validate", *arguments, "--format", form)
        assert run.code == 1
        assert "s3cret" not in run.out + run.err
        assert "linked.yaml" in run.out


def test_a_link_to_a_plan_is_that_plan(gke_tpu: Any, plan: Any, tmp_path: pathlib.Path) -> None:
    link = tmp_path / "linked.yaml"
    link.symlink_to(plan(WRONG))
    assert "4x3" in gke_tpu("validate", link).out


@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-"])
@pytest.mark.parametrize(("content", "code"), [(GOOD, 0), (WRONG, 1)])
def test_closed_output_leaves_the_exit_code(plan: Any, content: str, code: int, closed: str) -> None:
    program = "from pulumi_gke_tpu.cli import main; import sys; main(sys.argv[1:])"
    command = f'"$0" -c "{program}" validate "$1" {closed}'
    done = subprocess.run(
        ["sh", "-c", command, sys.executable, str(plan(content))], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (code, "")


def test_the_number_of_findings_shown_can_be_chosen(gke_tpu: Any, plan: Any) -> None:
    path = plan(GOOD + "".join(f"key{index}: {index}\n" for index in range(120)))
    for most, count in ((), 100), (("--max-findings", "3"), 3), (("--max-findings", "0"), 120):
        out = gke_tpu("validate", path, *most).out
        assert out.count("TPU020") == count
        assert out.endswith("120 errors\n")
    assert len(json.loads(gke_tpu("validate", path, "--format", "json", "--max-findings", "3").out)["findings"]) == 120


def test_an_unknown_key_is_reported_beside_a_syntax_error_in_another_line(gke_tpu: Any, tmp_path: pathlib.Path) -> None:
    path = tmp_path / "plan.yaml"
    path.write_text(
        "version: 1\nproject: acme-ml\nclusters:\n  train:\n    mode:standard\n    location: us-east5\n"
        "    nonsense: 1\n",
        encoding="utf-8",
    )
    found = json.loads(gke_tpu("validate", path, "--format", "json").out)["findings"]
    assert [(item["rule"], item["line"]) for item in found if item["severity"] == "error"] == [
        ("TPU003", 5),
        ("TPU020", 7),
    ]
