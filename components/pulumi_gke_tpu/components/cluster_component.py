"""The common part of the components of new clusters, and the component of a cluster that exists already."""

from collections.abc import Mapping

import pulumi

from pulumi_gke_tpu.components.registration import DeclaredComponent, Within
from pulumi_gke_tpu.components.slices import TpuSlices
from pulumi_gke_tpu.graph.types import TPU_SLICES


class ClusterComponent(DeclaredComponent):
    """A GKE cluster with TPU slices. Not used by itself: see StandardCluster and AutopilotCluster."""

    cluster_name: pulumi.Output[str]
    """Name in GKE."""
    cluster_id: pulumi.Output[str]
    """projects/P/locations/L/clusters/C."""
    endpoint: pulumi.Output[str]
    """Host name (or address) of the control plane."""
    ca_certificate: pulumi.Output[str]
    """Base64 certificate of the control plane's IP endpoint. Pulumi keeps all of masterAuth secret."""
    kubeconfig_command: pulumi.Output[str]
    """The gcloud command that writes credentials for kubectl."""
    node_service_account: pulumi.Output[str]
    """E-mail of the account that nodes run as: for slices that another program adds."""

    @property
    def slices(self) -> Mapping[str, TpuSlices]:
        """The slice groups by name."""
        return self._components

    def _classes(self) -> Mapping[str, type[DeclaredComponent]]:
        return {TPU_SLICES: TpuSlices}


class ExistingCluster(DeclaredComponent):
    """A GKE cluster that exists already, with the TPU slices that a plan creates in it.

    A ``TpuFleet`` registers it for a cluster with ``existing``. In a program of your own, use ``TpuSlices``.
    """

    cluster_name: pulumi.Output[str]
    """Name in GKE."""
    cluster_id: pulumi.Output[str]
    """projects/P/locations/L/clusters/C."""
    kubeconfig_command: pulumi.Output[str]
    """The gcloud command that writes credentials for kubectl."""
    node_service_account: pulumi.Output[str | None]
    """E-mail of the account that nodes of the slices run as; None for the Compute Engine default service account."""

    def __init__(
        self, name: str, args: Mapping[str, object], opts: pulumi.ResourceOptions | None, *, _within: Within
    ) -> None:
        super().__init__(opts, _within)

    @property
    def slices(self) -> Mapping[str, TpuSlices]:
        """The slice groups by name."""
        return self._components

    def _classes(self) -> Mapping[str, type[DeclaredComponent]]:
        return {TPU_SLICES: TpuSlices}
