"""``gke-tpu validate --fix``: write a fix wherever only one is possible."""

import difflib
import functools
import os
import pathlib
from collections.abc import Callable, Iterable, Iterator, Sequence

import click

from pulumi_gke_tpu.cli.files.plan_arguments import read_content, read_contents
from pulumi_gke_tpu.cli.files.standard_input import STDIN, STDIN_NAME
from pulumi_gke_tpu.cli.files.writing import CannotWriteError, check_inside, replace_content
from pulumi_gke_tpu.cli.options import PlanningInputs, has_errors, is_interactive
from pulumi_gke_tpu.cli.writers import echo
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.output.parts import first_of, weight_of
from pulumi_gke_tpu.core.plan import read_inventory, read_organization, read_plan
from pulumi_gke_tpu.core.plan.files.kinds import INVENTORY, ORGANIZATION, FileKind
from pulumi_gke_tpu.core.text.document.terminal import no_command, no_mark
from pulumi_gke_tpu.core.text.findings import Finding, Reading, Severity, one_line, printable_path, safe
from pulumi_gke_tpu.core.text.findings.wording import number
from pulumi_gke_tpu.core.workflows.fixing import FixableFile, Fixer, FixReport, decision, readings_of


@frozen
class Output:
    """How the findings are shown."""

    is_text: bool
    """Whether their format is text."""
    strict: bool
    """Whether warnings fail the command."""
    most: int
    """How many decisions are listed; 0 lists all."""
    render: Callable[[tuple[Finding, ...]], str | bytes]


def run_fix(
    plans: Sequence[str],
    inputs: PlanningInputs,
    output: Output,
    dry_run: bool,
) -> int:
    """Fix plans, an inventory and an organization file, show the changes and what remains; returns the exit code.

    In text, everything is on standard output. In other formats, and if a plan is standard input, the findings or the
    fixed plan are on standard output, and the rest on standard error.
    """
    inventory, organization = inputs.inventory, inputs.organization
    contents = read_contents(plans)
    files = [FixableFile(_shown(name), content) for name, content in contents.items() if content is not None]
    others = tuple(read_plan(pathlib.Path(name)) for name, content in contents.items() if content is None)
    beside = [(path, kind) for path, kind in ((inventory, INVENTORY), (organization, ORGANIZATION)) if path is not None]
    unread = set[FileKind]()
    for path, kind in beside:
        content = read_content(path)
        if content is None:
            unread.add(kind)
        else:
            files.append(FixableFile(path, content, kind))
    unread_inventory = read_inventory(pathlib.Path(inventory)) if inventory and INVENTORY in unread else None
    unread_standards = (
        read_organization(pathlib.Path(organization)) if organization and ORGANIZATION in unread else None
    )
    fixer = Fixer(inputs.catalog(), inputs.day, others, unread_inventory, unread_standards)
    report = fixer.fix(files)
    if output.is_text and not dry_run and STDIN not in contents and is_interactive():
        report = fixer.decide(report, functools.cache(_chosen))
    try:
        for _, after in report.changed:
            _check_links(after.name, plans)
        if not dry_run:
            _write(report)
    except CannotWriteError as error:
        click.echo(f"Error: cannot write {no_mark(printable_path(error))}", err=True)
        return 2
    prints_plan = STDIN in contents and not dry_run
    aside = prints_plan or not output.is_text
    for line in (*_diff(report), *_summary(report, dry_run, output.most)):
        click.echo(no_command(no_mark(line)), err=aside)
    if prints_plan:
        stdin = next(file for file in report.after if file.name == STDIN_NAME)
        click.echo(stdin.content, nl=False)
    echo(output.render(report.findings), err=prints_plan)
    return 1 if has_errors(report.findings, output.strict) or (dry_run and report.changed) else 0


def _chosen(finding: Finding) -> Reading | None:
    """The reading that a person chooses; None leaves the entry as it is."""
    readings = readings_of(finding)
    lines = [
        f"{finding.position}: {finding.message}",
        *(f"  {number}  {each.text}" for number, each in enumerate(readings, 1)),
    ]
    for line in (*lines, "  0  leave it"):
        click.echo(no_command(no_mark(one_line(line))))
    answer: int = click.prompt("Which one?", type=click.IntRange(0, len(readings)), default=0)
    return readings[answer - 1] if answer else None


def _shown(name: str) -> str:
    return STDIN_NAME if name == STDIN else name


def _check_links(name: str, plans: Sequence[str]) -> None:
    """Refuse a symbolic link that is only found because it is below a folder of the arguments.

    Raises:
        CannotWriteError: the file is such a link.
    """
    folders = [pathlib.Path(plan) for plan in plans if plan != STDIN and os.path.isdir(plan)]
    found = [folder for folder in folders if folder in pathlib.Path(name).parents]
    if found and not any(pathlib.Path(plan) == pathlib.Path(name) for plan in plans):
        check_inside(found[0], pathlib.Path(name))


def _write(report: FixReport) -> None:
    """Write the changed files.

    Raises:
        CannotWriteError: one of them cannot be written.
    """
    for before, after in report.changed:
        if after.name == STDIN_NAME:
            continue
        try:
            replace_content(pathlib.Path(after.name), before.content, after.content)
        except OSError as error:
            raise CannotWriteError(f"{after.name}: {error.strerror}") from None


def _diff(report: FixReport) -> Iterator[str]:
    for before, after in report.changed:
        old, new = ((file.text or "").splitlines() for file in (before, after))
        name = printable_path(after.name)
        yield from map(safe, difflib.unified_diff(old, new, fromfile=name, tofile=name, lineterm=""))


def _summary(report: FixReport, dry_run: bool, most: int) -> Iterator[str]:
    """How much was fixed, and for every problem that remains what a person has to decide."""
    done = "would be fixed" if dry_run else "fixed"
    where = f" in {number(len(report.changed), 'file')}" if report.changed else ""
    yield f"{number(report.applied, 'problem')} {done}{where}"
    remaining = [finding for finding in report.findings if finding.severity > Severity.NOTE and not finding.accepted]
    if remaining:
        yield f"{number(len(remaining), 'problem')} not fixed:"
        shown, left_out = first_of(remaining, most, weight_of)
        yield from _decisions(shown)
        if left_out:
            yield f"  and {left_out:,} more: --max-findings 0 shows all"
    yield ""


def _decisions(findings: Iterable[Finding]) -> Iterator[str]:
    for finding in findings:
        place = finding.position
        where = f"{place}: " if place else ""
        yield f"  {where}{finding.rule}: {one_line(decision(finding))}"
