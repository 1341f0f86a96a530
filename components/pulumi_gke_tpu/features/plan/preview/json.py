"""A preview as JSON for programs. Money is in USD, unrounded, as text; None is unknown."""

from collections import Counter
from typing import TYPE_CHECKING, Any, Literal

from pulumi_gke_tpu.core.catalog import Confidence
from pulumi_gke_tpu.core.catalog.records.capacity import CapacityMode
from pulumi_gke_tpu.core.estimate import (
    AutoProvisioned,
    CostLine,
    GroupCost,
    QuotaNeed,
    Usd,
    metric_confidence,
    used_prices,
)
from pulumi_gke_tpu.core.fleet import Cluster, NodePool, Range, SliceGroup
from pulumi_gke_tpu.core.fleet.settings import cluster_settings
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.graph.model import Resource
from pulumi_gke_tpu.core.output.json import FindingsDocument, findings_document
from pulumi_gke_tpu.core.plan.canonical import plan_data
from pulumi_gke_tpu.core.text.findings import format_path
from pulumi_gke_tpu.core.text.jsonfile.fields import Count, OptionalText
from pulumi_gke_tpu.core.text.jsonfile.form import schema_of, to_data
from pulumi_gke_tpu.features.plan.preview.cpu_pools_json import CpuPoolRecord, cpu_pool_record
from pulumi_gke_tpu.features.plan.preview.settings import SettingsRecord, cluster_record, group_record

if TYPE_CHECKING:
    from pulumi_gke_tpu.core.graph.result import PlanPreview


@frozen
class Autoscaling:
    """The limits of GKE's autoscaler for a node pool."""

    min: Count
    max: Count
    kind: Literal["per_zone", "total"]
    location_policy: Literal["ANY"]


@frozen
class PoolRecord:
    """A node pool."""

    name: str
    machine_type: str
    zone: str | None
    hosts: Range
    chips_per_host: Count
    chips: Range
    accelerator: str
    topology: str | None
    """The topology that GKE gets; None for single-host pools."""
    capacity: CapacityMode
    autoscaling: Autoscaling | None


@frozen
class GroupRecord:
    """A slice group."""

    key: str
    path: str
    generation: str
    topology: str
    machine_type: str | None
    """None on Autopilot, where GKE chooses it."""
    accelerator: str
    """Value of the label cloud.google.com/gke-tpu-accelerator."""
    node_selector: dict[str, str]
    multi_host: bool
    chips_per_host: Count
    hosts_per_slice: Count
    chips_per_slice: Count
    slices: Range
    hosts: Range
    chips: Range
    zone: str | None
    """None where Autopilot chooses, and if single-host slices are in several zones."""
    capacity: CapacityMode
    reservation: str | None
    workload_policy: str | None
    """The workload policy that is created."""
    protect: bool
    usd_per_hour: Usd | None
    usd_unknown_because: str | None
    autopilot_premium_usd_per_hour: Usd | None
    pools: tuple[PoolRecord, ...]
    reservation_project: str | None = None
    """The project that owns the reservation, if the plan names it."""
    reservation_block: str | None = None
    reservation_sub_block: str | None = None
    zones: tuple[str, ...] = ()
    """The zones of the slices; empty where GKE chooses."""
    settings: SettingsRecord = SettingsRecord()
    fallback: tuple[CapacityMode, ...] = ()
    """The capacity modes that GKE tries after ``capacity``, in order; the cost is that of the most expensive mode."""
    compute_class: OptionalText = ""


@frozen
class ClusterRecord:
    """A cluster."""

    key: str
    name: str
    path: str
    mode: Literal["standard", "autopilot"]
    location: str
    release_channel: str | None
    """None if it is unknown, which only that of an existing cluster can be."""
    slices: tuple[GroupRecord, ...]
    cpu_pools: tuple[CpuPoolRecord, ...] = ()
    usd_per_hour: Usd | None = None
    """Of all slice groups, with the premium of Autopilot."""
    usd_at_least: bool = False
    """Part of the amount is unknown."""
    existing: OptionalText = ""
    """The reference to a cluster that exists already; only its node pools are created."""
    settings: SettingsRecord = SettingsRecord()


@frozen
class TotalRecord:
    """A sum over slice groups."""

    what: CapacityMode | Literal["autopilot_premium", "total"]
    slices: Range
    hosts: Range
    chips: Range
    usd_per_hour: Usd | None
    usd_per_month: Usd | None
    at_least: bool
    """Part of the amount is unknown."""
    at_on_demand_price: bool
    unknown: tuple[str, ...]
    """Groups whose cost is not in the amount."""


@frozen
class PriceRecord:
    """A price that was used."""

    family: str
    region: str
    model: str
    usd_per_chip_hour: float | None
    as_of: str
    confidence: Confidence


@frozen
class QuotaRecord:
    """The use of a quota by a plan."""

    metric: str | None
    fallback: str | None
    dimension: str | None
    region: str
    families: tuple[str, ...]
    chips: Range
    groups: tuple[str, ...]
    confidence: Confidence


@frozen
class AutoQuotaRecord:
    """A quota that auto-provisioned chips may use."""

    metric: str
    dimension: str
    modes: tuple[CapacityMode, ...]
    """The capacity modes that use it."""
    confidence: Confidence


@frozen
class AutoProvisionedRecord:
    """Chips that node auto-provisioning may create when workloads request them; no total contains them."""

    cluster: str
    path: str
    generation: str
    accelerator: str
    """The accelerator label that the limit counts."""
    family: str
    region: str
    zones: tuple[str, ...]
    """Zones of the plan or of the region in which GKE documents the machine family."""
    limit: Count
    """The limit of the cluster in chips, including its node pools."""
    in_node_pools: Range
    """Chips in the node pools of the plan."""
    chips: Range
    """Chips that GKE may create in addition."""
    usd_per_hour: Usd | None
    """From no chips to all chips at the highest known price."""
    all_usd_per_hour: Usd | None
    """All chips, from the lowest to the highest known price."""
    usd_unknown_because: str | None
    quota: tuple[AutoQuotaRecord, ...]
    """The chips use one of these quotas."""


@frozen
class PreviewDocument:
    """What ``gke-tpu preview --format json`` writes."""

    format: Literal[1]
    """The version of this format. A new key keeps it; removing or changing a key raises it."""
    plan: str
    """The plan file as given."""
    project: str
    catalog: str
    """Version of the catalog: a date."""
    clusters: tuple[ClusterRecord, ...]
    totals: tuple[TotalRecord, ...]
    """One line per capacity mode, then the total."""
    prices: tuple[PriceRecord, ...]
    cost_reporting: tuple[str, ...]
    """Limits of GKE's cost reports for these slices."""
    quota: tuple[QuotaRecord, ...]
    autoprovisioning: tuple[AutoProvisionedRecord, ...]
    notes: tuple[str, ...]
    resource_counts: dict[str, Count]
    findings: FindingsDocument


@frozen(slots=False)
class ResourcesDocument:
    """The keys that ``--resources`` adds for a later comparison."""

    written: dict[str, Any]
    """The plan in its canonical form, for `gke-tpu diff`; only with --resources."""
    resources: tuple[Resource, ...]
    """Every registration; only with --resources."""


@frozen
class _WholeDocument(ResourcesDocument, PreviewDocument):
    """Both together, for the schema."""


def preview_json(preview: "PlanPreview", *, resources: bool) -> dict[str, Any]:
    """A preview as data for ``json.dumps``; with ``resources``, complete for a later comparison."""
    data = to_data(_document(preview))
    if resources:
        data |= to_data(ResourcesDocument(plan_data(preview.plan), preview.graph.resources))
    return data


def preview_schema() -> dict[str, Any]:
    """The JSON Schema of :func:`preview_json`."""
    return schema_of(
        _WholeDocument,
        title="Preview of a plan",
        description="What `gke-tpu preview --format json` writes. Money is in USD, as text; null is unknown.",
        optional=("autoprovisioning", "resources", "written"),
    )


def _document(preview: "PlanPreview") -> PreviewDocument:
    costs = {cost.group: cost for cost in preview.cost.groups}
    counts = Counter(resource.type for resource in preview.graph.resources if resource.custom)
    totals = (*preview.cost.modes, preview.cost.premium, preview.cost.total)
    return PreviewDocument(
        format=1,
        plan=preview.name,
        project=preview.fleet.project,
        catalog=preview.catalog_version,
        clusters=tuple(
            _cluster(cluster, costs, preview.cost.clusters[cluster.key]) for cluster in preview.fleet.clusters
        ),
        totals=tuple(_total(line) for line in totals if line),
        prices=tuple(
            PriceRecord(price.family, price.region, price.model, price.usd, price.as_of, price.confidence)
            for price in used_prices(preview.cost, preview.autoprovisioned)
        ),
        cost_reporting=preview.cost.reporting,
        quota=tuple(map(_quota, preview.quota)),
        autoprovisioning=tuple(map(_autoprovisioned, preview.autoprovisioned)),
        notes=preview.notes,
        resource_counts=dict(sorted(counts.items())),
        findings=findings_document(preview.findings),
    )


def _cluster(cluster: Cluster, costs: dict[str, GroupCost], total: CostLine) -> ClusterRecord:
    return ClusterRecord(
        key=cluster.key,
        name=cluster.name,
        path=format_path(cluster.path),
        mode=cluster.mode,
        location=cluster.location,
        release_channel=cluster_settings(cluster).release_channel.value,
        slices=tuple(_group(group, costs[group.key]) for group in cluster.groups),
        cpu_pools=tuple(map(cpu_pool_record, cluster.cpu_pools)),
        usd_per_hour=total.usd,
        usd_at_least=total.at_least,
        existing=cluster.plan.existing or "",
        settings=cluster_record(cluster),
    )


def _group(group: SliceGroup, cost: GroupCost) -> GroupRecord:
    shape, capacity, reservation = group.shape, group.plan.capacity, group.plan.capacity.reservation
    return GroupRecord(
        key=group.key,
        path=format_path(group.path),
        generation=shape.generation,
        topology=str(shape.topology),
        machine_type=shape.machine_type if group.pools else None,
        accelerator=shape.accelerator_label,
        node_selector=group.node_selector,
        multi_host=shape.multi_host,
        chips_per_host=shape.chips_per_host,
        hosts_per_slice=shape.hosts,
        chips_per_slice=shape.chips,
        slices=group.slices,
        hosts=group.hosts,
        chips=group.chips,
        zone=group.zone,
        zones=group.zones,
        capacity=capacity.mode,
        reservation=reservation.name if reservation else None,
        reservation_project=reservation.project if reservation else None,
        reservation_block=reservation.block if reservation else None,
        reservation_sub_block=reservation.sub_block if reservation else None,
        workload_policy=group.policy_name,
        protect=bool(group.protect),
        usd_per_hour=cost.usd,
        usd_unknown_because=cost.unknown or None,
        autopilot_premium_usd_per_hour=cost.premium_usd,
        pools=tuple(_pool(group, pool) for pool in group.pools),
        settings=group_record(group),
        fallback=tuple(group.plan.fallback),
        compute_class=group.compute_class or "",
    )


def _pool(group: SliceGroup, pool: NodePool) -> PoolRecord:
    shape, limits = group.shape, None
    if pool.autoscaled:
        kind: Literal["per_zone", "total"] = "per_zone" if shape.multi_host else "total"
        limits = Autoscaling(pool.hosts.minimum, pool.hosts.maximum, kind, "ANY")
    return PoolRecord(
        name=pool.name,
        machine_type=shape.machine_type,
        zone=group.zone,
        hosts=pool.hosts,
        chips_per_host=shape.chips_per_host,
        chips=pool.hosts.times(shape.chips_per_host),
        accelerator=shape.accelerator_label,
        topology=str(shape.topology) if shape.multi_host else None,
        capacity=group.plan.capacity.mode,
        autoscaling=limits,
    )


def _total(line: CostLine) -> TotalRecord:
    return TotalRecord(
        what=line.what,
        slices=line.slices,
        hosts=line.hosts,
        chips=line.chips,
        usd_per_hour=line.usd,
        usd_per_month=line.usd.per_month if line.usd else None,
        at_least=line.at_least,
        at_on_demand_price=line.at_on_demand_price,
        unknown=line.unknown,
    )


def _quota(need: QuotaNeed) -> QuotaRecord:
    return QuotaRecord(
        metric=need.metric.metric if need.metric else None,
        fallback=need.fallback.metric if need.fallback else None,
        dimension=need.metric.dimension if need.metric else None,
        region=need.region,
        families=need.families,
        chips=need.chips,
        groups=need.groups,
        confidence=need.confidence,
    )


def _autoprovisioned(item: AutoProvisioned) -> AutoProvisionedRecord:
    return AutoProvisionedRecord(
        cluster=item.cluster,
        path=format_path(item.path),
        generation=item.generation,
        accelerator=item.label,
        family=item.family,
        region=item.region,
        zones=item.zones,
        limit=item.limit,
        in_node_pools=item.in_pools,
        chips=item.chips,
        usd_per_hour=item.usd,
        all_usd_per_hour=item.all_usd,
        usd_unknown_because=item.unknown or None,
        quota=tuple(
            AutoQuotaRecord(metric.metric, metric.dimension, metric.modes, metric_confidence(metric))
            for metric in item.quotas
        ),
    )
