"""Reports keys without a value, which would otherwise count as not set."""

from collections.abc import Iterator
from typing import Any

from pulumi_gke_tpu.core.text.findings import Finding, Path, SetKeys, Severity, quoted

_FREE = "extra"
"""The keys below it are properties of the provider, which may accept an empty value."""

_DEFAULTS = "flex_start"
"""This key needs no value."""


def empty_values(data: object, path: Path = ()) -> Iterator[Finding]:
    """A finding for every key or list entry without a value. The caller skips an explicit null."""
    entries: Iterator[tuple[str | int, Any]] = iter(())
    if isinstance(data, dict):
        entries = ((key, value) for key, value in data.items() if key != _FREE)
    elif isinstance(data, list):
        entries = iter(enumerate(data))
    for step, value in entries:
        if value is None and step != _DEFAULTS:
            yield _empty((*path, step))
        else:
            yield from empty_values(value, (*path, step))


def _empty(path: Path) -> Finding:
    key = path[-1]
    name = quoted(key) if isinstance(key, str) else "an entry of the list"
    return Finding(
        "TPU022",
        Severity.ERROR,
        path,
        f"{name} has no value",
        why="an empty value would count as a missing key, but only a key that is not set gets the default",
        change=SetKeys.of(create={}) if key == "create" else None,
    )
