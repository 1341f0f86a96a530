"""Findings as a Code Quality report: GitLab accepts every entry, and drops none as a duplicate."""

import json
from dataclasses import replace
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from support.findings_samples import ACCEPTED, ERROR, HOSTILE_FINDINGS, MULTI_LINE, NAMELESS, NOTE, WARNING
from support.written import findings_as

from pulumi_gke_tpu.core.text.findings import Finding

REQUIRED = {
    "type": "object",
    "required": ["description", "check_name", "fingerprint", "severity", "location"],
    "properties": {
        "description": {"type": "string", "minLength": 1},
        "check_name": {"type": "string", "minLength": 1},
        "fingerprint": {"type": "string", "pattern": "^[0-9a-f]{64}$"},
        "severity": {"enum": ["info", "minor", "major", "critical", "blocker"]},
        "location": {
            "type": "object",
            "required": ["path", "lines"],
            "properties": {
                "path": {"type": "string", "pattern": "^(?!\\./)."},
                "lines": {"required": ["begin"], "properties": {"begin": {"type": "integer", "minimum": 1}}},
            },
        },
    },
}
"""What https://docs.gitlab.com/ci/testing/code_quality/ requires of an entry."""


def report(*findings: Finding) -> list[dict[str, Any]]:
    """The report as GitLab reads it."""
    entries: list[dict[str, Any]] = json.loads(findings_as("gitlab", findings))
    return entries


@pytest.mark.parametrize(
    ("finding", "description", "severity", "path", "line"),
    [
        pytest.param(
            ERROR,
            "v6e has no topology 4x3 (try: topology: 4x4      # 4x4 has 16 chips; 4x3 would have 12)",
            "critical",
            "stacks/prod/plan.yaml",
            31,
            id="error",
        ),
        pytest.param(
            WARNING,
            "no list names zone us-east5-c for v6e",
            "minor",
            'clusters.train-east.slices["my group"].zone',
            1,
            id="warning without a file",
        ),
        pytest.param(
            NAMELESS,
            "no list names zone us-east5-c for v6e",
            "minor",
            'clusters.train-east.slices["my group"].zone',
            1,
            id="a file without a name has no lines",
        ),
        pytest.param(
            MULTI_LINE,
            "no list names zone us-east5-c for v6e",
            "minor",
            'clusters.train-east.slices["my group"].zone',
            1,
            id="a fix of several lines is left out",
        ),
        pytest.param(NOTE, "the plan has no slices", "info", "stacks/prod/plan.yaml", 1, id="note"),
        pytest.param(replace(NOTE, position=None), "the plan has no slices", "info", "plan", 1, id="a whole plan"),
    ],
)
def test_one_finding(finding: Finding, description: str, severity: str, path: str, line: int) -> None:
    (entry,) = report(finding)
    assert entry["description"] == f"{finding.rule}: {description}"
    assert (entry["severity"], entry["check_name"]) == (severity, finding.rule)
    assert entry["location"] == {"path": path, "lines": {"begin": line}}


def test_accepted_findings_are_left_out() -> None:
    assert report(ACCEPTED) == []
    assert len(report(ACCEPTED, ERROR)) == 1


def test_a_finding_keeps_its_fingerprint_when_it_moves() -> None:
    assert ERROR.position is not None
    moved = replace(ERROR, position=replace(ERROR.position, line=90))
    assert [entry["fingerprint"] for entry in report(moved)] == [entry["fingerprint"] for entry in report(ERROR)]


def test_the_same_finding_in_two_files_is_two_findings() -> None:
    assert ERROR.position is not None
    other = replace(ERROR, position=replace(ERROR.position, file="stacks/dev/plan.yaml"))
    assert len({entry["fingerprint"] for entry in report(ERROR, other, ERROR)}) == 3


@given(HOSTILE_FINDINGS)
def test_every_entry_is_valid_and_unique(findings: list[Finding]) -> None:
    entries = report(*findings)
    for entry in entries:
        jsonschema.validate(entry, REQUIRED)
    assert len({entry["fingerprint"] for entry in entries}) == len(entries)
    assert len(entries) == sum(not finding.accepted or finding.severity.word == "error" for finding in findings)
