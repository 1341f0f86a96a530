"""``StandardCluster``: a GKE Standard cluster with a system pool, and the TPU slices of the plan."""

from typing import Any

import pulumi
import pulumi_gcp as gcp

from pulumi_gke_tpu.catalog import Catalog
from pulumi_gke_tpu.components.account import NodeAccount, node_account
from pulumi_gke_tpu.components.addons import addons_config
from pulumi_gke_tpu.components.args import StandardClusterArgs
from pulumi_gke_tpu.components.cluster import CLUSTER, auto_provisioning_defaults, shared_properties
from pulumi_gke_tpu.components.cluster_component import ClusterComponent, site_of
from pulumi_gke_tpu.components.creation import creation_hooks
from pulumi_gke_tpu.components.inputs import given, merge_extra
from pulumi_gke_tpu.components.network import ClusterNetwork, cluster_network
from pulumi_gke_tpu.components.resolve import resolve_cluster
from pulumi_gke_tpu.components.site import Site, former_names, timeouts
from pulumi_gke_tpu.fleet import Cluster
from pulumi_gke_tpu.plan.cluster import SystemPool

SYSTEM_POOL = "system"


class StandardCluster(ClusterComponent):
    """A GKE Standard cluster: VPC-native, Dataplane V2, its own node account, one CPU pool, and TPU slices.

    Raises:
        FindingsError: the arguments are no valid cluster; every finding is listed.
    """

    def __init__(
        self,
        name: str,
        args: StandardClusterArgs,
        opts: pulumi.ResourceOptions | None = None,
        *,
        _derived: tuple[Cluster, Catalog, pulumi.ResourceHookBinding | None] | None = None,
    ) -> None:
        """Register the cluster.

        ``name`` is unique in the program, and the cluster's name in GKE unless the arguments give another one. ``args``
        are described by ``StandardClusterArgs``. ``opts`` hold for everything inside.
        """
        cluster, catalog, hooks = _derived or (*resolve_cluster(name, "standard", args), None)
        super().__init__(name, args, opts, cluster.former_keys)
        if _derived is None:
            hooks = creation_hooks(f"StandardCluster {name}", catalog.provider)
        account = node_account(cluster, catalog, self)
        network = cluster_network(cluster, self)
        resource = gcp.container.Cluster(
            cluster.key,
            **_properties(cluster, catalog, network, account),
            opts=pulumi.ResourceOptions(
                parent=self,
                aliases=former_names(cluster.former_keys),
                # Both describe the default pool, which exists only while the cluster is made.
                ignore_changes=["initialNodeCount", "nodeConfig"],
                custom_timeouts=timeouts(cluster.plan.timeouts),
                depends_on=[*network.depends_on, *account.grants],
            ),
        )
        site = site_of(cluster, catalog, account, resource, hooks)
        gcp.container.NodePool(
            f"{cluster.key}/{SYSTEM_POOL}",
            **_system_pool(cluster, site),
            opts=pulumi.ResourceOptions(
                parent=self,
                aliases=former_names([f"{key}/{SYSTEM_POOL}" for key in cluster.former_keys]),
                ignore_changes=["initialNodeCount", "nodeCount"],
                custom_timeouts=timeouts(None),
                hooks=hooks,
            ),
        )
        self._finish(cluster, resource, site, args.get("slices", {}))


def _properties(cluster: Cluster, catalog: Catalog, network: ClusterNetwork, account: NodeAccount) -> dict[str, Any]:
    plan, security = cluster.plan, cluster.plan.security
    system = plan.system_pool or SystemPool()
    properties = {
        **shared_properties(cluster, catalog, network),
        "datapath_provider": "ADVANCED_DATAPATH" if security.dataplane_v2 else "LEGACY_DATAPATH",
        "initial_node_count": 1,
        "remove_default_node_pool": True,
        "node_config": {
            "machine_type": system.machine_type,
            "service_account": account.email,
            "oauth_scopes": [catalog.platform.hardening.oauth_scope],
        },
        "enable_shielded_nodes": security.shielded_nodes,
        "anonymous_authentication_config": {"mode": "LIMITED"},  # health checks only
        "rbac_binding_config": {
            "enable_insecure_binding_system_authenticated": False,
            "enable_insecure_binding_system_unauthenticated": False,
        },
        "enable_multi_networking": any(group.plan.additional_networks for group in cluster.groups),
        "cluster_autoscaling": _autoscaling(cluster, catalog, account),
        **given(
            workload_identity_config={"workload_pool": f"{cluster.project}.svc.id.goog"}
            if security.workload_identity
            else None,
            addons_config=addons_config(cluster, catalog),
        ),
    }
    return merge_extra(properties, plan.extra, catalog.provider, CLUSTER)


def _autoscaling(cluster: Cluster, catalog: Catalog, account: NodeAccount) -> dict[str, Any]:
    """Node auto-provisioning. Off is said too: leaving the block out later would keep it on."""
    written = cluster.plan.autoprovisioning
    profile = {"autoscaling_profile": "OPTIMIZE_UTILIZATION"}  # idle slices cost most
    if written is None:
        return {"enabled": False, **profile}
    limits = [
        {"resource_type": "cpu", "minimum": 0, "maximum": written.cpu},
        {"resource_type": "memory", "minimum": 0, "maximum": written.memory_gib},
        *(
            {"resource_type": label, "minimum": 0, "maximum": chips}
            for label, chips in sorted(tpu_limits(cluster, catalog).items())
        ),
    ]
    defaults = {
        **auto_provisioning_defaults(account, catalog),
        "image_type": catalog.platform.nodes.image,
        "management": {"auto_repair": True, "auto_upgrade": True},
        "shielded_instance_config": {
            "enable_secure_boot": cluster.plan.security.secure_boot,
            "enable_integrity_monitoring": True,
        },
    }
    return {
        "enabled": True,
        **profile,
        "resource_limits": limits,
        "auto_provisioning_defaults": defaults,
        **given(auto_provisioning_locations=written.zones),
    }


def tpu_limits(cluster: Cluster, catalog: Catalog) -> dict[str, int]:
    """The TPU limits of node auto-provisioning by accelerator label, which is what GKE calls the resource."""
    limits: dict[str, int] = {}
    for word, chips in (cluster.plan.autoprovisioning.tpu if cluster.plan.autoprovisioning else {}).items():
        labels = catalog.generation(word).limit_labels if word in catalog.generation_names else (word,)
        limits.update(dict.fromkeys(labels, chips))
    return limits


def _system_pool(cluster: Cluster, site: Site) -> dict[str, Any]:
    """The pool for the system.

    It starts with one node per zone, since nothing runs before. That can be more than the maximum in all zones: no
    source says what GKE makes of it.
    """
    system, security = cluster.plan.system_pool or SystemPool(), cluster.plan.security
    disk = given(disk_type=system.boot_disk_type, size_gb=system.boot_disk_size_gib)
    return {
        "name": SYSTEM_POOL,
        "cluster": site.cluster_name,
        "project": site.project,
        "location": site.location,
        "initial_node_count": 1,
        "autoscaling": {
            "total_min_node_count": system.min_nodes,
            "total_max_node_count": system.max_nodes,
            "location_policy": "ANY",
        },
        "management": {"auto_repair": True, "auto_upgrade": True},
        "network_config": {"enable_private_nodes": site.private_nodes},
        "node_config": given(
            machine_type=system.machine_type,
            service_account=site.service_account,
            oauth_scopes=[site.catalog.platform.hardening.oauth_scope],
            resource_labels=site.resource_labels or None,
            boot_disk=disk or None,
            reservation_affinity={"consume_reservation_type": "NO_RESERVATION"},
            shielded_instance_config={
                "enable_secure_boot": security.secure_boot,
                "enable_integrity_monitoring": True,
            },
            workload_metadata_config={"mode": "GKE_METADATA"} if security.workload_identity else None,
            kubelet_config={"insecure_kubelet_readonly_port_enabled": "FALSE"},
        ),
        **given(node_locations=system.zones),
    }
