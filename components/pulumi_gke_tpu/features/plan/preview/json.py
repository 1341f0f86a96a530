"""A preview as JSON for programs. Money is in USD, unrounded, as text; None is unknown."""

from collections import Counter
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import PlainSerializer

from pulumi_gke_tpu.core.catalog.records.capacity import CapacityMode, Price, QuotaMetric
from pulumi_gke_tpu.core.catalog.records.generation import Topology
from pulumi_gke_tpu.core.estimate import AutoProvisioned, CostLine, GroupCost, QuotaNeed, used_prices
from pulumi_gke_tpu.core.estimate.sums import SharedReservationJson
from pulumi_gke_tpu.core.fleet import Cluster, CpuPool, NodePool, Range, SliceGroup
from pulumi_gke_tpu.core.fleet.settings import ClusterSettings, autoscaler_settings
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.graph.model import Resource
from pulumi_gke_tpu.core.graph.registered import PlanPreview
from pulumi_gke_tpu.core.messages.pages import FailurePage
from pulumi_gke_tpu.core.output.json import FindingsDocument, findings_document
from pulumi_gke_tpu.core.plan.schema import plan_data
from pulumi_gke_tpu.core.text.jsonfile.fields import Count, OptionalText
from pulumi_gke_tpu.core.text.jsonfile.form import schema_of, to_data
from pulumi_gke_tpu.core.text.jsonfile.keys import Key, Keys
from pulumi_gke_tpu.features.plan.preview.texts import ItemSettings, settings_of_cluster, settings_of_group

TopologyText = Annotated[Topology, PlainSerializer(str, return_type=str)]


_LOCATION_POLICIES: Mapping[str, Literal["ANY", "BALANCED"]] = {"any": "ANY", "balanced": "BALANCED"}


@frozen
class Autoscaling:
    """The limits of GKE's autoscaler for a node pool."""

    min: Count
    max: Count
    kind: Literal["per_zone", "total"]
    location_policy: Literal["ANY", "BALANCED"] | None
    """None: adopted node pools keep what they have."""


@frozen
class PoolOfGroup:
    """A node pool."""

    group: SliceGroup
    pool: NodePool

    @property
    def chips(self) -> Range:
        """Chips of all hosts."""
        return self.pool.hosts.times(self.group.shape.chips_per_host)

    @property
    def topology(self) -> Topology | None:
        """The topology that GKE gets; None for single-host pools."""
        return self.group.shape.topology if self.group.shape.multi_host else None

    @property
    def autoscaling(self) -> Autoscaling | None:
        """None for a node pool of a fixed size."""
        if not self.pool.autoscaled:
            return None
        autoscaler = autoscaler_settings(self.group)
        nodes = autoscaler.nodes(self.pool.hosts, self.group.zones)
        policy = _LOCATION_POLICIES.get(autoscaler.location_policy.sent or "")
        return Autoscaling(nodes.minimum, nodes.maximum, autoscaler.limits.value, policy)


@frozen
class PricedGroup:
    """A slice group."""

    group: SliceGroup
    cost: GroupCost

    @property
    def machine_type(self) -> str | None:
        """None on Autopilot, where GKE chooses it."""
        return self.group.shape.machine_type if self.group.pools else None

    @property
    def protect(self) -> bool:
        """Whether the plan protects the group."""
        return bool(self.group.protect)

    @property
    def adopted(self) -> bool:
        """Whether its node pools existed before the plan."""
        return self.group.plan.adopted is not None

    @property
    def pools(self) -> tuple[PoolOfGroup, ...]:
        """The node pools that gke-tpu creates or has adopted."""
        return tuple(PoolOfGroup(self.group, pool) for pool in self.group.pools)

    @property
    def settings(self) -> ItemSettings:
        """The settings that differ from the default."""
        return settings_of_group(self.group)


@frozen
class PricedCluster:
    """A cluster."""

    cluster: Cluster
    total: CostLine
    slices: tuple[PricedGroup, ...]

    @property
    def release_channel(self) -> str | None:
        """None if it is unknown, which only that of an existing cluster can be."""
        return ClusterSettings(self.cluster).release_channel.value

    @property
    def settings(self) -> ItemSettings:
        """The settings that differ from the default."""
        return settings_of_cluster(self.cluster)


PoolJson = Annotated[
    PoolOfGroup,
    Keys(
        "Pool",
        Key("name", "pool.name"),
        Key("machine_type", "group.shape.machine_type"),
        Key("zone", "group.zone"),
        Key("hosts", "pool.hosts"),
        Key("chips_per_host", "group.shape.chips_per_host", Count),
        "chips",
        Key("accelerator", "group.shape.accelerator_label"),
        Key("topology", form=TopologyText | None),
        Key("capacity", "group.plan.capacity.mode", text="The capacity mode."),
        "autoscaling",
    ),
]
GroupJson = Annotated[
    PricedGroup,
    Keys(
        "Group",
        Key("key", "group.key"),
        Key("path", "group.path"),
        Key("generation", "group.shape.generation"),
        Key("topology", "group.shape.topology", TopologyText),
        "machine_type",
        Key(
            "accelerator",
            "group.shape.accelerator_label",
            text="The accelerator label of the nodes.",
        ),
        Key("node_selector", "group.node_selector"),
        Key("multi_host", "group.shape.multi_host"),
        Key("chips_per_host", "group.shape.chips_per_host", Count),
        Key("hosts_per_slice", "group.shape.hosts", Count),
        Key("chips_per_slice", "group.shape.chips", Count),
        Key("slices", "group.slices", text="The number of slices or cubes."),
        Key("dynamic", "group.dynamic", text="Whether `slices` are cubes, of which GKE forms slices."),
        Key("hosts", "group.hosts"),
        Key("chips", "group.chips"),
        Key(
            "zone",
            "group.zone",
            text="null where Autopilot chooses, and if single-host slices are in several zones.",
        ),
        Key("capacity", "group.plan.capacity.mode", text="The capacity mode."),
        Key("reservation", "group.plan.capacity.reservation.name"),
        Key("workload_policy", "group.policy_name", text="The workload policy that is created."),
        "protect",
        Key("usd_per_hour", "cost.usd"),
        Key(
            "usd_unknown_because",
            "cost.unknown",
            OptionalText,
            "Why `usd_per_hour` is null, or the prices of which modes it does not consider; null otherwise.",
        ),
        Key("autopilot_premium_usd_per_hour", "cost.premium_usd"),
        Key("pools", form=tuple[PoolJson, ...]),
        Key(
            "reservation_project",
            "group.plan.capacity.reservation.project",
            text="The project that owns the reservation, if the plan names it.",
        ),
        Key("reservation_block", "group.plan.capacity.reservation.block"),
        Key("reservation_sub_block", "group.plan.capacity.reservation.sub_block"),
        Key("zones", "group.zones", text="The zones of the slices; empty where GKE chooses."),
        "settings",
        Key(
            "fallback",
            "group.plan.fallback",
            list[CapacityMode],
            text="The capacity modes that GKE tries after `capacity`, in order; the cost is that of the most expensive "
            "mode.",
        ),
        Key("compute_class", "group.compute_class", OptionalText),
        Key("adopted", text="The node pools existed before the plan, which takes them over."),
    ),
]
CpuPoolJson = Annotated[
    CpuPool,
    Keys(
        "CpuPool",
        "name",
        "path",
        Key("machine_type", "plan.machine_type"),
        "nodes",
        "zones",
        Key("spot", "plan.spot"),
        Key("autoscaled", "plan.autoscaled"),
        text="A node pool in `cpu_pools`. Its cost is in no amount.",
    ),
]
ClusterJson = Annotated[
    PricedCluster,
    Keys(
        "Cluster",
        Key("key", "cluster.key"),
        Key("name", "cluster.name"),
        Key("path", "cluster.path"),
        Key("mode", "cluster.mode"),
        Key("location", "cluster.location"),
        "release_channel",
        Key("slices", form=tuple[GroupJson, ...]),
        Key("cpu_pools", "cluster.cpu_pools", tuple[CpuPoolJson, ...]),
        Key("usd_per_hour", "total.usd", text="Of all slice groups, with the premium of Autopilot."),
        Key("usd_at_least", "total.at_least", text="Part of the amount is unknown."),
        Key(
            "existing",
            "cluster.plan.existing",
            OptionalText,
            "The reference to a cluster that exists already; only its node pools are created.",
        ),
        "settings",
        Key("adopted", "cluster.adopted", text="The cluster existed before the plan, which takes it over."),
    ),
]
TotalJson = Annotated[
    CostLine,
    Keys(
        "Total",
        "what",
        "slices",
        "hosts",
        "chips",
        Key("usd_per_hour", "usd"),
        Key("usd_per_month", "usd.per_month"),
        Key("at_least", text="Part of the amount is unknown."),
        "at_on_demand_price",
        Key("unknown", text="Groups whose cost is not in the amount."),
        text="A sum over slice groups.",
    ),
]
PriceJson = Annotated[
    Price,
    Keys(
        "Price",
        "family",
        "region",
        Key("model", form=str),
        Key("usd_per_chip_hour", "usd"),
        Key("as_of", form=str),
        "confidence",
        Key("conflict", text="What another source claims."),
        text="A price that was used.",
    ),
]
QuotaJson = Annotated[
    QuotaNeed,
    Keys(
        "Quota",
        Key("metric", "metric.metric"),
        Key("fallback", "fallback.metric"),
        Key("dimension", "metric.dimension"),
        "region",
        "families",
        "chips",
        "groups",
        "confidence",
        text="The use of a quota by a plan.",
    ),
]
AutoQuotaJson = Annotated[
    QuotaMetric,
    Keys(
        "AutoQuota",
        "metric",
        "dimension",
        Key("modes", text="The capacity modes that use it."),
        Key("confidence", "confidence_of_use"),
        text="A quota that auto-provisioned chips may use.",
    ),
]
AutoProvisionedJson = Annotated[
    AutoProvisioned,
    Keys(
        "AutoProvisioned",
        "cluster",
        "path",
        "generation",
        Key("accelerator", "label"),
        "family",
        "region",
        "zones",
        Key("limit", form=Count),
        Key("in_node_pools", "in_pools"),
        Key("chips", text="Chips that GKE may create in addition."),
        Key("usd_per_hour", "usd"),
        Key("all_usd_per_hour", "all_usd"),
        Key("usd_unknown_because", "unknown", OptionalText, "The reason if a price is not known; null otherwise."),
        Key("quota", "quotas", tuple[AutoQuotaJson, ...], "The chips use one of these quotas."),
        text="Chips that node auto-provisioning may create when workloads request them; no total contains them.",
    ),
]


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
    clusters: tuple[ClusterJson, ...]
    totals: tuple[TotalJson, ...]
    """One line per capacity mode, then the total."""
    shared_reservations: tuple[SharedReservationJson, ...]
    prices: tuple[PriceJson, ...]
    cost_reporting: tuple[str, ...]
    """Limits of GKE's cost reports for these slices."""
    quota: tuple[QuotaJson, ...]
    autoprovisioning: tuple[AutoProvisionedJson, ...]
    notes: tuple[str, ...]
    resource_counts: dict[str, Count]
    if_it_fails: tuple[FailurePage, ...]
    """What to read if the update ends as the findings expect."""
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


def preview_json(preview: PlanPreview, *, resources: bool) -> dict[str, Any]:
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
        optional=("autoprovisioning", "resources", "shared_reservations", "written"),
    )


def _document(preview: PlanPreview) -> PreviewDocument:
    costs = {cost.group: cost for cost in preview.cost.groups}
    counts = Counter(resource.type for resource in preview.graph.resources if resource.custom)
    totals = (*preview.cost.modes, preview.cost.premium, preview.cost.total)
    return PreviewDocument(
        format=1,
        plan=preview.name,
        project=preview.fleet.project,
        catalog=preview.catalog_version,
        clusters=tuple(
            PricedCluster(
                cluster,
                preview.cost.clusters[cluster.key],
                tuple(PricedGroup(group, costs[group.key]) for group in cluster.groups),
            )
            for cluster in preview.fleet.clusters
        ),
        totals=tuple(line for line in totals if line),
        shared_reservations=preview.cost.shared,
        prices=used_prices(preview.cost, preview.autoprovisioned),
        cost_reporting=preview.cost.reporting,
        quota=preview.quota,
        autoprovisioning=preview.autoprovisioned,
        notes=tuple(map(str, preview.notes)),
        resource_counts=dict(sorted(counts.items())),
        if_it_fails=preview.if_it_fails,
        findings=findings_document(preview.findings),
    )
