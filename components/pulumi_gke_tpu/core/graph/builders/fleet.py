"""A whole fleet."""

from collections.abc import Iterator, Mapping
from typing import Any

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.fleet import Fleet
from pulumi_gke_tpu.core.graph.builders.autopilot import autopilot_cluster
from pulumi_gke_tpu.core.graph.builders.cluster import component_type
from pulumi_gke_tpu.core.graph.builders.existing import existing_cluster
from pulumi_gke_tpu.core.graph.builders.standard import standard_cluster
from pulumi_gke_tpu.core.graph.declared import Declarations, Declared, Ref, key_of
from pulumi_gke_tpu.core.graph.model import Graph
from pulumi_gke_tpu.core.graph.registered import registered
from pulumi_gke_tpu.core.graph.types import TPU_FLEET

BUILDERS = {"standard": standard_cluster, "autopilot": autopilot_cluster}
"""Mode -> builder of a cluster that is created."""


def fleet_graph(args: Mapping[str, Any], fleet: Fleet, catalog: Catalog, *, name: str = "preview") -> Graph:
    """The graph that a stack with this fleet registers. ``args`` is the written plan, ``name`` that of the stack."""
    return registered(Declarations(tpu_fleet(fleet, catalog, args, name)), project="gke-tpu", stack=name)


def tpu_fleet(fleet: Fleet, catalog: Catalog, args: Mapping[str, Any], name: str) -> Iterator[Declared]:
    """The fleet's component and everything inside it. ``args`` is the written plan."""
    key = key_of(TPU_FLEET, name)
    commands = {
        cluster.key: Ref(key_of(component_type(cluster), cluster.key), "kubeconfig_command")
        for cluster in fleet.clusters
    }
    yield Declared(TPU_FLEET, name, "", {"project": fleet.project}, outputs={"kubeconfig_commands": commands})
    for cluster in fleet.clusters:
        build = existing_cluster if cluster.existing else BUILDERS[cluster.mode]
        yield from build(cluster, catalog, args["clusters"][cluster.key], key)
