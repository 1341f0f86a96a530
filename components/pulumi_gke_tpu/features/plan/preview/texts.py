"""The texts of a preview about clusters, slice groups and their settings, the same in a terminal and in Markdown."""

import datetime
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import field, replace
from typing import TYPE_CHECKING

from pulumi_gke_tpu.core.catalog.records.capacity import QuotaMetric
from pulumi_gke_tpu.core.estimate import (
    HOURS_PER_MONTH,
    NOT_INCLUDED,
    AutoProvisioned,
    CostLine,
    FleetCost,
    GroupCost,
    QuotaNeed,
    used_prices,
)
from pulumi_gke_tpu.core.fleet import Cluster, CpuPool, Fleet, NodePool, SliceGroup
from pulumi_gke_tpu.core.fleet.settings import BootDiskSettings, ClusterSettings, boot_disk, system_pool
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.graph.adopted import adopted_with_cluster, adopted_with_group
from pulumi_gke_tpu.core.graph.phrases import RESOURCE_WORDS
from pulumi_gke_tpu.core.plan.networks import Network
from pulumi_gke_tpu.core.plan.slices import Taint
from pulumi_gke_tpu.core.plan.upgrades import Exclusion, Window
from pulumi_gke_tpu.core.text.findings import duration_text, listed, number, printable

if TYPE_CHECKING:
    from pulumi_gke_tpu.core.graph.registered import PlanPreview

MODE_WORDS = {
    "on_demand": "on-demand",
    "spot": "spot",
    "reservation": "reserved",
    "flex_start": "flex-start",
    "queued": "queued",
    "autopilot_premium": "+ Autopilot premium",
    "total": "total",
}
_SCOPE_WORDS = {
    "no_upgrades": "no upgrades",
    "no_minor_upgrades": "no minor upgrades",
    "no_minor_or_node_upgrades": "no minor or node upgrades",
}
_NONE_KNOWN = "unknown"
_ON_DEMAND_PRICE = {
    "reservation": "Reserved capacity is shown at the on-demand price; the actual cost depends on the commitment.",
    "queued": "Queued capacity is shown at the on-demand price; no source documents how Google bills it.",
}


def cluster_text(cluster: Cluster, *, exists: bool = False) -> str:
    """Mode, location, release channel and version of a cluster. ``exists``: no plan adopts it."""
    channel, version = ClusterSettings(cluster).release_channel.value, cluster.version
    origin = "Existing " if cluster.existing else "Adopted " if cluster.adopted and not exists else ""
    parts = [f"{origin}{cluster.mode.title()}", printable(cluster.location)]
    parts.append("no release channel" if channel == "none" else f"release channel {channel or _NONE_KNOWN}")
    if cluster.version_key == "version":
        parts.append(f"version {printable(version) if version else _NONE_KNOWN}")
    elif version:
        parts.append(f"{printable(version)} or later")
    if cluster.name != cluster.key:
        parts.append(f"{printable(cluster.name)} in GKE")
    return ", ".join(parts)


def group_name(group: SliceGroup) -> str:
    """The name of a group within its cluster."""
    return group.key.rsplit("/", 1)[1]


def shape_text(group: SliceGroup) -> str:
    """Generation and topology."""
    return f"{group.shape.generation} {group.shape.topology}{' cubes' if group.dynamic else ''}"


def slices_text(group: SliceGroup) -> str:
    """The number of slices, multi-host or single-host."""
    kind = "dynamic slicing" if group.dynamic else "multi-host" if group.shape.multi_host else "single-host"
    return f"{group.counted}, {kind}"


def zone_text(group: SliceGroup) -> str:
    """The zones, or that Autopilot chooses the zone."""
    return ", ".join(map(printable, group.zones)) or "any zone"


def capacity_text(group: SliceGroup) -> str:
    """The capacity mode of the hosts; several modes in the order in which GKE tries them."""
    return ", then ".join([_capacity_text(group), *(MODE_WORDS[mode] for mode in group.plan.fallback)])


def _capacity_text(group: SliceGroup) -> str:
    capacity = group.plan.capacity
    if capacity.reservation is not None:
        reservation = capacity.reservation
        owner = f" of {printable(reservation.project)}" if reservation.project else ""
        block = f", block {printable(reservation.block)}" if reservation.block else ""
        sub_block = f", sub-block {printable(reservation.sub_block)}" if reservation.sub_block else ""
        return f"reserved {printable(reservation.name)}{owner}{block}{sub_block}"
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
    chips_text = f"{chips.minimum:,}{between}{chips.maximum:,} chips" if between else chips.counted("chip")
    scaling = "autoscaled" if pool.autoscaled else "static"
    return f"{hosts} × {group.shape.machine_type}", chips_text, scaling


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
        parts.append(f"{printable(name)}: {_period_text(exclusion)} ({_SCOPE_WORDS[exclusion.scope]})")
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
    """The system pool in one line; empty where the plan creates none."""
    system = system_pool(cluster)
    return f"{system.nodes} × {printable(system.machine_type.value)}" if system is not None else ""


def cpu_pool_text(pool: CpuPool) -> str:
    """A CPU pool in one line: nodes, zones, capacity."""
    parts = [f"{pool.nodes} × {printable(pool.plan.machine_type)}"]
    if pool.zones:
        parts.append(listed([printable(zone) for zone in pool.zones]))
    return ", ".join([*parts, *(["spot"] if pool.plan.spot else [])])


def _period_text(exclusion: Exclusion) -> str:
    """The period of an exclusion, which ends at ``end``: whole days as the first and the last one, else with times."""
    start, end = exclusion.start, exclusion.end
    if end is None:
        return f"{_day(start)} to end of support"
    if all((moment.hour, moment.minute, moment.second) == (0, 0, 0) for moment in (start, end)):
        last = end - datetime.timedelta(days=1)
        return f"{_day(start)} through {_day(last)}" if last > start else _day(start)
    return f"{_day(start)} {start:%H:%M} to {_day(end)} {end:%H:%M} UTC"


def _day(time: datetime.datetime) -> str:
    """1 Dec 2026."""
    return f"{time.day} {time:%b %Y}"


def usd_text(line: CostLine) -> tuple[str, str]:
    """USD per hour and per month of a sum; marked if it is unknown or only a part."""
    if line.usd is None:
        return (_NONE_KNOWN, _NONE_KNOWN) if line.unknown else ("0", "0")
    least = "at least " if line.at_least else ""
    return f"{least}{line.usd}", f"{least}{line.usd.per_month}"


def total_text(line: CostLine) -> list[str]:
    """The cells of one row of totals. The premium has no sizes: its slices are in the rows above."""
    premium = line.what == "autopilot_premium"
    sizes = ["", "", ""] if premium else [str(line.slices), str(line.hosts), str(line.chips)]
    return [MODE_WORDS[line.what], *sizes, *usd_text(line)]


def group_usd_text(cost: GroupCost) -> str:
    """USD per hour of a group, with the premium of Autopilot where it is known; of several modes the highest."""
    if cost.whole_usd is None:
        return "price unknown"
    least = "at least " if cost.at_least else ""
    premium = " without the premium" if cost.premium_unknown and cost.usd else ""
    highest = f" ({MODE_WORDS[cost.mode]}, the highest price)" if len(cost.modes) > 1 and cost.usd else ""
    doubt = " (low confidence, in no sum)" if cost.doubtful else ""
    return f"{least}{cost.whole_usd} USD/h{premium}{highest}{doubt}"


def cluster_usd_text(line: CostLine) -> str:
    """USD per hour of all slices of a cluster."""
    if line.usd is None:
        return "price unknown"
    return f"{'at least ' if line.at_least else ''}{line.usd} USD/h"


def autoprovisioning_text(items: Iterable[AutoProvisioned]) -> str:
    """The chips that GKE may create in a cluster on demand, in one line; empty without TPU limits."""
    parts = listed([f"up to {_auto_chips(item)}{_auto_zones(item)}" for item in items], "")
    return f"{parts}, only if workloads request them" if parts else ""


def auto_rows(items: Sequence[AutoProvisioned]) -> list[list[str]]:
    """The rows below the total, with the chips that GKE may create on demand."""
    several = len({item.cluster for item in items}) > 1
    rows = []
    for item in items:
        name = f"auto {item.generation}{f' {printable(item.cluster)}' if several else ''}"
        usd = [str(item.usd), str(item.usd.per_month)] if item.usd else [_NONE_KNOWN, _NONE_KNOWN]
        rows.append([name, "", "", str(item.chips), *usd])
    return rows


def auto_notes(items: Iterable[AutoProvisioned]) -> list[str]:
    """The chips that GKE can create for workloads, with their prices, quotas and limits."""
    notes = []
    for item in items:
        price = item.unknown
        if item.all_usd:
            names = listed([f"{MODE_WORDS[price.model]} {price.usd}" for price in item.prices], "or")
            more = f"; {item.unknown}" if item.unknown else ""
            price = f"{item.all_usd} USD per hour ({names} per chip{more})"
        quotas = listed([_metric_text(metric) for metric in item.quotas], "or")
        quota = f"{quotas} in {item.region}" if quotas else "unknown"
        held = f"; the {item.in_pools.counted('chip')} in its node pools count against it"
        limit = f"{number(item.limit, 'chip')}{held if item.in_pools.maximum else ''}"
        notes.append(
            f"GKE can create up to {_auto_chips(item)} if workloads request them. "
            f"Cost of all {number(item.chips.maximum, 'chip')}: {price}. "
            f"Quota: {quota}. Limit of {printable(item.cluster)}: {limit}."
        )
    return notes


def _auto_chips(item: AutoProvisioned) -> str:
    return number(item.chips.maximum, f"{item.generation} chip")


def _auto_zones(item: AutoProvisioned) -> str:
    return f" in {listed([*map(printable, item.zones)], 'or', most=3)}" if item.zones else ""


def price_notes(cost: FleetCost, auto: Iterable[AutoProvisioned]) -> list[str]:
    """The prices with their dates, the costs that are not included, and the limits of GKE's cost reports."""
    notes = []
    used = [
        (price, f"{price.family} {price.region} {MODE_WORDS.get(price.model, price.model)}")
        for price in used_prices(cost, auto)
    ]
    prices = [
        f"{name} {price.usd} ({price.as_of}"
        + ("" if price.confidence == "high" else f", confidence {price.confidence}")
        + ")"
        for price, name in used
    ]
    if prices:
        notes.append(f"Prices in USD per chip-hour: {'; '.join(prices)}.")
        notes.append(
            "If the catalog has several prices, gke-tpu uses the one with the highest confidence, then the newest."
        )
    notes += [f"{name}: {price.disagreement}." for price, name in used if price.conflict]
    notes += [_ON_DEMAND_PRICE[line.what] for line in cost.modes if line.at_on_demand_price]
    notes += [
        f"{printable(group.group)}: at the contract price of {group.contract} USD per chip-hour (inventory)."
        for group in cost.groups
        if group.contract is not None
    ]
    notes += [f"Unknown: {reason}." for reason in cost.unknown]
    notes.append(f"A month is {HOURS_PER_MONTH} hours.")
    left_out = ", ".join(NOT_INCLUDED[:-1])
    fee = f"{NOT_INCLUDED[-1]} ({cost.cluster_fee.usd:.2f} USD per cluster and hour)"
    notes.append(f"Not included: {left_out}, and {fee}.")
    return [*notes, *cost.reporting]


def quota_text(needs: Sequence[QuotaNeed]) -> list[str]:
    """The use of each quota by a plan. A group with several modes is in each quota that it may use."""
    lines = []
    for need in needs:
        metric = _metric_text(need.metric) if need.metric else f"an unknown quota ({', '.join(need.families)})"
        doubt = "" if need.certain else f", confidence {need.confidence}"
        lines.append(f"{need.chips.counted('chip')} of {metric} in {need.region}{doubt}")
    return lines


def short_metric(need: QuotaNeed) -> str:
    """The quota without the name of its service."""
    return _metric_text(need.metric).rpartition("/")[2] if need.metric else f"unknown ({', '.join(need.families)})"


def _metric_text(metric: QuotaMetric) -> str:
    return f"{metric.metric}{f' ({metric.dimension})' if metric.dimension else ''}"


def resource_texts(preview: "PlanPreview") -> dict[str, str]:
    """What Pulumi does with the resources of a new stack -> their number, by type. What exists only exists."""
    if preview.exists:
        return {"exist": _counted([item.type for item in preview.graph.resources if item.custom])}
    adopted = set(_adopted(preview.fleet))
    kinds: dict[str, list[str]] = {"adopts": [], "creates": []}
    for resource in preview.graph.resources:
        if resource.custom:
            kinds["adopts" if (resource.type, resource.name) in adopted else "creates"].append(resource.type)
    return {verb: _counted(types) for verb, types in kinds.items() if types}


def _adopted(fleet: Fleet) -> Iterator[tuple[str, str]]:
    for cluster in fleet.clusters:
        yield from adopted_with_cluster(cluster)
        for group in cluster.groups:
            yield from adopted_with_group(group)


def _counted(types: Sequence[str]) -> str:
    order = list(RESOURCE_WORDS)
    parts = []
    for kind, count in sorted(
        Counter(types).items(), key=lambda item: (order.index(item[0]) if item[0] in order else len(order), item[0])
    ):
        one, many = RESOURCE_WORDS.get(kind, (kind, kind))
        parts.append(number(count, one, many))
    return f"{number(len(types), 'resource')}: {', '.join(parts)}"


_LIFTED = "protection lifted by an acknowledge entry"


@frozen
class ItemSettings:
    """Settings of a cluster or a slice group that differ from the default."""

    protection_lifted: bool = False
    """An acknowledgement lifts the protection that the plan gives to the item."""
    former_keys: tuple[str, ...] = ()
    """The keys of the item before its renames."""
    private_nodes: bool | None = None
    node_labels: dict[str, str] = field(default_factory=dict)
    taints: tuple[str, ...] = ()
    """In the form key=value:EFFECT."""
    boot_disk: str = ""
    """Type, size, IOPS and throughput, as far as the plan sets them."""
    additional_networks: tuple[str, ...] = ()


def settings_of_cluster(cluster: Cluster) -> ItemSettings:
    """The settings of a cluster."""
    return ItemSettings(
        protection_lifted=is_lifted(cluster),
        former_keys=cluster.former_keys,
        private_nodes=cluster.plan.private_nodes,
        additional_networks=tuple(str(network.path[-1]) for network in cluster.additional_networks),
    )


def settings_of_group(group: SliceGroup) -> ItemSettings:
    """The settings of a slice group."""
    plan = group.plan
    return ItemSettings(
        protection_lifted=is_lifted(group),
        former_keys=group.former_keys,
        node_labels={key: str(value) for key, value in plan.node_labels.items()},
        taints=tuple(map(_taint, plan.taints)),
        boot_disk=_disk(boot_disk(plan.boot_disk)),
        additional_networks=tuple(str(network.name or network.network) for network in plan.additional_networks),
    )


def settings_texts(settings: ItemSettings) -> list[str]:
    """One short text for each setting."""
    return list(_texts(settings))


def _texts(settings: ItemSettings) -> Iterator[str]:
    if settings.protection_lifted:
        yield _LIFTED
    if settings.former_keys:
        yield f"moved from {listed([*map(printable, settings.former_keys)])}"
    if settings.private_nodes is not None:
        yield "private nodes" if settings.private_nodes else "nodes with external IP addresses"
    for name, values in (
        ("labels", [f"{key}={value}" for key, value in settings.node_labels.items()]),
        ("taints", settings.taints),
        ("boot disk", [settings.boot_disk] if settings.boot_disk else []),
        ("additional networks", settings.additional_networks),
    ):
        if values:
            yield f"{name} {listed([*map(printable, values)], '')}"


def is_lifted(item: Cluster | SliceGroup) -> bool:
    """Whether an acknowledgement lifts the protection that the plan gives to an item."""
    if isinstance(item, Cluster):
        return item.plan.deletion_protection and not item.deletion_protection and not item.existing
    return item.protect is False and item.plan.protect is not False and bool(item.pools)


def _taint(taint: Taint) -> str:
    return f"{taint.key}{f'={taint.value}' if taint.value else ''}:{taint.written_effect}"


def _disk(disk: BootDiskSettings) -> str:
    size = f"{disk.size_gib.sent} GiB" if disk.size_gib.sent else ""
    return ", ".join(part for part in (disk.type.sent or "", size, *disk.performance) if part)


_MOST_RANGES = 3
_MOST_NAMES = 3
_SHORT = {"auto-provisioning": "auto", "system pool": "system"}


def cluster_properties(cluster: Cluster) -> list[tuple[str, str]]:
    """The properties by name, without those that the plan leaves out."""
    record = replace(settings_of_cluster(cluster), private_nodes=None, additional_networks=())
    return [
        ("access", " · ".join(_access(cluster))),
        ("KMS key", printable(str(cluster.plan.kms_key), 200) if cluster.plan.kms_key else ""),
        ("upgrades", maintenance_text(cluster)),
        ("policies", _policies(cluster)),
        ("system pool", system_text(cluster)),
        *((f"CPU pool {printable(pool.name)}", cpu_pool_text(pool)) for pool in cluster.cpu_pools),
        ("Kubernetes", _objects(cluster)),
        ("settings", "; ".join(settings_texts(record))),
    ]


def short(name: str, text: str) -> tuple[str, str]:
    """A property for a tree, where a long name would leave less room to the groups."""
    kind, space, pool = name.rpartition(" pool ")
    return (pool, f"{kind}{space.rstrip()}, {text}") if space else (_SHORT.get(name, name), text)


def _access(cluster: Cluster) -> Iterator[str]:
    """Who reaches the control plane, and how nodes reach the network, as far as the plan decides it."""
    settings = ClusterSettings(cluster)
    if not cluster.existing:
        if settings.dns_endpoint.sent:
            yield "DNS endpoint"
        if settings.ip_endpoint.sent:
            ranges = [printable(str(value)) for value in cluster.plan.control_plane.authorized_networks.values()]
            allowed = f" for {listed(ranges, most=_MOST_RANGES)}" if ranges else ", no authorized network"
            yield f"{'private ' if settings.private_endpoint.value else ''}IP endpoint{allowed}"
    if settings.private_nodes.value is not None:
        yield "private nodes" if settings.private_nodes.value else "nodes with external IP addresses"
    network = cluster.plan.network
    if isinstance(network, Network) and network.create is not None:
        yield f"new network {printable(str(network.create.subnet))}"
    elif isinstance(network, Network) and network.existing is not None:
        used = network.existing
        yield f"network {printable(str(used.network))}, subnetwork {printable(str(used.subnetwork))}"
    elif not cluster.predates_plan:
        yield "default network"
    added = [str(item.path[-1]) for item in cluster.additional_networks]
    if added:
        yield f"additional networks {listed([*map(printable, added)], most=_MOST_NAMES)}"


def _policies(cluster: Cluster) -> str:
    """The workload policies that the plan creates."""
    own = [policy.name for policy in cluster.workload_policies]
    names = [*own, *(group.policy_name for group in cluster.groups if group.policy_name is not None)]
    return (
        f"workload {'policy' if len(names) == 1 else 'policies'} {listed([*map(printable, names)], most=_MOST_NAMES)}"
        if names
        else ""
    )


def _objects(cluster: Cluster) -> str:
    """The Kubernetes objects of the plan, which ``gke-tpu manifests`` writes."""
    plan = cluster.plan.kubernetes
    classes = sum(group.compute_class is not None for group in cluster.groups) + len(cluster.compute_classes)
    counts = [
        (classes, "ComputeClass", "ComputeClasses"),
        (len(plan.queues) if plan else 0, "queue", "queues"),
        (len(plan.priority_classes) if plan else 0, "priority class", "priority classes"),
        (len(plan.workloads) if plan else 0, "workload", "workloads"),
    ]
    shown = [number(count, one, many) for count, one, many in counts if count]
    return f"{listed(shown)}, which gke-tpu manifests writes" if shown else ""
