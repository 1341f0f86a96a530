"""The Compute Engine quota that a fleet needs: its chips, by the quota that they use."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pulumi_gke_tpu.core.catalog import Catalog, Confidence
from pulumi_gke_tpu.core.catalog.records.capacity import CapacityMode, QuotaFacts, QuotaMetric
from pulumi_gke_tpu.core.fleet import Fleet, Range, SliceGroup
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.plan.capacity import SHORT_LIVED
from pulumi_gke_tpu.core.text.findings import Path
from pulumi_gke_tpu.core.text.formats.names import region_of
from pulumi_gke_tpu.core.text.patterns import lazy_pattern

if TYPE_CHECKING:
    from pulumi_gke_tpu.core.plan.inventory import OwnedQuota


@frozen
class QuotaShare:
    """The need of one group."""

    group: SliceGroup
    mode: CapacityMode

    @property
    def path(self) -> Path:
        """The path of the group in the plan."""
        return self.group.path

    @property
    def chips(self) -> Range:
        """Chips of all slices of the group."""
        return self.group.chips

    @property
    def first_preemptible(self) -> bool:
        """Whether the group uses standard quota only if the project has no preemptible one."""
        return self.mode in SHORT_LIVED


@frozen
class QuotaNeed:
    """The need of a fleet for one quota in one region, in chips."""

    project: str
    region: str
    families: tuple[str, ...]
    metric: QuotaMetric | None
    """None if no source names a quota for these groups."""
    fallback: QuotaMetric | None
    """The standard quota that flex-start and queued capacity use if a project has no preemptible one."""
    shares: tuple[QuotaShare, ...]

    @property
    def chips(self) -> Range:
        """Chips of all groups together, with no more than its chips for the groups of a budget."""
        total = Range.ZERO
        by_budget: dict[int, Range] = {}
        for share in self.shares:
            budget = share.group.budget
            if budget is None:
                total = total.plus(share.chips)
                continue
            found = by_budget.get(id(budget), Range.ZERO).plus(share.chips)
            by_budget[id(budget)] = Range(found.minimum, min(found.maximum, max(budget.size, found.minimum)))
        for found in by_budget.values():
            total = total.plus(found)
        return total

    @property
    def groups(self) -> tuple[str, ...]:
        """The groups, as cluster/group, in the order of the plan."""
        return tuple(share.group.key for share in self.shares)

    @property
    def modes(self) -> tuple[CapacityMode, ...]:
        """The capacity modes of the groups, without duplicates."""
        return tuple(dict.fromkeys(share.mode for share in self.shares))

    @property
    def confidence(self) -> Confidence:
        """The confidence that the groups use this quota and that it counts chips; low if the quota is unknown."""
        return self.metric.confidence_of_use if self.metric else "low"

    @property
    def certain(self) -> bool:
        """Whether metric and unit have high confidence."""
        return self.confidence == "high"


def quota_needs(fleet: Fleet, catalog: Catalog) -> tuple[QuotaNeed, ...]:
    """The Compute Engine quota that the slices of a fleet need, by region and quota.

    Reserved capacity needs none: the reservation used the quota when it was created. Flex-start and queued capacity
    use the preemptible quota, with the standard one as ``fallback``. The needs are sorted by region and family; groups
    whose quota is unknown are in a need without a metric. A group with several capacity modes is once in each quota
    that one of them uses: it uses one mode at a time, but any of the quotas can be the one that it needs in full.
    """
    metrics = {
        (family, mode): item for item in catalog.quota.metrics for family in item.families for mode in item.modes
    }
    collected: dict[tuple[str, object], _Collected] = {}
    for cluster, group in fleet.groups():
        family = group.shape.family
        region = region_of(group.zone) if group.zone else cluster.region
        for mode in group.capacity_modes:
            if mode == "reservation":
                continue
            metric = metrics.get((family, mode))
            share = QuotaShare(group, mode)
            key = (region, id(metric) if metric else (family, mode))
            into = collected.setdefault(key, _Collected(region, metric))
            into.families[family] = None
            if not any(other.group is group for other in into.shares[-1:]):
                into.shares.append(share)
            if share.first_preemptible and into.fallback is None:
                into.fallback = metrics.get((family, "on_demand"))
    needs = [
        QuotaNeed(fleet.project, item.region, tuple(item.families), item.metric, item.fallback, tuple(item.shares))
        for item in collected.values()
    ]
    return tuple(
        sorted(needs, key=lambda need: (need.region, need.families, need.metric.metric if need.metric else ""))
    )


@dataclass
class _Collected:
    """The need for one quota in one region, while it is collected."""

    region: str
    metric: QuotaMetric | None
    fallback: QuotaMetric | None = None
    families: dict[str, None] = field(default_factory=dict)
    shares: list[QuotaShare] = field(default_factory=list)


_LABEL = lazy_pattern(r"([^()]+?) ?\(([^()]+)\)")
"""A metric with its family in parentheses."""


def plain_metric(metric: str) -> str:
    """The name of a quota in one spelling: metrics, quota IDs and the names in error messages differ in form only."""
    name = metric.rpartition("/")[2].lower().replace("-", "_")
    for scope in ("region", "zone"):
        name = name.removesuffix(f"_per_project_{scope}")
    return name


def metrics_of(quota: QuotaFacts, entry: "OwnedQuota") -> list[QuotaMetric]:
    """The quotas of the catalog that an entry of the inventory means."""
    name, family = name_and_family(entry)
    return [
        item for item in quota.metrics if plain_metric(item.metric) == name and item.dimension.lower() in ("", family)
    ]


def name_and_family(entry: "OwnedQuota") -> tuple[str, str]:
    """The name of a quota in one spelling and its family in lower case, also of ``tpus_per_tpu_family (CT6E)``.

    ``gke-tpu quota`` prints such names. A family in the name that is not the one of the entry stays in the name.
    """
    family = (entry.family or "").lower()
    label = _LABEL.fullmatch(entry.metric)
    if label is not None and family in ("", label[2].lower()):
        return plain_metric(label[1]), label[2].lower()
    return plain_metric(entry.metric), family
