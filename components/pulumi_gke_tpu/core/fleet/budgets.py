"""Which slice groups draw from which budget."""

from collections.abc import Iterable, Iterator

from pulumi_gke_tpu.core.fleet.model import ChipBudget, Cluster, Fleet, SliceGroup
from pulumi_gke_tpu.core.plan import SliceGroupSpec
from pulumi_gke_tpu.core.text.formats.names import region_of


def region_of_group(cluster: Cluster, group: SliceGroup) -> str:
    """The region whose chips a slice group has."""
    return region_of((group.zones or (cluster.region,))[0])


def unused_budgets(fleet: Fleet) -> frozenset[str]:
    """The budgets that no slice group can draw from; a rule reports them, and not what names them."""
    if not fleet.budgets:
        return frozenset()
    budgets = Budgets(fleet.budgets, fleet.project)
    groups = ((group.plan, region_of_group(cluster, group)) for cluster, group in fleet.groups())
    used = {budget.name for group, region in groups for budget in budgets.reached_by(group, region)}
    return frozenset(budget.name for budget in fleet.budgets) - used


class Budgets:
    """The budgets of a plan, found by the capacity of slice groups."""

    def __init__(self, budgets: Iterable[ChipBudget], project: str) -> None:
        self._project = project
        self._by_source: dict[str, list[ChipBudget]] = {}
        for budget in budgets:
            plan = budget.plan
            source = plan.spot or "" if plan.reservation is None else plan.reservation.name
            self._by_source.setdefault(source, []).append(budget)

    def of(self, group: SliceGroupSpec, region: str) -> Iterator[ChipBudget]:
        """The budgets that all chips of a group in a region are from; a rule reports more than one.

        A group with ``fallback`` also gets chips elsewhere, so it is in no budget.
        """
        if not group.fallback:
            yield from self.reached_by(group, region)

    def reached_by(self, group: SliceGroupSpec, region: str) -> Iterator[ChipBudget]:
        """The budgets whose chips the first capacity mode of a group uses."""
        return (budget for budget in self.near(group) if self._has(budget, group, region))

    def near(self, group: SliceGroupSpec) -> Iterable[ChipBudget]:
        """The budgets of the reservation of a group, in any project and block, or of its generation."""
        reservation = group.capacity.reservation
        return self._by_source.get(group.tpu if reservation is None else reservation.name, ())

    def _has(self, budget: ChipBudget, group: SliceGroupSpec, region: str) -> bool:
        plan, reservation = budget.plan, group.capacity.reservation
        if plan.reservation is None:
            return group.capacity.spot and group.tpu == plan.spot and plan.region in (None, region)
        return (
            reservation is not None
            and (reservation.name, reservation.project or self._project)
            == (plan.reservation.name, plan.reservation.project or self._project)
            and plan.reservation.block in (None, reservation.block)
            and plan.reservation.sub_block in (None, reservation.sub_block)
        )
