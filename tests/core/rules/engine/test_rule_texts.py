"""The texts of rules: short sentences that name what they are about, and fixes that are instructions."""

import re
from collections.abc import Iterator

import pytest

from pulumi_gke_tpu.core.rules import all_rules

RULES = all_rules()
LONGEST = 30
"""The most words of a sentence; code counts as written."""
VERBS = (
    "Acknowledge|Add|Append|Ask|Change|Check|Close|Correct|Create|Define|Delete|Divide|Do not|Enable|Enlarge|Fix|Keep|"
    "Leave|"
    "Lengthen|List|Lower|Make|Move|Name|Pass|Put|Quote|Raise|Reduce|Remove|Rename|Render|Replace|Request|Retype|Round|"
    "Run|Save|Select|Set|Share|Shorten|Sort|Tolerate|Try|Update|Use|Write"
)
INSTRUCTION = re.compile(
    rf"(?:(?:Or|Also|First,|Then,?|Otherwise,) )?(?:{VERBS})\b|(?:If|For|To) [^,]+, ", re.IGNORECASE
)
WITHOUT_NOUN = re.compile(
    r"\b(?:the (?:new|old|other|first|second) ones?\b|(?:one|two|some|all|several) of them|of several\b(?! [a-z])|"
    r"such ones?\b|the latter|the former\b(?! [a-z])|elsewhere|no source\b)"
)


KINDS = re.compile(
    r"(?<![\w`-])(?:pods?|jobsets?|leaderworkersets?|ray(?:cluster|job|service)s?|deployments?|statefulsets?|clusterqueues?)\b"
)
"""Kinds of Kubernetes objects in lower case; Kubernetes and its documentation capitalize them."""


def sentences(text: str) -> list[str]:
    return re.split(r"(?<=[.!?])\s+(?=[A-Z`0-9]|gke-tpu)", text)


def texts() -> Iterator[tuple[str, str]]:
    """Every sentence of a reason or a fix, with the id of its rule."""
    for rule in RULES:
        for text in (rule.why, rule.fix, rule.fix_of_resources):
            yield from ((rule.id, sentence) for sentence in sentences(text))


def test_sentences_are_short() -> None:
    assert [(id, text) for id, text in texts() if len(text.split()) > LONGEST] == []


def test_a_sentence_joins_at_most_two_clauses_with_punctuation() -> None:
    plain = [(id, re.sub(r"`[^`]*`", "", text)) for id, text in texts()]
    assert [(id, text) for id, text in plain if len(re.findall(r"[:;](?= )", text)) > 1] == []


def test_every_pronoun_has_its_noun() -> None:
    titles = [(rule.id, rule.title) for rule in RULES]
    assert [(id, text) for id, text in (*titles, *texts()) if WITHOUT_NOUN.search(text)] == []


def test_kinds_of_kubernetes_objects_are_capitalized() -> None:
    plain = [(id, re.sub(r"`[^`]*`", "", text)) for id, text in (*((rule.id, rule.title) for rule in RULES), *texts())]
    assert [(id, text) for id, text in plain if KINDS.search(text)] == []


def test_a_fix_begins_with_an_instruction() -> None:
    texts = [(rule.id, text) for rule in RULES for text in filter(None, (rule.fix, rule.fix_of_resources))]
    assert [each for each in texts if not INSTRUCTION.match(each[1])] == []


@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        ("Set `zone`.", True),
        ("If the value is text, quote it.", True),
        ("Or remove it.", True),
        ("Key: an optional prefix.", False),
        ("The key must be set.", False),
    ],
)
def test_what_an_instruction_is(text: str, is_one: bool) -> None:
    assert bool(INSTRUCTION.match(text)) is is_one


@pytest.mark.parametrize(
    "text",
    [
        "GKE rejects the new ones",
        "Remove one of them.",
        "of several, the newest",
        "names used elsewhere",
        "no source confirms that",
    ],
)
def test_phrases_that_readers_had_to_read_twice_are_found(text: str) -> None:
    assert WITHOUT_NOUN.search(text)
