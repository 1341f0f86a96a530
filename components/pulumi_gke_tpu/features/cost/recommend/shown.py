"""The part of a recommendation that an output shows, with every figure computed."""

from collections.abc import Sequence
from decimal import Decimal

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.estimate.holdings.remaining import Subtracted
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.text.findings import listed, number, printable
from pulumi_gke_tpu.features.cost.recommend.checked import Option
from pulumi_gke_tpu.features.cost.recommend.need import Need
from pulumi_gke_tpu.features.cost.recommend.reasons import Reason, reasons
from pulumi_gke_tpu.features.cost.recommend.search import Recommendation, Row, run_cost
from pulumi_gke_tpu.features.cost.recommend.why_not import LeftOut, ModeLeftOut, left_out, modes_left_out

_MOST_SUBTRACTED = 8
NOT_ADVISED = "Row 1 does not follow"
"""How the note begins that the text shows only with --details."""


@frozen
class ShownRow:
    """A row with its figures and reasons."""

    number: int
    row: Row
    hbm_gib: int | None
    tflops: int | None
    """In bf16."""
    int8_tops: int | None
    has_run: bool
    usd_per_run: Decimal | None
    reasons: tuple[Reason, ...]


@frozen
class OverBudget:
    """The cheapest option that exceeds the budget, if no row meets the need."""

    option: Option
    usd_per_run: Decimal | None


@frozen
class Shown:
    """The first rows of a recommendation, the generations without a row, and notes."""

    need: Need
    catalog_version: str
    rows: tuple[ShownRow, ...]
    total: int
    """The number of all rows."""
    left_out: tuple[LeftOut, ...]
    notes: tuple[str, ...]
    modes_left_out: tuple[ModeLeftOut, ...] = ()
    over_budget: OverBudget | None = None
    """The cheapest option that exceeds the budget, if no row meets the need."""
    subtracted: tuple[Subtracted, ...] | None = None
    """What plans use of the inventory; None if no plans were given."""


def shown(
    recommendation: Recommendation, catalog: Catalog, limit: int, subtracted: tuple[Subtracted, ...] | None = None
) -> Shown:
    """The first rows; those that follow Google's advice and of newer generations also have their first row shown."""
    numbered = list(enumerate(recommendation.rows, 1))
    also = {next((index for index, row in numbered if row.advice is not None), 0)}
    for name in recommendation.advice.not_compared:
        also.add(next((index for index, row in numbered if row.option.candidate.generation == name), 0))
    chosen = [(index, row) for index, row in numbered if index <= limit or index in also]
    return Shown(
        need=recommendation.need,
        catalog_version=catalog.about.version,
        rows=tuple(_row(index, row, recommendation, catalog) for index, row in chosen),
        total=len(recommendation.rows),
        left_out=tuple(left_out(recommendation, catalog)),
        modes_left_out=tuple(modes_left_out(recommendation)),
        over_budget=_over_budget(recommendation),
        notes=tuple(_notes(recommendation, chosen, subtracted)),
        subtracted=subtracted,
    )


def _over_budget(recommendation: Recommendation) -> OverBudget | None:
    option = recommendation.over_budget
    if option is None or recommendation.rows:
        return None
    return OverBudget(option, run_cost(option, recommendation.need))


def _row(index: int, row: Row, recommendation: Recommendation, catalog: Catalog) -> ShownRow:
    need, candidate = recommendation.need, row.option.candidate
    chip, chips = catalog.generation(candidate.generation).chip, candidate.slices.chips
    return ShownRow(
        number=index,
        row=row,
        hbm_gib=None if chip.hbm_gib is None else int(chip.hbm_gib * chips),
        tflops=None if chip.bf16_tflops is None else int(chip.bf16_tflops * chips),
        int8_tops=None if chip.int8_tops is None else int(chip.int8_tops * chips),
        has_run=need.run is not None,
        usd_per_run=run_cost(row.option, need),
        reasons=tuple(reasons(row, recommendation, catalog)),
    )


def _notes(
    recommendation: Recommendation, chosen: Sequence[tuple[int, Row]], subtracted: tuple[Subtracted, ...] | None
) -> list[str]:
    if not recommendation.rows:
        return [] if subtracted is None else [_subtracted(subtracted)]
    notes = ["* no other row is better in cost, chips, interruptions or hosts without being worse in another"]
    if any(row.option.cost.doubtful for _, row in chosen):
        notes.append("? marks a price of low confidence")
    best, advice = recommendation.rows[0], recommendation.advice
    if best.advice is None:
        notes.append(
            f"{NOT_ADVISED} Google's planning page ({advice.as_of}, confidence {advice.confidence}), which "
            f"advises: {advice.text}. {advice.note}"
        )
    if subtracted is not None:
        notes.append(_subtracted(subtracted))
    elif any(row.option.candidate.reservation for _, row in chosen):
        notes.append("The use of reservations and quotas by your plans is not subtracted: `--with PLAN` subtracts it.")
    notes.append(
        "The order does not depend on free capacity, which only Google knows: a documented zone can have none."
    )
    return notes


def _subtracted(items: tuple[Subtracted, ...]) -> str:
    """What the plans use, with all of it named."""
    texts = [
        f"{number(item.amount, 'VM' if item.kind == 'reservation' else 'chip')} of {item.kind} {printable(item.name)} "
        f"of {printable(item.project)} in {printable(item.location)}"
        for item in items
    ]
    return f"Subtracted for your plans at their largest size: {listed(texts, '', most=_MOST_SUBTRACTED) or 'nothing'}."
