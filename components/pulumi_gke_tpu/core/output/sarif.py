"""Findings as SARIF 2.1.0, the format of code scanning services."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Protocol
from urllib.parse import quote

from pulumi_gke_tpu.core.output.parts import (
    detail_lines,
    fingerprint,
    in_order,
    is_accepted,
    path_text,
    slashed,
    slashed_file,
)
from pulumi_gke_tpu.core.output.read_sources import ReadSources
from pulumi_gke_tpu.core.text.findings import Finding, Position, Replacement, Severity, one_line
from pulumi_gke_tpu.core.text.patterns import lazy_pattern

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_ROOT = "%SRCROOT%"
_PLACEHOLDER = lazy_pattern(r"\{(\d+)\}")
_LINK_PARTS = lazy_pattern(r"([\\\[\]])")
_DRIVE = lazy_pattern(r"[A-Za-z]:/")


class SarifRule(Protocol):
    """The description of a rule in SARIF: its id, a one-line title, the reason, and its usual severity."""

    @property
    def id(self) -> str:
        """The id, such as TPU112."""

    @property
    def title(self) -> str:
        """The title, one line."""

    @property
    def why(self) -> str:
        """The reason for the rule."""

    @property
    def severity(self) -> Severity:
        """The usual severity."""


def findings_sarif(
    findings: Iterable[Finding],
    *,
    version: str,
    rules: Iterable[SarifRule],
    replacements: Mapping[Finding, Replacement] | None = None,
    read: ReadSources | None = None,
) -> dict[str, Any]:
    """Findings as a SARIF log of one run, as data for ``json.dumps``.

    ``version`` is that of this tool, ``rules`` are those it knows, ``replacements`` what fixes without
    an alternative change in the files. Notifications of the run say what of the files of a command was read, and
    what was not.
    Columns count code points. A relative file is relative to the root of the repository. A finding without a place in
    a file has a logical location only: viewers show it, GitHub's code scanning refuses such a result.
    """
    described = {rule.id: rule for rule in rules}
    known = sorted(described)
    index = {rule_id: number for number, rule_id in enumerate(known)}
    driver = {
        "name": "gke-tpu",
        "version": version,
        "rules": [_rule(described[rule_id]) for rule_id in known],
    }
    run: dict[str, Any] = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {_ROOT: {"description": {"text": "The root of the repository"}}},
        "results": [_result(finding, index, (replacements or {}).get(finding)) for finding in in_order(findings)],
    }
    if read is not None:
        run["invocations"] = [{"executionSuccessful": True, "toolExecutionNotifications": [*_notifications(read)]}]
    return {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}


def _notifications(read: ReadSources) -> Iterator[dict[str, Any]]:
    yield {"level": "note", "message": {"text": _plain(read.counted)}}
    for each in read.not_read:
        place = {"artifactLocation": _artifact(slashed(each.file)), "region": {"startLine": each.line or 1}}
        yield {
            "level": "warning",
            "message": {"text": _plain(f"not read: {each.text}")},
            "locations": [{"physicalLocation": place}],
        }


def _rule(rule: SarifRule) -> dict[str, Any]:
    title, why = one_line(rule.title), one_line(rule.why)
    return {
        "id": rule.id,
        "shortDescription": {"text": title},
        "fullDescription": {"text": why or title},
        "help": {"text": f"{why or title}\n\n`gke-tpu rule {rule.id}` shows examples and what to write instead."},
        "defaultConfiguration": {"level": rule.severity.word},
    }


def _result(finding: Finding, index: Mapping[str, int], replacement: Replacement | None) -> dict[str, Any]:
    result: dict[str, Any] = {
        "ruleId": finding.rule,
        "level": finding.severity.word,
        "message": {"text": _plain("\n".join([one_line(finding.message), *_details(finding)]))},
        "locations": _locations(finding),
        "partialFingerprints": {"planFinding/v1": fingerprint(finding)},
        # The standard requires this property on every result or on none.
        "suppressions": _suppressions(finding),
    }
    if finding.rule in index:
        result["ruleIndex"] = index[finding.rule]
    if finding.related is not None:
        place = finding.related.position
        location = {"artifactLocation": _artifact(slashed(place.file)), "region": _region(place)}
        text = _plain(one_line(finding.related.text))
        result["relatedLocations"] = [{"id": 0, "physicalLocation": location, "message": {"text": text}}]
    if replacement is not None:
        result["fixes"] = [_fix(finding, replacement)]
    return result


def _fix(finding: Finding, replacement: Replacement) -> dict[str, Any]:
    region = {
        "startLine": replacement.line,
        "startColumn": replacement.column,
        "endLine": replacement.end_line,
        "endColumn": replacement.end_column,
    }
    change = {"deletedRegion": region, "insertedContent": {"text": replacement.text}}
    return {
        "description": {"text": _plain(one_line(finding.fix))},
        "artifactChanges": [{"artifactLocation": _artifact(slashed_file(finding)), "replacements": [change]}],
    }


def _details(finding: Finding) -> tuple[str, ...]:
    return () if is_accepted(finding) else detail_lines(finding)


def _plain(text: str) -> str:
    """Escape text so that it is not a placeholder or a link, which SARIF also allows in plain text.

    The standard doubles every brace. Viewers replace only numbered placeholders and show a doubled brace as two, which
    would spoil a fix that is pasted, so only what looks like a placeholder is doubled. Brackets likewise.
    """
    text = _PLACEHOLDER.sub(r"{{\1}}", text)
    return _LINK_PARTS.sub(r"\\\1", text) if "](" in text else text


def _locations(finding: Finding) -> list[dict[str, Any]]:
    location: dict[str, Any] = {}
    place, file, path = finding.position, slashed_file(finding), path_text(finding)
    if place and file:
        location["physicalLocation"] = {
            "artifactLocation": _artifact(file),
            "region": _region(place),
        }
    if path:
        last = finding.path[-1]
        kind = "value" if isinstance(last, int) else "property"
        location["logicalLocations"] = [{"fullyQualifiedName": path, "name": one_line(str(last)), "kind": kind}]
    return [location] if location else []


def _region(place: Position) -> dict[str, int]:
    return {
        "startLine": place.line,
        "startColumn": place.column,
        "endLine": place.line,
        "endColumn": place.end_column,
    }


def _artifact(file: str) -> dict[str, str]:
    if file.startswith("/"):
        return {"uri": f"file://{quote(file)}"}
    if _DRIVE.match(file):
        return {"uri": f"file:///{file[:2]}{quote(file[2:])}"}
    return {"uri": quote(file), "uriBaseId": _ROOT}


def _suppressions(finding: Finding) -> list[dict[str, str]]:
    if not is_accepted(finding):
        return []
    return [{"kind": "inSource", "status": "accepted", "justification": one_line(finding.accepted)}]
