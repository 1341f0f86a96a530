"""The properties in which a resource differs before and after, as the provider reports them to the engine.

The provider compares the values that GKE reported last with the values of the program. The reported values are computed
from those of the program before the change and from the catalog; changes outside of Pulumi are not known here.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.graph.property_values import ABSENT
from pulumi_gke_tpu.core.graph.walk import instances_in
from pulumi_gke_tpu.core.plan.base import Unknown
from pulumi_gke_tpu.core.text.formats.property_path import Steps, contains, format_steps
from pulumi_gke_tpu.features.diff.classification.semantics import Semantics, plain_path
from pulumi_gke_tpu.features.diff.classification.values import LaterValues, same_to_provider, says_something

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
) -> tuple[PropertyDiff, ...]:
    """Every difference between the inputs before and after, in the order of their paths.

    ``ignored`` are the paths that the resource's own options take out of the comparison.
    """
    walk = _Walk(semantics, later, was, semantics.untouched(was), semantics.cleared(was, will))
    found = walk.inside((), semantics.as_read(was), semantics.filled(will))
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

    def inside(self, steps: Steps, old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[PropertyDiff]:
        for name in sorted({*old, *new}):
            yield from self.property((*steps, name), old.get(name), new.get(name))

    def property(self, steps: Steps, old: Any, new: Any) -> Iterator[PropertyDiff]:
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
        written = _at(self.written, steps)
        if not old or not written or str(steps[-1]).startswith(_GOOGLES_LABELS):
            return
        if plain_path(steps) in self.semantics.maps and isinstance(written, dict):
            for key in sorted(written):
                yield from self.left_out((*steps, key), written[key])
            return
        change = self.semantics.change(format_steps(steps))
        stays = (change is not None and change.computed and steps not in self.cleared) or (
            plain_path(steps) in self.semantics.always_reported and not says_something(written)
        )
        if not stays:
            yield PropertyDiff(steps, written, ABSENT)
            return
        removed = [path for path in self.cleared if path[:-1] == steps and _at(self.written, path)]
        yield from (PropertyDiff(path, _at(self.written, path), ABSENT) for path in removed)
        kept = {name: value for name, value in written.items() if (*steps, name) not in removed} if removed else written
        if kept and not self.later.equal(old, _at(self.untouched, steps)):
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


def _at(value: Any, steps: Steps) -> Any:
    for step in steps:
        if isinstance(step, int):
            value = value[step] if isinstance(value, list) and step < len(value) else None
        else:
            value = value.get(step) if isinstance(value, dict) else None
    return value
