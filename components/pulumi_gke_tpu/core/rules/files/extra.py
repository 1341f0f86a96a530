"""TPU521, TPU522: provider properties under ``extra``."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from pulumi_gke_tpu.core.catalog.records.provider import PropertyChange
from pulumi_gke_tpu.core.catalog.spelling import snake_case
from pulumi_gke_tpu.core.graph.keys import CLUSTER_KEYS, CPU_POOL_KEYS, GROUP_KEYS, RESOURCES, plan_keys
from pulumi_gke_tpu.core.plan.base import Resource
from pulumi_gke_tpu.core.rules.engine.context import PlanContext, plan_groups
from pulumi_gke_tpu.core.rules.engine.extra import ExtraProperty, blocks, is_any_reservation, written_properties
from pulumi_gke_tpu.core.rules.engine.rule import Hit, rule
from pulumi_gke_tpu.core.text.findings import Path, Rename, did_you_mean, printable, quoted


def _extras(context: PlanContext) -> Iterator[tuple[Resource, Mapping[str, Any], Path]]:
    for cluster in context.fleet.clusters:
        if cluster.plan.extra:
            yield "cluster", cluster.plan.extra, (*cluster.path, "extra")
        for pool in cluster.cpu_pools:
            if pool.plan.extra:
                yield "CPU pool", pool.plan.extra, (*pool.path, "extra")
    for cluster, path, group in plan_groups(context):
        if group.extra and cluster.mode == "standard":
            yield "TPU node pool", group.extra, (*path, "extra")


def written_extras(
    context: PlanContext,
) -> Iterator[tuple[Resource, Mapping[str, PropertyChange], list[ExtraProperty]]]:
    """The resource of each ``extra``, the properties that it has, and those that the ``extra`` writes."""
    parents: dict[str, frozenset[str]] = {}
    for resource, extra, path in _extras(context):
        resource_type = RESOURCES[resource]
        known = context.catalog.provider.resources[resource_type].properties
        if resource_type not in parents:
            parents[resource_type] = blocks(known)
        yield resource, known, list(written_properties(extra, path, parents[resource_type]))


@rule(
    "TPU521",
    "unknown-property",
    about=("clusters.*.slices.*.extra",),
    title="Unknown property",
    why="the provider rejects a property that is not in its schema",
    fix="Use the property name of pulumi-gcp, in camelCase or snake_case.",
    references=["PULUMI_GCP_SDK", "OBSERVED_2026_11_20", "provider-cluster", "provider-node-pool"],
    source="observed in tests: a preview rejects unknown properties",
    basis="observed",
    failing="""
tpu: v6e
topology: 4x4
extra: {node_confg: {tags: [tpu]}}
""",
    edit=("node_confg: {tags: [tpu]}", "node_config: {tags: [tpu]}"),
)
def unknown_property(context: PlanContext) -> Iterable[Hit]:
    for resource_name, known, properties in written_extras(context):
        for written in properties:
            if written.name in known:
                continue
            block, _, last = written.name.rpartition(".")
            siblings = [
                name.rpartition(".")[2] for name in known if name.rpartition(".")[0] == block and "[" not in name
            ]
            near = did_you_mean(snake_case(last), map(snake_case, siblings))
            resource = RESOURCES[resource_name].rsplit(":", 1)[-1]
            yield Hit(
                written.path,
                f"unknown property {quoted(written.name)} of {resource}",
                given=printable(written.path[-1], 100),
                fix=Rename.to(near),
            )


@rule(
    "TPU522",
    "property-with-plan-key",
    about=("clusters.*.slices.*.extra",),
    title="Property conflicts with a plan key",
    why="gke-tpu checks the plan and computes the cost from the plan key. With a different value in `extra`, the "
    "check and the cost would be wrong",
    fix="Remove the property from `extra`, and set the plan key.",
    source="gke-tpu: `extra` is only for properties without a plan key",
    basis="format",
    failing="""
tpu: v6e
topology: 4x4
extra: {max_pods_per_node: 32}
""",
    edit=("extra: {max_pods_per_node: 32}", "max_pods_per_node: 32"),
)
def property_with_plan_key(context: PlanContext) -> Iterable[Hit]:
    for resource, _, properties in written_extras(context):
        keys = plan_keys().modeled(resource)
        reported: set[str] = set()
        for written in properties:
            key = keys.get(written.name)
            if key is None or any(written.name.startswith(f"{block}.") for block in reported):
                continue
            reported.add(written.name)
            if is_any_reservation(written) or _excludes_autopilot(context, written) or _adopts(context, written):
                continue
            shown = _shown(key, resource)
            yield Hit(
                written.path,
                f"{quoted(written.name)} is not allowed in `extra`: " + (f"use {shown}" if key else "gke-tpu sets it"),
                given=printable(written.path[-1], 100),
                allowed=(shown,) if key else (),
            )


def _shown(key: str, resource: Resource) -> str:
    """A key as seen from the ``extra`` of a resource."""
    if key.startswith(GROUP_KEYS):
        return key.removeprefix(GROUP_KEYS) + (" of a group" if resource == "cluster" else "")
    if key.startswith(CPU_POOL_KEYS):
        return key.removeprefix(CPU_POOL_KEYS)
    if key.startswith(CLUSTER_KEYS):
        return key.removeprefix(CLUSTER_KEYS) + ("" if resource == "cluster" else " of the cluster")
    return f"{key} of the plan"


def _adopts(context: PlanContext, written: ExtraProperty) -> bool:
    """Whether an adopted cluster keeps a policy with a daily window, which no key sets."""
    return context.plan.clusters[str(written.path[1])].adopted and written.name.startswith("maintenancePolicy")


def _excludes_autopilot(context: PlanContext, written: ExtraProperty) -> bool:
    """Whether another rule reports that Autopilot does not support the property."""
    cluster = context.plan.clusters[str(written.path[1])]
    return cluster.mode == "autopilot" and written.name in context.catalog.platform.autopilot.conflicts
