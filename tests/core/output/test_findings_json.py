"""Findings as JSON: the published schema and the data agree, and neither lets anything else through."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from jsonschema import Draft202012Validator
from support.findings_samples import (
    ACCEPTED,
    ERROR,
    HOSTILE_FINDINGS,
    MULTI_LINE,
    NOTE,
    WARNING,
    disturbing,
    every_text,
)

from pulumi_gke_tpu.core.output.json import findings_document, findings_json, findings_schema
from pulumi_gke_tpu.core.text.findings import Finding

VALIDATOR = Draft202012Validator(findings_schema())


def test_the_schema_is_a_schema() -> None:
    Draft202012Validator.check_schema(findings_schema())


def test_the_links_of_the_source_are_data() -> None:
    links = ("https://example.com/a", "https://example.com/b")
    (found,) = findings_json([replace(ERROR, links=links)])["findings"]
    assert found["links"] == list(links)


def test_an_error_in_a_file() -> None:
    assert findings_json([ERROR]) == {
        "format": 1,
        "findings": [
            {
                "rule": "TPU112",
                "severity": "error",
                "path": "clusters.train-east.slices.sweep.topology",
                "file": "stacks/prod/plan.yaml",
                "line": 31,
                "column": 19,
                "end_column": 22,
                "message": "v6e has no topology 4x3",
                "given": "topology: 4x3",
                "allowed": ["1x1", "2x2", "2x4", "4x4", "4x8", "8x8", "8x16", "16x16"],
                "why": "GKE refuses the node pool; there are no custom 2D topologies",
                "fix": "topology: 4x4      # 4x4 has 16 chips; 4x3 would have 12",
                "source": "Plan TPUs in GKE, read 2026-11-20",
                "links": [],
                "only_fix": False,
                "related": None,
                "advice": "",
                "accepted": "",
            }
        ],
        "counts": {"error": 1, "warning": 0, "note": 0, "accepted": 0},
        "read": None,
    }


def test_a_warning_without_a_file() -> None:
    (finding,) = findings_json([MULTI_LINE])["findings"]
    assert [finding[key] for key in ("file", "line", "column", "end_column")] == [None] * 4
    assert finding["path"] == 'clusters.train-east.slices["my group"].zone'
    assert finding["fix"].splitlines()[:2] == ["acknowledge:", "  - change: replace"]


@pytest.mark.parametrize(
    ("findings", "counts"),
    [
        ([], {"error": 0, "warning": 0, "note": 0, "accepted": 0}),
        ([ERROR, ERROR, WARNING, NOTE], {"error": 2, "warning": 1, "note": 1, "accepted": 0}),
        ([ACCEPTED, WARNING], {"error": 0, "warning": 1, "note": 0, "accepted": 1}),
        ([replace(ERROR, accepted="x")], {"error": 1, "warning": 0, "note": 0, "accepted": 0}),
    ],
)
def test_counts(findings: list[Finding], counts: dict[str, int]) -> None:
    data = findings_json(findings)
    assert data["counts"] == counts
    VALIDATOR.validate(data)


def test_an_accepted_warning_keeps_its_severity_and_reason() -> None:
    (finding,) = findings_json([ACCEPTED])["findings"]
    assert (finding["severity"], finding["accepted"]) == ("warning", "confirmed by support, until 2026-12-01")


Break = Callable[[dict[str, Any]], object]


@pytest.mark.parametrize(
    "break_it",
    [
        pytest.param(lambda data: data.update(format=2), id="another format"),
        pytest.param(lambda data: data.update(more=1), id="an unknown key"),
        pytest.param(lambda data: data["counts"].pop("accepted"), id="a missing count"),
        pytest.param(lambda data: data["counts"].update(error=-1), id="a negative count"),
        pytest.param(lambda data: data["findings"][0].pop("why"), id="a missing key"),
        pytest.param(lambda data: data["findings"][0].update(color="red"), id="an unknown key in a finding"),
        pytest.param(lambda data: data["findings"][0].update(severity="fatal"), id="an unknown severity"),
        pytest.param(lambda data: data["findings"][0].update(rule="112"), id="no rule id"),
        pytest.param(lambda data: data["findings"][0].update(line=0), id="a line before the first"),
        pytest.param(lambda data: data["findings"][0].update(line=None), id="a file without a line"),
        pytest.param(lambda data: data["findings"][0].update(file=None), id="a line without a file"),
        pytest.param(lambda data: data["findings"][0].update(message="a\x1b[2J"), id="a control character"),
        pytest.param(lambda data: data["findings"][0].update(accepted="x"), id="an accepted error"),
    ],
)
def test_the_schema_refuses(break_it: Break) -> None:
    data = findings_json([ERROR])
    assert VALIDATOR.is_valid(data)
    break_it(data)
    assert not VALIDATOR.is_valid(data)


@given(findings=HOSTILE_FINDINGS)
def test_whatever_a_plan_contains_the_data_fits_the_schema(findings: list[Finding]) -> None:
    data = findings_json(findings)
    VALIDATOR.validate(data)
    assert json.loads(json.dumps(data, ensure_ascii=False).encode()) == data
    assert disturbing("".join(every_text(data)).replace("\n", "")) == []
    assert findings_json(findings[::-1]) == data


def test_a_record_that_contradicts_itself_cannot_be_made() -> None:
    (record,) = findings_document([ERROR]).findings
    with pytest.raises(ValueError, match="an error cannot be accepted"):
        replace(record, accepted="reason")
    with pytest.raises(ValueError, match="all null or all given"):
        replace(record, file=None)
