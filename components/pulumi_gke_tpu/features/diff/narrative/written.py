"""Finds the changed keys of a plan, sorted by the effect of their changes, in the notation of a plan."""

import datetime
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from pulumi_gke_tpu.core.catalog.spelling import camel_case
from pulumi_gke_tpu.core.fleet import Cluster, SliceGroup
from pulumi_gke_tpu.core.fleet.pairs import protected_as_written
from pulumi_gke_tpu.core.fleet.settings import ClusterSettings
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.graph.keys import CLUSTER_KEYS, RESOURCES, KeyEffect, is_within, plan_keys
from pulumi_gke_tpu.core.plan import Plan, SliceGroupSpec
from pulumi_gke_tpu.core.plan.base import PlanModel, Resource, Unknown, format_duration
from pulumi_gke_tpu.core.plan.capacity import Capacity
from pulumi_gke_tpu.core.plan.slices import Taint
from pulumi_gke_tpu.core.text.findings import printable
from pulumi_gke_tpu.core.text.patterns import lazy_pattern
from pulumi_gke_tpu.features.diff.model import CLASSES, ChangeClass, ResourceChange, WrittenChange

_EXTRA = "extra."
_ENTRY = lazy_pattern(r'(cpu_pools|workload_policies|additional_networks)(?:\.([^.\[]+)|\["([^]]*)"\])')
"""An entry of a mapping for which the cluster has resources with the names of mapping and entry in theirs."""


@frozen
class Causes:
    """The changed keys that can cause the changes of an item."""

    changes: Sequence[ResourceChange]
    """The changes of its resources."""
    effect: ChangeClass
    """The class of the whole item: a resource that is created or deleted counts only if it decides the class."""
    of_group: bool
    """Whether the item is a slice group, so that its node pools have TPUs."""

    def most_dangerous_first(self, written: Sequence[WrittenChange], above: str) -> tuple[WrittenChange, ...]:
        """Changed keys: first the decisive ones, then by the worst change of a property that they set.

        ``above`` is the prefix ``CLUSTER_KEYS`` or ``GROUP_KEYS``.
        """
        decisive = self.decisive(written, above)
        ranked = (min(self._ranks(item.key, above), default=len(CLASSES)) for item in written)
        order = sorted(zip(written, ranked, strict=True), key=lambda pair: (pair[0].key not in decisive, pair[1]))
        return tuple(item for item, _ in order)

    def decisive(self, written: Iterable[WrittenChange], above: str) -> tuple[str, ...]:
        """The changed keys that set a property whose change decides the class of the item, each once."""
        rank = CLASSES.index(self.effect)
        return tuple(dict.fromkeys(item.key for item in written if rank in self._ranks(item.key, above)))

    def _ranks(self, key: str, above: str) -> Iterator[int]:
        """The class of every change that a key contributes to, as its index in the order of classes."""
        entry = _ENTRY.match(key) if above == CLUSTER_KEYS else None
        place = f"/{entry[1]}/{entry[2] or entry[3]}/" if entry else "/"
        own = key[entry.end() + 1 :] if entry else key
        key = f"{entry[1]}.*.{own}" if entry else key
        keys = plan_keys()
        effects = [*keys.around(f"{above}{key}"), *(keys.around(key) if above == CLUSTER_KEYS else ())]
        for change in self.changes:
            if place not in f"{change.name}/":
                continue
            for difference in change.differences:
                if any(_alike(difference.path, name) for name in self._properties(own, effects, change.type)):
                    yield CLASSES.index(difference.effect)
            decides = change.operation in ("create", "delete") and change.effect == self.effect
            if decides and (entry or any(self._is(name, change.type) for item in effects for name in item.creates)):
                yield CLASSES.index(change.effect)

    def _properties(self, key: str, effects: Iterable[KeyEffect], resource_type: str) -> Iterator[str]:
        """The properties and options of a type of resource that a key sets."""
        if key.startswith(_EXTRA):
            yield camel_case(key.removeprefix(_EXTRA))
        for item in effects:
            if item.option:
                yield item.option
            for name, properties in item.sets.items():
                if self._is(name, resource_type):
                    yield from properties

    def _is(self, resource: Resource, resource_type: str) -> bool:
        """Whether a resource of a key can be one of this type that belongs to the item."""
        others = ("system pool", "CPU pool") if self.of_group else ("TPU node pool",)
        return RESOURCES[resource] == resource_type and resource not in others


def _alike(path: str, name: str) -> bool:
    return is_within(path, name) or is_within(name, path)


_PLAIN_KEY = lazy_pattern(r"[A-Za-z_][A-Za-z0-9_-]*\Z")
_NEEDS_QUOTES = lazy_pattern(r"\s|[][{},#&*!|>'\"%@`]|:\s|\A[-?:]\s?\Z|\A\Z")


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


_SHAPE_KEYS = ("tpu", "topology", "chips", "chips_per_host", "machine_type")
_COUNT_KEYS = ("count", "min", "max", "indices")
_GROUP_KEYS = {*_SHAPE_KEYS, *_COUNT_KEYS, "capacity", "fallback", "zone", "zones", "name", "protect"}
"""Keys with several notations for one value, which are compared by their derived values."""


def written_in_group(was: SliceGroup, will: SliceGroup) -> tuple[WrittenChange, ...]:
    """The changed keys of a slice group, in the order of the plan format."""
    return tuple(
        _changes(
            _shape(was, will),
            _count(was, will),
            _zones(was, will),
            _capacity(was.plan.capacity, will.plan.capacity),
            _leaf("fallback", was.plan.fallback or None, will.plan.fallback or None),
            _protect(was, will),
            _leaf("name", was.name, will.name),
            _parts("", was.plan, will.plan, skipped=_GROUP_KEYS),
        )
    )


def written_in_cluster(was: Cluster, will: Cluster, before: Plan, after: Plan) -> tuple[WrittenChange, ...]:
    """The changed keys of a cluster and of the whole plan.

    A cluster from before the plan has no defaults: a key that states the default is a change.
    """
    private = [ClusterSettings(cluster).private_nodes.value for cluster in (was, will)]
    stated = was.predates_plan and will.predates_plan
    return tuple(
        _changes(
            _leaf("project", before.project, after.project),
            _differences("resource_labels", before.resource_labels, after.resource_labels),
            _leaf("name", was.name, will.name),
            _leaf("private_nodes", *private),
            _parts("", was.plan, will.plan, skipped={"slices", "name", "private_nodes"}, stated=stated),
        )
    )


def _changes(*found: Iterable[tuple[str, Any, Any]]) -> Iterator[WrittenChange]:
    """As text. Different values with the same shortened text are still reported."""
    for part in found:
        for key, was, will in part:
            yield WrittenChange(key, spelled(was), spelled(will))


_Change = tuple[str, Any, Any]


def _zones(was: SliceGroup, will: SliceGroup) -> Iterator[_Change]:
    """The zones; `zones` with one entry is the same as `zone`."""
    if len(was.zones) <= 1 and len(will.zones) <= 1:
        yield from _leaf("zone", was.zone, will.zone)
    elif was.zones != will.zones:
        yield "zones", list(was.zones), list(will.zones)


def _shape(was: SliceGroup, will: SliceGroup) -> Iterator[_Change]:
    """Generation, topology and machine type as derived: ``chips: 256`` can equal ``topology: 16x16``."""
    if was.shape == will.shape:
        return
    yield from _leaf("tpu", was.plan.tpu, will.plan.tpu)
    yield from _leaf("topology", str(was.shape.topology), str(will.shape.topology))
    if was.shape.generation == will.shape.generation:
        per_host = (was.shape.chips_per_host, will.shape.chips_per_host)
        if was.plan.chips_per_host is not None or will.plan.chips_per_host is not None:
            yield from _leaf("chips_per_host", *per_host)
        elif was.shape.topology == will.shape.topology or was.plan.machine_type or will.plan.machine_type:
            yield from _leaf("machine_type", was.shape.machine_type, will.shape.machine_type)


def _count(was: SliceGroup, will: SliceGroup) -> Iterator[_Change]:
    """The number of slices, in any notation: ``count: 2`` and ``indices: [0, 1]`` are the same."""
    if _counted(was) == _counted(will):
        return
    if (was.compute_class is None) != (will.compute_class is None):
        # The same `count` is a fixed number of slices before, and the largest number after.
        for key in _COUNT_KEYS:
            yield from _leaf(key, getattr(was.plan, key), getattr(will.plan, key))
        return
    before, after = _as_count(was), _as_count(will)
    if before.keys() != after.keys():
        yield from ((key, before.get(key), after.get(key)) for key in dict.fromkeys((*before, *after)))
        return
    for key in before:
        yield from _differences(key, before[key], after[key])


def _counted(group: SliceGroup) -> tuple[Any, ...]:
    indices = tuple(pool.index for pool in group.pools)
    return group.slices, group.autoscaled, indices


def _as_count(group: SliceGroup) -> dict[str, Any]:
    plan: SliceGroupSpec = group.plan
    if plan.indices is not None:
        return {"indices": plan.indices}
    if group.autoscaled:
        return {"count": {"min": group.slices.minimum, "max": group.slices.maximum}}
    return {"count": group.slices.maximum}


def _capacity(was: Capacity, will: Capacity) -> Iterator[_Change]:
    before, after = _only_name(was), _only_name(will)
    if before and after:
        yield from _leaf("capacity.reservation", before, after)
    elif was.mode == will.mode:
        yield from _parts("capacity", was, will)
    else:
        yield "capacity", _as_capacity(was), _as_capacity(will)


def _as_capacity(capacity: Capacity) -> object:
    """The name of the mode if it has no other keys; for a reservation with only a name, this name."""
    settings: PlanModel | None = capacity.reservation or capacity.flex_start
    if settings is None or not settings.model_fields_set:
        return capacity.mode
    return {capacity.mode: _only_name(capacity) or settings}


def _only_name(capacity: Capacity) -> str:
    """The name of a reservation without other keys."""
    reservation = capacity.reservation
    return reservation.name if reservation is not None and reservation.model_fields_set == {"name"} else ""


def _protect(was: SliceGroup, will: SliceGroup) -> Iterator[_Change]:
    """Only the key in the plan: a change of the capacity also changes the protection, without this key."""
    if protected_as_written(was) != protected_as_written(will):
        yield from _leaf("protect", was.plan.protect, will.plan.protect)


def _parts(
    key: str, was: PlanModel, will: PlanModel, skipped: Iterable[str] = (), *, stated: bool = False
) -> Iterator[_Change]:
    """The keys below two parts of one kind. ``stated``: a key that the plan does not state has no value."""
    left_out = set(skipped)
    for name, field in type(will).model_fields.items():
        if name in left_out:
            continue
        path = step(key, field.alias or name)
        before, after = (getattr(part, name) if part.written(name) or not stated else None for part in (was, will))
        if stated and isinstance(before, PlanModel) and isinstance(after, PlanModel):
            yield from _parts(path, before, after, stated=True)
        else:
            yield from _differences(path, before, after)


def _differences(key: str, was: object, will: object) -> Iterator[_Change]:
    """The differences of two values, key by key while both have keys. Unknown values count as equal."""
    if was == will or isinstance(was, Unknown) or isinstance(will, Unknown):
        return
    if isinstance(was, PlanModel) and isinstance(will, PlanModel):
        yield from _parts(key, was, will)
    elif isinstance(was, PlanModel | dict) and will is None:
        yield from ((place, value, None) for place, value in _leaves(key, was))
    elif isinstance(will, PlanModel | dict) and was is None:
        yield from ((place, None, value) for place, value in _leaves(key, will))
    elif isinstance(was, dict) and isinstance(will, dict):
        for name in sorted(was.keys() | will.keys(), key=str):
            yield from _differences(step(key, str(name)), was.get(name), will.get(name))
    elif isinstance(was, list) and isinstance(will, list):
        yield from _lists(key, was, will)
    else:
        yield key, was, will


def _leaf(key: str, was: object, will: object) -> Iterator[_Change]:
    if was != will:
        yield key, was, will


def _leaves(key: str, value: PlanModel | Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Every value of a plan model with its key; the model itself if it has none."""
    items: list[tuple[str, Any]]
    if isinstance(value, PlanModel):
        fields = type(value).model_fields
        items = [(field.alias or name, getattr(value, name)) for name, field in fields.items() if value.written(name)]
    else:
        items = sorted((str(name), item) for name, item in value.items())
    if not items:
        yield key, {}
    for name, item in items:
        if isinstance(item, PlanModel) or (isinstance(item, dict) and item):
            yield from _leaves(step(key, name), item)
        else:
            yield step(key, name), item


def _lists(key: str, was: list[Any], will: list[Any]) -> Iterator[_Change]:
    """Texts by value, taints by key and effect, and ordered lists as a whole."""
    values = [*was, *will]
    if all(isinstance(item, str) for item in values):
        before, after = set(was), set(will)
        yield from ((key, item, None) for item in sorted(before - after))
        yield from ((key, None, item) for item in sorted(after - before))
    elif all(isinstance(item, Taint) for item in values):
        before_by, after_by = _taints(was), _taints(will)
        for name in sorted(before_by.keys() | after_by.keys()):
            yield from _differences(step(key, name), before_by.get(name), after_by.get(name))
    else:
        yield key, was, will


def _taints(taints: list[Taint]) -> dict[str, str]:
    """Values by their identity. An empty value differs from a missing one."""
    return {f"{taint.key}:{taint.written_effect}": taint.value or '""' for taint in taints}
