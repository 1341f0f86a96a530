"""Suggests the nearest valid name, and lists valid names up to a limit."""

from collections.abc import Iterable, Sequence

from pulumi_gke_tpu.core.text.findings.wording import first_few, printable
from pulumi_gke_tpu.core.text.patterns import lazy_pattern

_MOST_SHOWN = 20
_MOST_SUGGESTIONS = 20
_ALIKE = 0.75
"""The similarity from which a word is a misspelling of another, if no third one is about as similar."""
_APART = 0.05
_DIGITS = lazy_pattern(r"[0-9]+")


class Suggestions:
    """Valid names. Only the first few lookups return a suggestion, because comparing names takes time."""

    def __init__(self, choices: Iterable[str]) -> None:
        self._choices: Sequence[str] = sorted(choices)
        self._asked = 0

    def nearest(self, word: str) -> str | None:
        """The choice nearest to a word; None if none is similar or after too many lookups."""
        self._asked += 1
        return did_you_mean(word, self._choices) if self._asked <= _MOST_SUGGESTIONS else None

    @property
    def shown(self) -> tuple[str, ...]:
        """The choices for a message: the first ones, and the number of the others."""
        shown = tuple(map(printable, first_few(self._choices, _MOST_SHOWN)))
        more = len(self._choices) - len(shown)
        return (*shown, f"and {more:,} more") if more else shown


def did_you_mean(word: str, choices: Iterable[str]) -> str | None:
    """The choice nearest to ``word``, or None if none is similar."""
    import difflib  # the import takes as long as the check of a small plan, and only findings need it

    folded = {_folded(choice): choice for choice in choices}
    close = difflib.get_close_matches(_folded(word), folded, n=1, cutoff=0.6)
    return folded[close[0]] if close else None


def is_misspelled(word: str, meant: str, choices: Iterable[str]) -> bool:
    """Whether a word is a misspelling of one choice alone. Another number is another value, not a misspelling."""
    return misspelled_choice(word, (*choices, meant)) == meant


def misspelled_choice(word: str, choices: Iterable[str]) -> str | None:
    """The only choice of which a word is a misspelling."""
    import difflib

    best, next_best, found = 0.0, 0.0, ""
    for choice in dict.fromkeys(choices):
        matcher = difflib.SequenceMatcher(None, _folded(word), _folded(choice))
        # The bounds take less time than the ratio, and what is below them changes no result.
        if min(matcher.real_quick_ratio(), matcher.quick_ratio()) < _ALIKE - _APART:
            continue
        ratio = matcher.ratio()
        if ratio > best:
            best, next_best, found = ratio, best, choice
        else:
            next_best = max(next_best, ratio)
    certain = best >= max(_ALIKE, next_best + _APART) and _DIGITS.findall(word) == _DIGITS.findall(found)
    return found if certain else None


def _folded(word: str) -> str:
    """A name without capitals and hyphens; only the first characters of a long one."""
    return word.lower().replace("-", "_")[:100]
