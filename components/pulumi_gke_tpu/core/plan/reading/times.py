"""Converts other spellings of durations, dates and timestamps to those of a plan, unless they are ambiguous."""

import datetime
import re

_UNITS = {
    **dict.fromkeys(("s", "sec", "secs", "second", "seconds"), (1, "s")),
    **dict.fromkeys(("m", "min", "mins", "minute", "minutes"), (1, "m")),
    **dict.fromkeys(("h", "hr", "hrs", "hour", "hours"), (1, "h")),
    **dict.fromkeys(("d", "day", "days"), (1, "d")),
    **dict.fromkeys(("w", "wk", "wks", "week", "weeks"), (7, "d")),
}
_QUANTITY = re.compile(r"(\d{1,7})(?:\.0+)?\s*([a-z]+)")
_ISO = re.compile(r"p(?:(\d{1,7})w)?(?:(\d{1,7})d)?(?:t(?:(\d{1,7})h)?(?:(\d{1,7})m)?(?:(\d{1,7})s)?)?\Z")
_BETWEEN = re.compile(r"(?:\s|,|and)*")
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_NAMED = re.compile(r"[a-z]{3,9}")
_TIME = re.compile(
    r"(?:[t\s,]+|\A)(\d{1,2}):(\d\d)(?::(\d\d)(?:\.\d+)?)?\s*(z|utc|gmt|[+-]\d\d(?::?\d\d)?)?\Z", re.ASCII
)
_ORDER = "dhms"
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
    return "".join(f"{parts[unit]}{unit}" for unit in _ORDER if parts.get(unit))


def as_day(text: str) -> str:
    """A date in another order, with the name of the month, or with a time, as ``YYYY-MM-DD``; empty if ambiguous."""
    day = _day(_TIME.sub("", text.strip().lower()))
    return day.isoformat() if day else ""


def as_timestamp(text: str) -> str:
    """A timestamp in the spelling of a plan; midnight UTC for a date. Empty if the date or the zone is ambiguous."""
    text = text.strip().lower()
    time = _TIME.search(text)
    day = _day(text[: time.start()] if time else text)
    if day is None:
        return ""
    hour, minute, second, zone = time.groups() if time else ("0", "00", "00", "z")
    try:
        moment = datetime.datetime(day.year, day.month, day.day, int(hour), int(minute), int(second or 0))
    except ValueError:
        return ""
    if zone in (None, "z", "utc", "gmt"):
        offset = "Z"
    else:
        digits = zone[1:].replace(":", "").ljust(4, "0")
        offset = f"{zone[0]}{digits[:2]}:{digits[2:]}"
    return f"{moment.isoformat()}{offset}"


def first_window(text: str, days: object) -> str:
    """A time such as ``02:00`` as the timestamp of a first maintenance window; empty if it is not clear.

    The date is the first one of 2026 that is in ``days``, names such as SAT.
    """
    time = _TIME.fullmatch(text.strip().lower())
    days = _DAYS if days is None else days
    if time is None or not isinstance(days, list) or not days or not {*map(str, days)} <= {*_DAYS}:
        return ""
    week = (datetime.date(2026, 1, number) for number in range(1, 8))
    return as_timestamp(f"{next(day for day in week if _DAYS[day.weekday()] in days).isoformat()} {text.strip()}")


def has_time(text: str) -> bool:
    """Whether a date has a time of day."""
    return _TIME.search(text.strip().lower()) is not None


def is_ambiguous(text: str) -> bool:
    """Whether day and month of a numeric date can be confused, as in ``03/04/2026``."""
    match re.findall(r"\d+", _TIME.sub("", text)):
        case [first, second, year] if _is_year(year) and not re.search("[a-z]", _TIME.sub("", text.lower())):
            return "." not in text and _is_month(first) and _is_month(second) and first != second
        case _:
            return False


def _day(text: str) -> datetime.date | None:
    try:
        year, month, day = _parts(text)
        return datetime.date(int(year), int(month), int(day)) if _is_year(year) else None
    except ValueError:
        return None


def _parts(text: str) -> tuple[str, str, str]:
    """Year, month and day.

    Raises:
        ValueError: the text is not a date, or is ambiguous.
    """
    compact = re.fullmatch(r"(\d{4})(\d\d)(\d\d)", text)
    names = [word[:3] for word in _NAMED.findall(text) if word[:3] in _MONTHS]
    match names, re.findall(r"\d+", text):
        case [name], [first, second]:
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
