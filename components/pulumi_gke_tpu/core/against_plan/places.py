"""The resources of a graph by the names that clusters and node pools have in GKE."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from pulumi_gke_tpu.core.graph.model import Graph, Resource
from pulumi_gke_tpu.core.graph.resource_types import ACCOUNT, CLUSTER, NODE_POOL
from pulumi_gke_tpu.core.plan.base import Unknown
from pulumi_gke_tpu.core.text.formats.names import service_account_email


def clusters_by_place(graph: Graph | None) -> Mapping[tuple[str, str], Resource]:
    """The clusters of a graph by location and name."""
    if graph is None:
        return {}
    return {(str(item.inputs["location"]), str(item.inputs["name"])): item for item in graph.of_type(CLUSTER)}


def resources_by_place(graph: Graph | None) -> Mapping[tuple[str, str, str], Resource]:
    """The node pools of a graph by cluster, location and name.

    A cluster and a service account of the same graph are named as GKE names them.
    """
    if graph is None:
        return {}
    names = {item.urn: str(item.inputs["name"]) for item in graph.of_type(CLUSTER)}
    names |= {
        item.urn: service_account_email(str(item.inputs["accountId"]), str(item.inputs["project"]))
        for item in graph.of_type(ACCOUNT)
    }
    found: dict[tuple[str, str, str], Resource] = {}
    for item in graph.of_type(NODE_POOL):
        inputs = _known(item.inputs, names)
        found[str(inputs["cluster"]), str(inputs["location"]), str(inputs["name"])] = replace(item, inputs=inputs)
    return found


def _known(value: Any, names: Mapping[str, str]) -> Any:
    """A value with the names of the resources that it refers to."""
    if type(value) in (str, int, bool):  # most values
        return value
    if isinstance(value, Unknown):
        return names.get(value.urns[0], value) if len(value.urns) == 1 else value
    if isinstance(value, Mapping):
        return {key: _known(item, names) for key, item in value.items()}
    return [_known(item, names) for item in value] if isinstance(value, list) else value
