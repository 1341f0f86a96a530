"""Suggests the nearest valid name, and lists valid names up to a limit."""

import functools
import itertools
from collections.abc import Iterable, Sequence

from pulumi_gke_tpu.core.text.findings.wording import first_few, printable
from pulumi_gke_tpu.core.text.patterns import lazy_pattern

_MOST_SHOWN = 20
_MOST_SUGGESTIONS = 20
_ALIKE = 0.75
"""The similarity from which a word is a misspelling of another, if no third one is about as similar."""
_APART = 0.05
_DIGITS = lazy_pattern(r"[0-9]+")
_WORDS = lazy_pattern(r"[A-Z]?[a-z]+|[A-Z]+|[0-9]+")
_OPPOSITES = frozenset(
    {"all", "any", "disable", "disabled", "dns", "enable", "enabled", "external", "higher", "internal", "ip", "least"}
    | {"lower", "many", "max", "maximum", "min", "minimum", "most", "never", "no", "none", "not", "off", "on", "once"}
    | {"only", "prefer", "private", "public", "without"}
)
"""Words that turn the meaning of a name around, or limit it. With another one, a name is not a misspelling."""
_SHORTEST_FORM = 3
_PREFIXES = _OPPOSITES | {"dis", "en", "in", "non", "un", ""}
"""Beginnings of names: with another one, a name has another meaning."""


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
    near = folded[close[0]] if close else None
    return None if near is None or _means_another(word, near) else near


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
    return found if certain and not _means_another(word, found) else None


def _means_another(word: str, choice: str) -> bool:
    """Whether a word says something else than the choice that is similar to it: ``public_nodes`` and ``private_nodes``.

    ``disable_auto_repair`` is the opposite of ``auto_repair``, and ``max_count`` is not a ``count``.
    """
    given, meant = _words(word), _words(choice)
    one, two = "".join(given), "".join(meant)
    if one == two:
        return False
    pairs = zip(reversed(one), reversed(two), strict=False)
    common = sum(1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], pairs))
    if common and {one[:-common], two[:-common]} <= _PREFIXES:
        return True
    if len(given) == len(meant) > 1 and any(_is_other_word(*pair) for pair in zip(given, meant, strict=True)):
        return True
    other, wanted = [each for each in given if each not in meant], [each for each in meant if each not in given]
    return any(_is_opposite(each, wanted) for each in other) or any(_is_left_out(each, other) for each in wanted)


def _is_other_word(word: str, meant: str) -> bool:
    """Whether two words in the same place have little in common: ``billing_labels`` is not ``node_labels``."""
    return len({*word} & {*meant}) * 2 < len({*word, *meant}) and not is_slip(word, meant) and not _is_form(word, meant)


def _words(name: str) -> list[str]:
    return [word.lower() for word in _WORDS.findall(name[:100])]


def _is_opposite(word: str, meant: Sequence[str]) -> bool:
    """Whether a word is one of the opposites, and the choice has no form of it: ``enable`` and ``enabled``."""
    return word in _OPPOSITES and not any(map(functools.partial(_is_form, word), meant))


def _is_left_out(opposite: str, given: Sequence[str]) -> bool:
    """Whether the choice has one of the opposites, and no word is a form or a misspelling of it."""
    return opposite in _OPPOSITES and not any(_is_form(word, opposite) or is_slip(word, opposite) for word in given)


def _is_form(word: str, other: str) -> bool:
    """Whether one begins with the other: ``max`` and ``maximum``, but not ``no`` and ``node``."""
    shorter, longer = sorted((word, other), key=len)
    return len(shorter) >= _SHORTEST_FORM and longer.startswith(shorter)


def is_slip(word: str, meant: str) -> bool:
    """Whether one letter was added, left out or exchanged, or two changed places."""
    if sorted(word) == sorted(meant):
        return True
    if len(word) == len(meant):
        return sum(one != other for one, other in zip(word, meant, strict=True)) == 1
    shorter, longer = sorted((word, meant), key=len)
    return any(longer[:index] + longer[index + 1 :] == shorter for index in range(len(longer)))


def _folded(word: str) -> str:
    """A name without capitals and hyphens; only the first characters of a long one."""
    return word.lower().replace("-", "_")[:100]
