"""Patterns of names: what they match, and whether a name that GKE accepts can match."""

import dataclasses
import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pulumi_gke_tpu.core.text.formats.names import CLUSTER_NAME, GROUP_NAME, is_gke_name, matches

NAMES = [
    "".join(chars)
    for length in range(1, 5)
    for chars in itertools.product("ab1-", repeat=length)
    if is_gke_name("".join(chars))
]
PIECES = st.sampled_from(
    ["a", "1", "-", "*", "?", "**", "[ab]", "[1-]", "[!a]", "[A-Z]", "[", "]", "[]a]", "A", "_", "."]
)


@given(st.lists(PIECES, max_size=4).map("".join))
def test_a_pattern_is_possible_exactly_if_some_name_matches(pattern: str) -> None:
    """Four characters are enough for a part each, but a star at the begin and one at the end may each need one more."""
    assert dataclasses.replace(CLUSTER_NAME, longest=4).can_match(pattern) == any(
        matches(name, [pattern]) for name in NAMES
    )


@pytest.mark.parametrize(
    ("pattern", "possible"),
    [
        ("*", True),
        ("train-*", True),
        ("*-v6e", True),
        ("", False),
        ("Train-*", False),
        ("train_*", False),
        ("*-", False),
        ("5*", False),
        ("*5", True),
        ("a" * 40, True),
        ("a" * 41, False),
        ("*" + "a" * 40, True),
        ("*-" + "a" * 38, True),
        ("*-" + "a" * 39, False),
        ("a" * 38 + "-*", True),
        ("a" * 39 + "-*", False),
        ("-*", False),
        ("a\x1b*", False),
        ("\N{CYRILLIC SMALL LETTER A}*", False),
    ],
)
def test_names_of_at_most_40_characters(pattern: str, possible: bool) -> None:
    assert CLUSTER_NAME.can_match(pattern) is possible


@pytest.mark.parametrize(("pattern", "possible"), [("Train.*", True), ("5", True), ("a b", False), ("a" * 64, False)])
def test_names_of_slice_groups_have_more_characters(pattern: str, possible: bool) -> None:
    """On Autopilot such a name is only the value of a label."""
    assert GROUP_NAME.can_match(pattern) is possible


@pytest.mark.parametrize(
    ("name", "pattern", "matched"),
    [
        ("us-east5-b", "us-east5-*", True),
        ("us-east5", "us-east5-*", False),
        ("US-east5-b", "us-*", False),
        ("us-east5-b\n", "us-east5-b", False),
        ("ab", "a?", True),
        ("a.b", "a.b", True),
        ("axb", "a.b", False),
    ],
)
def test_a_pattern_matches_a_whole_name(name: str, pattern: str, matched: bool) -> None:
    assert matches(name, ["never", pattern]) is matched


@pytest.mark.parametrize(
    ("pattern", "matched"),
    [("*a" * 50, False), ("?*" * 50, True), ("[a-z]*" * 16 + "b", False), ("[" * 100, False), ("*" * 100, True)],
)
def test_a_pattern_with_many_stars_does_not_backtrack_without_end(pattern: str, matched: bool) -> None:
    assert matches("a" * 20_000 + "!", [pattern]) is matched
