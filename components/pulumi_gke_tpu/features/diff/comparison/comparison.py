"""Compares two sets of plan files: each plan checked and previewed before and after, and what changes."""

import datetime
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Literal

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.fleet.checked import WHOLE, CheckedPlan, items_from, missing_items, touched_items, without
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.graph.registered import PlanPreview, read_stored
from pulumi_gke_tpu.core.plan import Document
from pulumi_gke_tpu.core.plan.inventory import Inventory
from pulumi_gke_tpu.core.rules import check_plan
from pulumi_gke_tpu.core.rules.engine.run import Acceptances
from pulumi_gke_tpu.core.rules.files.reading import moved
from pulumi_gke_tpu.core.text.findings import Finding, Severity, listed, number, printable_path, quoted, sort_findings
from pulumi_gke_tpu.core.workflows.check import (
    FilePair,
    PlanFile,
    check_document,
    findings_about_standards,
    findings_across,
    pair_files,
)
from pulumi_gke_tpu.core.workflows.preview import preview_checked, preview_stored
from pulumi_gke_tpu.features.diff.comparison.change_report import PlanPair, change_findings, diff_pairs, engine_view_of
from pulumi_gke_tpu.features.diff.consent import AckFrom
from pulumi_gke_tpu.features.diff.engine.model import Report
from pulumi_gke_tpu.features.diff.model import Unclear

if TYPE_CHECKING:
    from pulumi_gke_tpu.core.plan.organization import Organization
    from pulumi_gke_tpu.features.diff.engine.events import EngineRun


@frozen
class DiffOptions:
    """What both sides of a comparison are checked and compared with."""

    catalog: Catalog
    inventory: Document[Inventory] | None
    today: datetime.date | None
    ack_from: AckFrom = "head"
    most_hosts: int | None = None
    """How many hosts a change of one plan may delete or re-create; None for the default of the rule."""
    engine_runs: "tuple[EngineRun, ...]" = ()
    """Previews by the real engine, of the stacks after the change."""
    organization: "Document[Organization] | None" = None
    proposed: "Document[Organization] | None" = None
    """The organization file after the change, if the change modifies it. Its standards do not apply yet."""

    @property
    def owned(self) -> Inventory | None:
        """The content of the inventory. It applies to both sides, so a new price is not a change of a plan."""
        return self.inventory.content if self.inventory is not None else None


_SHOWN = 3


@frozen
class CheckedPair:
    """A plan file before and after, with what was found about it."""

    files: FilePair
    head: CheckedPlan | None = None
    """After the change; None for a stored preview, and where the file is gone."""
    base: CheckedPlan | None = None
    """Before the change; None for a stored preview, and where the file is new or did not change."""
    findings: tuple[Finding, ...] = ()
    """Findings about the plan after the change: its errors, and other findings that are new."""
    moved: Finding | None = None
    """About the new path of the file, where that may matter."""
    notes: tuple[str, ...] = ()
    unclear: tuple[Unclear, ...] = ()

    @property
    def name(self) -> str:
        """The name of the file after the change if it is there."""
        return self.files.name


def check_pair(files: FilePair, options: DiffOptions) -> CheckedPair:
    """Read and check both sides, each once."""
    base = head = None
    if files.base is not None and not files.same and not files.base.stored:
        # Under the name after the change, so that the same finding has the same words.
        base = check_document(files.base.read(files.name), options.catalog, options.today)
    if files.head is None or files.head.stored:
        return CheckedPair(files, base=base)
    head = check_document(files.head.read(files.head.name), options.catalog, options.today)
    exists = head.document.describes_resources
    identity = identity_in_source if exists else _identity
    known = {identity(finding) for finding in base.findings} if base else set()
    findings = tuple(
        finding
        for finding in head.findings
        if (finding.severity is Severity.ERROR and not exists) or identity(finding) not in known
    )
    if not files.moved or files.base is None:
        return CheckedPair(files, head, base, findings)
    finding = moved(files.base.name, files.name)
    if finding is None:
        note = f"{quoted(files.name)} was moved from {quoted(files.base.name)}, in a folder with the same name."
        return CheckedPair(files, head, base, findings, notes=(note,))
    if head.plan is not None:
        finding = Acceptances(head.plan, options.today).applied(finding)
    (finding,) = head.document.locate([finding])
    reason = (
        f"it was moved from {quoted(files.base.name)}: in a folder with another name, it may belong to another stack"
    )
    unclear = () if finding.accepted else (Unclear(files.name, WHOLE, "moved", reason),)
    return CheckedPair(files, head, base, findings, moved=finding, unclear=unclear)


def new_findings_across(pairs: Sequence[CheckedPair], options: DiffOptions) -> list[Finding]:
    """The findings about all plans together that are new with the change, and those about the form of other files."""
    found = list(_across((pair.head for pair in pairs), options))
    if not found:
        return []
    former = (pair.head if pair.files.same else pair.base for pair in pairs)
    known = {_identity(finding) for finding in _across(former, options)}
    # Findings about the new organization file replace those of the base, so that a change can correct the file.
    files = (options.inventory, options.organization if options.proposed is None else None)
    about_files = [finding for file in files if file is not None for finding in file.findings]
    return [finding for finding in found if finding in about_files or _identity(finding) not in known]


def _across(plans: Iterable[CheckedPlan | None], options: DiffOptions) -> Iterator[Finding]:
    found = [plan for plan in plans if plan is not None]
    return findings_across(found, options.inventory, options.catalog, options.today, options.organization)


def _identity(finding: Finding) -> tuple[object, ...]:
    """The identity of a finding, which does not depend on its line."""
    file = finding.position.file if finding.position else ""
    return file, finding.rule, finding.path, finding.message, finding.accepted


def identity_in_source(finding: Finding) -> tuple[object, ...]:
    """The identity of a finding about what exists. The path has the address, and each side its own file."""
    return finding.rule, finding.path, finding.message


@frozen
class Proposed:
    """What a changed organization file means for the plans after the change."""

    findings: tuple[Finding, ...] = ()
    """The problems of the new file itself."""
    notes: tuple[str, ...] = ()


def proposed_standards(plans: Sequence[CheckedPlan], options: DiffOptions) -> Proposed:
    """Check plans against the new organization file too, if the change modifies it."""
    if options.proposed is None:
        return Proposed()
    name = quoted(options.proposed.name)
    before = [] if options.organization is None else _errors(plans, options, options.organization.name)
    found = tuple(findings_about_standards(plans, options.proposed, options.inventory, options.catalog, options.today))
    in_file = tuple(finding for finding in found if _is_in(finding, options.proposed.name))
    after = [finding for finding in found if finding not in in_file and finding.severity is Severity.ERROR]
    fewer, more = _without(before, after), _without(after, before)
    what = "changes: this comparison uses the file of the base"
    if options.organization is None:
        what = "is new: this comparison uses no standards"
    notes = [f"{name} {what}. The new standards apply after the merge."]
    if fewer:
        notes.append(f"With the new {name}, {_counted(fewer)} would not be reported.")
    if more:
        notes.append(f"With the new {name}, {_counted(more)} would be reported.")
    return Proposed(in_file, tuple(notes))


def _errors(plans: Sequence[CheckedPlan], options: DiffOptions, name: str) -> list[Finding]:
    assert options.organization is not None
    found = findings_about_standards(plans, options.organization, options.inventory, options.catalog, options.today)
    return [each for each in found if not _is_in(each, name) and each.severity is Severity.ERROR]


def _is_in(finding: Finding, name: str) -> bool:
    return finding.position is not None and finding.position.file == printable_path(name)


def _standard_identity(finding: Finding) -> tuple[object, ...]:
    standard = finding.related.text if finding.related else ""
    return finding.position and finding.position.file, finding.rule, finding.path, standard


def _without(findings: list[Finding], others: list[Finding]) -> list[Finding]:
    known = {_standard_identity(finding) for finding in others}
    return [finding for finding in findings if _standard_identity(finding) not in known]


def _counted(findings: list[Finding]) -> str:
    """``2 errors (TPU925 of `stacks/prod/plan.yaml:30`)``."""
    places = [f"{each.rule} at {each.position.file}:{each.position.line}" for each in findings if each.position]
    return f"{number(len(findings), 'error')} ({listed(places, most=_SHOWN)})"


@frozen
class PreviewedPair:
    """Both sides of a plan as far as they can be compared; ``plans`` is None if nothing of it can."""

    plans: PlanPair | None
    unclear: tuple[Unclear, ...] = ()
    """What was left out."""
    notes: tuple[str, ...] = ()


def preview_pair(pair: CheckedPair, options: DiffOptions) -> PreviewedPair:
    """Preview both sides. An unchanged plan is previewed once.

    Raises:
        StoredError: a stored preview cannot be used.
    """
    files, errors = pair.files, "" if pair.head is not None and pair.head.is_usable else _rules_of(pair.findings)
    if errors and files.same:
        also = "has errors, also before this change: it is not compared and not in the totals."
        return PreviewedPair(None, notes=(f"{quoted(pair.name)} {also}",))
    if errors:
        return PreviewedPair(None, _left_out(pair, "head", [WHOLE], f"it has errors ({errors})"))
    head = _preview_head(pair, options)
    if files.base is None or files.same:
        return PreviewedPair(PlanPair(None if files.base is None else head, head))
    if files.base.stored:
        base = preview_stored(read_stored(files.base.content), options.catalog, options.today, options.owned)
        if base.fleet.unresolved:
            reason = "this version of gke-tpu cannot reproduce all resources of its stored preview"
            return PreviewedPair(None, _left_out(pair, "base", [WHOLE], reason))
        return PreviewedPair(PlanPair(base, head))
    return _compared_with_base(pair, head, options.owned)


def _preview_head(pair: CheckedPair, options: DiffOptions) -> PlanPreview | None:
    if pair.head is not None:
        return preview_checked(pair.head, pair.findings, options.owned)
    if pair.files.head is None:
        return None
    return preview_stored(read_stored(pair.files.head.content), options.catalog, options.today, options.owned)


def _compared_with_base(pair: CheckedPair, head: PlanPreview | None, owned: Inventory | None) -> PreviewedPair:
    """A plan before the change, which may have errors, beside the one after it."""
    base = pair.base
    errors = _rules_of(base.findings) if base else ""
    before = f"it had errors before this change ({errors})"
    if base is not None and base.plan is None and base.findings:
        first = base.findings[0]
        before = f"it could not be read as a plan before this change ({first.rule}: {first.message})"
    nothing = PreviewedPair(None, _left_out(pair, "base", [WHOLE], before))
    if base is None or base.fleet is None:
        return nothing
    missing = missing_items(base.document, base.fleet)
    for left_out in (missing, missing | touched_items(base.findings)):
        try:
            plans = _without_items(pair, base, head, left_out, owned)
        except Exception:
            # A plan that the rules refuse may be impossible to preview; without errors it is a bug of ours.
            if not errors:
                raise
            continue
        if plans is None:
            break
        after = items_from(head.fleet, left_out) if head is not None else frozenset()
        gone = {item for item in left_out if head is None or not items_from(head.fleet, [item])}
        whole = f"{quoted(pair.name)}: {before}; all of its resources are known, so it is compared."
        notes = (whole,) if errors and not left_out and not base.document.describes_resources else ()
        return PreviewedPair(plans, _left_out(pair, "base", after | gone, before), notes)
    return nothing


def _without_items(
    pair: CheckedPair, base: CheckedPlan, head: PlanPreview | None, items: frozenset[str], owned: Inventory | None
) -> PlanPair | None:
    """Both sides without some items of the base, regardless of their names in the head; None if nothing is left."""
    if WHOLE in items:
        return None
    reduced = _reduced(base, items) if items else base
    if reduced is None or reduced.fleet is None:
        return None
    after = items_from(head.fleet, items) if head is not None else frozenset()
    if after:
        reduced_head = _reduced(pair.head, after) if pair.head is not None else None
        if reduced_head is None:
            return None
        head = preview_checked(reduced_head, pair.findings, owned)
    return PlanPair(preview_checked(reduced, (), owned), head)


def _reduced(checked: CheckedPlan, items: frozenset[str]) -> CheckedPlan | None:
    """A plan without some of its items; None if nothing is left. It is another plan, and derived anew."""
    document = without(checked.document, items)
    return check_plan(document, checked.catalog, checked.today, rules=()) if document is not None else None


def _left_out(
    pair: CheckedPair, side: Literal["base", "head"], items: Iterable[str], reason: str
) -> tuple[Unclear, ...]:
    """What is not compared. A group is left out with its cluster."""
    names = set(items)
    shown = (item for item in sorted(names) if item.partition("/")[0] not in names - {item})
    return tuple(Unclear(pair.name, item, side, reason) for item in shown)


def _rules_of(findings: Iterable[Finding]) -> str:
    """The rules of the errors, as a list."""
    return ", ".join(sorted({finding.rule for finding in findings if finding.severity is Severity.ERROR}))


@frozen
class Comparison:
    """What changes, and the findings about it."""

    report: Report
    findings: tuple[Finding, ...]
    """About the plans after the change, if they are new with it, and about the change."""


def compare_files(
    base: Mapping[str, PlanFile],
    head: Mapping[str, PlanFile],
    options: DiffOptions,
    *,
    base_name: str,
    head_name: str,
    notes: Iterable[str] = (),
) -> Comparison:
    """Compare plan files before and after a change. Files belong together by their keys.

    A plan with errors after the change is not compared. One with errors before it is compared as far as it can be
    derived whole. What is left out is in ``unclear`` of the report, and in none of its totals. ``notes`` are added to
    those of the report.

    Raises:
        StoredError: a stored preview cannot be used.
    """
    pairs = [check_pair(files, options) for files in pair_files(base, head)]
    previewed = [preview_pair(pair, options) for pair in pairs]
    plans = [pair.plans for pair in previewed if pair.plans is not None]
    proposed = proposed_standards([pair.head for pair in pairs if pair.head is not None], options)
    both = list(zip(pairs, previewed, strict=True))
    change = diff_pairs(
        plans,
        options.catalog,
        inventory=options.owned,
        today=options.today,
        ack_from=options.ack_from,
        base_name=base_name,
        head_name=head_name,
        notes=(*(note for checked, shown in both for note in (*checked.notes, *shown.notes)), *proposed.notes, *notes),
        unclear=(entry for checked, shown in both for entry in (*checked.unclear, *shown.unclear)),
    )
    about_change = change_findings(plans, change, options.catalog, today=options.today, most_hosts=options.most_hosts)
    documents = {pair.name: pair.head.document for pair in pairs if pair.head}
    findings = [
        *(finding for pair in pairs if not pair.files.same for finding in pair.findings),
        *(pair.moved for pair in pairs if pair.moved is not None),
        *new_findings_across(pairs, options),
        *proposed.findings,
    ]
    for name, found in about_change.items():
        findings += documents[name].locate(found) if name in documents else found
    engine = engine_view_of(plans, change, options.engine_runs, options.catalog)
    return Comparison(Report(change, engine), sort_findings(findings))
