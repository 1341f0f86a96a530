"""Findings as a report in the format of JUnit: only errors fail, and every text survives XML."""

from dataclasses import replace
from xml.etree import ElementTree

import pytest
from hypothesis import given
from support.findings_samples import ACCEPTED, ERROR, HOSTILE_FINDINGS, NOTE, WARNING
from support.written import findings_as

from pulumi_gke_tpu.core.output.parts import count, detail_lines
from pulumi_gke_tpu.core.text.findings import Finding


def report(*findings: Finding) -> ElementTree.Element:
    """The report as a program reads it."""
    return ElementTree.fromstring(findings_as("junit", findings))


def outcome(case: ElementTree.Element) -> str:
    """``passed``, or the tag that says otherwise."""
    return next((part.tag for part in case if part.tag in ("failure", "skipped", "error")), "passed")


@pytest.mark.parametrize(
    ("finding", "expected", "name", "line"),
    [
        pytest.param(ERROR, "failure", "TPU112 clusters.train-east.slices.sweep.topology", "31", id="error"),
        pytest.param(
            WARNING, "passed", 'TPU205 clusters.train-east.slices["my group"].zone', None, id="warning without a file"
        ),
        pytest.param(
            ACCEPTED, "skipped", 'TPU205 clusters.train-east.slices["my group"].zone', None, id="accepted warning"
        ),
        pytest.param(NOTE, "passed", "TPU401", "1", id="note"),
    ],
)
def test_one_finding(finding: Finding, expected: str, name: str, line: str | None) -> None:
    (case,) = report(finding).iter("testcase")
    assert (outcome(case), case.get("name"), case.get("line")) == (expected, name, line)


def test_a_failure_has_the_message_and_every_detail() -> None:
    (failure,) = report(ERROR).iter("failure")
    assert (failure.get("type"), failure.get("message")) == ("TPU112", "v6e has no topology 4x3")
    assert (failure.text or "").splitlines() == [
        "stacks/prod/plan.yaml:31:19: error TPU112: v6e has no topology 4x3",
        *detail_lines(ERROR),
    ]


def test_an_accepted_finding_shows_the_reason() -> None:
    (skipped,) = report(ACCEPTED).iter("skipped")
    assert skipped.get("message") == "accepted: confirmed by support, until 2026-12-01"


def test_each_file_is_a_suite() -> None:
    assert ERROR.position is not None
    other = replace(ERROR, position=replace(ERROR.position, file="stacks/dev/plan.yaml"))
    suites = report(ERROR, other, NOTE)
    assert [(suite.get("name"), suite.get("tests")) for suite in suites] == [
        ("stacks/dev/plan.yaml", "1"),
        ("stacks/prod/plan.yaml", "2"),
    ]


def test_a_report_without_findings_has_a_case_that_passes() -> None:
    """Jenkins and Azure Pipelines reject a report without cases."""
    (case,) = report().iter("testcase")
    assert outcome(case) == "passed"


@given(HOSTILE_FINDINGS)
def test_every_text_survives_and_the_counts_are_those_of_the_cases(findings: list[Finding]) -> None:
    suites = report(*findings)
    for suite in suites:
        outcomes = [outcome(case) for case in suite]
        assert suite.get("tests") == str(len(outcomes))
        assert suite.get("failures") == str(outcomes.count("failure"))
        assert suite.get("skipped") == str(outcomes.count("skipped"))
    counts = count(findings)
    assert len(list(suites.iter("failure"))) == counts.errors
    assert len(list(suites.iter("skipped"))) == counts.accepted
    if findings:
        assert len(list(suites.iter("testcase"))) == len(findings)
