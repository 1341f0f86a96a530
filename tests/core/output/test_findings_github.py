"""Findings as workflow commands: GitHub reads the intended values from them, for any content of a plan."""

import re
from dataclasses import replace

import pytest
from hypothesis import given
from support.findings_samples import ACCEPTED, ERROR, HOSTILE_FINDINGS, NAMELESS, NOTE, WARNING, disturbing

from pulumi_gke_tpu.core.output.github import findings_github
from pulumi_gke_tpu.core.text.findings import Finding, Position, Verbatim


def _read(line: str) -> tuple[str, dict[str, str], str]:
    """Read a command as the runner does: up to the second ``::`` are name and properties, what follows is the text."""
    head, _, data = line.removeprefix("::").partition("::")
    name, _, listed = head.partition(" ")
    properties = dict(entry.split("=", 1) for entry in listed.split(","))
    return name, {key: _unescape(value) for key, value in properties.items()}, _unescape(data)


def _unescape(text: str) -> str:
    codes = {"%25": "%", "%0D": "\r", "%0A": "\n", "%3A": ":", "%2C": ","}
    return re.sub("|".join(codes), lambda match: codes[match.group()], text)


ERROR_TEXT = """\
v6e has no topology 4x3
allowed: 1x1, 2x2, 2x4, 4x4, 4x8, 8x8, 8x16, 16x16
try: topology: 4x4      # 4x4 has 16 chips; 4x3 would have 12
why: GKE refuses the node pool; there are no custom 2D topologies
source: Plan TPUs in GKE, read 2026-11-20"""

WARNING_TEXT = 'clusters.train-east.slices["my group"].zone: no list names zone us-east5-c for v6e'
PLACE = {"file": "stacks/prod/plan.yaml", "line": "31", "col": "19", "endColumn": "22"}


@pytest.mark.parametrize(
    ("finding", "command", "properties", "text"),
    [
        pytest.param(ERROR, "error", {**PLACE, "title": "TPU112"}, ERROR_TEXT, id="error"),
        pytest.param(WARNING, "warning", {"title": "TPU205"}, WARNING_TEXT, id="warning without a file"),
        pytest.param(NAMELESS, "warning", {"title": "TPU205"}, WARNING_TEXT, id="warning in a file without a name"),
        pytest.param(
            NOTE,
            "notice",
            {"file": "stacks/prod/plan.yaml", "line": "1", "col": "1", "endColumn": "2", "title": "TPU401"},
            "the plan has no slices",
            id="note",
        ),
        pytest.param(
            ACCEPTED,
            "notice",
            {"title": "TPU205"},
            f"accepted: {WARNING_TEXT}\nreason: confirmed by support, until 2026-12-01",
            id="accepted",
        ),
    ],
)
def test_one_finding(finding: Finding, command: str, properties: dict[str, str], text: str) -> None:
    assert _read(findings_github([finding])) == (command, properties, text)


def test_the_form_of_a_line() -> None:
    finding = replace(
        WARNING,
        message="100% of 2 :: a, b",
        position=Position("./a,b:c%.yaml", 3, 4, 5, "x"),
        change=Verbatim("a:\n  b: c"),
    )
    assert findings_github([finding]) == (
        "::warning file=a%2Cb%3Ac%25.yaml,line=3,col=4,endColumn=5,title=TPU205"
        "::100%25 of 2 :: a, b%0Atry:%0A    a:%0A      b: c"
    )


def test_without_findings_there_are_no_lines() -> None:
    assert findings_github([]) == ""


def test_an_error_cannot_be_accepted() -> None:
    assert _read(findings_github([replace(ERROR, accepted="x")])) == _read(findings_github([ERROR]))


@pytest.mark.parametrize(
    ("file", "named"),
    [("./plan.yaml", "plan.yaml"), ("stacks\\prod\\plan.yaml", "stacks/prod/plan.yaml"), ("/a/b.yaml", "/a/b.yaml")],
)
def test_files_are_named_as_github_names_them(file: str, named: str) -> None:
    finding = replace(WARNING, position=Position(file, 1, 1, 2))
    assert _read(findings_github([finding]))[1]["file"] == named


@given(findings=HOSTILE_FINDINGS)
def test_nothing_that_a_plan_contains_ends_a_command_or_begins_another(findings: list[Finding]) -> None:
    text = findings_github(findings)
    lines = re.split(r"\r\n|\r|\n", text) if text else []
    assert len(lines) == len(findings)
    assert disturbing(text.replace("\n", "")) == []
    for line in lines:
        name, properties, _ = _read(line)
        assert name in ("error", "warning", "notice")
        assert set(properties) <= {"file", "line", "col", "endColumn", "title"}
        assert properties["title"] in ("TPU001", "TPU112")
    assert findings_github(findings[::-1]) == text
