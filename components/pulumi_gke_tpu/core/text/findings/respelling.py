"""Decides whether a fix only spells the value of the plan correctly, so that nothing else can be meant."""

from collections.abc import Sequence

from pulumi_gke_tpu.core.text.findings.fixes import Fix, Replace, SetKeys
from pulumi_gke_tpu.core.text.findings.suggestions import is_misspelled
from pulumi_gke_tpu.core.text.patterns import lazy_pattern

_SEPARATORS = lazy_pattern(r"[\s_.-]+")
_MOST_LETTERS = 2
"""How many letters too many or too few a misspelled word has: `pd-balanced` is not `hyperdisk-balanced`."""
_PARTS = lazy_pattern(r"[/:?]")


def is_respelling(given: str, fix: Fix | None, allowed: Sequence[str] = ()) -> bool:
    """Whether a fix only writes the given value with other capitals or separators, without a path, or as it is spelled.

    ``given`` is ``key: value``, or a value. Another number is another value, because it changes capacity or cost; so is
    another letter alone: ``us-east5-a`` and ``us-east5-b`` are two zones.
    """
    (given_key, word), (key, meant) = _key_and_value(given), _new_value(fix)
    other_key = bool(given_key and key) and given_key != key
    if other_key or not word or not meant:
        return False
    if _plain(word) == _plain(meant) and not meant.isdigit():
        return True
    if _PARTS.split(word)[-1] == meant and word.endswith(meant):
        return True
    if meant.isdigit() or abs(len(word) - len(meant)) > _MOST_LETTERS or _has_other_letter(word, meant):
        return False
    return is_misspelled(word, meant, allowed if meant in allowed else (meant,))


def _new_value(fix: Fix | None) -> tuple[str, str]:
    """The key and the value that a fix sets; empty if it does not set a single value of one key."""
    if isinstance(fix, Replace):
        return "", _word(fix.new)
    if isinstance(fix, SetKeys) and len(fix.entries) == 1 and not fix.remarks:
        return fix.entries[0].key, _word(fix.entries[0].value)
    return "", ""


def _word(value: object) -> str:
    return str(value) if isinstance(value, str | int | float) and not isinstance(value, bool) else ""


def _key_and_value(text: str) -> tuple[str, str]:
    key, _, value = text.rpartition(": ")
    return key.strip("\"' "), value.strip("\"' ")


def _has_other_letter(word: str, meant: str) -> bool:
    parts = zip(_SEPARATORS.split(word), _SEPARATORS.split(meant), strict=False)
    return any(one.casefold() != other.casefold() and len(one) == len(other) == 1 for one, other in parts)


def _plain(word: str) -> str:
    return _SEPARATORS.sub("", word).casefold()
