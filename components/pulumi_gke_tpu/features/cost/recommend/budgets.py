"""Budgets for slice groups of several shapes that share a reservation without one."""

from collections.abc import Iterator, Sequence

from pulumi_gke_tpu.core.estimate.reservations import OwnedReservations, ReservationUse
from pulumi_gke_tpu.core.fleet.checked import PlanInFleet
from pulumi_gke_tpu.core.plan.inventory import Inventory
from pulumi_gke_tpu.core.text.findings import listed, number, printable, quoted
from pulumi_gke_tpu.core.text.findings.emit import flow

_MOST_GROUPS = 3


def budgets_to_add(members: Sequence[PlanInFleet], inventory: Inventory) -> Iterator[str]:
    """For each plan and reservation what to add to the plan, with the chips that others leave of the reservation."""
    found: dict[tuple[str, str, str], list[ReservationUse]] = {}
    for use in OwnedReservations.of(inventory).uses(members):
        if use.group.budget is None and len(use.group.capacity_modes) == 1:
            found.setdefault((use.member.name, use.project, use.name), []).append(use)
    for (plan, project, name), uses in found.items():
        shapes = {(str(use.group.shape.topology), use.group.shape.chips_per_host) for use in uses}
        if len(shapes) > 1:
            member = uses[0].member
            taken = {str(group.path[-1]) for _, group in member.fleet.groups()} | member.plan.budgets.keys()
            key = f"{name}-chips" if name in taken else name
            reservation = name if project == member.plan.project else {"name": name, "project": project}
            groups = listed([quoted(use.group.key) for use in uses], most=_MOST_GROUPS)
            yield (
                f"{printable(plan)}: {groups} have {number(len(shapes), 'shape')} on reservation {quoted(name)} and no "
                "budget, so queues cannot lend each other its chips; add to the plan: budgets: "
                f"{flow({key: {'chips': _left(uses), 'reservation': reservation}})}"
            )


def _left(uses: Sequence[ReservationUse]) -> int:
    """The chips that others leave; at most those of the slice groups together if the inventory counts no chips."""
    most = sum(use.group.chips.maximum for use in uses)
    entry = next((use.entry for use in uses if use.entry is not None), None)
    if entry is None:
        return most
    left = max(entry.size - entry.in_use, 0)
    return left if entry.unit == "chip" else min(most, left * max(use.group.shape.chips_per_host for use in uses))
