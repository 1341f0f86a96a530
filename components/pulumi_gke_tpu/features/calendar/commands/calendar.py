"""``gke-tpu calendar``: show maintenance, capacity and planned runs of plans on one time line."""

import dataclasses
import datetime
import pathlib
from typing import TYPE_CHECKING, Any

import click

from pulumi_gke_tpu.cli.commands import CommandWithExamples
from pulumi_gke_tpu.cli.options import PlanningInputs, fleets_argument, planning_options, require, show
from pulumi_gke_tpu.cli.shared import report_errors, usable_plans
from pulumi_gke_tpu.features.calendar.days import from_option, shown_days, until_option

if TYPE_CHECKING:
    from pulumi_gke_tpu.cli.writers import Screen
    from pulumi_gke_tpu.core.text.document.model import Page


@click.command(
    "calendar",
    cls=CommandWithExamples,
    short_help="Show maintenance, capacity and planned runs by day.",
    examples=(
        "gke-tpu calendar plan.yaml",
        "gke-tpu calendar stacks --inventory inventory.yaml",
    ),
)
@fleets_argument
@from_option
@until_option
@click.option(
    "--snapshot", "folder", type=click.Path(path_type=pathlib.Path), metavar="DIR",
    help="Folder of `gke-tpu snapshot`; adds the upgrades that GKE reports.",
)  # fmt: skip
@planning_options("page", "data", "icalendar")
def command(
    plans: tuple[str, ...],
    inputs: PlanningInputs,
    first: datetime.date | None,
    last: datetime.date | None,
    folder: pathlib.Path | None,
    output_format: str,
) -> int:
    """Show maintenance windows, exclusions, planned runs, and the limits of capacity by day, in UTC.

    The inventory adds the days on which reservations begin and end.

    gke-tpu prints errors to stderr and exits with 1. If an error is in a plan itself, there is no calendar.
    """
    first, last = shown_days(first or inputs.day, last)
    catalog = inputs.catalog()
    checked, owned = usable_plans(plans, inputs, catalog)
    from pulumi_gke_tpu.core.schedule.events import calendar_of

    shown = calendar_of(checked.plans, owned, catalog, first, last, today=inputs.day)
    if folder is not None:
        from pulumi_gke_tpu.features.calendar.reported import reported_upgrades

        reported = tuple(reported_upgrades(checked.plans, folder, catalog))
        shown = dataclasses.replace(shown, reported=reported)

    def page() -> "Page":
        from pulumi_gke_tpu.features.calendar.output.document import calendar_page

        return calendar_page(shown)

    def data() -> dict[str, Any]:
        from pulumi_gke_tpu.features.calendar.output.json import calendar_json

        return calendar_json(shown, checked.findings)

    def icalendar(_: "Screen") -> bytes:
        require("--format icalendar", "calendar", "icalendar")
        from pulumi_gke_tpu.features.calendar.output.icalendar import calendar_ics

        return calendar_ics(shown, inputs.day)

    show(
        output_format,
        page=page,
        data=data,
        icalendar=icalendar,
    )
    return report_errors(checked.findings)
