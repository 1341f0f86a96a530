"""Blocks of reservations and their sub-blocks, as a snapshot has them."""

from collections.abc import Iterator, Mapping
from typing import Any

from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.objects.document import mapping, text
from pulumi_gke_tpu.core.text.findings import printable
from pulumi_gke_tpu.features.status.folder import Snapshot
from pulumi_gke_tpu.features.status.requests import BLOCKS, SUB_BLOCKS

_DEGRADED = {"degradedSubBlockCount": "sub-blocks", "degradedHostCount": "hosts"}


@frozen(eq=False)
class ReservationBlock:
    """A block of a reservation, or a sub-block of a block."""

    steps: tuple[str, ...]
    """The name of the block, and that of the sub-block."""
    answer: Mapping[str, Any]
    parts: "tuple[ReservationBlock, ...]" = ()
    """The sub-blocks, as far as they were read."""

    @property
    def size(self) -> int | None:
        """The number of VMs."""
        return number_of(self.answer.get("count"))

    @property
    def in_use(self) -> int:
        """The number of VMs in use."""
        return number_of(self.answer.get("inUseCount")) or 0

    @property
    def problems(self) -> list[str]:
        """What keeps nodes from it: its state, its health and its maintenance."""
        health = mapping(self.answer.get("healthInfo"))
        state, status = text(self.answer.get("status")), text(health.get("healthStatus"))
        broken = [f"{count} {noun}" for key, noun in _DEGRADED.items() if (count := number_of(health.get(key)))]
        plans = (mapping(self.answer.get(key)) for key in ("reservationMaintenance", "reservationSubBlockMaintenance"))
        upcoming = [mapping(each.get("upcomingGroupMaintenance")) for each in plans]
        starts = [text(each.get("windowStartTime")) for each in upcoming if each.get("maintenanceStatus") == "ONGOING"]
        found = [f"its state is {state}"] if state not in ("", "READY") else []
        found += [f"DEGRADED ({', '.join(broken) or 'without a number'})"] if status == "DEGRADED" else []
        return [printable(each) for each in (*found, *(f"maintenance since {start}" for start in starts))]


def blocks_of(snapshot: Snapshot, reservation: Mapping[str, Any]) -> Iterator[ReservationBlock]:
    """The blocks of a reservation, as far as they were read."""
    for answer in _below(snapshot, BLOCKS, reservation):
        steps = (text(answer.get("name")),)
        parts = (
            ReservationBlock((*steps, text(each.get("name"))), each) for each in _below(snapshot, SUB_BLOCKS, answer)
        )
        yield ReservationBlock(steps, answer, tuple(parts))


def inventory_entry(block: ReservationBlock) -> dict[str, Any]:
    """A block as an inventory has it; empty if its size is unknown."""
    if block.size is None:
        return {}
    parts = [found for each in block.parts if (found := inventory_entry(each))]
    return {"name": block.steps[-1], "vms": block.size} | ({"sub_blocks": parts} if parts else {})


def _below(snapshot: Snapshot, name: str, around: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """The entries with a name, of the answers to a request, that belong to a resource."""
    link = _path(around)
    for known, of in snapshot.answers if link else ():
        for each in snapshot.entries(name, of) if known == name else ():
            if _path(each).startswith(f"{link}/") and text(each.get("name")):
                yield each


def _path(answer: Mapping[str, Any]) -> str:
    return text(answer.get("selfLink")).partition("/projects/")[2]


def number_of(value: object) -> int | None:
    """A number, which Google's APIs write as text if it has 64 bits."""
    try:
        return int(value) if isinstance(value, int | str) and not isinstance(value, bool) else None
    except ValueError:
        return None
