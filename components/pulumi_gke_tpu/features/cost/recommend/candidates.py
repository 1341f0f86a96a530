"""Enumerates candidates for a need: shapes of slices in a zone and a capacity mode. What is excluded has its reason."""

import dataclasses
import datetime
import math
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from decimal import Decimal
from typing import Any, Literal

from pulumi_gke_tpu.core.catalog import Catalog, Confidence, Topology
from pulumi_gke_tpu.core.catalog.records.capacity import CapacityMode
from pulumi_gke_tpu.core.catalog.records.facts import Mode
from pulumi_gke_tpu.core.catalog.records.generation import Chip, CustomTopologies, Generation
from pulumi_gke_tpu.core.catalog.topologies import (
    custom_shapes,
    custom_step,
    custom_topologies,
    most_cubic,
    selectable_rows,
)
from pulumi_gke_tpu.core.estimate.reservations import OwnedReservations
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.plan.capacity import SHORT_LIVED
from pulumi_gke_tpu.core.plan.inventory import OwnedReservation
from pulumi_gke_tpu.core.text.findings import duration_text, listed, number, quoted
from pulumi_gke_tpu.core.text.formats.names import region_of
from pulumi_gke_tpu.core.text.jsonfile.fields import Count, Hidden

Use = Literal["training", "serving"]
Precision = Literal["bf16", "int8"]


@frozen
class Budget:
    """The most that the slices may cost, in USD."""

    usd: Decimal
    per: Literal["hour", "run"]


@frozen
class Need:
    """A need in chips, memory or compute, of which the largest decides. None sets no condition."""

    chips: int | None = None
    hbm_gib: int | None = None
    tflops: int | None = None
    precision: Precision = "bf16"
    use: Use = "training"
    near: str | None = None
    """A region."""
    zones: tuple[str, ...] = ()
    """Any zone if empty."""
    mode: Mode = "standard"
    generations: tuple[str, ...] = ()
    """Any generation if empty."""
    capacities: tuple[CapacityMode, ...] = ()
    """Any capacity mode except queued if empty."""
    interruptible: bool = True
    run: datetime.timedelta | None = None
    """The length of a run."""
    by: datetime.date | None = None
    """The day from which the capacity is needed."""
    budget: Budget | None = None
    version: str | None = None
    """The GKE version of the cluster."""
    project: str | None = None
    """The project whose quotas of the inventory apply; None if the inventory does not decide it."""

    def chips_of(self, chip: Chip) -> int | None:
        """The number of chips of a generation that meets the need; None if a figure of the chip is unknown."""
        asked = [(amount, each) for amount, each, _ in self._asked(chip)]
        known = [math.ceil(amount / each) for amount, each in asked if each]
        return max(known) if known and len(known) == len(asked) else None

    def unknown_figures(self, chip: Chip) -> list[str]:
        """The figures of a chip that the need depends on, and that the catalog does not have."""
        return [name for _, each, name in self._asked(chip) if not each]

    def _asked(self, chip: Chip) -> Iterator[tuple[int, float | None, str]]:
        """Each part of the need, what a chip has of it, and its name."""
        rate = chip.bf16_tflops if self.precision == "bf16" else chip.int8_tops
        if self.chips is not None:
            yield self.chips, 1, "chips"
        if self.hbm_gib is not None:
            yield self.hbm_gib, chip.hbm_gib, "memory per chip"
        if self.tflops is not None:
            yield self.tflops, rate, f"{self.precision} rate"


MOST_SLICES = 1_000
"""The limit of a slice group. A rule rejects more."""


@frozen
class Slices:
    """A number of equal slices."""

    topology: str
    machine_type: str
    chips_per_host: Count
    count: Count
    ambiguous: Hidden[bool]
    """Whether the topology has several forms, so that a plan has to name the chips per host."""

    @property
    def chips_per_slice(self) -> int:
        """Chips of one slice."""
        return Topology.parse(self.topology).chips

    @property
    def chips(self) -> int:
        """Chips of all slices."""
        return self.chips_per_slice * self.count

    @property
    def hosts_per_slice(self) -> int:
        """Hosts of one slice."""
        return self.chips_per_slice // self.chips_per_host

    @property
    def hosts(self) -> int:
        """Hosts of all slices."""
        return self.hosts_per_slice * self.count


def slices_for(generation: Generation, need: Need, chips: int) -> Iterator[Slices]:
    """One slice of the smallest sufficient size in every form, and several slices of every smaller one.

    Several slices of one training job exchange data over the network of the data center (Multislice), which the
    generation must support; they have several hosts each. Slices that serve are independent of each other.
    """
    for slices in _shapes(generation, need, chips):
        if slices.count == 1 or (
            slices.count <= MOST_SLICES
            and (need.use == "serving" or (generation.multislice and slices.hosts_per_slice > 1))
        ):
            yield slices


def largest_slice(generation: Generation, need: Need) -> int:
    """The chips of the largest slice in the mode of the cluster; 0 if there is none."""
    rows = selectable_rows(generation, need.mode)
    custom = custom_topologies(generation, need.mode)
    listed = max((Topology.parse(row.topology).chips for row in rows), default=0)
    return max(listed, custom.max_chips if custom else 0)


def _shapes(generation: Generation, need: Need, chips: int) -> Iterator[Slices]:
    rows = selectable_rows(generation, need.mode)
    sizes = {Topology.parse(row.topology).chips for row in rows}
    custom = custom_topologies(generation, need.mode)
    enough = min((size for size in {*sizes, *(custom_sizes(custom) if custom else ())} if size >= chips), default=None)
    forms: dict[str, set[int]] = {}
    for row in rows:
        forms.setdefault(row.topology, set()).add(generation.machine_types[row.machine_type].chips)
    for row in rows:
        each = Topology.parse(row.topology).chips
        if each <= (enough or each):
            per_host = generation.machine_types[row.machine_type].chips
            count = -(-chips // each)
            yield Slices(row.topology, row.machine_type, per_host, count, len(forms[row.topology]) > 1)
    if custom is not None:
        per_host = generation.machine_types[custom.machine_type].chips
        for size, count in _custom_slices(custom, chips):
            if size not in sizes and size <= (enough or size):
                shape = most_cubic(map(str, custom_shapes(custom, size)))
                yield Slices(shape, custom.machine_type, per_host, count, ambiguous=False)


def _custom_slices(custom: CustomTopologies, chips: int) -> Iterator[tuple[int, int]]:
    """The smallest sufficient size of a custom topology for each number of slices, each size once."""
    sizes = custom_sizes(custom)
    last = len(sizes)
    for count in range(1, MOST_SLICES + 1):
        place = bisect_left(sizes, -(-chips // count))
        if place < last:
            yield sizes[place], count
            last = place


def custom_sizes(custom: CustomTopologies) -> list[int]:
    """The numbers of chips that custom topologies can have, in order."""
    step = custom_step(custom)
    sizes = range(step, custom.max_chips + 1, step)
    return [size for size in sizes if next(custom_shapes(custom, size), None) is not None]


_DAY = datetime.timedelta(days=1)
DEFAULT_MODES: tuple[CapacityMode, ...] = ("on_demand", "spot", "flex_start", "reservation")
CALENDAR = "calendar mode"
CALENDAR_RESERVATION = "calendar-reservation"
"""The name of a reservation in calendar mode in a plan: the reservation has to be requested first."""


@frozen
class Candidate:
    """Slices of a generation in a zone and a capacity mode."""

    generation: str
    slices: Slices
    zone: str
    capacity: CapacityMode
    reservation: OwnedReservation | None
    calendar: bool = False
    """Whether the reservation is one to request in calendar mode, for the length of the run."""
    shortest: datetime.timedelta = datetime.timedelta()
    """The shortest time that is paid."""

    @property
    def mode(self) -> str:
        """The capacity mode as people write it."""
        return CALENDAR if self.calendar else mode_text(self.capacity)

    @property
    def group(self) -> dict[str, Any]:
        """The slice group of a plan."""
        keys: dict[str, Any] = {"tpu": self.generation, "topology": self.slices.topology}
        if self.slices.ambiguous:
            keys["chips_per_host"] = self.slices.chips_per_host
        if self.capacity in SHORT_LIVED:
            keys |= {"min": 0, "max": self.slices.count}
        elif self.slices.count > 1:
            keys["count"] = self.slices.count
        keys["zone"] = self.zone
        if self.calendar:
            keys["capacity"] = {"reservation": CALENDAR_RESERVATION}
        elif self.reservation is not None:
            keys["capacity"] = {"reservation": {"name": self.reservation.name, "project": self.reservation.project}}
        elif self.capacity != "on_demand":
            keys["capacity"] = self.capacity
        return keys

    def excluded(self, reason: str, rule: str = "") -> "CandidateExclusion":
        """The candidate as one that is left out."""
        return CandidateExclusion(
            self.generation, self.zone, reason, self.slices, self.capacity, rule, calendar=self.calendar
        )


Obstacle = Literal["time", "size", "other"]
"""time: a reservation of the inventory has the capacity, at another time. size: a reservation is too small."""


@frozen
class CandidateExclusion:
    """Why candidates are left out. An empty field is any."""

    generation: str
    zone: str
    reason: str
    slices: Slices | None = None
    capacity: CapacityMode | None = None
    rule: str = ""
    confidence: Confidence = "high"
    unsuitable: bool = False
    """Whether the need rules out the capacity mode, wherever the slices are, or calendar mode does not exist there."""
    obstacle: Obstacle = "other"
    calendar: bool = False
    """Whether the capacity is a reservation in calendar mode."""

    @property
    def mode(self) -> str:
        """The capacity mode as people write it; empty for all."""
        return CALENDAR if self.calendar else mode_text(self.capacity) if self.capacity is not None else ""

    @property
    def text(self) -> str:
        """The reason, its rule, and how sure it is."""
        doubt = "" if self.confidence == "high" else f" (confidence {self.confidence})"
        return f"{self.reason}{f' ({self.rule})' if self.rule else ''}{doubt}"

    @property
    def what(self) -> str:
        """The slices and the capacity mode, such as "8x16, spot"; empty for all."""
        if self.slices is None or self.capacity is None:
            return self.mode
        count = f"{self.slices.count:,} × " if self.slices.count > 1 else ""
        return f"{count}{self.slices.topology}, {self.mode}"


Outcome = Candidate | CandidateExclusion


def candidates(need: Need, catalog: Catalog, owned: OwnedReservations, today: datetime.date) -> Iterator[Outcome]:
    """Every candidate that meets the need, and every reason why another one does not."""
    for name, announced in catalog.announced.items():
        yield CandidateExclusion(name, "", announced.answer, confidence=announced.confidence)
    search = _Search(need, catalog, owned, today)
    for name in catalog.generation_names:
        yield from search.of_generation(name, catalog.generation(name))


@frozen
class _Search:
    """One search over the catalog."""

    need: Need
    catalog: Catalog
    owned: OwnedReservations
    today: datetime.date

    def of_generation(self, name: str, generation: Generation) -> Iterator[Outcome]:
        need = self.need
        if need.generations and name not in need.generations:
            yield CandidateExclusion(name, "", f"you asked for {listed(need.generations, 'or')}")
            return
        chips = need.chips_of(generation.chip)
        shapes = list(slices_for(generation, need, chips)) if chips is not None else []
        if chips is None or not shapes:
            yield CandidateExclusion(name, "", _no_shape(generation, need, chips))
            return
        if not self.owned.entries and not need.capacities:
            yield CandidateExclusion(name, "", "there is no inventory with reservations", capacity="reservation")
        zones = self._zones_with(generation, shapes)
        for family in generation.families:
            for zone in sorted(set(zones_of(self.catalog, family)) - zones.keys()):
                yield CandidateExclusion(name, zone, f"{family} has no slices of this size and use")
        for zone in sorted(zones):
            yield from self._in_zone(name, zones[zone], zone)

    def _zones_with(self, generation: Generation, shapes: Iterable[Slices]) -> dict[str, list[Slices]]:
        """The slices by zone."""
        zones: dict[str, list[Slices]] = {}
        for slices in shapes:
            for zone in zones_of(self.catalog, generation.machine_types[slices.machine_type].family):
                zones.setdefault(zone, []).append(slices)
        return zones

    def _in_zone(self, name: str, shapes: Iterable[Slices], zone: str) -> Iterator[Outcome]:
        reason = _outside(zone, self.need)
        if reason:
            yield CandidateExclusion(name, zone, reason)
            return
        for slices in shapes:
            for mode in self._modes:
                yield from self._in_mode(name, slices, zone, mode)
            if self.need.run is not None and "reservation" in (self.need.capacities or DEFAULT_MODES):
                yield self._in_calendar_mode(name, slices, zone, self.need.run)

    @property
    def _modes(self) -> Iterable[CapacityMode]:
        """The capacity modes to try: reservations by default only if there are any."""
        if self.need.capacities or self.owned.entries:
            return self.need.capacities or DEFAULT_MODES
        return (mode for mode in DEFAULT_MODES if mode != "reservation")

    def _in_mode(self, name: str, slices: Slices, zone: str, mode: CapacityMode) -> Iterator[Outcome]:
        reason = _unsuitable(mode, self.need, self.catalog)
        if reason:
            yield CandidateExclusion(name, zone, reason, slices, mode, unsuitable=True)
        elif mode == "reservation":
            yield from self._on_reservations(name, slices, zone)
        else:
            yield Candidate(name, slices, zone, mode, None)

    def _in_calendar_mode(self, name: str, slices: Slices, zone: str, run: datetime.timedelta) -> Outcome:
        facts = self.catalog.capacity.calendar
        candidate = Candidate(
            name, slices, zone, "reservation", None, calendar=True, shortest=datetime.timedelta(days=facts.min_days)
        )
        reason = self._not_in_calendar_mode(slices, zone, self.catalog.generation(name), run)
        if not reason:
            return candidate
        return dataclasses.replace(candidate.excluded(reason), unsuitable=True, confidence=facts.confidence)

    def _not_in_calendar_mode(self, slices: Slices, zone: str, generation: Generation, run: datetime.timedelta) -> str:
        """Why slices cannot be requested in calendar mode; empty if they can."""
        facts, serves = self.catalog.capacity.calendar, self.need.use == "serving"
        limit = datetime.timedelta(days=facts.max_days)
        if run > limit:
            return f"a reservation in calendar mode lasts at most {duration_text(limit)}"
        family = generation.machine_types[slices.machine_type].family
        known = facts.zones.get(family)
        zones, sizes, serving = known.zones if known is not None else (), facts.chips, facts.serving.get(family)
        if serving is not None:
            zones = serving.zones if serves else tuple(each for each in zones if each not in serving.zones)
            sizes = serving.chips if serves else sizes
        if zone not in zones:
            where = f"only in {listed(zones)}" if zones else "in no zone"
            return f"calendar mode is documented for {family} {where}"
        if slices.chips not in sizes:
            shown = listed([f"{size:,}" for size in sizes], "or")
            return f"a reservation in calendar mode has {shown} chips, and the slices have {slices.chips:,}"
        return ""

    def _on_reservations(self, name: str, slices: Slices, zone: str) -> Iterator[Outcome]:
        machine = slices.machine_type
        here = [item for item in self.owned.entries if item.zone == zone and item.has_machine(machine)]
        if not here:
            reason = f"the inventory has no reservation of {machine} there"
            yield CandidateExclusion(name, zone, reason, slices, "reservation")
        for entry in here:
            reason, obstacle = self._unavailable(entry, slices)
            if reason:
                text = f"reservation {quoted(entry.name)} {reason}"
                yield CandidateExclusion(name, zone, text, slices, "reservation", obstacle=obstacle)
            else:
                yield Candidate(name, slices, zone, "reservation", entry)

    def _unavailable(self, entry: OwnedReservation, slices: Slices) -> tuple[str, Obstacle]:
        """Why slices cannot be on a reservation, and the obstacle; an empty text if they can."""
        begin = self.need.by or self.today
        days = max(-(-(self.need.run or _DAY) // _DAY), 1)
        free, need = entry.size - entry.in_use, slices.hosts if entry.unit == "VM" else slices.chips
        if free < need:
            return f"has {number(max(free, 0), entry.unit)} left, and the slices need {need:,}", "size"
        if entry.start is not None and entry.start > begin:
            return f"begins on {entry.start}", "time"
        ends = entry.until is not None and (entry.until - begin).days < days
        return f"ends on {entry.until}" if ends else "", "time"


def mode_text(mode: CapacityMode) -> str:
    """A capacity mode as people write it: ``flex-start``."""
    return mode.replace("_", "-")


def zones_of(catalog: Catalog, family: str) -> tuple[str, ...]:
    """Every zone in which any source lists a machine family."""
    return catalog.zones.of_family(family)


def _no_shape(generation: Generation, need: Need, chips: int | None) -> str:
    if chips is None:
        unknown = need.unknown_figures(generation.chip)
        return f"the catalog does not have its {listed(unknown)}"
    largest = largest_slice(generation, need)
    mode = "Standard" if need.mode == "standard" else "Autopilot"
    if not largest:
        return f"no topology is documented for {mode}"
    several = (
        f"the need exceeds {MOST_SLICES:,} slices"
        if generation.multislice or need.use == "serving"
        else "it does not support Multislice"
    )
    return f"the need is {number(chips, 'chip')}, the largest slice in {mode} has {largest:,}, and {several}"


def _outside(zone: str, need: Need) -> str:
    if need.zones and zone not in need.zones:
        return f"not in {listed(need.zones, 'or')}"
    if need.near and region_of(zone) != need.near:
        return f"outside {need.near}"
    return ""


def _unsuitable(mode: CapacityMode, need: Need, catalog: Catalog) -> str:
    """Why a capacity mode does not suit the run; empty if it does."""
    if mode == "spot" and not need.interruptible:
        return "Compute Engine can preempt Spot VMs at any time"
    limit = datetime.timedelta(seconds=catalog.capacity.flex_start.max_run_seconds)
    if mode == "flex_start" and need.run is not None and need.run > limit:
        return f"flex-start nodes run for at most {duration_text(limit)}"
    return ""
