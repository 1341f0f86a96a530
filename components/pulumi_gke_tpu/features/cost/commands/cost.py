"""``gke-tpu cost``: show what plans cost, and what the alternatives cost."""

from typing import TYPE_CHECKING, Any

import click

from pulumi_gke_tpu.cli.commands import CommandWithExamples
from pulumi_gke_tpu.cli.options import PlanningInputs, fleets_argument, planning_options, show
from pulumi_gke_tpu.cli.shared import report_errors, usable_plans
from pulumi_gke_tpu.core.text.findings import printable

if TYPE_CHECKING:
    from pulumi_gke_tpu.core.text.document.model import Page
    from pulumi_gke_tpu.features.cost.recommend.costs import CostPeriod


@click.command(
    "cost",
    cls=CommandWithExamples,
    short_help="Show the cost of plans, and of alternatives for each slice group.",
    examples=(
        "gke-tpu cost plan.yaml --for 10d",
        "gke-tpu cost plan.yaml --why-not spot",
    ),
)
@fleets_argument
@click.option("--for", "duration", metavar="DURATION", help="Also show the cost for this duration, such as 10d.")
@click.option(
    "--why-not",
    metavar="WORD",
    help="Explain why a capacity mode, zone, region, reservation or commitment is not an alternative.",
)
@planning_options("page", "data")
def command(
    plans: tuple[str, ...],
    duration: str | None,
    why_not: str | None,
    inputs: PlanningInputs,
    output_format: str,
) -> int:
    """Show the cost of every slice group per hour, day and month, and of every planned run for its length.

    Below each group are its alternatives: other capacity modes, the cheapest other zone, and commitments, without those
    that a rule or a standard of the organization rejects. If the inventory has the price of a contract, this is the
    price of reserved slices. A separate table shows the cost of the VMs of reservations that no plan uses.

    gke-tpu prints errors to stderr and exits with 1. If an error is in a plan itself, there is no table.
    """
    if why_not is not None and output_format != "text":
        raise click.UsageError("--why-not requires the text format.")
    period = _period(duration)
    catalog = inputs.catalog()
    checked, _ = usable_plans(plans, inputs, catalog)
    code = report_errors(checked.findings)
    from pulumi_gke_tpu.features.cost.recommend.costs import asked_of, costs_of, lines_of

    asked = asked_of(why_not, catalog) if why_not is not None else None
    costs = costs_of(
        checked.plans,
        checked.inventory,
        catalog,
        today=inputs.day,
        period=period,
        organization=checked.organization,
        zones=asked.zones if asked is not None else (),
    )
    if asked is not None:
        lines = lines_of(asked, costs)
        if not lines:
            raise click.UsageError(
                f"Unknown name {printable(why_not, 60)}: name a capacity mode, zone, region, reservation or commitment."
            )
        for line in lines:
            click.echo(printable(line, 1000))
        return code

    def page() -> "Page":
        from pulumi_gke_tpu.features.cost.output.document import cost_page

        return cost_page(costs)

    def data() -> dict[str, Any]:
        from pulumi_gke_tpu.features.cost.output.json import cost_json

        return cost_json(costs)

    show(output_format, page=page, data=data)
    return code


def _period(text: str | None) -> "CostPeriod | None":
    from pulumi_gke_tpu.cli.amounts import duration_argument
    from pulumi_gke_tpu.features.cost.recommend.costs import period_of

    duration = duration_argument(text)
    return None if text is None or duration is None else period_of(text, duration)
