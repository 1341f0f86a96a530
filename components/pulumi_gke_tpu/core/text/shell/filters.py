"""What common filters make of a text: those with which scripts read a table of node pools."""

import re
from collections.abc import Callable, Mapping, Sequence

from pulumi_gke_tpu.core.text.patterns import lazy_pattern

_NUMBER = lazy_pattern(r"(?:-n\s*)?(?P<sign>[-+]?)(?P<number>\d{1,6})", re.ASCII)


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
