"""Markdown that user text cannot break: every character with a meaning is escaped."""

import re
from collections.abc import Sequence

from pulumi_gke_tpu.findings import printable

_SPECIAL = re.compile(r"([\\`*\[\]#|~$]|(?<!\w)_|_(?!\w))")
_LEADING = re.compile(r"(?:[-+]|\d+[.)])(?=\s)|[=>]")
_INVISIBLE = "\u2060"
"""A word joiner: what it stands in is no mention and no link any more, and reads as before."""


def text(value: str) -> str:
    """Inline text: no markup, no HTML, no mention, no automatic link."""
    safe = printable(value, 1000).replace("&", "&amp;").replace("<", "&lt;")
    safe = _SPECIAL.sub(r"\\\1", safe)
    if _LEADING.match(safe):
        safe = f"{_INVISIBLE}{safe}"
    safe = safe.replace("@", f"@{_INVISIBLE}").replace("://", f":{_INVISIBLE}//")
    return safe.replace("www.", f"www{_INVISIBLE}.")


def code(value: str) -> str:
    """Inline code, whatever backticks it contains."""
    safe = printable(value, 1000)
    fence = "`" * (max((len(run) for run in re.findall("`+", safe)), default=0) + 1)
    padding = " " if safe.startswith("`") or safe.endswith("`") or not safe else ""
    return f"{fence}{padding}{safe}{padding}{fence}"


def fenced(block: str, language: str) -> str:
    """A code block, whatever fences it contains."""
    fence = "`" * max(3, max((len(run) for run in re.findall("`+", block)), default=0) + 1)
    return f"{fence}{language}\n{block}\n{fence}"


def table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table; empty without rows."""
    if not rows:
        return ""
    lines = [headings, ["---"] * len(headings), *([text(cell) for cell in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
