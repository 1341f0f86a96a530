"""A calendar in the format iCalendar (RFC 5545), for calendar programs."""

import datetime
from typing import TYPE_CHECKING

from pulumi_gke_tpu.cli.options import require
from pulumi_gke_tpu.cli.writers import Screen

if TYPE_CHECKING:
    from pulumi_gke_tpu.core.schedule.events import Calendar


def write(shown: "tuple[Calendar, datetime.date]", _: Screen) -> bytes:
    """UTF-8 with lines that end in CRLF, as the format requires. ``shown`` is the calendar and the day of today.

    Raises:
        click.UsageError: the library is not installed.
    """
    require("--format icalendar", "calendar", "icalendar")
    from pulumi_gke_tpu.features.calendar.output.icalendar import calendar_ics

    return calendar_ics(*shown)
