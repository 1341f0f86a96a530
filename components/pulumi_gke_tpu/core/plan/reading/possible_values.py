"""Possible values of a key whose value cannot be read: a finding that all of them cause is certain."""

import datetime
import itertools
from collections.abc import Iterator, Sequence
from typing import Any, get_args, get_origin

from pydantic import ValidationError

from pulumi_gke_tpu.core.catalog import Catalog, read_catalog
from pulumi_gke_tpu.core.plan.base import PlanModel, Unknown
from pulumi_gke_tpu.core.plan.keys import field_of, inner_type, is_plan_model, type_at
from pulumi_gke_tpu.core.plan.reading.corrections import accepts, fits, is_taken
from pulumi_gke_tpu.core.text.findings import Path
from pulumi_gke_tpu.core.text.formats.property_path import value_at

ABSENT: Any = object()
"""Stands for an entry that is left out."""

MOST = 12
"""Maximum number of values per key. A finding that does not follow from the others rarely holds for so many."""

_MOST_OF_OTHERS = 4

_ITEM = 4
"""Length of the path of a slice group: nothing is left to check if it is left out."""

_NUMBERS = (1, 0, 2, 8, 16, 30, 64, 100, 256, 1000)
_DURATIONS = ("4h", "24h", "30m", "3d", "7d", "60s")
_TIMES = ("2026-01-03T02:00:00Z", "2020-01-01T00:00:00Z", "2030-12-31T00:00:00Z")
_DAYS = ("2030-12-31", "2020-01-01", "2026-06-30")
_TEXTS = ("stand-in-a", "stand-in-b")
_BY_TYPE: dict[Any, Sequence[Any]] = {
    str: (Unknown(), *_TEXTS),
    bool: (True, False),
    int: _NUMBERS,
    float: _NUMBERS,
    datetime.timedelta: _DURATIONS,
    datetime.datetime: _TIMES,
    datetime.date: _DAYS,
}


def possible_values(root: type[PlanModel], data: object, path: Path) -> tuple[tuple[Path, Any], ...]:
    """Values for the entry at ``path``, each with its path: ``ABSENT`` if it can be left out.

    ``data`` is the document. If no value is known, for example for a required name, the smallest part around the entry
    that can be left out is ``ABSENT``. The tuple is empty if that is the whole cluster or slice group.
    """
    found = [(path, value) for value in _values(root, data, path)]
    is_required = isinstance(path[-1], str) and _required_by_others(root, data, path)
    optional = _optional_part(root, path[:-1] if is_required else path)
    without = optional == path and isinstance(path[-1], str)
    if optional is not None and (without or not found):
        found.insert(0, (optional, ABSENT))
    return tuple(found[:MOST])


def _optional_part(root: type[PlanModel], path: Path) -> Path | None:
    """The smallest part that contains an entry and can be left out, below the cluster or slice group."""
    least = _ITEM if path[2:3] == ("slices",) else 2
    for end in range(len(path), least, -1):
        part = type_at(root, path[: end - 1])
        field = field_of(part, str(path[end - 1])) if is_plan_model(part) else None
        if (field is None and not is_plan_model(part)) or (field is not None and not field.is_required()):
            return path[:end]
    return None


def _required_by_others(root: type[PlanModel], data: object, path: Path) -> bool:
    """Whether the other keys, or their absence, require the one at ``path``, although its field is optional."""
    part: Any = type_at(root, path[:-1])
    for step in path[:-1]:
        data = _below(data, step)
    if not is_plan_model(part) or not isinstance(data, dict):
        return False
    others = {key: value for key, value in data.items() if key != path[-1]}
    if not others and not is_taken(root, path[:-1], others):
        return True  # such as `capacity: {}`
    try:
        part.model_validate(others)
    except ValidationError as error:
        return any(each["type"] == "missing" and each["loc"] == path[-1:] for each in error.errors(include_url=False))
    return False


def _below(data: object, step: str | int) -> object:
    """The value at a step; None for an entry that the file does not have, such as one that a fix adds."""
    if isinstance(data, dict):
        return data.get(step)
    return data[step] if isinstance(data, list) and isinstance(step, int) and step < len(data) else None


def _values(root: type[PlanModel], data: object, path: Path) -> Iterator[Any]:
    part, name = type_at(root, path[:-1]), str(path[-1])
    kind = type_at(root, path)
    candidates = itertools.chain(_by_name(name, data, path), _of_others(root, data, path), _by_kind(kind))
    if is_plan_model(part):
        yield from (value for value in candidates if fits(part, name, value))
    elif kind not in (None, Any):
        yield from (value for value in candidates if accepts(kind, value))


def _of_others(root: type[PlanModel], data: object, path: Path) -> Sequence[Any]:
    """For a list or a mapping of numbers: what the same key of other items has, such as the namespaces of a queue."""
    kind = type_at(root, path)
    if get_origin(kind) not in (list, dict):
        return ()
    found = [data]
    for end, step in enumerate(path):
        is_key = is_plan_model(type_at(root, path[:end]))
        mappings = [each for each in found if isinstance(each, dict)]
        found = [item for each in mappings for item in ((each.get(step),) if is_key else each.values())]
    others: list[Any] = []
    for each in found:
        if each and each not in others and len(others) < _MOST_OF_OTHERS and accepts(kind, each):
            others.append(each)
    return others


def _by_kind(kind: Any) -> Sequence[Any]:
    if get_origin(kind) is dict:
        values = _BY_TYPE.get(inner_type(get_args(kind)[-1]), ())
        return [{_TEXTS[0]: value} for value in values[:1]]
    if get_origin(kind) is not None and get_origin(kind) not in (dict, list):
        return get_args(kind)  # the words of a Literal
    if is_plan_model(kind):
        kinds = {name: inner_type(field.annotation) for name, field in kind.model_fields.items()}
        required = {
            name: next(iter(_by_kind(kinds[name])), None) for name in kinds if kind.model_fields[name].is_required()
        }
        return ({}, *({name: True} for name in kinds if kinds[name] is bool), required)
    return _BY_TYPE.get(kind, ())


def _by_name(name: str, data: object, path: Path) -> Sequence[str]:
    """Values that the catalog knows, those that suit the slice group or cluster first."""
    catalog = read_catalog()
    group, cluster = _mapping_at(data, path[:_ITEM]), _mapping_at(data, path[:2])
    if name == "tpu":
        return catalog.generation_names
    if name == "topology":
        return _spread(_topologies(catalog, group.get("tpu")))
    if name in ("zone", "location"):
        zones = sorted({zone for family in catalog.zones.families.values() for zone in family.documented.zones})
        around = str(cluster.get("location") or "")
        inside = [zone for zone in zones if around and zone.startswith(around)]
        if name == "zone":
            return (*inside, *_spread([zone for zone in zones if zone not in inside]))
        regions = sorted({zone.rpartition("-")[0] for zone in zones})
        of_group = [str(each.get("zone")) for each in _groups(cluster) if isinstance(each.get("zone"), str)]
        return (*dict.fromkeys(zone.rpartition("-")[0] for zone in of_group), *_spread(regions))
    return ()


def _topologies(catalog: Catalog, tpu: object) -> list[str]:
    names = [tpu] if isinstance(tpu, str) and tpu in catalog.generation_names else catalog.generation_names
    rows = (row for name in names for row in catalog.generation(str(name)).topologies.rows)
    return list(dict.fromkeys(str(row.topology) for row in rows))


def _spread(values: Sequence[str]) -> Sequence[str]:
    """Some of the values, from all over the list."""
    return values[:: max(1, -(-len(values) // (MOST - 2)))]


def _mapping_at(data: object, path: Path) -> dict[str, Any]:
    found = value_at(data, path)
    return found if isinstance(found, dict) else {}


def _groups(cluster: dict[str, Any]) -> list[dict[str, Any]]:
    groups = cluster.get("slices")
    return [group for group in groups.values() if isinstance(group, dict)] if isinstance(groups, dict) else []
