"""Models of slice groups."""

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BeforeValidator, Field, PrivateAttr, model_validator

from pulumi_gke_tpu.core.plan.base import (
    Duration,
    ImportedLater,
    Labels,
    MaybeOutput,
    PlanModel,
    key,
    optional,
    short_adopted,
    unchanged,
)
from pulumi_gke_tpu.core.plan.capacity import SHORT_LIVED, Capacity, CapacityWord, short_capacity
from pulumi_gke_tpu.core.plan.interfaces import WrittenNetwork
from pulumi_gke_tpu.core.plan.upgrades import Strategy, Upgrade, short_upgrade
from pulumi_gke_tpu.core.text.formats.names import taint_effect

if TYPE_CHECKING:
    from pulumi_gke_tpu.core.plan.adoption import Adopted, AdoptedNodes
    from pulumi_gke_tpu.core.plan.policies import Collection, Placement
else:
    Adopted = Annotated[Any, ImportedLater("pulumi_gke_tpu.core.plan.adoption", "Adopted")]
    Collection = Annotated[Any, ImportedLater("pulumi_gke_tpu.core.plan.policies", "Collection")]
    Placement = Annotated[Any, ImportedLater("pulumi_gke_tpu.core.plan.policies", "Placement")]

Effect = Literal["NO_SCHEDULE", "PREFER_NO_SCHEDULE", "NO_EXECUTE"]
KubernetesEffect = Literal["NoSchedule", "PreferNoSchedule", "NoExecute"]
FixedCount = Annotated[int, Field(ge=0)]
Interval = Literal["periodic", "as_needed", "PERIODIC", "AS_NEEDED"]


class Count(PlanModel):
    """The limits of an autoscaled group: the short form of ``min`` and ``max``."""

    min: int | None = optional("Minimum number of slices.", ge=0)
    max: int | None = optional("Maximum number of slices.", ge=1)


def _host_maintenance(value: object) -> Any:
    return {"interval": value} if isinstance(value, str) else value


def _lower(value: object) -> Any:
    return value.lower() if isinstance(value, str) else value


def _effect(value: object) -> Any:
    """Convert the spelling of Kubernetes, NoSchedule, to that of GKE, NO_SCHEDULE."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", value).upper() if isinstance(value, str) else value


class BootDisk(PlanModel):
    """The boot disk of each host."""

    type: str | None = optional(
        "Boot disk type.",
        form="disk_type",
        copies="nodeConfig.bootDisk.diskType",
        class_field="priorities.storage.bootDiskType",
        excludes="nodeConfig.diskType",
    )
    size_gib: int | None = optional(
        "Size in GiB, at least 10.",
        ge=10,
        copies="nodeConfig.bootDisk.sizeGb",
        class_field="priorities.storage.bootDiskSize",
        excludes="nodeConfig.diskSizeGb",
    )
    iops: int | None = optional(
        "Provisioned IOPS (Hyperdisk).",
        ge=1,
        copies="nodeConfig.bootDisk.provisionedIops",
        class_field="priorities.storage.bootDiskProvisionedIops",
    )
    throughput_mbps: int | None = optional(
        "Provisioned throughput in MiB/s (Hyperdisk).",
        ge=1,
        copies="nodeConfig.bootDisk.provisionedThroughput",
        class_field="priorities.storage.bootDiskProvisionedThroughput",
    )
    kms_key: MaybeOutput[str] | None = optional(
        "Cloud KMS key that encrypts the disk; a key of Google if not set.",
        form="kms_key",
        copies="nodeConfig.bootDiskKmsKey",
        class_field="priorities.storage.bootDiskKMSKey",
    )


class Taint(PlanModel):
    """A Kubernetes taint of the nodes."""

    value: str = key("Value of the taint.", default="")
    effect: Annotated[Effect, BeforeValidator(_effect, json_schema_input_type=Effect | KubernetesEffect)] = key(
        "Effect on Pods that do not tolerate the taint."
    )
    # Last, since its name hides the function.
    key: str = key("Key of the taint.")

    @property
    def written_effect(self) -> str:
        """The effect as plans and Kubernetes have it, ``NoSchedule``; ``effect`` has the spelling of GKE's API."""
        return taint_effect(self.effect)


class OpportunisticMaintenance(PlanModel):
    """Host maintenance as soon as hosts are idle, before the announced date."""

    idle: Duration = key(
        "Time without Pods of users after which a host is idle, such as 10m.",
        sends="nodeConfig.hostMaintenancePolicy.opportunisticMaintenanceStrategy.nodeIdleTimeWindow",
    )
    window: Duration = key(
        "Time before the announced date in which such maintenance can begin: 14d for the last 14 days, 28d for all.",
        sends="nodeConfig.hostMaintenancePolicy.opportunisticMaintenanceStrategy.maintenanceAvailabilityWindow",
    )
    min_nodes: int = key(
        "Number of nodes of the node pool that such maintenance leaves.",
        ge=0,
        sends="nodeConfig.hostMaintenancePolicy.opportunisticMaintenanceStrategy.minNodesPerPool",
    )


class HostMaintenance(PlanModel):
    """Host maintenance by Compute Engine."""

    interval: Annotated[
        Literal["periodic", "as_needed"],
        BeforeValidator(_lower, json_schema_input_type=Interval),
    ] = key(
        "Maintenance interval; periodic requires a reservation with periodic maintenance.",
        copies="nodeConfig.hostMaintenancePolicy.maintenanceInterval",
        values={"periodic": "PERIODIC", "as_needed": "AS_NEEDED"},
    )
    opportunistic: OpportunisticMaintenance | None = optional(
        "Maintain idle hosts before the announced date; requires `interval: periodic`."
    )


class SecondaryBootDisk(PlanModel):
    """A disk with preloaded data or container images."""

    image: MaybeOutput[str] = key(
        "Disk image, such as global/images/preload.", sends="nodeConfig.secondaryBootDisks.diskImage"
    )
    mode: Literal["container_image_cache"] | None = optional(
        "Use of the disk by GKE.", sends="nodeConfig.secondaryBootDisks.mode"
    )


class GroupMaintenance(PlanModel):
    """Maintenance of the node pools of the group."""

    end_of_support: bool = key(
        "Exclude the node pools from minor upgrades until the end of support.",
        default=False,
        sends="maintenancePolicies.exclusionUntilEndOfSupports.enabled",
        excludes="maintenancePolicies",
    )


class Timeouts(PlanModel):
    """Timeouts of Pulumi for an operation."""

    create: Duration | None = optional("Timeout of the creation.")
    update: Duration | None = optional("Timeout of an update.")
    delete: Duration | None = optional("Timeout of the deletion.")


SliceCount = Annotated[int | None, BeforeValidator(unchanged, json_schema_input_type=FixedCount | Count | None)]


class SliceGroupSpec(PlanModel):
    """Equal slices. gke-tpu derives whether they are single-host or multi-host."""

    tpu: str = key(
        "TPU generation: v3, v4, v5e, v5p, v6e or tpu7x.",
        form="generation",
        sends="nodeConfig.machineType",
        excludes="nodeConfig.guestAccelerators",
    )
    topology: str | None = optional(
        "Topology of one slice, AxB or AxBxC.",
        form="topology",
        sends={
            "TPU node pool": ("placementPolicy.tpuTopology", "nodeConfig.machineType"),
            "workload policy": "workloadPolicy.acceleratorTopology",
        },
        excludes="placementPolicy",
    )
    chips: int | None = optional(
        "Chips of one slice; instead of topology, if only one topology has this number of chips.",
        ge=1,
        sends={
            "TPU node pool": ("nodeConfig.machineType", "placementPolicy.tpuTopology"),
            "workload policy": "workloadPolicy.acceleratorTopology",
        },
    )
    slicing: Literal["static", "dynamic"] = key(
        "static: each slice has the topology of the group. dynamic (tpu7x, reserved): `count` is a number of cubes of "
        "4x4x4 chips, of which GKE forms the slices that workloads ask for.",
        default="static",
        sends={
            "TPU node pool": "placementPolicy.tpuTopology",
            "workload policy": "workloadPolicy.acceleratorTopologyMode",
            "cluster": ("addonsConfig.sliceControllerConfig.enabled", "releaseChannel.channel"),
        },
        creates=("workload policy",),
    )
    chips_per_host: int | None = optional(
        "Chips per host; selects between the machine types of a topology.", sends="nodeConfig.machineType"
    )
    machine_type: str | None = optional(
        "Machine type; instead of chips_per_host. Only this key selects a legacy machine family.",
        autopilot="legacy",
        instead=(
            "GKE selects the machine by accelerator, topology and chips per Pod; use chips_per_host (only a "
            "legacy machine type, which has its own accelerator label, is allowed)"
        ),
        sends="nodeConfig.machineType",
    )
    count: SliceCount = optional(
        "Number of slices, with dynamic slicing of cubes, or {min, max} of an autoscaled group; 1 if not set.",
        ge=0,
        sends=(
            "nodeCount",
            "autoscaling.totalMinNodeCount",
            "autoscaling.totalMaxNodeCount",
            "autoscaling.minNodeCount",
            "autoscaling.maxNodeCount",
        ),
        excludes=("autoscaling", "initialNodeCount"),
        creates=("TPU node pool",),
    )
    min: int | None = optional(
        "Minimum number of slices of an autoscaled group (also count: {min, max}).",
        ge=0,
        instead_class="a ComputeClass keeps no node running without Pods",
        sends=("autoscaling.totalMinNodeCount", "autoscaling.minNodeCount"),
        creates=("TPU node pool",),
    )
    max: int | None = optional(
        "Maximum number of slices of an autoscaled group.",
        ge=1,
        sends=("autoscaling.totalMaxNodeCount", "autoscaling.maxNodeCount"),
        creates=("TPU node pool",),
    )
    indices: list[int] | None = optional(
        "Indices of the slices, for multi-host slices; instead of count.",
        min_length=1,
        instead_class="there are no node pools to number; use count",
        autopilot="refused",
        instead="there are no node pools to number; use count",
        creates=("TPU node pool",),
    )
    zone: str | None = optional(
        "Zone; required on Standard unless the cluster is zonal.", form="zone", sends="nodeLocations"
    )
    zones: list[str] | None = optional(
        "Zones of single-host slices that may be in several zones; instead of zone.",
        min_length=1,
        form="zone",
        autopilot="refused",
        instead="without `zone`, GKE selects the zones",
        sends="nodeLocations",
    )
    capacity: Annotated[Capacity, BeforeValidator(short_capacity, json_schema_input_type=CapacityWord | Capacity)] = (
        key(
            "Capacity mode: on_demand, spot, flex_start, queued, or a mapping with its settings.",
            default=Capacity,
            excludes="queuedProvisioning",
        )
    )
    fallback: list[Literal["on_demand", "spot", "flex_start"]] = key(
        "Capacity modes to try after capacity, in order. A ComputeClass then serves the group: GKE creates its node "
        "pools when Pods need them, and deletes them afterwards.",
        default=list,
        creates=("TPU node pool", "workload policy"),
    )
    boot_disk: BootDisk | None = optional(
        "Boot disk of each host; the default of GKE if not set.",
        autopilot="noted",
        instead="a ComputeClass can set it",
        excludes="nodeConfig.bootDisk",
    )
    image_streaming: bool | None = optional(
        "Image streaming: containers start before their whole image is on the node. GKE decides if not set.",
        autopilot="noted",
        instead="GKE streams images there already",
        copies="nodeConfig.gcfsConfig.enabled",
        excludes="nodeConfig.gcfsConfig",
        class_field="nodePoolConfig.imageStreaming.enabled",
    )
    node_labels: Labels = key(
        "Kubernetes labels of the nodes.",
        default=dict,
        autopilot="noted",
        instead="set them in a ComputeClass",
        sends="nodeConfig.labels",
    )
    taints: list[Taint] = key(
        "Kubernetes taints of the nodes, in addition to those of GKE.",
        default=list,
        autopilot="noted",
        instead="set them in a ComputeClass",
        sends="nodeConfig.taints",
    )
    resource_labels: Labels = key(
        "Google Cloud labels of the VMs.",
        default=dict,
        autopilot="noted",
        instead="label the cluster",
        instead_class="a ComputeClass has no labels of Google Cloud; label the cluster",
        sends="nodeConfig.resourceLabels",
    )
    node_service_account: MaybeOutput[str] | None = optional(
        "create, or the email of a service account; that of the cluster if not set.",
        autopilot="refused",
        instead="a ComputeClass sets it with nodePoolConfig.serviceAccount",
        form="account",
        sends="nodeConfig.serviceAccount",
        creates=("service account", "IAM grant"),
    )
    max_pods_per_node: int | None = optional(
        "Maximum number of Pods per node, at most 256.",
        autopilot="refused",
        instead="GKE sets it",
        ge=1,
        copies="maxPodsPerNode",
        class_field="priorities.maxPodsPerNode",
    )
    upgrade: Annotated[
        Upgrade | None, BeforeValidator(short_upgrade, json_schema_input_type=Strategy | Upgrade | None)
    ] = optional(
        "Upgrades and repair of the nodes, or only the strategy.",
        autopilot="refused",
        instead="GKE always uses surge upgrades, and flex-start nodes run until they end",
    )
    placement: Placement | None = optional(
        "Workload policy (tpu7x); gke-tpu creates one for the group if not set.",
        autopilot="noted",
        instead="set the policy in the selector of the workload",
    )
    collection: Collection | None = optional(
        "Collection scheduling (v6e).", autopilot="noted", instead="a ComputeClass can set it"
    )
    host_maintenance: Annotated[
        HostMaintenance | None,
        BeforeValidator(_host_maintenance, json_schema_input_type=Interval | HostMaintenance | None),
    ] = optional(
        "Host maintenance: periodic or as_needed.",
        instead_class="a ComputeClass cannot set it",
        autopilot="refused",
        instead="there is no node pool to set it on",
    )
    best_effort: int | None = optional(
        "Create the node pool as soon as it has this number of nodes; GKE adds the others when there is capacity. For "
        "single-host slices.",
        ge=0,
        instead_class="GKE creates the node pools when Pods need them",
        autopilot="refused",
        instead="there is no node pool to set it on",
        sends=("bestEffortProvisioning.minProvisionNodes", "bestEffortProvisioning.enabled"),
        excludes="bestEffortProvisioning",
    )
    maintenance: GroupMaintenance | None = optional(
        "Maintenance exclusion of the node pools.",
        autopilot="refused",
        instead="exclude upgrades for the whole cluster",
    )
    driver_mode: Literal["device_plugin", "dynamic_resource_allocation"] | None = optional(
        "Driver that allocates TPUs to Pods; GKE's device plugin if not set. Set it when you create the node pools.",
        autopilot="refused",
        instead="a ComputeClass sets the driver with nodePoolConfig.tpu.driverMode",
        sends="nodeConfig.labels",
    )
    sysctls: dict[str, str] | None = optional(
        "Kernel settings of the nodes, such as `vm.max_map_count`, by their names.",
        autopilot="refused",
        instead="there is no node pool to set it on",
        copies="nodeConfig.linuxNodeConfig.sysctls",
    )
    transparent_hugepages: Literal["always", "madvise", "never"] | None = optional(
        "Transparent hugepages of the nodes; the kernel default, madvise, if not set. JAX recommends always.",
        autopilot="refused",
        instead="there is no node pool to set it on",
        copies="nodeConfig.linuxNodeConfig.transparentHugepageEnabled",
        class_field="priorities.nodeSystemConfig.linuxNodeConfig.transparentHugepageEnabled",
        values={
            "always": "TRANSPARENT_HUGEPAGE_ENABLED_ALWAYS",
            "madvise": "TRANSPARENT_HUGEPAGE_ENABLED_MADVISE",
            "never": "TRANSPARENT_HUGEPAGE_ENABLED_NEVER",
        },
    )
    network_profile: Literal["auto"] | None = optional(
        "auto: GKE creates the additional network interfaces.",
        autopilot="refused",
        instead="GKE creates the network interfaces",
        copies="networkConfig.acceleratorNetworkProfile",
        class_field="priorities.acceleratorNetworkProfile",
    )
    additional_networks: list[WrittenNetwork] = key(
        "Additional network interfaces: names in additional_networks of the cluster, or existing networks.",
        default=list,
        instead_class="use network_profile",
        autopilot="refused",
        instead="GKE creates the network interfaces",
        sends={
            "TPU node pool": (
                "networkConfig.additionalNodeNetworkConfigs.network",
                "networkConfig.additionalNodeNetworkConfigs.subnetwork",
            ),
            "cluster": "enableMultiNetworking",
        },
        excludes="networkConfig.additionalNodeNetworkConfigs",
    )
    secondary_boot_disk: SecondaryBootDisk | None = optional(
        "Disk with preloaded data or images.",
        autopilot="refused",
        instead="there is no node pool; a ComputeClass can name such disks",
    )
    protect: bool | None = optional(
        "Prevent replacement and deletion; true for reserved capacity, otherwise false if not set.",
        instead_class="there is no node pool to protect; deletion_protection protects the cluster",
        autopilot="refused",
        instead="there is no node pool to protect; deletion_protection protects the cluster",
        option="protect",
    )
    timeouts: Timeouts | None = optional(
        "Timeouts of Pulumi.",
        instead_class="there is no node pool to wait for",
        autopilot="refused",
        instead="there is no node pool to wait for",
        option="customTimeouts",
    )
    name: str | None = optional(
        "Name in GKE, if it differs from the key.",
        form="gke_name",
        excludes=("name", "namePrefix"),
        creates=("TPU node pool",),
    )
    adopted: Annotated[
        Adopted | None, BeforeValidator(short_adopted, json_schema_input_type=Literal[True] | Adopted | None)
    ] = optional(
        "true, or what the node pools have since before the plan. Pulumi then leaves hardening, taints and the number "
        "of nodes of a static multi-host slice as they are.",
        instead_class="GKE creates the node pools",
        autopilot="refused",
        instead="there is no node pool to adopt",
        option="ignoreChanges",
    )
    extra: dict[str, Any] = key(
        "Provider properties of the node pools without a key of their own.",
        default=dict,
        instead_class="there is no node pool to set the properties on",
        autopilot="refused",
        instead="there is no node pool to set the properties on",
        nothing="the keys in it are properties of the provider",
    )

    @model_validator(mode="before")
    @classmethod
    def _hoist_count(cls, value: object) -> Any:
        """``count: {min, max}`` is ``min`` and ``max`` in canonical form."""
        count = value.get("count") if isinstance(value, dict) else None
        if isinstance(value, dict) and isinstance(count, dict) and not {"min", "max"} & value.keys():
            rest = {name: item for name, item in value.items() if name != "count"}
            return rest | count if count.keys() <= {"min", "max"} else value
        return value

    _described: tuple[str, ...] = PrivateAttr(default=())
    """Names of the node pools in GKE that the group was made of; empty for a group that a person wrote."""
    _kept: "AdoptedNodes | None" = PrivateAttr(default=None)
    _kept_upgrade: Mapping[str, int] = PrivateAttr(default_factory=dict)
    _exists: bool = PrivateAttr(default=False)

    def note_pools(
        self, names: tuple[str, ...], kept: "AdoptedNodes", upgrade: Mapping[str, int], *, exist: bool
    ) -> None:
        """Record of the node pools that the group describes their names, whether they exist, and what no person wrote.

        ``upgrade`` are the sizes of surge upgrades that GKE and the provider set where a program sets nothing.
        """
        self._described, self._kept, self._kept_upgrade, self._exists = names, kept, upgrade, exist

    @property
    def exists(self) -> bool:
        """Whether the node pools existed before the plan."""
        return self.adopted is not None or self._exists

    @property
    def effective_upgrade(self) -> Upgrade:
        """The keys of upgrades that a person wrote, with the sizes that node pools have without them."""
        written = self.upgrade or Upgrade()
        return written.model_copy(update=dict(self._kept_upgrade)) if self._kept_upgrade else written

    @property
    def kept(self) -> "AdoptedNodes | None":
        """What the node pools have that existed before the group; None if a plan creates them."""
        return self.adopted or self._kept

    @property
    def pool_names(self) -> tuple[str, ...]:
        """The names of node pools that existed before the group; empty if they follow from its own name."""
        adopted = self.adopted.pools if self.adopted is not None else None
        return tuple(adopted) if adopted is not None else self._described

    @property
    def dynamic(self) -> bool:
        """Whether GKE forms slices of the cubes of the group when workloads ask for them."""
        return self.slicing == "dynamic"

    @property
    def autoscaled(self) -> bool:
        """Whether the autoscaler decides the number of slices."""
        return self.min is not None or self.max is not None or self.capacity.mode in SHORT_LIVED

    @property
    def keeps_size(self) -> bool:
        """Whether the plan does not set the number of hosts of an adopted node pool."""
        return (
            self.adopted is not None and self.adopted.nodes is not None and self.count is None and not self.autoscaled
        )
