"""The common part of the components of new clusters, and the component of a cluster that exists already."""

from collections.abc import Mapping
from typing import Annotated

import pulumi

from pulumi_gke_tpu.components.registration import DeclaredComponent
from pulumi_gke_tpu.components.slices import TpuSlices
from pulumi_gke_tpu.core.graph.resource_types import CLUSTER, NODE_POOL, TPU_SLICES


class ClusterComponent(DeclaredComponent):
    """A GKE cluster with TPU slices. A base class: see StandardCluster and AutopilotCluster."""

    @property
    def cluster_name(self) -> pulumi.Output[str]:
        """Name in GKE."""
        return self._output("cluster_name")

    @property
    def cluster_id(self) -> pulumi.Output[str]:
        """projects/P/locations/L/clusters/C."""
        return self._output("cluster_id")

    @property
    def endpoint(self) -> pulumi.Output[str]:
        """Host name (or address) of the control plane."""
        return self._output("endpoint")

    @property
    def ca_certificate(self) -> pulumi.Output[str]:
        """Base64 certificate of the control plane's IP endpoint. Pulumi keeps all of masterAuth secret."""
        return self._output("ca_certificate")

    @property
    def kubeconfig_command(self) -> pulumi.Output[str]:
        """The gcloud command that writes credentials for kubectl."""
        return self._output("kubeconfig_command")

    @property
    def node_service_account(self) -> pulumi.Output[str]:
        """Email of the service account of the nodes, for slices that another program adds."""
        return self._output("node_service_account")

    @property
    def kubeconfig(self) -> pulumi.Output[str]:
        """Kubeconfig with the authentication plugin of gcloud, for ``pulumi_kubernetes.Provider``. A secret."""
        return self._output("kubeconfig")

    @property
    def network(self) -> pulumi.Output[str]:
        """The network of the cluster, as GKE reports it."""
        return self._output("network")

    @property
    def subnetwork(self) -> pulumi.Output[str]:
        """The subnetwork of the cluster, as GKE reports it."""
        return self._output("subnetwork")

    @property
    def slices(self) -> Mapping[str, TpuSlices]:
        """The slice groups by name."""
        return self._components

    @property
    def resource(self) -> Annotated[pulumi.CustomResource, CLUSTER]:
        """The cluster itself, a resource of the gcp provider.

        For ``depends_on``, ``parent`` and its ``id``. In Python it has no typed properties, because loading their class
        takes a second. ``gcp.container.Cluster.get`` reads it.
        """
        (cluster,) = self._resources_of(CLUSTER).values()
        return cluster

    @property
    def node_pools(self) -> Mapping[str, Annotated[pulumi.CustomResource, NODE_POOL]]:
        """The node pools without TPUs by their name in GKE: the system pool and the CPU pools. Empty on Autopilot."""
        return self._resources_of(NODE_POOL)

    def _classes(self) -> Mapping[str, type[DeclaredComponent]]:
        return {TPU_SLICES: TpuSlices}


class ExistingCluster(DeclaredComponent):
    """A GKE cluster that exists already, with the TPU slices that a plan creates in it.

    A ``TpuFleet`` registers it for a cluster with ``existing``. In a program of your own, use ``TpuSlices``.
    """

    def __init__(self) -> None:
        """Only a ``TpuFleet`` makes it.

        Raises:
            TypeError: always.
        """
        raise TypeError("ExistingCluster is registered by TpuFleet; in a program of your own, use TpuSlices")

    @property
    def cluster_name(self) -> pulumi.Output[str]:
        """Name in GKE."""
        return self._output("cluster_name")

    @property
    def cluster_id(self) -> pulumi.Output[str]:
        """projects/P/locations/L/clusters/C."""
        return self._output("cluster_id")

    @property
    def kubeconfig_command(self) -> pulumi.Output[str]:
        """The gcloud command that writes credentials for kubectl."""
        return self._output("kubeconfig_command")

    @property
    def node_service_account(self) -> pulumi.Output[str | None]:
        """Email of the service account of the nodes; None for the Compute Engine default service account."""
        return self._output("node_service_account")

    @property
    def slices(self) -> Mapping[str, TpuSlices]:
        """The slice groups by name."""
        return self._components

    def _classes(self) -> Mapping[str, type[DeclaredComponent]]:
        return {TPU_SLICES: TpuSlices}
