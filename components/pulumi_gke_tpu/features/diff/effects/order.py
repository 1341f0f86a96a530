"""The order in which plans are applied that share a limit: what frees capacity is first, what takes it next."""

from collections.abc import Iterator, Sequence

from pulumi_gke_tpu.features.diff.effects.pools import Uses
from pulumi_gke_tpu.features.diff.model import ApplyOrder, PlanUse


def apply_orders(uses: Uses) -> tuple[ApplyOrder, ...]:
    """For each reservation and quota that suffices after the change, but not if the plans that take more go first."""
    return tuple(_orders(uses))


def _orders(uses: Uses) -> Iterator[ApplyOrder]:
    for key, use in uses.by_key.items():
        was, will = uses.by_plan(key)
        change = {plan: will.get(plan, 0) - was.get(plan, 0) for plan in sorted(was.keys() | will.keys())}
        frees = tuple(PlanUse(plan, -more) for plan, more in change.items() if more < 0)
        takes = tuple(PlanUse(plan, more) for plan, more in change.items() if more > 0)
        at_worst = use.was.maximum + sum(plan.amount for plan in takes)
        if use.limit is not None and frees and use.will.maximum <= use.limit < at_worst:
            yield ApplyOrder(use.kind, use.name, use.place, use.limit, frees, takes, in_chips=use.in_chips)


def contradict(orders: Sequence[ApplyOrder]) -> bool:
    """Whether no order of the plans suits every limit, so that a plan has to change in two steps."""
    before: dict[str, set[str]] = {}
    for order in orders:
        for use in order.takes:
            before.setdefault(use.plan, set()).update(other.plan for other in order.frees)
    while free := [plan for plan, others in before.items() if not others & before.keys()]:
        for plan in free:
            del before[plan]
    return bool(before)
