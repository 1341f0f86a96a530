"""What several commands do before and while they compute."""

import sys
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from pulumi_gke_tpu.cli.options import PlanningInputs, has_errors, screen
from pulumi_gke_tpu.cli.writers import ShownFindings, echo, written
from pulumi_gke_tpu.core.text.findings import Finding, listed

if TYPE_CHECKING:
    from pulumi_gke_tpu.core.catalog import Catalog
    from pulumi_gke_tpu.core.fleet.checked import CheckedPlan
    from pulumi_gke_tpu.core.plan.inventory import Inventory
    from pulumi_gke_tpu.core.workflows.check import CheckedPlans


_MOST_LEFT_OUT = 5


def complain(findings: tuple[Finding, ...]) -> None:
    """Write findings to stderr as text."""
    echo(written("text", screen(), findings=lambda: ShownFindings(findings)), err=True)


PATIENCE = 2.0
"""Seconds before the line appears."""


@contextmanager
def progress(doing: str) -> Iterator[None]:
    """Write the activity to stderr, if that is a terminal and the activity takes longer than two seconds."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield
        return
    shown = threading.Event()

    def show() -> None:
        shown.set()
        sys.stderr.write(f"{doing} ...")
        sys.stderr.flush()

    timer = threading.Timer(PATIENCE, show)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()
        if shown.is_set():
            sys.stderr.write("\r\033[K")
            sys.stderr.flush()


def usable_plans(
    plans: Sequence[str], inputs: PlanningInputs, catalog: "Catalog"
) -> "tuple[CheckedPlans, Inventory | None]":
    """The plans in the order of their names, checked together and against inventory and standards, and the inventory.

    Errors about the plans together, such as a sum that exceeds a reservation, are in the findings of the result.

    Raises:
        click.exceptions.Exit: a plan has errors of its own or another file cannot be read; stderr has the findings.
        click.UsageError: a file does not exist, or a folder contains no plan.
        OSError: a folder cannot be read.
    """
    from pulumi_gke_tpu.cli.files.described_plans import read_fleets, running
    from pulumi_gke_tpu.cli.files.plan_arguments import read_inventory_file, read_organization_file
    from pulumi_gke_tpu.core.workflows.check import check_documents

    found = [running(document, catalog) for document in read_fleets(plans, catalog)]
    documents = sorted(found, key=lambda document: document.name or "")
    owned = read_inventory_file(inputs.inventory)
    standards = read_organization_file(inputs.organization)
    checked = check_documents(documents, owned, catalog, inputs.day, standards)
    unreadable = any(file is not None and has_errors(file.findings, strict=False) for file in (owned, standards))
    if unreadable or not all(plan.is_usable for plan in checked.plans):
        report_errors(checked.findings)
        raise click.exceptions.Exit(1)
    tell_left_out(checked.plans)
    return checked, owned.content if owned else None


def tell_left_out(plans: "Iterable[CheckedPlan]") -> None:
    """Name on stderr the resources that a described plan does not have, or whose slices are not known."""
    for plan in plans:
        if plan.fleet is None or not plan.document.describes_resources:
            continue
        from pulumi_gke_tpu.core.workflows.described import DescribedDocument  # most commands get plans

        if isinstance(plan.document, DescribedDocument):
            left_out = listed(list(dict.fromkeys(plan.document.left_out(plan.fleet))), most=_MOST_LEFT_OUT)
            if left_out:
                click.echo(f"not counted: {left_out}", err=True)


def report_errors(findings: tuple[Finding, ...]) -> int:
    """Print findings to stderr if one of them is an error, and return the exit code of the command."""
    if not has_errors(findings, strict=False):
        return 0

    complain(findings)
    return 1
