"""What both cluster components are: outputs, and the slice groups inside."""

from collections.abc import Mapping, Sequence
from typing import Any

import pulumi
import pulumi_gcp as gcp

from pulumi_gke_tpu.catalog import Catalog
from pulumi_gke_tpu.components.account import NodeAccount
from pulumi_gke_tpu.components.cluster import cluster_outputs, has_private_nodes
from pulumi_gke_tpu.components.inputs import component_props
from pulumi_gke_tpu.components.site import Site, component_options
from pulumi_gke_tpu.components.slices import TpuSlices
from pulumi_gke_tpu.components.tokens import token
from pulumi_gke_tpu.fleet import Cluster
from pulumi_gke_tpu.formats.cluster_reference import bare_name

_OTHER_MODE = {"StandardCluster": "AutopilotCluster", "AutopilotCluster": "StandardCluster"}
"""A cluster that changes its mode is replaced. To Pulumi it would be a new one, whose name is still taken."""


class ClusterComponent(pulumi.ComponentResource):
    """A GKE cluster with TPU slices. Not used by itself: see StandardCluster and AutopilotCluster."""

    cluster_name: pulumi.Output[str]
    """Name in GKE."""
    cluster_id: pulumi.Output[str]
    """projects/P/locations/L/clusters/C."""
    endpoint: pulumi.Output[str]
    """Host name (or address) of the control plane."""
    ca_certificate: pulumi.Output[str]
    """Base64 certificate of the control plane's IP endpoint. A secret to Pulumi, as all that comes from masterAuth."""
    kubeconfig_command: pulumi.Output[str]
    """The gcloud command that writes credentials for kubectl."""
    node_service_account: pulumi.Output[str]
    """E-mail of the account that nodes run as: for slices that another program adds."""

    def __init__(
        self, name: str, args: Mapping[str, Any], opts: pulumi.ResourceOptions | None, former_names: Sequence[str]
    ) -> None:
        kind = type(self).__name__
        options = component_options(opts, former_names, token(_OTHER_MODE[kind]))
        super().__init__(token(kind), name, component_props(args), options)

    @property
    def slices(self) -> Mapping[str, TpuSlices]:
        """The slice groups by name."""
        return self._groups

    def _finish(
        self, cluster: Cluster, resource: gcp.container.Cluster, site: Site, written: Mapping[str, Any]
    ) -> None:
        """Register the slice groups, each with its own part of the arguments, and the outputs."""
        self._groups = {}
        for group in cluster.groups:
            key = group.key.rsplit("/", 1)[1]
            args: Any = written.get(key, {})
            options = pulumi.ResourceOptions(parent=self)
            self._groups[key] = TpuSlices(group.key, args, options, _derived=(site, group))
        account = pulumi.Output.from_input(site.service_account)
        outputs = {**cluster_outputs(cluster, resource), "node_service_account": account}
        for output, value in outputs.items():
            setattr(self, output, value)
        self.register_outputs(dict(outputs))


def site_of(
    cluster: Cluster,
    catalog: Catalog,
    account: NodeAccount,
    resource: gcp.container.Cluster,
    pool_hooks: pulumi.ResourceHookBinding | None = None,
) -> Site:
    """What node pools need to know of a cluster."""
    security = cluster.plan.security
    return Site(
        catalog=catalog,
        project=cluster.project,
        location=cluster.location,
        region=cluster.region,
        cluster_name=resource.id.apply(bare_name),
        service_account=account.email,
        private_nodes=has_private_nodes(cluster),
        workload_identity=security.workload_identity,
        secure_boot=security.tpu_secure_boot,
        resource_labels=dict(cluster.resource_labels),
        pool_hooks=pool_hooks,
    )
