"""Maintenance exclusions as periods of time, and the limits that GKE sets on those of all upgrades."""

import datetime
from collections.abc import Sequence
from typing import Literal

from pulumi_gke_tpu.core.plan.upgrades import Exclusion, Maintenance
from pulumi_gke_tpu.core.schedule.spans import OPEN_END, Span, is_plausible

NO_UPGRADES: Literal["no_upgrades"] = "no_upgrades"
NO_NODE_UPGRADES: Literal["no_minor_or_node_upgrades"] = "no_minor_or_node_upgrades"
PROTECTS_NODES = (NO_UPGRADES, NO_NODE_UPGRADES)
"""The scopes that prevent automatic upgrades of nodes. The third one allows new patch versions of nodes."""


def exclusion_span(exclusion: Exclusion) -> Span | None:
    """Start and end, if they are plausible and in order; None for an exclusion until the end of support."""
    if exclusion.end is None or exclusion.end <= exclusion.start:
        return None
    if not (is_plausible(exclusion.start) and is_plausible(exclusion.end)):
        return None
    return Span(exclusion.start, exclusion.end)


def whole_span(exclusion: Exclusion) -> Span | None:
    """The span of an exclusion, with an open end if it lasts until the end of support; None if it is implausible."""
    if exclusion.end_of_support:
        return Span(exclusion.start, OPEN_END) if is_plausible(exclusion.start) else None
    return exclusion_span(exclusion)


def blocking_spans(maintenance: Maintenance) -> list[Span]:
    """The spans that block all upgrades, in order of their start."""
    spans = (exclusion_span(item) for item in maintenance.exclusions.values() if item.scope == NO_UPGRADES)
    return sorted((span for span in spans if span is not None), key=lambda span: (span.start, span.end))


def protecting_spans(maintenance: Maintenance) -> list[Span]:
    """The spans without automatic upgrades of nodes."""
    spans = (whole_span(item) for item in maintenance.exclusions.values() if item.scope in PROTECTS_NODES)
    return [span for span in spans if span is not None]


def least_free(spans: Sequence[Span], days: int) -> tuple[datetime.timedelta, datetime.datetime | None]:
    """The least time that spans leave in any period of a number of days, and the begin of that period."""
    period = datetime.timedelta(days=days)
    begins = [span.start for span in spans] + [span.end - period for span in spans]
    return min(((_free(spans, begin, begin + period), begin) for begin in sorted(begins)), default=(period, None))


def _free(spans: Sequence[Span], begin: datetime.datetime, end: datetime.datetime) -> datetime.timedelta:
    """The time between begin and end that no span covers. The spans are in order of their start and may overlap."""
    free, reached = datetime.timedelta(), begin
    for span in spans:
        if span.start > reached:
            free += max(min(span.start, end) - reached, datetime.timedelta())
        reached = max(reached, min(span.end, end))
    return free + (end - reached)
