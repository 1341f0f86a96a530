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
