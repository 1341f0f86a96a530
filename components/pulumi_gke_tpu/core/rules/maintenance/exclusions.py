"""Checks of maintenance exclusions: TPU611 to TPU618, TPU632 and TPU634."""

import datetime
import math
from collections.abc import Iterable, Iterator, Sequence

from pulumi_gke_tpu.core.catalog.records.facts import note_by_id
from pulumi_gke_tpu.core.catalog.records.platform import MaintenanceAvailability
from pulumi_gke_tpu.core.plan.upgrades import Exclusion, Window
from pulumi_gke_tpu.core.rules.engine.context import PlanContext
from pulumi_gke_tpu.core.rules.engine.rule import Hit, in_cluster, of_clusters, rule, warning
from pulumi_gke_tpu.core.rules.maintenance.windows import maintained
from pulumi_gke_tpu.core.schedule.availability import Openings, Period, least_maintained, recurrence_of
from pulumi_gke_tpu.core.schedule.spans import (
    NO_UPGRADES,
    Span,
    blocking_spans,
    exclusion_span,
    is_plausible,
    least_free,
)
from pulumi_gke_tpu.core.schedule.support import support_of
from pulumi_gke_tpu.core.text.findings import Path, SetKeys, Severity, is_visible, printable, quoted
from pulumi_gke_tpu.core.text.formats.recurrence import RecurrenceError

_UNTIL_NOTE = "exclusion-until-end-of-support"
_LONGEST_NAME = 100
_EXCLUSIONS = in_cluster("""
maintenance:
  window: {start: 2026-01-03T02:00:00Z, duration: 6h, days: [SAT, SUN]}
  exclusions:
""")
"""The cluster of an example, up to the entries of its exclusions."""
_ALWAYS_OPEN = _EXCLUSIONS.replace("duration: 6h, days: [SAT, SUN]", "duration: 24h")


def _exclusions(context: PlanContext) -> Iterator[tuple[str, Exclusion, Path]]:
    for maintenance, path in maintained(context):
        for name, exclusion in maintenance.exclusions.items():
            yield name, exclusion, (*path, "exclusions", name)


@rule(
    "TPU611",
    about=of_clusters("maintenance.exclusions.*.end", "maintenance.exclusions.*.start", "maintenance.window.start"),
    title="Exclusion ends before it starts",
    why="an exclusion that ends before it starts has no effect, and neither the provider nor a preview reports the "
    "mistake",
    fix="Correct `start` or `end`.",
    references=["OBSERVED_2026_11_20"],
    source="observed in tests: neither the provider nor a preview checks the end",
    failing=_EXCLUSIONS
    + """    launch: {start: 2026-12-20T00:00:00Z, end: 2026-12-01T00:00:00Z}
""",
    passing=_EXCLUSIONS
    + """    launch: {start: 2026-12-01T00:00:00Z, end: 2026-12-20T00:00:00Z}
""",
)
def exclusion_ends_before_start(context: PlanContext) -> Iterable[Hit]:
    for name, exclusion, path in _exclusions(context):
        if exclusion.end is None or exclusion.end > exclusion.start:
            continue
        if is_plausible(exclusion.start) and is_plausible(exclusion.end):
            when = "at its start" if exclusion.end == exclusion.start else "before its start"
            yield Hit((*path, "end"), f"exclusion {quoted(name)} ends {when}", given=f"end: {_shown(exclusion.end)}")


def _shown(time: datetime.datetime) -> str:
    return f"{time:%Y-%m-%dT%H:%M:%SZ}"


@rule(
    "TPU612",
    about=of_clusters("maintenance.exclusions.*.end"),
    title="Exclusion of all upgrades is too long",
    why="an exclusion of all upgrades also blocks security patches, so GKE limits its length to 90 days",
    fix="Shorten the exclusion. Or use a scope that allows patches.",
    references=["google-skills-upgrades", "gke-exclusions-guide", "container-api-discovery"],
    failing=_ALWAYS_OPEN
    + """    run: {start: 2026-12-01T00:00:00Z, end: 2027-03-02T00:00:00Z}
""",
    passing=_EXCLUSIONS
    + """    run: {start: 2026-12-01T00:00:00Z, end: 2027-03-02T00:00:00Z, scope: no_minor_or_node_upgrades}
""",
)
def exclusion_too_long(context: PlanContext) -> Iterable[Hit]:
    facts, availability = context.catalog.maintenance.exclusions, context.catalog.maintenance.availability
    longest = datetime.timedelta(days=facts.max_no_upgrades_days)
    for maintenance, path in maintained(context):
        for name, exclusion in maintenance.exclusions.items():
            span = exclusion_span(exclusion)
            if span is None or exclusion.scope != NO_UPGRADES or span.length <= longest:
                continue
            shorter = Span(span.start, span.start + longest)
            least = _least_of_window(maintenance.window, [shorter], availability)
            days = span.length / datetime.timedelta(days=1)
            yield Hit(
                (*path, "exclusions", name, "end"),
                f"exclusion {quoted(name)} blocks all upgrades for {days:,.5g} days, which exceeds the limit of "
                f"{facts.max_no_upgrades_days}",
                fact=facts.for_item("max_no_upgrades_days"),
                given=f"end: {_shown(span.end)}",
                fix=None if least is not None else SetKeys.of(end=_shown(shorter.end)),
            )


def _least_of_window(window: Window | None, spans: Sequence[Span], facts: MaintenanceAvailability) -> Period | None:
    """The period in which spans leave less of a window than GKE requires, although the window alone provides it."""
    if not spans or window is None or not is_plausible(window.start):
        return None
    around = Span(spans[0].start, max(span.end for span in spans))
    try:
        alone = Openings.of(window, recurrence_of(window), facts, facts.rolling_days).least(window.duration)
        least = least_maintained(window, spans, around, facts, cut_counts=True)
    except RecurrenceError:
        return None
    return least if least is not None and least.hours < facts.min_hours <= alone.hours else None


@warning(
    "TPU613",
    about=of_clusters("maintenance.exclusions"),
    title="Too many exclusions of all upgrades",
    why="GKE limits the number of exclusions that block all upgrades in a cluster",
    fix="Remove some of these exclusions. Or change their scope to a scope that allows patches.",
    references=["google-skills-upgrades", "gke-exclusions-guide"],
    failing=_EXCLUSIONS
    + """    a: {start: 2026-12-01T00:00:00Z, end: 2026-12-02T00:00:00Z}
    b: {start: 2027-01-01T00:00:00Z, end: 2027-01-02T00:00:00Z}
    c: {start: 2027-02-01T00:00:00Z, end: 2027-02-02T00:00:00Z}
    d: {start: 2027-03-01T00:00:00Z, end: 2027-03-02T00:00:00Z}
""",
    edit=("2027-03-02T00:00:00Z", "2027-03-02T00:00:00Z, scope: no_minor_upgrades"),
)
def too_many_blocking_exclusions(context: PlanContext) -> Iterable[Hit]:
    for maintenance, path in maintained(context):
        facts = context.catalog.maintenance.exclusions
        count = sum(exclusion.scope == NO_UPGRADES for exclusion in maintenance.exclusions.values())
        if facts.max_no_upgrades < count <= facts.max_total:
            yield Hit(
                (*path, "exclusions"),
                f"{count:,} exclusions block all upgrades, which exceeds the limit of {facts.max_no_upgrades}",
                fact=facts.for_item("max_no_upgrades"),
                given=f"exclusions: {count:,}",
            )


_MANY = "\n".join(
    f"    e{number:02}: {{start: 2026-12-{number:02}T00:00:00Z, end: 2026-12-{number:02}T12:00:00Z, "
    "scope: no_minor_upgrades}"
    for number in range(1, 22)
)
_WITH_MANY = _EXCLUSIONS + """"""


@rule(
    "TPU614",
    about=of_clusters("maintenance.exclusions"),
    title="Too many exclusions",
    why="the provider limits the number of exclusions in a cluster, and it rejects more",
    fix="Remove exclusions that have ended.",
    references=["provider-cluster", "OBSERVED_2026_11_20"],
    source="observed in tests: a preview rejects more exclusions",
    basis="observed",
    failing=_WITH_MANY + _MANY,
    passing=_WITH_MANY + _MANY.rpartition("\n")[0],
)
def too_many_exclusions(context: PlanContext) -> Iterable[Hit]:
    for maintenance, path in maintained(context):
        facts = context.catalog.maintenance.exclusions
        count = len(maintenance.exclusions)
        if count > facts.max_total:
            yield Hit(
                (*path, "exclusions"),
                f"{count:,} exclusions exceed the limit of {facts.max_total}",
                fact=facts.for_item("max_total"),
                given=f"exclusions: {count:,}",
            )


@rule(
    "TPU615",
    about=of_clusters("maintenance.exclusions"),
    title="Exclusions leave too little time for upgrades",
    why="GKE requires some time without exclusions to upgrade the cluster, and it rejects exclusions that leave less "
    "time",
    fix="Leave a longer gap between the exclusions.",
    references=["google-skills-upgrades", "gke-exclusions-guide", "gke-exclusions-concept"],
    failing=_ALWAYS_OPEN
    + """    first: {start: 2026-12-01T00:00:00Z, end: 2027-01-20T00:00:00Z}
    second: {start: 2027-01-21T00:00:00Z, end: 2027-03-20T00:00:00Z}
""",
    edit=("2027-01-21T00:00:00Z", "2027-01-22T00:00:00Z"),
)
def no_time_between_exclusions(context: PlanContext) -> Iterable[Hit]:
    for maintenance, path in maintained(context):
        facts = context.catalog.maintenance.availability
        longest = datetime.timedelta(days=context.catalog.maintenance.exclusions.max_no_upgrades_days)
        needed = datetime.timedelta(hours=facts.min_hours)
        spans = blocking_spans(maintenance)
        if len(spans) > context.catalog.maintenance.exclusions.max_total:
            continue  # another rule reports their number
        if any(span.length > longest for span in spans):
            continue  # another rule reports that exclusion
        least, begin = least_free(spans, facts.rolling_days)
        if least < needed and begin is not None:
            yield Hit(
                (*path, "exclusions"),
                f"in the {facts.rolling_days} days from {begin:%Y-%m-%d}, the exclusions leave "
                f"{least.total_seconds() / 3600:,.4g} h; GKE requires at least {facts.min_hours} h",
                fact=facts.for_item("rolling_days"),
                given="exclusions:",
            )


@warning(
    "TPU616",
    about=of_clusters("maintenance.exclusions.*.end"),
    title="Exclusion has ended",
    why="the exclusion no longer has an effect, but GKE still counts it toward the limits on exclusions",
    fix="Remove the exclusion.",
    source="Calendar: the end of the exclusion is before today",
    today="2026-11-20",
    failing=_EXCLUSIONS
    + """    launch: {start: 2026-10-01T00:00:00Z, end: 2026-10-20T00:00:00Z}
""",
    edit=("2026-10-20T00:00:00Z", "2026-11-20T00:00:00Z"),
)
def expired_exclusion(context: PlanContext) -> Iterable[Hit]:
    for name, exclusion, path in _exclusions(context) if context.today is not None else ():
        span = exclusion_span(exclusion)
        if span is not None and context.today is not None and span.end.date() < context.today:
            yield Hit(
                (*path, "end"),
                f"exclusion {quoted(name)} ended on {span.end:%Y-%m-%d}",
                given=f"end: {_shown(span.end)}",
            )


@warning(
    "TPU617",
    about=of_clusters("maintenance.exclusions.*.end", "maintenance.exclusions.*.scope"),
    title="Exclusion of all upgrades until the end of support",
    why="GKE limits an exclusion of all upgrades to 90 days. Only an exclusion with a scope that allows patches can "
    "last until the end of support",
    fix="Set `scope` to no_minor_upgrades or no_minor_or_node_upgrades, or set `end` to a time.",
    references=["google-skills-upgrades", "gke-exclusions-guide"],
    failing=_EXCLUSIONS
    + """    hold: {start: 2026-12-01T00:00:00Z, end: end_of_support}
""",
    edit=("end_of_support", "end_of_support, scope: no_minor_or_node_upgrades"),
)
def blocking_until_end_of_support(context: PlanContext) -> Iterable[Hit]:
    for name, exclusion, path in _exclusions(context):
        if exclusion.end_of_support and exclusion.scope == NO_UPGRADES:
            yield Hit(
                (*path, "scope") if exclusion.written("scope") else path,
                f"exclusion {quoted(name)} would block all upgrades until the end of support",
                fact=note_by_id(context.catalog.maintenance.notes, _UNTIL_NOTE),
                given=f"scope: {NO_UPGRADES}",
                allowed=("no_minor_upgrades", "no_minor_or_node_upgrades"),
                fix=SetKeys.of(scope="no_minor_or_node_upgrades"),
            )


@warning(
    "TPU618",
    about=of_clusters("maintenance.exclusions"),
    title="Unusual exclusion name",
    why="the name identifies the exclusion, and people can misread a name with spaces or invisible characters",
    fix="Use a short name of visible characters.",
    references=["container-api-discovery"],
    failing=_EXCLUSIONS
    + """    " launch": {start: 2026-12-01T00:00:00Z, end: 2026-12-20T00:00:00Z}
""",
    passing=_EXCLUSIONS
    + """    launch: {start: 2026-12-01T00:00:00Z, end: 2026-12-20T00:00:00Z}
""",
)
def unusual_exclusion_name(context: PlanContext) -> Iterable[Hit]:
    for name, _, path in _exclusions(context):
        hidden = not is_visible(name[:_LONGEST_NAME])
        if not name or name != name.strip() or hidden or len(name) > _LONGEST_NAME:
            unusual = f"unusual exclusion name {quoted(name)}"
            yield Hit(path, unusual if name.strip() else "an exclusion has an empty name", given=printable(name, 60))


@warning(
    "TPU632",
    about=of_clusters("maintenance.exclusions.*.end", "min_version"),
    otherwise={Severity.NOTE: "if the date has a low confidence"},
    title="Exclusion continues after the end of support",
    why="GKE compares the end of an exclusion with the end of support of the version that the cluster has, and rejects "
    "a later one. At the end of support, it upgrades the control plane and the nodes, which no exclusion prevents",
    fix="Set `end` to the end of support, and upgrade before. Or upgrade the cluster to a newer version first.",
    references=["magic-modules-12569", "endoflife-gke", "google-skills-upgrades"],
    failing=_EXCLUSIONS.replace("mode: standard", 'mode: standard\nmin_version: "1.35"')
    + """    hold: {start: 2027-03-01T00:00:00Z, end: 2027-06-01T00:00:00Z, scope: no_minor_or_node_upgrades}
""",
    edit=("2027-06-01T00:00:00Z", "2027-04-11T00:00:00Z"),
)
def exclusion_past_end_of_support(context: PlanContext) -> Iterable[Hit]:
    for cluster in context.fleet.clusters:
        support, maintenance = support_of(cluster, context.catalog), cluster.plan.maintenance
        if maintenance is None or support.fact is None or support.end is None:
            continue
        for name, exclusion in maintenance.exclusions.items():
            span = exclusion_span(exclusion)
            if span is not None and span.start < support.end < span.end:
                yield Hit(
                    (*cluster.path, "maintenance", "exclusions", name, "end"),
                    f"exclusion {quoted(name)} ends on {span.end:%Y-%m-%d}, but the support of {support.text} ends on "
                    f"{support.end:%Y-%m-%d}: GKE rejects the exclusion while the cluster has that version",
                    fact=support.fact,
                    severity=Severity.NOTE if support.fact.confidence == "low" else None,
                    given=f"end: {_shown(span.end)}",
                    fix=SetKeys.of(end=_shown(support.end)),
                )


@warning(
    "TPU634",
    about=of_clusters("maintenance.exclusions", "maintenance.window.days"),
    title="Exclusions leave too little of the maintenance window",
    why="GKE requires 48 hours of maintenance time in any 92 days: time in the maintenance window and outside all "
    "exclusions of all upgrades",
    fix="Shorten the exclusions, or lengthen the window. Or use a scope that allows patches.",
    references=["google-skills-upgrades", "gke-exclusions-guide"],
    failing=_EXCLUSIONS
    + """    run: {start: 2026-12-01T00:00:00Z, end: 2027-02-20T00:00:00Z}
""",
    edit=("2027-02-20T00:00:00Z", "2027-01-20T00:00:00Z"),
)
def exclusions_cover_maintenance_windows(context: PlanContext) -> Iterable[Hit]:
    facts, limits = context.catalog.maintenance.availability, context.catalog.maintenance.exclusions
    longest = datetime.timedelta(days=limits.max_no_upgrades_days)
    for maintenance, path in maintained(context):
        spans = blocking_spans(maintenance)
        if len(spans) > limits.max_total or any(span.length > longest for span in spans):
            continue  # other rules report that
        if least_free(spans, facts.rolling_days)[0] < datetime.timedelta(hours=facts.min_hours):
            continue  # no window can leave enough
        least = _least_of_window(maintenance.window, spans, facts)
        if least is not None:
            yield Hit(
                (*path, "exclusions"),
                f"in the {facts.rolling_days} days from {least.start:%Y-%m-%d %H:%M} UTC, the exclusions leave "
                f"{math.floor(least.hours * 10) / 10:,g} h of the maintenance window; GKE requires at least "
                f"{facts.min_hours} h, in blocks of {facts.piece_hours} h or more",
                fact=facts.for_item("rolling_days"),
                given="exclusions:",
            )
