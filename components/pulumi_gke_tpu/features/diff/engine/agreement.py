"""Whether the engine plans for one resource what gke-tpu expects; if not, the differences and their possible causes."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field

from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.graph.phrases import sentence
from pulumi_gke_tpu.core.text.findings import listed, quoted
from pulumi_gke_tpu.core.text.formats.property_path import parse_path
from pulumi_gke_tpu.features.diff.engine.model import Verdict
from pulumi_gke_tpu.features.diff.engine.steps import EngineStep
from pulumi_gke_tpu.features.diff.model import ResourceChange

_MOST_NAMED = 5
_DRIFT = "it was changed outside of Pulumi (drift), or the stack does not match the base"
_STALE = "the stack does not match the base, or the catalog is wrong about the provider"
_DOES = {
    "create": "creates it",
    "delete": "deletes it",
    "replace": "replaces it",
    "update": "updates it",
    "same": "plans nothing for it",
}
_EXPECTED = {
    "create": "a creation",
    "delete": "a deletion",
    "replace": "a replacement",
    "update": "an update",
    "same": "no change",
}


@frozen
class Seen:
    """What one preview contains about one resource."""

    step: EngineStep | None
    ended: bool
    """Whether the preview is complete."""
    tells_unchanged: bool
    """Whether the events include unchanged resources."""
    refused: bool
    """Whether the engine stops because the resource is protected."""
    replacing: bool
    """Whether the engine plans a replacement, and stops because a resource in it is protected."""
    failed: bool
    """Whether there is any other error about it."""
    following: frozenset[str] = frozenset()
    """Properties of the step that the program does not set: outputs, listed together with the changed properties."""
    computed_from: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Outputs that the provider computes -> the properties it computes them from."""

    @property
    def operation(self) -> str:
        """What the engine plans; empty where that is not known."""
        if self.step is not None:
            return self.step.operation
        if self.replacing:
            return "replace"
        return "same" if self.ended and not self.tells_unchanged else ""


@frozen
class Agreement:
    """A verdict with its reasons."""

    verdict: Verdict
    seen: str
    said: str = ""
    engine_only: tuple[str, ...] = ()
    ours_only: tuple[str, ...] = ()


def agree(change: ResourceChange, seen: Seen) -> Agreement:
    """The verdict about one resource."""
    operation = seen.operation
    if seen.failed:
        return Agreement("different", operation, "The engine reports an error for it; see the messages of the engine.")
    if change.refused_by == "engine" or seen.refused:
        return _refusal(change, seen)
    half_replaced = operation == "delete" and change.operation == "replace" and not seen.ended
    if not operation or half_replaced:
        return _not_seen(change, seen)
    if operation != change.operation:
        return _other_operation(change, seen)
    first = seen.step.delete_first if seen.step else None
    if operation == "replace" and first is not None and first != change.delete_first:
        order = "deletes it first, and then creates the new one" if first else "creates the new one first"
        return Agreement("different", operation, f"The engine {order}; gke-tpu expects the other order.")
    return _properties(change, seen)


def _refusal(change: ResourceChange, seen: Seen) -> Agreement:
    operation = seen.operation
    if change.refused_by == "engine" and seen.refused:
        return Agreement("confirmed", operation or change.operation)
    if seen.refused:
        said = "The engine rejects it because it is protected in the stack; gke-tpu expects it to succeed."
        return Agreement("different" if change.operation != "same" else "unexpected", operation, said)
    if not operation:
        return _not_seen(change, seen)
    if operation != change.operation:
        return _other_operation(change, seen)
    said = "gke-tpu expects the engine to reject it, but it is not protected in the stack."
    return Agreement("different", operation, said)


def _not_seen(change: ResourceChange, seen: Seen) -> Agreement:
    if not seen.ended:
        return Agreement("open", "", "The preview ended before the engine reached it.")
    if change.operation == "delete":
        return Agreement("missing", "", "The resource is not in the stack, so there is nothing to delete.")
    return Agreement(
        "missing",
        "",
        "The previewed program does not contain the resource: it uses another plan, or only a part of it.",
    )


def _other_operation(change: ResourceChange, seen: Seen) -> Agreement:
    operation, paths = seen.operation, seen.step.paths if seen.step else {}
    planned = [item.path for item in change.differences if item.planned]
    engine_only = _unexplained(paths, [item.path for item in change.differences])
    verdict: Verdict = "unexpected" if change.operation == "same" else "different"
    does = _DOES.get(operation, f"plans {quoted(operation)} for it")
    said = f"The engine {does}; gke-tpu expects {_EXPECTED[change.operation]}. {_reason(change, operation, paths)}"
    ours_only = tuple(planned) if operation == "same" else ()
    return Agreement(verdict, operation, said, engine_only, ours_only)


def _reason(change: ResourceChange, operation: str, paths: Mapping[str, str]) -> str:
    """A possible cause of the other operation."""
    if operation not in _DOES:
        return "No change of a plan causes this."
    if operation == "create":
        return "The stack does not contain it: it was deleted outside of Pulumi, or the base was never deployed."
    if operation == "delete":
        return "The previewed program does not contain the resource: it uses another plan, or only a part of it."
    if change.operation == "create":
        return "The stack already contains it, so the stack does not match the base."
    if operation == "same":
        planned = [item.path for item in change.differences if item.planned]
        return sentence(f"it does not report a difference of {_listed(planned)}: {_STALE}" if planned else _STALE)
    return _cause(change, operation, paths)


def _cause(change: ResourceChange, operation: str, paths: Mapping[str, str]) -> str:
    """Which properties an update or a replacement that is not expected comes from."""
    deciding = [path for path, kind in paths.items() if kind.endswith("-replace")] if operation == "replace" else []
    causes = deciding or list(paths)
    if not causes:
        return sentence(_DRIFT)
    unexplained = _unexplained(causes, [item.path for item in change.differences])
    if not unexplained:
        return f"The cause is {_listed(causes)}, so the catalog is wrong about the provider."
    return f"The cause is {_listed(unexplained)}, which the plans do not explain: {_DRIFT}."


def _properties(change: ResourceChange, seen: Seen) -> Agreement:
    """Of an update or a replacement: whether it is for the properties that we expect."""
    operation, paths = seen.operation, seen.step.paths if seen.step else {}
    if operation not in ("update", "replace") or not paths:
        return Agreement("confirmed", operation)
    expected = [item.path for item in change.differences]
    engine_only = _without_computed(_unexplained(paths, expected), expected, seen.computed_from)
    if len(engine_only) < len(paths) or change.because_of:
        engine_only = tuple(path for path in engine_only if path not in seen.following)
    ours_only = _unexplained([item.path for item in change.differences if item.planned], paths)
    kept = tuple(item.path for item in change.differences if not item.planned and not _unexplained([item.path], paths))
    parts = []
    if engine_only:
        parts.append(
            f"The engine reports a difference of {_listed(engine_only)}, which the plans do not explain: {_DRIFT}."
        )
    if ours_only:
        parts.append(
            f"gke-tpu expects a difference of {_listed(ours_only)}, but the engine does not report it: {_STALE}."
        )
    if kept:
        parts.append(f"The engine plans a change of {_listed(kept)}, but gke-tpu expects none: the catalog is wrong.")
    return Agreement("different" if parts else "confirmed", operation, " ".join(parts), engine_only, ours_only)


def _without_computed(
    paths: Iterable[str], expected: Sequence[str], computed_from: Mapping[str, Sequence[str]]
) -> tuple[str, ...]:
    """The paths without outputs that the provider computes from properties that are expected to differ."""

    def is_computed(path: str) -> bool:
        output, *key = _steps(path)
        sources = [(*_steps(source), *key) for source in computed_from.get(output, ())]
        return any(_speaks_of(_steps(other), source) for source in sources for other in expected)

    return tuple(path for path in paths if not is_computed(path))


def _speaks_of(steps: tuple[str, ...], others: tuple[str, ...]) -> bool:
    """Whether two paths are the same, or one is inside of the other."""
    return all(one == other for one, other in zip(steps, others, strict=False))


def _unexplained(paths: Iterable[str], others: Iterable[str]) -> tuple[str, ...]:
    """The paths without a related path among the others: the same property, one around it, or one inside of it."""
    around: set[tuple[str, ...]] = set()
    whole: set[tuple[str, ...]] = set()
    for other in others:
        steps = _steps(other)
        whole.add(steps)
        around.update(steps[:length] for length in range(1, len(steps)))
    return tuple(path for path in paths if not _is_explained(_steps(path), whole, around))


def _is_explained(steps: tuple[str, ...], whole: set[tuple[str, ...]], around: set[tuple[str, ...]]) -> bool:
    return steps in around or any(steps[:length] in whole for length in range(1, len(steps) + 1))


def _steps(path: str) -> tuple[str, ...]:
    """The steps of a path without places in lists: in a set, they mean nothing."""
    return tuple(step for step in parse_path(path) if isinstance(step, str) and step != "*") or (path,)


def _listed(paths: Sequence[str]) -> str:
    return listed([quoted(path) for path in paths], most=_MOST_NAMED)
