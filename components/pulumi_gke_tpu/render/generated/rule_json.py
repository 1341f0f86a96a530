"""Rules as JSON for programs."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

from pulumi_gke_tpu.findings.model import SeverityWord
from pulumi_gke_tpu.jsonfile.form import to_data
from pulumi_gke_tpu.rules import Rule


@dataclass(frozen=True, slots=True)
class PossibleSeverity:
    """A severity that findings of a rule can have."""

    severity: SeverityWord
    where: str
    """When they have it; empty for the usual severity."""


@dataclass(frozen=True, slots=True)
class RuleRecord:
    """A rule in JSON."""

    id: str
    severity: SeverityWord
    severities: tuple[PossibleSeverity, ...]
    title: str
    why: str
    fix: str
    source: str
    failing: str
    passing: str
    breakable: str
    today: str


@dataclass(frozen=True, slots=True)
class RulesDocument:
    """What ``gke-tpu rule --format json`` writes."""

    format: Literal[1]
    """The version of this format. A new key keeps it; removing or changing a key raises it."""
    rules: tuple[RuleRecord, ...]


def rules_json(rules: Iterable[Rule]) -> dict[str, Any]:
    """Give rules as data that ``json.dumps`` takes, in the order given."""
    data: dict[str, Any] = to_data(RulesDocument(1, tuple(map(_record, rules))))
    return data


def _record(rule: Rule) -> RuleRecord:
    return RuleRecord(
        id=rule.id,
        severity=rule.severity.word,
        severities=tuple(PossibleSeverity(severity.word, where) for severity, where in rule.severities.items()),
        title=rule.title,
        why=rule.why,
        fix=rule.fix,
        source=rule.source,
        failing=rule.failing,
        passing=rule.passing,
        breakable=rule.breakable,
        today=rule.today,
    )
