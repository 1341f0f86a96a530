"""Corpora as samples: a run tries some cases of each kind, which a seed chooses. With ``--all`` it tries every case."""

import itertools
import random
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from typing import TypeVar

Case = TypeVar("Case")


@dataclass
class Selection:
    """What the options of this run select."""

    everything: bool = False
    seed: int = 0
    record: bool = False


SELECTION = Selection()
"""Set from the options before tests are collected (``support/fixtures/selection.py``)."""


def size(whole: int) -> int:
    """How large a hostile input is: a fifth, with ``--all`` as large as it can be."""
    return whole if SELECTION.everything else whole // 5


def _one_kind(case: object) -> Hashable:
    return None


def sample(
    cases: Iterable[Case], most: int, kind: Callable[[Case], Hashable] = _one_kind, *, of: str = ""
) -> list[Case]:
    """At most ``most`` of the cases, in their order, spread over the kinds as evenly as these have cases.

    The same seed gives the same sample. ``of`` names what a sample is for: another name gives other cases.
    """
    every = [*cases]
    if SELECTION.everything:
        return every
    draw = random.Random(f"{SELECTION.seed} {of}")
    numbers = [*range(len(every))]
    draw.shuffle(numbers)
    kinds: dict[Hashable, list[int]] = {}
    for number in numbers:
        kinds.setdefault(kind(every[number]), []).append(number)
    in_turn = [number for row in itertools.zip_longest(*kinds.values()) for number in row if number is not None]
    return [every[number] for number in sorted(in_turn[:most])]
