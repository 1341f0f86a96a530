"""The resources of a graph by the names that clusters and node pools have in GKE."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from pulumi_gke_tpu.core.graph.model import Graph, Resource
from pulumi_gke_tpu.core.graph.resource_types import CLUSTER, NODE_POOL
from pulumi_gke_tpu.core.plan.base import Unknown


def clusters_by_place(graph: Graph | None) -> Mapping[tuple[str, str], Resource]:
    """The clusters of a graph by location and name."""
    if graph is None:
        return {}
    return {(str(item.inputs["location"]), str(item.inputs["name"])): item for item in graph.of_type(CLUSTER)}


def resources_by_place(graph: Graph | None) -> Mapping[tuple[str, str, str], Resource]:
    """The node pools of a graph by cluster, location and name. A cluster of the same graph is named as GKE names it."""
    if graph is None:
        return {}
    names = {item.urn: str(item.inputs["name"]) for item in graph.of_type(CLUSTER)}
    found: dict[tuple[str, str, str], Resource] = {}
    for item in graph.of_type(NODE_POOL):
        cluster = _known(item.inputs["cluster"], names)
        resource = replace(item, inputs={**item.inputs, "cluster": cluster})
        found[str(cluster), str(item.inputs["location"]), str(item.inputs["name"])] = resource
    return found


def _known(value: Any, names: Mapping[str, str]) -> Any:
    return names.get(value.urns[0], value) if isinstance(value, Unknown) and len(value.urns) == 1 else value
