"""A GKE Autopilot cluster. GKE creates the nodes that workloads request."""

from collections.abc import Iterator, Mapping
from typing import Any

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.fleet import Cluster
from pulumi_gke_tpu.core.graph.builders.account import node_account
from pulumi_gke_tpu.core.graph.builders.addons import addons_config
from pulumi_gke_tpu.core.graph.builders.cluster import (
    auto_provisioning_defaults,
    cluster_component,
    cluster_resource,
    context_of,
)
from pulumi_gke_tpu.core.graph.builders.network import cluster_network
from pulumi_gke_tpu.core.graph.builders.policies import workload_policies
from pulumi_gke_tpu.core.graph.builders.slices import slice_groups
from pulumi_gke_tpu.core.graph.declared import Declared, Key, key_of
from pulumi_gke_tpu.core.graph.types import AUTOPILOT_CLUSTER
from pulumi_gke_tpu.core.text.findings import format_path


def autopilot_cluster(
    cluster: Cluster, catalog: Catalog, args: Mapping[str, Any], parent: Key = ""
) -> Iterator[Declared]:
    """The cluster's component and everything inside it. ``args`` are the written arguments."""
    key, path = key_of(AUTOPILOT_CLUSTER, cluster.key), format_path(cluster.path)
    account = node_account(cluster, catalog, key, path)
    network = cluster_network(cluster, key, path)
    properties = {
        "enableAutopilot": True,
        "clusterAutoscaling": {"autoProvisioningDefaults": auto_provisioning_defaults(account, catalog)},
        "addonsConfig": addons_config(cluster, catalog),
    }
    yield cluster_component(cluster, args, account, parent)
    yield from account.resources
    yield from network.resources
    yield cluster_resource(cluster, catalog, network, properties, grants=account.grants)
    yield from workload_policies(cluster, key)
    yield from slice_groups(context_of(cluster, catalog, account), cluster, args, key)
