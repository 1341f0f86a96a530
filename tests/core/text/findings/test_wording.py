"""Counts, lists and durations as people write them."""

import datetime

import pytest

from pulumi_gke_tpu.core.text.findings import duration_text, listed, number

LETTERS = list("abcdef")


def test_a_list_has_a_word_before_its_last_item() -> None:
    assert [listed(LETTERS[:count]) for count in range(4)] == ["", "a", "a and b", "a, b and c"]
    assert listed(["a", "b", "c"], "or") == "a, b or c"
    assert listed(["a", "b", "c"], "", separator="; ") == "a; b; c"


@pytest.mark.parametrize(
    ("count", "text"), [(3, "a, b and c"), (4, "a, b, c and d"), (5, "a, b, c and 2 more"), (6, "a, b, c and 3 more")]
)
def test_a_long_list_is_cut_but_never_by_a_single_item(count: int, text: str) -> None:
    assert listed(LETTERS[:count], most=3) == text


def test_the_number_of_items_that_are_left_out_has_separators() -> None:
    assert listed(["x"] * 2_000, "or", most=1, separator="; ") == "x and 1,999 more"


@pytest.mark.parametrize(
    ("count", "text"), [(0, "0 hosts"), (1, "1 host"), (2, "2 hosts"), (1_024, "1,024 hosts"), (-1, "-1 hosts")]
)
def test_a_count_has_its_noun(count: int, text: str) -> None:
    assert number(count, "host") == text


def test_an_irregular_plural_is_given() -> None:
    assert [number(count, "policy", "policies") for count in (1, 2)] == ["1 policy", "2 policies"]


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0, "0 s"), (45, "45 s"), (90, "90 s"), (5_400, "90 min"), (21_600, "6 h"), (604_800, "7 d"), (86_401, "86401 s")],
)
def test_a_duration_is_in_the_largest_unit_without_a_fraction(seconds: int, text: str) -> None:
    assert duration_text(datetime.timedelta(seconds=seconds)) == text
