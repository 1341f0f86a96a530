"""The reasons for a row, and for what a recommendation leaves out."""

import datetime
from collections import Counter
from collections.abc import Iterable, Iterator

from pulumi_gke_tpu.catalog import Catalog, Confidence, naming
from pulumi_gke_tpu.catalog.records.capacity import CapacityMode
from pulumi_gke_tpu.estimate.prices import MODES
from pulumi_gke_tpu.findings import Severity, duration_text, listed, number
from pulumi_gke_tpu.formats.location import is_region, is_zone, region_of
from pulumi_gke_tpu.frozen import frozen
from pulumi_gke_tpu.recommend.candidates import DEFAULT_MODES, Exclusion, zones_of
from pulumi_gke_tpu.recommend.search import Recommendation, Row

_MOST_ZONES = 3
_UNINTERRUPTED = ("without a time limit or preemption", "without preemption", "")
_CONFIDENCE: dict[Severity, Confidence] = {Severity.WARNING: "medium"}
"""A warning rests on a fact of less than high confidence, or on sources that disagree."""


@frozen
class Reason:
    """A statement about a row, and how sure it is. ``rule`` is the rule that makes it, if one does."""

    text: str
    confidence: Confidence = "high"
    rule: str = ""


def reasons(row: Row, recommendation: Recommendation, catalog: Catalog) -> Iterator[Reason]:
    """What speaks for a row, what it gives up, and what its numbers rest on."""
    yield from _strengths(row, recommendation)
    yield from _capacity(row.option.candidate.capacity, catalog)
    slices = row.option.candidate.slices
    if slices.count > 1 and recommendation.need.use == "training":
        yield Reason(f"{slices.count:,} slices exchange data over the data center network (Multislice)")
    if row.variants:
        shapes = [f"{each.count:,} × {each.topology}" for each in row.variants]
        yield Reason(f"same hosts and chips: {listed(shapes, 'or', most=_MOST_ZONES)}")
    if row.advice is not None:
        yield Reason(
            f"advised by Google's planning page ({row.advice.as_of}): {row.advice.text}", row.advice.confidence
        )
    yield from _price(row)
    for remark in row.option.remarks:
        yield Reason(remark.message, _CONFIDENCE.get(remark.severity, "high"), remark.rule)
    if row.places:
        shown = [place.zone for place in row.places]
        yield Reason(f"also in {listed(shown, most=_MOST_ZONES)}")


def _strengths(row: Row, recommendation: Recommendation) -> Iterator[Reason]:
    rows = [each for each in recommendation.rows if each.option.documented >= row.option.documented]
    costs = [each.option.usd for each in rows if each.option.usd is not None]
    same = [each for each in rows if each.option.interruption <= row.option.interruption]
    known = [each.option.usd for each in same if each.option.usd is not None]
    if row.option.usd is not None and row.option.usd == min(costs):
        yield Reason("lowest cost")
    elif row.option.usd is not None and row.option.usd == min(known):
        yield Reason(f"lowest cost {_UNINTERRUPTED[row.option.interruption]}")
    hosts = row.option.candidate.slices.hosts
    if hosts == min(each.option.candidate.slices.hosts for each in rows):
        yield Reason("fewest hosts")


def _capacity(mode: CapacityMode, catalog: Catalog) -> Iterator[Reason]:
    if mode == "spot":
        yield Reason("Compute Engine can preempt the VMs at any time")
    elif mode == "flex_start":
        limits = catalog.capacity.flex_start
        limit = duration_text(datetime.timedelta(seconds=limits.max_run_seconds))
        yield Reason(
            f"GKE creates the nodes when capacity is available; they run for at most {limit}", limits.confidence
        )
    elif mode == "queued":
        yield Reason("GKE creates the nodes for a ProvisioningRequest, when capacity is available")


def _price(row: Row) -> Iterator[Reason]:
    cost = row.option.cost
    if cost.contract is not None:
        yield Reason("price of the contract in the inventory")
    elif cost.price is not None:
        kind = "on-demand price; the price of a reservation is unknown" if cost.at_on_demand_price else "price"
        yield Reason(f"{kind} of {cost.price.as_of}", cost.price.confidence_in("usd"))
    if row.option.usd is None:
        yield Reason(cost.unknown or cost.premium_unknown)


def left_out(recommendation: Recommendation, catalog: Catalog) -> Iterator[tuple[str, str]]:
    """Every generation without a row, with the reason that excludes most of its candidates."""
    offered = {row.option.candidate.generation for row in recommendation.rows}
    for name in catalog.generation_names:
        if name not in offered:
            yield name, next(iter(_summaries(item for item in recommendation.exclusions if item.generation == name)))


def why_not(word: str, recommendation: Recommendation, catalog: Catalog) -> tuple[str, ...] | None:
    """Why a generation, zone, region or capacity mode is left out, or which rows have it.

    None if the word is none of these. A zone or region is left out if no row has a zone there.
    """
    generation = naming.generation_called(catalog, word) or naming.announced_called(catalog, word)
    numbered = list(enumerate(recommendation.rows, 1))
    if generation is not None:
        rows = [index for index, row in numbered if row.option.candidate.generation == generation]
        return _answer(generation, rows, [item for item in recommendation.exclusions if item.generation == generation])
    if is_zone(word) or is_region(word):
        return _place_answer(word, recommendation, catalog)
    mode = next((each for each in MODES if each == word.lower().replace("-", "_")), None)
    if mode is None:
        return None
    shown, asked = mode.replace("_", "-"), recommendation.need.capacities
    rows = [index for index, row in numbered if row.option.candidate.capacity == mode]
    wanted = asked or DEFAULT_MODES
    if mode not in wanted:
        return (f"{shown}: you asked for {listed([each.replace('_', '-') for each in wanted], 'or')}",)
    found = [item for item in recommendation.exclusions if not item.what or item.what.rpartition(", ")[2] == shown]
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


def _answer(name: str, rows: list[int], found: Iterable[Exclusion]) -> tuple[str, ...]:
    offered = (f"{name}: offered in {'row' if len(rows) == 1 else 'rows'} {listed(list(map(str, rows)), most=8)}",)
    summaries = tuple(f"{name}: {text}" for text in _summaries(found))
    return (offered if rows else ()) + summaries


def _summaries(found: Iterable[Exclusion]) -> list[str]:
    """The distinct reasons with the number of candidates and an example, the most frequent first."""
    groups: dict[tuple[str, str], list[Exclusion]] = {}
    counted: Counter[tuple[str, str]] = Counter()
    for item in found:
        groups.setdefault((item.rule, item.reason), []).append(item)
        counted[item.rule, item.reason] += 1
    ordered = sorted(groups, key=lambda key: (-counted[key], key))
    return [_summary(rule, reason, groups[rule, reason]) for rule, reason in ordered]


def _summary(rule: str, reason: str, items: list[Exclusion]) -> str:
    first = items[0]
    doubt = "" if first.confidence == "high" else f" (confidence {first.confidence})"
    text = f"{reason}{f' ({rule})' if rule else ''}{doubt}"
    where = ", ".join(part for part in (first.zone, first.what) if part)
    if not where:
        return text
    more = f" and {number(len(items) - 1, 'other candidate')}" if len(items) > 1 else ""
    return f"{text} ({where}{more})"
