"""Decides whether a fix only spells the value of the plan correctly, so that nothing else can be meant."""

import re
from collections.abc import Sequence

from pulumi_gke_tpu.core.text.findings.suggestions import is_misspelled

_SEPARATORS = re.compile(r"[\s_.-]+")
_MOST_LETTERS = 2
"""How many letters too many or too few a misspelled word has: `pd-balanced` is not `hyperdisk-balanced`."""
_PARTS = re.compile(r"[/:?]")


def is_respelled(given: str, fix: str, allowed: Sequence[str] = ()) -> bool:
    """Whether ``fix`` names what ``given`` names: with other capitals or separators, without a path, or misspelled.

    Both are ``key: value``, or a value. Another number is another value, because it changes capacity or cost; so is
    another letter alone: ``us-east5-a`` and ``us-east5-b`` are two zones.
    """
    if not fix or "\n" in fix or fix.endswith(":"):
        return False
    (given_key, word), (key, meant) = _key_and_value(given), _key_and_value(fix)
    other_key = bool(given_key and key) and given_key != key
    if other_key or not word or not meant or any(char in meant for char in "{[#"):
        return False
    if _plain(word) == _plain(meant) and not meant.isdigit():
        return True
    if _PARTS.split(word)[-1] == meant and word.endswith(meant):
        return True
    if meant.isdigit() or abs(len(word) - len(meant)) > _MOST_LETTERS or _has_other_letter(word, meant):
        return False
    return is_misspelled(word, meant, allowed if meant in allowed else (meant,))


def _key_and_value(text: str) -> tuple[str, str]:
    key, _, value = text.rpartition(": ")
    return key.strip("\"' "), value.strip("\"' ")


def _has_other_letter(word: str, meant: str) -> bool:
    parts = zip(_SEPARATORS.split(word), _SEPARATORS.split(meant), strict=False)
    return any(one.casefold() != other.casefold() and len(one) == len(other) == 1 for one, other in parts)


def _plain(word: str) -> str:
    return _SEPARATORS.sub("", word).casefold()
