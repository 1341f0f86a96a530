"""The node pools in files of other tools as a plan, to compare manifests and inventories with them."""

from collections.abc import Iterable, Mapping
from typing import Any

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.fleet.checked import CheckedPlan
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.graph.resource_types import CLUSTER
from pulumi_gke_tpu.core.plan import parse_plan
from pulumi_gke_tpu.core.resource_rules.checker import Stack, StackResource
from pulumi_gke_tpu.core.resource_rules.files import members_of
from pulumi_gke_tpu.core.resource_rules.lifted import lift_pool
from pulumi_gke_tpu.core.resources.model import RawResource
from pulumi_gke_tpu.core.resources.pools import Machines, TpuPool, cluster_id
from pulumi_gke_tpu.core.resources.values import NotKnownError
from pulumi_gke_tpu.core.rules.engine.run import check_plan

_UNNAMED = "cluster"


@frozen(eq=False)
class FleetOfFiles:
    """A plan that was made of resources."""

    checked: CheckedPlan | None
    """None if there are no clusters and no TPU node pools, or if no plan can contain their names."""
    left_out: tuple[RawResource, ...]
    """The TPU node pools of which a part that decides is not known."""
    pools: Mapping[tuple[str, str], RawResource]
    """Keys of cluster and slice group -> node pool."""


def fleet_of(resources: Iterable[RawResource], catalog: Catalog) -> FleetOfFiles:
    """The plan whose slice groups are the TPU node pools, derived but not validated."""
    members = members_of(resources)
    by_key = {member.urn: resource for member, resource in members}
    stack, machines = Stack(member for member, _ in members), Machines(catalog)
    clusters: dict[str, dict[str, Any]] = {}
    left_out: list[RawResource] = []
    pools: dict[tuple[str, str], RawResource] = {}
    for member in stack.members.values():
        if member.asked.type == CLUSTER:
            _cluster(clusters, member)
    for member, pool in stack.pools(machines):
        lifted = lift_pool(pool, catalog)
        if lifted is None or lifted.unknown & {"capacity", "placement"} or not lifted.location:
            left_out.append(by_key[member.urn])
            continue
        name = _cluster_name(member, pool)
        body = clusters.setdefault(name, {"mode": "standard", "location": lifted.location})
        key = _key(member, body)
        body.setdefault("slices", {})[key] = _with_size(lifted.group, pool)
        pools[name, key] = by_key[member.urn]
    project = next(filter(None, (resource.effective_project for _, resource in members)), "project")
    document = parse_plan({"version": 1, "project": project, "clusters": clusters})
    if not clusters or document.content is None or document.findings:
        return FleetOfFiles(None, tuple(left_out), {})
    return FleetOfFiles(check_plan(document, catalog, rules=()), tuple(left_out), pools)


def _cluster(clusters: dict[str, dict[str, Any]], member: StackResource) -> None:
    values = member.asked.values
    try:
        mode = "autopilot" if values.flag("enableAutopilot") else "standard"
        clusters[member.asked.name] = {"mode": mode, "location": values.text("location")}
    except NotKnownError:
        return


def _cluster_name(member: StackResource, pool: TpuPool) -> str:
    name = cluster_id(member.asked.values)[1]
    return name or (pool.cluster.text("name") if pool.cluster is not None else "") or _UNNAMED


def _key(member: StackResource, body: dict[str, Any]) -> str:
    name = member.asked.name
    return name if name not in body.get("slices", {}) else f"{name}-{len(body['slices'])}"


def _with_size(group: dict[str, Any], pool: TpuPool) -> dict[str, Any]:
    """The keys of a pool with its size; at creation, if the present one is not known."""
    if {"count", "min", "max"} & group.keys() or pool.multi_host:
        return group
    try:
        count = pool.values.number("nodeCount")
    except NotKnownError:
        count = pool.values.number("initialNodeCount")
    return {**group, "count": max(1, count or 1)}
