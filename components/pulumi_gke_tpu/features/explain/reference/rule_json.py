"""Rules as JSON for programs."""

from collections.abc import Iterable, Mapping
from typing import Any, Literal

from pulumi_gke_tpu.core.catalog.records.facts import Source
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.rules import Rule
from pulumi_gke_tpu.core.rules.engine.sources import rule_source
from pulumi_gke_tpu.core.text.findings.model import SeverityWord
from pulumi_gke_tpu.core.text.jsonfile.form import schema_of, to_data


@frozen
class PossibleSeverity:
    """A severity that findings of a rule can have."""

    severity: SeverityWord
    where: str
    """When they have it; empty for the usual severity."""


@frozen
class Reference:
    """A source of the catalog that a rule names."""

    id: str
    title: str
    url: str
    """Empty where the source has no address."""


@frozen
class RuleRecord:
    """A rule in JSON."""

    id: str
    name: str
    """In kebab case, such as duplicate-taint; as stable as the id."""
    since: str
    """The version of gke-tpu that has the rule first."""
    severity: SeverityWord
    severities: tuple[PossibleSeverity, ...]
    title: str
    why: str
    fix: str
    source: str
    references: tuple[Reference, ...]
    failing: str
    passing: str
    breakable: str
    today: str


@frozen
class RulesDocument:
    """What ``gke-tpu rule --format json`` writes."""

    format: Literal[1]
    """The version of this format. A new key keeps it; removing or changing a key raises it."""
    rules: tuple[RuleRecord, ...]


def rules_json(rules: Iterable[Rule[Any]], sources: Mapping[str, Source]) -> dict[str, Any]:
    """Rules as data for ``json.dumps``, in the given order."""
    return to_data(RulesDocument(1, tuple(_record(rule, sources) for rule in rules)))


def rules_schema() -> dict[str, Any]:
    """The JSON Schema of :func:`rules_json`."""
    return schema_of(RulesDocument, title="Rules", description="What `gke-tpu rule --format json` writes.")


def _record(rule: Rule[Any], sources: Mapping[str, Source]) -> RuleRecord:
    return RuleRecord(
        id=rule.id,
        name=rule.name,
        since=rule.since,
        severity=rule.severity.word,
        severities=tuple(PossibleSeverity(severity.word, where) for severity, where in rule.severities.items()),
        title=rule.title,
        why=rule.why,
        fix=rule.fix,
        source=rule_source(rule, sources),
        references=tuple(Reference(id, sources[id].title, sources[id].link) for id in rule.references if id in sources),
        failing=rule.failing,
        passing=rule.passing,
        breakable=rule.scope.breakable,
        today=rule.today,
    )
