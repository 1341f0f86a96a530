"""The sizes and costs that standards limit: of each slice group, cluster and plan, and of all plans together."""

import dataclasses
from collections.abc import Callable, Iterable, Iterator
from decimal import Decimal

from pulumi_gke_tpu.core.estimate.autoprovisioning import AutoProvisioned
from pulumi_gke_tpu.core.estimate.cost import GroupCost, total_line
from pulumi_gke_tpu.core.fleet import SliceGroup
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.plan.organization import Most, Per, Unit
from pulumi_gke_tpu.features.capacity.rules.organization.uses import EstimatedPlan, PlanPlace

_NOTHING = Decimal(0)
_UNITS: dict[Unit, str] = {"chips": "chips", "hosts": "hosts", "usd_per_hour": "USD per hour"}
_PER: dict[Per, str] = {
    "group": "slice group",
    "cluster": "cluster",
    "budget": "budget",
    "plan": "plan",
    "all": "sum of all plans",
}
_STAND_IN = (
    "the on-demand price stands for that of reserved capacity; `usd_per_chip_hour` of the reservation in the inventory "
    "states the price of the contract"
)


@frozen
class Contribution:
    """What a slice group, or node auto-provisioning of a cluster, adds to a sum."""

    place: PlanPlace
    minimum: Decimal
    """The part that is certain: at the smallest size, and only at prices of high confidence."""
    maximum: Decimal
    doubts: tuple[str, ...] = ()
    """Why the part that is certain is smaller than the maximum, if the size is not the reason."""
    unknown: str = ""
    """Why the maximum may be larger; empty if it is complete."""
    priced: PlanPlace | None = None
    """The place of what decides about the price, if that is not the place of the size."""
    cost: GroupCost | None = None
    """The slice group; None for node auto-provisioning."""
    budget: str = ""
    """The budget whose chips the slice group uses."""


@frozen
class Sum:
    """Sizes that a limit applies to together. Groups on one reservation or budget have at most this together."""

    unit: Unit
    sizes: tuple[Contribution, ...]
    low: Decimal
    high: Decimal
    unknown: Contribution | None
    """The first size that may be larger than its maximum."""

    @classmethod
    def of(cls, unit: Unit, sizes: Iterable[Contribution]) -> "Sum":
        """The sum of some sizes."""
        found = tuple(sizes)
        low = sum((size.minimum for size in found), _NOTHING)
        high = sum((size.maximum for size in found if size.cost is None), _NOTHING)
        together = total_line([size.cost for size in found if size.cost is not None])
        if unit == "usd_per_hour":
            high += together.usd.maximum if together.usd else _NOTHING
        else:
            high += (together.chips if unit == "chips" else together.hosts).maximum
        return cls(unit, found, low, high, next((size for size in found if size.unknown), None))

    def without(self, is_exempt: Callable[[PlanPlace], bool]) -> "Sum":
        """The sum of the items that are not exempt."""
        return Sum.of(self.unit, (size for size in self.sizes if not is_exempt(size.place)))


@frozen
class Excess:
    """A sum that exceeds a limit, or that may exceed it."""

    place: PlanPlace
    """The first place with which the sum exceeds the limit, or whose price is unknown."""
    message: str
    why: str
    certain: bool


def sizes_in(member: EstimatedPlan, unit: Unit, per: Per) -> Iterator[Contribution]:
    """The sizes of one plan; those of auto-provisioned nodes only in sums of a whole cluster or more."""
    for cluster in member.plan.fleet.clusters:
        for group in cluster.groups:
            name = next((key for key in ("count", "max", "indices") if group.plan.written(key)), "topology")
            path = (*group.path, name) if group.plan.written(name) else group.path
            place = PlanPlace(member.plan, path, group.key)
            if unit == "usd_per_hour":
                path = (*group.path, "capacity") if group.plan.written("capacity") else group.path
                size = _cost(place, PlanPlace(member.plan, path, group.key), member.costs[group.key])
            else:
                size = _count(place, group, unit, member.costs[group.key])
            if per != "budget":
                yield size
            elif group.budget is not None:
                yield dataclasses.replace(size, budget=group.budget.name)
        for item in member.provisioned.get(cluster.key, ()) if per not in ("group", "budget") else ():
            yield _provisioned(PlanPlace(member.plan, (*item.path, "tpu"), cluster.key), item, unit, member)


def sums_of(members: Iterable[EstimatedPlan], unit: Unit, per: Per) -> tuple[Sum, ...]:
    """All sums that a limit of this unit applies to, in the order of the plans."""
    found: dict[tuple[int, str], list[Contribution]] = {}
    for index, member in enumerate(members):
        for size in sizes_in(member, unit, per):
            cluster, item = str(size.place.path[1]), size.place.item
            keys: dict[Per, tuple[int, str]] = {
                "group": (index, item),
                "cluster": (index, cluster),
                "budget": (index, size.budget),
                "plan": (index, ""),
                "all": (0, ""),
            }
            found.setdefault(keys[per], []).append(size)
    return tuple(Sum.of(unit, sizes) for sizes in found.values())


def excess_of(total: Sum, most: Most) -> Excess | None:
    """The excess of a sum over a limit; None if the sum is within it for certain."""
    limit, low, high = most.limit, total.low, total.high
    if high <= limit and total.unknown is None:
        return None
    unit, per = _UNITS[most.unit], _PER[most.per]
    if high > limit:
        certain, reached = low > limit, _NOTHING
        for size in total.sizes:
            reached += size.minimum if certain else size.maximum
            if reached > limit:
                amount = f"{'' if certain else 'up to '}{_shown(low if certain else high, most)}"
                doubts = () if certain else (doubt for each in total.sizes for doubt in each.doubts)
                why = "; ".join(dict.fromkeys(doubts))
                return Excess(
                    size.place, f"{amount} {unit} exceed the limit of {_shown(limit, most)} per {per}", why, certain
                )
    assert total.unknown is not None
    message = f"a price is unknown, so gke-tpu cannot check the limit of {_shown(limit, most)} {unit} per {per}"
    return Excess(total.unknown.priced or total.unknown.place, message, total.unknown.unknown, certain=False)


def _shown(amount: Decimal, most: Most) -> str:
    return f"{amount:,.2f}" if most.unit == "usd_per_hour" else f"{amount:,f}"


def _count(place: PlanPlace, group: SliceGroup, unit: Unit, cost: GroupCost) -> Contribution:
    size = group.chips if unit == "chips" else group.hosts
    return Contribution(place, Decimal(size.minimum), Decimal(size.maximum), cost=cost)


def _cost(place: PlanPlace, priced: PlanPlace, cost: GroupCost) -> Contribution:
    amounts = [usd for usd in (cost.sum_usd, cost.premium_usd) if usd is not None]
    most = sum((usd.maximum for usd in amounts), _NOTHING)
    unknown = "; ".join(filter(None, (cost.left_out, cost.premium_unknown)))
    doubts: list[str] = []
    least = _NOTHING
    if len(cost.modes) > 1:
        doubts.append("GKE uses one of several capacity modes at a time; the sum has the most expensive one")
    elif cost.at_on_demand_price:
        doubts.append(_STAND_IN if cost.mode == "reservation" else "the on-demand price stands for an unknown one")
    elif cost.price is not None and not cost.price.for_item("usd").is_certain:
        doubts.append(
            f"the {cost.price.model.replace('_', '-')} price of {cost.family} in {cost.region} is not certain"
        )
    elif cost.sum_usd is not None:
        least = cost.sum_usd.minimum
    return Contribution(place, least, most, tuple(doubts), unknown, priced, cost)


def _provisioned(place: PlanPlace, item: AutoProvisioned, unit: Unit, member: EstimatedPlan) -> Contribution:
    """The chips that auto-provisioning may add: the limit counts those of the node pools too."""
    chips = Decimal(max(item.limit - item.in_pools.maximum, 0))
    doubts = ("node auto-provisioning may create nodes up to its limits",) if chips else ()
    if unit == "chips":
        return Contribution(place, _NOTHING, chips, doubts)
    if unit == "hosts":
        machines = member.catalog.generation(item.generation).machine_types.values()
        fewest = min((machine.chips for machine in machines if machine.family == item.family), default=1)
        return Contribution(place, _NOTHING, chips // fewest, doubts)
    price = item.prices[-1].usd if item.prices else None
    return Contribution(place, _NOTHING, chips * Decimal(str(price or 0)), doubts, item.unknown if chips else "")
