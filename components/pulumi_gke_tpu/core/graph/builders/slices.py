"""Slice groups and workload policies: the component, the policies, and the node pools."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pulumi_gke_tpu.core.fleet import Cluster, SliceGroup
from pulumi_gke_tpu.core.graph.builders.account import own_account
from pulumi_gke_tpu.core.graph.builders.node_pool import node_pools
from pulumi_gke_tpu.core.graph.builders.properties import (
    ClusterContext,
    component_properties,
    former_names,
    without_none,
)
from pulumi_gke_tpu.core.graph.declared import Declared, DeclaredOptions, Key, Ref, key_of
from pulumi_gke_tpu.core.graph.resource_types import RESOURCE_POLICY, TPU_SLICES
from pulumi_gke_tpu.core.text.findings import format_path


def slice_groups(context: ClusterContext, cluster: Cluster, args: Mapping[str, Any], parent: Key) -> Iterator[Declared]:
    """The groups of a cluster, each with its own part of the cluster's arguments."""
    written = args.get("slices", {})
    for group in cluster.groups:
        yield from tpu_slices(context, group, written.get(group.key.rpartition("/")[2], {}), parent)


def tpu_slices(
    context: ClusterContext, group: SliceGroup, args: Mapping[str, Any], parent: Key = "", name: str | None = None
) -> Iterator[Declared]:
    """A group's component and everything inside it.

    ``name`` is the component's: that of the group unless it is registered alone. Then it may be without a cluster, and
    so were its former names.
    """
    name = group.key if name is None else name
    former = group.former_keys if "/" in name else [key.rpartition("/")[2] for key in group.former_keys]
    key, path = key_of(TPU_SLICES, name), format_path(group.path)
    policy = _policy(context, group, key, path)
    named = _named_policy(context, group)
    account: Sequence[Declared] = ()
    if group.creates_nodes:
        context, account = own_account(group, context, key, path)
    pools = tuple(node_pools(context, group, policy["name"] if policy else named, key, path))
    yield Declared(
        TPU_SLICES,
        name,
        parent,
        component_properties(args),
        DeclaredOptions(aliases=former_names(former)),
        path,
        {
            "accelerator": group.shape.accelerator_label,
            "node_selector": group.node_selector,
            "pool_names": [pool["name"] for pool in pools],
            "chips": group.chips.maximum,
            "hosts": group.hosts.maximum,
            "slices": group.slices.maximum,
            "policy": policy["name"] if policy else named,
        },
    )
    if policy:
        yield policy
    yield from account
    yield from pools


def _named_policy(context: ClusterContext, group: SliceGroup) -> object:
    """The policy that the group names: one of the cluster, or an existing one. Without a name, None."""
    if group.plan.placement is None or not group.shape.multi_host:
        return None
    written = group.plan.placement.workload_policy
    return context.policies.get(written, written) if isinstance(written, str) else written


def _policy(context: ClusterContext, group: SliceGroup, parent: Key, plan_path: str) -> Declared | None:
    """The workload policy that is created for the group's slices; None where they need none, or name another."""
    if group.policy_name is None or not group.creates_nodes:
        return None
    return Declared(
        RESOURCE_POLICY,
        group.key,
        parent,
        {
            "name": group.policy_name,
            "project": context.project,
            "region": context.region,
            "workloadPolicy": {
                "type": "HIGH_THROUGHPUT",
                "acceleratorTopology": str(group.shape.topology),
                **({"acceleratorTopologyMode": "PROVISION_ONLY"} if group.dynamic else {}),
            },
        },
        DeclaredOptions(
            protect=group.protect,
            # Its name contains the values that replace it, so the new policy can be created first. Otherwise the engine
            # would delete the pools together with the old policy, even where only their replacement is acknowledged.
            delete_before_replace=False,
            replace_on_changes=("name",),
            aliases=former_names(group.former_keys),
        ),
        plan_path,
    )


def workload_policies(cluster: Cluster, parent: Key) -> Iterator[Declared]:
    """The policies in ``workload_policies``."""
    for item in cluster.workload_policies:
        plan = item.plan
        yield Declared(
            RESOURCE_POLICY,
            item.key,
            parent,
            {
                "name": item.name,
                "project": cluster.project,
                "region": cluster.region,
                "workloadPolicy": {
                    "type": plan.type.upper(),
                    **without_none(
                        acceleratorTopology=plan.topology,
                        acceleratorTopologyMode=plan.topology_mode and plan.topology_mode.upper(),
                        maxTopologyDistance=plan.max_topology_distance and plan.max_topology_distance.upper(),
                    ),
                },
            },
            # The name stays when a policy is replaced, so the engine deletes the policy and its node pools first.
            DeclaredOptions(aliases=former_names(item.former_keys)),
            format_path(cluster.path),
        )


def policy_names(cluster: Cluster) -> Mapping[str, Ref]:
    """Name in ``workload_policies`` -> the name as a reference, so that node pools follow their policy."""
    return {item.name: Ref(key_of(RESOURCE_POLICY, item.key), "name") for item in cluster.workload_policies}
