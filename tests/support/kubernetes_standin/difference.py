"""Compares the inputs of a program with the last known object, as the Kubernetes provider 4.32 does.

The stored object is cut down to the shape of the former inputs, so that defaults do not differ. What is left is
compared with the new inputs; a number and a text are different.
"""

from collections.abc import Iterator
from typing import Any, Literal

Step = str | int
Kind = Literal["add", "update", "delete"]

REPLACED = {
    "Deployment": ("spec.selector",),
    "Job": ("spec.completions", "spec.parallelism", "spec.selector", "spec.template"),
    "PersistentVolumeClaim": ("spec.accessModes", "spec.selector", "spec.storageClassName", "spec.volumeName"),
    "Service": ("spec.clusterIP",),
    "StorageClass": ("parameters", "provisioner"),
}
"""Kind -> the properties whose change replaces an object, besides its name and namespace."""


def pruned(live: Any, inputs: Any) -> Any:
    """The stored object in the shape of the inputs."""
    if isinstance(live, dict) and isinstance(inputs, dict):
        return {key: pruned(value, inputs[key]) for key, value in live.items() if key in inputs}
    if isinstance(live, list) and isinstance(inputs, list):
        return [pruned(value, wanted) for value, wanted in zip(live, inputs, strict=False)]
    return live


def differences(old: Any, new: Any, steps: tuple[Step, ...] = ()) -> Iterator[tuple[tuple[Step, ...], Kind]]:
    """Each path that differs, and how."""
    if isinstance(old, dict) and isinstance(new, dict):
        for key in sorted(old.keys() | new.keys()):
            if key not in new:
                yield (*steps, key), "delete"
            elif key not in old:
                yield (*steps, key), "add"
            else:
                yield from differences(old[key], new[key], (*steps, key))
    elif isinstance(old, list) and isinstance(new, list):
        for index in range(max(len(old), len(new))):
            if index >= len(new):
                yield (*steps, index), "delete"
            elif index >= len(old):
                yield (*steps, index), "add"
            else:
                yield from differences(old[index], new[index], (*steps, index))
    elif type(old) is not type(new) or old != new:
        yield steps, "update"


def replaces(kind: str, steps: tuple[Step, ...]) -> bool:
    """Whether a difference replaces an object of the kind."""
    names = [step for step in steps if isinstance(step, str)]
    fixed = ("metadata.name", "metadata.namespace", *REPLACED.get(kind, ()))
    return any(names[: len(path.split("."))] == path.split(".") for path in fixed)
