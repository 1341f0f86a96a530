"""The provider's comparison of one resource type: the effect of each property, and the values that GKE returns."""

from collections.abc import Mapping, Sequence
from typing import Any

from pulumi_gke_tpu.core.catalog.records.platform import FamilyDisks
from pulumi_gke_tpu.core.catalog.records.provider import PropertyChange, Provider, ProviderResource, change_of
from pulumi_gke_tpu.core.plan.base import Unknown
from pulumi_gke_tpu.core.text.formats.property_path import Steps, format_steps, value_at

_MACHINE_TYPE = ("nodeConfig", "machineType")
_AUTONAMED = ("name", "accountId")


class Semantics:
    """One resource type, with cached answers: thousands of resources have the same few paths."""

    def __init__(self, provider: Provider, resource_type: str, disks: Mapping[str, FamilyDisks] | None = None) -> None:
        """``disks`` are those of the TPU machine families, which decide what GKE reports on TPU nodes."""
        self._provider = provider
        self._disks = disks or {}
        self._untouched: dict[Any, Mapping[str, Any]] = {}
        self.type = resource_type
        self._changes: dict[str, PropertyChange | None] = {}
        self.resource: ProviderResource | None = provider.resources.get(resource_type)
        """None if the type is not in the catalog."""
        self.properties: Mapping[str, PropertyChange] = self.resource.properties if self.resource else {}
        known = sorted(self.properties.items())
        reported = {path: item.reported for path, item in known if item.reported is not None}
        self._defaults = _by_block({path: item.default for path, item in known if item.default is not None})
        self._reported = _by_block(
            {path: reported[path] for path in reported if not self.properties[path].reported_beside}
        )
        self._reported_beside = [
            (
                _by_block({path: reported[path]}),
                [(other.split("."), value) for other, value in beside.items()],
            )
            for path, item in known
            if (beside := item.reported_beside)
        ]
        """Values that GKE reports only together with certain other values."""
        self._for_tpus = [(path, item.reported_for_tpus) for path, item in known if item.reported_for_tpus]
        self._on_autopilot = [
            (path.split("."), item.reported_on_autopilot)
            for path, item in known
            if item.reported_on_autopilot is not None
        ]
        self._ignored_on_autopilot = tuple(path for path, item in known if item.ignored_on_autopilot)
        self._reported_blocks = _by_block({path: value for path, value in reported.items() if isinstance(value, dict)})
        self._dropped = [
            (tuple(path.split(".")), tuple(item.dropped_beside.split(".")))
            for path, item in known
            if item.dropped_beside
        ]
        self._cleared = [
            (tuple(path.split(".")), tuple(item.cleared_without.split(".")))
            for path, item in known
            if item.cleared_without
        ]
        self._blocks = frozenset(path.rpartition(".")[0] for path in self.properties)
        self.following = tuple(item for item in provider.following if resource_type in item.paths)
        """Possible later effects of updates of this type."""
        self._unordered = frozenset(path for path, item in known if item.unordered)
        reported_always = self._reported_with_their_blocks()
        self.maps = frozenset(path for path, item in known if item.type == "map" and not item.computed)
        """Maps of free keys, such as labels, that GKE does not keep: if a program removes one, it removes its keys."""
        self.always_reported = reported_always - self.maps
        """Blocks that GKE always reports: removing one from the program has no effect."""
        self._removed: dict[Steps, tuple[bool, bool, bool]] = {}

    def change(self, path: str) -> PropertyChange | None:
        """The effect of a change at an engine path; None if the path is not in the catalog."""
        if path not in self._changes:
            self._changes[path] = change_of(self._provider, self.type, path)
        return self._changes[path]

    def removed(self, steps: Steps) -> tuple[bool, bool, bool]:
        """Of a property that a program leaves out: whether it is a map, computed, and reported by GKE in any case."""
        found = self._removed.get(steps)
        if found is None:
            path, change = plain_path(steps), self.change(format_steps(steps))
            found = path in self.maps, change is not None and change.computed, path in self.always_reported
            self._removed[steps] = found
        return found

    def is_block(self, steps: Steps) -> bool:
        """Whether a property contains named properties; a map of free keys does not."""
        return plain_path(steps) in self._blocks

    def is_read_empty(self, steps: Steps) -> bool:
        """Whether the provider reads an empty block of an answer as one with zero values, and not as none."""
        item = self.properties.get(plain_path(steps))
        return item is not None and item.type == "block" and not item.unread_empty

    def is_unordered(self, steps: Steps) -> bool:
        """Whether the order of a list has no meaning."""
        return plain_path(steps) in self._unordered

    def holds_blocks(self, steps: Steps) -> bool:
        """Whether the items of a list of blocks contain further blocks."""
        return any(path.startswith(f"{plain_path(steps)}.") for path in self._blocks)

    def filled(self, inputs: Mapping[str, Any]) -> dict[str, Any]:
        """A copy of the inputs with the provider's defaults in every existing block."""
        result: dict[str, Any] = _copy(dict(inputs))
        _fill(result, self._defaults)
        return result

    def as_read(self, inputs: Mapping[str, Any]) -> dict[str, Any]:
        """The values that GKE returns for these inputs: with its defaults, and without the values that it drops."""
        state: dict[str, Any] = _copy(dict(inputs))
        _fill(state, self._reported_blocks)
        _fill(state, self._defaults)
        self._report_on_tpus(state)
        _fill(state, self._reported)
        for values, others in self._reported_beside:
            if all(value_at(state, other) == value for other, value in others):
                _fill(state, values)
        if inputs.get("enableAutopilot"):
            self._report_on_autopilot(state)
        for path, beside in self._dropped:
            if value_at(state, beside):
                value_at(state, path[:-1]).pop(path[-1], None)
        return state

    def _report_on_tpus(self, state: dict[str, Any]) -> None:
        machine_type = value_at(state, _MACHINE_TYPE)
        disks = self._disks.get(str(machine_type).partition("-")[0])
        if disks is not None:
            _fill(state, _by_block({path: getattr(disks, fact) for path, fact in self._for_tpus}))

    def _report_on_autopilot(self, state: dict[str, Any]) -> None:
        for path, value in self._on_autopilot:
            block = value_at(state, path[:-1])
            if isinstance(block, dict):
                block[path[-1]] = _with_project(value, state.get("project"))

    def untouched(self, inputs: Mapping[str, Any]) -> Mapping[str, Any]:
        """The values that GKE reports although the program does not set them, on these machines."""
        machine_type = value_at(inputs, _MACHINE_TYPE)
        if machine_type not in self._untouched:
            machines = {"nodeConfig": {"machineType": machine_type}} if isinstance(machine_type, str) else {}
            self._untouched[machine_type] = self.as_read(machines)
        return self._untouched[machine_type]

    def drops(self, inputs: Mapping[str, Any]) -> bool:
        """Whether GKE does not store some of these inputs, so that they differ without having been changed."""
        return any(value_at(inputs, beside) and value_at(inputs, path) for path, beside in self._dropped)

    def cleared(self, was: Mapping[str, Any], will: Mapping[str, Any]) -> tuple[Steps, ...]:
        """The computed properties that the provider removes: the program no longer sets them.

        It looks at the value that remains of the property beside them: with its block, a computed one stays.
        """
        return tuple(path for path, beside in self._cleared if not _stays(beside, was, will))

    def ignored(self, inputs: Mapping[str, Any]) -> tuple[str, ...]:
        """The properties that the provider does not compare for these inputs."""
        return self._ignored_on_autopilot if inputs.get("enableAutopilot") else ()

    def explicit_name(self, inputs: Mapping[str, Any]) -> str | None:
        """The name that the program sets; None if the engine generates it, empty for resources without a name."""
        named = [name for name in _AUTONAMED if name in self.properties]
        if not named:
            return ""
        return next((str(inputs[name]) for name in named if inputs.get(name) is not None), None)

    def _reported_with_their_blocks(self) -> frozenset[str]:
        """Blocks and maps that GKE always reports."""
        found: set[str] = set()
        for blocks, values in self._reported_blocks:
            if not blocks or ".".join(blocks) in found:
                found.update(".".join((*blocks, name)) for name in values)
        return frozenset(found)


_ByBlock = Sequence[tuple[Sequence[str], Mapping[str, Any]]]


def _by_block(values: Mapping[str, Any]) -> _ByBlock:
    """Values by path, as the values of each block; outer blocks come first."""
    found: dict[str, dict[str, Any]] = {}
    for path, value in sorted(values.items()):
        block, _, name = path.rpartition(".")
        found.setdefault(block, {})[name] = value
    return [(block.split(".") if block else (), inside) for block, inside in sorted(found.items())]


def _with_project(value: Any, project: Any) -> Any:
    """A reported value with the cluster's project; unknown if the project is unknown."""
    if isinstance(value, dict):
        return {key: _with_project(item, project) for key, item in value.items()}
    if isinstance(value, str) and "{project}" in value:
        return project if isinstance(project, Unknown) else value.replace("{project}", str(project))
    return value


def plain_path(steps: Steps) -> str:
    """The names along a path, without list indices."""
    return ".".join(step for step in steps if isinstance(step, str))


def _copy(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _copy(item) for key, item in value.items()}
    return [_copy(item) for item in value] if isinstance(value, list) else value


def _stays(path: Sequence[str], was: Mapping[str, Any], will: Mapping[str, Any]) -> bool:
    """Whether a property has the same value before and after; without its block, it keeps that from before."""
    before = value_at(was, path)
    return bool(before) and (value_at(will, path) == before or value_at(will, path[:-1]) is None)


def _fill(target: dict[str, Any], values: _ByBlock) -> None:
    """Add absent values to existing blocks."""
    for blocks, inside in values:
        block = value_at(target, blocks)
        if isinstance(block, dict):
            for name, value in inside.items():
                if block.get(name) is None:
                    block[name] = _copy(value)
