"""Properties of a resource whose values may be unknown, have the wrong type, or come from no configuration."""

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pulumi_gke_tpu.core.catalog.records.provider import Provider, ProviderResource
from pulumi_gke_tpu.core.graph.differences import says_something
from pulumi_gke_tpu.core.graph.resource_types import NODE_POOL
from pulumi_gke_tpu.core.plan.base import Unknown
from pulumi_gke_tpu.core.text.formats.property_path import Steps, parse_path, value_at

_LONGEST = 300
_DEEPEST = 30
_LARGEST = 2**63


class NotKnownError(Exception):
    """A property that decides the question is known only when resources exist, so there is no verdict."""


UNKNOWN = Unknown()


class PartlyKnown(dict[str, Any]):
    """Properties of which others may exist: one that is missing is not known."""

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> "PartlyKnown":
        """The same properties, in every block."""
        return cls({key: cls.of(value) if isinstance(value, dict) else value for key, value in data.items()})

    def get(self, key: str, _default: Any = None) -> Any:
        """The property, or that it is not known."""
        return super().get(key, UNKNOWN)


def plain(value: Any, unknown: type[Exception], depth: int = 0) -> Any:
    """Data of dictionaries, lists and scalars only. Reading an item that is not known yet raises ``unknown``.

    Values that are nested deeper than any property, or that a property cannot have, are omitted.
    """
    if isinstance(value, str | bool | float) or (isinstance(value, int) and abs(value) < _LARGEST):
        return value
    if depth > _DEEPEST:
        return None
    if isinstance(value, Mapping):
        return {str(key): _item(value, key, unknown, depth) for key in value}
    if isinstance(value, Sequence) and not isinstance(value, bytes):
        return [_item(value, index, unknown, depth) for index in range(len(value))]
    return None


def _item(holder: Any, key: Any, unknown: type[Exception], depth: int) -> Any:
    try:
        item = holder[key]
    except unknown:
        return UNKNOWN
    return plain(item, unknown, depth + 1)


@dataclass(frozen=True, eq=False, slots=True)
class Values:
    """Properties by dotted camelCase path. A value of another type than the requested one counts as absent.

    Every method but ``known_text`` and ``known_number`` raises :class:`NotKnownError` where the value, or what holds
    it, is not known yet.
    """

    data: Any

    def get(self, path: str) -> Any:
        """The value at a path; None where there is none."""
        value = self.data
        for step in steps_of(path):
            if not isinstance(value, dict):
                value = UNKNOWN if value is UNKNOWN else None
                break
            value = value.get(step)
        if value is UNKNOWN:
            raise NotKnownError
        return value

    def unless_known(self, path: str) -> Any:
        """The value at a path, or ``UNKNOWN``."""
        try:
            return self.get(path)
        except NotKnownError:
            return UNKNOWN

    def text(self, path: str) -> str:
        """Text; empty where there is none."""
        value = self.get(path)
        return value if isinstance(value, str) and len(value) <= _LONGEST else ""

    def known_text(self, path: str) -> str:
        """Text; empty where there is none, or it is not known yet."""
        try:
            return self.text(path)
        except NotKnownError:
            return ""

    def number(self, path: str) -> int | None:
        """A whole number; numbers come as floating point from the engine."""
        value = self.get(path)
        if isinstance(value, float) and value.is_integer():
            return int(value)
        return value if isinstance(value, int) and not isinstance(value, bool) else None

    def known_number(self, path: str) -> int | None:
        """A whole number; None where there is none, or it is not known yet."""
        try:
            return self.number(path)
        except NotKnownError:
            return None

    def flag(self, path: str) -> bool:
        """Whether something is switched on."""
        return self.get(path) is True

    def has(self, path: str) -> bool:
        """Whether the program gives any value."""
        return self.get(path) is not None

    def sets(self, path: str) -> bool:
        """Whether the program gives a value that says something: not false, zero or empty, as GKE answers blocks."""
        return says_something(self.get(path))

    def texts(self, path: str) -> tuple[str, ...]:
        """The texts of a list."""
        value = self.get(path)
        items = [_known(item) for item in value] if isinstance(value, list) else []
        return tuple(item for item in items if isinstance(item, str) and len(item) <= _LONGEST)


@functools.lru_cache(maxsize=1_000)
def steps_of(path: str) -> tuple[str, ...]:
    """The keys of a path: each is read of every node pool."""
    return tuple(path.split("."))


def _known(value: Any) -> Any:
    if value is UNKNOWN:
        raise NotKnownError
    return value


_REPORTED_ANYWAY = ("autoscaling.locationPolicy", "upgradeSettings.strategy")
"""Properties of node pools that a source has with their usual values, whether a program sets them or not."""


def without_reported(values: dict[str, Any], existing: dict[str, Any], provider: Provider) -> dict[str, Any]:
    """The properties of a node pool without those that the provider reports without a configuration.

    These are the size at creation beside the present one, the disk type of machines without TPUs, which a TPU VM cannot
    have, GKE's default of the location policy, and the provider's default of the upgrade strategy. A value that differs
    from the existing one is what a program sets.
    """
    if "nodeCount" in values and values.get("initialNodeCount") == existing.get("initialNodeCount"):
        values = {key: value for key, value in values.items() if key != "initialNodeCount"}
    for steps, usual in _reported(provider):
        if value_at(values, steps) == value_at(existing, steps) == usual:
            values = _without(values, steps)
    return values


@functools.cache
def _reported(provider: Provider) -> tuple[tuple[Steps, Any], ...]:
    """The properties of node pools that are reported without a configuration, each with its usual value."""
    return tuple(
        (parse_path(path), item.default if item.reported is None else item.reported)
        for path, item in provider.resources[NODE_POOL].properties.items()
        if item.reported_for_tpus or path in _REPORTED_ANYWAY
    )


def in_words(values: dict[str, Any], resource: ProviderResource | None) -> dict[str, Any]:
    """The properties of an answer, with TRUE and FALSE where the provider has these words for a boolean of the API."""
    for steps in _in_words(resource) if resource is not None else ():
        found = value_at(values, steps)
        if isinstance(found, bool):
            values = _with(values, steps, str(found).upper())
    return values


@functools.cache
def _in_words(resource: ProviderResource) -> tuple[Steps, ...]:
    return tuple(parse_path(path) for path, item in resource.properties.items() if item.values == _BOOLEAN_WORDS)


_BOOLEAN_WORDS = ("FALSE", "TRUE")


def _with(values: dict[str, Any], steps: Steps, value: Any) -> dict[str, Any]:
    first, rest = str(steps[0]), steps[1:]
    return {**values, first: _with(values[first], rest, value) if rest else value}


def _without(values: dict[str, Any], steps: Steps) -> dict[str, Any]:
    first, rest = str(steps[0]), steps[1:]
    inner = values.get(first)
    if rest and isinstance(inner, dict):
        return {**values, first: _without(inner, rest)}
    return {key: value for key, value in values.items() if key != first}
