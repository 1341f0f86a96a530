"""Rules as documents and as JSON: report, reason, examples, fix and sources of each rule; and their index."""

from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Literal

from pulumi_gke_tpu.core.catalog.records.facts import Source
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.rules import Rule
from pulumi_gke_tpu.core.rules.engine.rule import rule_source
from pulumi_gke_tpu.core.text.document.markdown_writer import write_markdown
from pulumi_gke_tpu.core.text.document.model import (
    Block,
    Bullets,
    Code,
    Column,
    Document,
    Fields,
    Group,
    Heading,
    Line,
    Link,
    Name,
    Page,
    Paragraph,
    Piece,
    Prose,
    Table,
    Toned,
)
from pulumi_gke_tpu.core.text.findings.model import SeverityWord
from pulumi_gke_tpu.core.text.jsonfile.form import schema_of, to_data
from pulumi_gke_tpu.core.text.jsonfile.keys import Key, Keys

_BREAKABLE = {
    "plan": "",
    "file": "This is about the file itself, not about its content.",
    "inventory": "gke-tpu checks this with an inventory: `gke-tpu validate PLAN --inventory FILE`.",
    "organization": "gke-tpu checks this with an organization file: `gke-tpu validate PLAN --organization FILE`.",
    "fleet": "gke-tpu checks this for several plans together: `gke-tpu validate PLAN PLAN`.",
    "change": "gke-tpu checks this for a change: `gke-tpu diff BASE HEAD`. The examples start with the previous plan.",
    "component": "gke-tpu checks this in programs that use `TpuSlices`; the examples are its arguments.",
    "manifests": "gke-tpu checks this in Kubernetes manifests: `gke-tpu check FILE`.",
    "rendered manifests": "gke-tpu checks this in the files that it wrote: `gke-tpu manifests --check DIR`.",
    "derived": "A plan cannot express this. The policy pack checks it for the resources of any Pulumi program.",
}
_GROUPS = {
    "0": "Files and their format",
    "1": "Slices and topologies",
    "2": "Locations, networks and versions",
    "3": "Capacity",
    "4": "Scaling",
    "5": "Disks and nodes",
    "6": "Maintenance",
    "7": "Kubernetes",
    "8": "Inventory and several plans",
    "9": "Entries and changes of a plan",
}
_ABOUT = (
    "All rules of `gke-tpu validate`, `gke-tpu diff` and `gke-tpu check`. A finding is an error only if it rests on a "
    "fact of high confidence and its sources agree. A plan can accept warnings. If a rule has several severities, its "
    "page states their conditions. `gke-tpu rule TPU112` and `gke-tpu rule unknown-topology` show a page in the "
    "terminal.",
    "An example is a whole plan, the body of a cluster, or the body of a slice group `pretrain` in a Standard "
    "cluster in us-east5. A line `--- plan` starts another plan, and `--- inventory` the inventory, or "
    "`--- organization` the organization file. The examples of "
    "TPU72x to TPU79x are manifests; a line `--- plan` starts the plan, and `--- standard` or `--- autopilot` states "
    "the mode of the cluster.",
)


def rule_page(rule: Rule[Any], sources: Mapping[str, Source]) -> Page:
    """The page of a rule."""
    return Page("", _document(rule, sources))


def rules_page(rules: Iterable[Rule[Any]]) -> Page:
    """All rules: in one line each for a terminal, by group with links to their pages in Markdown."""
    rules = tuple(rules)
    rows = [(rule.id, "/".join(severity.word for severity in rule.severities), Prose(rule.title)) for rule in rules]
    columns = (Column("rule", whole=True), Column("severity", whole=True), Column("what it finds"))
    return Page("", [Table(columns, rows)], markdown=_index(rules))


def rule_pages(rules: Iterable[Rule[Any]], sources: Mapping[str, Source]) -> dict[str, str]:
    """File name -> content of every rule page, and of the index."""
    rules = tuple(rules)
    pages = {"README.md": rules_page(rules), **{f"{rule.id}.md": rule_page(rule, sources) for rule in rules}}
    return {name: write_markdown(page.in_markdown) for name, page in pages.items()}


def _document(rule: Rule[Any], sources: Mapping[str, Source]) -> Document:
    example: list[Block] = [Paragraph(f"The result is that of {rule.today}.")] if rule.today else []
    return [
        Heading((f"{rule.id}: ", Prose(rule.title))),
        Paragraph((Name(rule.name),)),
        Paragraph(("Severity: ", *_severities(rule), ".", Prose(f" {_BREAKABLE[rule.scope.breakable]}".rstrip()))),
        Fields(
            (
                ("Why", Paragraph(Prose(f"{_capitalized(rule.why)}."))),
                ("Example", Group([*example, Code(rule.failing, tone="bad")])),
                ("Use instead", Code(rule.passing)),
                ("Fix", Paragraph(Prose(_one_line(rule.fix)))),
                ("Source", Bullets(_sources(rule, sources))),
            )
        ),
    ]


def _severities(rule: Rule[Any]) -> list[Piece]:
    """Every severity of a rule with its condition: ``error; warning if the plan sets no disk type``."""
    pieces: list[Piece] = []
    for severity, where in rule.severities.items():
        pieces += ["; "] if pieces else []
        pieces += [Toned(severity.word, "strong"), Prose(f" {where}".rstrip())]
    return pieces


def _sources(rule: Rule[Any], sources: Mapping[str, Source]) -> list[Line]:
    """The references with their links, and the statements without a source in the catalog."""
    shown = [sources[name] for name in rule.references if name in sources]
    lines: list[Line] = [Link(source.title, source.link) if source.link else source.title for source in shown]
    return [*lines, Prose(f"{_capitalized(rule.source)}.")] if rule.source else lines


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _capitalized(text: str) -> str:
    line = _one_line(text)
    return line if line.startswith("gke-tpu") else f"{line[:1].upper()}{line[1:]}"


def _index(rules: Iterable[Rule[Any]]) -> Document:
    groups: dict[str, list[Rule[Any]]] = {}
    for rule in rules:
        groups.setdefault(rule.id[3], []).append(rule)
    tables = (
        Group([Heading(f"TPU{digit}xx: {_GROUPS.get(digit, 'Others')}", 2), _table(members)])
        for digit, members in groups.items()
    )
    return [Heading("Rules"), *(Paragraph(Prose(text)) for text in _ABOUT), *tables]


def _table(rules: Iterable[Rule[Any]]) -> Table:
    rows = [
        (
            Link(rule.id, f"{rule.id}.md"),
            rule.name,
            " or ".join(severity.word for severity in rule.severities),
            Prose(rule.title),
        )
        for rule in rules
    ]
    return Table(tuple(map(Column, ("rule", "name", "severity", "what it finds"))), rows)


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
