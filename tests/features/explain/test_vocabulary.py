"""Every word of the vocabulary can be explained, and near misses find it."""

import pytest

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.features.explain.words.vocabulary import explain_word, nearest, vocabulary


def test_every_word_is_explained_with_steps_that_say_why(catalog: Catalog) -> None:
    for word in vocabulary(catalog):
        found = explain_word(catalog, word)
        assert found is not None, word
        assert found.steps, word
        assert found.summary, word
        for step in found.steps:
            assert step.name, word
            assert step.value, (word, step.name)
            assert step.because, (word, step.name)


@pytest.mark.parametrize(
    ("word", "first"),
    [
        ("v5litepod-17", "v5litepod-1"),
        ("CT6E_STANDARD_4", "ct6e-standard-4t"),
        ("us-east5-bb", "us-east5-b"),
        ("topolgy", "topology"),
    ],
)
def test_near_misses(catalog: Catalog, word: str, first: str) -> None:
    assert nearest(catalog, word)[0].startswith(first)


@pytest.mark.parametrize("word", ["", " ", "x" * 5000, "§", "\x00", ":", "::", "v6e:", ":v6e", "99999x99999x99999"])
def test_odd_words_are_answered_quickly(catalog: Catalog, word: str) -> None:
    found = explain_word(catalog, word)
    assert found is None or found.steps
    assert isinstance(nearest(catalog, word), tuple)


@pytest.mark.parametrize(
    ("word", "calendar"), [("dws", True), ("DWS", True), ("v6e:dws", True), ("dws:v6e", True), ("v4:dws", False)]
)
def test_a_name_of_several_capacity_modes_names_each_and_chooses_none(
    catalog: Catalog, word: str, calendar: bool
) -> None:
    """Dynamic Workload Scheduler has flex-start, queued provisioning and, in some zones, calendar mode."""
    explained = explain_word(catalog, word)
    assert explained is not None
    values = {step.name: step.value for step in explained.steps}
    assert {name for name in ("flex_start", "queued", "reservation") if name in values} == (
        {"flex_start", "queued"} | ({"reservation"} if calendar else set())
    )
    for name in ("flex_start", "queued"):
        assert name in values[name]
        assert name in explained.summary
    assert not explained.paste


@pytest.mark.parametrize("word", ["flex_start", "flex", "queued", "spot", "v6e:queued", "v6e:flex-start"])
def test_a_name_of_one_capacity_mode_has_a_plan_to_paste(catalog: Catalog, word: str) -> None:
    explained = explain_word(catalog, word)
    assert explained is not None
    assert "several" not in explained.summary
    assert explained.paste
