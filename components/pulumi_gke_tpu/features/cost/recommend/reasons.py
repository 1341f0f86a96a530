"""The reasons for a row of a recommendation."""

import datetime
from collections.abc import Iterable, Iterator
from decimal import Decimal

from pulumi_gke_tpu.core.catalog import Catalog, Confidence
from pulumi_gke_tpu.core.estimate import shown_usd
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.text.findings import Severity, duration_text, listed, number
from pulumi_gke_tpu.core.text.jsonfile.fields import Hidden, OptionalText
from pulumi_gke_tpu.features.cost.recommend.candidates import CALENDAR, CALENDAR_RESERVATION, Candidate
from pulumi_gke_tpu.features.cost.recommend.checked import Option
from pulumi_gke_tpu.features.cost.recommend.search import Recommendation, Row, compared_cost

_MOST_ZONES = 3
_WHOLE_DAY = len("2026-11-20")
_LISTED = " in zones that GKE lists"
_UNINTERRUPTED = ("without a time limit or preemption", "without preemption", "")
_CONFIDENCE: dict[Severity, Confidence] = {Severity.WARNING: "medium"}
"""A warning rests on a fact of less than high confidence, or on sources that disagree."""


@frozen
class Reason:
    """A statement about a row, and how sure it is. ``rule`` is the rule that makes it, if one does."""

    text: str
    confidence: Confidence = "high"
    rule: OptionalText = ""
    about: Hidden[str] = ""
    """What a statement that rows share is about, such as a capacity mode; empty for a statement about one row."""
    short: Hidden[str] = ""
    """What the row itself has of a shared statement."""
    detail: Hidden[bool] = False
    """Whether the text shows it only with --details."""


def reasons(row: Row, recommendation: Recommendation, catalog: Catalog) -> Iterator[Reason]:
    """The advantages and disadvantages of a row, and the facts behind its numbers."""
    strengths = list(_strengths(row, recommendation))
    if strengths:
        yield Reason(", ".join(strengths))
    yield from _of_advice(row, recommendation, catalog)
    yield from _ranked_before(row, recommendation)
    yield from _capacity(row.option.candidate, catalog)
    slices = row.option.candidate.slices
    if slices.count > 1 and recommendation.need.use == "training":
        yield Reason(f"{slices.count:,} slices exchange data over the data center network (Multislice)", detail=True)
    if row.variants:
        shapes = [f"{each.count:,} × {each.topology}" for each in row.variants]
        same = listed(shapes, "or", most=_MOST_ZONES)
        yield Reason(f"same hosts and chips: {same}", detail=True)
    yield from _price(row)
    for remark in row.option.remarks:
        yield Reason(remark.message, _CONFIDENCE.get(remark.severity, "high"), remark.rule)
    if row.places:
        shown = [place.zone for place in row.places]
        yield Reason(f"also in {listed(shown, most=_MOST_ZONES)}{_other_prices(row)}")


def _other_prices(row: Row) -> str:
    """What the slices cost in the other zones, if that is not the same."""
    costs = [place.usd for place in row.places]
    known = sorted(cost for cost in costs if cost is not None)
    if all(cost == row.option.usd for cost in costs):
        return ""
    if not known:
        return ", at an unknown price"
    least, most = shown_usd(known[0]), shown_usd(known[-1])
    unknown = ", or an unknown price" if len(known) < len(costs) else ""
    return f", at {least if least == most else f'{least} to {most}'} USD per hour{unknown}"


def _of_advice(row: Row, recommendation: Recommendation, catalog: Catalog) -> Iterator[Reason]:
    """Whether a row follows the advice of the planning page, and why the order differs from it."""
    advice, page = recommendation.advice, f"Google's planning page ({recommendation.advice.as_of})"
    if row.advice is not None:
        yield Reason(f"advised by {page}: {advice.text}", advice.confidence, about="advice", short=f"advised by {page}")
    place = next(index for index, each in enumerate(recommendation.rows) if each is row)
    place_of_advised, advised = next(
        ((index, each) for index, each in enumerate(recommendation.rows, 1) if each.advice is not None), (0, None)
    )
    if advised is None or advised is row:
        return
    if row.advice is None and place < place_of_advised:
        better = _better(row, advised)
        yield Reason(f"ranked before row {place_of_advised}, which {page} advises: {better}", detail=True)
    generation = row.option.candidate.generation
    first = next(each for each in recommendation.rows if each.option.candidate.generation == generation)
    if generation in advice.not_compared and row is first:
        compared = _compared(row, advised, catalog)
        mode = advised.option.candidate.mode
        other = f"row {place_of_advised}" if mode == row.option.candidate.mode else f"row {place_of_advised} ({mode})"
        yield Reason(
            f"{page} is older and does not compare {generation}{f': {compared} {other}' if compared else ''}",
            advice.confidence,
            detail=True,
        )


def _better(row: Row, advised: Row) -> str:
    """Why a row is ranked before another one."""
    mine, theirs = row.option, advised.option
    if mine.documented and not theirs.documented:
        return "GKE lists its zone"
    if theirs.usd is None or mine.usd is None:
        return "its price is known" if theirs.usd is None and mine.usd is not None else "it has fewer hosts or slices"
    if mine.usd < theirs.usd:
        doubt = mine.cost.doubtful or theirs.cost.doubtful
        return f"it costs less{', at a price of low confidence' if doubt else ''}"
    if mine.usd > theirs.usd:
        return "it costs little more, and has fewer slices"
    fewer = mine.candidate.slices.hosts < theirs.candidate.slices.hosts
    return f"the cost is the same, and it has fewer {'hosts' if fewer else 'slices or interruptions'}"


def _compared(row: Row, advised: Row, catalog: Catalog) -> str:
    """The compute and the cost of a row as multiples of those of another one."""

    def compute(each: Row) -> float:
        rate = catalog.generation(each.option.candidate.generation).chip.bf16_tflops
        return (rate or 0) * each.option.candidate.slices.chips

    parts = []
    if compute(row) and compute(advised):
        parts.append(f"{compute(row) / compute(advised):.1f} times the bf16 TFLOPS")
    if row.option.usd is not None and advised.option.usd:
        parts.append(f"{row.option.usd / advised.option.usd:.1f} times the cost")
    return f"it has {' at '.join(parts)} of" if parts else ""


def _strengths(row: Row, recommendation: Recommendation) -> Iterator[str]:
    """In what a row is best: among all rows, or else among those in zones that GKE lists."""
    option, rows = row.option, [each.option for each in recommendation.rows]
    listed_too = [each for each in rows if each.documented >= option.documented]
    if option.usd is not None and not option.cost.doubtful:
        for peers, where in ((rows, ""), (listed_too, _LISTED)):
            words = _lowest_cost(option, option.usd, peers)
            if words:
                yield f"{words}{where}"
                break
    hosts = option.candidate.slices.hosts
    if hosts == min(each.candidate.slices.hosts for each in rows):
        yield "fewest hosts"
    elif hosts == min(each.candidate.slices.hosts for each in listed_too):
        yield f"fewest hosts{_LISTED}"


def _lowest_cost(option: Option, usd: Decimal, peers: Iterable[Option]) -> str:
    """Whether no other option costs less, at least of those that are interrupted as little; empty if one does."""
    cheaper = [each for each in peers if each.usd is not None and each.usd < usd and not each.cost.doubtful]
    if not cheaper:
        return "lowest cost"
    steadier = all(each.interruption > option.interruption for each in cheaper)
    return f"lowest cost {_UNINTERRUPTED[option.interruption]}" if steadier else ""


def _ranked_before(row: Row, recommendation: Recommendation) -> Iterator[Reason]:
    """Why a row is ranked before a cheaper one."""
    need, mine = recommendation.need, compared_cost(row.option, recommendation.need)
    place = next(index for index, each in enumerate(recommendation.rows) if each is row)
    for index, other in enumerate(recommendation.rows[place + 1 :], place + 2):
        theirs = compared_cost(other.option, need)
        fewer = row.option.candidate.slices.count < other.option.candidate.slices.count
        if fewer and mine and theirs and theirs < mine and other.option.documented == row.option.documented:
            more = max((mine / theirs - 1) * 100, Decimal("0.1"))
            count = number(other.option.candidate.slices.count, "slice")
            mine_count = f"{row.option.candidate.slices.count:,}"
            yield Reason(f"{mine_count} instead of {count}, at a cost {more:.1f} % higher than that of row {index}")
            return


def _capacity(candidate: Candidate, catalog: Catalog) -> Iterator[Reason]:
    mode = candidate.capacity
    if candidate.calendar:
        facts = catalog.capacity.calendar
        yield Reason(
            f"you request the reservation for a fixed time of {facts.min_days} to {facts.max_days} days, and "
            f"cannot change or cancel the request; in the plan its name is {CALENDAR_RESERVATION}",
            facts.confidence,
            about=CALENDAR,
        )
    elif mode == "spot":
        yield Reason("Compute Engine can preempt the VMs at any time", about="spot")
    elif mode == "flex_start":
        limits = catalog.capacity.flex_start
        limit = duration_text(datetime.timedelta(seconds=limits.max_run_seconds))
        yield Reason(
            f"GKE creates the nodes when capacity is available; they run for at most {limit}",
            limits.confidence,
            about="flex-start",
        )
    elif mode == "queued":
        yield Reason(
            "GKE creates the nodes for a ProvisioningRequest, which sets how long they run, when capacity is available",
            about="queued",
        )


def _price(row: Row) -> Iterator[Reason]:
    cost = row.option.cost
    if cost.contract is not None:
        yield Reason("price of the contract in the inventory", detail=True)
    elif cost.price is not None:
        kind = "on-demand price" if cost.at_on_demand_price else "price"
        note = cost.price.note.rstrip(".") if len(cost.price.as_of) < _WHOLE_DAY else ""
        captured = f": {note[0].lower()}{note[1:]}" if note else ""
        yield Reason(f"{kind} of {cost.price.as_of}{captured}", cost.price.confidence_in("usd"), detail=True)
        if cost.at_on_demand_price:
            what = "queued capacity" if cost.mode == "queued" else "the reservation"
            yield Reason(f"the price of {what} is unknown")
    if row.option.usd is None:
        yield Reason(cost.unknown or cost.premium_unknown)
