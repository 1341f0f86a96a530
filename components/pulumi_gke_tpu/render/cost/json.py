"""Costs of plans and their alternatives as JSON for programs. Money is in USD, unrounded, as text; None is unknown."""

from decimal import Decimal
from typing import TYPE_CHECKING, Any, Literal

from pulumi_gke_tpu.catalog import Confidence
from pulumi_gke_tpu.catalog.records.capacity import CapacityMode
from pulumi_gke_tpu.estimate import Usd
from pulumi_gke_tpu.findings import format_path
from pulumi_gke_tpu.frozen import frozen
from pulumi_gke_tpu.jsonfile.fields import Amount, OptionalText
from pulumi_gke_tpu.jsonfile.form import schema_of, to_data

if TYPE_CHECKING:
    from pulumi_gke_tpu.estimate import GroupCost
    from pulumi_gke_tpu.recommend.alternatives import Alternative
    from pulumi_gke_tpu.recommend.costs import Costs, Period, PlanCosts


@frozen
class PeriodRecord:
    """A period, by its name, with its length in hours."""

    name: str
    hours: Amount


@frozen
class AlternativeRecord:
    """Another way to get the slices of a group at full size."""

    kind: Literal["capacity", "zone", "commitment"]
    name: str
    usd: dict[str, Amount] | None
    """By period."""
    confidence: Confidence
    """Of the price."""
    gives_up: tuple[str, ...]
    group: dict[str, Any] | None
    """The slice group of a plan; None for a commitment."""


@frozen
class GroupCostRecord:
    """The cost of a slice group."""

    group: str
    """cluster/group."""
    path: str
    capacity: CapacityMode
    usd: dict[str, Usd] | None
    """By period, with the known premium of Autopilot."""
    unknown_because: OptionalText
    contract: bool
    """Whether the price is that of the contract in the inventory."""
    at_on_demand_price: bool
    low_confidence: bool
    """Whether no sum includes the amount."""
    alternatives: tuple[AlternativeRecord, ...]


@frozen
class PlanCostRecord:
    """The cost of a plan."""

    plan: str
    project: str
    total: dict[str, Usd] | None
    """By period."""
    at_least: bool
    groups: tuple[GroupCostRecord, ...]


@frozen
class CostDocument:
    """What ``gke-tpu cost --format json`` writes."""

    format: Literal[1]
    """The version of this format. A new key keeps it; removing or changing a key raises it."""
    catalog: str
    """Version of the catalog: a date."""
    periods: tuple[PeriodRecord, ...]
    total: dict[str, Usd] | None
    """Of all plans, by period."""
    unknown: tuple[str, ...]
    """Why amounts are missing in sums."""
    plans: tuple[PlanCostRecord, ...]


def cost_json(costs: "Costs") -> dict[str, Any]:
    """Costs as data for ``json.dumps``."""
    return to_data(
        CostDocument(
            format=1,
            catalog=costs.catalog_version,
            periods=tuple(PeriodRecord(period.name, period.hours) for period in costs.periods),
            total=_by_period(costs.total, costs.periods),
            unknown=costs.unknown,
            plans=tuple(_plan(plan, costs.periods) for plan in costs.plans),
        )
    )


def cost_schema() -> dict[str, Any]:
    """The JSON Schema of :func:`cost_json`."""
    return schema_of(
        CostDocument,
        title="Cost of plans",
        description="What `gke-tpu cost --format json` writes. Money is in USD, as text; null is unknown.",
    )


def _by_period(usd: Usd | None, periods: "tuple[Period, ...]") -> dict[str, Usd] | None:
    return None if usd is None else {period.name: period.cost(usd) for period in periods}


def _plan(plan: "PlanCosts", periods: "tuple[Period, ...]") -> PlanCostRecord:
    return PlanCostRecord(
        plan=plan.name,
        project=plan.fleet.project,
        total=_by_period(plan.cost.total.usd, periods),
        at_least=plan.cost.total.at_least,
        groups=tuple(_group(group, plan.alternatives[group.group], periods) for group in plan.cost.groups),
    )


def _group(
    group: "GroupCost", alternatives: "tuple[Alternative, ...]", periods: "tuple[Period, ...]"
) -> GroupCostRecord:
    return GroupCostRecord(
        group=group.group,
        path=format_path(group.path),
        capacity=group.mode,
        usd=_by_period(group.whole_usd, periods),
        unknown_because=group.unknown,
        contract=group.contract is not None,
        at_on_demand_price=group.at_on_demand_price,
        low_confidence=group.doubtful,
        alternatives=tuple(_alternative(item, periods) for item in alternatives),
    )


def _alternative(item: "Alternative", periods: "tuple[Period, ...]") -> AlternativeRecord:
    amounts: dict[str, Decimal] | None = None
    if item.usd is not None:
        amounts = {period.name: period.cost(Usd(item.usd, item.usd)).maximum for period in periods}
    return AlternativeRecord(
        kind=item.kind,
        name=item.name,
        usd=amounts,
        confidence=item.confidence,
        gives_up=item.gives_up,
        group=item.candidate.group() if item.candidate is not None else None,
    )
