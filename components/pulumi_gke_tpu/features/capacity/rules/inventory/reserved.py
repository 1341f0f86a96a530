"""TPU837 and TPU838: numbers and dates of reservations in an inventory that contradict each other."""

from collections.abc import Iterable, Iterator, Sequence

from pulumi_gke_tpu.core.plan import Inventory
from pulumi_gke_tpu.core.plan.inventory import OwnedBlock, OwnedSubBlock
from pulumi_gke_tpu.core.rules.engine.rule import Hit, rule
from pulumi_gke_tpu.core.text.findings import Path, number, quoted
from pulumi_gke_tpu.features.capacity.rules.inventory.context import InventoryContext, on_reservation


@rule(
    "TPU837",
    "contradictory-reservation-size",
    title="Parts of a reservation are larger than the reservation",
    why="one of the two numbers is wrong, so what gke-tpu says about the capacity that is left is wrong too",
    fix="Correct the number of VMs or chips.",
    source="The format of the inventory",
    basis="format",
    failing=on_reservation("blocks: [{name: block-0001, vms: 48}, {name: block-0002, vms: 48}]"),
    passing=on_reservation("blocks: [{name: block-0001, vms: 32}, {name: block-0002, vms: 32}]"),
)
def contradictory_reservation_size(context: InventoryContext) -> Iterable[Hit]:
    for index, entry in enumerate(context.inventory.reservations):
        path: Path = ("reservations", index)
        if entry.in_use > entry.size:
            in_use, key = number(entry.in_use, entry.unit), f"{entry.unit.lower()}s"
            yield context.here(Hit((*path, "in_use"), f"`in_use` is {in_use}, but `{key}` is {entry.size:,}"))
    for path, blocks in block_lists(context.inventory):
        whole, total = _whole(context.inventory, path), sum(block.vms for block in blocks)
        if whole is not None and total > whole:
            message = f"`{path[-1]}` have {number(total, 'VM')} in total, but `vms` is {whole:,}"
            yield context.here(Hit(path, message))


def block_lists(inventory: Inventory) -> Iterator[tuple[Path, Sequence[OwnedBlock | OwnedSubBlock]]]:
    """Every list of blocks, and of sub-blocks."""
    for index, entry in enumerate(inventory.reservations):
        path: Path = ("reservations", index, "blocks")
        yield path, entry.blocks
        for number_of_block, block in enumerate(entry.blocks):
            yield (*path, number_of_block, "sub_blocks"), block.sub_blocks


def _whole(inventory: Inventory, path: Path) -> int | None:
    """The VMs of the reservation or block with this list; None of a reservation that counts chips."""
    entry = inventory.reservations[int(path[1])]
    return entry.vms if path[-1] == "blocks" else entry.blocks[int(path[3])].vms


@rule(
    "TPU838",
    "invalid-reservation-period",
    about=("moved[].from",),
    title="Reservation ends before it begins",
    why="gke-tpu compares the dates with the current date, and such a reservation never exists",
    fix="Correct `from` or `until`. `until` is the day on which the reservation ends.",
    source="The format of the inventory",
    basis="format",
    failing=on_reservation("from: 2026-12-01", "until: 2026-11-01", capacity="spot"),
    passing=on_reservation("from: 2026-11-01", "until: 2026-12-01", capacity="spot"),
)
def invalid_reservation_period(context: InventoryContext) -> Iterable[Hit]:
    for index, entry in enumerate(context.inventory.reservations):
        if entry.start is not None and entry.until is not None and entry.until <= entry.start:
            yield context.here(
                Hit(
                    ("reservations", index, "until"),
                    f"reservation {quoted(entry.name)} ends on {entry.until}, but begins on {entry.start}",
                    given=f"until: {entry.until}",
                )
            )
