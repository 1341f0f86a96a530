"""The calendar in the format iCalendar (RFC 5545), for calendar programs. It needs the extra ``calendar``."""

import datetime
import hashlib
from typing import TYPE_CHECKING

from icalendar import Calendar as ICalendar
from icalendar import Event as IEvent

from pulumi_gke_tpu.findings import printable
from pulumi_gke_tpu.render.calendar.words import remark, subject

if TYPE_CHECKING:
    from pulumi_gke_tpu.schedule.events import Calendar, Event

_LONGEST = 1000


def calendar_ics(calendar: "Calendar", today: datetime.date) -> bytes:
    """The events as iCalendar. The same event has the same UID in every calendar, so that programs update it."""
    made = ICalendar()
    made.add("prodid", "-//gke-tpu//calendar//EN")
    made.add("version", "2.0")
    stamp = datetime.datetime(today.year, today.month, today.day, tzinfo=datetime.timezone.utc)
    notes = " ".join(note.text for note in calendar.notes)
    for event in calendar.events:
        made.add_component(_event(event, stamp, notes))
    return bytes(made.to_ical())


def _event(event: "Event", stamp: datetime.datetime, notes: str) -> IEvent:
    made = IEvent()
    made.add("uid", _uid(event))
    made.add("dtstamp", stamp)
    made.add("summary", printable(f"{subject(event)}: {printable(event.place)}", _LONGEST))
    if event.whole_day:
        made.add("dtstart", event.span.start.date())
    else:
        made.add("dtstart", event.span.start)
        if not event.moment and not event.open_end:
            made.add("dtend", event.span.end)
    always = notes if event.kind in ("run", "exclusion") else ""
    made.add(
        "description", "\n".join(line for line in (printable(remark(event), _LONGEST), event.plan, always) if line)
    )
    made.add("transp", "TRANSPARENT")
    return made


def _uid(event: "Event") -> str:
    """Of windows, each opening has a UID of its own; other events keep theirs if their time changes."""
    when = str(event.span.start) if event.kind == "window" else ""
    parts = "\0".join((event.kind, event.plan, event.place, event.name, when))
    return f"{hashlib.sha256(parts.encode('utf-8', 'surrogatepass')).hexdigest()[:32]}@gke-tpu"
