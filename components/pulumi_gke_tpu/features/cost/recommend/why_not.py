"""Why a recommendation leaves something out."""

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import get_args

from pulumi_gke_tpu.core.catalog import Catalog, Topology, naming
from pulumi_gke_tpu.core.catalog.records.capacity import CapacityMode
from pulumi_gke_tpu.core.catalog.records.generation import Generation
from pulumi_gke_tpu.core.catalog.topologies import custom_shapes, custom_topologies, selectable_rows
from pulumi_gke_tpu.core.estimate.prices import MODES
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.text.findings import listed, number
from pulumi_gke_tpu.core.text.formats.location import is_region, is_zone, region_of
from pulumi_gke_tpu.core.text.jsonfile.fields import Hidden
from pulumi_gke_tpu.features.cost.recommend.candidates import (
    CALENDAR,
    DEFAULT_MODES,
    CandidateExclusion,
    Obstacle,
    mode_text,
    zones_of,
)
from pulumi_gke_tpu.features.cost.recommend.need import Need
from pulumi_gke_tpu.features.cost.recommend.search import Recommendation
from pulumi_gke_tpu.features.cost.recommend.shapes import MOST_SLICES, slices_for

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
