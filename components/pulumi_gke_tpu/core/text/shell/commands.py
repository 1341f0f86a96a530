"""What commands of a shell do that only test, print or filter text, as far as the text of a script says it."""

import fnmatch
import re
from collections.abc import Callable, Mapping, Sequence

from pulumi_gke_tpu.core.text.patterns import lazy_pattern
from pulumi_gke_tpu.core.text.shell.model import ScriptWord

_NUMBER = lazy_pattern(r"(?:-n\s*)?(?P<sign>[-+]?)(?P<number>\d{1,6})", re.ASCII)
_MOST_NUMBERS = 1_000


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


def _echo(given: Sequence[str]) -> str | None:
    if given[:1] in (["-e"], ["-n"]):
        shown = " ".join(given[1:])
        return shown.replace("\\n", "\n") if given[0] == "-e" else shown
    return " ".join(given) if not any(text.startswith("-") for text in given) else None


def _printf(given: Sequence[str]) -> str | None:
    if given[:1] in (["%s\\n"], ["%s"]):
        end = "" if given[0] == "%s" else "\n"
        return "".join(f"{text}{end}" for text in given[1:])
    return given[0].replace("\\n", "\n") if len(given) == 1 and "%" not in given[0] else None


def _seq(given: Sequence[str]) -> str | None:
    """The numbers up to the last one, from the first one, or in steps."""
    if len(given) not in (1, 2, 3) or not all(re.fullmatch(r"-?\d{1,6}", text, re.ASCII) for text in given):
        return None
    numbers = [*map(int, given)]
    first, step, last = ([1, 1, *numbers], [numbers[0], 1, numbers[-1]], numbers)[len(numbers) - 1]
    found = range(first, last + (1 if step > 0 else -1), step) if step else range(0)
    return "\n".join(map(str, found)) if len(found) <= _MOST_NUMBERS else None


PRINTERS: Mapping[str, Callable[[Sequence[str]], str | None]] = {"echo": _echo, "printf": _printf, "seq": _seq}
"""Name -> what a command writes for its arguments; None if only a shell knows it."""


def filtered(name: str, options: Sequence[str], text: str) -> str | None:
    """The output of a filter for an input; None if it is not known how it changes the input."""
    lines = text.splitlines(keepends=True)
    kept = FILTERS[name](options, lines)
    return None if kept is None else "".join(kept)


def _same(options: Sequence[str], lines: list[str]) -> list[str] | None:
    return lines if not options else None


def _tail(options: Sequence[str], lines: list[str]) -> list[str] | None:
    match = _NUMBER.fullmatch(" ".join(options))
    if match is None:
        return None
    number = int(match["number"])
    return lines[max(number - 1, 0) :] if match["sign"] == "+" else lines[len(lines) - min(number, len(lines)) :]


def _head(options: Sequence[str], lines: list[str]) -> list[str] | None:
    match = _NUMBER.fullmatch(" ".join(options))
    return lines[: int(match["number"])] if match is not None and match["sign"] != "+" else None


def _without(options: Sequence[str], lines: list[str]) -> list[str] | None:
    """``grep -v`` of comments and of empty lines."""
    if len(options) != 2 or options[0] not in ("-v", "-vE", "-Ev"):  # noqa: PLR2004 - option and pattern
        return None
    pattern = options[1]
    comments, empty = "#" in pattern, "$" in pattern
    if not pattern.startswith("^") or not (comments or empty):
        return None
    return [
        line for line in lines if not (comments and line.lstrip().startswith("#")) and not (empty and not line.strip())
    ]


def _sed(options: Sequence[str], lines: list[str]) -> list[str] | None:
    return lines[1:] if list(options) == ["1d"] else None


def _sorted(options: Sequence[str], lines: list[str]) -> list[str] | None:
    return sorted(lines) if not options else None


FILTERS: Mapping[str, Callable[[Sequence[str], list[str]], list[str] | None]] = {
    "cat": _same,
    "tail": _tail,
    "head": _head,
    "grep": _without,
    "sed": _sed,
    "sort": _sorted,
}
"""Name -> what a filter keeps of the lines of its input."""
