"""The rows of a recommendation as an output shows them, with the reasons for them and for what is left out."""

import datetime
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from typing import get_args

from pulumi_gke_tpu.core.catalog import Catalog, Confidence, Topology, naming
from pulumi_gke_tpu.core.catalog.records.capacity import CapacityMode
from pulumi_gke_tpu.core.catalog.records.generation import Generation
from pulumi_gke_tpu.core.catalog.topologies import custom_shapes, custom_topologies, selectable_rows
from pulumi_gke_tpu.core.estimate import shown_usd
from pulumi_gke_tpu.core.estimate.holdings import Subtracted
from pulumi_gke_tpu.core.estimate.prices import MODES
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.text.findings import Severity, duration_text, listed, number, printable
from pulumi_gke_tpu.core.text.formats.names import is_region, is_zone, region_of
from pulumi_gke_tpu.core.text.jsonfile.fields import Hidden, OptionalText
from pulumi_gke_tpu.features.cost.recommend.answers import CapacityAnswer, notes_of, reasons_of
from pulumi_gke_tpu.features.cost.recommend.candidates import (
    CALENDAR,
    CALENDAR_RESERVATION,
    DEFAULT_MODES,
    MOST_SLICES,
    Candidate,
    CandidateExclusion,
    Need,
    Obstacle,
    mode_text,
    slices_for,
    zones_of,
)
from pulumi_gke_tpu.features.cost.recommend.search import Option, Recommendation, Row, compared_cost, run_cost

_CALENDAR_WORDS = ("calendar", "calendar_mode")
_OBSTACLES = get_args(Obstacle)
"""In the order of their reasons: first what a user has, and could use at another time or enlarge."""


@frozen
class LeftOut:
    """A generation without a row."""

    generation: str
    reason: str
    main: Hidden[str] = ""
    """The reason without an example."""


@frozen
class ModeLeftOut:
    """A capacity mode without a row."""

    capacity: str
    """Such as "flex-start" or "calendar mode"."""
    reason: str


def left_out(recommendation: Recommendation, catalog: Catalog) -> Iterator[LeftOut]:
    """Every generation without a row, with its first reason, in capacity modes that suit the need."""
    offered = {row.option.candidate.generation for row in recommendation.rows}
    for name in catalog.generation_names:
        if name not in offered:
            found = [item for item in recommendation.exclusions if item.generation == name]
            suitable = [item for item in found if not item.unsuitable]
            yield LeftOut(name, _summaries(suitable or found)[0], _grouped(suitable or found)[0][0].text)


def modes_left_out(recommendation: Recommendation) -> Iterator[ModeLeftOut]:
    """Every capacity mode that the search tried and that has no row, with its first reason."""
    offered = {row.option.candidate.mode for row in recommendation.rows}
    tried: dict[str, list[CandidateExclusion]] = {}
    for item in recommendation.exclusions:
        if item.slices is not None and item.mode not in offered:
            tried.setdefault(item.mode, []).append(item)
    for mode, found in tried.items():
        yield ModeLeftOut(mode, _grouped(found)[0][0].text)


def why_not(word: str, recommendation: Recommendation, catalog: Catalog) -> tuple[str, ...] | None:
    """Why a generation, topology, machine type, zone, region or capacity mode is left out, or which rows have it.

    None if the word is none of these. A zone or region is left out if no row has a zone there.
    """
    generation = naming.generation_called(catalog, word) or naming.announced_called(catalog, word)
    numbered = list(enumerate(recommendation.rows, 1))
    if generation is not None:
        rows = [index for index, row in numbered if row.option.candidate.generation == generation]
        return _answer(generation, rows, [item for item in recommendation.exclusions if item.generation == generation])
    if is_zone(word) or is_region(word):
        return _place_answer(word, recommendation, catalog)
    name = word.lower().replace("-", "_").replace(" ", "_")
    mode: CapacityMode | None = (
        "reservation" if name in _CALENDAR_WORDS else next((m for m in MODES if m == name), None)
    )
    if mode is None:
        return _shape_answer(word, recommendation, catalog)
    return _mode_answer(mode, recommendation, catalog, calendar=name in _CALENDAR_WORDS)


def _mode_answer(
    mode: CapacityMode, recommendation: Recommendation, catalog: Catalog, *, calendar: bool
) -> tuple[str, ...]:
    shown, asked = CALENDAR if calendar else mode_text(mode), recommendation.need.capacities
    if calendar and recommendation.need.run is None:
        return (f"{CALENDAR}: a reservation lasts for a fixed time: name it with --run",)
    numbered = enumerate(recommendation.rows, 1)
    options = [(index, row.option.candidate) for index, row in numbered]
    rows = [index for index, item in options if (item.capacity, item.calendar) == (mode, calendar)]
    wanted = asked or DEFAULT_MODES
    if mode not in wanted:
        return (f"{shown}: you asked for {listed([mode_text(each) for each in wanted], 'or')}",)
    found = [
        item
        for item in recommendation.exclusions
        if item.generation in catalog.generation_names
        and (item.capacity is None or (item.capacity, item.calendar) == (mode, calendar))
    ]
    return _answer(shown, rows, found)


def _place_answer(word: str, recommendation: Recommendation, catalog: Catalog) -> tuple[str, ...]:
    def here(zone: str) -> bool:
        return zone == word or (is_region(word) and region_of(zone) == word)

    rows = [
        index
        for index, row in enumerate(recommendation.rows, 1)
        if here(row.option.candidate.zone) or any(here(place.zone) for place in row.places)
    ]
    present = {
        name
        for name in catalog.generation_names
        for family in catalog.generation(name).families
        if any(map(here, zones_of(catalog, family)))
    }
    if not present:
        return (f"{word}: no source lists TPUs there",)
    found = [
        item for item in recommendation.exclusions if item.generation in present and (here(item.zone) or not item.zone)
    ]
    return _answer(word, rows, found)


def _answer(name: str, rows: list[int], found: Iterable[CandidateExclusion]) -> tuple[str, ...]:
    offered = (f"{name}: offered in {'row' if len(rows) == 1 else 'rows'} {listed(list(map(str, rows)), most=8)}",)
    summaries = tuple(f"{name}: {text}" for text in _summaries(found))
    return (offered if rows else ()) + summaries


def _summaries(found: Iterable[CandidateExclusion]) -> list[str]:
    """The distinct reasons with the number of candidates and an example."""
    return [_summary(items) for items in _grouped(found)]


def _grouped(found: Iterable[CandidateExclusion]) -> list[list[CandidateExclusion]]:
    """The candidates by reason.

    Those about a reservation of the inventory come first, then the most frequent.
    """
    groups: dict[tuple[str, str], list[CandidateExclusion]] = {}
    counted: Counter[tuple[str, str]] = Counter()
    for item in found:
        groups.setdefault((item.rule, item.reason), []).append(item)
        counted[item.rule, item.reason] += 1
    obstacles = {key: min(_OBSTACLES.index(item.obstacle) for item in items) for key, items in groups.items()}
    ordered = sorted(groups, key=lambda key: (obstacles[key], -counted[key], key))
    return [groups[key] for key in ordered]


def _summary(items: list[CandidateExclusion]) -> str:
    first = items[0]
    where = ", ".join(part for part in (first.zone, first.what) if part)
    if not where:
        return first.text
    more = f" and {number(len(items) - 1, 'other candidate')}" if len(items) > 1 else ""
    return f"{first.text} ({where}{more})"


def _shape_answer(word: str, recommendation: Recommendation, catalog: Catalog) -> tuple[str, ...] | None:
    """The answer for a topology or a machine type, of any generation that has it; None if no generation does."""
    name = word.lower()
    lines: list[str] = []
    for generation_name in catalog.generation_names:
        generation = catalog.generation(generation_name)
        topologies = {row.topology for row in generation.topologies.rows if name in (row.topology, row.machine_type)}
        if not topologies and name not in generation.machine_types and not _is_custom(name, generation):
            continue
        shown = f"{generation_name} {name}"

        def has(topology: str, machine_type: str) -> bool:
            return name in (topology, machine_type)

        rows = [
            index
            for index, row in enumerate(recommendation.rows, 1)
            if row.option.candidate.generation == generation_name
            and any(has(item.topology, item.machine_type) for item in (row.option.candidate.slices, *row.variants))
        ]
        found = [
            item
            for item in recommendation.exclusions
            if item.generation == generation_name
            and (item.slices is None or has(item.slices.topology, item.slices.machine_type))
        ]
        lines += _answer(shown, rows, found)
        if not rows and not any(item.slices is not None for item in found):
            chips = recommendation.need.chips_of(generation.chip)
            unfit = _unfit(name, generation, recommendation.need, chips) if chips is not None else ""
            lines += [f"{shown}: {unfit}"] if unfit else []
    return tuple(dict.fromkeys(lines)) or None


def _is_custom(name: str, generation: Generation) -> bool:
    custom = generation.custom_topologies
    try:
        topology = Topology.parse(name)
    except ValueError:
        return False
    return custom is not None and topology in set(custom_shapes(custom, topology.chips))


def _unfit(name: str, generation: Generation, need: Need, chips: int) -> str:
    """Why the search does not try a topology or a machine type; empty if it does."""
    rows = [row for row in selectable_rows(generation, need.mode) if name in (row.topology, row.machine_type)]
    custom = custom_topologies(generation, need.mode)
    mode = "Standard" if need.mode == "standard" else "Autopilot"
    if not rows and not (custom is not None and _is_custom(name, generation)):
        return f"it is not documented for {mode}"
    tried = list(slices_for(generation, need, chips))
    if not tried or any(name in (each.topology, each.machine_type) for each in tried):
        return ""  # without any slices, the generation itself has a reason
    enough = min((each.chips_per_slice for each in tried if each.count == 1), default=0)
    sizes = [Topology.parse(row.topology).chips for row in rows] or [Topology.parse(name).chips]
    if enough and min(sizes) > enough:
        return f"a slice of {number(enough, 'chip')} is enough for the need of {chips:,}"
    if all(-(-chips // size) > MOST_SLICES for size in sizes):
        return f"the need of {number(chips, 'chip')} exceeds {MOST_SLICES:,} slices"
    if not rows:
        return "another topology has the same number of chips, or fewer in as many slices"
    limit = "requires slices of several hosts" if generation.multislice else "this generation does not support"
    return f"several slices of one training job use Multislice, which {limit}"


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
        named = {*row.option.rules}
        more = [(place.zone, [rule for rule in place.rules if rule not in named]) for place in row.places]
        shown = [
            f"{zone} ({', '.join(rules)})" if rules else zone
            for zone, rules in sorted(more, key=lambda each: bool(each[1]))
        ]
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
        if cost.price.conflict:
            model = cost.price.model.replace("_", "-")
            yield Reason(
                f"{cost.price.usd} USD per chip and hour; {cost.price.disagreement}",
                cost.price.confidence_in("usd"),
                about=f"{cost.price.family} {cost.price.region} {model}",
            )
        if cost.at_on_demand_price:
            what = "queued capacity" if cost.mode == "queued" else "the reservation"
            yield Reason(f"the price of {what} is unknown")
    if row.option.usd is None:
        yield Reason(cost.unknown or cost.premium_unknown)


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
    recommendation: Recommendation,
    catalog: Catalog,
    limit: int,
    subtracted: tuple[Subtracted, ...] | None = None,
    *,
    answers: Sequence[CapacityAnswer] = (),
    today: datetime.date | None = None,
    budgets: Sequence[str] = (),
) -> Shown:
    """The first rows; those that follow Google's advice and of newer generations also have their first row shown."""
    numbered = list(enumerate(recommendation.rows, 1))
    also = {next((index for index, row in numbered if row.advice is not None), 0)}
    for name in recommendation.advice.not_compared:
        also.add(next((index for index, row in numbered if row.option.candidate.generation == name), 0))
    chosen = [(index, row) for index, row in numbered if index <= limit or index in also]
    about_answers = notes_of(recommendation.need, answers, today) if today is not None else ()
    return Shown(
        need=recommendation.need,
        catalog_version=catalog.about.version,
        rows=tuple(_row(index, row, recommendation, catalog, answers) for index, row in chosen),
        total=len(recommendation.rows),
        left_out=tuple(left_out(recommendation, catalog)),
        modes_left_out=tuple(modes_left_out(recommendation)),
        over_budget=_over_budget(recommendation),
        notes=(*_notes(recommendation, chosen, subtracted), *budgets, *about_answers),
        subtracted=subtracted,
    )


def _over_budget(recommendation: Recommendation) -> OverBudget | None:
    option = recommendation.over_budget
    if option is None or recommendation.rows:
        return None
    return OverBudget(option, run_cost(option, recommendation.need))


def _row(
    index: int, row: Row, recommendation: Recommendation, catalog: Catalog, answers: Sequence[CapacityAnswer]
) -> ShownRow:
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
        reasons=(*reasons(row, recommendation, catalog), *map(Reason, reasons_of(row, need, answers))),
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
        f"{number(item.amount, item.unit)} of {item.kind} {printable(item.name)} "
        f"of {printable(item.project)} in {printable(item.location)}"
        for item in items
    ]
    return f"Subtracted for your plans at their largest size: {listed(texts, '', most=_MOST_SUBTRACTED) or 'nothing'}."
