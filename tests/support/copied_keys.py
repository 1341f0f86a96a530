"""The copied keys in the plan with every key, and what the graph sends for each."""

import functools
from collections.abc import Iterator
from typing import Any

import yaml

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.fleet import derive
from pulumi_gke_tpu.core.graph.builders.standard import fleet_graph
from pulumi_gke_tpu.core.graph.keys import CLUSTER_KEYS, CPU_POOL_KEYS, GROUP_KEYS
from pulumi_gke_tpu.core.plan import ClusterSpec, CpuPoolSpec, Plan, SliceGroupSpec, read_plan
from pulumi_gke_tpu.core.plan.base import PlanModel
from pulumi_gke_tpu.core.plan.copied import copied_keys
from pulumi_gke_tpu.core.plan.cpu_pools import SystemPool
from pulumi_gke_tpu.core.plan.key_table import EVERY_KEY

MODELS: dict[str, type[PlanModel]] = {
    CLUSTER_KEYS: ClusterSpec,
    f"{CLUSTER_KEYS}system_pool.": SystemPool,
    CPU_POOL_KEYS: CpuPoolSpec,
    GROUP_KEYS: SliceGroupSpec,
}
"""Prefix of the paths of its keys -> model."""
COPIED = {f"{prefix}{copied.key}": copied for prefix, model in MODELS.items() for copied in copied_keys(model)}


@functools.cache
def sent() -> dict[str, list[tuple[Any, Any]]]:
    """Path of a copied key -> its values in the plan, each with the values of its property in the graph."""
    read = read_plan(EVERY_KEY)
    assert read.content is not None
    assert read.yaml is not None
    catalog = read_catalog()
    fleet = derive(read.content, catalog)
    graph = fleet_graph(read.yaml.data, fleet, catalog)
    resources = {(item.type.rpartition(":")[2], item.name): item.inputs for item in graph.resources if item.custom}
    found: dict[str, list[tuple[Any, Any]]] = {}
    for prefix, model, name in _items(read.content, fleet):
        for copied in copied_keys(type(model)):
            value = copied.of(model)
            if value is not None:
                set_to = functools.reduce(
                    lambda block, step: (block or {}).get(step), copied.path.split("."), resources[name]
                )
                found.setdefault(f"{prefix}{copied.key}", []).append((value, set_to))
    return found


def example(path: str) -> Any:
    """The value of a copied key in the plan with every key."""
    return sent()[path][0][0]


def written_example(path: str) -> str:
    """The value of a copied key in the plan with every key, as YAML."""
    return yaml.safe_dump(example(path), default_flow_style=True).removesuffix("\n...\n").strip()


def _items(plan: Plan, fleet: Any) -> Iterator[tuple[str, PlanModel, tuple[str, str]]]:
    """Every model that becomes a resource, with the prefix of its keys, and the type and name of the resource."""
    for cluster in fleet.clusters:
        keys = plan.clusters[cluster.key]
        if not cluster.existing:
            yield CLUSTER_KEYS, keys, ("Cluster", cluster.key)
        if keys.system_pool:
            yield f"{CLUSTER_KEYS}system_pool.", keys.system_pool, ("NodePool", f"{cluster.key}/system")
        for pool in cluster.cpu_pools:
            yield CPU_POOL_KEYS, pool.plan, ("NodePool", pool.key)
        for group in cluster.groups:
            for node_pool in group.pools:
                yield GROUP_KEYS, group.plan, ("NodePool", node_pool.key)
