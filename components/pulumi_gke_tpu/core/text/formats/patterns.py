"""Patterns of names as in a shell: ``*`` is any text, ``?`` one character, and ``[abc]`` one of several."""

import fnmatch
import re
import string
from collections.abc import Iterable

from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.text.formats.gke_names import LONGEST_CLUSTER_NAME

_TOKEN = re.compile(r"\*+|\[(?:!(?:\][^\]]*|[^\]]+)|(?!!)(?:\][^\]]*|[^\]]+))\]|.", re.DOTALL)
"""A part of a pattern, as fnmatch reads it: a bracket without its partner is a character."""


def matches(name: str, patterns: Iterable[str]) -> bool:
    """Whether a whole name matches one of the patterns. Upper and lower case differ."""
    return any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)


@frozen
class NameForm:
    """Names of a kind: the characters with which they can begin and end, all their characters, and their length."""

    first: frozenset[str]
    last: frozenset[str]
    every: frozenset[str]
    longest: int

    def can_match(self, pattern: str) -> bool:
        """Whether some name of this kind matches a pattern.

        The shortest name decides: it has one character for each part that is not a star, and one more where a star
        has to supply the character at the begin or the end.
        """
        parts = _TOKEN.findall(pattern)
        choices = [None if part.startswith("*") else frozenset(fnmatch.filter(self.every, part)) for part in parts]
        fixed = [choice for choice in choices if choice is not None]
        if not parts or not all(fixed):
            return False
        if not fixed:
            return True
        if choices == fixed and len(fixed) == 1:
            return bool(fixed[0] & self.first & self.last)
        begins, ends = bool(fixed[0] & self.first), bool(fixed[-1] & self.last)
        possible = (begins or choices[0] is None) and (ends or choices[-1] is None)
        return possible and len(fixed) + (not begins) + (not ends) <= self.longest


_LOWER = frozenset(string.ascii_lowercase)
_DIGITS = frozenset(string.digits)
_LETTERS = frozenset(string.ascii_letters)
CLUSTER_NAME = NameForm(_LOWER, _LOWER | _DIGITS, _LOWER | _DIGITS | {"-"}, LONGEST_CLUSTER_NAME)
"""A name of a cluster that GKE accepts."""
GROUP_NAME = NameForm(_LETTERS | _DIGITS, _LETTERS | _DIGITS, _LETTERS | _DIGITS | frozenset("._-"), 63)
"""The value of a node label: the name of a slice group on Autopilot. Names of node pools have this form too."""
