"""What slice groups have together: the sum of their sizes, and no more than is left of what they share.

They share a budget of the plan, or a reservation of the inventory.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Annotated, Literal, Protocol, TypeVar

from pulumi_gke_tpu.core.fleet import ChipBudget, Range, SliceGroup
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.plan.inventory import OwnedReservation
from pulumi_gke_tpu.core.text.findings import number, printable
from pulumi_gke_tpu.core.text.jsonfile.fields import Count
from pulumi_gke_tpu.core.text.jsonfile.keys import Key, Keys


class Sized(Protocol):
    """A slice group with its size."""

    @property
    def slices(self) -> Range:
        """The number of slices."""
        ...

    @property
    def hosts(self) -> Range:
        """The number of hosts."""
        ...

    @property
    def chips(self) -> Range:
        """The number of chips."""
        ...

    @property
    def source(self) -> "Source | None":
        """What has all capacity of the group; None if nothing is known."""
        ...


Source = OwnedReservation | ChipBudget
AnySized = TypeVar("AnySized", bound=Sized)


@frozen
class SliceCounts:
    """Slices, hosts and chips."""

    slices: Range = Range.ZERO
    hosts: Range = Range.ZERO
    chips: Range = Range.ZERO

    def plus(self, other: "SliceCounts | Sized") -> "SliceCounts":
        """With the size of other groups."""
        return SliceCounts(self.slices.plus(other.slices), self.hosts.plus(other.hosts), self.chips.plus(other.chips))


@frozen
class SharedReservation:
    """A reservation or budget whose slice groups can ask for more than is left of it."""

    entry: Source
    groups: int
    asked: Range
    """The sum of the sizes of the groups, in what the reservation counts."""
    there: int
    """What the groups can use together, in what the reservation counts."""

    @property
    def budget(self) -> str | None:
        """The name of the budget; None for a reservation."""
        return self.entry.name if isinstance(self.entry, ChipBudget) else None

    @property
    def reservation(self) -> str | None:
        """The name of the reservation; None for a budget."""
        return self.entry.name if isinstance(self.entry, OwnedReservation) else None

    @property
    def project(self) -> str | None:
        """The project of the reservation; None for a budget."""
        return self.entry.project if isinstance(self.entry, OwnedReservation) else None

    @property
    def zone(self) -> str | None:
        """The zone of the reservation; None for a budget."""
        return self.entry.zone if isinstance(self.entry, OwnedReservation) else None

    @property
    def unit(self) -> Literal["VM", "chip"]:
        """What the reservation counts; chips of a budget."""
        return self.entry.unit

    @property
    def text(self) -> str:
        """Why sums contain less than the groups can ask for one by one."""
        groups, name = number(self.groups, "slice group"), printable(self.entry.name)
        what = "reservation" if self.budget is None else "budget"
        return (
            f"{what} {name} has {number(self.there, self.entry.unit)} for {groups} with a maximum of "
            f"{self.asked.maximum:,}{' together' if self.groups > 1 else ''}; totals count {self.there:,}"
        )

    @property
    def sentence(self) -> str:
        """The same as a sentence."""
        return f"{self.text[0].upper()}{self.text[1:]}."


SharedReservationJson = Annotated[
    SharedReservation,
    Keys(
        "SharedReservation",
        "reservation",
        "project",
        "zone",
        "budget",
        "unit",
        Key("groups", form=Count, text="The number of slice groups."),
        "asked",
        Key("available", "there", Count),
        text="A reservation or budget whose slice groups can ask for more than is left. Totals count what is left.",
    ),
]


def source_of(group: SliceGroup, entry: OwnedReservation | None) -> Source | None:
    """What has all capacity of a group: the smaller one of its budget and of its reservation in the inventory."""
    if len(group.capacity_modes) > 1:
        return None
    if entry is None or not entry.has_machine(group.shape.machine_type):
        return group.budget
    left = (entry.size - entry.in_use) * (1 if entry.unit == "chip" else group.shape.chips_per_host)
    return group.budget if group.budget is not None and group.budget.size <= left else entry


def sizes_of(groups: Iterable[Sized]) -> SliceCounts:
    """The size of groups together. Autoscaled groups on one reservation or budget grow only until it is used up."""
    total = SliceCounts()
    for _, found in by_source(groups):
        total = total.plus(_within(found))
    return total


def by_source(groups: Iterable[AnySized]) -> Iterator[tuple[Source | None, list[AnySized]]]:
    """The groups on each reservation or budget, and those on none."""
    found: dict[int, list[AnySized]] = {}
    for group in groups:
        found.setdefault(id(group.source), []).append(group)
    for together in found.values():
        yield together[0].source, together


def shared_reservations(groups: Iterable[Sized]) -> tuple[SharedReservation, ...]:
    """Where the sum of the sizes is more than what can exist together."""
    found = []
    for entry, together in by_source(groups):
        asked = _sum(together)
        if entry is not None and _within(together) != asked:
            counted = _counted(asked, entry)
            found.append(SharedReservation(entry, len(together), counted, counted.minimum + _room(entry, together)))
    return tuple(found)


def _counted(size: SliceCounts | Sized, entry: Source) -> Range:
    """The size in what the reservation counts."""
    return size.chips if entry.unit == "chip" else size.hosts


def _sum(groups: Iterable[Sized]) -> SliceCounts:
    total = SliceCounts()
    for group in groups:
        total = total.plus(group)
    return total


def _room(entry: Source, groups: Sequence[Sized]) -> int:
    """What the autoscaler can add of a reservation, beside what other uses and the smallest sizes take of it."""
    certain = sum(_counted(group, entry).minimum for group in groups)
    return max(entry.size - entry.in_use - certain, 0)


def _within(groups: Sequence[Sized]) -> SliceCounts:
    """The size of groups that have one reservation."""
    asked, entry = _sum(groups), groups[0].source
    if entry is None:
        return asked
    growing = [group for group in groups if group.slices.minimum < group.slices.maximum]
    room = _room(entry, groups)
    added = sum(_growth(_counted(group, entry)) for group in growing)
    if added <= room:
        return asked
    slices = [(_counted(group, entry), group.slices) for group in growing]
    hosts = [(_counted(group, entry), group.hosts) for group in growing]
    units = math.gcd(*(_each(whole, count) for whole, count in slices))
    per_unit = 1 if entry.unit == "chip" else _each(growing[0].chips, growing[0].hosts)
    return SliceCounts(
        slices=_up_to(asked.slices, _most(slices, room)),
        hosts=_up_to(asked.hosts, _most(hosts, room)),
        chips=_up_to(asked.chips, room // units * units * per_unit),
    )


def _growth(size: Range) -> int:
    return size.maximum - size.minimum


def _each(whole: Range, count: Range) -> int:
    return whole.maximum // count.maximum


def _up_to(size: Range, added: int) -> Range:
    return Range(size.minimum, min(size.maximum, size.minimum + added))


def _most(parts: Iterable[tuple[Range, Range]], room: int) -> int:
    """The most slices or hosts that fit: the smallest ones first. A part is what all of them take, and their number."""
    most = 0
    for each, count in sorted((_each(whole, count), _growth(count)) for whole, count in parts):
        fitting = min(count, room // each)
        most, room = most + fitting, room - fitting * each
    return most
