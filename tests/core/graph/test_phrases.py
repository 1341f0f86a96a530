"""Phrases that texts about resources share."""

import pytest

from pulumi_gke_tpu.core.fleet import Range
from pulumi_gke_tpu.core.graph.phrases import amount, bare_amount, be, counted, sentence, them, urn_words
from pulumi_gke_tpu.core.graph.resource_types import NODE_POOL


@pytest.mark.parametrize(
    ("text", "written"),
    [("the pool stays", "The pool stays."), ("`a` stays", "`a` stays."), ("x", "X."), ("", "")],
)
def test_a_sentence_begins_with_a_capital_letter_and_ends_with_a_period(text: str, written: str) -> None:
    assert sentence(text) == written


@pytest.mark.parametrize(
    ("least", "most", "words", "bare"),
    [
        (0, 0, "no hosts", "0"),
        (1, 1, "1 host", "1"),
        (2, 2, "2 hosts", "2"),
        (0, 1, "up to 1 host", "up to 1"),
        (0, 1_064, "up to 1,064 hosts", "up to 1,064"),
        (1, 4, "1 to 4 hosts", "1 to 4"),
        (1_000, 2_000, "1,000 to 2,000 hosts", "1,000 to 2,000"),
    ],
)
def test_an_amount_has_its_limits(least: int, most: int, words: str, bare: str) -> None:
    assert (amount(Range(least, most), "host"), bare_amount(Range(least, most))) == (words, bare)


def test_words_agree_with_their_number() -> None:
    assert [(be(count), them(count), counted(count, "policy", "policies")) for count in (0, 1, 2)] == [
        ("are", "them", "no policies"),
        ("is", "it", "1 policy"),
        ("are", "them", "2 policies"),
    ]


@pytest.mark.parametrize(
    ("urn", "words"),
    [
        (f"urn:pulumi:dev::fleet::a:b:TpuFleet${NODE_POOL}::train::0", "node pool `train::0`"),
        ("urn:pulumi:dev::fleet::other:x:Y::train", "other:x:Y `train`"),
        ("train", "`train`"),
    ],
)
def test_a_resource_is_named_by_its_type_and_name(urn: str, words: str) -> None:
    assert urn_words(urn) == words
