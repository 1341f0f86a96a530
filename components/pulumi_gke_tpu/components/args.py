"""The arguments of the components: the keys of a plan as typed dictionaries.

A key is an ``Input`` if its value only flows into a property. It is plain if the value decides which resources exist or
which rule applies.

Written by tools/plugin_schema.py from the models in plan/.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypedDict

import pulumi
from typing_extensions import NotRequired

Addon = Literal[
    "agent_sandbox",
    "dns_cache",
    "filestore",
    "gcs_fuse",
    "gke_backup",
    "high_scale_checkpointing",
    "lustre",
    "node_readiness",
    "parallelstore",
    "pod_snapshot",
    "ray_operator",
    "slice_controller",
    "stateful_ha",
]

Generation = Literal[
    "v3",
    "v4",
    "v5e",
    "v5p",
    "v6e",
    "tpu7x",
]


class ReservationArgs(TypedDict):
    """A Compute Engine reservation, selected by name (specific affinity)."""

    name: str
    """Name of the reservation."""
    project: NotRequired[str]
    """Project that owns the reservation, if another project shares it."""
    block: NotRequired[str]
    """Block of the reservation."""
    sub_block: NotRequired[str]
    """Sub-block of the block."""


class ChipBudgetArgs(TypedDict):
    """Chips that slice groups of any shape share: those of a reservation, or of a quota of Spot VMs."""

    chips: int
    """Number of chips that its slice groups can have together."""
    reservation: NotRequired[str | ReservationArgs]
    """Reservation, block or sub-block: slice groups with this `capacity` share the chips."""
    spot: NotRequired[Generation]
    """TPU generation: slice groups of it with `capacity: spot` share the chips."""
    region: NotRequired[str]
    """Region of the Spot VMs; every region if not set."""


class CreateNetworkArgs(TypedDict):
    """A new network for the cluster."""

    mtu: NotRequired[int]
    """MTU in bytes. The default is the largest one, which traffic between slices needs. Default: 8896."""
    subnet: NotRequired[str]
    """Primary IP range of the subnetwork, for nodes. Default: 10.0.0.0/20."""
    pods: NotRequired[str]
    """Secondary IP range for Pods. Default: 10.16.0.0/14."""
    services: NotRequired[str]
    """Secondary IP range for Services. Default: 10.20.0.0/20."""
    nat: NotRequired[bool]
    """Cloud NAT, which gives private nodes access to the internet. Default: true."""


class ExistingNetworkArgs(TypedDict):
    """An existing network."""

    network: pulumi.Input[str]
    """Name or ID of the network."""
    subnetwork: pulumi.Input[str]
    """Name or ID of the subnetwork, in the region of the cluster."""
    pods_range: NotRequired[pulumi.Input[str]]
    """Name of the secondary range for Pods."""
    services_range: NotRequired[pulumi.Input[str]]
    """Name of the secondary range for Services."""


class NetworkArgs(TypedDict):
    """The network of the cluster: new or existing."""

    create: NotRequired[Literal[True] | CreateNetworkArgs]
    """Create a network; true for its defaults."""
    existing: NotRequired[ExistingNetworkArgs]
    """Use an existing network."""


class InterfaceNetworkArgs(TypedDict):
    """A new network for an additional network interface of TPU hosts."""

    subnet: str
    """IP range of the subnetwork, for the network interfaces."""
    mtu: NotRequired[int]
    """MTU in bytes. The default is the largest one, which traffic between slices needs. Default: 8896."""


class WorkloadPolicyArgs(TypedDict):
    """A new workload policy: how Compute Engine places the hosts of a workload."""

    topology: NotRequired[str]
    """Topology of the slices, AxB or AxBxC; multi-host slices require it."""
    topology_mode: NotRequired[Literal["auto_connect", "provision_only"]]
    """When the chips of a slice are connected: at the creation of the VMs, or by dynamic slicing (provision_only).
    Compute Engine uses auto_connect if not set."""
    type: NotRequired[Literal["high_throughput", "high_availability"]]
    """Goal of the placement; a topology requires high_throughput. One of high_throughput, high_availability. Default:
    high_throughput."""
    max_topology_distance: NotRequired[Literal["cluster", "block", "subblock"]]
    """Maximum distance of the hosts from each other; instead of topology. One of cluster, block, subblock."""


class ControlPlaneArgs(TypedDict):
    """Access to the control plane."""

    dns_endpoint: NotRequired[bool]
    """DNS-based endpoint, protected by IAM. Default: true."""
    authorized_networks: NotRequired[Mapping[str, pulumi.Input[str]]]
    """Name -> CIDR range with access to the IP endpoint, which is disabled without any range."""
    private: NotRequired[bool]
    """Give the IP endpoint only a private address."""


class TaintArgs(TypedDict):
    """A Kubernetes taint of the nodes."""

    value: NotRequired[str]
    """Value of the taint."""
    effect: Literal["NO_SCHEDULE", "PREFER_NO_SCHEDULE", "NO_EXECUTE", "NoSchedule", "PreferNoSchedule", "NoExecute"]
    """Effect on Pods that do not tolerate the taint. One of NO_SCHEDULE, PREFER_NO_SCHEDULE, NO_EXECUTE."""
    key: str
    """Key of the taint."""


class SystemPoolArgs(TypedDict):
    """The node pool for everything except TPU workloads. Numbers are totals, not per zone."""

    machine_type: NotRequired[str]
    """CPU machine type. Default: n2-standard-4."""
    min_nodes: NotRequired[int]
    """Minimum number of nodes in total. Default: 1."""
    max_nodes: NotRequired[int]
    """Maximum number of nodes in total. Default: 3."""
    zones: NotRequired[Sequence[str]]
    """Zones of the node pool; GKE selects them if not set."""
    boot_disk_type: NotRequired[str]
    """Boot disk type; the default of GKE if not set."""
    boot_disk_size_gib: NotRequired[int]
    """Boot disk size in GiB; the default of GKE if not set."""
    boot_disk_kms_key: NotRequired[pulumi.Input[str]]
    """Cloud KMS key that encrypts the boot disks; a key of Google if not set."""
    image_streaming: NotRequired[bool]
    """Image streaming: containers start before their whole image is on the node. GKE decides if not set."""
    node_labels: NotRequired[Mapping[str, pulumi.Input[str]]]
    """Kubernetes labels of the nodes."""
    taints: NotRequired[Sequence[TaintArgs]]
    """Kubernetes taints of the nodes."""


class BootDiskArgs(TypedDict):
    """The boot disk of each host."""

    type: NotRequired[str]
    """Boot disk type."""
    size_gib: NotRequired[int]
    """Size in GiB, at least 10."""
    iops: NotRequired[int]
    """Provisioned IOPS (Hyperdisk)."""
    throughput_mbps: NotRequired[int]
    """Provisioned throughput in MiB/s (Hyperdisk)."""
    kms_key: NotRequired[pulumi.Input[str]]
    """Cloud KMS key that encrypts the disk; a key of Google if not set."""


class TimeoutsArgs(TypedDict):
    """Timeouts of Pulumi for an operation."""

    create: NotRequired[str]
    """Timeout of the creation."""
    update: NotRequired[str]
    """Timeout of an update."""
    delete: NotRequired[str]
    """Timeout of the deletion."""


class AdoptedCpuPoolArgs(TypedDict):
    """A node pool without TPUs that existed before the plan, as another tool created it."""

    oauth_scopes: NotRequired[Sequence[str]]
    """OAuth scopes of the nodes, such as devstorage.full_control; cloud-platform if not set."""
    location_policy: NotRequired[Literal["any", "balanced"]]
    """Location policy of the autoscaler; that which the node pool has if not set. One of any, balanced."""
    limits: NotRequired[Literal["total", "per_zone"]]
    """Limits of the autoscaler, for all zones together or for each zone; total if not set. Multi-host slices always
    have limits for each zone. One of total, per_zone."""
    nodes: NotRequired[int]
    """Number of nodes at creation in all zones together, if the source does not have the present one. The node pool
    keeps its nodes until the plan sets their number."""


class CpuPoolArgs(TypedDict):
    """A node pool without TPUs beside the system pool. Numbers are totals, not per zone."""

    machine_type: str
    """CPU machine type."""
    nodes: NotRequired[int]
    """Number of nodes in all zones together, of a node pool that is not autoscaled."""
    min_nodes: NotRequired[int]
    """Minimum number of nodes in all zones together, of an autoscaled node pool; 0 if not set."""
    max_nodes: NotRequired[int]
    """Maximum number of nodes in all zones together, of an autoscaled node pool."""
    zones: NotRequired[Sequence[str]]
    """Zones of the node pool; GKE selects them if not set."""
    spot: NotRequired[bool]
    """Spot VMs."""
    boot_disk: NotRequired[BootDiskArgs]
    """Boot disk of each node; the default of GKE if not set."""
    image_streaming: NotRequired[bool]
    """Image streaming: containers start before their whole image is on the node. GKE decides if not set."""
    sysctls: NotRequired[Mapping[str, str]]
    """Kernel settings of the nodes, such as `vm.max_map_count`, by their names."""
    node_labels: NotRequired[Mapping[str, pulumi.Input[str]]]
    """Kubernetes labels of the nodes."""
    taints: NotRequired[Sequence[TaintArgs]]
    """Kubernetes taints of the nodes."""
    resource_labels: NotRequired[Mapping[str, pulumi.Input[str]]]
    """Google Cloud labels of the VMs, in addition to those of the cluster."""
    node_service_account: NotRequired[pulumi.Input[str]]
    """create, or the email of a service account; that of the cluster if not set."""
    timeouts: NotRequired[TimeoutsArgs]
    """Timeouts of Pulumi."""
    adopted: NotRequired[Literal[True] | AdoptedCpuPoolArgs]
    """true, or what the node pool has since before the plan. Pulumi then leaves hardening, taints, upgrades and repair
    as they are."""
    extra: NotRequired[Mapping[str, Any]]
    """Provider properties of the node pool without a key of their own."""


class AutoprovisioningArgs(TypedDict):
    """Node auto-provisioning. The limits apply to all node pools of the cluster together."""

    cpu: int
    """Maximum number of vCPUs."""
    memory_gib: int
    """Maximum memory."""
    tpu: NotRequired[Mapping[str, int]]
    """Generation or accelerator label -> maximum number of chips."""
    zones: NotRequired[Sequence[str]]
    """Zones for new node pools."""
    boot_disk_type: NotRequired[str]
    """Boot disk type of new nodes; the default of GKE if not set."""
    boot_disk_size_gib: NotRequired[int]
    """Boot disk size of new nodes in GiB; the default of GKE if not set."""
    node_service_account: NotRequired[pulumi.Input[str]]
    """create, or the email of a service account for new nodes; that of the cluster if not set."""


class WindowArgs(TypedDict):
    """A recurring maintenance window."""

    start: str
    """Start of the first window, in UTC."""
    duration: str
    """Length of the window, at least 4h."""
    days: NotRequired[Sequence[Literal["MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN"]]]
    """Days of the week, in UTC; every day if not set. One of MON, TUE, WED, THU, FRI, SAT, SUN."""
    recurrence: NotRequired[str]
    """RFC 5545 recurrence rule, in quotes; instead of days."""


class ExclusionArgs(TypedDict):
    """A period without automatic upgrades."""

    start: str
    """Start, in UTC."""
    end: NotRequired[Literal["end_of_support"] | str]
    """End, in UTC, or the value end_of_support."""
    end_of_support: NotRequired[bool]
    """Lasts until the end of support of the minor version."""
    scope: NotRequired[Literal["no_upgrades", "no_minor_upgrades", "no_minor_or_node_upgrades"]]
    """Upgrades that it prevents. One of no_upgrades, no_minor_upgrades, no_minor_or_node_upgrades. Default:
    no_upgrades."""


class MaintenanceArgs(TypedDict):
    """Maintenance of the cluster by GKE."""

    window: NotRequired[WindowArgs]
    """Window for automatic maintenance."""
    exclusions: NotRequired[Mapping[str, ExclusionArgs]]
    """Name -> period without automatic upgrades."""


class SecurityArgs(TypedDict):
    """Hardening. On Autopilot it is fixed."""

    shielded_nodes: NotRequired[bool]
    """Shielded GKE nodes. Default: true."""
    secure_boot: NotRequired[bool]
    """Secure boot of node pools without TPUs. Default: true."""
    tpu_secure_boot: NotRequired[bool]
    """Secure boot of TPU node pools."""
    workload_identity: NotRequired[bool]
    """Workload Identity Federation. Default: true."""
    dataplane_v2: NotRequired[bool]
    """GKE Dataplane V2. Default: true."""


class CountArgs(TypedDict):
    """The limits of an autoscaled group: the short form of ``min`` and ``max``."""

    min: NotRequired[int]
    """Minimum number of slices."""
    max: NotRequired[int]
    """Maximum number of slices."""


class FlexStartArgs(TypedDict):
    """Flex-start: capacity for a limited time, as soon as it is available."""

    max_run_duration: NotRequired[str]
    """Maximum lifetime of a node, 10m to 7d; GKE uses 7d if not set."""
    queued: NotRequired[bool]
    """Request capacity by ProvisioningRequests (queued provisioning)."""


class CapacityArgs(TypedDict):
    """Capacity mode of the TPU hosts: exactly one key."""

    on_demand: NotRequired[bool]
    """On-demand capacity."""
    spot: NotRequired[bool]
    """Spot VMs."""
    reservation: NotRequired[str | ReservationArgs]
    """Specific reservation, or only its name."""
    flex_start: NotRequired[Literal[True] | FlexStartArgs]
    """Flex-start, or true for its defaults."""
    queued: NotRequired[bool]
    """Queued provisioning without flex-start."""


class BlueGreenArgs(TypedDict):
    """Blue-green upgrade settings."""

    batch_percentage: NotRequired[float]
    """Fraction of the old nodes to drain at a time, 0 to 1."""
    batch_node_count: NotRequired[int]
    """Number of old nodes to drain at a time."""
    batch_soak: NotRequired[str]
    """Wait time after each batch."""
    pool_soak: NotRequired[str]
    """Wait time before GKE deletes the old nodes."""


class UpgradeArgs(TypedDict):
    """Upgrades and repair of the nodes."""

    strategy: NotRequired[Literal["surge", "blue_green"]]
    """Upgrade strategy. One of surge, blue_green. Default: surge."""
    max_surge: NotRequired[int]
    """Number of extra nodes during a surge upgrade."""
    max_unavailable: NotRequired[int]
    """Number of unavailable nodes during a surge upgrade."""
    blue_green: NotRequired[BlueGreenArgs]
    """Settings of the blue-green strategy."""
    auto_repair: NotRequired[bool]
    """Re-create unhealthy nodes automatically."""
    auto_upgrade: NotRequired[bool]
    """Upgrade nodes automatically; a release channel requires it."""


class PlacementArgs(TypedDict):
    """Placement by a workload policy that gke-tpu does not create for the group alone."""

    workload_policy: pulumi.Input[str]
    """Name of a workload policy: in workload_policies of the cluster, or an existing one in the project and region of
    the node pool."""


class CollectionArgs(TypedDict):
    """Collection scheduling: node pools that together keep an inference service available."""

    name: str
    """Name of the collection."""
    workload: NotRequired[Literal["high_availability", "high_throughput"]]
    """Goal of the scheduling. One of high_availability, high_throughput. Default: high_availability."""


class OpportunisticMaintenanceArgs(TypedDict):
    """Host maintenance as soon as hosts are idle, before the announced date."""

    idle: str
    """Time without Pods of users after which a host is idle, such as 10m."""
    window: str
    """Time before the announced date in which such maintenance can begin: 14d for the last 14 days, 28d for all."""
    min_nodes: int
    """Number of nodes of the node pool that such maintenance leaves."""


class HostMaintenanceArgs(TypedDict):
    """Host maintenance by Compute Engine."""

    interval: Literal["periodic", "as_needed", "PERIODIC", "AS_NEEDED"]
    """Maintenance interval; periodic requires a reservation with periodic maintenance. One of periodic, as_needed."""
    opportunistic: NotRequired[OpportunisticMaintenanceArgs]
    """Maintain idle hosts before the announced date; requires `interval: periodic`."""


class GroupMaintenanceArgs(TypedDict):
    """Maintenance of the node pools of the group."""

    end_of_support: NotRequired[bool]
    """Exclude the node pools from minor upgrades until the end of support."""


class AdditionalNetworkArgs(TypedDict):
    """An additional network interface of every host."""

    name: NotRequired[str]
    """Name of a network in additional_networks of the cluster; instead of network and subnetwork."""
    network: NotRequired[pulumi.Input[str]]
    """Name or ID of an existing network."""
    subnetwork: NotRequired[pulumi.Input[str]]
    """Name or ID of an existing subnetwork."""


class SecondaryBootDiskArgs(TypedDict):
    """A disk with preloaded data or container images."""

    image: pulumi.Input[str]
    """Disk image, such as global/images/preload."""
    mode: NotRequired[Literal["container_image_cache"]]
    """Use of the disk by GKE. One of container_image_cache."""


class AdoptedArgs(TypedDict):
    """Node pools that existed before the plan, as another tool created them."""

    oauth_scopes: NotRequired[Sequence[str]]
    """OAuth scopes of the nodes, such as devstorage.full_control; cloud-platform if not set."""
    location_policy: NotRequired[Literal["any", "balanced"]]
    """Location policy of the autoscaler; that which the node pool has if not set. One of any, balanced."""
    limits: NotRequired[Literal["total", "per_zone"]]
    """Limits of the autoscaler, for all zones together or for each zone; total if not set. Multi-host slices always
    have limits for each zone. One of total, per_zone."""
    nodes: NotRequired[int]
    """Number of nodes at creation in all zones together, if the source does not have the present one. The node pool
    keeps its nodes until the plan sets their number."""
    pools: NotRequired[Sequence[str]]
    """Names of the node pools in GKE, one for each multi-host slice; NAME-INDEX if not set."""


class SliceGroupArgs(TypedDict):
    """Equal slices. gke-tpu derives whether they are single-host or multi-host."""

    tpu: Generation
    """TPU generation: v3, v4, v5e, v5p, v6e or tpu7x."""
    topology: NotRequired[str]
    """Topology of one slice, AxB or AxBxC."""
    chips: NotRequired[int]
    """Chips of one slice; instead of topology, if only one topology has this number of chips."""
    slicing: NotRequired[Literal["static", "dynamic"]]
    """static: each slice has the topology of the group. dynamic (tpu7x, reserved): `count` is a number of cubes of
    4x4x4 chips, of which GKE forms the slices that workloads ask for. Default: static."""
    chips_per_host: NotRequired[int]
    """Chips per host; selects between the machine types of a topology."""
    machine_type: NotRequired[str]
    """Machine type; instead of chips_per_host. Only this key selects a legacy machine family."""
    count: NotRequired[int | CountArgs]
    """Number of slices, with dynamic slicing of cubes, or {min, max} of an autoscaled group; 1 if not set."""
    min: NotRequired[int]
    """Minimum number of slices of an autoscaled group (also count: {min, max})."""
    max: NotRequired[int]
    """Maximum number of slices of an autoscaled group."""
    indices: NotRequired[Sequence[int]]
    """Indices of the slices, for multi-host slices; instead of count."""
    zone: NotRequired[str]
    """Zone; required on Standard unless the cluster is zonal."""
    zones: NotRequired[Sequence[str]]
    """Zones of single-host slices that may be in several zones; instead of zone."""
    capacity: NotRequired[Literal["on_demand", "spot", "flex_start", "queued"] | CapacityArgs]
    """Capacity mode: on_demand, spot, flex_start, queued, or a mapping with its settings."""
    fallback: NotRequired[Sequence[Literal["on_demand", "spot", "flex_start"]]]
    """Capacity modes to try after capacity, in order. A ComputeClass then serves the group: GKE creates its node pools
    when Pods need them, and deletes them afterwards. One of on_demand, spot, flex_start."""
    boot_disk: NotRequired[BootDiskArgs]
    """Boot disk of each host; the default of GKE if not set."""
    image_streaming: NotRequired[bool]
    """Image streaming: containers start before their whole image is on the node. GKE decides if not set."""
    node_labels: NotRequired[Mapping[str, pulumi.Input[str]]]
    """Kubernetes labels of the nodes."""
    taints: NotRequired[Sequence[TaintArgs]]
    """Kubernetes taints of the nodes, in addition to those of GKE."""
    resource_labels: NotRequired[Mapping[str, pulumi.Input[str]]]
    """Google Cloud labels of the VMs."""
    node_service_account: NotRequired[pulumi.Input[str]]
    """create, or the email of a service account; that of the cluster if not set."""
    max_pods_per_node: NotRequired[int]
    """Maximum number of Pods per node, at most 256."""
    upgrade: NotRequired[Literal["surge", "blue_green"] | UpgradeArgs]
    """Upgrades and repair of the nodes, or only the strategy."""
    placement: NotRequired[PlacementArgs]
    """Workload policy (tpu7x); gke-tpu creates one for the group if not set."""
    collection: NotRequired[CollectionArgs]
    """Collection scheduling (v6e)."""
    host_maintenance: NotRequired[Literal["periodic", "as_needed", "PERIODIC", "AS_NEEDED"] | HostMaintenanceArgs]
    """Host maintenance: periodic or as_needed."""
    best_effort: NotRequired[int]
    """Create the node pool as soon as it has this number of nodes; GKE adds the others when there is capacity. For
    single-host slices."""
    maintenance: NotRequired[GroupMaintenanceArgs]
    """Maintenance exclusion of the node pools."""
    driver_mode: NotRequired[Literal["device_plugin", "dynamic_resource_allocation"]]
    """Driver that allocates TPUs to Pods; GKE's device plugin if not set. Set it when you create the node pools. One of
    device_plugin, dynamic_resource_allocation."""
    sysctls: NotRequired[Mapping[str, str]]
    """Kernel settings of the nodes, such as `vm.max_map_count`, by their names."""
    transparent_hugepages: NotRequired[Literal["always", "madvise", "never"]]
    """Transparent hugepages of the nodes; the kernel default, madvise, if not set. JAX recommends always. One of
    always, madvise, never."""
    network_profile: NotRequired[Literal["auto"]]
    """auto: GKE creates the additional network interfaces."""
    additional_networks: NotRequired[Sequence[AdditionalNetworkArgs]]
    """Additional network interfaces: names in additional_networks of the cluster, or existing networks."""
    secondary_boot_disk: NotRequired[SecondaryBootDiskArgs]
    """Disk with preloaded data or images."""
    protect: NotRequired[bool]
    """Prevent replacement and deletion; true for reserved capacity, otherwise false if not set."""
    timeouts: NotRequired[TimeoutsArgs]
    """Timeouts of Pulumi."""
    name: NotRequired[str]
    """Name in GKE, if it differs from the key."""
    adopted: NotRequired[Literal[True] | AdoptedArgs]
    """true, or what the node pools have since before the plan. Pulumi then leaves hardening, taints and the number of
    nodes of a static multi-host slice as they are."""
    extra: NotRequired[Mapping[str, Any]]
    """Provider properties of the node pools without a key of their own."""


class NamespaceArgs(TypedDict):
    """A namespace, with a quota and with the users of its objects: user:EMAIL, group:EMAIL or serviceAccount:EMAIL."""

    chips: NotRequired[int]
    """Quota of the namespace in chips, for all of its Pods together."""
    admins: NotRequired[Sequence[str]]
    """Who can do everything in the namespace but change its quota."""
    editors: NotRequired[Sequence[str]]
    """Who can create, change and delete workloads in the namespace."""
    viewers: NotRequired[Sequence[str]]
    """Who can see the objects of the namespace, except Secrets."""


class OperatorArgs(TypedDict):
    """An operator."""

    version: NotRequired[str]
    """Release; the one that gke-tpu was tested with if not set."""


class KubeRayArgs(TypedDict):
    """KubeRay, and the webhook that numbers the hosts of its TPU workers."""

    version: NotRequired[str]
    """Release; the one that gke-tpu was tested with if not set."""
    tpu_webhook: NotRequired[str]
    """Release of the Helm chart of the TPU webhook; the one in the catalog if not set."""


class WaitForPodsReadyArgs(TypedDict):
    """When Kueue evicts a workload whose Pods are not ready, and when it tries again."""

    timeout: NotRequired[str]
    """Time from admission until all Pods are ready: creation of nodes, images and startup; 30m if not set."""
    recovery_timeout: NotRequired[str]
    """Time until a running workload is whole again after a Pod failed; that of `timeout` if not set."""
    retries: NotRequired[int]
    """Number of evictions after which Kueue deactivates a workload; unlimited if not set."""


class RetentionArgs(TypedDict):
    """When Kueue deletes its Workload objects; never if not set."""

    finished: NotRequired[str]
    """Time after the end of the workload."""
    deactivated: NotRequired[str]
    """Time after Kueue deactivated the workload. Kueue also deletes its Job, JobSet or other object."""


class KueueArgs(TypedDict):
    """Kueue and its configuration."""

    version: NotRequired[str]
    """Release; the one that gke-tpu was tested with if not set."""
    wait_for_pods_ready: NotRequired[WaitForPodsReadyArgs]
    """Eviction of workloads whose Pods are not ready."""
    retention: NotRequired[RetentionArgs]
    """Deletion of Workload objects."""
    frameworks: NotRequired[Sequence[str]]
    """Kinds of workloads to queue that a plan cannot name, such as kubeflow.org/pytorchjob."""


class OperatorsArgs(TypedDict):
    """The operators that gke-tpu installs, in the order of installation."""

    cert_manager: NotRequired[OperatorArgs]
    """cert-manager, which the TPU webhook for KubeRay requires."""
    jobset: NotRequired[OperatorArgs]
    """JobSet."""
    leaderworkerset: NotRequired[OperatorArgs]
    """LeaderWorkerSet."""
    kuberay: NotRequired[KubeRayArgs]
    """KubeRay and its TPU webhook, on clusters without the add-on ray_operator."""
    kueue: NotRequired[KueueArgs]
    """Kueue, which queues require."""


class QueueArgs(TypedDict):
    """A ClusterQueue of Kueue, with a LocalQueue of the same name in each of its namespaces."""

    chips: NotRequired[Mapping[str, int]]
    """Slice group -> nominal quota in chips; the maximum of every slice group if not set."""
    borrow: NotRequired[Mapping[str, int]]
    """Slice group -> maximum number of chips to borrow from the cohort; unlimited if not set."""
    lend: NotRequired[Mapping[str, int]]
    """Slice group -> maximum number of unused chips to lend to the cohort; all if not set."""
    weight: NotRequired[int]
    """Share of the queue in what its cohort lends, relative to the others; 1 if not set. Kueue reads it only with fair
    sharing."""
    cohort: NotRequired[str]
    """Cohort: queues that lend each other their unused quota."""
    preemption: NotRequired[Literal["never", "lower_priority", "lower_or_newer_equal_priority"]]
    """Workloads of the same queue that a pending workload can preempt. One of never, lower_priority,
    lower_or_newer_equal_priority. Default: never."""
    reclaim: NotRequired[Literal["never", "lower_priority", "any"]]
    """Workloads of the cohort that a pending workload can preempt to use the quota of its queue. One of never,
    lower_priority, any. Default: any."""
    namespace: NotRequired[str]
    """Namespace of the LocalQueue; that of the other objects if not set."""
    namespaces: NotRequired[Sequence[str]]
    """The only namespaces that the queue admits, each with a LocalQueue; every namespace if not set. Workloads are in
    the first one, unless they state another."""


class CohortArgs(TypedDict):
    """A Cohort of Kueue: queues and other cohorts that lend each other their unused quota."""

    parent: NotRequired[str]
    """Cohort that this one is a part of."""
    chips: NotRequired[Mapping[str, int]]
    """Slice group -> quota in chips, in addition to those of its queues."""
    borrow: NotRequired[Mapping[str, int]]
    """Slice group -> maximum number of chips to borrow from the parent; unlimited if not set."""
    lend: NotRequired[Mapping[str, int]]
    """Slice group -> maximum number of unused chips to lend to the parent; all if not set."""
    weight: NotRequired[int]
    """Share of the cohort in what its parent lends, relative to the others; 1 if not set. Kueue reads it only with fair
    sharing."""


class MultiKueueWorkerArgs(TypedDict):
    """A cluster of the plan that runs workloads of the manager."""

    kubeconfig_secret: NotRequired[str]
    """Secret with the kubeconfig of the worker, in the namespace of Kueue on the manager; KEY-kubeconfig if not set. It
    must exist. For credentials: secrets."""


class MultiKueueArgs(TypedDict):
    """A manager cluster of MultiKueue: its queues send each workload to one of its workers."""

    workers: NotRequired[Mapping[str, MultiKueueWorkerArgs]]
    """Clusters of the plan by their keys."""
    credentials: NotRequired[Literal["secrets", "fleet"]]
    """How Kueue finds and reaches the workers: kubeconfigs in Secrets, or the ClusterProfiles of GKE's fleet and
    Connect Gateway without any token; then the clusters are in one `fleet`. One of secrets, fleet. Default: secrets."""


class PriorityClassArgs(TypedDict):
    """A PriorityClass, and a WorkloadPriorityClass of Kueue with the same name and value."""

    value: int
    """Priority, at most 1,000,000,000. Pods with a higher priority are scheduled first."""
    preemption: NotRequired[Literal["lower_priority", "never"]]
    """Whether the scheduler preempts Pods with a lower priority for a Pod of the class that does not fit. In a queue,
    `preemption` and `reclaim` of the queue decide. One of lower_priority, never. Default: lower_priority."""
    description: NotRequired[str]
    """Description, for users of the class."""


class ComputeClassArgs(TypedDict):
    """A ComputeClass for Pods without chips. GKE creates nodes of the first machine family that has capacity."""

    machine_families: Sequence[str]
    """Machine families without TPUs, such as n4, in the order in which GKE tries them."""
    min_cpu: NotRequired[int]
    """Minimum number of vCPUs of a node; GKE decides if not set."""
    min_memory_gib: NotRequired[int]
    """Minimum memory of a node; GKE decides if not set."""
    spot: NotRequired[bool]
    """Spot VMs."""
    zones: NotRequired[Sequence[str]]
    """Zones of the nodes; GKE selects them if not set."""
    boot_disk_type: NotRequired[str]
    """Boot disk type; the default of GKE for each machine family if not set."""
    boot_disk_size_gib: NotRequired[int]
    """Boot disk size in GiB; the default of GKE if not set."""
    sysctls: NotRequired[Mapping[str, str]]
    """Kernel settings of the nodes, such as `vm.max_map_count`, by their names."""


class ServiceAccountArgs(TypedDict):
    """A Kubernetes service account, in each namespace whose workloads use it."""

    google: NotRequired[pulumi.Input[str]]
    """Google service account that its Pods act as: create, or the email of one that exists. If not set, they act as the
    Kubernetes service account itself."""


class CheckpointsArgs(TypedDict):
    """Multi-tier checkpointing: a folder in the memory of hosts, which GKE copies to other hosts and to a bucket."""

    bucket: str
    """Name of an existing bucket with a hierarchical namespace, without gs://."""
    memory: str | int | float
    """Memory of each host for checkpoints, such as 60Gi."""
    slices: NotRequired[Sequence[str]]
    """Slice groups whose hosts have the folder; all if not set."""
    project_number: NotRequired[int]
    """Number of the project, which is part of the name of the account that gets a role on the bucket. If not set, you
    grant the role."""


class SecretKeyArgs(TypedDict):
    """The value of an environment variable: a key of a Secret in the namespace of the workload."""

    secret: str
    """Name of the Secret, which must exist."""
    key: str
    """Key in the Secret."""


class AdditionalContainerArgs(TypedDict):
    """A container without chips in the Pods on TPU hosts. It has the volumes of the workload."""

    name: str
    """Name of the container."""
    image: pulumi.Input[str]
    """Container image."""
    command: NotRequired[Sequence[str]]
    """Command; that of the image if not set."""
    args: NotRequired[Sequence[str]]
    """Arguments of the command."""
    env: NotRequired[Mapping[str, pulumi.Input[str]]]
    """Environment variables."""
    env_from_secrets: NotRequired[Mapping[str, SecretKeyArgs]]
    """Environment variables with values from Secrets."""
    cpu: NotRequired[str | int | float]
    """CPU request, such as 500m or 2."""
    memory: NotRequired[str | int | float]
    """Memory request and limit, such as 2Gi."""


class HeadArgs(TypedDict):
    """The Pod without chips: the leader of a LeaderWorkerSet, the head of a Ray cluster or of Pathways."""

    image: NotRequired[pulumi.Input[str]]
    """Container image; that of the workload if not set."""
    command: NotRequired[Sequence[str]]
    """Command; that of the image if not set."""
    cpu: NotRequired[str | int | float]
    """CPU request, such as 500m or 8."""
    memory: NotRequired[str | int | float]
    """Memory request, such as 16Gi."""
    compute_class: NotRequired[str]
    """One of `compute_classes`, which creates the node of the Pod; a CPU pool or any node without chips if not set."""
    pod_template: NotRequired[Mapping[str, Any]]
    """Fields of the Pod template that have no key, such as {spec: {dnsPolicy: Default}}."""


class PathwaysElasticArgs(TypedDict):
    """Slices that may be missing while the program runs, for programs that handle it."""

    slices: int
    """Number of slices that may be missing at the same time."""
    max_restarts: int
    """Number of restarts of the workers of each slice, before the whole workload fails."""


class PathwaysServerArgs(TypedDict):
    """A server of Pathways: what it runs instead of, and in addition to what gke-tpu writes."""

    image: NotRequired[pulumi.Input[str]]
    """Container image, such as a copy of Google's in your own registry; Google's if not set. Without one, workers use
    that of the resource manager."""
    args: NotRequired[Sequence[str]]
    """Flags beside those of gke-tpu, such as --enable_metrics_collection=true."""
    env: NotRequired[Mapping[str, pulumi.Input[str]]]
    """Environment variables."""


class PythonSidecarArgs(TypedDict):
    """The container for colocated Python beside each worker: it runs functions of the program on the TPU hosts."""

    image: pulumi.Input[str]
    """Container image, with the versions of Python and JAX of the program."""
    args: NotRequired[Sequence[str]]
    """Arguments of the image."""
    env: NotRequired[Mapping[str, pulumi.Input[str]]]
    """Environment variables."""


class PathwaysArgs(TypedDict):
    """Servers of Pathways: their images, flags and sidecar, and whether the head runs a program."""

    tag: NotRequired[str]
    """Tag of Google's images, such as jax-0.9.2 for JAX 0.9.2; latest if not set."""
    headless: NotRequired[bool]
    """Run no program in the head. Programs outside of the workload connect to its proxy."""
    elastic: NotRequired[PathwaysElasticArgs]
    """Go on without some slices while their workers restart; the program must handle it."""
    proxy: NotRequired[PathwaysServerArgs]
    """Proxy in the head, which programs connect to."""
    resource_manager: NotRequired[PathwaysServerArgs]
    """Resource manager in the head."""
    worker: NotRequired[PathwaysServerArgs]
    """Worker on each TPU host."""
    python_sidecar: NotRequired[PythonSidecarArgs]
    """Container for colocated Python beside each worker."""


class ProbeArgs(TypedDict):
    """A probe of the kubelet: an HTTP request if it has a path, else a TCP connection."""

    http_path: NotRequired[str]
    """Path of an HTTP request, such as /health; without it, a connection."""
    port: NotRequired[int]
    """Port to probe; `port` of the workload if not set."""
    initial_delay: NotRequired[str]
    """Time from the start of the container to the first probe."""
    period: NotRequired[str]
    """Time between two probes; 10s if not set."""
    timeout: NotRequired[str]
    """Time to wait for an answer; 1s if not set."""
    failure_threshold: NotRequired[int]
    """Failures in a row until the probe fails; 3 if not set."""


class ProbesArgs(TypedDict):
    """The probes of the container that answers requests."""

    readiness: NotRequired[ProbeArgs]
    """Whether the Service sends requests to the Pod; a connection to `port` if not set."""
    startup: NotRequired[ProbeArgs]
    """Whether the container has started. Until then, the others wait."""
    liveness: NotRequired[ProbeArgs]
    """Whether to restart the container."""


class AutoscaleArgs(TypedDict):
    """A HorizontalPodAutoscaler: the number of slices follows a metric of the server."""

    min: NotRequired[int]
    """Lowest number of slices. Default: 1."""
    max: int
    """Highest number of slices."""
    metric: str
    """Metric of the Pods that answer requests, by its name in the custom metrics API, such as
    prometheus.googleapis.com|vllm:num_requests_waiting|gauge."""
    target: str | int | float
    """Average of the metric per slice that the autoscaler aims for, such as 10 or 500m."""


class DisruptionBudgetArgs(TypedDict):
    """A PodDisruptionBudget, counted in slices: set one of the two keys."""

    max_unavailable: NotRequired[int]
    """Number of slices that upgrades and other evictions can interrupt at the same time."""
    min_available: NotRequired[int]
    """Number of slices that evictions leave running."""


class InferencePoolArgs(TypedDict):
    """An endpoint picker, which chooses the server for each request by its load."""

    version: NotRequired[str]
    """Release of the chart inferencepool; the one that gke-tpu was tested with if not set."""


class GatewayArgs(TypedDict):
    """A Gateway with an HTTPRoute to the servers: a load balancer of its own."""

    class_name: str
    """Gateway class, such as gke-l7-regional-external-managed."""
    hosts: NotRequired[Sequence[str]]
    """Host names of the requests; every host if not set."""
    tls_secret: NotRequired[str]
    """Secret with the certificate, in the namespace of the workload. The Gateway then listens on port 443 and not on
    port 80."""
    health_path: NotRequired[str]
    """Path of the health checks of the load balancer; that of the readiness probe if not set."""
    timeout: NotRequired[str]
    """Time that the load balancer waits for the end of an answer; GKE decides if not set."""
    inference_pool: NotRequired[InferencePoolArgs]
    """Send each request to the server that an endpoint picker chooses, instead of a Service."""


class ExitCodesArgs(TypedDict):
    """Which exit codes of the program end the workload at once. Set one of the two lists."""

    restart: NotRequired[Sequence[int]]
    """Exit codes that restart the workload; every other one ends it."""
    fail: NotRequired[Sequence[int]]
    """Exit codes that end the workload; every other one restarts it."""


class DiskArgs(TypedDict):
    """A new disk: a PersistentVolumeClaim and its StorageClass."""

    type: str
    """Disk type, such as hyperdisk-balanced."""
    size_gib: int
    """Size in GiB."""
    access: NotRequired[Literal["read_write_once", "read_only_many"]]
    """Access mode: one node reads and writes, or many nodes read. One of read_write_once, read_only_many. Default:
    read_write_once."""


class BucketArgs(TypedDict):
    """A Cloud Storage bucket that exists, mounted by Cloud Storage FUSE."""

    name: str
    """Name of the bucket, without gs://."""
    path: NotRequired[str]
    """Folder of the bucket to mount; the whole bucket if not set."""
    mount_options: NotRequired[Sequence[str]]
    """Mount options of Cloud Storage FUSE, such as file-cache:max-size-mb:-1; implicit-dirs if not set."""


class FilestoreArgs(TypedDict):
    """A Filestore instance that exists."""

    instance: str
    """Name of the instance."""
    location: str
    """Zone of the instance; its region for the regional and enterprise tiers."""
    ip: str
    """IP address of the instance."""
    share: str
    """Name of the file share."""
    size_gib: int
    """Size of the file share in GiB."""


class LustreArgs(TypedDict):
    """A Managed Lustre instance that exists, in the VPC network of the cluster."""

    instance: str
    """Name of the instance."""
    location: str
    """Zone of the instance."""
    ip: str
    """IP address of the instance."""
    filesystem: str
    """Name of the file system."""
    size_gib: int
    """Size of the instance in GiB."""
    project: NotRequired[str]
    """Project of the instance; that of the cluster if not set."""


class ParallelstoreArgs(TypedDict):
    """A Parallelstore instance that exists, in the VPC network of the cluster."""

    instance: str
    """Name of the instance."""
    location: str
    """Zone of the instance."""
    access_points: Sequence[str]
    """IP addresses of the access points."""
    size_gib: int
    """Size of the instance in GiB."""
    project: NotRequired[str]
    """Project of the instance; that of the cluster if not set."""
    network: NotRequired[str]
    """VPC network of the instance, for the driver to compare."""
    mount_options: NotRequired[Sequence[str]]
    """Mount options of dfuse, such as enable-wb-cache."""


class VolumeArgs(TypedDict):
    """A volume of every Pod, with exactly one source."""

    mount: str
    """Mount path, an absolute path in the containers."""
    read_only: NotRequired[bool]
    """Mount the volume for reading only."""
    disk: NotRequired[DiskArgs]
    """New disk."""
    claim: NotRequired[str]
    """Name of an existing PersistentVolumeClaim."""
    empty_dir: NotRequired[bool]
    """Empty directory on the boot disk of the node."""
    bucket: NotRequired[BucketArgs]
    """Existing Cloud Storage bucket."""
    filestore: NotRequired[FilestoreArgs]
    """Existing Filestore instance."""
    lustre: NotRequired[LustreArgs]
    """Existing Managed Lustre instance."""
    parallelstore: NotRequired[ParallelstoreArgs]
    """Existing Parallelstore instance."""
    checkpoints: NotRequired[bool]
    """Folder in the memory of the host that `checkpoints` of the cluster copies to a bucket."""
    host_path: NotRequired[str]
    """Folder of the node, an absolute path, which is created if it does not exist."""


class WorkloadArgs(TypedDict):
    """A workload on the slices of one slice group, or of one of several."""

    slices: str
    """Slice group that the workload runs on."""
    fallback: NotRequired[Sequence[str]]
    """Slice groups to try after `slices`, in order, if its quota is used up; requires `queue`."""
    image: NotRequired[pulumi.Input[str]]
    """Container image. Only Pathways with `headless: true` has none."""
    kind: NotRequired[
        Literal["deployment", "job", "jobset", "leaderworkerset", "pathways", "raycluster", "rayjob", "rayservice"]
    ]
    """Kind of Kubernetes object. A job is a JobSet if more than one node pool can serve it. One of deployment, job,
    jobset, leaderworkerset, pathways, raycluster, rayjob, rayservice. Default: job."""
    topology: NotRequired[str]
    """Topology of a slice, for a slice group with dynamic slicing: a part of a cube, such as 2x2x4, or multiples of
    4."""
    count: NotRequired[int]
    """Number of slices that the workload uses. Default: 1."""
    partitions: NotRequired[Sequence[Sequence[str]]]
    """Partition IDs of each slice, for a slice group with dynamic slicing and without `queue`: nodes have them in
    labels."""
    command: NotRequired[Sequence[str]]
    """Command; that of the image if not set."""
    args: NotRequired[Sequence[str]]
    """Arguments of the command."""
    env: NotRequired[Mapping[str, pulumi.Input[str]]]
    """Environment variables. GKE sets those of the TPU."""
    env_from_secrets: NotRequired[Mapping[str, SecretKeyArgs]]
    """Environment variables with values from Secrets."""
    pull_secrets: NotRequired[Sequence[str]]
    """Secrets with which the nodes pull images, in the namespace of the workload."""
    cpu: NotRequired[str | int | float]
    """CPU request of each Pod on a TPU host, such as 500m or 8."""
    memory: NotRequired[str | int | float]
    """Memory request of each Pod on a TPU host, such as 16Gi."""
    containers: NotRequired[Literal[1, 2]]
    """Number of containers that share the chips of a host. One of 1, 2. Default: 1."""
    init_containers: NotRequired[Sequence[AdditionalContainerArgs]]
    """Containers that end before the others of a Pod on a TPU host start, one after the other."""
    sidecars: NotRequired[Sequence[AdditionalContainerArgs]]
    """Containers that run beside the program in a Pod on a TPU host, and end with it."""
    head: NotRequired[HeadArgs]
    """Pod without chips, for kinds that have one."""
    scratch: NotRequired[str]
    """Cloud Storage path for temporary data of Pathways, such as gs://bucket/tmp."""
    pathways: NotRequired[PathwaysArgs]
    """Servers of Pathways, for kind pathways."""
    port: NotRequired[int]
    """Port that the container listens on, for serving."""
    ports: NotRequired[Mapping[str, int]]
    """Further ports of the container, by name, such as metrics: 9090."""
    probes: NotRequired[ProbesArgs]
    """Probes of the container that answers requests."""
    serve_config: NotRequired[str]
    """Applications of Ray Serve, as the text of its configuration file, for kind rayservice."""
    upgrade_strategy: NotRequired[Literal["new_cluster", "none"]]
    """What a change of a Ray cluster that serves does: a second cluster replaces the first one when it is ready, or
    nothing until the workload is created again. One of new_cluster, none. Default: new_cluster."""
    autoscale: NotRequired[AutoscaleArgs]
    """Number of slices by the load, instead of `count`."""
    disruption_budget: NotRequired[DisruptionBudgetArgs]
    """Limit on slices that upgrades and other evictions interrupt at the same time."""
    gateway: NotRequired[GatewayArgs]
    """Gateway in front of the servers, on clusters with the Gateway API."""
    queue: NotRequired[str]
    """Queue that admits the workload."""
    namespace: NotRequired[str]
    """Namespace of the workload; that of its queue or of the other objects if not set."""
    priority: NotRequired[str]
    """Priority class of the Pods."""
    grace_period: NotRequired[str]
    """Time for the container to end after SIGTERM, at most 1h; 30s if not set."""
    extended_run: NotRequired[bool]
    """Protect the Pods from eviction for up to 7 days, on Autopilot."""
    max_restarts: NotRequired[int]
    """Number of restarts after errors of the application."""
    exit_codes: NotRequired[ExitCodesArgs]
    """Exit codes that end the workload without a restart."""
    deadline: NotRequired[str]
    """Longest time that the workload runs, at least 1s; a JobSet measures it anew after a restart."""
    ttl: NotRequired[str]
    """Time after its end until the workload is deleted with its Pods and their logs; never if not set."""
    service_account: NotRequired[pulumi.Input[str]]
    """Kubernetes service account of the Pods: one of `service_accounts`, or an existing one; default of the namespace
    if not set."""
    volumes: NotRequired[Mapping[str, VolumeArgs]]
    """Volumes by name."""
    pod_template: NotRequired[Mapping[str, Any]]
    """Fields of the Pod template that have no key, such as {spec: {hostNetwork: true}}."""


class KubernetesArgs(TypedDict):
    """The Kubernetes objects of a cluster."""

    namespace: NotRequired[str]
    """Namespace of the objects, which is created with them unless it is default. Default: default."""
    namespaces: NotRequired[Mapping[str, NamespaceArgs]]
    """Namespaces by name, with quotas and users. Those of queues and workloads need no entry."""
    operators: NotRequired[OperatorsArgs]
    """Operators to install with the objects."""
    queues: NotRequired[Mapping[str, QueueArgs]]
    """Queues of Kueue by name."""
    cohorts: NotRequired[Mapping[str, CohortArgs]]
    """Cohorts of queues by name, with quotas, limits and parents. Without this key, a cohort has only its queues."""
    multikueue: NotRequired[MultiKueueArgs]
    """Other clusters of the plan that run the workloads of all queues. Workloads then name slice groups of them."""
    priority_classes: NotRequired[Mapping[str, PriorityClassArgs]]
    """Priority classes by name."""
    compute_classes: NotRequired[Mapping[str, ComputeClassArgs]]
    """ComputeClasses for Pods without chips by name: nodes that fall back over machine families."""
    service_accounts: NotRequired[Mapping[str, ServiceAccountArgs]]
    """Kubernetes service accounts of workloads by name."""
    checkpoints: NotRequired[CheckpointsArgs]
    """Multi-tier checkpointing of training jobs."""
    workloads: NotRequired[Mapping[str, WorkloadArgs]]
    """Workloads by name."""


class RunArgs(TypedDict):
    """A planned run of a workload on the slices of one slice group. It sets no property of a resource."""

    slices: str
    """Slice group that the run uses."""
    start: str
    """Start of the run, in UTC."""
    duration: str
    """Length of the run."""
    count: NotRequired[int]
    """Number of slices that the run uses; all slices of the group if not set."""


MoveArgs = TypedDict("MoveArgs", {"from": str, "to": str})
"""A rename that keeps the resources, their URNs and their names in GKE."""


class AcknowledgementArgs(TypedDict):
    """Allows one disruptive change of a cluster or group until a date, and lifts its protection."""

    change: Literal["replace", "delete"]
    """Change to allow. One of replace, delete."""
    of: str
    """CLUSTER or CLUSTER/GROUP."""
    reason: str
    """Reason."""
    until: str
    """Last day of validity."""


class AcceptanceArgs(TypedDict):
    """Accepts one warning until a date. Errors cannot be accepted."""

    rule: str
    """Rule ID, such as TPU203."""
    of: NotRequired[str]
    """CLUSTER or CLUSTER/GROUP; the whole plan if not set."""
    reason: str
    """Reason."""
    until: str
    """Last day of validity."""


class _ClusterKeys(TypedDict):
    """Keys of a cluster in both modes."""

    name: NotRequired[str]
    """Name in GKE, if it differs from the key."""
    release_channel: NotRequired[Literal["rapid", "regular", "stable", "extended", "none"]]
    """Release channel. One of rapid, regular, stable, extended, none. Default: regular."""
    min_version: NotRequired[str]
    """Minimum version of the control plane, in quotes, such as "1.34"."""
    adopted: NotRequired[bool]
    """true for a cluster that another tool created, and that the plan has taken over. Settings without a key stay as
    they are, and gke-tpu creates no node pool for system workloads."""
    deletion_protection: NotRequired[bool]
    """Prevent the deletion of the cluster. Default: true."""
    network: NotRequired[Literal["create"] | NetworkArgs | ExistingNetworkArgs]
    """create, or an existing network; the default network of the project if not set."""
    workload_policies: NotRequired[Mapping[str, WorkloadPolicyArgs]]
    """Name in Compute Engine -> new workload policy. Slice groups name it in placement, and Pods or a ComputeClass name
    it for nodes that GKE provisions."""
    private_nodes: NotRequired[bool]
    """Nodes without external IP addresses; true with network and false without it if not set. On an existing cluster:
    the setting of the cluster if not set."""
    control_plane: NotRequired[ControlPlaneArgs]
    """Access to the control plane."""
    node_service_account: NotRequired[pulumi.Input[str]]
    """create, or the email of a service account. On an existing cluster: the Compute Engine default service account if
    not set. Default: create."""
    addons: NotRequired[Sequence[Addon]]
    """Add-ons to enable."""
    gateway_api: NotRequired[Literal["standard", "disabled"]]
    """Gateway API: standard installs its resources and GKE's controller. GKE decides if not set. One of standard,
    disabled."""
    ml_diagnostics: NotRequired[bool]
    """Managed ML diagnostics: GKE runs what profiling of workloads on demand requires. GKE decides if not set."""
    maintenance: NotRequired[MaintenanceArgs]
    """Maintenance window and exclusions."""
    resource_labels: NotRequired[Mapping[str, pulumi.Input[str]]]
    """Google Cloud labels of the cluster and its node pools."""
    fleet: NotRequired[pulumi.Input[str]]
    """Host project of the fleet that the cluster joins."""
    kms_key: NotRequired[pulumi.Input[str]]
    """Cloud KMS key for Kubernetes secrets."""
    notifications: NotRequired[pulumi.Input[str]]
    """Pub/Sub topic for cluster notifications."""
    slices: NotRequired[Mapping[str, SliceGroupArgs]]
    """Slice groups by name."""
    kubernetes: NotRequired[KubernetesArgs]
    """Kubernetes objects: queues, priority classes, service accounts and workloads."""
    runs: NotRequired[Mapping[str, RunArgs]]
    """Planned runs by name. They change no resource."""
    timeouts: NotRequired[TimeoutsArgs]
    """Timeouts of Pulumi."""
    extra: NotRequired[Mapping[str, Any]]
    """Provider properties of the cluster without a key of their own."""


class _StandardKeys(_ClusterKeys):
    """Keys of a Standard cluster."""

    additional_networks: NotRequired[Mapping[str, InterfaceNetworkArgs]]
    """Name -> new network for an additional network interface; slice groups refer to it by name."""
    multi_networking: NotRequired[bool]
    """Multi-networking, also if no slice group has additional networks."""
    system_pool: NotRequired[SystemPoolArgs]
    """Node pool for system workloads."""
    cpu_pools: NotRequired[Mapping[str, CpuPoolArgs]]
    """Name in GKE -> node pool without TPUs, in addition to the system pool."""
    autoprovisioning: NotRequired[AutoprovisioningArgs]
    """Node auto-provisioning."""
    security: NotRequired[SecurityArgs]
    """Hardening."""


class ClusterArgs(_StandardKeys):
    """A GKE cluster and its TPU slices: a new one, or one that exists already."""

    mode: Literal["standard", "autopilot"]
    """Mode of the cluster: standard or autopilot."""
    location: NotRequired[str]
    """Region, or on Standard also a zone; that of the existing cluster if `existing` is set."""
    existing: NotRequired[str]
    """Cluster that exists already, projects/P/locations/L/clusters/C: gke-tpu creates only node pools in it."""
    version: NotRequired[str]
    """Version that the existing cluster runs, in quotes, such as "1.34"; unknown if not set."""


class _PlanKeys(TypedDict):
    """Arguments of a component in addition to its plan keys."""

    project: str
    """Google Cloud project ID."""
    moved: NotRequired[Sequence[MoveArgs]]
    """Renames."""
    acknowledge: NotRequired[Sequence[AcknowledgementArgs]]
    """Disruptive changes to allow."""
    accept: NotRequired[Sequence[AcceptanceArgs]]
    """Warnings to accept."""
    today: NotRequired[str]
    """Current date for the end dates of `acknowledge` and `accept` entries; without it, the entries have no effect."""


class StandardClusterArgs(_StandardKeys, _PlanKeys):
    """Arguments of :class:`StandardCluster`.

    Args:
        name: Name in GKE, if it differs from the key.
        release_channel: Release channel. One of rapid, regular, stable, extended, none. Default: regular.
        min_version: Minimum version of the control plane, in quotes, such as "1.34".
        adopted: true for a cluster that another tool created, and that the plan has taken over. Settings without a key
            stay as they are, and gke-tpu creates no node pool for system workloads.
        deletion_protection: Prevent the deletion of the cluster. Default: true.
        network: create, or an existing network; the default network of the project if not set.
        workload_policies: Name in Compute Engine -> new workload policy. Slice groups name it in placement, and Pods or
            a ComputeClass name it for nodes that GKE provisions.
        private_nodes: Nodes without external IP addresses; true with network and false without it if not set. On an
            existing cluster: the setting of the cluster if not set.
        control_plane: Access to the control plane.
        node_service_account: create, or the email of a service account. On an existing cluster: the Compute Engine
            default service account if not set. Default: create.
        addons: Add-ons to enable.
        gateway_api: Gateway API: standard installs its resources and GKE's controller. GKE decides if not set. One of
            standard, disabled.
        ml_diagnostics: Managed ML diagnostics: GKE runs what profiling of workloads on demand requires. GKE decides if
            not set.
        maintenance: Maintenance window and exclusions.
        resource_labels: Google Cloud labels of the cluster and its node pools.
        fleet: Host project of the fleet that the cluster joins.
        kms_key: Cloud KMS key for Kubernetes secrets.
        notifications: Pub/Sub topic for cluster notifications.
        slices: Slice groups by name.
        kubernetes: Kubernetes objects: queues, priority classes, service accounts and workloads.
        runs: Planned runs by name. They change no resource.
        timeouts: Timeouts of Pulumi.
        extra: Provider properties of the cluster without a key of their own.
        additional_networks: Name -> new network for an additional network interface; slice groups refer to it by name.
        multi_networking: Multi-networking, also if no slice group has additional networks.
        system_pool: Node pool for system workloads.
        cpu_pools: Name in GKE -> node pool without TPUs, in addition to the system pool.
        autoprovisioning: Node auto-provisioning.
        security: Hardening.
        project: Google Cloud project ID.
        moved: Renames.
        acknowledge: Disruptive changes to allow.
        accept: Warnings to accept.
        today: Current date for the end dates of `acknowledge` and `accept` entries; without it, the entries have no
            effect.
        location: Region, or on Standard also a zone; that of the existing cluster if `existing` is set.
    """

    location: str
    """Region, or on Standard also a zone; that of the existing cluster if `existing` is set."""


class AutopilotClusterArgs(_ClusterKeys, _PlanKeys):
    """Arguments of :class:`AutopilotCluster`.

    Args:
        name: Name in GKE, if it differs from the key.
        release_channel: Release channel. One of rapid, regular, stable, extended, none. Default: regular.
        min_version: Minimum version of the control plane, in quotes, such as "1.34".
        adopted: true for a cluster that another tool created, and that the plan has taken over. Settings without a key
            stay as they are, and gke-tpu creates no node pool for system workloads.
        deletion_protection: Prevent the deletion of the cluster. Default: true.
        network: create, or an existing network; the default network of the project if not set.
        workload_policies: Name in Compute Engine -> new workload policy. Slice groups name it in placement, and Pods or
            a ComputeClass name it for nodes that GKE provisions.
        private_nodes: Nodes without external IP addresses; true with network and false without it if not set. On an
            existing cluster: the setting of the cluster if not set.
        control_plane: Access to the control plane.
        node_service_account: create, or the email of a service account. On an existing cluster: the Compute Engine
            default service account if not set. Default: create.
        addons: Add-ons to enable.
        gateway_api: Gateway API: standard installs its resources and GKE's controller. GKE decides if not set. One of
            standard, disabled.
        ml_diagnostics: Managed ML diagnostics: GKE runs what profiling of workloads on demand requires. GKE decides if
            not set.
        maintenance: Maintenance window and exclusions.
        resource_labels: Google Cloud labels of the cluster and its node pools.
        fleet: Host project of the fleet that the cluster joins.
        kms_key: Cloud KMS key for Kubernetes secrets.
        notifications: Pub/Sub topic for cluster notifications.
        slices: Slice groups by name.
        kubernetes: Kubernetes objects: queues, priority classes, service accounts and workloads.
        runs: Planned runs by name. They change no resource.
        timeouts: Timeouts of Pulumi.
        extra: Provider properties of the cluster without a key of their own.
        project: Google Cloud project ID.
        moved: Renames.
        acknowledge: Disruptive changes to allow.
        accept: Warnings to accept.
        today: Current date for the end dates of `acknowledge` and `accept` entries; without it, the entries have no
            effect.
        location: Region, or on Standard also a zone; that of the existing cluster if `existing` is set.
    """

    location: str
    """Region, or on Standard also a zone; that of the existing cluster if `existing` is set."""


class TpuSlicesArgs(SliceGroupArgs, _PlanKeys):
    """Arguments of :class:`TpuSlices`.

    Args:
        tpu: TPU generation: v3, v4, v5e, v5p, v6e or tpu7x.
        topology: Topology of one slice, AxB or AxBxC.
        chips: Chips of one slice; instead of topology, if only one topology has this number of chips.
        slicing: static: each slice has the topology of the group. dynamic (tpu7x, reserved): `count` is a number of
            cubes of 4x4x4 chips, of which GKE forms the slices that workloads ask for. Default: static.
        chips_per_host: Chips per host; selects between the machine types of a topology.
        machine_type: Machine type; instead of chips_per_host. Only this key selects a legacy machine family.
        count: Number of slices, with dynamic slicing of cubes, or {min, max} of an autoscaled group; 1 if not set.
        min: Minimum number of slices of an autoscaled group (also count: {min, max}).
        max: Maximum number of slices of an autoscaled group.
        indices: Indices of the slices, for multi-host slices; instead of count.
        zone: Zone; required on Standard unless the cluster is zonal.
        zones: Zones of single-host slices that may be in several zones; instead of zone.
        capacity: Capacity mode: on_demand, spot, flex_start, queued, or a mapping with its settings.
        fallback: Capacity modes to try after capacity, in order. A ComputeClass then serves the group: GKE creates its
            node pools when Pods need them, and deletes them afterwards. One of on_demand, spot, flex_start.
        boot_disk: Boot disk of each host; the default of GKE if not set.
        image_streaming: Image streaming: containers start before their whole image is on the node. GKE decides if not
            set.
        node_labels: Kubernetes labels of the nodes.
        taints: Kubernetes taints of the nodes, in addition to those of GKE.
        resource_labels: Google Cloud labels of the VMs.
        node_service_account: create, or the email of the node service account; default: the Compute Engine default
            service account.
        max_pods_per_node: Maximum number of Pods per node, at most 256.
        upgrade: Upgrades and repair of the nodes, or only the strategy.
        placement: Workload policy (tpu7x); gke-tpu creates one for the group if not set.
        collection: Collection scheduling (v6e).
        host_maintenance: Host maintenance: periodic or as_needed.
        best_effort: Create the node pool as soon as it has this number of nodes; GKE adds the others when there is
            capacity. For single-host slices.
        maintenance: Maintenance exclusion of the node pools.
        driver_mode: Driver that allocates TPUs to Pods; GKE's device plugin if not set. Set it when you create the node
            pools. One of device_plugin, dynamic_resource_allocation.
        sysctls: Kernel settings of the nodes, such as `vm.max_map_count`, by their names.
        transparent_hugepages: Transparent hugepages of the nodes; the kernel default, madvise, if not set. JAX
            recommends always. One of always, madvise, never.
        network_profile: auto: GKE creates the additional network interfaces.
        additional_networks: Additional network interfaces: names in additional_networks of the cluster, or existing
            networks.
        secondary_boot_disk: Disk with preloaded data or images.
        protect: Prevent replacement and deletion; true for reserved capacity, otherwise false if not set.
        timeouts: Timeouts of Pulumi.
        name: Name in GKE, if it differs from the key.
        adopted: true, or what the node pools have since before the plan. Pulumi then leaves hardening, taints and the
            number of nodes of a static multi-host slice as they are.
        extra: Provider properties of the node pools without a key of their own.
        project: Google Cloud project ID.
        moved: Renames.
        acknowledge: Disruptive changes to allow.
        accept: Warnings to accept.
        today: Current date for the end dates of `acknowledge` and `accept` entries; without it, the entries have no
            effect.
        cluster: ID of the cluster, projects/P/locations/L/clusters/C, or its name.
        location: Location of the cluster.
        mode: Mode of the cluster. One of standard, autopilot. Default: standard.
        min_version: Minimum version of the cluster, for the rules about versions.
        private_nodes: Nodes without public IP addresses; default: the setting of the cluster.
        workload_identity: Whether the cluster has Workload Identity Federation. Default: true.
        secure_boot: Secure boot of the hosts.
    """

    cluster: pulumi.Input[str]
    """ID of the cluster, projects/P/locations/L/clusters/C, or its name."""
    location: str
    """Location of the cluster."""
    mode: NotRequired[Literal["standard", "autopilot"]]
    """Mode of the cluster. One of standard, autopilot. Default: standard."""
    min_version: NotRequired[str]
    """Minimum version of the cluster, for the rules about versions."""
    node_service_account: NotRequired[pulumi.Input[str]]
    """create, or the email of the node service account; default: the Compute Engine default service account."""
    private_nodes: NotRequired[bool]
    """Nodes without public IP addresses; default: the setting of the cluster."""
    workload_identity: NotRequired[bool]
    """Whether the cluster has Workload Identity Federation. Default: true."""
    secure_boot: NotRequired[bool]
    """Secure boot of the hosts."""


class TpuFleetArgs(_PlanKeys):
    """Arguments of :class:`TpuFleet`: a whole plan in canonical form.

    Args:
        project: Google Cloud project ID.
        moved: Renames.
        acknowledge: Disruptive changes to allow.
        accept: Warnings to accept.
        today: Current date for the end dates of `acknowledge` and `accept` entries; without it, the entries have no
            effect.
        version: Version of this format: 1.
        resource_labels: Google Cloud labels of every resource that supports labels.
        budgets: Chips that slice groups of several shapes share, by name. Queues then count chips of the budget.
        clusters: Clusters by name.
    """

    version: NotRequired[Literal[1]]
    """Version of this format: 1."""
    resource_labels: NotRequired[Mapping[str, pulumi.Input[str]]]
    """Google Cloud labels of every resource that supports labels."""
    budgets: NotRequired[Mapping[str, ChipBudgetArgs]]
    """Chips that slice groups of several shapes share, by name. Queues then count chips of the budget."""
    clusters: Mapping[str, ClusterArgs]
    """Clusters by name."""


class TpuWorkloadsArgs(TpuFleetArgs):
    """Arguments of :class:`TpuWorkloads`: a whole plan in canonical form, and one of its clusters.

    Args:
        project: Google Cloud project ID.
        moved: Renames.
        acknowledge: Disruptive changes to allow.
        accept: Warnings to accept.
        today: Current date for the end dates of `acknowledge` and `accept` entries; without it, the entries have no
            effect.
        version: Version of this format: 1.
        resource_labels: Google Cloud labels of every resource that supports labels.
        budgets: Chips that slice groups of several shapes share, by name. Queues then count chips of the budget.
        clusters: Clusters by name.
        cluster: Key of the cluster in the plan; not needed if the plan has one cluster.
    """

    cluster: NotRequired[str]
    """Key of the cluster in the plan; not needed if the plan has one cluster."""
