"""Fleets and their clusters: Standard with a system pool, Autopilot, and clusters that exist already."""

from collections.abc import Iterator, Mapping
from typing import Any

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.fleet import Cluster, Fleet
from pulumi_gke_tpu.core.fleet.model import tpu_limits
from pulumi_gke_tpu.core.fleet.settings import SystemPoolSettings, security_settings, system_pool
from pulumi_gke_tpu.core.graph.builders.account import NodeAccount, node_account, provisioned_account, workload_accounts
from pulumi_gke_tpu.core.graph.builders.cluster import (
    addons_config,
    auto_provisioning_defaults,
    cluster_component,
    cluster_resource,
    component_aliases,
    component_type,
    context_of,
    kubeconfig_command,
)
from pulumi_gke_tpu.core.graph.builders.network import cluster_network, interface_networks
from pulumi_gke_tpu.core.graph.builders.node_pool import cpu_pools, system_node_pool
from pulumi_gke_tpu.core.graph.builders.properties import component_properties, workload_pool
from pulumi_gke_tpu.core.graph.builders.slices import slice_groups, workload_policies
from pulumi_gke_tpu.core.graph.declared import Declarations, Declared, DeclaredOptions, Key, Ref, key_of
from pulumi_gke_tpu.core.graph.model import Graph
from pulumi_gke_tpu.core.graph.registered import registered
from pulumi_gke_tpu.core.graph.resource_types import AUTOPILOT_CLUSTER, EXISTING_CLUSTER, STANDARD_CLUSTER, TPU_FLEET
from pulumi_gke_tpu.core.text.findings import format_path


def standard_cluster(
    cluster: Cluster, catalog: Catalog, args: Mapping[str, Any], parent: Key = ""
) -> Iterator[Declared]:
    """The cluster's component and everything inside it. ``args`` are the written arguments."""
    key, path = key_of(STANDARD_CLUSTER, cluster.key), format_path(cluster.path)
    account = node_account(cluster, catalog, key, path)
    provisioned = provisioned_account(cluster, account, catalog, key, path)
    network = cluster_network(cluster, key, path)
    context, system = context_of(cluster, catalog, account), system_pool(cluster)
    yield cluster_component(cluster, args, account, parent)
    yield from account.resources
    yield from provisioned.resources
    yield from network.resources
    yield cluster_resource(
        cluster,
        catalog,
        network,
        _properties(cluster, system, catalog, account, provisioned),
        grants=(*account.grants, *provisioned.grants),
    )
    yield from interface_networks(cluster, key)
    if system is not None:
        yield system_node_pool(cluster, system, context, key, path)
    yield from cpu_pools(cluster, context, key)
    yield from workload_policies(cluster, key)
    yield from workload_accounts(cluster, catalog, key)
    yield from slice_groups(context, cluster, args, key)


def _properties(
    cluster: Cluster,
    system: SystemPoolSettings | None,
    catalog: Catalog,
    account: NodeAccount,
    provisioned: NodeAccount,
) -> dict[str, Any]:
    security = security_settings(cluster)
    default_pool = system and {
        "initialNodeCount": 1,
        "removeDefaultNodePool": True,
        "nodeConfig": {
            "machineType": system.machine_type.value,
            "serviceAccount": account.email,
            "oauthScopes": [catalog.platform.hardening.oauth_scope],
        },
    }
    return {
        **(default_pool or {}),
        "datapathProvider": "ADVANCED_DATAPATH" if security.dataplane_v2.value else "LEGACY_DATAPATH",
        "enableShieldedNodes": security.shielded_nodes.value,
        "anonymousAuthenticationConfig": {"mode": "LIMITED"},  # health checks only
        "rbacBindingConfig": {
            "enableInsecureBindingSystemAuthenticated": False,
            "enableInsecureBindingSystemUnauthenticated": False,
        },
        "enableMultiNetworking": cluster.plan.multi_networking
        or bool(cluster.additional_networks)
        or any(group.plan.additional_networks for group in cluster.groups),
        "clusterAutoscaling": _autoscaling(cluster, catalog, provisioned),
        "workloadIdentityConfig": {"workloadPool": workload_pool(cluster.project)}
        if security.workload_identity.value
        else None,
        "addonsConfig": addons_config(cluster, catalog),
    }


def _autoscaling(cluster: Cluster, catalog: Catalog, account: NodeAccount) -> dict[str, Any]:
    """Node auto-provisioning. Also sent where it is off: leaving the block out later would keep it on."""
    written = cluster.plan.autoprovisioning
    profile = {"autoscalingProfile": "OPTIMIZE_UTILIZATION"}  # idle slices cost most
    if written is None:
        return {"enabled": False, **profile}
    limits = [
        {"resourceType": "cpu", "minimum": 0, "maximum": written.cpu},
        {"resourceType": "memory", "minimum": 0, "maximum": written.memory_gib},
        *(
            {"resourceType": label, "minimum": 0, "maximum": chips}
            for label, chips in sorted(tpu_limits(cluster, catalog).items())
        ),
    ]
    defaults = {
        **auto_provisioning_defaults(account, catalog),
        "imageType": catalog.platform.nodes.image,
        "management": {"autoRepair": True, "autoUpgrade": True},
        "shieldedInstanceConfig": {
            "enableSecureBoot": security_settings(cluster).secure_boot.value,
            "enableIntegrityMonitoring": True,
        },
    }
    return {
        "enabled": True,
        **profile,
        "resourceLimits": limits,
        "autoProvisioningDefaults": defaults,
    }


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
    yield from workload_accounts(cluster, catalog, key)
    yield from slice_groups(context_of(cluster, catalog, account), cluster, args, key)


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
    yield from workload_accounts(cluster, catalog, key)
    yield from slice_groups(context, cluster, args, key)


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
