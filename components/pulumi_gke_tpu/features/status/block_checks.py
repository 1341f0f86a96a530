"""What the blocks of reservations lack that slice groups of a plan name."""

from collections.abc import Iterable, Iterator
from typing import Any

from pulumi_gke_tpu.core.fleet import Cluster, SliceGroup
from pulumi_gke_tpu.core.text.findings import printable
from pulumi_gke_tpu.features.status.blocks import ReservationBlock, blocks_of
from pulumi_gke_tpu.features.status.capacity import hosts_that_exist, reservation_answer
from pulumi_gke_tpu.features.status.folder import Snapshot
from pulumi_gke_tpu.features.status.model import Check
from pulumi_gke_tpu.features.status.requests import BLOCKS, SUB_BLOCKS, file_of

Users = dict[tuple[str, str], list[tuple[Cluster, SliceGroup]]]
"""The project and the name of a reservation -> the slice groups of the plan that name it."""


def block_checks(users: Users, snapshot: Snapshot) -> Iterator[Check]:
    """The state of the blocks that groups name; the rules about inventories judge their size."""
    for (project, name), those in users.items():
        wanted = {_named(group)[:depth] for _, group in those for depth in (1, 2)} - {()}
        for part in _parts(snapshot, project, name) if wanted else ():
            if part.steps in wanted:
                kind = "block" if len(part.steps) == 1 else "sub-block"
                used = f"{part.in_use:,} of {part.size:,} VMs in use" if part.size is not None else "there"
                fix = "Use another block, or wait until Google has repaired this one." if part.problems else ""
                what = f"{kind} {printable(part.steps[-1])} of reservation {printable(name)}"
                yield Check(what, not part.problems, "; ".join((*part.problems, used)), fix)


def needed_files(users: Users) -> set[str]:
    """The files of the answers about the blocks that groups name."""
    found = set()
    for (project, name), those in users.items():
        for _, group in those:
            for zone in group.zones if _named(group) else ():
                place = (project, zone, name)
                found |= {file_of(BLOCKS, *place), file_of(SUB_BLOCKS, *place, _named(group)[0])}
    return found


def leave_own(users: Iterable[tuple[Cluster, SliceGroup]], snapshot: Snapshot, entry: dict[str, Any]) -> None:
    """Take the VMs of others out of the blocks of a reservation, which is in the form of an inventory."""
    hosts = [(_named(group), hosts_that_exist(cluster, group, snapshot)) for cluster, group in users]
    sizes: dict[tuple[str, ...], Any] = {(block["name"],): block for block in entry.get("blocks", ())}
    sizes |= {(*steps, part["name"]): part for steps, each in [*sizes.items()] for part in each.get("sub_blocks", ())}
    for part in _parts(snapshot, entry["project"], entry["name"]) if sizes else ():
        if (size := sizes.get(part.steps)) is not None:
            own = sum(count for named, count in hosts if named[: len(part.steps)] == part.steps)
            size["vms"] = max(size["vms"] - max(part.in_use - own, 0), 0)


def _parts(snapshot: Snapshot, project: str, name: str) -> Iterator[ReservationBlock]:
    """The blocks of a reservation, each before its sub-blocks."""
    for block in blocks_of(snapshot, reservation_answer(snapshot, project, name)):
        yield block
        yield from block.parts


def _named(group: SliceGroup) -> tuple[str, ...]:
    """The block that a group names, and its sub-block; empty without any."""
    named = group.plan.capacity.reservation
    steps = (named.block, named.sub_block) if named is not None else ()
    return tuple(step for step in steps if step)
