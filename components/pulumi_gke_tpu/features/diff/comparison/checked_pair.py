"""Checks a plan file before and after a change, and keeps the findings that are new with it."""

from collections.abc import Iterable, Iterator, Sequence

from pulumi_gke_tpu.core.fleet.checked import CheckedPlan
from pulumi_gke_tpu.core.fleet.missing import WHOLE
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.rules import check_plan
from pulumi_gke_tpu.core.rules.engine.acceptances import Acceptances
from pulumi_gke_tpu.core.rules.files.moved import moved
from pulumi_gke_tpu.core.text.findings import Finding, Severity, listed, number, printable_path, quoted
from pulumi_gke_tpu.core.workflows.check import findings_about_standards, findings_across
from pulumi_gke_tpu.core.workflows.plan_file import FilePair
from pulumi_gke_tpu.features.diff.comparison.options import DiffOptions
from pulumi_gke_tpu.features.diff.model import Unclear

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
        base = check_plan(files.base.read(files.name), options.catalog, options.today)
    if files.head is None or files.head.stored:
        return CheckedPair(files, base=base)
    head = check_plan(files.head.read(files.head.name), options.catalog, options.today)
    known = {_identity(finding) for finding in base.findings} if base else set()
    findings = tuple(
        finding for finding in head.findings if finding.severity is Severity.ERROR or _identity(finding) not in known
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
