"""How a resource's state comes about: after a creation, after an update, and as a preview foretells it."""

import copy
from typing import Any

from support.gcp_standin.difference import UNREAD, Difference, value_at
from support.gcp_standin.knowledge import CLUSTER, POOL, Kind
from support.gcp_standin.planned import planned
from support.gke.values import ANSWERS

from pulumi_gke_tpu.core.catalog import read_catalog


def after_creation(kind: Kind, inputs: dict[str, Any]) -> dict[str, Any]:
    """What the API has after creating a resource from placed inputs."""
    state = _merge(copy.deepcopy(kind.reported), planned(kind, kind.filled(inputs)))
    if kind.token == CLUSTER:
        _set_versions(state)
    if kind.token == POOL:
        _set_tpu_disk(state["nodeConfig"], inputs.get("nodeConfig", {}))
        _set_boot_disk(state["nodeConfig"], inputs.get("nodeConfig", {}))
    return state


def after_update(kind: Kind, old: dict[str, Any], inputs: dict[str, Any], found: list[Difference]) -> dict[str, Any]:
    """The old state with the differences applied that the provider does not lose."""
    state, wanted = copy.deepcopy(old), planned(kind, kind.filled(inputs), old)
    for item in found:
        if not _is_lost(kind, item):
            _apply(state, wanted, list(item.steps))
    if kind.token == CLUSTER and any(item.path.startswith("minMasterVersion") for item in found):
        _set_versions(state)
    if kind.token == POOL:
        _set_boot_disk(state["nodeConfig"], inputs.get("nodeConfig", {}))
    return state


def sends(kind: Kind, item: Difference, old: dict[str, Any], inputs: dict[str, Any]) -> bool:
    """Whether an update of a property reaches the API."""
    change = kind.change(item.path)
    if change is None or change.change in ("no-op", "client-side", "create-only"):
        return False
    if item.steps in UNREAD and not value_at(inputs, item.steps):
        return False
    if change.change == "no-op-off":
        return bool(inputs.get(item.path))
    if change.change == "no-op-lower":
        return str(inputs.get(item.path, "")) > str(old.get(item.path, ""))
    return True


def read_inputs(inputs: dict[str, Any], state: dict[str, Any]) -> dict[str, Any]:
    """The program's inputs with the values that a refresh found."""
    return {
        name: value if name == "__defaults" or state.get(name) is None else _as_read(value, state[name])
        for name, value in inputs.items()
    }


def _as_read(value: Any, found: Any) -> Any:
    if isinstance(value, dict) and isinstance(found, dict):
        return {
            name: item if name == "__defaults" or found.get(name) is None else _as_read(item, found[name])
            for name, item in value.items()
        }
    return found


def _is_lost(kind: Kind, item: Difference) -> bool:
    """A property without an update keeps its old value; a block that is added is taken in and never looked at."""
    change = kind.change(item.path)
    return (
        change is not None and change.change == "no-op" and not (item.how == "add" and kind.is_block(item.plain_path))
    )


def _apply(state: dict[str, Any], wanted: dict[str, Any], steps: list[Any]) -> None:
    """Take one property over; of a list always the whole."""
    first_index = next((number for number, step in enumerate(steps) if isinstance(step, int)), len(steps))
    *blocks, name = steps[:first_index]
    target, source = state, wanted
    for step in blocks:
        target = target.setdefault(step, {})
        source = source.get(step) or {}
    value = source.get(name) if isinstance(source, dict) else None
    if value is None:
        target.pop(name, None)
    else:
        target[name] = copy.deepcopy(value)


def _merge(base: dict[str, Any], over: dict[str, Any]) -> dict[str, Any]:
    for name, value in over.items():
        below = base.get(name)
        base[name] = (
            _merge(below, value) if isinstance(value, dict) and isinstance(below, dict) else copy.deepcopy(value)
        )
    return base


def _set_versions(state: dict[str, Any]) -> None:
    channel = state.get("releaseChannel", {}).get("channel", "")
    version = ANSWERS["versions"]["channels"].get(channel, state["masterVersion"])
    wanted = str(state.get("minMasterVersion", ""))
    version = max(version, wanted)
    state["masterVersion"] = state["nodeVersion"] = version


def _set_tpu_disk(state: dict[str, Any], inputs: dict[str, Any]) -> None:
    """The disk that the machines of a TPU family boot from if the program names none."""
    family = read_catalog().disks.families.get(str(inputs.get("machineType")).partition("-")[0])
    if family is not None and "diskType" not in inputs and "diskType" not in inputs.get("bootDisk", {}):
        state["diskType"] = state.setdefault("bootDisk", {})["diskType"] = family.default_boot


def _set_boot_disk(state: dict[str, Any], inputs: dict[str, Any]) -> None:
    """The API has one boot disk, and two places to write it."""
    disk = state.setdefault("bootDisk", {})
    for name, inside in (("diskType", "diskType"), ("diskSizeGb", "sizeGb")):
        if name in inputs:
            disk[inside] = state[name]
        elif disk.get(inside):
            state[name] = disk[inside]
