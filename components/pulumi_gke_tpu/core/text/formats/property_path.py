"""Paths to properties as the engine writes and reads them: ``nodeConfig.taints[0].value``."""

import functools
from collections.abc import Iterable, Mapping
from typing import Any

from pulumi_gke_tpu.core.text.patterns import lazy_pattern

Step = str | int
Steps = tuple[Step, ...]

_NAME = lazy_pattern(r"\w+")
_STEP = lazy_pattern(r'\["((?:[^"\\]|\\.)*)"\]|\[(\d+|\*)\]|([^.\[]+)')


def format_steps(steps: Iterable[Step]) -> str:
    """The path of some steps; keys with characters other than letters and digits are in brackets."""
    text = ""
    for step in steps:
        if isinstance(step, int):
            text += f"[{step}]"
        elif _NAME.fullmatch(step):
            text += f".{step}" if text else step
        else:
            text += f'["{step}"]'
    return text


@functools.lru_cache(maxsize=1024)
def parse_path(text: str) -> Steps:
    """The steps of a path in a resource option; ``*`` stands for any step."""
    return tuple(_step(*groups) for groups in _STEP.findall(text))


def _step(key: str, index: str, name: str) -> Step:
    if index:
        return int(index) if index.isdecimal() else index
    return key or name


def contains(around: Steps, steps: Steps) -> bool:
    """Whether the path of an option contains a property: it is the same property, or one around it."""
    return len(around) <= len(steps) and all(wanted in ("*", step) for wanted, step in zip(around, steps, strict=False))


def set_value(tree: dict[str, Any], steps: Steps, value: Any) -> None:
    """Set a value inside mappings, which are made where there are none."""
    for step in map(str, steps[:-1]):
        tree = tree.setdefault(step, {})
    tree[str(steps[-1])] = value


def value_at(value: Any, steps: Iterable[Step]) -> Any:
    """The value at a path in mappings and lists; None where there is none."""
    for step in steps:
        if type(value) is dict or isinstance(value, Mapping):  # the first is faster, and nearly always right
            value = value.get(step)
        elif isinstance(value, list) and isinstance(step, int) and 0 <= step < len(value):
            value = value[step]
        else:
            return None
    return value


def values_at(value: Any, steps: Steps) -> list[Any]:
    """The values at a path with ``*`` for any entry of a list; without the places where there is none."""
    for index, step in enumerate(steps):
        if step == "*":
            rest = steps[index + 1 :]
            entries = value_at(value, steps[:index])
            return [found for entry in entries or () for found in values_at(entry, rest)]
    found = value_at(value, steps)
    return [] if found is None else [found]
