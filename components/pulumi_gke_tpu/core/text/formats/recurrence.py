"""Recurrence rules of maintenance windows: reads the part of RFC 5545 that GKE accepts, and lists the days.

Days are listed between two dates only, and each period is visited once, so that no rule in a plan can take long.
python-dateutil is not used: its ``rrule`` searches for a first day up to the year 9999 regardless of the end, and takes
seconds for ``FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30`` (decision 0013).
"""

import calendar
import dataclasses
import datetime
import re
from collections.abc import Iterator
from typing import Literal

from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.text.patterns import lazy_pattern

Frequency = Literal["DAILY", "WEEKLY", "MONTHLY", "YEARLY"]

FREQUENCIES: tuple[Frequency, ...] = ("DAILY", "WEEKLY", "MONTHLY", "YEARLY")
PARTS = ("FREQ", "INTERVAL", "BYDAY", "BYMONTHDAY", "BYMONTH", "BYSETPOS", "WKST", "COUNT", "UNTIL")
_TOO_OFTEN = ("SECONDLY", "MINUTELY", "HOURLY")
_WEEKDAYS = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
_BYDAY = lazy_pattern(r"([+-]?[1-9]\d?)?(MO|TU|WE|TH|FR|SA|SU)\Z", re.ASCII)
_NUMBER = lazy_pattern(r"[+-]?\d{1,4}\Z", re.ASCII)
_UNTIL = lazy_pattern(r"(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)(\d\d)Z?)?\Z", re.ASCII)
_DAY = datetime.timedelta(days=1)
_LONGEST = 500


class RecurrenceError(ValueError):
    """A text is not a recurrence rule that GKE accepts. The message is a clause with the reason."""


class UnverifiedError(RecurrenceError):
    """A rule has a part of RFC 5545 for which no documentation states whether GKE accepts it."""


@frozen
class Recurrence:
    """A rule. ``weekdays`` are pairs of ordinal (0: every) and weekday (0: Monday); ``until`` is the last moment."""

    frequency: Frequency
    interval: int = 1
    weekdays: tuple[tuple[int, int], ...] = ()
    month_days: tuple[int, ...] = ()
    months: tuple[int, ...] = ()
    positions: tuple[int, ...] = ()
    week_start: int = 0
    count: int | None = None
    until: datetime.datetime | None = None

    @property
    def finite(self) -> bool:
        """Whether the rule has an end."""
        return self.count is not None or self.until is not None

    @property
    def weekly(self) -> bool:
        """Whether the rule repeats after a fixed number of days, in every month."""
        return self.frequency in ("DAILY", "WEEKLY") and not self.months and not self.month_days and not self.finite

    def starts(self, first: datetime.datetime, end: datetime.datetime) -> Iterator[datetime.datetime]:
        """Every occurrence from ``first``, where the rule begins, up to ``end``, in order."""
        at = first.timetz()
        for number, day in enumerate(self._days(first.date(), end.date() + _DAY)):
            start = datetime.datetime.combine(day, at)
            over = self.count is not None and number >= self.count
            if over or start >= end or (self.until is not None and start > self.until):
                return
            yield start

    def _days(self, first: datetime.date, end: datetime.date) -> Iterator[datetime.date]:
        rule = self._completed(first)
        for period in self._periods(first, end):
            chosen = [day for day in period if rule.admits(day)]
            if self.positions:
                size = len(chosen)
                wanted = {place - 1 if place > 0 else size + place for place in self.positions}
                chosen = [day for place, day in enumerate(chosen) if place in wanted]
            yield from (day for day in chosen if first <= day < end)

    def _completed(self, first: datetime.date) -> "Recurrence":
        """The rule with the parts that its first day implies."""
        if self.weekdays or self.month_days or self.frequency == "DAILY":
            return self
        if self.frequency == "WEEKLY":
            return dataclasses.replace(self, weekdays=((0, first.weekday()),))
        months = self.months or ((first.month,) if self.frequency == "YEARLY" else ())
        return dataclasses.replace(self, months=months, month_days=(first.day,))

    def _periods(self, first: datetime.date, end: datetime.date) -> Iterator[list[datetime.date]]:
        """The days of every period that counts: days, weeks, months or years."""
        if self.frequency in ("DAILY", "WEEKLY"):
            weekly = self.frequency == "WEEKLY"
            size = 7 if weekly else 1
            day = first - (first.weekday() - self.week_start) % 7 * _DAY if weekly else first
            while day < end:
                yield [day + step * _DAY for step in range(size)]
                day += size * self.interval * _DAY
            return
        months = 12 if self.frequency == "YEARLY" else 1
        index = first.year * 12 + (first.month - 1 if months == 1 else 0)
        while index <= end.year * 12 + end.month - 1:
            yield [day for month in range(index, index + months) for day in _days_of_month(*divmod(month, 12))]
            index += months * self.interval

    def admits(self, day: datetime.date) -> bool:
        """Whether a day meets the parts of the rule that name months, days of the month and weekdays."""
        if self.months and day.month not in self.months:
            return False
        if self.month_days and not self._is_month_day(day):
            return False
        return not self.weekdays or any(
            weekday == day.weekday() and (not ordinal or self._is_ordinal(day, ordinal))
            for ordinal, weekday in self.weekdays
        )

    def _is_month_day(self, day: datetime.date) -> bool:
        """Whether the rule names this day of the month, counted from its start or, if negative, from its end."""
        return day.day in self.month_days or day.day - _length_of_month(day) - 1 in self.month_days

    def _is_ordinal(self, day: datetime.date, ordinal: int) -> bool:
        """Whether this is the nth (from the end, if negative) of its weekday in the month, or in the year."""
        if self.frequency == "YEARLY" and not self.months:
            place, length = day.timetuple().tm_yday, 366 if calendar.isleap(day.year) else 365
        else:
            place, length = day.day, _length_of_month(day)
        return ordinal == ((place - 1) // 7 + 1 if ordinal > 0 else -((length - place) // 7 + 1))


def _length_of_month(day: datetime.date) -> int:
    return calendar.monthrange(day.year, day.month)[1]


def _days_of_month(year: int, month: int) -> list[datetime.date]:
    return [datetime.date(year, month + 1, day + 1) for day in range(calendar.monthrange(year, month + 1)[1])]


def parse_recurrence(text: str) -> Recurrence:
    """Read a rule such as ``FREQ=WEEKLY;BYDAY=SA,SU``.

    Raises:
        UnverifiedError: no documentation states whether GKE accepts one of its parts.
        RecurrenceError: it is malformed, or GKE does not accept it.
    """
    if len(text) > _LONGEST:
        raise RecurrenceError(f"it exceeds the limit of {_LONGEST} characters")
    parts = _parts(text.upper())
    unknown = [name for name in parts if name not in PARTS]
    frequency = parts.get("FREQ")
    if frequency is None:
        raise RecurrenceError("missing FREQ")
    if frequency in _TOO_OFTEN:
        raise UnverifiedError(f"no documentation states whether GKE accepts FREQ={frequency}")
    known = next((name for name in FREQUENCIES if name == frequency), None)
    if known is None:
        raise RecurrenceError("FREQ must be DAILY, WEEKLY, MONTHLY or YEARLY")
    if unknown:
        raise UnverifiedError(f"no documentation states whether GKE accepts {unknown[0]}")
    rule = Recurrence(
        frequency=known,
        interval=_positive(parts, "INTERVAL") or 1,
        weekdays=tuple(_weekday(item) for item in _items(parts, "BYDAY")),
        month_days=_numbers(parts, "BYMONTHDAY", 31, negative=True),
        months=_numbers(parts, "BYMONTH", 12, negative=False),
        positions=_numbers(parts, "BYSETPOS", 366, negative=True),
        week_start=_week_start(parts),
        count=_positive(parts, "COUNT"),
        until=_until(parts),
    )
    _check_together(rule)
    return rule


def _parts(text: str) -> dict[str, str]:
    parts: dict[str, str] = {}
    for part in text.split(";"):
        name, equals, value = part.partition("=")
        if not re.fullmatch(r"[A-Z][A-Z-]{0,20}", name) or not equals or not value:
            raise RecurrenceError("it must be a list of NAME=VALUE parts separated by semicolons")
        if name in parts:
            raise RecurrenceError(f"duplicate {name}")
        parts[name] = value
    return parts


def _items(parts: dict[str, str], name: str) -> list[str]:
    return parts[name].split(",") if name in parts else []


def _positive(parts: dict[str, str], name: str) -> int | None:
    if name not in parts:
        return None
    if not re.fullmatch(r"\d{1,4}", parts[name], re.ASCII) or int(parts[name]) == 0:
        raise RecurrenceError(f"{name} must be a number from 1 to 9999")
    return int(parts[name])


def _numbers(parts: dict[str, str], name: str, limit: int, *, negative: bool) -> tuple[int, ...]:
    numbers = []
    for item in _items(parts, name):
        value = int(item) if _NUMBER.match(item) else 0
        if value == 0 or abs(value) > limit or (value < 0 and not negative):
            raise RecurrenceError(
                f"{name} must be a list of numbers from 1 to {limit}{', or from the end' if negative else ''}"
            )
        numbers.append(value)
    return tuple(numbers)


def _weekday(item: str) -> tuple[int, int]:
    match = _BYDAY.match(item)
    if not match:
        raise RecurrenceError("BYDAY must be a list of weekdays: MO, TU, WE, TH, FR, SA, SU")
    return int(match[1] or 0), _WEEKDAYS.index(match[2])


def _week_start(parts: dict[str, str]) -> int:
    word = parts.get("WKST", "MO")
    if word not in _WEEKDAYS:
        raise RecurrenceError("WKST must be a weekday")
    return _WEEKDAYS.index(word)


def _until(parts: dict[str, str]) -> datetime.datetime | None:
    if "UNTIL" not in parts:
        return None
    match = _UNTIL.match(parts["UNTIL"])
    try:
        if match:
            numbers = [int(part or 0) for part in match.groups()]
            if match[4] is None:
                numbers[3:] = [23, 59, 59]
            year, month, day, hour, minute, second = numbers
            return datetime.datetime(year, month, day, hour, minute, second, tzinfo=datetime.timezone.utc)
    except ValueError:
        pass
    raise RecurrenceError("UNTIL must be a time such as 20271231T000000Z")


def _check_together(rule: Recurrence) -> None:
    if rule.count is not None and rule.until is not None:
        raise RecurrenceError("COUNT conflicts with UNTIL")
    if rule.frequency in ("DAILY", "WEEKLY") and any(ordinal for ordinal, _ in rule.weekdays):
        raise RecurrenceError("a numbered weekday requires FREQ=MONTHLY or FREQ=YEARLY")
    if rule.frequency == "WEEKLY" and rule.month_days:
        raise RecurrenceError("BYMONTHDAY is not supported with FREQ=WEEKLY")
    if rule.positions and not (rule.weekdays or rule.month_days or rule.months):
        raise RecurrenceError("BYSETPOS requires another BY part")
