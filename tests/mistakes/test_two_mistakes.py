"""Two mistakes in one plan: both are reported, and nothing that neither of them causes."""

import functools
import itertools
import random
from dataclasses import dataclass

import pytest
from support.fixing import TODAY
from support.mistakes import Mistake, base_text, mistakes
from support.sampling import SELECTION

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.plan import read_plan_content
from pulumi_gke_tpu.core.rules import check_plan
from pulumi_gke_tpu.core.text.findings import Finding

BASE = base_text("standard")
CATALOG = read_catalog()
PARTS = 4

_DECISIVE = ("tpu", "topology", "location", "mode", "project", "chips")
"""Keys that decide about other keys: with an invalid generation, the valid zones are unknown."""

_FOR_ALL = {"location", "mode", "project"}
"""Those of them that concern the whole cluster or plan."""

Place = tuple[str, int]


@dataclass(frozen=True)
class Edited:
    """The base with some mistakes in it, and where each mistake is."""

    text: str
    regions: tuple[tuple[str, int, int, int], ...]
    """For each mistake its id, and where its text begins and ends here, and how much longer it is than in the base."""

    def place(self, offset: int) -> Place:
        """The place of an offset: in a mistake, or in the base around it. It is the same with other mistakes."""
        shift = 0
        for name, start, end, longer in self.regions:
            if start <= offset < end:
                return name, offset - start
            if offset >= end:
                shift += longer
        return "", offset - shift


def edited(*chosen: Mistake) -> Edited:
    text, regions = "", []
    at = 0
    for mistake in sorted(chosen, key=span):
        start, end = span(mistake)
        text += BASE[at:start]
        regions.append((mistake.id, len(text), len(text) + len(mistake.wrong), len(mistake.wrong) - (end - start)))
        text += mistake.wrong
        at = end
    return Edited(text + BASE[at:], tuple(regions))


def span(mistake: Mistake) -> tuple[int, int]:
    start = BASE.index(mistake.right)
    return start, start + len(mistake.right)


@functools.cache
def findings_in(text: str) -> tuple[Finding, ...]:
    return check_plan(read_plan_content(text.encode(), "plan.yaml"), CATALOG, TODAY).findings


def found(plan: Edited) -> frozenset[tuple[str, Place]]:
    """Rule and place of every finding."""
    starts = [0, *itertools.accumulate(len(line) for line in plan.text.splitlines(keepends=True))]
    places = (finding.position for finding in findings_in(plan.text))
    offsets = [starts[place.line - 1] + place.column - 1 for place in places if place is not None]
    rules = [finding.rule for finding in findings_in(plan.text)]
    return frozenset((rule, plan.place(offset)) for rule, offset in zip(rules, offsets, strict=True))


@functools.cache
def alone(mistake: Mistake) -> frozenset[tuple[str, Place]]:
    return found(edited(mistake))


@functools.cache
def can_be_read_on(mistake: Mistake) -> bool:
    """Whether a parser can read the file to its end, and the plan has its key ``clusters``."""
    document = read_plan_content(mistake.text.encode(), "plan.yaml")
    return document.content is not None


@functools.cache
def is_decisive(mistake: Mistake) -> bool:
    """Whether a mistake concerns a key on which rules about other keys rest."""
    paths = [finding.path for finding in findings_in(mistake.text)]
    fixes = [finding.fix.partition(":")[0] for finding in findings_in(mistake.text)]
    return any(key in path[-1:] for path in paths for key in _DECISIVE) or bool({*fixes} & {*_DECISIVE})


@functools.cache
def group_of(mistake: Mistake) -> tuple[object, ...]:
    """The slice group or the part of the cluster that a mistake is in."""
    return next((finding.path[:4] for finding in findings_in(mistake.text)), ())


def are_independent(one: Mistake, other: Mistake) -> bool:
    """Whether no rule about one of the mistakes can need what the other one leaves unclear."""
    first, second = sorted((span(one), span(other)))
    if all("maintenance" in {step for path in paths_of(each) for step in path} for each in (one, other)):
        return False  # which time the exclusions leave depends on the window
    if BASE.count("\n", first[1], second[0]) < 2 or paths_of(one) & paths_of(other):
        return False
    if points_into(one, other) or points_into(other, one):
        return False
    elsewhere = group_of(one) != group_of(other) and not _FOR_ALL & {path[-1] for path in paths_of(one, other)}
    return elsewhere or not (is_decisive(one) or is_decisive(other))


def points_into(one: Mistake, other: Mistake) -> bool:
    """Whether a finding about one mistake is where the other one is."""
    start, end = span(other)
    return any(not name and start <= offset < end for _, (name, offset) in alone(one))


def paths_of(*chosen: Mistake) -> set[tuple[object, ...]]:
    """The paths of the findings about mistakes, and of the keys that their fixes write."""
    paths = set()
    for finding in (finding for mistake in chosen for finding in findings_in(mistake.text) if finding.path):
        paths |= {finding.path, (*finding.path[:-1], finding.fix.partition(":")[0])}
    return paths


@functools.cache
def readable() -> list[Mistake]:
    """The mistakes in the standard plan behind which the file can be read."""
    return [mistake for mistake in mistakes() if mistake.base == "standard" and can_be_read_on(mistake)]


@functools.cache
def pairs() -> list[tuple[Mistake, Mistake]]:
    """Each mistake with two others, and in a run of everything with four. The seed chooses which."""
    draw = random.Random(SELECTION.seed)
    found = []
    for _ in range(4 if SELECTION.everything else 2):
        shuffled = draw.sample(readable(), len(readable()))
        found += [pair for pair in zip(shuffled[::2], shuffled[1::2], strict=False) if are_independent(*pair)]
    return found


@pytest.mark.parametrize("part", range(PARTS))
def test_two_mistakes_are_both_reported_and_nothing_else(part: int) -> None:
    wrong = []
    for one, other in pairs()[part::PARTS]:
        expected, both = alone(one) | alone(other), found(edited(one, other))
        if both != expected:
            wrong.append((one.id, other.id, sorted(expected - both), sorted(both - expected)))
    assert not wrong


def test_most_mistakes_of_the_corpus_are_tried_in_pairs() -> None:
    tried = {mistake.id for pair in pairs() for mistake in pair}
    assert len(tried) > 0.75 * len(readable()) > 150
