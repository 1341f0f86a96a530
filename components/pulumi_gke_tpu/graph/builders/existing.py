"""A cluster that exists already: only node pools are created in it, and if wanted the account of their nodes."""

from collections.abc import Iterator, Mapping
from typing import Any

from pulumi_gke_tpu.catalog import Catalog
from pulumi_gke_tpu.findings import format_path
from pulumi_gke_tpu.fleet import Cluster
from pulumi_gke_tpu.graph.builders.account import node_account
from pulumi_gke_tpu.graph.builders.cluster import component_aliases, context_of, kubeconfig_command
from pulumi_gke_tpu.graph.builders.cpu_pools import cpu_pools
from pulumi_gke_tpu.graph.builders.policies import workload_policies
from pulumi_gke_tpu.graph.builders.properties import component_properties
from pulumi_gke_tpu.graph.builders.slices import slice_groups
from pulumi_gke_tpu.graph.declared import Declared, DeclaredOptions, Key, key_of
from pulumi_gke_tpu.graph.types import EXISTING_CLUSTER


def existing_cluster(
    cluster: Cluster, catalog: Catalog, args: Mapping[str, Any], parent: Key = ""
) -> Iterator[Declared]:
    """The cluster's component and its slice groups. ``args`` are the written arguments."""
    key, path = key_of(EXISTING_CLUSTER, cluster.key), format_path(cluster.path)
    account = node_account(cluster, catalog, key, path)
    yield Declared(
        EXISTING_CLUSTER,
        cluster.key,
        parent,
        component_properties(args),
        DeclaredOptions(aliases=component_aliases(cluster)),
        path,
        {
            "cluster_name": cluster.name,
            "cluster_id": f"projects/{cluster.project}/locations/{cluster.location}/clusters/{cluster.name}",
            "kubeconfig_command": kubeconfig_command(cluster),
            "node_service_account": account.email,
        },
    )
    yield from account.resources
    context = context_of(cluster, catalog, account)
    yield from cpu_pools(cluster, context, key)
    yield from workload_policies(cluster, key)
    yield from slice_groups(context, cluster, args, key)
