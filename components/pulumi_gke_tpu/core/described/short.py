"""The shortest way to write the keys of a described part, which a person would choose."""

from collections.abc import Iterable, Mapping
from typing import Any

from pulumi_gke_tpu.core.catalog import Catalog, Topology
from pulumi_gke_tpu.core.catalog.topologies import selectable_rows
from pulumi_gke_tpu.core.fleet import Shape
from pulumi_gke_tpu.core.fleet.settings import usual_unavailable
from pulumi_gke_tpu.core.fleet.shapes.shape import shape_of
from pulumi_gke_tpu.core.plan import SliceGroupSpec
from pulumi_gke_tpu.core.plan.base import format_duration, parse_duration

_SHAPE = ("tpu", "topology", "slicing", "chips", "machine_type")
_ZONES = ("zone", "zones")
_SIZE = ("count", "min", "max")


def short_group(keys: Mapping[str, Any], catalog: Catalog) -> tuple[dict[str, Any], int]:
    """The keys of a slice group, and the hosts of a slice; 0 hosts if the keys form none, whose topology then stays."""
    named, hosts = _short_shape(keys, catalog)
    written = {**named, **_only(keys, _ZONES), **_short_size(keys, hosts)}
    written |= _short_capacity(keys.get("capacity", {}))
    for key, value in keys.items():
        if key == "upgrade":
            written |= _short_upgrade(value)
        elif key not in (*_SHAPE, *_ZONES, *_SIZE, "capacity"):
            written[key] = value
    return written, hosts


def _only(keys: Mapping[str, Any], names: Iterable[str]) -> dict[str, Any]:
    return {key: keys[key] for key in names if key in keys}


def _short_shape(keys: Mapping[str, Any], catalog: Catalog) -> tuple[dict[str, Any], int]:
    """Generation and topology, and the machine only where the topology has several."""
    generation, machine_type = catalog.generation(keys["tpu"]), keys["machine_type"]
    machine = generation.machine_types.get(machine_type)
    topology = keys.get("topology", "")
    if "chips" in keys and machine is not None:  # a single host
        rows = selectable_rows(generation, "standard", machine_type)
        topology = next((row.topology for row in rows if Topology.parse(row.topology).chips == machine.chips), "")
    least: dict[str, Any] = {"tpu": keys["tpu"], **_only(keys, ("slicing",))}
    least |= {"topology": topology} if topology else {}
    several: tuple[dict[str, Any], ...] = (
        {},
        *([] if machine is None else [{"chips_per_host": machine.chips}]),
        {"machine_type": machine_type},
    )
    for more in several:
        shape = shape_of(catalog, "standard", SliceGroupSpec(**least, **more))
        if isinstance(shape, Shape) and shape.machine_type == machine_type:
            return {**least, **more}, shape.hosts
    return least, 0


def _short_size(keys: Mapping[str, Any], hosts: int) -> dict[str, Any]:
    limits = _only(keys, ("min", "max"))
    if limits:
        return limits if hosts > 1 else {"count": limits}
    return {"count": keys["count"]} if keys.get("count", 1) != 1 and hosts == 1 else {}


def _short_capacity(modes: Mapping[str, Any]) -> dict[str, Any]:
    """The word for a mode without settings."""
    mode = next(iter(modes), "on_demand")
    settings: Any = modes.get(mode)
    if mode == "on_demand":
        return {}
    if mode == "reservation":
        return {"capacity": {mode: settings["name"] if settings.keys() == {"name"} else settings}}
    written: dict[str, Any] = {}
    if mode == "flex_start":
        duration = parse_duration(settings.get("max_run_duration", "0s"))
        written = {"max_run_duration": format_duration(duration)} if duration else {}
        written |= {"queued": True} if settings["queued"] else {}
    return {"capacity": {mode: written} if written else mode}


def _short_upgrade(keys: Mapping[str, Any]) -> dict[str, Any]:
    """What differs from the defaults of a plan."""
    written = dict(keys)
    if written.get("strategy") == "surge":
        del written["strategy"]
    if "max_surge" in written and written.get("max_unavailable") == usual_unavailable(written["max_surge"]):
        del written["max_unavailable"]
    return {"upgrade": written} if written else {}


def short_network(keys: Mapping[str, Any]) -> dict[str, Any]:
    """The keys of a cluster, with those of an existing network directly below ``network``."""
    network = keys.get("network", {})
    return {**keys, "network": network["existing"]} if "existing" in network else dict(keys)
