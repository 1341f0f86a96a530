"""Phrases that texts about resources share."""

import pytest

from pulumi_gke_tpu.core.graph.phrases import sentence


@pytest.mark.parametrize(
    ("text", "written"),
    [("the pool stays", "The pool stays."), ("`a` stays", "`a` stays."), ("x", "X."), ("", "")],
)
def test_a_sentence_begins_with_a_capital_letter_and_ends_with_a_period(text: str, written: str) -> None:
    assert sentence(text) == written
