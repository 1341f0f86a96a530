"""The properties in which a resource differs before and after, and the equality of input values."""

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.graph.model import instances_in
from pulumi_gke_tpu.core.graph.property_values import ABSENT
from pulumi_gke_tpu.core.graph.semantics import Semantics, plain_path
from pulumi_gke_tpu.core.plan.base import Unknown
from pulumi_gke_tpu.core.text.formats.property_path import Steps, contains, format_steps, value_at
from pulumi_gke_tpu.core.text.patterns import lazy_pattern

_NETWORK = lazy_pattern(r"(^|\.)(network|subnetwork|privateEndpointSubnetwork)$")


@frozen
class LaterValues:
    """Knowledge about values that come from other resources."""

    after: Mapping[str, str]
    """Old URN -> new URN."""
    moving: set[str]
    """URNs of resources that are created or replaced: their outputs are new. The set grows during the comparison."""
    stored: Mapping[str, str]
    """URN of a cluster or service account before the change -> the value in the state of the node pools that refer to
    it: the name or the email."""

    def unchanged(self, was: Unknown, will: Unknown) -> bool:
        """Whether both values are unknown and come from the same resources, none of which is new."""
        if not self.moving.isdisjoint(will.urns):
            return False
        return sorted(self.after.get(urn, urn) for urn in was.urns) == sorted(will.urns)

    def same_as_stored(self, was: object, will: object) -> bool:
        """Whether a value is now written that came from another resource before."""
        return isinstance(was, Unknown) and len(was.urns) == 1 and self.stored.get(was.urns[0]) == will

    def equal(self, was: object, will: object) -> bool:
        """Whether plain data is equal, with unknown values that do not change."""
        if isinstance(will, Unknown):
            return isinstance(was, Unknown) and self.unchanged(was, will)
        if isinstance(will, dict):
            return (
                isinstance(was, dict)
                and was.keys() == will.keys()
                and all(self.equal(was[key], value) for key, value in will.items())
            )
        if isinstance(will, list):
            return isinstance(was, list) and len(was) == len(will) and all(map(self.equal, was, will))
        return bool(was == will)

    def only_in_one(self, was: Sequence[Any], will: Sequence[Any]) -> tuple[list[int], list[int]]:
        """The positions of the items that only the first list has, and of those that only the second one has."""
        before = [self._canonical(item, self.after) for item in was]
        after = [self._canonical(item, {}) for item in will]
        return _missing(before, after), _missing(after, before)

    def _canonical(self, value: object, after: Mapping[str, str]) -> str:
        def known_later(unknown: Unknown) -> dict[str, Any]:
            return {"later": sorted(after.get(urn, urn) for urn in unknown.urns)}

        return json.dumps(without_unsaid(value), sort_keys=True, default=known_later)


def _missing(items: list[str], others: list[str]) -> list[int]:
    """The positions of the items that are not among the others."""
    known = set(others)
    return [index for index, item in enumerate(items) if item not in known]


def says_something(value: object) -> bool:
    """Whether a value differs from an absent one: a block with only false, zero and empty values does not."""
    if isinstance(value, Mapping | list):
        return any(map(says_something, value.values() if isinstance(value, Mapping) else value))
    return bool(value)


def without_unsaid(value: Any) -> Any:
    """A value without what is false, zero or empty inside of it, which is the same as absent to the provider."""
    if isinstance(value, Mapping):
        return {name: without_unsaid(item) for name, item in value.items() if says_something(item)}
    return list(map(without_unsaid, value)) if isinstance(value, list) else value


def same_to_provider(path: str, was: object, will: object) -> bool:
    """Whether two single values are equal: absent is false, zero and empty; a network is the same by name and path."""
    if was == will or (not was and not will):
        return True
    if isinstance(was, str) and isinstance(will, str) and _NETWORK.search(path):
        return ("/" not in was or "/" not in will) and was.rsplit("/", 1)[-1] == will.rsplit("/", 1)[-1]
    return False


_GOOGLES_LABELS = "goog-gke"


@frozen
class PropertyDiff:
    """One property that differs."""

    steps: Steps
    was: Any
    will: Any
    planned: bool = True
    """False if the provider keeps the value that GKE reports, so that removing the property has no effect."""

    @property
    def path(self) -> str:
        """In the notation of the engine."""
        return format_steps(self.steps)

    @property
    def plain_path(self) -> str:
        """Only the names, in the notation of the catalog."""
        return plain_path(self.steps)


def find_differences(
    semantics: Semantics,
    later: LaterValues,
    was: Mapping[str, Any],
    will: Mapping[str, Any],
    ignored: Sequence[Steps],
    *,
    read: bool = False,
) -> tuple[PropertyDiff, ...]:
    """Every difference between the inputs before and after, in the order of their paths.

    ``ignored`` are the paths that the resource's own options take out of the comparison. ``read``: the values before
    are what GKE returned, and not inputs, so nothing is added to them.
    """
    walk = _Walk(semantics, later, was, semantics.untouched(was), semantics.cleared(was, will), read)
    found = walk.inside((), was if read else semantics.as_read(was), semantics.filled(will))
    suppressed = [tuple(path.split(".")) for path in semantics.ignored(will)]
    kept = [item for item in found if not any(contains(path, item.steps) for path in (*ignored, *suppressed))]
    return tuple(sorted(kept, key=lambda item: item.path))


@frozen
class _Walk:
    semantics: Semantics
    later: LaterValues
    written: Mapping[str, Any]
    """The old inputs, without the values that GKE adds."""
    untouched: Mapping[str, Any]
    """The values that GKE reports although the program does not set them."""
    cleared: Collection[Steps]
    """The properties that the provider removes where the program leaves them out."""
    read: bool
    """Whether the old values are what GKE returned: the provider then has a block also where it is empty."""

    def inside(self, steps: Steps, old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[PropertyDiff]:
        for name in sorted({*old, *new}):
            yield from self.property((*steps, name), old.get(name), new.get(name))

    def property(self, steps: Steps, old: Any, new: Any) -> Iterator[PropertyDiff]:
        if self.read and old == new:  # whole blocks of most resources
            return
        if isinstance(new, Unknown) or isinstance(old, Unknown):
            both = isinstance(old, Unknown) and isinstance(new, Unknown)
            if new is None:
                yield from self.left_out(steps, old)
            elif not (both and self.later.unchanged(old, new)) and not self.later.same_as_stored(old, new):
                yield PropertyDiff(steps, _or_absent(old), new)
        elif new is None:
            yield from self.left_out(steps, old)
        elif isinstance(new, dict):
            yield from self.block_or_map(steps, old, new)
        elif isinstance(new, list) and (not old or isinstance(old, list)):
            yield from self.list(steps, old or [], new)
        elif old != new and not same_to_provider(format_steps(steps), old, new):
            yield PropertyDiff(steps, _or_absent(old), new)

    def left_out(self, steps: Steps, old: Any) -> Iterator[PropertyDiff]:
        """Only values that the program set can be removed, not values that GKE always reports."""
        written = value_at(self.written, steps)
        is_empty = self.read and old == {} and self.semantics.is_read_empty(steps)
        if not (is_empty or (old and written)) or str(steps[-1]).startswith(_GOOGLES_LABELS):
            return
        is_map, is_computed, is_always_reported = self.semantics.removed(steps)
        if is_map and isinstance(written, dict):
            for key in sorted(written):
                yield from self.left_out((*steps, key), written[key])
            return
        stays = (is_computed and steps not in self.cleared) or (is_always_reported and not says_something(written))
        if not stays:
            yield PropertyDiff(steps, written, ABSENT)
            return
        removed = [path for path in self.cleared if path[:-1] == steps and value_at(self.written, path)]
        yield from (PropertyDiff(path, value_at(self.written, path), ABSENT) for path in removed)
        kept = {name: value for name, value in written.items() if (*steps, name) not in removed} if removed else written
        if kept and not self.later.equal(old, value_at(self.untouched, steps)):
            yield PropertyDiff(steps, kept, ABSENT, planned=False)

    def block_or_map(self, steps: Steps, old: Any, new: Mapping[str, Any]) -> Iterator[PropertyDiff]:
        if isinstance(old, dict):
            yield from self.inside(steps, old, new)
        elif new:
            yield PropertyDiff(steps, _or_absent(old), new)

    def unordered(self, steps: Steps, old: Sequence[Any], new: Sequence[Any]) -> Iterator[PropertyDiff]:
        """Items that only one side has, each at its position there. New items with blocks count as the whole list."""
        removed, added = self.later.only_in_one(old, new)
        if added and self.semantics.holds_blocks(steps):
            yield PropertyDiff(steps, old, new)
            return
        for index in sorted({*removed, *added}):
            if index not in added:
                yield PropertyDiff((*steps, index), old[index], ABSENT)
            elif index not in removed:
                yield PropertyDiff((*steps, index), ABSENT, new[index])
            else:
                yield from self.property((*steps, index), old[index], new[index])

    def list(self, steps: Steps, old: list[Any], new: list[Any]) -> Iterator[PropertyDiff]:
        if not old or not new:
            if old != new:
                yield PropertyDiff(steps, old or ABSENT, new or ABSENT)
            return
        if self.semantics.is_unordered(steps) and not self._unsure(new):
            yield from self.unordered(steps, old, new)
            return
        for index in range(max(len(old), len(new))):
            if index >= len(new):
                yield PropertyDiff((*steps, index), old[index], ABSENT)
            elif index >= len(old):
                yield PropertyDiff((*steps, index), ABSENT, new[index])
            else:
                yield from self.property((*steps, index), old[index], new[index])

    def _unsure(self, value: Any) -> bool:
        """Whether a value contains the output of a new resource."""
        return any(not self.later.moving.isdisjoint(unknown.urns) for unknown in instances_in(value, Unknown))


def _or_absent(value: Any) -> Any:
    return ABSENT if value is None else value
