"""Models of the node pools without TPUs."""

from typing import Any

from pulumi_gke_tpu.plan.base import Labels, MaybeOutput, PlanModel, key
from pulumi_gke_tpu.plan.slices import BootDisk, Taint, Timeouts


class CpuPool(PlanModel):
    """A node pool without TPUs beside the system pool. Numbers are totals, not per zone."""

    machine_type: str = key("CPU machine type.", form="machine_type")
    nodes: int | None = key(
        "Number of nodes in all zones together, of a node pool that is not autoscaled.", default=None, ge=0
    )
    min_nodes: int | None = key(
        "Minimum number of nodes in all zones together, of an autoscaled node pool; 0 if not set.", default=None, ge=0
    )
    max_nodes: int | None = key(
        "Maximum number of nodes in all zones together, of an autoscaled node pool.", default=None, ge=1
    )
    zones: list[str] | None = key(
        "Zones of the node pool; GKE selects them if not set.", default=None, min_length=1, form="zone"
    )
    spot: bool = key("Spot VMs.", default=False)
    boot_disk: BootDisk | None = key("Boot disk of each node; the default of GKE if not set.", default=None)
    node_labels: Labels = key("Kubernetes labels of the nodes.", default=dict)
    taints: list[Taint] = key("Kubernetes taints of the nodes.", default=list)
    node_service_account: MaybeOutput[str] | None = key(
        "create, or the email of a service account; that of the cluster if not set.", default=None, form="account"
    )
    timeouts: Timeouts | None = key("Timeouts of Pulumi.", default=None)
    extra: dict[str, Any] = key("Provider properties of the node pool without a key of their own.", default=dict)

    @property
    def autoscaled(self) -> bool:
        """Whether the autoscaler decides the number of nodes."""
        return self.nodes is None
