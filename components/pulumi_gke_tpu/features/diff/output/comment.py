"""A change as a comment on a pull request, for a reviewer who has twenty seconds.

The verdict is first, then a box with the answers that a reviewer needs, the errors, and one line per item. The rest is
folded.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence, Set

from pulumi_gke_tpu.core.fleet import Range
from pulumi_gke_tpu.core.output.json import ShownFinding
from pulumi_gke_tpu.core.text.document.markdown_writer import write_markdown
from pulumi_gke_tpu.core.text.document.model import (
    Block,
    Bullets,
    Column,
    Document,
    Entries,
    Entry,
    Folded,
    Group,
    Heading,
    Limited,
    Line,
    Link,
    Name,
    Paragraph,
    Prose,
    Series,
    Table,
    Toned,
)
from pulumi_gke_tpu.core.text.findings import listed, number, one_line
from pulumi_gke_tpu.core.text.patterns import lazy_pattern
from pulumi_gke_tpu.features.diff.model import (
    ChangeClass,
    ChangeReport,
    CostChange,
    ItemChange,
    ResourceChange,
    SourcedReason,
)
from pulumi_gke_tpu.features.diff.output import document, engine, texts, verdict
from pulumi_gke_tpu.features.diff.output.labels import is_renamed, label, title, words_of
from pulumi_gke_tpu.features.diff.output.page import ChangePage
from pulumi_gke_tpu.features.diff.output.ways import WayAhead, ways_ahead

MARKER = "<!-- gke-tpu diff -->"
"""The first line of every comment, which identifies it."""

LIMIT = 60_000
"""Bytes of the longest comment; GitHub accepts 65,536 characters."""

_LINK = lazy_pattern(r"https?://[A-Za-z0-9./:_-]{1,300}\Z", re.ASCII)
_NODES: dict[ChangeClass, str] = {"in-place": "no known restart", "metadata": "no node changes"}
_VERSION = ("minMasterVersion", "min_master_version")
_UPGRADE = "the control plane is upgraded now, and GKE can re-create nodes for their upgrade later"
_ON_REQUEST = "no change until Pods request this shape; GKE then creates the nodes"
_WORDS = {
    "DELETE": "{tool} deletes it; jobs on it stop.",
    "REPLACE": "{tool} deletes it and creates it again; jobs on it stop.",
    "REFUSED": "GKE or the provider rejects the change.",
    "NO-OP": "The change has no effect.",
    "RESTART": "GKE drains and re-creates the nodes; jobs on them stop or move.",
    "IN PLACE": "An update of the existing resources, without a known restart of nodes.",
    "CREATE": "New resources.",
    "SCALE UP": "More slices; the existing ones stay.",
    "SCALE DOWN": "Fewer slices; jobs on the deleted ones stop.",
    "RENAME": "{renamed}",
    "METADATA": "{metadata}",
    "IMPORT": "{tool} takes existing resources into its state.",
    "FORGET": "{tool} removes resources from its state; they stay in the cloud.",
}
_MOST_WRITTEN = 3
_MOST_DETAILS = 20
_MOST_NAMES = 5


def change_markdown(page: ChangePage, *, limit: int = LIMIT) -> str:
    """The page as Markdown of at most ``limit`` bytes for one comment. The same page gives the same bytes.

    Nothing that a plan contains can change what is around it: it stays text in its cell or line.
    """
    return write_markdown(_document(page), limit=limit, rest="The text output of `gke-tpu diff` shows everything.")


def failed_markdown(base: str, head: str, log: str) -> str:
    """A comment that the comparison failed, with the marker of a comparison, so that it replaces an older one.

    ``base`` and ``head`` are commits, ``log`` is the address of the error; each is empty where it is not known.
    """
    commits: Line = (Name(base), " with ", Name(head)) if base and head else "the two sides"
    see = Link("the log of the workflow run", log) if _LINK.match(log) else "the log of the command"
    unknown = Toned("The effect of this change on TPU slices is unknown.", "strong")
    earlier = " Results of earlier comparisons are no longer shown."
    lead = (Name("gke-tpu diff"), " could not compare ", *(commits if isinstance(commits, tuple) else (commits,)))
    return write_markdown(
        [
            Heading("TPU plan: the comparison failed", 3, MARKER),
            Paragraph((*lead, ". ", unknown, earlier)),
            Paragraph(("See ", see, " for the error.")),
        ]
    )


def _document(page: ChangePage) -> Document:
    report = page.report.change
    found: dict[str, list[ShownFinding]] = {}
    for finding in page.findings:
        found.setdefault(document.finding_state(finding), []).append(finding)
    errors, warnings = found.pop("error", []), found.pop("warning", [])
    others = [finding for findings in found.values() for finding in findings]
    shown, stated = document.fixes_shown(report), verdict.stated(page)
    return [
        Heading(verdict.headline(page), 3, MARKER),
        Limited(verdict.answers(page), "answers", 40),
        Limited(_findings([error for error in errors if error not in stated], "Errors:", shown), "errors", 15),
        Limited(_findings(warnings, "Warnings:", shown), "warnings", 10),
        Limited(document.gates(page), "gates", 5),
        Limited(Series([_folded_way(way) for way in ways_ahead(report)]), "entries to add", 25),
        Limited(
            Entries(
                [*document.not_compared(report).entries, *(_item(item, report) for item in report.items)],
                title=Toned("Changes:", "strong"),
            ),
            "changes",
            40,
        ),
        Limited(document.objects(report), "Kubernetes objects", 20),
        Bullets(_chips_and_cost(report) if report.plans else [], title=Toned("All slices:", "strong")),
        Limited(document.order(report), "orders", 8),
        Limited(document.acknowledgements(report), "acknowledgements", 8),
        Limited(
            Folded(
                "Errors about the items that cannot be applied", Bullets([_finding(error, shown) for error in stated])
            ),
            "errors about items",
            15,
        ),
        Limited(Folded(_counted(others), Bullets([_finding(finding, shown) for finding in others])), "findings", 10),
        Limited(
            Folded(
                f"What happens to each item{' once the change can be applied' if verdict.fails(report) else ''}",
                Bullets(_consequences(report)),
            ),
            "consequences",
            30,
        ),
        Limited(document.if_it_fails(page), "pages about failures", 8),
        Folded("Words in this comment", Bullets(_words(report))),
        Limited(Folded("Totals before and after", document.totals(report)), "totals", 10),
        Limited(Folded("Preview by the Pulumi engine", Bullets(_engine(page))), "lines about the engine", 10),
        Limited(
            Folded(
                "Messages of the engine and of policies",
                Bullets(_first(document.engine_messages(page.report.engine), _MOST_DETAILS)),
            ),
            "engine's messages",
            10,
        ),
        Limited(Folded("Reasons and sources", Bullets(_reasons(report))), "reasons", 20),
        Limited(Folded("Notes", Bullets([Prose(note) for note in report.notes])), "notes", 8),
        Limited(
            Folded("Resources", Series([_resources(item, report) for item in report.items if item.resources])),
            "lists of resources",
        ),
        Paragraph(
            f"Compared: {texts.compared_text(report)}. {texts.unchanged_text(report)}. "
            f"Catalog of gke-tpu: {report.catalog_version[:200]}."
        ),
    ]


def _findings(findings: Sequence[ShownFinding], heading: str, shown_above: Set[str]) -> Bullets:
    return Bullets([_finding(finding, shown_above) for finding in findings], title=Toned(heading, "strong"))


def _finding(finding: ShownFinding, shown_above: Set[str]) -> Line:
    state = Toned(f"{document.finding_state(finding)} {finding.rule}", "strong")
    where = document.finding_place(finding)
    line = (state, f" {where}: " if where else ": ", Prose(finding.message), document.finding_origin(finding))
    fix, advice = one_line(finding.fix), document.advice_of(finding)
    if fix not in shown_above:
        return (*line, ". Try: ", Name(fix))
    return (*line, ". Fix: ", Prose(advice)) if advice else line


def _counted(findings: Sequence[ShownFinding]) -> str:
    """``2 warnings, 1 note and 1 accepted``."""
    counts = Counter(map(document.finding_state, findings))
    parts = [number(counts[word], word) for word in ("warning", "note") if counts[word]]
    return listed([*parts, f"{counts['accepted']:,} accepted"] if counts["accepted"] else parts)


def _item(item: ItemChange, report: ChangeReport) -> Entry:
    """One line: what happens, to which item, what changes in the plan, chips and cost."""
    probable = "probable" if len(item.renames) == 1 else "possible"
    renamed = f"{probable} rename {'to' if item.gone else 'of'} {listed(item.renames, 'or', most=2)}"
    quiet = not (item.is_dangerous or item.hosts_gone.maximum or item.hosts_restarted.maximum)
    nodes = [_NODES[item.change]] if quiet and item.change in _NODES and not is_renamed(item) else []
    differences = [difference for resource in item.resources for difference in resource.differences]
    if nodes and any(each.path in _VERSION and each.effect == "in-place" for each in differences):
        nodes = [_UPGRADE]
    if item.change == "metadata" and item.size and item.size.was != item.size.will:
        nodes = [_ON_REQUEST]
    written = texts.written_text(item, _MOST_WRITTEN, words_of(report)) or ["no change of its own keys"]
    size = item.size
    numbers = [f"chips {_chips(size.was, size.will)}", f"USD per hour {_usd(size.cost)}"] if size else []
    return Entry(
        Toned(label(item), "bad" if item.is_dangerous else "careful"),
        title(item, report),
        (*written, *([renamed] if item.renames else []), *numbers, *nodes),
        Prose(item.consequence) if is_renamed(item) else "",
    )


def _chips(was: Range, will: Range) -> str:
    return f"{was} (unchanged)" if was == will else f"{was} → {will}"


def _usd(cost: CostChange) -> str:
    was, will = str(cost.was or "unknown"), str(cost.will or "unknown")
    if was == will:
        return f"{was} (unchanged)" if cost.was else was
    return f"{was} → {will}"


def _chips_and_cost(report: ChangeReport) -> list[Line]:
    """Both sums, before and after."""
    chips, cost = report.totals.capacity, report.totals.cost
    grown = texts.range_change(chips.was.chips, chips.will.chips)
    more = texts.usd_change(cost.was, cost.will) if cost.was and cost.will else ""
    known = "; without unknown prices, see the notes" if cost.incomplete else ""
    if any(auto.was.maximum or auto.will.maximum for auto in report.totals.auto):
        known += "; without auto-provisioned nodes, see the totals"
    return [
        f"chips {_chips(chips.was.chips, chips.will.chips)}{f' ({grown})' if grown else ''}",
        f"USD per hour {_usd(cost)}{f' ({more})' if more else ''}{known}",
    ]


def _folded_way(way: WayAhead) -> Folded:
    return Folded(f"{way.key} entry to add to {way.plan}", document.way_block(way))


def _titles(items: Sequence[ItemChange], report: ChangeReport) -> Toned:
    return Toned(listed([f"{label(item)} {title(item, report)}" for item in items], most=_MOST_NAMES), "strong")


def _consequences(report: ChangeReport) -> list[Line]:
    """Each consequence once, with its items."""
    together: dict[str, list[ItemChange]] = {}
    for item in report.items:
        if not is_renamed(item):  # its line has the consequence
            together.setdefault(texts.consequence_text(item), []).append(item)
    return [(_titles(items, report), ": ", Prose(text)) for text, items in together.items() if text]


def _words(report: ChangeReport) -> list[Line]:
    """What each class in the comment means."""
    used, words = {label(item) for item in report.items}, words_of(report)
    told = {"tool": words.tool, "renamed": words.renamed, "metadata": words.metadata}
    return [(Toned(word, "strong"), f": {text.format_map(told)}") for word, text in _WORDS.items() if word in used]


def _reasons(report: ChangeReport) -> list[Line]:
    """Each reason once, with its items."""
    together: dict[SourcedReason, list[ItemChange]] = {}
    for item in report.items:
        for fact in item.facts:
            together.setdefault(fact, []).append(item)
    return [(_titles(items, report), ": ", Prose(texts.fact_text(fact))) for fact, items in together.items()]


def _engine(page: ChangePage) -> list[Line]:
    """What the engine plans for each item, then what belongs to no item."""
    report, view = page.report.change, page.report.engine
    together: dict[tuple[str, ...], list[ItemChange]] = {}
    for item in report.items:
        together.setdefault(tuple(engine.item_text(item, view)), []).append(item)
    found: list[Line] = [
        (_titles(items, report), ": ", Prose("; ".join(lines))) for lines, items in together.items() if lines
    ]
    return [*found, *document.engine_lines(view)]


def _resources(item: ItemChange, report: ChangeReport) -> Group:
    """The operation on each resource of an item, property by property."""
    inner: list[Block] = [Paragraph(_titles([item], report))]
    if len(item.written) > _MOST_WRITTEN:
        inner.append(Bullets(texts.written_text(item, _MOST_DETAILS, words_of(report))))
    rows = [row for resource in item.resources for row in _resource_rows(resource)]
    if len(rows) > _MOST_DETAILS:
        rows = [*rows[: _MOST_DETAILS - 1], (f"... {len(rows) - _MOST_DETAILS + 1:,} more", "", "", "", "")]
    columns = ("resource", "operation", "property", "before", "after")
    inner.append(Table(tuple(map(Column, columns)), rows))
    return Group(inner)


def _resource_rows(resource: ResourceChange) -> Iterable[tuple[str, ...]]:
    name, operation = texts.resource_text(resource), texts.operation_text(resource)
    if not resource.differences:
        return [(name, operation, "", "", "")]
    return [
        (name, operation, difference.path, texts.value_text(difference.was), texts.value_text(difference.will))
        for difference in resource.differences
    ]


def _first(lines: Sequence[Line], most: int) -> Sequence[Line]:
    """The first lines, and the number of the others."""
    if len(lines) <= most:
        return lines
    return [*lines[: most - 1], f"... {len(lines) - most + 1:,} more"]
