"""What several plans use together of each quota, in chips.

Reserved capacity needs no quota: the reservation used it when it was created.
"""

from collections.abc import Iterable, Iterator

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.catalog.records.capacity import QuotaMetric
from pulumi_gke_tpu.core.estimate.auto_chips import auto_chips
from pulumi_gke_tpu.core.estimate.holdings.model import Holding, HoldingPart, QuotaHolding
from pulumi_gke_tpu.core.estimate.holdings.upgrades import added_hosts
from pulumi_gke_tpu.core.estimate.quota import metrics_of, quota_needs
from pulumi_gke_tpu.core.estimate.quota_model import QuotaNeed, QuotaShare
from pulumi_gke_tpu.core.fleet import Range
from pulumi_gke_tpu.core.fleet.plans import PlanInFleet
from pulumi_gke_tpu.core.plan import Inventory
from pulumi_gke_tpu.core.plan.inventory import OwnedQuota
from pulumi_gke_tpu.core.text.formats.location import is_zone, region_of

NOT_SET = -1
"""The limit of a quota that was never set: it is unknown."""
_Key = tuple[str, str, int]
"""Project, region or zone, and the identity of a quota of the catalog."""


def quota_holdings(
    plans: Iterable[PlanInFleet], inventory: Inventory | None, catalog: Catalog
) -> tuple[QuotaHolding, ...]:
    """Every quota with a limit in the inventory, and every quota that the plans use, sorted by place and metric.

    Flex-start and queued capacity use preemptible quota first, and standard quota if the preemptible limit is 0.
    Auto-provisioned chips are possible use of each quota that they may use. Slices that may be in several zones are
    possible use of a limit of one of these zones.
    """
    limits = _Limits(inventory, catalog)
    used: dict[_Key, list[HoldingPart]] = {}
    for member in plans:
        for (project, region, metric), part in _parts(member, limits, catalog):
            for location, share in limits.places(project, region, metric, part):
                used.setdefault((project, location, id(metric)), []).append(share)
    metrics = {id(metric): metric for metric in catalog.quota.metrics}
    found = []
    for key in {**limits.entries, **used}:
        entry = limits.entries.get(key)
        limit = None if entry is None or entry.limit == NOT_SET else entry.limit
        chips = Holding(limit, entry.in_use if entry else 0, tuple(used.get(key, ())))
        project, location, metric_id = key
        found.append(QuotaHolding(project, location, metrics[metric_id], entry, chips))
    return tuple(
        sorted(found, key=lambda item: (item.project, item.location, item.metric.metric, item.metric.families))
    )


class _Limits:
    """The limits of an inventory, by region and by zone; the first of duplicate entries."""

    def __init__(self, inventory: Inventory | None, catalog: Catalog) -> None:
        self.entries: dict[_Key, OwnedQuota] = {}
        self._zones: dict[_Key, list[str]] = {}
        for entry in inventory.quotas if inventory else ():
            for metric in metrics_of(catalog.quota, entry):
                key = (entry.project, entry.region, id(metric))
                if key not in self.entries and is_zone(entry.region):
                    self._zones.setdefault((entry.project, region_of(entry.region), id(metric)), []).append(
                        entry.region
                    )
                self.entries.setdefault(key, entry)

    def places(
        self, project: str, region: str, metric: QuotaMetric, part: HoldingPart
    ) -> Iterator[tuple[str, HoldingPart]]:
        """The region and the zones whose limits a use counts against; without any limit the region."""
        zones = part.user.zones
        limited = [zone for zone in self._zones.get((project, region, id(metric)), ()) if not zones or zone in zones]
        yield from ((zone, part.in_zone()) for zone in limited)
        if (project, region, id(metric)) in self.entries or not zones or len(limited) < len(zones):
            yield region, part

    def are_zero(self, project: str, region: str, metric: QuotaMetric, zones: tuple[str, ...]) -> bool:
        """Whether a quota has no chips in a region, or in each of these zones of it."""
        places = (region,) if (project, region, id(metric)) in self.entries else zones
        entries = [self.entries.get((project, place, id(metric))) for place in places]
        return bool(entries) and all(entry is not None and entry.limit == 0 for entry in entries)


def _parts(
    member: PlanInFleet, limits: _Limits, catalog: Catalog
) -> Iterator[tuple[tuple[str, str, QuotaMetric], HoldingPart]]:
    """Each use of a quota by a plan, with its project, region and quota."""
    used: dict[tuple[str, str, int], Range] = {}
    seen: set[tuple[int, int]] = set()
    for need in quota_needs(member.fleet, catalog):
        for share in need.shares:
            metric, group = _metric(need, share, limits), share.group
            if metric is None or (id(metric), id(group)) in seen:
                continue  # a group with several capacity modes uses one of them at a time
            seen.add((id(metric), id(group)))
            part = HoldingPart(
                member, group, group.chips, group.shape.chips, added_hosts(group) * group.shape.chips_per_host
            )
            key = (str(group.path[1]), group.shape.accelerator_label, id(metric))
            used[key] = used.get(key, Range.ZERO).plus(part.amount)
            yield (need.project, need.region, metric), part
    for cluster in member.fleet.clusters:
        for item in auto_chips(cluster, catalog):
            for metric in item.quotas:
                amount = item.beside(used.get((cluster.key, item.label, id(metric)), Range.ZERO))
                if amount.maximum:
                    yield (member.plan.project, item.region, metric), HoldingPart(member, item, amount, 1)


def _metric(need: QuotaNeed, share: QuotaShare, limits: _Limits) -> QuotaMetric | None:
    """The quota that a group uses: with flex-start and queued capacity the standard one, if there is no other."""
    if need.metric is None or need.fallback is None or not share.first_preemptible:
        return need.metric
    empty = limits.are_zero(need.project, need.region, need.metric, share.group.zones)
    return need.fallback if empty else need.metric
