"""``AutopilotCluster``: a GKE Autopilot cluster. Slices are what workloads ask for; GKE makes the nodes."""

from collections.abc import Mapping
from typing import Any

import pulumi
import pulumi_gcp as gcp

from pulumi_gke_tpu.catalog import Catalog
from pulumi_gke_tpu.fleet import Cluster
from pulumi_gke_tpu.resources.account import node_account
from pulumi_gke_tpu.resources.addons import addons_config
from pulumi_gke_tpu.resources.args import AutopilotClusterArgs
from pulumi_gke_tpu.resources.cluster import CLUSTER, auto_provisioning_defaults, cluster_outputs, shared_properties
from pulumi_gke_tpu.resources.inputs import component_props, given, merge_extra
from pulumi_gke_tpu.resources.network import cluster_network
from pulumi_gke_tpu.resources.resolve import resolve_cluster
from pulumi_gke_tpu.resources.site import Site, former_names, timeouts
from pulumi_gke_tpu.resources.slices import TpuSlices
from pulumi_gke_tpu.resources.tokens import token


class AutopilotCluster(pulumi.ComponentResource):
    """A GKE Autopilot cluster with its own node account.

    Raises:
        FindingsError: the arguments are no valid cluster; every finding is listed.
    """

    cluster_name: pulumi.Output[str]
    """Name in GKE."""
    cluster_id: pulumi.Output[str]
    """projects/P/locations/L/clusters/C."""
    endpoint: pulumi.Output[str]
    """Host name (or address) of the control plane."""
    ca_certificate: pulumi.Output[str]
    """Base64 certificate of the control plane's IP endpoint."""
    kubeconfig_command: pulumi.Output[str]
    """The gcloud command that writes credentials for kubectl."""

    def __init__(
        self,
        name: str,
        args: AutopilotClusterArgs,
        opts: pulumi.ResourceOptions | None = None,
        *,
        _derived: tuple[Cluster, Catalog] | None = None,
    ) -> None:
        cluster, catalog = _derived or resolve_cluster(name, "autopilot", args)
        super().__init__(token("AutopilotCluster"), name, component_props(args), opts)
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
        site = Site(
            catalog=catalog,
            project=cluster.project,
            location=cluster.location,
            region=cluster.region,
            cluster_id=resource.id,
            service_account=account.email,
            private_nodes=True,
            workload_identity=True,
            secure_boot=True,
            resource_labels=dict(cluster.resource_labels),
        )
        written: Any = args.get("slices", {})
        self._groups = {
            group.key.rsplit("/", 1)[1]: TpuSlices(
                group.key,
                written.get(group.key.rsplit("/", 1)[1], {}),
                pulumi.ResourceOptions(parent=self, aliases=former_names(group.former_keys)),
                _derived=(site, group),
            )
            for group in cluster.groups
        }
        outputs = cluster_outputs(cluster, resource)
        for output, value in outputs.items():
            setattr(self, output, value)
        self.register_outputs(dict(outputs))

    @property
    def slices(self) -> Mapping[str, TpuSlices]:
        """The slice groups by name."""
        return self._groups
