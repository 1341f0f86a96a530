"""The calendar as a document: a table by day, the exclusions to add, and what always applies."""

import datetime
from typing import TYPE_CHECKING

from pulumi_gke_tpu.core.text.document.model import (
    Block,
    Bullets,
    Code,
    Column,
    Document,
    Group,
    Page,
    Paragraph,
    Table,
)
from pulumi_gke_tpu.core.text.findings import number, printable
from pulumi_gke_tpu.features.calendar.output.series import in_series, repeated
from pulumi_gke_tpu.features.calendar.output.words import exclusions_to_add, remark, subject, support_texts, title

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pulumi_gke_tpu.core.schedule.events import Calendar, Event

_COLUMNS = (
    Column("day", whole=True),
    Column("from", whole=True),
    Column("until", whole=True),
    Column("event"),
    Column("where"),
    Column("remark"),
)


def calendar_page(calendar: "Calendar") -> Page:
    """The calendar as a table of days, with its notes."""
    return Page(title(calendar), _blocks(calendar), heading="Calendar")


def _blocks(calendar: "Calendar") -> Document:
    several = len(calendar.plans) > 1
    blocks: list[Block] = [Table(_COLUMNS, list(_rows(calendar, several=several)))]
    if not calendar.events:
        blocks = [Paragraph("The plans have no events in these days.")]
    return [
        *blocks,
        *(
            Group([Paragraph(f"Exclusions to add: {place}:"), Code(text)])
            for place, text in exclusions_to_add(calendar)
        ),
        Bullets(support_texts(calendar), label="end of support", title="End of support:"),
        Bullets(
            [
                f"{note.text} ({', '.join(note.source)}, {note.as_of}, confidence {note.confidence})"
                for note in calendar.notes
            ],
            label="note",
        ),
    ]


def _rows(calendar: "Calendar", *, several: bool) -> "Iterator[tuple[str, ...]]":
    before = None
    for event, *others in in_series(calendar.events, calendar.first):
        day = max(event.span.start.date(), calendar.first)
        shown = "" if day == before else f"{day:%Y-%m-%d %a}"
        plan = f"{event.plan} " if several and event.plan else ""
        where = f"{plan}{printable(event.place)}"
        if others:
            begin, end = (f"{time:%H:%M}" for time in (event.span.start, event.span.end))
            yield shown, begin, end, number(len(others) + 1, subject(event)), where, repeated([event, *others])
        else:
            yield shown, *_times(event, day), subject(event), where, remark(event)
        before = day


def _times(event: "Event", day: datetime.date) -> tuple[str, str]:
    """When the event begins and ends, in UTC: the time, with the day if it is another one."""
    if event.whole_day:
        return "", ""
    begin = _time(event.span.start, day)
    if event.moment or event.open_end:
        return begin, ""
    return begin, _time(event.span.end, day)


def _time(time: datetime.datetime, day: datetime.date) -> str:
    return f"{time:%H:%M}" if time.date() == day else f"{time:%Y-%m-%d %H:%M}"
