"""The steps of a preview by the engine, folded into one for each resource: the operation, and the properties."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.text.findings import printable
from pulumi_gke_tpu.core.text.patterns import lazy_pattern
from pulumi_gke_tpu.features.diff.engine.json import EventsError, Redactor

_KINDS = frozenset({"add", "add-replace", "delete", "delete-replace", "update", "update-replace"})
_OPERATION = lazy_pattern(r"[a-z][a-z-]{0,39}")
_REPLACING = frozenset({"replace", "create-replacement", "import-replacement", "read-replacement"})
_GOING = frozenset({"delete-replaced", "remove-pending-replace"})
"""The operations of a resource that is deleted with a replaced one; created again only if still in the program."""

_STRONGEST = ("create", "import", "read", "update", "delete", "same")
_PROTECTED = lazy_pattern(r"cannot be deleted\s+because it is protected|marked for protection")
_REFUSED = lazy_pattern(r'resource "(urn:pulumi:[^"\n]+)"(?:\s+as part of replacing "(urn:pulumi:[^"\n]+)")?')
_LONGEST_URN = 4_000
_LONGEST_PATH = 300
_LONGEST_ERROR = 20_000
_MOST_PATHS = 200
_MOST_STEPS = 500_000


@frozen
class Urn:
    """The parts of a URN that count here."""

    stack: str
    chain: str
    """The types of all parents and of the resource."""
    name: str

    @property
    def type(self) -> str:
        """The type of the resource itself."""
        return self.chain.rpartition("$")[2]


@frozen
class PlannedStep:
    """One step of the engine."""

    urn: str
    former_urn: str
    operation: str
    custom: bool
    paths: Mapping[str, str]
    """Property path -> kind of difference."""

    @property
    def stack(self) -> str:
        """The stack that the resource is in."""
        return parse_urn(self.urn).stack


@frozen
class EngineStep:
    """What the engine plans for one resource."""

    urn: str
    former_urn: str
    """The URN before, where the resource was found by an alias; else empty."""
    operation: str
    """``create``, ``delete``, ``replace``, ``update``, ``same``; rarely another word of the engine."""
    delete_first: bool | None
    """Whether a replacement deletes the old resource first; None if the events do not contain this."""
    custom: bool
    """Whether it is something in the cloud, and no component."""
    paths: Mapping[str, str]
    """Property path -> kind of difference; empty where the engine names none."""


def parse_urn(urn: str) -> Urn:
    """Take a URN apart.

    Raises:
        EventsError: it is none.
    """
    if urn.startswith("urn:pulumi:") and len(urn) <= _LONGEST_URN:
        match urn.split("::", 3):
            case [stack, _, types, name] if types and name:
                return Urn(stack.removeprefix("urn:pulumi:"), types, name)
    raise EventsError(f"urn: {printable(urn, 80)} is not a URN")


def planned_step(data: Mapping[str, Any], reasons: str, kind: str) -> PlannedStep:
    """Read one step. ``reasons`` and ``kind`` are the keys that differ between streamed events and the digest.

    Raises:
        EventsError: it has another form.
    """
    urn, operation = data.get("urn"), data.get("op")
    if not isinstance(urn, str) or not isinstance(operation, str):
        raise EventsError("a step has a urn and an op")
    parsed = parse_urn(urn)
    if not _OPERATION.fullmatch(operation):
        raise EventsError(f"op: unknown operation {printable(operation, 40)}")
    states = [_state(data, key) for key in ("new", "newState", "old", "oldState")]
    former = next((state["urn"] for state in states[2:] if isinstance(state.get("urn"), str)), urn)
    custom = any(state.get("custom") is True for state in states)
    return PlannedStep(
        urn=urn,
        former_urn=former if former != urn and operation != "delete" else "",
        operation=operation,
        custom=custom and not parsed.type.startswith("pulumi:"),
        paths=_paths(data, reasons, kind),
    )


def refused_urns(message: str) -> tuple[str, str]:
    """Of an error because of protection: the URN of what is protected, and of what was to be replaced with it.

    Both are empty for every other error, the second one where the resource itself was to be deleted or replaced.
    """
    if not _PROTECTED.search(message[:_LONGEST_ERROR]):
        return "", ""
    found = _REFUSED.search(message[:_LONGEST_ERROR])
    if not found:
        return "", ""
    for urn in filter(None, found.groups()):
        parse_urn(urn)
    return found[1], found[2] or ""


def _state(data: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    state = data.get(key)
    if state is None:
        return {}
    if not isinstance(state, dict):
        raise EventsError(f"{key}: it must be an object")
    return state


def _paths(data: Mapping[str, Any], reasons: str, kind: str) -> dict[str, str]:
    """Property by property, or where the provider does not tell so exactly, by top-level property."""
    detailed, names = data.get("detailedDiff"), data.get(reasons)
    if detailed is not None and not isinstance(detailed, dict):
        raise EventsError("detailedDiff: it must be an object")
    if names is not None and not (isinstance(names, list) and all(isinstance(name, str) for name in names)):
        raise EventsError(f"{reasons}: it must be a list of strings")
    if not detailed:
        return dict.fromkeys((names or ())[:_MOST_PATHS], "update")
    found = {}
    for path, difference in list(detailed.items())[:_MOST_PATHS]:
        word = difference.get(kind) if isinstance(difference, dict) else None
        if not isinstance(word, str) or word not in _KINDS:
            raise EventsError(f"detailedDiff of {printable(path, 80)}: {kind} is one of {', '.join(sorted(_KINDS))}")
        found[path] = word
    return found


def folded(steps: Sequence[PlannedStep], redactor: Redactor) -> tuple[EngineStep, ...]:
    """One step for each resource, in the order in which the engine came to them."""
    if len(steps) > _MOST_STEPS:
        raise EventsError(f"there are more than {_MOST_STEPS:,} steps")
    # A resource that is replaced under a new URN is deleted under its old one.
    renamed = {step.former_urn: step.urn for step in steps if step.former_urn}
    found: dict[str, list[PlannedStep]] = {}
    for step in steps:
        if step.operation != "refresh":
            urn = renamed.get(step.urn, step.urn) if step.operation in _GOING else step.urn
            found.setdefault(urn, []).append(step)
    return tuple(_folded(urn, some, redactor) for urn, some in found.items())


def _folded(urn: str, steps: Sequence[PlannedStep], redactor: Redactor) -> EngineStep:
    operations = [step.operation for step in steps]
    paths = {
        redactor.without_secrets(path)[:_LONGEST_PATH]: kind for step in steps for path, kind in step.paths.items()
    }
    return EngineStep(
        urn=urn,
        former_urn=next((step.former_urn for step in steps if step.former_urn), ""),
        operation=_operation(operations),
        delete_first=_delete_first(operations),
        custom=any(step.custom for step in steps),
        paths=dict(sorted(paths.items())),
    )


def _operation(operations: Sequence[str]) -> str:
    if not _REPLACING.isdisjoint(operations):
        return "replace"
    if not _GOING.isdisjoint(operations):
        return "delete"
    return next((operation for operation in _STRONGEST if operation in operations), operations[0])


def _delete_first(operations: Iterable[str]) -> bool | None:
    order = [operation for operation in operations if operation in ("delete-replaced", "create-replacement")]
    return order[0] == "delete-replaced" if len(set(order)) > 1 else None
