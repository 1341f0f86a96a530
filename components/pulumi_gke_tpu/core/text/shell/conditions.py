"""Tests of a script: whether they hold, as far as its text says it."""

import fnmatch
import re
from collections.abc import Callable, Mapping, Sequence

from pulumi_gke_tpu.core.text.shell.model import ScriptWord


def truth(words: Sequence[ScriptWord]) -> bool | None:
    """Whether a test holds; None if a shell has to say it."""
    texts = [word.text for word in words]
    for operator, certain in (("||", True), ("&&", False)):
        if operator in texts:
            at = texts.index(operator)
            sides = truth(words[:at]), truth(words[at + 1 :])
            return certain if certain in sides else None if None in sides else not certain
    if texts[:1] == ["!"]:
        inner = truth(words[1:])
        return None if inner is None else not inner
    if any(word.problem for word in words):
        return None
    if len(texts) == 1:
        return bool(texts[0])
    if len(texts) == 2 and texts[0] in ("-z", "-n"):  # noqa: PLR2004 - operator and operand
        return bool(texts[1]) == (texts[0] == "-n")
    return _compared(*texts) if len(texts) == 3 else None  # noqa: PLR2004 - operand, operator, operand


def _compared(one: str, kind: str, other: str) -> bool | None:
    if kind in ("=", "==", "!="):
        return fnmatch.fnmatchcase(one, other) == (kind != "!=")
    numbers = [int(text) for text in (one, other) if re.fullmatch(r"-?\d{1,12}", text, re.ASCII)]
    return _COMPARISONS[kind](*numbers) if kind in _COMPARISONS and len(numbers) == 2 else None  # noqa: PLR2004 - both


_COMPARISONS = {
    "-eq": int.__eq__,
    "-ne": int.__ne__,
    "-lt": int.__lt__,
    "-le": int.__le__,
    "-gt": int.__gt__,
    "-ge": int.__ge__,
}
CONDITIONS: Mapping[str, Callable[[Sequence[ScriptWord]], bool | None]] = {
    "[": lambda words: truth(words[1:-1]),
    "test": lambda words: truth(words[1:]),
    "true": lambda _: True,
    ":": lambda _: True,
    "false": lambda _: False,
}
"""Commands that only succeed or fail."""
