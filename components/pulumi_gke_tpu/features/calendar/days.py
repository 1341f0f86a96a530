"""The options ``--from`` and ``--until`` of commands that show a calendar."""

import datetime

import click

from pulumi_gke_tpu.cli.options import DayType

_LONGEST = 731
"""The most days of a calendar: a daily window has an event on each."""

from_option = click.option(
    "--from", "first", type=DayType(), metavar="DAY", show_default="today", help="First day of the calendar."
)
until_option = click.option(
    "--until", "last", type=DayType(), metavar="DAY", show_default="90 days later", help="Last day of the calendar."
)


def shown_days(first: datetime.date, last: datetime.date | None) -> tuple[datetime.date, datetime.date]:
    """The first and last day of the calendar.

    Raises:
        click.BadParameter: the days are out of order, too many, or in an implausible year.
    """
    from pulumi_gke_tpu.core.schedule.spans import FIRST_YEAR, LAST_YEAR

    if not FIRST_YEAR <= first.year < LAST_YEAR:
        raise click.BadParameter(f"the year must be from {FIRST_YEAR} to {LAST_YEAR - 1}", param_hint="'--from'")
    if last is None:
        from pulumi_gke_tpu.core.schedule.events import USUAL_DAYS

        last = first + datetime.timedelta(days=USUAL_DAYS)
    if last < first:
        raise click.BadParameter(f"{last} is before the first day, {first}", param_hint="'--until'")
    if (last - first).days >= _LONGEST:
        raise click.BadParameter(f"a calendar has at most {_LONGEST} days", param_hint="'--until'")
    return first, last
