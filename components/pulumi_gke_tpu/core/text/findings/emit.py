"""Writes values for pasting: the text has the same meaning on a line of its own and between brackets.

The YAML library is imported where text needs it, because findings are part of every import.
"""

import functools
import io
import re
import sys
from collections.abc import Iterable
from typing import Any

from pulumi_gke_tpu.core.text.findings.wording import is_visible
from pulumi_gke_tpu.core.text.formats.yaml_scalars import resolve
from pulumi_gke_tpu.core.text.patterns import lazy_pattern

_SPECIAL = ("", "=", "<<", "y", "n", "Y", "N")
_COLONS = lazy_pattern(r"[A-Za-z0-9][\w.+-]*(?::[\w.+-]+)+\Z", re.ASCII)

_VERSION = lazy_pattern(r"\d+\.\d+\.\d+-gke\.", re.ASCII)
"""A version of GKE has quotes like its first two numbers, which are a number without quotes."""

LONGEST = 200
"""Maximum length of a text to offer: a part of it would have another meaning."""


def emit(value: object) -> str:
    """A value in one line of YAML, quoted where it must be; empty where it cannot be shown whole.

    Mappings and lists are written in flow style. ``value`` is plain data as it is read from a plan.
    """
    try:
        text = _written(value)
    except _Unshown:
        return ""
    return text if len(text) <= LONGEST else ""


def emit_entry(key: str, value: object) -> str:
    """``key: value`` in one line of YAML; empty where one of them cannot be shown whole."""
    name, text = emit(key), emit(value)
    return f"{name}: {text}" if name and text else ""


def emit_lines(key: str, value: object) -> str:
    """``key: value`` in one line, or each entry of a mapping on lines of its own if one line is too long."""
    whole = emit_entry(key, value)
    if whole or not isinstance(value, dict) or not value:
        return whole
    entries = [emit_lines(str(name), entry) for name, entry in value.items()]
    return "\n".join([f"{emit(key)}:", *entries]).replace("\n", "\n  ") if emit(key) and all(entries) else ""


def emit_block(key: str, value: object) -> str:
    """``key: value`` with mappings that contain mappings on several lines; empty like :func:`emit_entry`."""
    if not isinstance(value, dict) or not any(isinstance(entry, dict) for entry in value.values()):
        return emit_lines(key, value)
    entries = [emit_block(str(name), entry) for name, entry in value.items()]
    return "\n".join([f"{emit(key)}:", *entries]).replace("\n", "\n  ") if emit(key) and all(entries) else ""


class _Unshown(Exception):  # noqa: N818 - a signal inside this module
    """The value contains invisible characters, or is not plain data."""


def _written(value: object) -> str:
    if isinstance(value, bool) or value is None:
        return {True: "true", False: "false", None: "null"}[value]
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_written(str(key))}: {_written(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_written, value)) + "]"
    raise _Unshown


@functools.lru_cache(maxsize=10_000)
def _text(text: str) -> str:
    """A text, which many fixes repeat: the names of their keys, days and durations."""
    if len(text) > LONGEST or not is_visible(text):
        raise _Unshown
    if text not in _SPECIAL and not _VERSION.match(text) and resolve(text) == text and _is_plain(text):
        return text
    return in_quotes(text)


def in_quotes(text: str) -> str:
    """A text in double quotes, with escapes for what YAML does not read as it is."""
    import yaml

    quoted: str = yaml.safe_dump(text, default_style='"', allow_unicode=True, width=sys.maxsize)
    return quoted.rstrip("\n")


def _is_plain(text: str) -> bool:
    """Whether a text needs no quotes. The library also quotes every colon, which is common in times."""
    return _COLONS.match(text) is not None or _emitter().analyze_scalar(text).allow_flow_plain


@functools.cache
def _emitter() -> Any:
    import yaml

    return yaml.emitter.Emitter(io.StringIO(), allow_unicode=True)


def flow(value: object) -> str:
    """A value as YAML on one line, quoted where YAML needs it. Text that is not safe to print is escaped."""
    text = _dumped(value, allow_unicode=True)
    return text if text.isprintable() else _dumped(value, allow_unicode=False)


def to_add(key: str, entries: Iterable[str], *, listed: bool) -> str:
    """Entries to add to a list, each on one line already: the whole key, or below one that is there (``listed``)."""
    texts = tuple(entries)
    return "\n".join(f"- {text}" for text in texts) if listed else f"{key}: [{', '.join(texts)}]"


def _dumped(value: object, *, allow_unicode: bool) -> str:
    import yaml

    text: str = yaml.safe_dump(
        value, default_flow_style=True, sort_keys=False, width=float("inf"), allow_unicode=allow_unicode
    )
    return text.removesuffix("...\n").strip()
