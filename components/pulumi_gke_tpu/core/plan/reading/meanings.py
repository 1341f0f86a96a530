"""What texts of a plan mean, in one spelling each, to compare the values before and after a fix."""

import datetime

from pulumi_gke_tpu.core.catalog import naming, read_catalog
from pulumi_gke_tpu.core.plan.base import parse_duration, parse_timestamp
from pulumi_gke_tpu.core.plan.reading.spellings import WRITTEN_AS, several_choices
from pulumi_gke_tpu.core.plan.reading.times import as_day, as_duration, as_timestamp, has_time, has_zone

_DAYS = ("MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN")


def meanings(text: str) -> tuple[str, ...]:
    """What a text means: the days of ``Sat-Sun``, or the moment, duration, TPU or word, in one spelling.

    A date without a time, and a time without a time zone, mean no moment.
    """
    return several_choices(_DAYS, text) or (
        _moment(text) or _duration(text) or _tpu(text) or WRITTEN_AS.get(text, text),
    )


def _moment(text: str) -> str:
    timestamp = as_timestamp(text) if has_zone(text) else ""
    if timestamp:
        moment: datetime.datetime = parse_timestamp(timestamp)
        return moment.isoformat()
    return "" if has_time(text) else as_day(text)


def _duration(text: str) -> str:
    duration = as_duration(text)
    length: datetime.timedelta = parse_duration(duration) if duration else datetime.timedelta()
    return f"{length.days}d{length.seconds}s" if length else ""


def _tpu(text: str) -> str:
    """The generation that a name means, with the topology of a slice; empty for machine types and other words."""
    name = naming.resolve(read_catalog(), text)
    if name is None or name.kind in ("announced", "machine_type") or (name.kind == "slice" and name.topology is None):
        return ""
    return f"{name.generation} {name.topology or ''} {name.slices if name.slices > 1 else ''}".strip()
