"""Recommended slices as JSON for programs. Money is in USD, unrounded, as text; None is unknown."""

import datetime
from typing import TYPE_CHECKING, Any, Literal

from pulumi_gke_tpu.core.catalog.records.capacity import CapacityMode
from pulumi_gke_tpu.core.catalog.records.facts import Mode
from pulumi_gke_tpu.core.estimate.holdings.remaining import Subtracted
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.text.jsonfile.fields import Amount, Count
from pulumi_gke_tpu.core.text.jsonfile.form import schema_of, to_data
from pulumi_gke_tpu.features.cost.recommend.reasons import Reason
from pulumi_gke_tpu.features.cost.recommend.search import ZonePrice
from pulumi_gke_tpu.features.cost.recommend.shapes import Slices
from pulumi_gke_tpu.features.cost.recommend.why_not import LeftOut

if TYPE_CHECKING:
    from pulumi_gke_tpu.features.cost.recommend.need import Need
    from pulumi_gke_tpu.features.cost.recommend.shown import Shown, ShownRow


@frozen
class NeedRecord:
    """What was asked."""

    chips: Count | None
    hbm_gib: Count | None
    tflops: Count | None
    precision: Literal["bf16", "int8"]
    use: Literal["training", "serving"]
    mode: Mode
    near: str | None
    zones: tuple[str, ...]
    generations: tuple[str, ...]
    capacities: tuple[CapacityMode, ...]
    interruptible: bool
    run_seconds: Count | None
    by: str | None
    budget_usd: Amount | None
    budget_per: Literal["hour", "run"] | None
    gke_version: str | None


@frozen
class RowRecord:
    """Slices that meet the need."""

    number: Count
    generation: str
    slices: Slices
    variants: tuple[Slices, ...]
    """Other slices with the same hosts and chips."""
    zone: str
    other_zones: tuple[ZonePrice, ...]
    capacity: CapacityMode
    reservation: str | None
    hosts: Count
    chips: Count
    hbm_gib: Count | None
    bf16_tflops: Count | None
    int8_tops: Count | None
    usd_per_hour: Amount | None
    usd_per_run: Amount | None
    efficient: bool
    """No other row is better in cost, chips, interruptions or hosts without being worse in another."""
    follows_advice: bool
    """Whether Google's planning page advises it."""
    reasons: tuple[Reason, ...]
    group: dict[str, Any]
    """The slice group of a plan."""


@frozen
class RecommendationDocument:
    """What ``gke-tpu recommend --format json`` writes."""

    format: Literal[1]
    """The version of this format. A new key keeps it; removing or changing a key raises it."""
    catalog: str
    """Version of the catalog: a date."""
    need: NeedRecord
    rows: tuple[RowRecord, ...]
    total: Count
    """The number of all rows; --limit limits those that are written."""
    left_out: tuple[LeftOut, ...]
    notes: tuple[str, ...]
    subtracted: tuple[Subtracted, ...]
    """What the plans of ``--with`` use of the inventory. Without this option, there is no such key."""


def recommendation_json(shown: "Shown") -> dict[str, Any]:
    """A recommendation as data for ``json.dumps``."""
    data = to_data(
        RecommendationDocument(
            format=1,
            catalog=shown.catalog_version,
            need=_need(shown.need),
            rows=tuple(map(_row, shown.rows)),
            total=shown.total,
            left_out=shown.left_out,
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


def _need(need: "Need") -> NeedRecord:
    return NeedRecord(
        chips=need.chips,
        hbm_gib=need.hbm_gib,
        tflops=need.tflops,
        precision=need.precision,
        use=need.use,
        mode=need.mode,
        near=need.near,
        zones=need.zones,
        generations=need.generations,
        capacities=need.capacities,
        interruptible=need.interruptible,
        run_seconds=None if need.run is None else need.run // datetime.timedelta(seconds=1),
        by=str(need.by) if need.by else None,
        budget_usd=need.budget.usd if need.budget else None,
        budget_per=need.budget.per if need.budget else None,
        gke_version=need.version,
    )


def _row(row: "ShownRow") -> RowRecord:
    option = row.row.option
    candidate = option.candidate
    return RowRecord(
        number=row.number,
        generation=candidate.generation,
        slices=candidate.slices,
        variants=row.row.variants,
        zone=candidate.zone,
        other_zones=row.row.places,
        capacity=candidate.capacity,
        reservation=candidate.reservation.name if candidate.reservation else None,
        hosts=candidate.slices.hosts,
        chips=candidate.slices.chips,
        hbm_gib=row.hbm_gib,
        bf16_tflops=row.tflops,
        int8_tops=row.int8_tops,
        usd_per_hour=option.usd,
        usd_per_run=row.usd_per_run,
        efficient=row.row.efficient,
        follows_advice=row.row.advice is not None,
        reasons=row.reasons,
        group=candidate.group(),
    )
