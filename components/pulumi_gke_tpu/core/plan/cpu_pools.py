"""Models of node pools without TPUs."""

from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BeforeValidator, PrivateAttr

from pulumi_gke_tpu.core.plan.base import ImportedLater, Labels, MaybeOutput, PlanModel, key, optional, short_adopted
from pulumi_gke_tpu.core.plan.slices import BootDisk, Taint, Timeouts

if TYPE_CHECKING:
    from pulumi_gke_tpu.core.plan.adoption import AdoptedCpuPool, AdoptedNodes
else:
    AdoptedCpuPool = Annotated[Any, ImportedLater("pulumi_gke_tpu.core.plan.adoption", "AdoptedCpuPool")]


class CpuPoolSpec(PlanModel):
    """A node pool without TPUs beside the system pool. Numbers are totals, not per zone."""

    machine_type: str = key("CPU machine type.", form="machine_type", copies="nodeConfig.machineType")
    nodes: int | None = optional(
        "Number of nodes in all zones together, of a node pool that is not autoscaled.",
        ge=0,
        sends="nodeCount",
        excludes=("initialNodeCount", "autoscaling", "ignoreNodeCountChanges"),
    )
    min_nodes: int | None = optional(
        "Minimum number of nodes in all zones together, of an autoscaled node pool; 0 if not set.",
        ge=0,
        sends="autoscaling.totalMinNodeCount",
    )
    max_nodes: int | None = optional(
        "Maximum number of nodes in all zones together, of an autoscaled node pool.",
        ge=1,
        sends="autoscaling.totalMaxNodeCount",
    )
    zones: list[str] | None = optional(
        "Zones of the node pool; GKE selects them if not set.", min_length=1, form="zone", sends="nodeLocations"
    )
    spot: bool = key("Spot VMs.", default=False, copies="nodeConfig.spot", excludes="nodeConfig.preemptible")
    boot_disk: BootDisk | None = optional(
        "Boot disk of each node; the default of GKE if not set.", excludes="nodeConfig.bootDisk"
    )
    image_streaming: bool | None = optional(
        "Image streaming: containers start before their whole image is on the node. GKE decides if not set.",
        copies="nodeConfig.gcfsConfig.enabled",
        excludes="nodeConfig.gcfsConfig",
    )
    sysctls: dict[str, str] | None = optional(
        "Kernel settings of the nodes, such as `vm.max_map_count`, by their names.",
        copies="nodeConfig.linuxNodeConfig.sysctls",
    )
    node_labels: Labels = key("Kubernetes labels of the nodes.", default=dict, sends="nodeConfig.labels")
    taints: list[Taint] = key("Kubernetes taints of the nodes.", default=list, sends="nodeConfig.taints")
    resource_labels: Labels = key(
        "Google Cloud labels of the VMs, in addition to those of the cluster.",
        default=dict,
        sends="nodeConfig.resourceLabels",
    )
    node_service_account: MaybeOutput[str] | None = optional(
        "create, or the email of a service account; that of the cluster if not set.",
        form="account",
        sends="nodeConfig.serviceAccount",
        creates=("service account", "IAM grant"),
    )
    timeouts: Timeouts | None = optional("Timeouts of Pulumi.", option="customTimeouts")
    adopted: Annotated[
        AdoptedCpuPool | None,
        BeforeValidator(short_adopted, json_schema_input_type=Literal[True] | AdoptedCpuPool | None),
    ] = optional(
        "true, or what the node pool has since before the plan. Pulumi then leaves hardening, taints, upgrades and "
        "repair as they are.",
        option="ignoreChanges",
    )
    extra: dict[str, Any] = key(
        "Provider properties of the node pool without a key of their own.",
        default=dict,
        nothing="the keys in it are properties of the provider",
    )

    _kept: "AdoptedNodes | None" = PrivateAttr(default=None)

    def note_kept(self, kept: "AdoptedNodes") -> None:
        """Record what only a node pool that exists has, of one that the plan describes."""
        self._kept = kept

    @property
    def kept(self) -> "AdoptedNodes | None":
        """What the node pool has if it existed before the plan; None if the plan creates it."""
        return self.adopted or self._kept

    @property
    def keeps_size(self) -> bool:
        """Whether the plan does not set the number of nodes of an adopted node pool."""
        written = (self.nodes, self.min_nodes, self.max_nodes)
        return self.adopted is not None and self.adopted.nodes is not None and written == (None, None, None)

    @property
    def fixed_nodes(self) -> int | None:
        """The number of nodes without an autoscaler, as far as it is known."""
        return self.adopted.nodes if self.keeps_size and self.adopted is not None else self.nodes

    @property
    def autoscaled(self) -> bool:
        """Whether the autoscaler decides the number of nodes."""
        return self.fixed_nodes is None


class SystemPool(PlanModel):
    """The node pool for everything except TPU workloads. Numbers are totals, not per zone."""

    machine_type: str = key(
        "CPU machine type.", default="n2-standard-4", form="machine_type", copies="nodeConfig.machineType"
    )
    min_nodes: int = key("Minimum number of nodes in total.", default=1, ge=0, sends="autoscaling.totalMinNodeCount")
    max_nodes: int = key("Maximum number of nodes in total.", default=3, ge=1, sends="autoscaling.totalMaxNodeCount")
    zones: list[str] | None = optional(
        "Zones of the node pool; GKE selects them if not set.", min_length=1, form="zone", sends="nodeLocations"
    )
    boot_disk_type: str | None = optional(
        "Boot disk type; the default of GKE if not set.", form="disk_type", copies="nodeConfig.bootDisk.diskType"
    )
    boot_disk_size_gib: int | None = optional(
        "Boot disk size in GiB; the default of GKE if not set.", ge=10, copies="nodeConfig.bootDisk.sizeGb"
    )
    boot_disk_kms_key: MaybeOutput[str] | None = optional(
        "Cloud KMS key that encrypts the boot disks; a key of Google if not set.",
        form="kms_key",
        copies="nodeConfig.bootDiskKmsKey",
    )
    image_streaming: bool | None = optional(
        "Image streaming: containers start before their whole image is on the node. GKE decides if not set.",
        copies="nodeConfig.gcfsConfig.enabled",
    )
    node_labels: Labels = key("Kubernetes labels of the nodes.", default=dict, sends="nodeConfig.labels")
    taints: list[Taint] = key("Kubernetes taints of the nodes.", default=list, sends="nodeConfig.taints")


class AutoprovisioningSpec(PlanModel):
    """Node auto-provisioning. The limits apply to all node pools of the cluster together."""

    cpu: int = key("Maximum number of vCPUs.", ge=1, sends="clusterAutoscaling.resourceLimits")
    memory_gib: int = key("Maximum memory.", ge=1, sends="clusterAutoscaling.resourceLimits")
    tpu: dict[str, int] = key(
        "Generation or accelerator label -> maximum number of chips.",
        default=dict,
        sends="clusterAutoscaling.resourceLimits",
    )
    zones: list[str] | None = optional(
        "Zones for new node pools.", min_length=1, form="zone", copies="clusterAutoscaling.autoProvisioningLocations"
    )
    boot_disk_type: str | None = optional(
        "Boot disk type of new nodes; the default of GKE if not set.",
        form="disk_type",
        copies="clusterAutoscaling.autoProvisioningDefaults.diskType",
    )
    boot_disk_size_gib: int | None = optional(
        "Boot disk size of new nodes in GiB; the default of GKE if not set.",
        ge=10,
        copies="clusterAutoscaling.autoProvisioningDefaults.diskSize",
    )
    node_service_account: MaybeOutput[str] | None = optional(
        "create, or the email of a service account for new nodes; that of the cluster if not set.",
        form="account",
        sends="clusterAutoscaling.autoProvisioningDefaults.serviceAccount",
        creates=("service account", "IAM grant"),
    )
