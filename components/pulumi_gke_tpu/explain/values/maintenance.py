"""Explains the maintenance of clusters and slice groups: windows, exclusions, runs, and what no exclusion prevents."""

from collections.abc import Iterable, Sequence

from pulumi_gke_tpu.catalog import Catalog
from pulumi_gke_tpu.explain.notes import note_named
from pulumi_gke_tpu.explain.steps import Evidence, Step, doubt, evidence
from pulumi_gke_tpu.explain.values.group_shape import GroupView
from pulumi_gke_tpu.findings import number, printable
from pulumi_gke_tpu.fleet import Cluster, SliceGroup
from pulumi_gke_tpu.plan.cluster import Maintenance, Window

_TOPICS = ("maintenance",)
_HOST_NOTES = ("no-live-migration", "exclusions-automatic-only")
"""The notes about interruptions of every slice that no exclusion prevents."""
_MULTI_HOST_NOTES = ("slice-repair",)
_RESERVATION_NOTES = ("periodic-maintenance",)


def cluster_maintenance(catalog: Catalog, cluster: Cluster) -> Step:
    """The maintenance window of a cluster, its exclusions, and the end of support of its version."""
    written = cluster.plan.maintenance
    lines = (*_exclusions(written), *_support(catalog, cluster))
    facts = evidence(catalog, catalog.maintenance.availability) + _support_facts(catalog, cluster)
    value, reason = _window_of(cluster)
    if not cluster.existing and written is not None:
        reason += f"; {number(len(written.exclusions), 'exclusion')}" if written.exclusions else "; no exclusions"
    return Step("maintenance", value, reason, facts, (), _TOPICS, lines)


def cluster_runs(catalog: Catalog, cluster: Cluster) -> Iterable[Step]:
    """The planned runs, each with the automatic upgrades that can interrupt it; no step without runs."""
    if not cluster.plan.runs:
        return
    lines = tuple(line for group in cluster.groups for line in _runs(catalog, cluster, group, with_group=True))
    reason = "from the plan; gke-tpu calendar shows what can interrupt them"
    facts = evidence(catalog, note_named(catalog, "exclusions-automatic-only"))
    yield Step("runs", number(len(cluster.plan.runs), "run"), reason, facts, topics=_TOPICS, details=lines)


def group_maintenance(view: GroupView) -> Step:
    """What can interrupt the slices of a group: automatic upgrades, host maintenance and repair."""
    from pulumi_gke_tpu.schedule.coverage import is_short_lived

    cluster, group, plan = view.cluster, view.group, view.group.plan
    if is_short_lived(group):
        value, reason = "no automatic upgrades", view.note_text("short-lived")
    elif plan.upgrade is not None and plan.upgrade.auto_upgrade is False:
        value, reason = "no automatic upgrades", "auto_upgrade is false in the plan"
    else:
        value, reason = _window_of(cluster)
    notes = [
        *_HOST_NOTES,
        *(_MULTI_HOST_NOTES if group.shape.multi_host else ()),
        *(_RESERVATION_NOTES if "reservation" in group.capacity_modes else ()),
    ]
    own = []
    if plan.maintenance is not None and plan.maintenance.end_of_support:
        own.append("node pools: no minor upgrades until the end of support")
    if plan.host_maintenance is not None:
        own.append(f"host maintenance: {plan.host_maintenance.interval}, from the plan")
    lines = (
        *_exclusions(cluster.plan.maintenance),
        *own,
        *_runs(view.catalog, cluster, group, with_group=False),
        *(text for name in notes if (text := view.note_text(name))),
        *_support(view.catalog, cluster),
    )
    facts = dict.fromkeys(
        (
            *(view.proof("short-lived") if is_short_lived(group) else ()),
            *evidence(view.catalog, view.catalog.maintenance.availability),
            *(fact for name in notes for fact in view.proof(name)),
            *_support_facts(view.catalog, cluster),
        )
    )
    keys = ("host_maintenance", "runs")
    return Step("maintenance", value, reason, tuple(facts), keys, _TOPICS, lines)


def _window_of(cluster: Cluster) -> tuple[str, str]:
    """When GKE upgrades the nodes of a cluster, and why."""
    if cluster.existing:
        return "unknown", "the plan does not contain the maintenance window of an existing cluster"
    written = cluster.plan.maintenance
    if written is None or written.window is None:
        return "any time", "the plan has no window"
    return _window(written.window), "from the plan"


def _window(window: Window) -> str:
    days = window.recurrence or (", ".join(window.days) if window.days else "every day")
    hours = window.duration.total_seconds() / 3600
    return f"{days} {window.start:%H:%M} UTC for {hours:g} h"


def _exclusions(maintenance: Maintenance | None) -> Sequence[str]:
    exclusions = maintenance.exclusions if maintenance is not None else {}
    return [
        f"{printable(name)}: {exclusion.scope}, {exclusion.start:%Y-%m-%d %H:%M} to "
        f"{f'{exclusion.end:%Y-%m-%d %H:%M}' if exclusion.end else 'end of support'}"
        for name, exclusion in sorted(exclusions.items())
    ]


def _runs(catalog: Catalog, cluster: Cluster, group: SliceGroup, *, with_group: bool) -> Iterable[str]:
    """The planned runs of a group, each with the automatic upgrades that can interrupt it."""
    if not cluster.plan.runs:
        return
    from pulumi_gke_tpu.schedule.coverage import coverage_of, run_span, written  # only plans with runs need it

    for name, run in cluster.plan.runs.items():
        span = run_span(run)
        if span is None or run.slices != group.path[-1]:
            continue
        what = f"{printable(name)} on {printable(run.slices)}" if with_group else f"run {printable(name)}"
        when = f"{written(span.start)} to {written(span.end)}"
        yield f"{what}, {when}: {coverage_of(name, span, cluster, group, catalog).text}"


def _support(catalog: Catalog, cluster: Cluster) -> Iterable[str]:
    """The end of support of the version in the plan. GKE then upgrades despite windows and exclusions."""
    from pulumi_gke_tpu.schedule.support import support_of

    support = support_of(cluster, catalog)
    if not support.version:
        yield "end of support: unknown, because the plan sets no version"
    elif support.fact is None or support.end is None:
        yield f"end of support: unknown, because the catalog has no date for GKE {support.version}"
    else:
        newer = ", unless the cluster runs a newer version" if support.minimum else ""
        sure = doubt(support.fact.confidence)
        yield f"end of support of GKE {support.version}: {support.end:%Y-%m-%d}{newer}{sure}"


def _support_facts(catalog: Catalog, cluster: Cluster) -> tuple[Evidence, ...]:
    from pulumi_gke_tpu.schedule.support import support_of

    return evidence(catalog, support_of(cluster, catalog).fact)
