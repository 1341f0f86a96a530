"""Rules as JSON for programs."""

from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Literal

from pulumi_gke_tpu.core.catalog.records.facts import Source
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.rules import Rule
from pulumi_gke_tpu.core.rules.engine.sources import rule_source
from pulumi_gke_tpu.core.text.findings.model import SeverityWord
from pulumi_gke_tpu.core.text.jsonfile.form import schema_of, to_data
from pulumi_gke_tpu.core.text.jsonfile.keys import Key, Keys


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
class SourcedRule:
    """A rule, with the sources of the catalog that it names."""

    rule: Rule[Any]
    known: Mapping[str, Source]
    """Every source of the catalog, by id."""

    @property
    def severities(self) -> tuple[PossibleSeverity, ...]:
        """Every severity that findings of the rule can have."""
        return tuple(PossibleSeverity(severity.word, where) for severity, where in self.rule.severities.items())

    @property
    def source(self) -> str:
        """The sources in one line, or the basis of the rule."""
        return rule_source(self.rule, self.known)

    @property
    def references(self) -> tuple[Reference, ...]:
        """The sources of the catalog."""
        named = [id for id in self.rule.references if id in self.known]
        return tuple(Reference(id, self.known[id].title, self.known[id].link) for id in named)


RuleJson = Annotated[
    SourcedRule,
    Keys(
        "Rule",
        Key("id", "rule.id"),
        Key("name", "rule.name"),
        Key("since", "rule.since"),
        Key("severity", "rule.severity.word", text="The usual severity."),
        "severities",
        Key("title", "rule.title"),
        Key("why", "rule.why"),
        Key("fix", "rule.fix"),
        "source",
        "references",
        Key("failing", "rule.failing", text="A plan, or a part of one, that breaks the rule."),
        Key("passing", "rule.passing", text="A plan, or a part of one, that does not break it."),
        Key("breakable", "rule.scope.breakable"),
        Key("today", "rule.today"),
        text="A rule in JSON.",
    ),
]


@frozen
class RulesDocument:
    """What ``gke-tpu rule --format json`` writes."""

    format: Literal[1]
    """The version of this format. A new key keeps it; removing or changing a key raises it."""
    rules: tuple[RuleJson, ...]


def rules_json(rules: Iterable[Rule[Any]], sources: Mapping[str, Source]) -> dict[str, Any]:
    """Rules as data for ``json.dumps``, in the given order."""
    return to_data(RulesDocument(1, tuple(SourcedRule(rule, sources) for rule in rules)))


def rules_schema() -> dict[str, Any]:
    """The JSON Schema of :func:`rules_json`."""
    return schema_of(RulesDocument, title="Rules", description="What `gke-tpu rule --format json` writes.")
