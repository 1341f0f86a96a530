"""``gke-tpu calendar``: show maintenance, capacity and planned runs of plans on one time line."""

import datetime
import io
import pathlib
import sys

import click

from pulumi_gke_tpu.cli.options import (
    catalog_option,
    clock,
    format_option,
    inventory_option,
    json_text,
    load_catalog,
    organization_option,
    plans_argument,
    terminal_width,
    today_option,
    wants_color,
)
from pulumi_gke_tpu.cli.shared.usable_plans import report_errors, usable_plans
from pulumi_gke_tpu.features.calendar.days import from_option, shown_days, until_option


@click.command("calendar", short_help="Show maintenance, capacity and planned runs by day.")
@plans_argument
@inventory_option
@organization_option
@catalog_option
@from_option
@until_option
@format_option("text", "json", "markdown", "icalendar")
@today_option
def command(
    plans: tuple[str, ...],
    inventory: str | None,
    organization: str | None,
    overlays: tuple[pathlib.Path, ...],
    first: datetime.date | None,
    last: datetime.date | None,
    form: str,
    today: datetime.date | None,
) -> int:
    """Show maintenance windows, exclusions, planned runs, and the limits of capacity by day, in UTC.

    PLAN is a file, a folder with plans, or - for standard input; without PLAN, gke-tpu reads plan.yaml in this folder.
    The inventory adds the days on which reservations begin and end.

    gke-tpu prints errors to stderr and exits with 1. If a plan has errors of its own, there is no calendar.
    """
    day = clock(today)
    first, last = shown_days(first or day, last)
    if form == "icalendar":
        _require_icalendar()
    catalog = load_catalog(overlays)
    usable = usable_plans(plans, inventory, catalog, day, organization)
    if usable is None:
        return 1
    checked, owned = usable
    from pulumi_gke_tpu.core.schedule.events import calendar_of

    shown = calendar_of(checked.plans, owned, catalog, first, last, today=day)
    if form == "json":
        from pulumi_gke_tpu.features.calendar.output.json import calendar_json

        text = json_text(calendar_json(shown, checked.findings))
    elif form == "markdown":
        from pulumi_gke_tpu.features.calendar.output.document import calendar_markdown

        text = calendar_markdown(shown)
    elif form == "icalendar":
        from pulumi_gke_tpu.features.calendar.output.icalendar import calendar_ics

        _write_as_it_is(calendar_ics(shown, day))
        return report_errors(checked.findings)
    else:
        from pulumi_gke_tpu.features.calendar.output.document import calendar_text

        text = calendar_text(shown, width=terminal_width(), color=wants_color())
    click.echo(text.rstrip("\n"), color=True)
    return report_errors(checked.findings)


def _write_as_it_is(content: bytes) -> None:
    """Write UTF-8 with lines that end in CRLF, regardless of system and locale."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8", newline="")
    click.echo(content.decode("utf-8"), nl=False, color=True)


def _require_icalendar() -> None:
    """Name the extra if the library is missing."""
    import importlib.util

    if importlib.util.find_spec("icalendar") is None:
        raise click.UsageError(
            "--format icalendar requires the library icalendar: install pulumi-gke-tpu with the extra `calendar`."
        )
