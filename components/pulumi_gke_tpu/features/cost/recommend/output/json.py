"""Recommended slices as JSON for programs. Money is in USD, unrounded, as text; None is unknown."""

from typing import Annotated, Any, Literal

from pulumi_gke_tpu.core.estimate.holdings import Subtracted
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.text.jsonfile.fields import Count
from pulumi_gke_tpu.core.text.jsonfile.form import schema_of, to_data
from pulumi_gke_tpu.core.text.jsonfile.keys import Key, Keys
from pulumi_gke_tpu.features.cost.recommend.candidates import Need
from pulumi_gke_tpu.features.cost.recommend.why_not import LeftOut, ModeLeftOut, OverBudget, Shown, ShownRow

NeedJson = Annotated[
    Need,
    Keys(
        "Need",
        Key("chips", form=Count | None),
        Key("hbm_gib", form=Count | None),
        Key("tflops", form=Count | None),
        "precision",
        "use",
        "mode",
        "near",
        "zones",
        "generations",
        "capacities",
        "interruptible",
        Key("run_seconds", "run"),
        "by",
        Key("budget_usd", "budget.usd"),
        Key("budget_per", "budget.per"),
        Key("gke_version", "version"),
        text="What was asked.",
    ),
]
RowJson = Annotated[
    ShownRow,
    Keys(
        "Row",
        Key("number", form=Count),
        Key("generation", "row.option.candidate.generation"),
        Key("slices", "row.option.candidate.slices"),
        Key("variants", "row.variants", text="Other slices with the same hosts and chips."),
        Key("zone", "row.option.candidate.zone"),
        Key("other_zones", "row.places"),
        Key("capacity", "row.option.candidate.capacity"),
        Key("calendar", "row.option.candidate.calendar"),
        Key("reservation", "row.option.candidate.reservation.name"),
        Key("hosts", "row.option.candidate.slices.hosts", Count),
        Key("chips", "row.option.candidate.slices.chips", Count),
        Key("hbm_gib", form=Count | None),
        Key(
            "bf16_tflops",
            "tflops",
            Count | None,
        ),
        Key("int8_tops", form=Count | None),
        Key("usd_per_hour", "row.option.usd"),
        "usd_per_run",
        Key(
            "efficient",
            "row.efficient",
            text="No other row is better in cost, chips, interruptions or hosts without being worse in another.",
        ),
        Key("follows_advice", "row.follows_advice"),
        "reasons",
        Key("group", "row.option.candidate.group"),
        text="Slices that meet the need.",
    ),
]


OverBudgetJson = Annotated[
    OverBudget,
    Keys(
        "OverBudget",
        Key("generation", "option.candidate.generation"),
        Key("slices", "option.candidate.slices"),
        Key("zone", "option.candidate.zone"),
        Key("capacity", "option.candidate.capacity"),
        Key("calendar", "option.candidate.calendar"),
        Key("reservation", "option.candidate.reservation.name"),
        Key("usd_per_hour", "option.usd"),
        "usd_per_run",
        Key("group", "option.candidate.group"),
    ),
]


@frozen
class RecommendationDocument:
    """What ``gke-tpu recommend --format json`` writes."""

    format: Literal[1]
    """The version of this format. A new key keeps it; removing or changing a key raises it."""
    catalog: str
    """Version of the catalog: a date."""
    need: NeedJson
    rows: tuple[RowJson, ...]
    total: Count
    """The number of all rows; --limit limits those that are written."""
    left_out: tuple[LeftOut, ...]
    capacity_left_out: tuple[ModeLeftOut, ...]
    """The capacity modes without a row."""
    over_budget: OverBudgetJson | None
    """The cheapest option that exceeds the budget, if there are no rows."""
    notes: tuple[str, ...]
    subtracted: tuple[Subtracted, ...]
    """What the plans of ``--with`` use of the inventory. Without this option, there is no such key."""


def recommendation_json(shown: Shown) -> dict[str, Any]:
    """A recommendation as data for ``json.dumps``."""
    data = to_data(
        RecommendationDocument(
            format=1,
            catalog=shown.catalog_version,
            need=shown.need,
            rows=shown.rows,
            total=shown.total,
            left_out=shown.left_out,
            capacity_left_out=shown.modes_left_out,
            over_budget=shown.over_budget,
            notes=shown.notes,
            subtracted=shown.subtracted or (),
        )
    )
    if shown.subtracted is None:
        del data["subtracted"]
    return data


def recommendation_schema() -> dict[str, Any]:
    """The JSON Schema of :func:`recommendation_json`."""
    return schema_of(
        RecommendationDocument,
        title="Recommended slices",
        description="What `gke-tpu recommend --format json` writes. Money is in USD, as text; null is unknown.",
        optional=("subtracted",),
    )
