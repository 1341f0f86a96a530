"""The use of reservations and quotas by the plans, before and after, with the limits in the inventory."""

from collections.abc import Iterator, Sequence

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.estimate.holdings import Holding, quota_holdings, reservation_holdings, total_of
from pulumi_gke_tpu.core.estimate.reservations import OwnedReservations
from pulumi_gke_tpu.core.fleet import Range, SliceGroup
from pulumi_gke_tpu.core.fleet.plans import PlanInFleet
from pulumi_gke_tpu.core.graph.result import PlanPreview
from pulumi_gke_tpu.core.plan import Document, Inventory
from pulumi_gke_tpu.features.diff.model import UseChange

UseKey = tuple[str, str, str, str]
"""Kind, project, place, name. The name of a block contains that of its reservation."""


class Uses:
    """Reservations and quotas by their users, and the use by a slice group. Without auto-provisioned chips."""

    def __init__(
        self,
        base: Sequence[PlanPreview],
        head: Sequence[PlanPreview],
        catalog: Catalog,
        inventory: Inventory | None,
    ) -> None:
        self._catalog = catalog
        self._inventory = inventory
        self._owned = OwnedReservations(tuple(inventory.reservations if inventory else ()))
        self._key_of: dict[int, UseKey] = {}
        self._sides = was, will = dict(self._holdings(base)), dict(self._holdings(head))
        self.by_key: dict[UseKey, UseChange] = {}
        for key in sorted(was.keys() | will.keys(), key=lambda key: (key[0] != "reservation", key)):
            kind, project, place, name = key
            self.by_key[key] = UseChange(
                kind="reservation" if kind == "reservation" else "quota",
                name=name,
                place=place,
                was=_use(was.get(key)),
                will=_use(will.get(key)),
                limit=_limit(was.get(key), will.get(key)),
                project=project,
                in_chips=kind == "reservation" and any(_counts_chips(side.get(key)) for side in (was, will)),
            )

    def of_group(self, group: SliceGroup) -> tuple[UseChange, Range] | None:
        """The use by a group: VMs or chips of a reservation or chips of a quota; None if unknown."""
        key = self._key_of.get(id(group))
        if key is None:
            return None
        use = self.by_key[key]
        return use, group.chips if use.unit == "chip" else group.hosts

    def by_plan(self, key: UseKey) -> tuple[dict[str, int], dict[str, int]]:
        """What each plan uses at most, before and after."""
        was, will = (_by_plan(side.get(key)) for side in self._sides)
        return was, will

    def reservation_of(self, group: SliceGroup | None) -> UseKey | None:
        """The reservation of a group, as a key of ``by_key``; None if there is none."""
        if group is None or group.plan.capacity.reservation is None:
            return None
        return self._key_of[id(group)]

    def _holdings(self, previews: Sequence[PlanPreview]) -> Iterator[tuple[UseKey, Holding]]:
        """What the plans use, by key; also a reservation whose machines the slices cannot use."""
        plans = [PlanInFleet(Document(item.plan, name=item.name), item.plan, item.fleet) for item in previews]
        for quota in quota_holdings(plans, self._inventory, self._catalog):
            groups = [part.group for part in quota.chips.parts if part.group is not None]
            key = ("quota", quota.project, quota.location, quota.metric.label)
            for group in groups:
                if quota.entry is not None or id(group) not in self._key_of:
                    self._key_of[id(group)] = key
            if groups:
                yield key, quota.chips
        uses = self._owned.uses(plans)
        named = {(use.project, use.place, use.name) for use in uses}
        for use in uses:
            self._key_of[id(use.group)] = ("reservation", use.project, use.place, use.name)
        for item in reservation_holdings(uses, self._owned):
            if item.vms.parts or (item.block is None and (item.project, item.zone, item.name) in named):
                name = "/".join(part for part in (item.name, item.block, item.sub_block) if part is not None)
                yield ("reservation", item.project, item.zone, name), item.counted


def _use(holding: Holding | None) -> Range:
    return total_of(part for part in holding.parts if part.group is not None) if holding is not None else Range.ZERO


def _counts_chips(holding: Holding | None) -> bool:
    return holding is not None and holding.unit == "chip"


def _by_plan(holding: Holding | None) -> dict[str, int]:
    found: dict[str, int] = {}
    for part in holding.parts if holding is not None else ():
        if part.group is not None:
            found[part.member.name] = found.get(part.member.name, 0) + part.amount.maximum
    return found


def _limit(*sides: Holding | None) -> int | None:
    """What others leave of a limit; None if it is unknown."""
    available = next((side.available for side in sides if side is not None), None)
    return None if available is None else max(available, 0)
