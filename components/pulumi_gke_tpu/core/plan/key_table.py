"""Every key of a plan, an inventory and an organization file, with an example, from the models that read them."""

import datetime
import functools
import pathlib
import textwrap
import types
from collections.abc import Iterator, Sequence
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import yaml
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.plan import Plan, read_plan
from pulumi_gke_tpu.core.plan.base import PlanModel
from pulumi_gke_tpu.core.plan.files.kinds import ORGANIZATION
from pulumi_gke_tpu.core.plan.inventory import Inventory
from pulumi_gke_tpu.core.plan.keys import (
    documented_keys,
    is_plan_model,
    meaning_on_autopilot,
    meaning_on_existing,
    unmarked,
    written_type,
)
from pulumi_gke_tpu.core.plan.schema import plan_data
from pulumi_gke_tpu.core.text.findings.emit import emit_entry
from pulumi_gke_tpu.core.text.yamlfile import read_yaml

_ON_AUTOPILOT = {
    "same": "same",
    "refused": "refused",
    "legacy": "legacy types only",
    "noted": "no effect",
    "region": "not every value",
}
_ON_EXISTING = {"same": "same", "fact": "fact", "refused": "refused", "only": "only there"}
_TYPE_NAMES: dict[Any, str] = {
    str: "text",
    int: "whole number",
    float: "number",
    bool: "true or false",
    datetime.datetime: "timestamp",
    datetime.timedelta: "duration",
    datetime.date: "day",
    Any: "anything",
}


@frozen
class PlanKey:
    """One key: its complete path with ``*`` for names that the user chooses, and its cells in the table."""

    path: str
    kind: str
    default: str
    description: str
    on_autopilot: str
    on_existing: str
    """What the key means on a cluster that exists already."""

    @property
    def parent(self) -> str:
        """The path of the mapping that holds the key; empty for the plan itself."""
        return self.path.rpartition(".")[0]

    @property
    def name(self) -> str:
        """The key itself."""
        return self.path.rpartition(".")[2]


@functools.cache
def plan_keys() -> tuple[PlanKey, ...]:
    """Every key of a plan, depth first."""
    return tuple(_keys(Plan))


def inventory_keys() -> tuple[PlanKey, ...]:
    """Every key of an inventory, depth first."""
    return tuple(_keys(Inventory))


def organization_keys() -> tuple[PlanKey, ...]:
    """Every key of an organization file, depth first."""
    return tuple(_keys(ORGANIZATION.model))


def _keys(root: type[PlanModel]) -> Iterator[PlanKey]:
    on_autopilot: dict[str, str] = {}
    on_existing: dict[str, str] = {}
    for path, field, _ in documented_keys(root):
        yield PlanKey(
            path=path,
            kind=_type_name(written_type(field)),
            default=_default(field),
            description=field.description or "",
            on_autopilot=_ON_AUTOPILOT[_inherited(path, meaning_on_autopilot(field), on_autopilot)],
            on_existing=_ON_EXISTING[_inherited(path, meaning_on_existing(field), on_existing)],
        )


def _inherited(path: str, meaning: str, above: dict[str, str]) -> str:
    """The meaning of a key, or that of a key above it: ``above`` collects those that hold for everything below."""
    inherited = next((word for key, word in above.items() if path.startswith(f"{key}.")), meaning)
    if inherited in ("refused", "noted", "fact"):
        above[path] = inherited
    return inherited


def _default(field: FieldInfo) -> str:
    if field.is_required():
        return "required"
    if field.default is PydanticUndefined:
        return ""  # an empty mapping or list, or a part with defaults of its own
    value = field.default
    if isinstance(value, bool):
        return str(value).lower()
    return "" if value is None else str(value)


def _type_name(annotation: object) -> str:
    """A type in words."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _type_name(unmarked(annotation))
    if origin in (Union, types.UnionType):
        return ", or ".join(dict.fromkeys(_type_name(item) for item in arguments if item is not type(None)))
    if origin is Literal:
        return " ".join(f"`{str(item).lower() if isinstance(item, bool) else item}`" for item in arguments)
    if origin is list:
        return f"list of {_type_name(arguments[0])}"
    if origin is dict:
        return f"name -> {_type_name(arguments[1])}"
    return "mapping" if is_plan_model(annotation) else _TYPE_NAMES[annotation]


EVERY_KEY = pathlib.Path(__file__).parent / "every_key.yaml"
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
