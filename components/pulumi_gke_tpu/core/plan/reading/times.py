"""Converts other spellings of durations, dates and timestamps to those of a plan, unless they are ambiguous."""

import calendar
import datetime
import re
from collections.abc import Callable, Iterator, Mapping

from pydantic_core import PydanticCustomError

from pulumi_gke_tpu.core.plan.base import parse_duration, parse_timestamp
from pulumi_gke_tpu.core.text.findings import listed
from pulumi_gke_tpu.core.text.patterns import lazy_pattern

_UNITS = {
    **dict.fromkeys(("s", "sec", "secs", "second", "seconds"), (1, "s")),
    **dict.fromkeys(("m", "min", "mins", "minute", "minutes"), (1, "m")),
    **dict.fromkeys(("h", "hr", "hrs", "hour", "hours"), (1, "h")),
    **dict.fromkeys(("d", "day", "days"), (1, "d")),
    **dict.fromkeys(("w", "wk", "wks", "week", "weeks"), (7, "d")),
}
_QUANTITY = lazy_pattern(r"(\d{1,7})(?:\.0+)?\s*([a-z]+)")
_ISO = lazy_pattern(r"p(?:(\d{1,7})w)?(?:(\d{1,7})d)?(?:t(?:(\d{1,7})h)?(?:(\d{1,7})m)?(?:(\d{1,7})s)?)?\Z")
_BETWEEN = lazy_pattern(r"(?:\s|,|and)*")
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_NAMED = lazy_pattern(r"[a-z]{3,9}")
_TIME = lazy_pattern(
    r"(?P<before>(?<![t\s,])[t\s,]+|\A)(?P<hour>\d{1,2})(?::(?P<minute>\d\d)(?::(?P<second>\d\d)(?:\.\d+)?)?)?"
    r"\s*(?P<half>[ap]m)?\s*(?P<zone>z|utc|gmt|[+-]\d\d(?::?\d\d)?)?\Z",
    re.ASCII,
)
_ZONE = lazy_pattern(r"(?<!\s)\s*\b(?P<zone>[a-z]{2,5})\Z")
_PLACE = lazy_pattern(r"(?<!\s)\s*(?<!/)\b[a-z]+/[a-z_/]+\Z")
_OFFSETS: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("pst", "akdt"), ("-08:00",)),
    **dict.fromkeys(("pdt", "mst"), ("-07:00",)),
    "mdt": ("-06:00",),
    "cst": ("-06:00", "+08:00"),
    **dict.fromkeys(("cdt", "est"), ("-05:00",)),
    "edt": ("-04:00",),
    "wet": ("+00:00",),
    **dict.fromkeys(("cet", "bst", "west"), ("+01:00",)),
    **dict.fromkeys(("cest", "eet"), ("+02:00",)),
    "eest": ("+03:00",),
    "ist": ("+05:30", "+02:00", "+01:00"),
    "sgt": ("+08:00",),
    **dict.fromkeys(("jst", "kst"), ("+09:00",)),
    "aest": ("+10:00",),
    "aedt": ("+11:00",),
}
"""Abbreviation of a time zone -> its offsets from UTC; several if countries use it for different times."""

_RELATIVE = lazy_pattern(r"\b(?:today|tomorrow|yesterday|now|next|in)\b")
_HOURS, _MINUTES = 24, 60
_NOON = 12
_FEBRUARY = 2
_ORDER = "dhms"
MIDNIGHT = "T00:00:00Z"
_DAYS = ["MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN"]


def as_duration(text: str) -> str:
    """``6 hours``, ``1 week``, ``PT6H`` or ``1h 30min`` in the spelling of a plan; empty if it is not a duration."""
    text = text.strip().lower()
    iso = _ISO.match(text)
    if iso and any(iso.groups()):
        weeks, days, hours, minutes, seconds = (int(part or 0) for part in iso.groups())
        return _joined({"d": 7 * weeks + days, "h": hours, "m": minutes, "s": seconds})
    parts: dict[str, int] = {}
    at = 0
    while at < len(text):
        match = _QUANTITY.match(text, at)
        factor, unit = _UNITS.get(match[2], (0, "")) if match else (0, "")
        if not match or not factor or unit in parts:
            return ""
        parts[unit] = int(match[1]) * factor
        between = _BETWEEN.match(text, match.end())
        at = between.end() if between else match.end()
    return _joined(parts)


def _joined(parts: dict[str, int]) -> str:
    duration = "".join(f"{parts[unit]}{unit}" for unit in _ORDER if parts.get(unit))
    return _parsed(parse_duration, duration)


def _parsed(parse: Callable[[object], object], text: str) -> str:
    """A text that a plan accepts; empty for a length of many years or a moment before the first year."""
    try:
        parse(text)
    except PydanticCustomError:
        return ""
    return text


def as_day(text: str) -> str:
    """A date in another order, with the name of the month, or with a time, as ``YYYY-MM-DD``; empty if ambiguous."""
    day = _day(_without_time(text))
    return day.isoformat() if day else ""


def as_timestamp(text: str) -> str:
    """A timestamp in the spelling of a plan; midnight UTC for a date. Empty if the date or the zone is ambiguous.

    ``24:00`` is 00:00 of the next day.
    """
    time = _time_of(text)
    day = _day(_without_time(text))
    hour, minute, second = _clock(time) if time else (0, 0, 0)
    is_end = (hour, minute, second) == (_HOURS, 0, 0)
    try:
        if day is None:
            return ""
        moment = datetime.datetime(day.year, day.month, day.day, 0 if is_end else hour, minute, second)
        moment += datetime.timedelta(days=is_end)
    except (ValueError, OverflowError):
        return ""
    zone = time["zone"] if time else "z"
    if zone in (None, "z", "utc", "gmt"):
        offset = "Z"
    else:
        digits = zone[1:].replace(":", "").ljust(4, "0")
        offset = f"{zone[0]}{digits[:2]}:{digits[2:]}"
    return _parsed(parse_timestamp, f"{moment.isoformat()}{offset}")


def with_offset(text: str) -> str:
    """A timestamp with the offset of an abbreviation such as PST; empty if that has several offsets, or none."""
    text = text.strip().lower()
    match = _ZONE.search(text)
    offsets = _OFFSETS.get(match["zone"], ()) if match else ()
    return as_timestamp(text[: match.start()] + offsets[0]) if match and len(offsets) == 1 else ""


def _time_of(text: str) -> re.Match[str] | None:
    """The time at the end of a text. An hour alone has a ``T`` before it, or am or pm behind it."""
    found = _TIME.search(text.strip().lower())
    is_time = found and (found["minute"] or found["half"] or "t" in found["before"])
    return found if is_time else None


def _without_time(text: str) -> str:
    time = _time_of(text)
    text = text.strip().lower()
    return text[: time.start()] if time else text


def _clock(time: re.Match[str]) -> tuple[int, int, int]:
    hour, minute, second = (int(time[part] or 0) for part in ("hour", "minute", "second"))
    if time["half"] and hour <= _NOON:
        hour = hour % _NOON + (_NOON if time["half"] == "pm" else 0)
    return hour, minute, second


def why_invalid(text: str) -> str:
    """Why a text is not a moment of the calendar, or which moments it can be; empty if only its form is wrong."""
    text = text.strip().lower()
    zone, place = _ZONE.search(text), _PLACE.search(text)
    if place:
        return "a time has an offset from UTC, such as -08:00, not the name of a time zone"
    if zone and zone["zone"] in _OFFSETS:
        return f"{zone['zone'].upper()} is {listed(_OFFSETS[zone['zone']], 'or')}"
    if _RELATIVE.search(text):
        return "the date depends on the day on which it was written"
    if as_duration(text):
        return "a duration is not a date"
    time = _time_of(text)
    return _why_no_day(_without_time(text)) or (_why_no_time(*_clock(time)) if time else "")


def _why_no_time(hour: int, minute: int, second: int) -> str:
    if (hour, minute, second) == (_HOURS, 0, 0):
        return "24:00 is the next day"
    if hour >= _HOURS:
        return "a day has 24 hours"
    if minute >= _MINUTES:
        return "an hour has 60 minutes"
    return "a minute has 60 seconds" if second >= _MINUTES else ""


def _why_no_day(text: str) -> str:
    numbers = re.findall(r"\d+", text)
    if is_ambiguous(text):
        first, second, year = (int(number) for number in numbers)
        return f"{text} is {year}-{first:02}-{second:02} or {year}-{second:02}-{first:02}"
    named = any(word[:3] in _MONTHS for word in _NAMED.findall(text))
    years = [number for number in numbers if _is_year(number)]
    if not text or (years and len(numbers) == 1 + (not named)):
        return "the day is missing"
    if named and len(numbers) == 1:
        return "the year is missing"
    try:
        year, month, day = (int(part) for part in _parts(text))
        return _why_not_in_calendar(year, month, day)
    except ValueError:
        return ""


def _why_not_in_calendar(year: int, month: int, day: int) -> str:
    """Why a date is not in the calendar; empty if it is."""
    if not 1 <= month <= len(_MONTHS):
        return f"there is no month {month}"
    last = calendar.monthrange(year, month)[1]
    when = f"{calendar.month_name[month]}{f' {year}' if month == _FEBRUARY else ''}"
    return "" if 1 <= day <= last else f"{when} has {last} days"


def another_reading(key: str, given: str, moment: str, *, opens_windows: bool = False) -> str:
    """The second reading of a date without a time, or of a time without a zone; empty if there is none."""
    if has_time(given):
        return "" if has_zone(given) else "in UTC, or with the offset of your time zone, such as -08:00"
    day, midnight, _ = moment.partition(MIDNIGHT)
    if not midnight or day == datetime.date.max.isoformat():
        return ""
    if opens_windows:
        return "or another time of the day, at which the window opens"
    following = datetime.date.fromisoformat(day) + datetime.timedelta(days=1)
    purpose = "include the whole day" if key == "end" else "begin after the day"
    return f"or {following.isoformat()}{MIDNIGHT}, to {purpose}"


def adds_time(given: object, meaning: object) -> bool:
    """Whether intended values have a time or a time zone that the given ones lack."""
    there = {*texts_in(given)}
    added = {*texts_in(meaning)} - there
    return any(not has_zone(text) and as_timestamp(text) in added for text in there)


def texts_in(value: object) -> Iterator[str]:
    """Every text in a value, without the keys of mappings."""
    if isinstance(value, str):
        yield value
    inner = value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ()
    for each in inner:
        yield from texts_in(each)


def first_window(text: str, days: object) -> str:
    """A time such as ``02:00`` as the timestamp of a first maintenance window; empty if it is not clear.

    The date is the first one of 2026 that is in ``days``, names such as SAT.
    """
    days = _DAYS if days is None else days
    if (
        _time_of(text) is None
        or _without_time(text)
        or not isinstance(days, list)
        or not days
        or not {*map(str, days)} <= {*_DAYS}
    ):
        return ""
    week = (datetime.date(2026, 1, number) for number in range(1, 8))
    return as_timestamp(f"{next(day for day in week if _DAYS[day.weekday()] in days).isoformat()} {text.strip()}")


def has_time(text: str) -> bool:
    """Whether a date has a time of day."""
    return _time_of(text) is not None


def has_zone(text: str) -> bool:
    """Whether a date has a time of day with its time zone."""
    time = _time_of(text)
    return time is not None and time["zone"] is not None


def is_ambiguous(text: str) -> bool:
    """Whether day and month of a numeric date can be confused, as in ``03/04/2026``."""
    text = _without_time(text)
    match re.findall(r"\d+", text):
        case [first, second, year] if _is_year(year) and not re.search("[a-z]", text):
            return "." not in text and _is_month(first) and _is_month(second) and first != second
        case _:
            return False


def _day(text: str) -> datetime.date | None:
    try:
        year, month, day = _parts(text)
        return datetime.date(int(year), int(month), int(day)) if _is_year(year) else None
    except ValueError:
        return None


def _says_more(text: str) -> bool:
    """Whether a date has a word beside the names of its month and its day of the week, such as ``noon``."""
    known = {*_MONTHS, *(day.lower() for day in _DAYS), "the"}
    return any(word[:3] not in known for word in _NAMED.findall(text))


def _parts(text: str) -> tuple[str, str, str]:
    """Year, month and day.

    Raises:
        ValueError: the text is not a date, or is ambiguous.
    """
    compact = re.fullmatch(r"(\d{4})(\d\d)(\d\d)", text)
    names = [word[:3] for word in _NAMED.findall(text) if word[:3] in _MONTHS]
    match names, re.findall(r"\d+", text):
        case [name], [first, second] if not _says_more(text):
            year, day = (first, second) if _is_year(first) else (second, first)
            return year, str(_MONTHS.index(name) + 1), day
        case [], _ if compact:
            return compact[1], compact[2], compact[3]
        case [], [first, second, third] if re.fullmatch(r"[\d/. -]+", text) and not is_ambiguous(text):
            if _is_year(first):
                return first, second, third
            return (third, second, first) if _is_month(second) else (third, first, second)
        case _:
            raise ValueError(text)


def _is_year(text: str) -> bool:
    return len(text) == len("YYYY")


def _is_month(text: str) -> bool:
    return 1 <= int(text) <= len(_MONTHS)
