"""What the provider would change if a plan had a cluster or node pool, and what the plan leaves as it is."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from pulumi_gke_tpu.core.against_plan.live import LiveCluster, LivePool
from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.graph.differences import (
    LaterValues,
    PropertyDiff,
    find_differences,
    says_something,
    without_unsaid,
)
from pulumi_gke_tpu.core.graph.model import Resource
from pulumi_gke_tpu.core.graph.property_values import ABSENT
from pulumi_gke_tpu.core.graph.resource_types import NODE_POOL
from pulumi_gke_tpu.core.graph.semantics import Semantics
from pulumi_gke_tpu.core.objects.document import mapping, text
from pulumi_gke_tpu.core.plan.base import Unknown
from pulumi_gke_tpu.core.resources.model import RawResource, SourceFormat
from pulumi_gke_tpu.core.resources.values import UNKNOWN
from pulumi_gke_tpu.core.text.formats.names import is_set_by_gke
from pulumi_gke_tpu.core.text.formats.property_path import Steps, contains, format_steps, parse_path, value_at

_NOTHING_LATER = LaterValues({}, set(), {})


@frozen
class Outcome:
    """The properties in which a resource and the plan differ."""

    planned: tuple[PropertyDiff, ...]
    """What the provider would change."""
    left: tuple[PropertyDiff, ...]
    """What differs and stays as it is, because Pulumi does not compare it."""
    lost: tuple[PropertyDiff, ...]
    """What only exists, and would not be there after a replacement, property by property."""


class ResourceComparer:
    """Compares resources of one type with those of a plan."""

    def __init__(self, catalog: Catalog, resource_type: str = NODE_POOL) -> None:
        self._not_read = catalog.platform.imports.node_pool
        self._assigned = catalog.platform.imports.assigned
        self._is_pool = resource_type == NODE_POOL
        self._families = catalog.disks.families
        self._added = [item for item in catalog.gke_adds[NODE_POOL] if item.added_to == "tpu" and item.stored]
        self.semantics = Semantics(catalog.provider, resource_type, catalog.disks.families)

    def drift(self, live: LivePool | LiveCluster, resource: Resource) -> tuple[PropertyDiff, ...]:
        """What the provider would change, as far as the source and the plan show it, and the taints of adopted nodes.

        Pulumi does not compare these taints, because an import does not read them. Neither side shows a value that is
        known only when other resources exist, and an answer of the API lacks what only the provider has. Labels that
        GKE set itself are not the plan's.
        """
        planned = [item for item in self._planned(live.values, resource) if self._shows(live.raw, item)]
        return (*planned, *_differing_taints(live.values, resource))

    def _shows(self, raw: RawResource, item: PropertyDiff) -> bool:
        known = self.semantics.properties.get(str(item.steps[0]))
        if raw.origin.source is SourceFormat.API and known is not None and known.change == "client-side":
            return False
        if item.will is ABSENT and is_set_by_gke(str(item.steps[-1])):
            return False
        parts = (value_at(raw.values.data, item.steps[:length]) for length in range(len(item.steps) + 1))
        return not isinstance(item.will, Unknown) and all(part is not UNKNOWN for part in parts)

    def outcome(self, live: Mapping[str, Any], resource: Resource) -> Outcome:
        """The difference between a resource as it is and as the plan wants it."""
        planned = self._planned(live, resource)
        if self._is_pool:
            live = _without_taints_of_gke(live, resource.inputs)
        every = self._differences(live, resource.inputs)
        paths = {item.path for item in planned}
        not_read = [parse_path(path) for path in self._not_read]
        others = [
            item
            for item in every
            if item.path not in paths and not any(contains(path, item.steps) for path in not_read)
        ]
        left = [item for item in others if item.planned and (item.will is not ABSENT or not says_something(item.was))]
        lost = [part for item in others if item.will is ABSENT for part in self._parts(live, item)]
        return Outcome(tuple(planned), tuple(left), tuple(lost))

    def _planned(self, live: Mapping[str, Any], resource: Resource) -> list[PropertyDiff]:
        """What the provider would change."""
        if self._is_pool:
            live = _without_taints_of_gke(live, resource.inputs)
        ignored = [parse_path(path) for path in resource.options.ignore_changes]
        if "nodeCount" not in live:  # the API does not answer the present size
            ignored.append(("nodeCount",))
        found = self._differences(live, _without(resource.inputs, ignored))
        return [item for item in found if item.planned and not any(contains(path, item.steps) for path in ignored)]

    def _differences(self, live: Mapping[str, Any], wanted: Mapping[str, Any]) -> list[PropertyDiff]:
        found = find_differences(self.semantics, _NOTHING_LATER, live, wanted, (), read=True)
        usual = self.semantics.untouched(live)
        return [item for item in found if not _is_usual(item, usual)]

    def _parts(self, live: Mapping[str, Any], item: PropertyDiff) -> Iterator[PropertyDiff]:
        """The properties in a block that say something else than GKE does by itself, without those that GKE assigns."""
        if item.plain_path in self._assigned or not says_something(item.was):
            return
        if not (isinstance(item.was, Mapping) and self.semantics.is_block(item.steps)):
            if not _is_usual(item, self.semantics.untouched(live)) and not self._is_added(live, item):
                yield item
            return
        for name, value in item.was.items():
            yield from self._parts(live, replace(item, steps=(*item.steps, name), was=value))

    def _is_added(self, live: Mapping[str, Any], item: PropertyDiff) -> bool:
        """Whether GKE sets the value itself on TPU nodes."""
        machine_type = value_at(live, ("nodeConfig", "machineType"))
        return str(machine_type).partition("-")[0] in self._families and any(
            item.steps[:-1] == parse_path(added.path) and added.stored.get(item.steps[-1]) == item.was
            for added in self._added
        )


def _is_usual(item: PropertyDiff, usual: Mapping[str, Any]) -> bool:
    """Whether the program leaves out what GKE reports anyway."""
    reported = value_at(usual, item.steps)
    return item.will is ABSENT and without_unsaid(item.was) == without_unsaid(reported)


def _differing_taints(live: Mapping[str, Any], resource: Resource) -> Iterator[PropertyDiff]:
    """The taints of a node pool, if they differ and Pulumi does not compare them."""
    path = ("nodeConfig", "taints")
    if format_steps(path) not in resource.options.ignore_changes:
        return
    was, will = (
        value_at(values, path) or [] for values in (_without_taints_of_gke(live, resource.inputs), resource.inputs)
    )
    if sorted(map(_taint, was)) != sorted(map(_taint, will)):
        yield PropertyDiff(path, was or ABSENT, will or ABSENT)


def _taint(item: object) -> tuple[str, ...]:
    return tuple(str(mapping(item).get(name) or "") for name in ("key", "value", "effect"))


def _without_taints_of_gke(live: Mapping[str, Any], wanted: Mapping[str, Any]) -> Mapping[str, Any]:
    """The properties of a node pool without taints that GKE set itself: the provider reads those of the program."""
    config = live.get("nodeConfig")
    taints = config.get("taints") if isinstance(config, Mapping) else None
    if not isinstance(config, Mapping) or not isinstance(taints, list):
        return live
    asked = {item["key"] for item in wanted["nodeConfig"].get("taints") or ()}
    own = [item for item in taints if (key := text(mapping(item).get("key"))) in asked or not is_set_by_gke(key)]
    return {**live, "nodeConfig": {**config, "taints": own}}


def _without(inputs: Mapping[str, Any], ignored: Sequence[Steps]) -> dict[str, Any]:
    """The inputs as the engine passes them on: an ignored property has its old value, which an import does not set."""
    return {name: _cut(value, (name,), ignored) for name, value in inputs.items() if (name,) not in ignored}


def _cut(value: Any, steps: Steps, ignored: Sequence[Steps]) -> Any:
    if type(value) in (str, int, bool) or not isinstance(value, Mapping):  # the first is faster
        return value
    if not any(path[: len(steps)] == steps for path in ignored):
        return value
    kept = {name: _cut(item, (*steps, name), ignored) for name, item in value.items() if (*steps, name) not in ignored}
    return kept or None
