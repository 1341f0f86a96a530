"""What plans, their planned runs and the alternatives of each slice group cost, and the reasons against others."""

import datetime
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Literal

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.estimate import HOURS_PER_MONTH, CostLine, FleetCost, GroupCost, Usd, cost_of
from pulumi_gke_tpu.core.estimate.cost import total_line
from pulumi_gke_tpu.core.estimate.headroom import UnusedReservation, unused_reservations
from pulumi_gke_tpu.core.estimate.prices import MODES, sum_of
from pulumi_gke_tpu.core.estimate.reservations import OwnedReservations
from pulumi_gke_tpu.core.estimate.sums import SharedReservation, shared_reservations
from pulumi_gke_tpu.core.fleet import Fleet, Range, SliceGroup
from pulumi_gke_tpu.core.fleet.checked import CheckedPlan, PlanInFleet, plans_in_fleet
from pulumi_gke_tpu.core.fleet.settings import node_lifetime, run_slices
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.plan import Document
from pulumi_gke_tpu.core.plan.inventory import Inventory
from pulumi_gke_tpu.core.schedule.coverage import timed_runs
from pulumi_gke_tpu.core.schedule.spans import Span, midnight
from pulumi_gke_tpu.core.text.findings import Path, duration_text
from pulumi_gke_tpu.core.text.formats.names import is_region, is_zone, region_of
from pulumi_gke_tpu.core.text.jsonfile.fields import Amount
from pulumi_gke_tpu.features.cost.recommend.alternatives import (
    Alternative,
    AlternativeNotOffered,
    Alternatives,
    GroupPlace,
)
from pulumi_gke_tpu.features.cost.recommend.candidates import mode_text, zones_of

if TYPE_CHECKING:
    from pulumi_gke_tpu.core.plan.organization import Organization


@frozen
class RunAlternative:
    """The slices of a run in another capacity mode or zone, for the length of the run."""

    alternative: Alternative
    usd: Decimal | None
    """USD for the run; None if it is unknown, or if the capacity does not last."""
    too_short: str
    """Why the capacity does not last as long as the run; empty if it does."""


@frozen
class RunCost:
    """One run. It uses at most the slices of its group."""

    run: str
    """cluster/run."""
    path: Path
    group: str
    """cluster/group."""
    slices: int
    span: Span
    rate: GroupCost
    """The cost of the group, which has the price of a chip."""
    usd: Decimal | None
    """USD for the run, with the known premium of Autopilot; None if it is unknown."""
    ends_after: datetime.timedelta | None
    """How long the nodes live, if that is shorter than the run."""
    alternatives: tuple[RunAlternative, ...]

    @property
    def at_least(self) -> bool:
        """Whether a part of the cost is unknown."""
        return self.usd is not None and self.rate.incomplete

    @property
    def in_sum(self) -> bool:
        """Whether the amount is known and sure enough for a sum."""
        return self.usd is not None and not self.rate.doubtful


@frozen
class RunCosts:
    """The runs of a plan, and their cost together."""

    runs: tuple[RunCost, ...]
    total: Decimal | None
    """USD of all known amounts; None if all are unknown, or if there are no runs. Runs that use the same slices at the
    same time are counted once."""
    at_least: bool
    """Whether ``total`` is only a part of the cost."""


def run_costs(
    fleet: Fleet, costs: Mapping[str, GroupCost], others: Mapping[str, Sequence[Alternative]], catalog: Catalog
) -> RunCosts:
    """The cost of every run with a valid time. ``costs`` and ``others`` are by cluster/group."""
    runs: list[RunCost] = []
    sums: list[Decimal] = []
    shortest = datetime.timedelta(days=catalog.capacity.calendar.min_days)
    for cluster in fleet.clusters:
        of_group: dict[str, list[RunCost]] = {}
        for name, run, group, span in timed_runs(cluster):
            slices = min(run_slices(run, group).value, group.slices.maximum)
            chips = Range(slices * group.shape.chips, slices * group.shape.chips)
            lifetime = node_lifetime(group, catalog).value
            cost = RunCost(
                run=f"{cluster.key}/{name}",
                path=(*cluster.path, "runs", name),
                group=group.key,
                slices=slices,
                span=span,
                rate=costs[group.key],
                usd=_for(costs[group.key], chips, span.length),
                ends_after=lifetime if lifetime is not None and lifetime < span.length else None,
                alternatives=tuple(_of_run(others[group.key], chips, span, shortest)),
            )
            of_group.setdefault(group.key, []).append(cost)
            runs.append(cost)
        for group in cluster.groups:
            together = of_group.get(group.key, [])
            usd = costs[group.key].of_chips(Range(group.shape.chips, group.shape.chips))
            if together and together[0].in_sum and usd is not None:
                sums.append(usd.maximum * _slice_hours(together, group.slices.maximum))
    incomplete = any(not run.in_sum or run.rate.incomplete for run in runs)
    return RunCosts(tuple(runs), sum(sums, Decimal(0)) if sums else None, incomplete)


def _of_run(
    found: Iterable[Alternative], chips: Range, span: Span, shortest: datetime.timedelta
) -> Iterator[RunAlternative]:
    """The alternatives for a run: commitments for years are none. Calendar mode is paid for ``shortest`` at least."""
    for item in found:
        if item.term:
            continue
        too_short = _too_short(item, span)
        length = max(span.length, shortest) if item.kind == "commitment" else span.length
        yield RunAlternative(item, None if too_short else _for(item.rate, chips, length), too_short)


def _too_short(item: Alternative, span: Span) -> str:
    if item.longest is not None and span.length > item.longest:
        return f"at most {duration_text(item.longest)}"
    if item.until is not None and span.end > midnight(item.until):
        return f"ends on {item.until}"
    return ""


def _for(cost: GroupCost, chips: Range, length: datetime.timedelta) -> Decimal | None:
    usd = cost.of_chips(chips)
    return None if usd is None else usd.maximum * hours_of(length)


def hours_of(length: datetime.timedelta) -> Decimal:
    """A length in hours."""
    return Decimal(length // datetime.timedelta(seconds=1)) / _SECONDS_PER_HOUR


def _slice_hours(runs: Iterable[RunCost], most: int) -> Decimal:
    """The hours for which runs use slices of one group, of which there are ``most``."""
    changes: dict[datetime.datetime, int] = {}
    for run in runs:
        changes[run.span.start] = changes.get(run.span.start, 0) + run.slices
        changes[run.span.end] = changes.get(run.span.end, 0) - run.slices
    total, used, since = Decimal(0), 0, None
    for time in sorted(changes):
        if since is not None:
            total += min(used, most) * hours_of(time - since)
        used, since = used + changes[time], time
    return total


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
    return CostPeriod(name, hours_of(duration))


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
        return self._line.usd if self.plans else None

    @property
    def at_least(self) -> bool:
        """Whether ``total`` is only a part of the cost."""
        return bool(self._line.unknown)

    @property
    def shared(self) -> tuple[SharedReservation, ...]:
        """The reservations that keep sums below those of the groups."""
        return shared_reservations(self._groups)

    @property
    def _groups(self) -> list[GroupCost]:
        return [group for plan in self.plans for group in plan.cost.groups]

    @property
    def _line(self) -> CostLine:
        return total_line(self._groups)

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


_COMMITMENTS = {
    "calendar": "calendar mode",
    "calendar-mode": "calendar mode",
    "1-year": "1-year commitment",
    "1-year-commitment": "1-year commitment",
    "3-year": "3-year commitment",
    "3-year-commitment": "3-year commitment",
}


@frozen
class AlternativeQuestion:
    """What a user asks about. ``zones`` are the zones of a zone or region, sorted."""

    kind: Literal["capacity", "zone", "commitment", "reservation"]
    name: str
    zones: tuple[str, ...] = ()


def asked_of(word: str, catalog: Catalog) -> AlternativeQuestion:
    """The meaning of a word; a word without another meaning is the name of a reservation."""
    spelled = word.strip().lower().replace("_", "-").replace(" ", "-")
    if is_zone(spelled) or is_region(spelled):
        known = {zone for family in catalog.zones.families for zone in zones_of(catalog, family)}
        return AlternativeQuestion(
            "zone", spelled, tuple(sorted(zone for zone in known if spelled in (zone, region_of(zone))))
        )
    if spelled in map(mode_text, MODES):
        return AlternativeQuestion("capacity", spelled)
    if spelled in _COMMITMENTS:
        return AlternativeQuestion("commitment", _COMMITMENTS[spelled])
    return AlternativeQuestion("reservation", f"reservation {word.strip().removeprefix('reservation ')}")


def lines_of(asked: AlternativeQuestion, costs: Costs) -> list[str]:
    """The answer for each slice group; nothing if the word has no meaning for these plans."""
    if asked.kind == "zone" and not asked.zones:
        return [f"{asked.name}: no source lists TPUs there"]
    several = len(costs.plans) > 1
    lines = [
        f"{f'{plan.name} ' if several else ''}{group.key}, {line}"
        for plan in costs.plans
        for _, group in plan.fleet.groups()
        for line in _of_group(asked, plan, group)
    ]
    if not lines and asked.kind == "capacity":
        return [f"{asked.name}: the inventory has no other reservation of the machine type of a group in its zone"]
    return lines


def _of_group(asked: AlternativeQuestion, plan: PlanCosts, group: SliceGroup) -> Iterator[str]:
    if not group.slices.maximum and asked.kind != "reservation":
        yield f"{asked.name}: the group has no slices"
        return
    if asked.kind == "capacity" and asked.name in map(mode_text, group.capacity_modes):
        own = "the capacity mode" if len(group.capacity_modes) == 1 else "one of the capacity modes"
        yield f"{asked.name}: {own} of the group"
    yield from (f"{zone}: a zone of the group" for zone in asked.zones if zone in {group.zone, *group.zones})
    for item in plan.alternatives[group.key]:
        if _is_meant(asked, item.kind, item.name):
            yield f"{item.name}: an alternative of the group"
    for absent in plan.absent[group.key]:
        if _is_meant(asked, absent.kind, absent.name):
            yield f"{absent.name}: {absent.exclusion.text}"


def _is_meant(asked: AlternativeQuestion, kind: str, name: str) -> bool:
    if asked.kind == "zone":
        return kind == "zone" and name in asked.zones
    if asked == AlternativeQuestion("capacity", "reservation"):
        return kind == "capacity" and name.startswith("reservation ")
    return name == asked.name
