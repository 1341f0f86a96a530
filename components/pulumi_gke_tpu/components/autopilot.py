"""``AutopilotCluster``: a GKE Autopilot cluster. Slices are what workloads ask for; GKE makes the nodes."""

import pulumi
import pulumi_gcp as gcp

from pulumi_gke_tpu.catalog import Catalog
from pulumi_gke_tpu.components.account import node_account
from pulumi_gke_tpu.components.addons import addons_config
from pulumi_gke_tpu.components.args import AutopilotClusterArgs
from pulumi_gke_tpu.components.cluster import CLUSTER, auto_provisioning_defaults, shared_properties
from pulumi_gke_tpu.components.cluster_component import ClusterComponent, site_of
from pulumi_gke_tpu.components.inputs import given, merge_extra
from pulumi_gke_tpu.components.network import cluster_network
from pulumi_gke_tpu.components.resolve import resolve_cluster
from pulumi_gke_tpu.components.site import former_names, timeouts
from pulumi_gke_tpu.fleet import Cluster


class AutopilotCluster(ClusterComponent):
    """A GKE Autopilot cluster with its own node account.

    Raises:
        FindingsError: the arguments are no valid cluster; every finding is listed.
    """

    def __init__(
        self,
        name: str,
        args: AutopilotClusterArgs,
        opts: pulumi.ResourceOptions | None = None,
        *,
        _derived: tuple[Cluster, Catalog, pulumi.ResourceHookBinding | None] | None = None,
    ) -> None:
        """Register the cluster.

        ``name`` is unique in the program, and the cluster's name in GKE unless the arguments give another one. ``args``
        are described by ``AutopilotClusterArgs``. ``opts`` hold for everything inside.
        """
        cluster, catalog, _ = _derived or (*resolve_cluster(name, "autopilot", args), None)
        super().__init__(name, args, opts, cluster.former_keys)
        account = node_account(cluster, catalog, self)
        network = cluster_network(cluster, self)
        properties = {
            **shared_properties(cluster, catalog, network),
            "enable_autopilot": True,
            "cluster_autoscaling": {"auto_provisioning_defaults": auto_provisioning_defaults(account, catalog)},
            **given(addons_config=addons_config(cluster, catalog)),
        }
        resource = gcp.container.Cluster(
            cluster.key,
            **merge_extra(properties, cluster.plan.extra, catalog.provider, CLUSTER),
            opts=pulumi.ResourceOptions(
                parent=self,
                aliases=former_names(cluster.former_keys),
                custom_timeouts=timeouts(cluster.plan.timeouts),
                depends_on=[*network.depends_on, *account.grants],
            ),
        )
        self._finish(cluster, resource, site_of(cluster, catalog, account, resource), args.get("slices", {}))
