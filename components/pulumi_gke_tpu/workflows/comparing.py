"""Compares two sets of plan files: each file is read and judged, what is equal is previewed once, the rest twice."""

import dataclasses
import datetime
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from pulumi_gke_tpu.catalog import Catalog
from pulumi_gke_tpu.change.consent.acknowledgements import AckFrom
from pulumi_gke_tpu.change.items.model import ChangeReport, Unclear
from pulumi_gke_tpu.change.narrative.phrases import named
from pulumi_gke_tpu.change.rules.files import folder_of, moved
from pulumi_gke_tpu.engine_check.events import EngineRun
from pulumi_gke_tpu.findings import Finding, Severity, sort_findings
from pulumi_gke_tpu.fleet import derive
from pulumi_gke_tpu.fleet.missing import WHOLE, items_from, missing_items, touched_items, without
from pulumi_gke_tpu.graph.result import PlanPreview
from pulumi_gke_tpu.graph.stored import read_stored
from pulumi_gke_tpu.plan import Document, Inventory, Plan, read_plan_content, unreadable_plan
from pulumi_gke_tpu.rules import validate
from pulumi_gke_tpu.rules.engine.run import Acceptances
from pulumi_gke_tpu.rules.inventory.fleet_wide import validate_fleet
from pulumi_gke_tpu.rules.inventory.together import validate_inventory
from pulumi_gke_tpu.workflows.diff import PlanPair, change_findings, diff_pairs, with_engine
from pulumi_gke_tpu.workflows.preview import preview_document, preview_stored

STORED_ENDING = ".json"


@dataclass(frozen=True, slots=True)
class PlanFile:
    """A file of one side, and how it is called there: a plan, or a stored preview where its name ends so."""

    name: str
    content: bytes
    problem: str = ""
    """Why it cannot be read; ``content`` is then whatever tells it from other files of this kind."""

    @property
    def stored(self) -> bool:
        """Whether it is a stored preview."""
        return self.name.endswith(STORED_ENDING) and not self.problem

    def same(self, other: "PlanFile") -> bool:
        """Whether the other one holds just the same."""
        return (self.content, self.problem) == (other.content, other.problem)

    def read(self, name: str) -> Document[Plan]:
        """The plan in it, which findings call ``name``."""
        if self.problem:
            return unreadable_plan(name, self.problem)
        return read_plan_content(self.content, name)


@dataclass(frozen=True, slots=True)
class Circumstances:
    """By what both sides are judged."""

    catalog: Catalog
    owned: Document[Inventory] | None
    today: datetime.date | None
    ack_from: AckFrom = "head"
    most_hosts: int | None = None
    """How many hosts a change of one plan may take away; None for the default of the rule."""
    engine_runs: tuple[EngineRun, ...] = ()
    """Previews by the real engine, of the stacks after the change."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """What changes, and what is wrong with it."""

    report: ChangeReport
    findings: tuple[Finding, ...]
    """About the plans after the change, if they are new with it, and about the change."""


@dataclass(slots=True)
class _Pair:
    """A plan file before and after, and what is found out about it."""

    base: PlanFile | None
    head: PlanFile | None
    document: Document[Plan] | None = None
    """After the change; None for a stored preview."""
    former: Document[Plan] | None = None
    """Before the change, where that is another one."""
    findings: tuple[Finding, ...] = ()
    """About the plan by itself, after the change."""
    former_findings: tuple[Finding, ...] = ()
    """About the plan by itself, before the change."""
    elsewhere: bool = False
    """Whether the two belong together by their content alone, since the file has moved."""
    moved: Finding | None = None
    """Where that may matter."""
    notes: list[str] = field(default_factory=list)
    unclear: list[Unclear] = field(default_factory=list)

    @property
    def same(self) -> bool:
        return self.base is not None and self.head is not None and self.base.same(self.head)

    @property
    def name(self) -> str:
        if self.head is not None:
            return self.head.name
        assert self.base is not None
        return self.base.name


def compare_files(
    base: Mapping[str, PlanFile],
    head: Mapping[str, PlanFile],
    around: Circumstances,
    *,
    base_name: str,
    head_name: str,
) -> Comparison:
    """What it means to go from some plan files to others. Files belong together by their keys.

    A plan with errors after the change is not compared. One with errors before it is compared as far as it can be
    derived whole. What is left out stands in ``unclear`` of the report, and in none of its totals.

    Raises:
        StoredError: a stored preview cannot be used.
    """
    pairs = [_judged(pair, around) for pair in _pairs(base, head)]
    previewed = [found for found in (_previewed(pair, around) for pair in pairs) if found is not None]
    report = diff_pairs(
        previewed,
        around.catalog,
        inventory=around.owned.content if around.owned else None,
        today=around.today,
        ack_from=around.ack_from,
        base_name=base_name,
        head_name=head_name,
    )
    notes = tuple(note for pair in pairs for note in pair.notes)
    found = change_findings(previewed, report, around.catalog, today=around.today, most_hosts=around.most_hosts)
    documents = {pair.name: pair.document for pair in pairs if pair.document}
    findings = [
        *(finding for pair in pairs if not pair.same for finding in pair.findings),
        *(pair.moved for pair in pairs if pair.moved is not None),
        *_newly_across(pairs, around),
        *(finding for name, some in found.items() for finding in _located(documents.get(name), some)),
    ]
    unclear = tuple(entry for pair in pairs for entry in pair.unclear)
    report = dataclasses.replace(report, notes=(*report.notes, *notes), unclear=unclear)
    report = with_engine(report, previewed, around.engine_runs, around.catalog)
    return Comparison(report, sort_findings(findings))


def _pairs(base: Mapping[str, PlanFile], head: Mapping[str, PlanFile]) -> Iterator[_Pair]:
    """Files that belong together: by key, and those that have only moved by their content."""
    gone = {key: file for key, file in base.items() if key not in head}
    moved_from = _by_content(gone)
    for key, file in head.items():
        if key in base:
            yield _Pair(base[key], file)
            continue
        same = moved_from.get((file.content, file.problem))
        if not same:
            yield _Pair(None, file)
            continue
        folder = folder_of(file.name)
        folder = folder if folder in same else next(iter(same))
        former = same[folder].popleft()
        if not same[folder]:
            del same[folder]
        yield _Pair(gone.pop(former), file, elsewhere=True)
    for file in gone.values():
        yield _Pair(file, None)


def _by_content(files: Mapping[str, PlanFile]) -> dict[tuple[bytes, str], dict[str, deque[str]]]:
    """The keys of files by what they hold, and then by the name of their folder."""
    found: dict[tuple[bytes, str], dict[str, deque[str]]] = {}
    for key, file in files.items():
        folders = found.setdefault((file.content, file.problem), {})
        folders.setdefault(folder_of(file.name), deque()).append(key)
    return found


def _judged(pair: _Pair, around: Circumstances) -> _Pair:
    """Read and judge the plan before and after the change. Warnings that were there before are not repeated."""
    pair.former_findings = _judge_base(pair, around)
    if pair.head is None or pair.head.stored:
        return pair
    pair.document = pair.head.read(pair.head.name)
    found = _own_findings(pair.document, around)
    known = {_about(finding) for finding in pair.former_findings}
    pair.findings = tuple(
        finding for finding in found if finding.severity is Severity.ERROR or _about(finding) not in known
    )
    if pair.elsewhere and pair.base is not None:
        _look_where_it_moved(pair, pair.base.name, pair.document, around)
    return pair


def _look_where_it_moved(pair: _Pair, before: str, document: Document[Plan], around: Circumstances) -> None:
    finding = moved(before, pair.name)
    if finding is None:
        pair.notes.append(f"{named(pair.name)} was {named(before)}, in a folder of the same name.")
        return
    (pair.moved,) = document.locate(
        [Acceptances(document.content, around.today).applied(finding) if document.content is not None else finding]
    )
    if not pair.moved.accepted:
        reason = f"it was {named(before)}: in another folder it may be the plan of another stack"
        pair.unclear.append(Unclear(pair.name, WHOLE, "moved", reason))


def _judge_base(pair: _Pair, around: Circumstances) -> tuple[Finding, ...]:
    """Read and judge the plan before the change, where it was another one."""
    if pair.base is None or pair.same or pair.base.stored:
        return ()
    # Under the name after the change, so that the same finding has the same words.
    pair.former = pair.base.read(pair.name)
    return _own_findings(pair.former, around)


def _rules_of(findings: Iterable[Finding]) -> str:
    """The rules of the errors, in words."""
    return ", ".join(sorted({finding.rule for finding in findings if finding.severity is Severity.ERROR}))


def _about(finding: Finding) -> tuple[object, ...]:
    file = finding.position.file if finding.position else ""
    return file, finding.rule, finding.path, finding.message, finding.accepted


def _own_findings(document: Document[Plan], around: Circumstances) -> tuple[Finding, ...]:
    if document.content is None:
        return document.findings
    rules = validate(document.content, around.catalog, today=around.today)
    return (*document.findings, *document.locate(rules))


def _newly_across(pairs: Sequence[_Pair], around: Circumstances) -> list[Finding]:
    """What is wrong with all plans together, and was not before."""
    found = list(_across((pair.document for pair in pairs if pair.document), around))
    if not found:
        return []
    former = (pair.document if pair.same else pair.former for pair in pairs)
    known = {_about(finding) for finding in _across((plan for plan in former if plan), around)}
    of_inventory = around.owned.findings if around.owned is not None else ()
    return [finding for finding in found if finding in of_inventory or _about(finding) not in known]


def _across(documents: Iterable[Document[Plan]], around: Circumstances) -> Iterator[Finding]:
    """What is wrong with all plans together, and with what is owned."""
    plans = tuple(documents)
    yield from validate_fleet(plans, around.catalog, today=around.today)
    if around.owned is not None:
        yield from around.owned.findings
        yield from validate_inventory(plans, around.owned, around.catalog, today=around.today)


def _located(document: Document[Plan] | None, findings: tuple[Finding, ...]) -> tuple[Finding, ...]:
    return document.locate(findings) if document else findings


def _previewed(pair: _Pair, around: Circumstances) -> PlanPair | None:
    """Both sides of a plan, without what cannot be compared; None where nothing of it can."""
    errors = _rules_of(pair.findings)
    if errors and pair.same:
        also = "has errors, before this change too: it is not compared, and in no total."
        pair.notes.append(f"{named(pair.name)} {also}")
        return None
    if errors:
        _leave_out(pair, "head", [WHOLE], f"it has errors ({errors})")
        return None
    new = _preview_head(pair, around) if pair.head else None
    if pair.base is None or pair.same:
        return PlanPair(None if pair.base is None else new, new)
    if pair.base.stored:
        old = preview_stored(read_stored(pair.base.content), around.catalog, around.today)
        if old.fleet.unresolved:
            _leave_out(pair, "base", [WHOLE], "this version cannot derive all of its stored preview")
            return None
        return PlanPair(old, new)
    return _compared_with_base(pair, new, around)


def _compared_with_base(pair: _Pair, new: PlanPreview | None, around: Circumstances) -> PlanPair | None:
    """A plan before the change, which may be full of errors, beside the one after it."""
    former, errors = pair.former, _rules_of(pair.former_findings)
    if former is None or former.content is None:
        _leave_out(pair, "base", [WHOLE], _before(errors))
        return None
    missing = missing_items(former, derive(former.content, around.catalog, around.today))
    for left_out in (missing, missing | touched_items(pair.former_findings)):
        try:
            found = _without_items(pair, former, new, left_out, around)
        except Exception:
            # Nothing promises that a plan which the rules refuse can be derived; without errors it is our mistake.
            if not errors:
                raise
            continue
        if found is None:
            break
        after = items_from(new.fleet, left_out) if new is not None else frozenset()
        gone = {item for item in left_out if new is None or not items_from(new.fleet, [item])}
        _leave_out(pair, "base", after | gone, _before(errors))
        if errors and not left_out:
            pair.notes.append(f"{named(pair.name)}: {_before(errors)}; it can be derived whole, and is compared.")
        return found
    _leave_out(pair, "base", [WHOLE], _before(errors))
    return None


def _before(errors: str) -> str:
    return f"it had errors before this change ({errors})"


def _without_items(
    pair: _Pair, former: Document[Plan], new: PlanPreview | None, items: frozenset[str], around: Circumstances
) -> PlanPair | None:
    """Both sides without some items of the base, whatever these are called in the head; None where nothing is left."""
    if WHOLE in items:
        return None
    base = without(former, items) if items else former
    if base is None or base.content is None:
        return None
    after = items_from(new.fleet, items) if new is not None else frozenset()
    if after:
        head = without(pair.document, after) if pair.document is not None else None
        if head is None:
            return None
        new = preview_document(head, pair.findings, around.catalog, around.today)
    return PlanPair(preview_document(base, (), around.catalog, around.today), new)


def _leave_out(pair: _Pair, side: Literal["base", "head"], items: Iterable[str], reason: str) -> None:
    """Say what is not compared. A group goes with its cluster."""
    names = set(items)
    shown = (item for item in sorted(names) if item.partition("/")[0] not in names - {item})
    pair.unclear += [Unclear(pair.name, item, side, reason) for item in shown]


def _preview_head(pair: _Pair, around: Circumstances) -> PlanPreview:
    assert pair.head is not None
    if pair.document is None:
        return preview_stored(read_stored(pair.head.content), around.catalog, around.today)
    return preview_document(pair.document, pair.findings, around.catalog, around.today)
