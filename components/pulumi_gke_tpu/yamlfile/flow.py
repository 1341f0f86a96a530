"""Writes values as YAML on one line, and entries of a list to paste."""

from collections.abc import Iterable
from typing import Any

import yaml


def flow(value: Any) -> str:
    """A value as YAML on one line, quoted where YAML needs it. Text that is not safe to print is escaped."""
    text = _dumped(value, allow_unicode=True)
    return text if text.isprintable() else _dumped(value, allow_unicode=False)


def to_add(key: str, entries: Iterable[str], *, listed: bool) -> str:
    """Entries to add to a list, each on one line already: the whole key, or below one that is there (``listed``)."""
    texts = tuple(entries)
    return "\n".join(f"- {text}" for text in texts) if listed else f"{key}: [{', '.join(texts)}]"


def _dumped(value: Any, *, allow_unicode: bool) -> str:
    text: str = yaml.safe_dump(
        value, default_flow_style=True, sort_keys=False, width=float("inf"), allow_unicode=allow_unicode
    )
    return text.removesuffix("...\n").strip()
