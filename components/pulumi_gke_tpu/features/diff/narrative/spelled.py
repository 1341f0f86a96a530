"""Values in the notation of a plan, on one line that is safe to print."""

import datetime
import re
from typing import Any

from pulumi_gke_tpu.core.plan.base import PlanModel, format_duration
from pulumi_gke_tpu.core.text.findings import printable

_PLAIN_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*\Z")
_NEEDS_QUOTES = re.compile(r"\s|[][{},#&*!|>'\"%@`]|:\s|\A[-?:]\s?\Z|\A\Z")


def spelled(value: object) -> str:
    """A value as in a plan: ``true``, ``3d``, ``2026-12-20T00:00:00Z``, ``{min: 0, max: 8}``. None is empty."""
    return "" if value is None else printable(_text(value))


def step(key: str, name: str) -> str:
    """The path of a key below another one, with a dot; a key that is not a plain word is in brackets."""
    if not _PLAIN_KEY.match(name):
        quoted = name.replace("\\", "\\\\").replace('"', '\\"')
        return f'{key}["{printable(quoted, 80)}"]'
    return f"{key}.{name}" if key else name


def _text(value: object) -> str:
    if isinstance(value, PlanModel):
        return _mapping({name: item for name, item in _keys(value).items() if value.written(name)}, value)
    if isinstance(value, dict):
        return _mapping(value)
    if isinstance(value, list | tuple):
        return f"[{', '.join(_inner(item) for item in value)}]"
    return _scalar(value)


def _scalar(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime.datetime):
        # Not strftime, which writes years below 1000 without their zeros on some systems.
        return value.replace(tzinfo=None, microsecond=0).isoformat() + "Z"
    return format_duration(value) if isinstance(value, datetime.timedelta) else str(value)


def _keys(part: PlanModel) -> dict[str, Any]:
    return {name: getattr(part, name) for name in type(part).model_fields}


def _mapping(items: dict[str, Any], part: PlanModel | None = None) -> str:
    fields = type(part).model_fields if part is not None else {}
    names = {name: (fields[name].alias or name) if name in fields else str(name) for name in items}
    return f"{{{', '.join(f'{_inner(names[name])}: {_inner(item)}' for name, item in items.items())}}}"


def _inner(value: object) -> str:
    """A value inside brackets, in quotes if YAML would not read it as one word."""
    if value is None:
        return "null"
    text = _text(value)
    if isinstance(value, str) and _NEEDS_QUOTES.search(text):
        escaped = text.replace("\\", "\\\\").replace('"', '\\"')
        return f'"{escaped}"'
    return text
