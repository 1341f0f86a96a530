"""TPU808 to TPU810: blocks of reservations, and the time in which a reservation exists."""

import datetime
from collections.abc import Iterable

from pulumi_gke_tpu.core.estimate.holdings import ReservationHolding
from pulumi_gke_tpu.core.estimate.reservations import ReservationUse
from pulumi_gke_tpu.core.rules.engine.rule import Hit, of_groups, rule, warning
from pulumi_gke_tpu.core.text.findings import SetKeys, printable, quoted
from pulumi_gke_tpu.core.text.findings.suggestions import Suggestions
from pulumi_gke_tpu.features.capacity.rules.inventory.context import InventoryContext, at_reservation, on_reservation
from pulumi_gke_tpu.features.capacity.rules.inventory.sums import IF_POSSIBLE, exceeded, limit_of, overruns


def _example(block: str, vms: int) -> str:
    return on_reservation(f"blocks: [{{name: block-0001, vms: {vms}}}]", block=block)


@warning(
    "TPU808",
    about=of_groups("capacity.reservation.block"),
    title="Block is not in the reservation",
    why="GKE creates no nodes if the block does not exist",
    fix="Correct the name of the block, or add the block to the inventory.",
    source="the inventory",
    failing=_example("block-001", 64),
    passing=_example("block-0001", 64),
)
def unknown_reservation_block(context: InventoryContext) -> Iterable[Hit]:
    """Report only if the inventory lists blocks of the reservation, or sub-blocks of the block."""
    for use in context.uses:
        named = use.group.plan.capacity.reservation
        if use.entry is None or named is None or named.block is None or not use.entry.blocks:
            continue
        blocks = {block.name: block for block in use.entry.blocks}
        if named.block not in blocks:
            yield _unknown(use, "block", named.block, blocks, f"reservation {quoted(use.name)}")
            continue
        parts = {item.name for item in blocks[named.block].sub_blocks}
        if named.sub_block is not None and parts and named.sub_block not in parts:
            yield _unknown(use, "sub_block", named.sub_block, parts, f"block {quoted(named.block)}")


def _unknown(use: ReservationUse, key: str, name: str, known: Iterable[str], where: str) -> Hit:
    names = Suggestions(known)
    near = names.nearest(name)
    return Hit(
        (*use.group.path, "capacity", "reservation", key),
        f"the inventory has no {key.replace('_', '-')} {quoted(name)} in {where}",
        given=f"{key}: {printable(name)}",
        allowed=names.shown,
        fix=SetKeys.of({key: near}),
    ).within(use.member.document)


@rule(
    "TPU809",
    about=of_groups("capacity.reservation.block"),
    otherwise=IF_POSSIBLE,
    title="Plans exceed a block of the reservation",
    why="slices that name a block cannot use any other capacity, so GKE cannot create all of these slices",
    fix="Reduce the number of slices. Or use another block for some of the slices.",
    references=["autoscaler-injection", "plan-tpus"],
    note="reservation-affinity",
    failing=_example("block-0001", 8),
    passing=_example("block-0001", 16),
)
def reservation_block_too_small(context: InventoryContext) -> Iterable[Hit]:
    for holding in context.reservations:
        if holding.block is not None:
            limit = f"{_block_name(holding)} has {limit_of(holding.vms)}"
            yield from (exceeded(over, limit) for over in overruns(holding.vms))


def _block_name(holding: ReservationHolding) -> str:
    block = f"block {quoted(holding.block or '')} of reservation {quoted(holding.name)}"
    return f"sub-block {quoted(holding.sub_block)} in {block}" if holding.sub_block is not None else block


@warning(
    "TPU810",
    about=of_groups("capacity.reservation"),
    title="Reservation does not exist now",
    why="slices that name a reservation cannot use any other capacity, so GKE creates no nodes before the reservation "
    "begins or after it ends",
    fix="Use a reservation that exists now, or another capacity mode. Or wait until the reservation begins.",
    source="the inventory",
    today="2026-11-20",
    failing=on_reservation("from: 2026-12-01"),
    passing=on_reservation("from: 2026-11-01", "until: 2027-02-01"),
)
def inactive_reservation(context: InventoryContext) -> Iterable[Hit]:
    """A group with a planned run is for later: another rule compares its start with the reservation (TPU630)."""
    today = context.today
    for use in context.uses:
        if today is None or use.entry is None:
            continue
        if use.entry.start is not None and today < use.entry.start and not _has_planned_run(use, today):
            yield at_reservation(use, f"reservation {quoted(use.name)} begins on {use.entry.start}")
        if use.entry.until is not None and today >= use.entry.until:
            yield at_reservation(use, f"reservation {quoted(use.name)} ended on {use.entry.until}")


def _has_planned_run(use: ReservationUse, today: datetime.date) -> bool:
    """Whether a run of the group has not ended."""
    runs = [run for run in use.cluster.plan.runs.values() if run.slices == use.group.path[-1]]
    if not runs:
        return False
    from pulumi_gke_tpu.core.schedule.coverage import run_span  # only plans with runs need it

    return any(span is not None and span.end.date() >= today for span in map(run_span, runs))
