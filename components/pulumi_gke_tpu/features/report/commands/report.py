"""``gke-tpu report``: write one HTML page about plans, their capacity and their cost."""

import datetime
import pathlib
from typing import TYPE_CHECKING, Literal

import click

from pulumi_gke_tpu.cli.commands import CommandWithExamples
from pulumi_gke_tpu.cli.options import PlanningInputs, fleets_argument, planning_options, require
from pulumi_gke_tpu.cli.shared import report_errors, usable_plans
from pulumi_gke_tpu.core.text.findings import printable
from pulumi_gke_tpu.features.calendar.days import from_option, shown_days, until_option

if TYPE_CHECKING:
    from pulumi_gke_tpu.features.report.page import ReportBudget

_BUDGET_PER: "dict[str, Literal['month', 'runs']]" = {"": "month", "month": "month", "run": "runs", "runs": "runs"}


@click.command(
    "report",
    cls=CommandWithExamples,
    short_help="Write an HTML page about plans, their capacity and cost.",
    examples=("gke-tpu report plan.yaml -o report.html",),
)
@fleets_argument
@click.option(
    "-o",
    "--output",
    type=click.Path(allow_dash=True),
    required=True,
    metavar="FILE",
    help="File to write; - is standard output.",
)
@click.option("--force", is_flag=True, help="Overwrite an existing file.")
@click.option("--title", metavar="TEXT", default="", help="Heading of the page.")
@click.option(
    "--budget", metavar="USD", help="Budget of the plans: 1500000/month, or 200000/runs for all planned runs."
)
@from_option
@until_option
@planning_options()
def command(
    plans: tuple[str, ...],
    output: str,
    force: bool,
    title: str,
    budget: str | None,
    inputs: PlanningInputs,
    first: datetime.date | None,
    last: datetime.date | None,
) -> int:
    """Write one self-contained HTML page: chips by zone, cost, capacity, calendar, slices, findings and sources.

    The page fetches nothing. The same input gives the same page.

    gke-tpu prints errors to stderr and exits with 1. If an error is in a plan itself, there is no page.
    """
    require("gke-tpu report", "report", "drawsvg", "jinja2")
    catalog, day = inputs.catalog(), inputs.day
    first, last = shown_days(first or day, last)
    checked, owned = usable_plans(plans, inputs, catalog)
    code = report_errors(checked.findings)
    from pulumi_gke_tpu.core.estimate.headroom import headroom
    from pulumi_gke_tpu.core.schedule.events import calendar_of
    from pulumi_gke_tpu.features.cost.recommend.costs import costs_of
    from pulumi_gke_tpu.features.report.page import report_html

    costs = costs_of(checked.plans, checked.inventory, catalog, today=day, organization=checked.organization)
    html = report_html(
        headroom(checked.plans, owned, catalog),
        costs,
        calendar_of(checked.plans, owned, catalog, first, last, today=day),
        findings=checked.findings,
        catalog=catalog,
        today=day,
        title=title,
        budget=_budget(budget),
    )
    if output == "-":
        click.echo(html, nl=False, color=True)
    elif not _write(output, html, force=force):
        return 2
    return code


def _budget(text: str | None) -> "ReportBudget | None":
    """The budget of a month or of the planned runs, such as 1.5M, 20,000/month or 200k/runs."""
    from pulumi_gke_tpu.cli.amounts import read_amount
    from pulumi_gke_tpu.features.report.page import ReportBudget

    if text is None:
        return None
    usd, per = read_amount(text) or (None, "")
    if usd is None or per not in _BUDGET_PER:
        raise click.UsageError(
            f"Invalid budget {printable(text, 60)}: use a form such as 1500000/month or 200000/runs."
        )
    return ReportBudget(usd, _BUDGET_PER[per])


def _write(output: str, html: str, *, force: bool) -> bool:
    from pulumi_gke_tpu.cli.files.writing import write_and_name

    path = pathlib.Path(output)
    if not path.name:
        raise click.UsageError("-o requires the name of a file.")
    return write_and_name(path.parent, {path.name: html}, overwrite=force)
