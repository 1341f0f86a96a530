"""An example for every plan key, from one valid plan that has all of them."""

import functools
import textwrap
from collections.abc import Iterator, Sequence
from pathlib import Path

import yaml

from pulumi_gke_tpu.core.plan import read_plan
from pulumi_gke_tpu.core.plan.canonical import plan_data
from pulumi_gke_tpu.core.text.findings.emit import emit_entry
from pulumi_gke_tpu.core.text.yamlfile import read_yaml

EVERY_KEY = Path(__file__).parent / "every_key.yaml"
"""The plan. Tests validate it and check that it has every key."""

_NAMES = {"clusters": "train", "slices": "pretrain", "cpu_pools": "loaders"}
"""The keys of mappings whose entries are items of a plan, and the name of an item in an example."""


def example_of(path: str) -> str:
    """The shortest example of a key as a part of a plan in YAML; empty if there is none.

    ``path`` is a path of ``documented_keys``. The example has the whole entry of the plan, cluster or slice group that
    contains the key.
    """
    steps = path.split(".")
    item = _item_of(steps)
    entries = [entry for data in (_as_written(), _canonical()) for entry in _entries(data, steps, len(item))]
    text = min((_text(*entry) for entry in entries), key=len, default="")
    for mapping in reversed(item[::2]) if text else ():
        text = f"{mapping}:\n  {_NAMES[mapping]}:\n{textwrap.indent(text, '    ')}"
    return text


def _text(key: str, value: object) -> str:
    """An entry in one line, or in several if it is long."""
    return emit_entry(key, value) or yaml.safe_dump({key: value}, sort_keys=False).rstrip()


@functools.cache
def _as_written() -> object:
    return read_yaml(EVERY_KEY).data


@functools.cache
def _canonical() -> object:
    plan = read_plan(EVERY_KEY).content
    return {} if plan is None else plan_data(plan)


def _item_of(steps: Sequence[str]) -> Sequence[str]:
    """The beginning of a path that leads to the innermost cluster or slice group with the key."""
    if steps[:2] != ["clusters", "*"] or len(steps) < len(("clusters", "*", "key")):
        return ()
    inner = steps[2] in _NAMES and steps[3:4] == ["*"] and len(steps) > len(("clusters", "*", "slices", "*"))
    return steps[:4] if inner else steps[:2]


def _entries(data: object, steps: Sequence[str], depth: int) -> Iterator[tuple[str, object]]:
    """For each item that has the key, its entry that contains the key. Of a mapping of items, one item is enough."""
    key = steps[depth].removesuffix("[]")
    for item in values_at(data, steps[:depth]):
        if not isinstance(item, dict) or not any(True for _ in values_at(item, steps[depth:])):
            continue
        if key in _NAMES:
            yield from ((key, {_NAMES[key]: value}) for value in item[key].values())
        else:
            yield key, item[key]


def values_at(data: object, steps: Sequence[str]) -> Iterator[object]:
    """The values at a path of ``documented_keys``."""
    if not steps:
        yield data
        return
    step, name = steps[0], steps[0].removesuffix("[]")
    if not isinstance(data, dict) or (name != "*" and name not in data):
        return
    below = list(data.values()) if name == "*" else [data[name]]
    for value in below:
        for entry in value if step.endswith("[]") and isinstance(value, list) else [value]:
            yield from values_at(entry, steps[1:])
