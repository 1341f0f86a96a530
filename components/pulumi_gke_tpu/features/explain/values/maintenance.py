"""Explains what can interrupt a cluster or a slice group: windows, exclusions, runs, and what nothing prevents."""

from collections.abc import Iterable, Iterator

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.fleet import Cluster, SliceGroup
from pulumi_gke_tpu.core.fleet.settings import node_lifetime, upgrade_settings
from pulumi_gke_tpu.core.plan.inventory import OwnedReservation
from pulumi_gke_tpu.core.plan.upgrades import Exclusion, Window
from pulumi_gke_tpu.core.text.findings import duration_text, listed, number, printable
from pulumi_gke_tpu.features.explain.steps import Evidence, Remark, Step, evidence, fitting_notes, note_evidence
from pulumi_gke_tpu.features.explain.values.group_shape import GroupView
from pulumi_gke_tpu.features.explain.values.surroundings import Surroundings

_TOPICS = ("maintenance",)


def cluster_maintenance(catalog: Catalog, cluster: Cluster) -> Iterator[Step]:
    """The window with the exclusions of a cluster, and the end of support of its version."""
    hosts = {"multi_host" if group.shape.multi_host else "single_host" for group in cluster.groups}
    modes = {mode for group in cluster.groups for mode in group.capacity_modes}
    anyway = _anyway(catalog, {cluster.mode, *hosts, *modes})
    facts, lines = _limits(catalog)
    yield Step(
        "maintenance",
        _window(cluster),
        _origin(cluster),
        (*facts, *(remark.evidence for remark in anyway)),
        topics=_TOPICS,
        details=(*_exclusions(cluster, every=True), *lines, *_prevented(anyway)),
        paths=((*cluster.path, "maintenance"),),
    )
    yield _support(catalog, cluster)


def group_maintenance(view: GroupView, around: Surroundings) -> Step:
    """What can interrupt the slices of a group, its planned runs, and what no exclusion prevents."""
    catalog, cluster, group = view.catalog, view.cluster, view.group
    hosts = "multi_host" if group.shape.multi_host else "single_host"
    anyway = _anyway(catalog, {cluster.mode, hosts, group.shape.generation, *group.capacity_modes})
    facts, lines = _of_nodes(view)
    support = _support(catalog, cluster)
    exempt, entry = _exempt(view), around.owned.entry_of(cluster, group)
    value, reason = ("no automatic upgrades", exempt) if exempt else (_window(cluster), _origin(cluster))
    return Step(
        "maintenance",
        value,
        reason,
        tuple(dict.fromkeys((*facts, *(remark.evidence for remark in anyway), *support.evidence))),
        ("host_maintenance", "runs"),
        _TOPICS,
        (
            *_exclusions(cluster, every=False),
            *_runs(catalog, cluster, group),
            *lines,
            *_of_reservation(entry),
            f"end of support of {cluster.key}: {support.value}; {support.because}",
            *_prevented(anyway),
        ),
        paths=((*cluster.path, "maintenance"),),
        owned=((*around.entry_path(entry), "periodic_maintenance"),)
        if entry is not None and entry.periodic_maintenance is not None
        else (),
    )


def _of_reservation(entry: OwnedReservation | None) -> Iterator[str]:
    """Whether Compute Engine announces host maintenance of a reservation, if the inventory has it."""
    if entry is not None and entry.periodic_maintenance is not None:
        has = "has" if entry.periodic_maintenance else "does not have"
        yield f"reservation {printable(entry.name)} {has} periodic maintenance, according to the inventory"


def runs_of(catalog: Catalog, cluster: Cluster, group: SliceGroup, *, with_group: bool = True) -> Iterator[str]:
    """The planned runs on a group, each with the automatic upgrades that can interrupt it."""
    from pulumi_gke_tpu.core.schedule.coverage import coverage_of, run_span, written  # only plans with runs need it

    for name, run in cluster.plan.runs.items():
        span = run_span(run) if run.slices == group.path[-1] else None
        if span is not None:
            text = coverage_of(name, span, cluster, group, catalog).text
            when = f"{written(span.start)} to {written(span.end)}"
            where = f" on {printable(run.slices)}" if with_group else ""
            yield f"{printable(name)}{where}, {when}: {text}"


def _runs(catalog: Catalog, cluster: Cluster, group: SliceGroup) -> Iterator[str]:
    if cluster.plan.runs:
        yield from (f"run {line}" for line in runs_of(catalog, cluster, group, with_group=False))


def _window(cluster: Cluster) -> str:
    written = cluster.plan.maintenance
    if cluster.existing:
        return "unknown"
    return "any time" if written is None or written.window is None else _window_text(written.window)


def _window_text(window: Window) -> str:
    days = window.recurrence or (", ".join(window.days) if window.days else "every day")
    hours = window.duration.total_seconds() / 3600
    return f"{days} {window.start:%H:%M} UTC for {hours:g} h"


def _origin(cluster: Cluster) -> str:
    written = cluster.plan.maintenance
    if cluster.existing:
        return "the plan does not contain the maintenance window of an existing cluster"
    if written is None or written.window is None:
        return "the plan has no window"
    return f"from the plan; {number(len(written.exclusions), 'exclusion') if written.exclusions else 'no exclusions'}"


def _exclusions(cluster: Cluster, *, every: bool) -> Iterator[str]:
    """The exclusions of a cluster; for a group those that prevent upgrades of its nodes, and the others by name."""
    from pulumi_gke_tpu.core.schedule.spans import PROTECTS_NODES  # only explanations of items need it

    written = cluster.plan.maintenance
    for name, exclusion in sorted(written.exclusions.items()) if written else ():
        protects = "" if every or exclusion.scope in PROTECTS_NODES else ", which does not prevent upgrades of nodes"
        yield f"{printable(name)}: {exclusion.scope}, {_period(exclusion)}{protects}"


def _period(exclusion: Exclusion) -> str:
    end = f"{exclusion.end:%Y-%m-%d %H:%M}" if exclusion.end else "end of support"
    return f"{exclusion.start:%Y-%m-%d %H:%M} to {end}"


def _limits(catalog: Catalog) -> tuple[tuple[Evidence, ...], tuple[str, ...]]:
    """The limits of GKE for windows and exclusions."""
    limits, free = catalog.maintenance.exclusions, catalog.maintenance.availability
    lines = (
        f"limits: {number(limits.max_total, 'exclusion')}, of which {limits.max_no_upgrades} prevent all upgrades, "
        f"for at most {number(limits.max_no_upgrades_days, 'day')} each",
        f"limits: at least {free.min_hours} h of maintenance time in every {number(free.rolling_days, 'day')}, in "
        f"periods of {free.piece_hours} h or more",
    )
    return evidence(catalog, limits) + evidence(catalog, free), lines


def _exempt(view: GroupView) -> str:
    """Why GKE does not upgrade running nodes of a group; empty if it does."""
    upgrade = upgrade_settings(view.group)
    if upgrade.short_lived:
        return view.note_text("short-lived") or f"{listed(view.group.capacity_modes)} capacity"
    return "" if upgrade.upgrades_running_nodes else "auto_upgrade is false in the plan"


def _of_nodes(view: GroupView) -> tuple[tuple[Evidence, ...], tuple[str, ...]]:
    """How long nodes live, how long Pods have to stop, and host maintenance."""
    catalog, group = view.catalog, view.group
    facts: tuple[Evidence, ...] = ()
    lines = []
    lifetime = node_lifetime(group, catalog).value
    if lifetime is not None:
        lines.append(f"GKE deletes the nodes after {duration_text(lifetime)}: the limit of flex-start")
        facts += evidence(catalog, catalog.capacity.flex_start)
    if group.plan.maintenance is not None and group.plan.maintenance.end_of_support:
        lines.append("the plan excludes the node pools from minor upgrades until the end of support")
        facts += view.proof("pool-exclusion")
    if group.plan.host_maintenance is not None:
        interval = group.plan.host_maintenance.interval
        lines.append(f"host maintenance: {interval}, from the plan")
        idle = group.plan.host_maintenance.opportunistic
        if idle is not None:
            lines.append(
                f"GKE maintains hosts that are idle for {duration_text(idle.idle)} in the last "
                f"{duration_text(idle.window)} before the announced date"
            )
        facts += view.proof("host-maintenance-beta")
    grace = catalog.kubernetes.pods.grace
    spot = f", {grace.spot_seconds} s before a preemption" if "spot" in group.capacity_modes else ""
    lines.append(
        f"Pods have at most {number(grace.max_seconds // 60, 'minute')} to stop before maintenance and upgrades{spot}, "
        "none before a repair"
    )
    facts += evidence(catalog, grace)
    if view.cluster.mode == "autopilot" and group.compute_class is None and "spot" not in group.capacity_modes:
        extended = catalog.kubernetes.workloads.extended_run
        lines.append(
            f"Autopilot delays scale-down and upgrades for up to {number(extended.days, 'day')} for Pods with "
            f"{extended.annotation}: {extended.value}"
        )
        facts += evidence(catalog, extended)
    return facts, tuple(lines)


def _anyway(catalog: Catalog, traits: set[str]) -> tuple[Remark, ...]:
    """The interruptions that no window and no exclusion prevents, for items with these traits."""
    from pulumi_gke_tpu.core.schedule.events import ALWAYS

    return tuple(remark for remark in fitting_notes(catalog, traits, {"maintenance"}) if remark.id in ALWAYS)


def _prevented(anyway: Iterable[Remark]) -> Iterator[str]:
    return (f"not prevented: {remark.text}" for remark in anyway)


def _support(catalog: Catalog, cluster: Cluster) -> Step:
    """The end of support of the minor version; unknown if the plan or the catalog does not have it."""
    from pulumi_gke_tpu.core.schedule.support import support_of

    support, known = support_of(cluster, catalog), catalog.maintenance.support_ends
    after = note_evidence(catalog, "end-of-support")
    path = ((*cluster.path, cluster.version_key),)
    if support.end is not None:
        kind = "extended" if support.extended else "standard"
        reason = f"{kind} support of {support.text} ends on this day; GKE then upgrades the cluster, exclusions or not"
        facts = evidence(catalog, support.fact)
        return Step("end_of_support", f"{support.end:%Y-%m-%d}", reason, facts + after, topics=_TOPICS, paths=path)
    dates = f"the catalog has dates of {listed(list(known))}" if known else "the catalog has no dates"
    if not support.version:
        reason = f"the plan has no {cluster.version_key}; {dates}"
    elif support.fact is not None:
        reason = f"no source has the end of extended support of GKE {support.version}"
    else:
        reason = f"no source has a date for GKE {support.version}; {dates}"
    facts = tuple(dict.fromkeys(proof for fact in known.values() for proof in evidence(catalog, fact)))
    looked = evidence(catalog, support.fact) or facts
    return Step("end_of_support", "unknown", reason, looked + after, topics=_TOPICS, paths=path)
