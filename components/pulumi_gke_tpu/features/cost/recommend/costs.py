"""What plans and their planned runs cost, and what the alternatives of each slice group cost."""

import datetime
from collections.abc import Sequence
from decimal import Decimal
from typing import TYPE_CHECKING

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.estimate import HOURS_PER_MONTH, FleetCost, GroupCost, Usd, cost_of
from pulumi_gke_tpu.core.estimate.money import sum_of
from pulumi_gke_tpu.core.estimate.reservations import OwnedReservations
from pulumi_gke_tpu.core.estimate.unused import UnusedReservation, unused_reservations
from pulumi_gke_tpu.core.fleet import Fleet
from pulumi_gke_tpu.core.fleet.checked import CheckedPlan
from pulumi_gke_tpu.core.fleet.plans import PlanInFleet, plans_in_fleet
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.plan import Document, Inventory
from pulumi_gke_tpu.core.text.jsonfile.fields import Amount
from pulumi_gke_tpu.features.cost.recommend.alternatives import Alternative, AlternativeNotOffered, Alternatives
from pulumi_gke_tpu.features.cost.recommend.run_costs import RunCosts, run_costs
from pulumi_gke_tpu.features.cost.recommend.switched import GroupPlace

if TYPE_CHECKING:
    from pulumi_gke_tpu.core.plan.organization.model import Organization

_SECONDS_PER_HOUR = 3600


@frozen
class CostPeriod:
    """A time that a cost is for."""

    name: str
    hours: Amount

    def cost(self, usd: Usd) -> Usd:
        """The cost in this time, from USD per hour."""
        return usd.times(self.hours)


HOUR, DAY, MONTH = (
    CostPeriod("hour", Decimal(1)),
    CostPeriod("day", Decimal(24)),
    CostPeriod("month", Decimal(HOURS_PER_MONTH)),
)


def period_of(name: str, duration: datetime.timedelta) -> CostPeriod:
    """A period of a given length."""
    return CostPeriod(name, Decimal(duration // datetime.timedelta(seconds=1)) / _SECONDS_PER_HOUR)


@frozen
class GroupCosts:
    """The cost of a slice group, and its alternatives."""

    cost: GroupCost
    alternatives: tuple[Alternative, ...]
    absent: tuple[AlternativeNotOffered, ...]


@frozen
class PlanCosts:
    """The cost of one plan and its runs, and the alternatives by cluster/group."""

    name: str
    fleet: Fleet
    cost: FleetCost
    alternatives: dict[str, tuple[Alternative, ...]]
    absent: dict[str, tuple[AlternativeNotOffered, ...]]
    """What is not an alternative, by cluster/group; of zones, those that were asked for."""
    runs: RunCosts
    """The slices of the runs are also in ``cost``."""

    @property
    def groups(self) -> tuple[GroupCosts, ...]:
        """The slice groups, with their alternatives."""
        return tuple(
            GroupCosts(each, self.alternatives[each.group], self.absent[each.group]) for each in self.cost.groups
        )


@frozen
class Costs:
    """The cost of several plans."""

    catalog_version: str
    periods: tuple[CostPeriod, ...]
    plans: tuple[PlanCosts, ...]
    unused: tuple[UnusedReservation, ...] = ()
    """VMs of reservations that no plan uses. No other amount includes them."""

    @property
    def unused_total(self) -> Usd | None:
        """USD per hour of all unused VMs whose price is known and sure; None if there are none."""
        known = [item.usd for item in self.unused if item.usd is not None and not item.doubtful]
        return sum_of(known) if known else None

    @property
    def total(self) -> Usd | None:
        """USD per hour of all known amounts; None if all are unknown."""
        known = [plan.cost.total.usd for plan in self.plans if plan.cost.total.usd is not None]
        return sum_of(known) if known else None

    @property
    def at_least(self) -> bool:
        """Whether ``total`` is only a part of the cost."""
        return any(plan.cost.total.unknown for plan in self.plans)

    @property
    def runs_total(self) -> Decimal | None:
        """USD of all runs of all plans whose price is known; None if all are unknown, or if there are no runs."""
        known = [plan.runs.total for plan in self.plans if plan.runs.total is not None]
        return sum(known, Decimal(0)) if known else None

    @property
    def unknown(self) -> tuple[str, ...]:
        """The reasons for amounts that no sum includes, each once."""
        return tuple(dict.fromkeys(reason for plan in self.plans for reason in plan.cost.unknown))


def costs_of(
    plans: Sequence[CheckedPlan],
    inventory: Document[Inventory] | None,
    catalog: Catalog,
    *,
    today: datetime.date,
    period: CostPeriod | None = None,
    organization: "Document[Organization] | None" = None,
    with_alternatives: bool = True,
    zones: Sequence[str] = (),
) -> Costs:
    """The cost of plans with content, of their runs, of the alternatives of each group, and of unused reserved VMs.

    What the standards of the organization forbid is not an alternative. ``zones`` are those for which the result states
    why they are none.
    """
    owned = OwnedReservations.of(inventory.content if inventory is not None else None)
    members = plans_in_fleet(plans)
    search = Alternatives(members, catalog, inventory, today, organization) if with_alternatives else None
    return Costs(
        catalog_version=catalog.about.version,
        periods=(HOUR, DAY, MONTH, *([period] if period else [])),
        plans=tuple(_of_plan(member, owned, catalog, search, zones) for member in members),
        unused=unused_reservations(members, owned, catalog, today),
    )


def _of_plan(
    member: PlanInFleet,
    owned: OwnedReservations,
    catalog: Catalog,
    search: Alternatives | None,
    zones: Sequence[str],
) -> PlanCosts:
    cost = cost_of(member.fleet, catalog, owned)
    by_group = {group.group: group for group in cost.groups}
    others: dict[str, tuple[Alternative, ...]] = {}
    absent: dict[str, tuple[AlternativeNotOffered, ...]] = {}
    for cluster, group in member.fleet.groups():
        place, own = GroupPlace(member, cluster, group), by_group[group.key]
        found = search.of_group(place, own) if search is not None else ()
        asked = [search.why_no_zone(place, own, zone) for zone in zones] if search is not None else []
        others[group.key] = tuple(item for item in found if isinstance(item, Alternative))
        absent[group.key] = tuple(item for item in (*found, *asked) if isinstance(item, AlternativeNotOffered))
    runs = run_costs(member.fleet, by_group, others, catalog)
    return PlanCosts(member.name, member.fleet, cost, others, absent, runs)
