"""The use of reservations and quotas by the plans, before and after, with the limits in the inventory."""

from collections.abc import Iterable, Sequence

from pulumi_gke_tpu.catalog import Catalog
from pulumi_gke_tpu.catalog.records.capacity import QuotaMetric
from pulumi_gke_tpu.change.effects.pools import total
from pulumi_gke_tpu.change.model import UseChange
from pulumi_gke_tpu.estimate import QuotaNeed, QuotaShare
from pulumi_gke_tpu.estimate.quota import metrics_of
from pulumi_gke_tpu.fleet import Cluster, Range, SliceGroup
from pulumi_gke_tpu.fleet.model import NOTHING
from pulumi_gke_tpu.frozen import frozen
from pulumi_gke_tpu.graph.result import PlanPreview
from pulumi_gke_tpu.plan import Inventory

_UNKNOWN = -1
"""The limit of an unset quota, which is not a limit."""

UseKey = tuple[str, str, str, str]
"""Kind, project, place, name."""


@frozen
class _Limits:
    """The limits in an inventory. Of duplicate entries, the first one is used."""

    reservations: dict[tuple[str, str, str], int]
    """By project, zone and name."""
    quotas: dict[tuple[str, str, str], int]
    """By project, region or zone, and the name that gke-tpu uses for a quota."""


class Uses:
    """Reservations and quotas by their users, and the use by a slice group."""

    def __init__(
        self,
        base: Sequence[PlanPreview],
        head: Sequence[PlanPreview],
        catalog: Catalog,
        inventory: Inventory | None,
    ) -> None:
        self._limits = _limits(inventory, catalog)
        self.by_key: dict[UseKey, UseChange] = {}
        self._quota_of: dict[int, UseKey] = {}
        was, will = self._sums(base), self._sums(head)
        for key in sorted(was.keys() | will.keys(), key=lambda key: (key[0] != "reservation", key)):
            kind, project, place, name = key
            self.by_key[key] = UseChange(
                kind="reservation" if kind == "reservation" else "quota",
                name=name,
                place=place,
                was=was.get(key, NOTHING),
                will=will.get(key, NOTHING),
                limit=self._limit(key),
                project=project,
            )

    def of_group(self, cluster: Cluster, group: SliceGroup) -> tuple[UseChange, Range] | None:
        """The use by a group: VMs of a reservation or chips of a quota; None if unknown."""
        reservation = group.plan.capacity.reservation
        if reservation is not None:
            return self.by_key[_reservation_key(cluster, group)], group.hosts
        key = self._quota_of.get(id(group))
        return (self.by_key[key], group.chips) if key else None

    def reservation_of(self, cluster: Cluster | None, group: SliceGroup | None) -> UseKey | None:
        """The reservation of a group, as a key of ``by_key``; None if there is none."""
        if cluster is None or group is None or group.plan.capacity.reservation is None:
            return None
        return _reservation_key(cluster, group)

    def _limit(self, key: UseKey) -> int | None:
        kind, *place_and_name = key
        project, place, name = place_and_name
        known = self._limits.reservations if kind == "reservation" else self._limits.quotas
        return known.get((project, place, name))

    def _sums(self, plans: Iterable[PlanPreview]) -> dict[UseKey, Range]:
        parts: dict[UseKey, list[Range]] = {}
        for plan in plans:
            for cluster, group in plan.fleet.groups():
                if group.plan.capacity.reservation is not None:
                    parts.setdefault(_reservation_key(cluster, group), []).append(group.hosts)
            for need in plan.quota:
                for key, share in self._quota_keys(need):
                    parts.setdefault(key, []).append(share.chips)
                    self._quota_of[id(share.group)] = key
        return {key: total(ranges) for key, ranges in parts.items()}

    def _quota_keys(self, need: QuotaNeed) -> Iterable[tuple[UseKey, QuotaShare]]:
        """The quota of each group. Without a preemptible quota, flex-start and queued use the standard quota."""
        for share in need.shares:
            metric = need.metric
            may_fall_back = metric is not None and share.first_preemptible and need.fallback is not None
            if may_fall_back and self._declared(need, share, metric) == 0:
                metric = need.fallback
            if metric is not None:
                name = quota_name(metric)
                place = share.group.zone or need.region
                in_zone = (need.project, place, name) in self._limits.quotas
                yield ("quota", need.project, place if in_zone else need.region, name), share

    def _declared(self, need: QuotaNeed, share: QuotaShare, metric: QuotaMetric | None) -> int | None:
        name = quota_name(metric) if metric is not None else ""
        limits = self._limits.quotas
        zonal = limits.get((need.project, share.group.zone or "", name))
        return limits.get((need.project, need.region, name)) if zonal is None else zonal


def quota_name(metric: QuotaMetric) -> str:
    """The name of a quota in reports: the metric without the service, with the family if the metric has several."""
    short = metric.metric.rpartition("/")[2]
    return f"{short} ({metric.dimension})" if metric.dimension else short


def _reservation_key(cluster: Cluster, group: SliceGroup) -> UseKey:
    reservation = group.plan.capacity.reservation
    assert reservation is not None
    return "reservation", reservation.project or cluster.project, group.zone or cluster.region, reservation.name


def _limits(inventory: Inventory | None, catalog: Catalog) -> _Limits:
    reservations: dict[tuple[str, str, str], int] = {}
    quotas: dict[tuple[str, str, str], int] = {}
    for owned in inventory.reservations if inventory else ():
        reservations.setdefault((owned.project, owned.zone, owned.name), owned.vms)
    for entry in inventory.quotas if inventory else ():
        for metric in metrics_of(catalog.quota, entry) if entry.limit != _UNKNOWN else ():
            quotas.setdefault((entry.project, entry.region, quota_name(metric)), entry.limit)
    return _Limits(reservations, quotas)
