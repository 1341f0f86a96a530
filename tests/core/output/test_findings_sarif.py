"""Findings as SARIF: they fit the standard's schema, point at the right place, and stay the same when lines move."""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from jsonschema import Draft4Validator, FormatChecker
from support.findings_samples import (
    ACCEPTED,
    ERROR,
    HOSTILE_FINDINGS,
    MULTI_LINE,
    NAMELESS,
    NOTE,
    WARNING,
    disturbing,
    every_text,
)

from pulumi_gke_tpu.core.output.sarif import findings_sarif
from pulumi_gke_tpu.core.text.findings import Finding, Position, Severity

FORMATS = FormatChecker(formats=())
_URI_PARTS = re.compile(r"(?:[A-Za-z0-9._~:/?#@!$&'()*+,;=\[\]-]|%[0-9A-Fa-f]{2})*")


@FORMATS.checks("uri-reference")
def _is_reference(value: object) -> bool:
    return not isinstance(value, str) or _URI_PARTS.fullmatch(value) is not None


@FORMATS.checks("uri")
def _is_uri(value: object) -> bool:
    return not isinstance(value, str) or (
        _is_reference(value) and re.match(r"[A-Za-z][A-Za-z0-9+.-]*:", value) is not None
    )


SCHEMA = json.loads((Path(__file__).parent / "data" / "sarif-2.1.0.schema.json").read_text("utf-8"))
VALIDATOR = Draft4Validator(SCHEMA, format_checker=FORMATS)


@dataclass(frozen=True)
class _Rule:
    id: str
    title: str
    why: str
    severity: Severity


RULES = [
    _Rule("TPU205", "Zone without the generation", "", Severity.WARNING),
    _Rule("TPU112", "Topology that does not exist", "GKE refuses the node pool", Severity.ERROR),
]


def _log(*findings: Finding) -> dict[str, Any]:
    log = findings_sarif(findings, version="1.2.3", rules=RULES)
    VALIDATOR.validate(log)
    return log


def _result(finding: Finding) -> dict[str, Any]:
    (result,) = _log(finding)["runs"][0]["results"]
    assert isinstance(result, dict)
    return result


def test_the_tool_and_its_rules() -> None:
    log = findings_sarif([], version="1.2.3", rules=RULES)
    VALIDATOR.validate(log)
    assert log["version"] == "2.1.0"
    assert log["runs"][0]["results"] == []
    assert log["runs"][0]["tool"]["driver"] == {
        "name": "gke-tpu",
        "version": "1.2.3",
        "rules": [
            {
                "id": "TPU112",
                "shortDescription": {"text": "Topology that does not exist"},
                "fullDescription": {"text": "GKE refuses the node pool"},
                "help": {
                    "text": "GKE refuses the node pool\n\n"
                    "`gke-tpu rule TPU112` shows examples and what to write instead."
                },
                "defaultConfiguration": {"level": "error"},
            },
            {
                "id": "TPU205",
                "shortDescription": {"text": "Zone without the generation"},
                "fullDescription": {"text": "Zone without the generation"},
                "help": {
                    "text": "Zone without the generation\n\n"
                    "`gke-tpu rule TPU205` shows examples and what to write instead."
                },
                "defaultConfiguration": {"level": "warning"},
            },
        ],
    }


def test_an_error_in_a_file() -> None:
    result = _result(ERROR)
    fingerprint = result.pop("partialFingerprints")
    assert re.fullmatch("[0-9a-f]{32}", fingerprint["planFinding/v1"])
    assert result == {
        "ruleId": "TPU112",
        "ruleIndex": 0,
        "level": "error",
        "message": {
            "text": "v6e has no topology 4x3\n"
            "allowed: 1x1, 2x2, 2x4, 4x4, 4x8, 8x8, 8x16, 16x16\n"
            "try: topology: 4x4      # 4x4 has 16 chips; 4x3 would have 12\n"
            "why: GKE refuses the node pool; there are no custom 2D topologies\n"
            "source: Plan TPUs in GKE, read 2026-11-20"
        },
        "locations": [
            {
                "physicalLocation": {
                    "artifactLocation": {"uri": "stacks/prod/plan.yaml", "uriBaseId": "%SRCROOT%"},
                    "region": {"startLine": 31, "startColumn": 19, "endLine": 31, "endColumn": 22},
                },
                "logicalLocations": [
                    {
                        "fullyQualifiedName": "clusters.train-east.slices.sweep.topology",
                        "name": "topology",
                        "kind": "property",
                    }
                ],
            }
        ],
        "suppressions": [],
    }


@pytest.mark.parametrize(
    ("finding", "level"), [(ERROR, "error"), (WARNING, "warning"), (ACCEPTED, "warning"), (NOTE, "note")]
)
def test_levels(finding: Finding, level: str) -> None:
    assert _result(finding)["level"] == level


def test_an_accepted_warning_is_suppressed_and_the_others_say_that_they_are_not() -> None:
    results = _log(ERROR, ACCEPTED, replace(ERROR, rule="TPU113", accepted="x"))["runs"][0]["results"]
    assert {result["ruleId"]: result["suppressions"] for result in results} == {
        "TPU205": [
            {"kind": "inSource", "status": "accepted", "justification": "confirmed by support, until 2026-12-01"}
        ],
        "TPU112": [],
        "TPU113": [],
    }


def test_only_the_suppression_contains_the_reason_of_an_accepted_warning() -> None:
    assert _result(ACCEPTED)["message"] == {"text": "no list names zone us-east5-c for v6e"}


def test_a_rule_that_is_not_described_has_no_index() -> None:
    assert "ruleIndex" not in _result(replace(ERROR, rule="TPU001"))


@pytest.mark.parametrize(
    ("file", "artifact"),
    [
        ("./a/plan.yaml", {"uri": "a/plan.yaml", "uriBaseId": "%SRCROOT%"}),
        ("a\\b\\plan.yaml", {"uri": "a/b/plan.yaml", "uriBaseId": "%SRCROOT%"}),
        ("my plan#1?.yaml", {"uri": "my%20plan%231%3F.yaml", "uriBaseId": "%SRCROOT%"}),
        ("HEAD:plan.yaml", {"uri": "HEAD%3Aplan.yaml", "uriBaseId": "%SRCROOT%"}),
        ("é/100%.yaml", {"uri": "%C3%A9/100%25.yaml", "uriBaseId": "%SRCROOT%"}),
        ("/srv/my plans/plan.yaml", {"uri": "file:///srv/my%20plans/plan.yaml"}),
        ("C:\\my plans\\plan.yaml", {"uri": "file:///C:/my%20plans/plan.yaml"}),
    ],
)
def test_files_are_uris(file: str, artifact: dict[str, str]) -> None:
    (location,) = _result(replace(ERROR, position=Position(file, 1, 1, 2)))["locations"]
    assert location["physicalLocation"]["artifactLocation"] == artifact


@pytest.mark.parametrize(
    ("finding", "keys"),
    [
        pytest.param(WARNING, [["logicalLocations"]], id="a path without a file"),
        pytest.param(NAMELESS, [["logicalLocations"]], id="a file without a name"),
        pytest.param(NOTE, [["physicalLocation"]], id="a file without a path"),
        pytest.param(replace(NOTE, position=None), [], id="neither"),
    ],
)
def test_locations_contain_the_known_positions(finding: Finding, keys: list[list[str]]) -> None:
    assert [list(location) for location in _result(finding)["locations"]] == keys


def test_an_entry_of_a_list_is_a_value() -> None:
    (location,) = _result(replace(WARNING, path=("plans", 3)))["locations"]
    assert location["logicalLocations"] == [{"fullyQualifiedName": "plans[3]", "name": "3", "kind": "value"}]


@pytest.mark.parametrize(
    ("other", "same"),
    [
        pytest.param(replace(ERROR, position=Position("other.yaml", 90, 1, 2)), True, id="another line"),
        pytest.param(replace(ERROR, position=None, message="said otherwise", change=None), True, id="another wording"),
        pytest.param(replace(ERROR, rule="TPU113"), False, id="another rule"),
        pytest.param(replace(ERROR, path=ERROR.path[:-1]), False, id="another path"),
        pytest.param(replace(ERROR, given="topology: 4x5"), False, id="another value"),
    ],
)
def test_fingerprints_stay_the_same_when_lines_move(other: Finding, same: bool) -> None:
    assert (_result(other)["partialFingerprints"] == _result(ERROR)["partialFingerprints"]) is same


@pytest.mark.parametrize(
    ("message", "text"),
    [
        pytest.param("{tpu: v5e} and a[0]", "{tpu: v5e} and a[0]", id="braces and brackets as they are"),
        pytest.param("is {0} given", "is {{0}} given", id="no placeholder"),
        pytest.param("[a](http://b)", "\\[a\\](http://b)", id="no link"),
        pytest.param("[a\\](http://b)", "\\[a\\\\\\](http://b)", id="no link behind a backslash"),
    ],
)
def test_text_is_not_a_placeholder_or_a_link(message: str, text: str) -> None:
    assert _result(replace(WARNING, message=message))["message"]["text"] == text


def test_a_fix_of_several_lines_is_a_block() -> None:
    lines = _result(MULTI_LINE)["message"]["text"].splitlines()
    assert lines[1:5] == [
        "try:",
        "    acknowledge:",
        "      - change: replace",
        "",
    ]


Break = Callable[[dict[str, Any]], object]


@pytest.mark.parametrize(
    "break_it",
    [
        pytest.param(lambda log: log.update(version="2.0.0"), id="another version"),
        pytest.param(lambda log: log["runs"][0].pop("tool"), id="no tool"),
        pytest.param(lambda log: log["runs"][0]["results"][0].pop("message"), id="no message"),
        pytest.param(lambda log: log["runs"][0]["results"][0].update(level="fatal"), id="an unknown level"),
        pytest.param(lambda log: log["runs"][0]["results"][0].update(more=1), id="an unknown key"),
        pytest.param(lambda log: _region(log).update(startLine=0), id="a line before the first"),
        pytest.param(lambda log: _artifact(log).update(uri="my plan.yaml"), id="a file that is not a URI"),
        pytest.param(lambda log: log.update({"$schema": "no uri"}), id="a schema that is not a URI"),
    ],
)
def test_the_schema_of_the_standard_refuses(break_it: Break) -> None:
    log = _log(ERROR)
    break_it(log)
    assert not VALIDATOR.is_valid(log)


def _region(log: dict[str, Any]) -> dict[str, Any]:
    region = log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["region"]
    assert isinstance(region, dict)
    return region


def _artifact(log: dict[str, Any]) -> dict[str, Any]:
    artifact = log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]
    assert isinstance(artifact, dict)
    return artifact


@given(findings=HOSTILE_FINDINGS)
def test_whatever_a_plan_contains_the_log_fits_the_standard(findings: list[Finding]) -> None:
    log = _log(*findings)
    assert json.loads(json.dumps(log, ensure_ascii=False).encode()) == log
    assert disturbing("".join(every_text(log)).replace("\n", "")) == []
    assert len(log["runs"][0]["results"]) == len(findings)
    assert _log(*findings[::-1]) == log
