"""Slice groups: the component, the workload policy, and the node pools."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pulumi_gke_tpu.core.fleet import Cluster, SliceGroup
from pulumi_gke_tpu.core.graph.builders.account import own_account
from pulumi_gke_tpu.core.graph.builders.node_pool import node_pools
from pulumi_gke_tpu.core.graph.builders.properties import ClusterContext, component_properties, former_names
from pulumi_gke_tpu.core.graph.declared import Declared, DeclaredOptions, Key, key_of
from pulumi_gke_tpu.core.graph.types import RESOURCE_POLICY, TPU_SLICES
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
            "workloadPolicy": {"type": "HIGH_THROUGHPUT", "acceleratorTopology": str(group.shape.topology)},
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
