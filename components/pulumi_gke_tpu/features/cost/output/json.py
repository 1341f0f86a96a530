"""Costs of plans and their alternatives as JSON for programs. Money is in USD, unrounded, as text; None is unknown."""

from typing import Annotated, Any, Literal, cast

from pydantic import PlainSerializer, SerializationInfo

from pulumi_gke_tpu.core.estimate import Usd
from pulumi_gke_tpu.core.estimate.headroom import UnusedReservation
from pulumi_gke_tpu.core.estimate.sums import SharedReservationJson
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.text.jsonfile.fields import Count, OptionalText
from pulumi_gke_tpu.core.text.jsonfile.form import schema_of, to_data
from pulumi_gke_tpu.core.text.jsonfile.keys import Key, Keys
from pulumi_gke_tpu.features.cost.recommend.alternatives import Alternative, AlternativeNotOffered
from pulumi_gke_tpu.features.cost.recommend.costs import (
    CostPeriod,
    Costs,
    GroupCosts,
    PlanCosts,
    RunAlternative,
    RunCost,
)


def _by_period(usd: Usd | None, info: SerializationInfo) -> dict[str, Usd] | None:
    periods = cast("tuple[CostPeriod, ...]", info.context)
    return None if usd is None else {period.name: period.cost(usd) for period in periods}


ByPeriod = Annotated[Usd | None, PlainSerializer(_by_period, return_type=dict[str, Usd] | None)]
"""USD per hour, written as the cost of each period of the document."""

AlternativeJson = Annotated[
    Alternative,
    Keys(
        "Alternative",
        "kind",
        "name",
        Key("usd", form=ByPeriod, text="By period, with the known premium of Autopilot."),
        "at_least",
        "confidence",
        "gives_up",
        Key("longest_seconds", "longest"),
        "group",
    ),
]
NotOfferedJson = Annotated[
    AlternativeNotOffered,
    Keys(
        "NotOffered",
        "kind",
        "name",
        Key("because", "exclusion.reason"),
        Key("rule", "exclusion.rule", OptionalText, "The rule that rejects it; null if none does."),
        Key("confidence", "exclusion.confidence", text="Of the reason."),
    ),
]
GroupJson = Annotated[
    GroupCosts,
    Keys(
        "GroupCost",
        Key("group", "cost.group"),
        Key("path", "cost.path"),
        Key("capacity", "cost.mode", text="The mode that has the price; of several modes, the most expensive one."),
        Key("capacities", "cost.modes"),
        Key("usd", "cost.whole_usd", ByPeriod, "By period, with the known premium of Autopilot."),
        Key("at_least", "cost.whole_at_least", text="Whether a part of the cost is unknown."),
        Key("slices", "cost.slices", text="The number of slices or cubes."),
        Key("dynamic", "cost.dynamic", text="Whether `slices` are cubes, of which GKE forms slices."),
        Key(
            "unknown_because",
            "cost.unknown_parts",
            OptionalText,
            "Why the cost or a part of it is unknown; null otherwise.",
        ),
        Key("contract", "cost.at_contract_price"),
        Key("at_on_demand_price", "cost.at_on_demand_price"),
        Key("low_confidence", "cost.doubtful", text="Whether no sum includes the amount."),
        Key("alternatives", form=tuple[AlternativeJson, ...]),
        Key(
            "not_offered",
            "absent",
            tuple[NotOfferedJson, ...],
            "Capacity modes, reservations and commitments that are not alternatives, and the zones of `--why-not`.",
        ),
        text="The cost of a slice group.",
    ),
]
RunAlternativeJson = Annotated[
    RunAlternative,
    Keys(
        "RunAlternative",
        Key("kind", "alternative.kind"),
        Key("name", "alternative.name"),
        "usd",
        Key(
            "too_short_because",
            "too_short",
            OptionalText,
            "Why the capacity does not last as long as the run; null if it does.",
        ),
    ),
]
RunJson = Annotated[
    RunCost,
    Keys(
        "RunCost",
        "run",
        "path",
        "group",
        Key("slices", form=Count),
        Key("start", "span.start"),
        Key("duration_seconds", "span.length"),
        Key("capacity", "rate.mode", text="The capacity mode."),
        "usd",
        "at_least",
        Key("low_confidence", "rate.doubtful", text="Whether no sum includes the amount."),
        Key("nodes_end_after_seconds", "ends_after"),
        Key("alternatives", form=tuple[RunAlternativeJson, ...]),
        text="The cost of a planned run: its slices, for its length.",
    ),
]
PlanJson = Annotated[
    PlanCosts,
    Keys(
        "PlanCost",
        Key("plan", "name"),
        Key("project", "fleet.project"),
        Key("total", "cost.total.usd", ByPeriod, "By period."),
        Key("at_least", "cost.total.at_least"),
        Key("groups", form=tuple[GroupJson, ...]),
        Key("runs", "runs.runs", tuple[RunJson, ...]),
        Key(
            "runs_total",
            "runs.total",
            text="Of all runs, whose slices are also in `total`; slices that runs share are counted once.",
        ),
        Key("runs_at_least", "runs.at_least", text="Whether `runs_total` is only a part of the cost."),
        text="The cost of a plan.",
    ),
]
UnusedJson = Annotated[
    UnusedReservation,
    Keys(
        "UnusedReservation",
        Key("reservation", "entry.name"),
        Key("project", "entry.project"),
        Key("zone", "entry.zone"),
        Key(
            "machine_type",
            "entry.machine_type",
            text="null if the reservation counts chips of any machine type of the family.",
        ),
        Key("family", "entry.machine_family"),
        "vms",
        "chips",
        Key("usd", form=ByPeriod, text="By period."),
        Key("contract", "at_contract_price"),
        "at_on_demand_price",
        Key("low_confidence", "doubtful"),
        Key("unknown_because", "unknown", OptionalText, "Why `usd` is null; null otherwise."),
        text="What neither the plans nor others use of a reservation. No other amount includes it.",
    ),
]


@frozen
class CostDocument:
    """What ``gke-tpu cost --format json`` writes."""

    format: Literal[1]
    """The version of this format. A new key keeps it; removing or changing a key raises it."""
    catalog: str
    """Version of the catalog: a date."""
    periods: tuple[CostPeriod, ...]
    total: ByPeriod
    """Of all plans, by period."""
    at_least: bool
    unknown: tuple[str, ...]
    """Why amounts are missing in sums."""
    plans: tuple[PlanJson, ...]
    unused_reservations: tuple[UnusedJson, ...]
    """The unused VMs of the reservations of the inventory; in no total."""
    shared_reservations: tuple[SharedReservationJson, ...]


def cost_json(costs: Costs) -> dict[str, Any]:
    """Costs as data for ``json.dumps``."""
    return to_data(
        CostDocument(
            format=1,
            catalog=costs.catalog_version,
            periods=costs.periods,
            total=costs.total,
            at_least=costs.at_least,
            unknown=costs.unknown,
            plans=costs.plans,
            unused_reservations=costs.unused,
            shared_reservations=costs.shared,
        ),
        context=costs.periods,
    )


def cost_schema() -> dict[str, Any]:
    """The JSON Schema of :func:`cost_json`."""
    return schema_of(
        CostDocument,
        title="Cost of plans",
        description="What `gke-tpu cost --format json` writes. Money is in USD, as text; null is unknown.",
    )
