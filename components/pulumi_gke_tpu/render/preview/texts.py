"""The texts of a preview, the same in a terminal and in Markdown."""

import datetime
from collections import Counter
from collections.abc import Sequence

from pulumi_gke_tpu.change.phrases import RESOURCE_WORDS
from pulumi_gke_tpu.estimate import HOURS_PER_MONTH, NOT_INCLUDED, CostLine, FleetCost, GroupCost, QuotaNeed
from pulumi_gke_tpu.findings import duration_text, listed, number, printable
from pulumi_gke_tpu.fleet import Cluster, CpuPool, NodePool, Range, SliceGroup
from pulumi_gke_tpu.graph.model import Graph
from pulumi_gke_tpu.plan.cluster import SystemPool, Window

MODE_WORDS = {
    "on_demand": "on-demand",
    "spot": "spot",
    "reservation": "reserved",
    "flex_start": "flex-start",
    "queued": "queued",
    "autopilot_premium": "Autopilot premium",
    "total": "total",
}
_SCOPE_WORDS = {
    "no_upgrades": "no upgrades",
    "no_minor_upgrades": "no minor upgrades",
    "no_minor_or_node_upgrades": "no minor or node upgrades",
}
_NONE_KNOWN = "unknown"


def cluster_text(cluster: Cluster) -> str:
    """Mode, location and release channel of a cluster."""
    channel = cluster.plan.release_channel
    said = "no release channel" if channel == "none" else f"release channel {channel}"
    renamed = f", {cluster.name} in GKE" if cluster.name != cluster.key else ""
    version = cluster.plan.min_version
    at_least = f", {printable(version)} or later" if version else ""
    return f"{cluster.mode.title()}, {printable(cluster.location)}, {said}{at_least}{renamed}"


def group_name(group: SliceGroup) -> str:
    """The name of a group within its cluster."""
    return group.key.rsplit("/", 1)[1]


def shape_text(group: SliceGroup) -> str:
    """Generation and topology."""
    return f"{group.shape.generation} {group.shape.topology}"


def slices_text(group: SliceGroup) -> str:
    """The number of slices, multi-host or single-host."""
    kind = "multi-host" if group.shape.multi_host else "single-host"
    return f"{group.slices.counted('slice')}, {kind}"


def zone_text(group: SliceGroup) -> str:
    """The zone, or that Autopilot chooses it."""
    return printable(group.zone) if group.zone else "any zone"


def capacity_text(group: SliceGroup) -> str:
    """The capacity mode of the hosts."""
    capacity = group.plan.capacity
    if capacity.reservation is not None:
        reservation = capacity.reservation
        owner = f" of {printable(reservation.project)}" if reservation.project else ""
        return f"reserved {printable(reservation.name)}{owner} (specific)"
    if capacity.flex_start is not None:
        duration = capacity.flex_start.max_run_duration
        longest = f", at most {duration_text(duration)}" if duration else ""
        return f"flex-start{longest}{', queued' if capacity.flex_start.queued else ''}"
    return MODE_WORDS[capacity.mode]


def pool_text(group: SliceGroup, pool: NodePool) -> tuple[str, str, str]:
    """Hosts, chips and scaling of a node pool. A multi-host slice has all hosts or none: 0 or 64, nothing between."""
    low, high = pool.hosts.minimum, pool.hosts.maximum
    between = " or " if group.shape.multi_host and low != high else None
    hosts = f"{low:,}{between}{high:,}" if between else str(pool.hosts)
    chips = pool.hosts.times(group.shape.chips_per_host)
    chips_text = f"{chips.minimum:,}{between}{chips.maximum:,}" if between else str(chips)
    scaling = "autoscaled" if pool.autoscaled else "static"
    return f"{hosts} × {group.shape.machine_type}", f"{chips_text} chips", scaling


def selector_text(group: SliceGroup) -> str:
    """The labels with which workloads select nodes, as in a nodeSelector."""
    return ", ".join(f"{key}: {value}" for key, value in group.node_selector.items())


def maintenance_text(cluster: Cluster) -> str:
    """Window and exclusions in one line; empty if the plan has none."""
    maintenance = cluster.plan.maintenance
    if maintenance is None or maintenance.window is None:
        return ""
    parts = [_window_text(maintenance.window)]
    for name, exclusion in sorted(maintenance.exclusions.items()):
        end = "end of support" if exclusion.end is None else day_text(exclusion.end)
        scope = _SCOPE_WORDS[exclusion.scope]
        parts.append(f"{printable(name)}: {day_text(exclusion.start)} to {end} ({scope})")
    return " · ".join(parts)


def _window_text(window: Window) -> str:
    if window.recurrence is not None:
        days = printable(window.recurrence)
    elif window.days is None:
        days = "every day"
    else:
        days = ", ".join(day.title() for day in window.days)
    return f"{days} {window.start:%H:%M} UTC for {duration_text(window.duration)}"


def system_text(cluster: Cluster) -> str:
    """The system pool in one line; empty on Autopilot."""
    if cluster.mode == "autopilot":
        return ""
    system = cluster.plan.system_pool or SystemPool()
    return f"{Range(system.min_nodes, system.max_nodes)} × {printable(system.machine_type)}"


def cpu_pool_text(pool: CpuPool) -> str:
    """A CPU pool in one line: nodes, zones, capacity."""
    parts = [f"{pool.nodes} × {printable(pool.plan.machine_type)}"]
    if pool.zones:
        parts.append(listed([printable(zone) for zone in pool.zones]))
    return ", ".join([*parts, *(["spot"] if pool.plan.spot else [])])


def day_text(time: datetime.datetime) -> str:
    """1 Dec 2026."""
    return f"{time.day} {time:%b %Y}"


def usd_text(line: CostLine) -> tuple[str, str]:
    """USD per hour and per month of a sum; marked if it is unknown or only a part."""
    if line.usd is None:
        return (_NONE_KNOWN, _NONE_KNOWN) if line.unknown else ("0", "0")
    least = "at least " if line.at_least else ""
    return f"{least}{line.usd}", f"{least}{line.usd.per_month}"


def total_text(line: CostLine) -> list[str]:
    """The cells of one row of totals."""
    return [MODE_WORDS[line.what], str(line.slices), str(line.hosts), str(line.chips), *usd_text(line)]


def group_usd_text(cost: GroupCost) -> str:
    """USD per hour of a group."""
    return f"{cost.usd} USD/h" if cost.usd else "price unknown"


def price_notes(cost: FleetCost) -> list[str]:
    """The prices with their dates, the costs that are not included, and the limits of GKE's cost reports."""
    notes = []
    prices = [
        f"{price.family} {price.region} {MODE_WORDS.get(price.model, price.model)} {price.usd} ({price.as_of}"
        + ("" if price.confidence == "high" else f", confidence {price.confidence}")
        + ")"
        for price in cost.prices
    ]
    if prices:
        notes.append(f"Prices in USD per chip-hour: {'; '.join(prices)}.")
        notes.append(
            "If the catalog has several prices, gke-tpu uses the one with the highest confidence, then the newest."
        )
    if any(line.at_on_demand_price for line in cost.modes):
        notes.append("Reserved capacity is shown at the on-demand price; the actual cost depends on the commitment.")
    notes += [f"Unknown: {reason}." for reason in cost.unknown]
    notes.append(f"A month is {HOURS_PER_MONTH} hours.")
    left_out = ", ".join(NOT_INCLUDED[:-1])
    fee = f"{NOT_INCLUDED[-1]} ({cost.cluster_fee.usd:.2f} USD per cluster and hour)"
    notes.append(f"Not included: {left_out}, and {fee}.")
    return [*notes, *cost.reporting]


def quota_text(needs: Sequence[QuotaNeed]) -> list[str]:
    """The use of each quota by a plan."""
    lines = []
    for need in needs:
        metric = need.metric.metric if need.metric else "unknown"
        family = f" ({need.metric.dimension})" if need.metric and need.metric.dimension else ""
        doubt = "" if need.certain else f", confidence {need.confidence}"
        lines.append(f"{need.chips} chips of {metric}{family} in {need.region}{doubt}")
    return lines


def resource_text(graph: Graph) -> str:
    """The number of resources, by type."""
    counts = Counter(resource.type for resource in graph.resources if resource.custom)
    parts = []
    for kind in sorted(
        counts, key=lambda kind: (list(RESOURCE_WORDS).index(kind) if kind in RESOURCE_WORDS else 99, kind)
    ):
        one, many = RESOURCE_WORDS.get(kind, (kind, kind))
        parts.append(number(counts[kind], one, many))
    total = sum(counts.values())
    return f"{number(total, 'resource')}: {', '.join(parts)}"
