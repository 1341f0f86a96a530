"""Samples of corpora: the same for the same seed, and with cases of every kind."""

from collections import Counter

import pytest
from support.sampling import SELECTION, sample

CASES = [f"{kind} {number}" for kind, count in (("a", 200), ("b", 20), ("c", 3)) for number in range(count)]


@pytest.fixture(autouse=True)
def selection(monkeypatch: pytest.MonkeyPatch) -> None:
    """As without options."""
    monkeypatch.setattr(SELECTION, "everything", False)
    monkeypatch.setattr(SELECTION, "seed", 0)


def kind(case: str) -> str:
    return case[0]


def test_a_sample_has_cases_of_every_kind_in_their_order() -> None:
    chosen = sample(CASES, 13, kind)
    assert Counter(map(kind, chosen)) == {"a": 5, "b": 5, "c": 3}
    assert chosen == [case for case in CASES if case in chosen]


def test_a_sample_smaller_than_the_number_of_kinds_is_not_always_of_the_same_kinds(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = set()
    for seed in range(40):
        monkeypatch.setattr(SELECTION, "seed", seed)
        (case,) = sample(CASES[200:], 1, kind)
        found.add(kind(case))
    assert found == {"b", "c"}


def test_another_seed_or_name_gives_other_cases(monkeypatch: pytest.MonkeyPatch) -> None:
    first = sample(CASES, 20)
    assert sample(CASES, 20) == first
    assert sample(CASES, 20, of="other") != first
    monkeypatch.setattr(SELECTION, "seed", 1)
    assert sample(CASES, 20) != first


def test_everything_is_tried_on_request_or_if_there_is_little(monkeypatch: pytest.MonkeyPatch) -> None:
    assert sample(CASES[:5], 20) == CASES[:5]
    monkeypatch.setattr(SELECTION, "everything", True)
    assert sample(CASES, 20) == CASES
