"""A cluster that exists already: only node pools are created in it, and if wanted the account of their nodes."""

from collections.abc import Iterator, Mapping
from typing import Any

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.fleet import Cluster
from pulumi_gke_tpu.core.graph.builders.account import node_account
from pulumi_gke_tpu.core.graph.builders.cluster import component_aliases, context_of, kubeconfig_command
from pulumi_gke_tpu.core.graph.builders.cpu_pools import cpu_pools
from pulumi_gke_tpu.core.graph.builders.policies import workload_policies
from pulumi_gke_tpu.core.graph.builders.properties import component_properties
from pulumi_gke_tpu.core.graph.builders.slices import slice_groups
from pulumi_gke_tpu.core.graph.declared import Declared, DeclaredOptions, Key, key_of
from pulumi_gke_tpu.core.graph.types import EXISTING_CLUSTER
from pulumi_gke_tpu.core.text.findings import format_path


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
