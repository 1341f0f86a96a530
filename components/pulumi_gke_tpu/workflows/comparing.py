"""Compares two sets of plan files: each file is read and judged, what is equal is previewed once, the rest twice."""

import datetime
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from pulumi_gke_tpu.catalog import Catalog
from pulumi_gke_tpu.change.consent.acknowledgements import AckFrom
from pulumi_gke_tpu.change.model import Unclear
from pulumi_gke_tpu.change.phrases import named
from pulumi_gke_tpu.change.rules.files import folder_of, moved
from pulumi_gke_tpu.engine_check.events import EngineRun
from pulumi_gke_tpu.engine_check.report import Report
from pulumi_gke_tpu.findings import Finding, Severity, sort_findings
from pulumi_gke_tpu.fleet.checked import CheckedPlan
from pulumi_gke_tpu.fleet.missing import WHOLE, items_from, missing_items, touched_items, without
from pulumi_gke_tpu.graph.result import PlanPreview
from pulumi_gke_tpu.graph.stored import read_stored
from pulumi_gke_tpu.plan import Document, Inventory, Plan, read_plan_content, unreadable_plan
from pulumi_gke_tpu.rules import check_plan
from pulumi_gke_tpu.rules.engine.acceptances import Acceptances
from pulumi_gke_tpu.workflows.check import findings_across
from pulumi_gke_tpu.workflows.diff import PlanPair, change_findings, diff_pairs, engine_view_of
from pulumi_gke_tpu.workflows.preview import preview_checked, preview_stored

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

    report: Report
    findings: tuple[Finding, ...]
    """About the plans after the change, if they are new with it, and about the change."""


@dataclass(slots=True)
class _Pair:
    """A plan file before and after, and what is found out about it."""

    base: PlanFile | None
    head: PlanFile | None
    checked: CheckedPlan | None = None
    """After the change; None for a stored preview."""
    former: CheckedPlan | None = None
    """Before the change, where that is another one."""
    findings: tuple[Finding, ...] = ()
    """About the plan by itself, after the change, as far as they are new with it."""
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
    notes: Iterable[str] = (),
) -> Comparison:
    """What it means to go from some plan files to others. Files belong together by their keys.

    A plan with errors after the change is not compared. One with errors before it is compared as far as it can be
    derived whole. What is left out is in ``unclear`` of the report, and in none of its totals. ``notes`` are added to
    those of the report.

    Raises:
        StoredError: a stored preview cannot be used.
    """
    pairs = [_judged(pair, around) for pair in _pairs(base, head)]
    previewed = [found for found in (_previewed(pair, around) for pair in pairs) if found is not None]
    change = diff_pairs(
        previewed,
        around.catalog,
        inventory=around.owned.content if around.owned else None,
        today=around.today,
        ack_from=around.ack_from,
        base_name=base_name,
        head_name=head_name,
        notes=(*(note for pair in pairs for note in pair.notes), *notes),
        unclear=(entry for pair in pairs for entry in pair.unclear),
    )
    engine = engine_view_of(previewed, change, around.engine_runs, around.catalog)
    found = change_findings(previewed, change, around.catalog, today=around.today, most_hosts=around.most_hosts)
    documents = {pair.name: pair.checked.document for pair in pairs if pair.checked}
    findings = [
        *(finding for pair in pairs if not pair.same for finding in pair.findings),
        *(pair.moved for pair in pairs if pair.moved is not None),
        *_newly_across(pairs, around),
        *(finding for name, some in found.items() for finding in _located(documents.get(name), some)),
    ]
    return Comparison(Report(change, engine), sort_findings(findings))


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
    if pair.base is not None and not pair.same and not pair.base.stored:
        # Under the name after the change, so that the same finding has the same words.
        pair.former = check_plan(pair.base.read(pair.name), around.catalog, around.today)
    if pair.head is None or pair.head.stored:
        return pair
    pair.checked = check_plan(pair.head.read(pair.head.name), around.catalog, around.today)
    known = {_about(finding) for finding in pair.former.findings} if pair.former else set()
    pair.findings = tuple(
        finding
        for finding in pair.checked.findings
        if finding.severity is Severity.ERROR or _about(finding) not in known
    )
    if pair.elsewhere and pair.base is not None:
        _look_where_it_moved(pair, pair.base.name, pair.checked.document, around)
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


def _rules_of(findings: Iterable[Finding]) -> str:
    """The rules of the errors, in words."""
    return ", ".join(sorted({finding.rule for finding in findings if finding.severity is Severity.ERROR}))


def _about(finding: Finding) -> tuple[object, ...]:
    file = finding.position.file if finding.position else ""
    return file, finding.rule, finding.path, finding.message, finding.accepted


def _newly_across(pairs: Sequence[_Pair], around: Circumstances) -> list[Finding]:
    """What is wrong with all plans together, and was not before."""
    found = list(_across((pair.checked for pair in pairs), around))
    if not found:
        return []
    former = (pair.checked if pair.same else pair.former for pair in pairs)
    known = {_about(finding) for finding in _across(former, around)}
    of_inventory = around.owned.findings if around.owned is not None else ()
    return [finding for finding in found if finding in of_inventory or _about(finding) not in known]


def _across(plans: Iterable[CheckedPlan | None], around: Circumstances) -> Iterator[Finding]:
    found = [plan for plan in plans if plan is not None]
    return findings_across(found, around.owned, around.catalog, around.today)


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
    former = pair.former
    errors = _rules_of(former.findings) if former else ""
    if former is None or former.fleet is None:
        _leave_out(pair, "base", [WHOLE], _before(errors))
        return None
    missing = missing_items(former.document, former.fleet)
    for left_out in (missing, missing | touched_items(former.findings)):
        try:
            found = _without_items(pair, former, new, left_out)
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


def _without_items(pair: _Pair, former: CheckedPlan, new: PlanPreview | None, items: frozenset[str]) -> PlanPair | None:
    """Both sides without some items of the base, whatever these are called in the head; None where nothing is left."""
    if WHOLE in items:
        return None
    base = _reduced(former, items) if items else former
    if base is None or base.fleet is None:
        return None
    after = items_from(new.fleet, items) if new is not None else frozenset()
    if after:
        head = _reduced(pair.checked, after) if pair.checked is not None else None
        if head is None:
            return None
        new = preview_checked(head, pair.findings)
    return PlanPair(preview_checked(base, ()), new)


def _reduced(checked: CheckedPlan, items: frozenset[str]) -> CheckedPlan | None:
    """A plan without some of its items; None where nothing is left. It is another plan, and derived anew."""
    document = without(checked.document, items)
    return check_plan(document, checked.catalog, checked.today, rules=()) if document is not None else None


def _leave_out(pair: _Pair, side: Literal["base", "head"], items: Iterable[str], reason: str) -> None:
    """Say what is not compared. A group goes with its cluster."""
    names = set(items)
    shown = (item for item in sorted(names) if item.partition("/")[0] not in names - {item})
    pair.unclear += [Unclear(pair.name, item, side, reason) for item in shown]


def _preview_head(pair: _Pair, around: Circumstances) -> PlanPreview:
    assert pair.head is not None
    if pair.checked is None:
        return preview_stored(read_stored(pair.head.content), around.catalog, around.today)
    return preview_checked(pair.checked, pair.findings)
