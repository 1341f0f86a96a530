"""Costs of plans and their alternatives as JSON for programs. Money is in USD, unrounded, as text; None is unknown."""

import datetime
from typing import TYPE_CHECKING, Any, Literal

from pulumi_gke_tpu.core.catalog import Confidence
from pulumi_gke_tpu.core.catalog.records.capacity import CapacityMode
from pulumi_gke_tpu.core.estimate import Usd
from pulumi_gke_tpu.core.fleet import Range
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.text.findings import format_path
from pulumi_gke_tpu.core.text.jsonfile.fields import Amount, Count, OptionalText
from pulumi_gke_tpu.core.text.jsonfile.form import schema_of, to_data
from pulumi_gke_tpu.features.cost.recommend.costs import CostPeriod

if TYPE_CHECKING:
    from pulumi_gke_tpu.core.estimate import GroupCost
    from pulumi_gke_tpu.core.estimate.unused import UnusedReservation
    from pulumi_gke_tpu.features.cost.recommend.alternatives import Alternative, AlternativeNotOffered
    from pulumi_gke_tpu.features.cost.recommend.costs import Costs, PlanCosts
    from pulumi_gke_tpu.features.cost.recommend.run_costs import RunCost

_SECOND = datetime.timedelta(seconds=1)


@frozen
class AlternativeRecord:
    """Another way to get the same number of slices."""

    kind: Literal["capacity", "zone", "commitment"]
    name: str
    usd: dict[str, Usd] | None
    """By period, with the known premium of Autopilot."""
    at_least: bool
    """Whether a part of the cost is unknown."""
    confidence: Confidence
    """Of the price."""
    gives_up: tuple[str, ...]
    longest_seconds: Count | None
    """How long the capacity lasts; null without a limit."""
    group: dict[str, Any] | None
    """The slice group of a plan; None for a commitment."""


@frozen
class NotOfferedRecord:
    """Another way to get the slices that is not an alternative, and why."""

    kind: Literal["capacity", "zone", "commitment"]
    name: str
    because: str
    rule: OptionalText
    """The rule that rejects it; empty if none does."""
    confidence: Confidence
    """Of the reason."""


@frozen
class GroupCostRecord:
    """The cost of a slice group."""

    group: str
    """cluster/group."""
    path: str
    capacity: CapacityMode
    """The mode that has the price; of several modes, the most expensive one."""
    capacities: tuple[CapacityMode, ...]
    """All modes, in the order in which GKE tries them."""
    usd: dict[str, Usd] | None
    """By period, with the known premium of Autopilot."""
    at_least: bool
    """Whether a part of the cost is unknown."""
    unknown_because: OptionalText
    contract: bool
    """Whether the price is that of the contract in the inventory."""
    at_on_demand_price: bool
    low_confidence: bool
    """Whether no sum includes the amount."""
    alternatives: tuple[AlternativeRecord, ...]
    not_offered: tuple[NotOfferedRecord, ...]
    """Capacity modes, reservations and commitments that are not alternatives, and the zones of ``--why-not``."""


@frozen
class RunAlternativeRecord:
    """The slices of a run in another way, for the length of the run."""

    kind: Literal["capacity", "zone", "commitment"]
    name: str
    usd: Amount | None
    """For the run; null if it is unknown, or if the capacity does not last."""
    too_short_because: OptionalText


@frozen
class RunCostRecord:
    """The cost of a planned run: its slices, for its length."""

    run: str
    """cluster/run."""
    path: str
    group: str
    """cluster/group."""
    slices: Count
    start: str
    duration_seconds: Count
    capacity: CapacityMode
    usd: Amount | None
    """For the run, with the known premium of Autopilot."""
    at_least: bool
    low_confidence: bool
    """Whether no sum includes the amount."""
    nodes_end_after_seconds: Count | None
    """How long the nodes live, if that is shorter than the run."""
    alternatives: tuple[RunAlternativeRecord, ...]


@frozen
class PlanCostRecord:
    """The cost of a plan."""

    plan: str
    project: str
    total: dict[str, Usd] | None
    """By period."""
    at_least: bool
    groups: tuple[GroupCostRecord, ...]
    runs: tuple[RunCostRecord, ...]
    runs_total: Amount | None
    """Of all runs, whose slices are also in ``total``; slices that runs share are counted once."""
    runs_at_least: bool


@frozen
class UnusedRecord:
    """What neither the plans nor others use of a reservation. No other amount includes it."""

    reservation: str
    project: str
    zone: str
    machine_type: str | None
    """None if the reservation counts chips of any machine type of the family."""
    family: str
    vms: Range | None
    """At the largest and at the smallest size of the slice groups; None if the reservation counts chips."""
    chips: Range | None
    """None if the catalog does not have the machine type."""
    usd: dict[str, Usd] | None
    """By period."""
    contract: bool
    """Whether the price is that of the contract in the inventory."""
    at_on_demand_price: bool
    low_confidence: bool
    unknown_because: OptionalText


@frozen
class CostDocument:
    """What ``gke-tpu cost --format json`` writes."""

    format: Literal[1]
    """The version of this format. A new key keeps it; removing or changing a key raises it."""
    catalog: str
    """Version of the catalog: a date."""
    periods: tuple[CostPeriod, ...]
    total: dict[str, Usd] | None
    """Of all plans, by period."""
    at_least: bool
    unknown: tuple[str, ...]
    """Why amounts are missing in sums."""
    plans: tuple[PlanCostRecord, ...]
    unused_reservations: tuple[UnusedRecord, ...]
    """The unused VMs of the reservations of the inventory; in no total."""


def cost_json(costs: "Costs") -> dict[str, Any]:
    """Costs as data for ``json.dumps``."""
    return to_data(
        CostDocument(
            format=1,
            catalog=costs.catalog_version,
            periods=costs.periods,
            total=_by_period(costs.total, costs.periods),
            at_least=costs.at_least,
            unknown=costs.unknown,
            plans=tuple(_plan(plan, costs.periods) for plan in costs.plans),
            unused_reservations=tuple(_unused(item, costs.periods) for item in costs.unused),
        )
    )


def cost_schema() -> dict[str, Any]:
    """The JSON Schema of :func:`cost_json`."""
    return schema_of(
        CostDocument,
        title="Cost of plans",
        description="What `gke-tpu cost --format json` writes. Money is in USD, as text; null is unknown.",
    )


def _by_period(usd: Usd | None, periods: tuple[CostPeriod, ...]) -> dict[str, Usd] | None:
    return None if usd is None else {period.name: period.cost(usd) for period in periods}


def _plan(plan: "PlanCosts", periods: tuple[CostPeriod, ...]) -> PlanCostRecord:
    return PlanCostRecord(
        plan=plan.name,
        project=plan.fleet.project,
        total=_by_period(plan.cost.total.usd, periods),
        at_least=plan.cost.total.at_least,
        groups=tuple(_group(group, plan, periods) for group in plan.cost.groups),
        runs=tuple(map(_run, plan.runs.runs)),
        runs_total=plan.runs.total,
        runs_at_least=plan.runs.at_least,
    )


def _group(group: "GroupCost", plan: "PlanCosts", periods: tuple[CostPeriod, ...]) -> GroupCostRecord:
    return GroupCostRecord(
        group=group.group,
        path=format_path(group.path),
        capacity=group.mode,
        capacities=group.modes,
        usd=_by_period(group.whole_usd, periods),
        at_least=group.whole_usd is not None and group.incomplete,
        unknown_because="; ".join(filter(None, (group.unknown, group.premium_unknown))),
        contract=group.contract is not None,
        at_on_demand_price=group.at_on_demand_price,
        low_confidence=group.doubtful,
        alternatives=tuple(_alternative(item, periods) for item in plan.alternatives[group.group]),
        not_offered=tuple(map(_not_offered, plan.absent[group.group])),
    )


def _not_offered(item: "AlternativeNotOffered") -> NotOfferedRecord:
    exclusion = item.exclusion
    return NotOfferedRecord(item.kind, item.name, exclusion.reason, exclusion.rule, exclusion.confidence)


def _unused(item: "UnusedReservation", periods: tuple[CostPeriod, ...]) -> UnusedRecord:
    entry = item.entry
    return UnusedRecord(
        reservation=entry.name,
        project=entry.project,
        zone=entry.zone,
        machine_type=entry.machine_type,
        family=entry.machine_family,
        vms=item.vms,
        chips=item.chips,
        usd=_by_period(item.usd, periods),
        contract=entry.usd_per_chip_hour is not None,
        at_on_demand_price=item.price is not None,
        low_confidence=item.doubtful,
        unknown_because=item.unknown,
    )


def _alternative(item: "Alternative", periods: tuple[CostPeriod, ...]) -> AlternativeRecord:
    return AlternativeRecord(
        kind=item.kind,
        name=item.name,
        usd=_by_period(item.usd, periods),
        at_least=item.usd is not None and item.rate.incomplete,
        confidence=item.confidence,
        gives_up=item.gives_up,
        longest_seconds=None if item.longest is None else item.longest // _SECOND,
        group=item.group,
    )


def _run(run: "RunCost") -> RunCostRecord:
    return RunCostRecord(
        run=run.run,
        path=format_path(run.path),
        group=run.group,
        slices=run.slices,
        start=f"{run.span.start:%Y-%m-%dT%H:%M:%SZ}",
        duration_seconds=run.span.length // _SECOND,
        capacity=run.rate.mode,
        usd=run.usd,
        at_least=run.usd is not None and run.rate.incomplete,
        low_confidence=run.rate.doubtful,
        nodes_end_after_seconds=None if run.ends_after is None else run.ends_after // _SECOND,
        alternatives=tuple(
            RunAlternativeRecord(each.alternative.kind, each.alternative.name, each.usd, each.too_short)
            for each in run.alternatives
        ),
    )
