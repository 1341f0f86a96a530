"""The import file of ``pulumi import --file``, in the form that ``pulumi preview --import-file`` writes."""

from collections.abc import Mapping
from typing import Any

from pulumi_gke_tpu.core.graph.model import Graph
from pulumi_gke_tpu.core.text.patterns import lazy_pattern

_NOT_IN_NAMES = lazy_pattern(r"[^A-Za-z0-9]+")


def import_file(graph: Graph, ids: Mapping[str, str], stack: str, placeholder: str) -> dict[str, Any]:
    """Components and resources, each after its parent. ``stack`` replaces the name ``placeholder`` of the fleet."""
    names: dict[str, str] = {}
    entries: list[dict[str, Any]] = []
    parents = {item.urn: item.parent for item in graph.resources}
    for resource in sorted(graph.resources, key=lambda item: _depth(item.urn, parents)):
        if resource.custom and resource.urn not in ids:
            continue
        logical = stack if resource.name == placeholder and not resource.parent else resource.name
        name = _unique(_NOT_IN_NAMES.sub("-", f"{resource.type.rpartition(':')[2]}-{logical}").strip("-"), names)
        names[resource.urn] = name
        entry: dict[str, Any] = {"type": resource.type, "name": name, "logicalName": logical}
        if resource.custom:
            entry["id"] = ids[resource.urn]
        else:
            entry["component"] = True
        if resource.parent:
            entry["parent"] = names[resource.parent]
        entries.append(entry)
    return {"nameTable": {}, "resources": entries}


def _depth(urn: str, parents: Mapping[str, str]) -> int:
    """How many resources are around one."""
    depth = 0
    while parents.get(urn):
        urn, depth = parents[urn], depth + 1
    return depth


def _unique(name: str, taken: Mapping[str, str]) -> str:
    number, found = 2, name
    while found in taken.values():
        found, number = f"{name}-{number}", number + 1
    return found
