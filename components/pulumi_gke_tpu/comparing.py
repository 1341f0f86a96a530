"""Compares two sets of plan files: each file is read and judged, what is equal is previewed once, the rest twice."""

import dataclasses
import datetime
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from pulumi_gke_tpu.catalog import Catalog
from pulumi_gke_tpu.change.acknowledgements import AckFrom
from pulumi_gke_tpu.change.engine_events import EngineRun
from pulumi_gke_tpu.change.model import ChangeReport
from pulumi_gke_tpu.diffing import PlanPair, change_findings, diff_pairs, with_engine
from pulumi_gke_tpu.findings import Finding, Severity, printable, sort_findings
from pulumi_gke_tpu.plan import Document, Inventory, Plan, read_plan_content
from pulumi_gke_tpu.preview.result import PlanPreview
from pulumi_gke_tpu.preview.stored import read_stored
from pulumi_gke_tpu.previewing import preview_document, preview_stored
from pulumi_gke_tpu.rules import validate
from pulumi_gke_tpu.rules.fleet_wide import validate_fleet
from pulumi_gke_tpu.rules.inventory import validate_inventory

STORED_ENDING = ".json"


@dataclass(frozen=True, slots=True)
class PlanFile:
    """A file of one side, and how it is called there: a plan, or a stored preview where its name ends so."""

    name: str
    content: bytes

    @property
    def stored(self) -> bool:
        """Whether it is a stored preview."""
        return self.name.endswith(STORED_ENDING)


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
    was_wrong: bool = False
    """Whether the plan had errors before the change."""
    notes: list[str] = field(default_factory=list)

    @property
    def same(self) -> bool:
        return self.base is not None and self.head is not None and self.base.content == self.head.content

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

    A plan with errors after the change is not compared; its findings say why. Errors before the change are noted, and
    the plan is compared as far as it can be derived.

    Raises:
        StoredError: a stored preview cannot be used.
    """
    pairs = [_judged(pair, around) for pair in _pairs(base, head)]
    previewed = []
    for pair in pairs:
        if _has_errors(pair.findings):
            since = ", before this change too," if pair.same else ""
            pair.notes.append(f"{printable(pair.name)} has errors{since} and is not compared")
            continue
        new = _preview_head(pair, around) if pair.head else None
        old = new if pair.same else _preview_base(pair, around) if pair.base else None
        if pair.base is not None and old is None:
            continue
        previewed.append(PlanPair(old, new))
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
        *_newly_across(pairs, around),
        *(finding for name, some in found.items() for finding in _located(documents.get(name), some)),
    ]
    report = dataclasses.replace(report, notes=(*report.notes, *notes))
    report = with_engine(report, previewed, around.engine_runs, around.catalog)
    return Comparison(report, sort_findings(findings))


def _pairs(base: Mapping[str, PlanFile], head: Mapping[str, PlanFile]) -> Iterator[_Pair]:
    """Files that belong together: by key, and those that have only moved by their content."""
    gone = {key: file for key, file in base.items() if key not in head}
    for key, file in head.items():
        if key in base:
            yield _Pair(base[key], file)
            continue
        former = next((other for other, old in gone.items() if old.content == file.content), None)
        if former is None:
            yield _Pair(None, file)
            continue
        pair = _Pair(gone.pop(former), file)
        assert pair.base is not None
        moved = f"{printable(file.name)} was {printable(pair.base.name)}"
        pair.notes.append(f"{moved}: taken for the same stack, which holds only if the stack is still called the same")
        yield pair
    for file in gone.values():
        yield _Pair(file, None)


def _judged(pair: _Pair, around: Circumstances) -> _Pair:
    """Read and judge the plan before and after the change. Warnings that were there before are not repeated."""
    former = _judge_base(pair, around)
    if pair.head is None or pair.head.stored:
        return pair
    pair.document = read_plan_content(pair.head.content, pair.head.name)
    found = _own_findings(pair.document, around)
    known = {_about(finding) for finding in former}
    pair.findings = tuple(
        finding for finding in found if finding.severity is Severity.ERROR or _about(finding) not in known
    )
    return pair


def _judge_base(pair: _Pair, around: Circumstances) -> tuple[Finding, ...]:
    """Read and judge the plan before the change, where it was another one."""
    if pair.base is None or pair.same or pair.base.stored:
        return ()
    # Under the name after the change, so that the same finding has the same words.
    pair.former = read_plan_content(pair.base.content, pair.name)
    found = _own_findings(pair.former, around)
    errors = [finding for finding in found if finding.severity is Severity.ERROR]
    pair.was_wrong = bool(errors)
    if errors:
        rules = ", ".join(sorted({finding.rule for finding in errors}))
        pair.notes.append(f"{printable(pair.base.name)} had errors before this change ({rules})")
    return found


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


def _has_errors(findings: Iterable[Finding]) -> bool:
    return any(finding.severity is Severity.ERROR for finding in findings)


def _preview_head(pair: _Pair, around: Circumstances) -> PlanPreview:
    assert pair.head is not None
    if pair.document is None:
        return preview_stored(read_stored(pair.head.content), around.catalog, around.today)
    return preview_document(pair.document, pair.findings, around.catalog, around.today)


def _preview_base(pair: _Pair, around: Circumstances) -> PlanPreview | None:
    """The preview of a plan before the change, which may be full of errors."""
    assert pair.base is not None
    if pair.base.stored:
        return preview_stored(read_stored(pair.base.content), around.catalog, around.today)
    assert pair.former is not None
    if pair.former.content is not None:
        try:
            return preview_document(pair.former, (), around.catalog, around.today)
        except Exception:
            # Nothing promises that a plan which the rules refuse can be derived; without errors it is our mistake.
            if not pair.was_wrong:
                raise
    pair.notes.append(f"{printable(pair.base.name)} cannot be read as it was before this change: it is not compared")
    return None
