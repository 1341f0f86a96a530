"""The calendar in the format iCalendar (RFC 5545), for calendar programs. It needs the extra ``calendar``."""

import datetime
import hashlib
from typing import TYPE_CHECKING

from icalendar import Calendar as ICalendar
from icalendar import Event as IEvent
from icalendar import vText

from pulumi_gke_tpu.core.text.findings import printable, printable_path
from pulumi_gke_tpu.features.calendar.output.document import addition_text, remark, subject

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pulumi_gke_tpu.core.schedule.events import Addition, Calendar, Event

_LONGEST = 1000


def calendar_ics(calendar: "Calendar", today: datetime.date) -> bytes:
    """The events as iCalendar. The same event has the same UID in every calendar, so that programs update it."""
    made = ICalendar()
    made.add("prodid", "-//gke-tpu//calendar//EN")
    made.add("version", "2.0")
    made.add("calscale", "GREGORIAN")
    made.add("method", "PUBLISH")
    name = printable(f"gke-tpu: {', '.join(calendar.plans)}", _LONGEST)
    notes = " ".join(note.text for note in calendar.notes)
    made.add("name", name)
    made.add("x-wr-calname", vText(name))  # what programs without RFC 7986 show
    made.add("description", notes)
    stamp = _midnight(today)
    additions = {(item.plan, item.cluster): item.addition for item in calendar.additions}
    for event in calendar.events:
        made.add_component(_event(event, additions, stamp, notes))
    if not calendar.events:  # RFC 5545 requires a component
        made.add_component(_empty(calendar, stamp, notes))
    return bytes(made.to_ical())


def _midnight(day: datetime.date) -> datetime.datetime:
    return datetime.datetime(day.year, day.month, day.day, tzinfo=datetime.timezone.utc)


def _event(
    event: "Event", additions: "Mapping[tuple[str, str], Addition]", stamp: datetime.datetime, notes: str
) -> IEvent:
    made = IEvent()
    made.add("uid", _uid(event.kind, event.plan, event.place, event.name, _opening(event)))
    made.add("dtstamp", stamp)
    made.add("summary", printable(f"{subject(event)}: {printable(event.place)}", _LONGEST))
    if event.whole_day:
        made.add("dtstart", event.span.start.date())
    else:
        made.add("dtstart", event.span.start)
        if not event.moment and not event.open_end:
            made.add("dtend", event.span.end)
    interrupted = event.coverage is not None and event.coverage.proposal is not None
    addition = additions.get((event.plan, event.place.partition("/")[0])) if interrupted else None
    lines = (
        printable(remark(event), _LONGEST),
        *_exclusions(addition),
        printable_path(event.plan),
        notes if event.kind in ("run", "exclusion") else "",
    )
    text = "\n".join(line for line in lines if line)
    if text:
        made.add("description", text)
    made.add("transp", "TRANSPARENT")
    return made


def _exclusions(addition: "Addition | None") -> "Iterator[str]":
    """The lines to paste, with their place in the plan."""
    if addition is not None:
        yield f"Exclusions to add: {addition_text(addition)}:"
        yield from addition.text.split("\n")


def _empty(calendar: "Calendar", stamp: datetime.datetime, notes: str) -> IEvent:
    """The only event of a calendar without events."""
    made = IEvent()
    made.add("uid", _uid("empty", *calendar.plans))
    made.add("dtstamp", stamp)
    made.add("summary", f"No events from {calendar.first} to {calendar.last}")
    made.add("dtstart", calendar.first)
    made.add("description", notes)
    made.add("transp", "TRANSPARENT")
    return made


def _opening(event: "Event") -> str:
    """What distinguishes the openings of a window; other events keep their UID if their time changes."""
    return str(event.span.start) if event.kind == "window" else ""


def _uid(*parts: str) -> str:
    digest = hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()
    return f"{digest[:32]}@gke-tpu"
