"""What the real gcp provider stored for the resource types that the components register.

Recorded on 2026-11-22 with Pulumi CLI 3.259.0, pulumi-resource-gcp 9.35.0 and pulumi-gcp 9.35.0, from the shipped
stacks and further plans. The APIs of Google Cloud were emulated: which keys there are, their types, nulls, defaults
and marks of secrets come from the provider; a value that only an API knows has the right type and no meaning.

In ``engine/data/real_outputs.json``, paths are written as the engine writes them. ``usual`` holds the outputs that most
resources of a type have after their creation; of a resource, ``but`` holds those that are different and ``without``
those that it does not have. ``refresh`` and ``update`` hold what changed since the creation.
"""

import copy
import functools
import itertools
import json
import pathlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from pulumi_gke_tpu.core.text.formats.property_path import Steps, format_steps, parse_path

Leaves = dict[str, Any]
"""Values by path: single values, and empty lists and mappings."""

_FILE = pathlib.Path(__file__).parents[1] / "engine" / "data" / "real_outputs.json"


@dataclass(frozen=True)
class Real:
    """One resource. ``inputs`` are those after the provider's ``Check``, without its ``__defaults``."""

    type: str
    name: str
    id: str
    inputs: dict[str, Any]
    created: Leaves
    """The outputs after the creation."""
    defaults: tuple[str, ...] = ()
    """The inputs that ``Check`` added at the top level."""
    refreshed: Leaves | None = None
    """The outputs after a refresh; None where they were not kept."""
    updated: Leaves | None = None
    """The outputs after an update. Those of a cluster leave ``nodeConfig`` and ``nodePools`` out."""
    new_inputs: dict[str, Any] = field(default_factory=dict)
    """The inputs of that update."""

    @property
    def states(self) -> list[Leaves]:
        """The outputs of every state in which the resource has its first inputs."""
        return [state for state in (self.created, self.refreshed) if state is not None]

    def __str__(self) -> str:
        return f"{self.type.rsplit(':', 1)[1]} {self.name}"


@dataclass(frozen=True)
class RealType:
    """What holds for every resource of a type."""

    token: str
    secret: tuple[str, ...]
    """Outputs that the provider marks as secret."""
    check: Leaves
    """Inputs that ``Check`` adds to a block that is there."""
    rewritten: dict[str, list[Any]]
    """Inputs in the state that a refresh replaced although nothing had changed: one example of before and after."""
    unknown: tuple[str, ...]
    """What a preview of a creation shows as unknown."""
    unknown_unless_set: tuple[str, ...]
    known: Leaves
    """What such a preview shows although it is in no input."""
    null: tuple[str, ...]
    """Inputs that such a preview shows as null."""
    resources: tuple[Real, ...]
    failed: dict[str, Any]
    """What a pool looks like whose creation failed."""
    first_diff_also_adds: tuple[str, ...]
    """What a diff names as well, until the resource was read for the first time."""


@functools.cache
def real_types() -> dict[str, RealType]:
    """Type token -> its recording. Not to be changed by tests."""
    return {token: _type(token, data) for token, data in json.loads(_FILE.read_text(encoding="utf-8")).items()}


def real_resources(token: str = "") -> list[Real]:
    """The recorded resources of one type, or of all."""
    return [item for name, kind in real_types().items() if token in ("", name) for item in kind.resources]


def leaves(value: Any, steps: Steps = ()) -> Iterator[tuple[str, Any]]:
    """Every single value in nested data, and every empty list and mapping, by its path."""
    if isinstance(value, Mapping) and value:
        for name, inner in value.items():
            yield from leaves(inner, (*steps, name))
    elif isinstance(value, list) and value:
        for index, inner in enumerate(value):
            yield from leaves(inner, (*steps, index))
    else:
        yield format_steps(steps), value


def nested(values: Leaves) -> dict[str, Any]:
    """The inverse of :func:`leaves`."""
    result: dict[str, Any] = {}
    for path, value in values.items():
        put(result, path, value)
    return result


def put(target: dict[str, Any], path: str, value: Any) -> None:
    """Set the value at a path; None takes it out of a mapping that has it."""
    steps = parse_path(path)
    inner: Any = target
    for step, following in itertools.pairwise(steps):
        empty: Any = [] if isinstance(following, int) else {}
        if isinstance(inner, list):
            inner.extend(copy.deepcopy(empty) for _ in range(len(inner), int(step) + 1))
            inner = inner[int(step)]
        else:
            inner = inner.setdefault(step, empty)
    last = steps[-1]
    if isinstance(inner, list):
        inner.extend(None for _ in range(len(inner), int(last) + 1))
        inner[int(last)] = value
    elif value is None and inner.get(last) is not None:
        del inner[last]
    else:
        inner[last] = value


def _type(token: str, data: dict[str, Any]) -> RealType:
    preview = data["preview"]
    return RealType(
        token,
        secret=tuple(data["secret"]),
        check=data["check"],
        rewritten=data["rewritten"],
        unknown=tuple(preview["unknown"]),
        unknown_unless_set=tuple(preview["unknown_unless_set"]),
        known=preview["known"],
        null=tuple(preview["null"]),
        resources=tuple(_resource(token, data["usual"], item) for item in data["resources"]),
        failed=data.get("failed", {}),
        first_diff_also_adds=tuple(data.get("first_diff_also_adds", ())),
    )


def _resource(token: str, usual: Leaves, item: dict[str, Any]) -> Real:
    gone = set(item.get("without", ()))
    created = {path: value for path, value in {**usual, **item.get("but", {})}.items() if path not in gone}
    update = item.get("update")
    inputs = copy.deepcopy(item["inputs"])
    for path, value in (update or {}).get("set", {}).items():
        put(inputs, path, value)
    return Real(
        token,
        item["name"],
        item["id"],
        item["inputs"],
        created,
        tuple(item.get("defaults", ())),
        refreshed=_later(created, item["refresh"]) if "refresh" in item else None,
        updated=_later(created, update, cut=token.endswith(":Cluster")) if update else None,
        new_inputs=inputs if update else {},
    )


def _later(created: Leaves, change: dict[str, Any], *, cut: bool = False) -> Leaves:
    kept = {path: value for path, value in created.items() if not cut or parse_path(path)[0] not in _CUT}
    gone = set(change["gone"])
    return {path: value for path, value in {**kept, **change["now"]}.items() if path not in gone}


_CUT = ("nodeConfig", "nodePools")
"""What the recording leaves out of an updated cluster."""
