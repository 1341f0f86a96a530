"""The arguments of the components: the canonical form of a plan's keys, as typed dictionaries.

A key is an ``Input`` if its value only flows into a property. It is plain if the value decides which resources exist or
which rule applies.

Written by tools/plugin_schema.py from the models in plan/.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypedDict

import pulumi
from typing_extensions import NotRequired


class CreateNetworkArgs(TypedDict):
    """A network of its own for the cluster."""

    mtu: NotRequired[int]
    """MTU in bytes. GKE's default holds unless written; large slices want more."""
    subnet: NotRequired[str]
    """Primary range of the subnetwork, for nodes. Default: 10.0.0.0/20."""
    pods: NotRequired[str]
    """Secondary range for pods. Default: 10.16.0.0/14."""
    services: NotRequired[str]
    """Secondary range for services. Default: 10.20.0.0/20."""
    nat: NotRequired[bool]
    """Cloud NAT, so that private nodes reach the internet. Default: true."""


class ExistingNetworkArgs(TypedDict):
    """A network that exists already."""

    network: pulumi.Input[str]
    """Name or id of the network."""
    subnetwork: pulumi.Input[str]
    """Name or id of the subnetwork, in the cluster's region."""
    pods_range: NotRequired[pulumi.Input[str]]
    """Name of the secondary range for pods."""
    services_range: NotRequired[pulumi.Input[str]]
    """Name of the secondary range for services."""


class NetworkArgs(TypedDict):
    """The cluster's network: made for it, or existing."""

    create: NotRequired[CreateNetworkArgs]
    """Make a network."""
    existing: NotRequired[ExistingNetworkArgs]
    """Use a network that exists."""


class ControlPlaneArgs(TypedDict):
    """How the control plane is reached."""

    dns_endpoint: NotRequired[bool]
    """Reach it by DNS name, guarded by IAM. Default: true."""
    authorized_networks: NotRequired[Mapping[str, pulumi.Input[str]]]
    """Name -> CIDR range that may reach the IP endpoint; without any it stays off."""
    private: NotRequired[bool]
    """Give the IP endpoint a private address only."""


class SystemPoolArgs(TypedDict):
    """The pool for everything that is no TPU workload. Totals, not per zone."""

    machine_type: NotRequired[str]
    """CPU machine type. Default: n2-standard-4."""
    min_nodes: NotRequired[int]
    """Fewest nodes in total. Default: 1."""
    max_nodes: NotRequired[int]
    """Most nodes in total. Default: 3."""
    zones: NotRequired[Sequence[str]]
    """Zones of the pool; GKE's choice unless written."""
    boot_disk_type: NotRequired[str]
    """Left to GKE unless written."""
    boot_disk_size_gib: NotRequired[int]
    """Left to GKE unless written."""


class AutoprovisioningArgs(TypedDict):
    """Node auto-provisioning. Limits are for the whole cluster, all pools together."""

    cpu: int
    """Most vCPUs."""
    memory_gib: int
    """Most memory."""
    tpu: NotRequired[Mapping[str, int]]
    """Generation or accelerator label -> most chips."""
    zones: NotRequired[Sequence[str]]
    """Zones it may use."""


class WindowArgs(TypedDict):
    """A recurring maintenance window."""

    start: str
    """First start, in UTC."""
    duration: str
    """Length, at least 4h."""
    days: NotRequired[Sequence[Literal["MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN"]]]
    """Days of the week, in UTC; every day unless written. One of MON, TUE, WED, THU, FRI, SAT, SUN."""
    recurrence: NotRequired[str]
    """Instead of days: an RFC 5545 rule, in quotes."""


class ExclusionArgs(TypedDict):
    """A time without automatic upgrades."""

    start: str
    """First moment, in UTC."""
    end: NotRequired[str]
    """Last moment, in UTC; or the word end_of_support."""
    end_of_support: NotRequired[bool]
    """Lasts until the minor version's end of support."""
    scope: NotRequired[Literal["no_upgrades", "no_minor_upgrades", "no_minor_or_node_upgrades"]]
    """What it holds back. One of no_upgrades, no_minor_upgrades, no_minor_or_node_upgrades. Default: no_upgrades."""


class MaintenanceArgs(TypedDict):
    """When GKE may upgrade the cluster."""

    window: NotRequired[WindowArgs]
    """When automatic maintenance may run."""
    exclusions: NotRequired[Mapping[str, ExclusionArgs]]
    """Name -> time without automatic upgrades."""


class SecurityArgs(TypedDict):
    """Hardening. What Autopilot builds in cannot be chosen there."""

    shielded_nodes: NotRequired[bool]
    """Shielded GKE nodes. Default: true."""
    secure_boot: NotRequired[bool]
    """Secure boot of the system pool. Default: true."""
    tpu_secure_boot: NotRequired[bool]
    """Secure boot of TPU pools."""
    workload_identity: NotRequired[bool]
    """Workload Identity Federation. Default: true."""
    dataplane_v2: NotRequired[bool]
    """GKE Dataplane V2. Default: true."""


class ReservationArgs(TypedDict):
    """A Compute Engine reservation to take capacity from, always by its name (specific affinity)."""

    name: str
    """Name of the reservation."""
    project: NotRequired[str]
    """The project that owns it, when it is shared from another one."""
    block: NotRequired[str]
    """A block of the reservation."""
    sub_block: NotRequired[str]
    """A sub-block of the block."""


class FlexStartArgs(TypedDict):
    """Flex-start: capacity that is granted for a limited time, when it becomes free."""

    max_run_duration: NotRequired[str]
    """How long nodes run at most, 10m to 7d; GKE takes 7d."""
    queued: NotRequired[bool]
    """Take capacity through ProvisioningRequests (queued provisioning)."""


class CapacityArgs(TypedDict):
    """Where the TPU hosts come from: exactly one of the modes."""

    on_demand: NotRequired[bool]
    """On-demand capacity."""
    spot: NotRequired[bool]
    """Spot VMs."""
    reservation: NotRequired[ReservationArgs]
    """A Compute Engine reservation to take capacity from, always by its name (specific affinity)."""
    flex_start: NotRequired[FlexStartArgs]
    """Flex-start."""
    queued: NotRequired[bool]
    """Queued provisioning without flex-start."""


class BootDiskArgs(TypedDict):
    """The boot disk of each host."""

    type: NotRequired[str]
    """Disk type that the machine family boots from."""
    size_gib: NotRequired[int]
    """Size in GiB, at least 10."""
    iops: NotRequired[int]
    """Provisioned IOPS (Hyperdisk)."""
    throughput_mbps: NotRequired[int]
    """Provisioned throughput in MiB/s (Hyperdisk)."""


class TaintArgs(TypedDict):
    """A Kubernetes taint of the group's nodes."""

    value: NotRequired[str]
    """Value of the taint."""
    effect: Literal["NO_SCHEDULE", "PREFER_NO_SCHEDULE", "NO_EXECUTE"]
    """What it does to Pods that do not tolerate it. One of NO_SCHEDULE, PREFER_NO_SCHEDULE, NO_EXECUTE."""
    key: str
    """Key of the taint."""


class BlueGreenArgs(TypedDict):
    """Blue-green upgrade settings."""

    batch_percentage: NotRequired[float]
    """Part of the old nodes drained at once, 0 to 1."""
    batch_node_count: NotRequired[int]
    """Old nodes drained at once."""
    batch_soak: NotRequired[str]
    """Wait after each batch."""
    pool_soak: NotRequired[str]
    """Wait before the old nodes are deleted."""


class UpgradeArgs(TypedDict):
    """How GKE upgrades and repairs the group's nodes."""

    strategy: NotRequired[Literal["surge", "blue_green"]]
    """Upgrade strategy. One of surge, blue_green. Default: surge."""
    max_surge: NotRequired[int]
    """Extra nodes during a surge upgrade."""
    max_unavailable: NotRequired[int]
    """Nodes that may be missing during a surge upgrade."""
    blue_green: NotRequired[BlueGreenArgs]
    """Settings of the blue-green strategy."""
    auto_repair: NotRequired[bool]
    """Let GKE re-create broken nodes."""
    auto_upgrade: NotRequired[bool]
    """Let GKE upgrade nodes; required under a release channel."""


class PlacementArgs(TypedDict):
    """Placement by a workload policy that exists already."""

    workload_policy: pulumi.Input[str]
    """Name of a workload policy in the project and region of the pool."""


class CollectionArgs(TypedDict):
    """Collection scheduling: pools that together keep serving available."""

    name: str
    """Name of the collection; all of its pools carry it."""
    workload: NotRequired[Literal["high_availability", "high_throughput"]]
    """What it optimises. One of high_availability, high_throughput. Default: high_availability."""


class HostMaintenanceArgs(TypedDict):
    """When Compute Engine maintains the hosts."""

    interval: Literal["periodic", "as_needed"]
    """periodic needs a reservation that is periodic itself. One of periodic, as_needed."""


class GroupMaintenanceArgs(TypedDict):
    """Maintenance of the group's node pools."""

    end_of_support: NotRequired[bool]
    """Exclude the pools from minor upgrades until the end of support."""


class AdditionalNetworkArgs(TypedDict):
    """A further network interface on every host."""

    network: pulumi.Input[str]
    """Name or id of the network."""
    subnetwork: pulumi.Input[str]
    """Name or id of the subnetwork."""


class SecondaryBootDiskArgs(TypedDict):
    """A disk with preloaded data or container images."""

    image: pulumi.Input[str]
    """Disk image, such as global/images/preload."""
    mode: NotRequired[Literal["container_image_cache"]]
    """How GKE uses it. One of container_image_cache."""


class TimeoutsArgs(TypedDict):
    """How long Pulumi waits for an operation."""

    create: NotRequired[str]
    """For creation."""
    update: NotRequired[str]
    """For an update."""
    delete: NotRequired[str]
    """For deletion."""


class SliceGroupArgs(TypedDict):
    """Equal slices: one row of a plan. Single-host or multi-host is derived, never written."""

    tpu: str
    """Generation: v3, v4, v5e, v5p, v6e or tpu7x."""
    topology: NotRequired[str]
    """Shape of one slice, AxB or AxBxC chips."""
    chips: NotRequired[int]
    """Instead of topology, where only one shape has that many chips."""
    chips_per_host: NotRequired[int]
    """Chooses between two forms of one topology."""
    machine_type: NotRequired[str]
    """Says the same as chips_per_host; only this key asks for a machine type of a legacy family."""
    count: NotRequired[int]
    """How many slices; 1 unless written."""
    min: NotRequired[int]
    """Fewest slices of an autoscaled group (also count: {min, max})."""
    max: NotRequired[int]
    """Most slices of an autoscaled group."""
    indices: NotRequired[Sequence[int]]
    """Instead of count for multi-host: which slices exist."""
    zone: NotRequired[str]
    """The zone; required on Standard unless the cluster is zonal."""
    capacity: NotRequired[CapacityArgs]
    """Where the TPU hosts come from: exactly one of the modes."""
    boot_disk: NotRequired[BootDiskArgs]
    """Left to GKE unless written."""
    node_labels: NotRequired[Mapping[str, pulumi.Input[str]]]
    """Kubernetes labels of the nodes."""
    taints: NotRequired[Sequence[TaintArgs]]
    """Kubernetes taints besides GKE's own."""
    resource_labels: NotRequired[Mapping[str, pulumi.Input[str]]]
    """Google Cloud labels of the VMs."""
    max_pods_per_node: NotRequired[int]
    """At most 256."""
    upgrade: NotRequired[UpgradeArgs]
    """How GKE upgrades and repairs the group's nodes."""
    placement: NotRequired[PlacementArgs]
    """An existing workload policy (tpu7x)."""
    collection: NotRequired[CollectionArgs]
    """Collection scheduling (v6e)."""
    host_maintenance: NotRequired[HostMaintenanceArgs]
    """When Compute Engine maintains the hosts."""
    maintenance: NotRequired[GroupMaintenanceArgs]
    """Upgrade exclusion of the pools."""
    driver_mode: NotRequired[Literal["device_plugin", "dynamic_resource_allocation"]]
    """Which driver gives TPUs to Pods; GKE's device plugin unless written. Set it when the pools are created. One of
    device_plugin, dynamic_resource_allocation."""
    transparent_hugepages: NotRequired[Literal["always", "madvise", "never"]]
    """Transparent hugepages on the nodes. The kernel's default, madvise, unless set; JAX recommends always. One of
    always, madvise, never."""
    network_profile: NotRequired[Literal["auto"]]
    """auto: GKE makes the extra network interfaces."""
    additional_networks: NotRequired[Sequence[AdditionalNetworkArgs]]
    """Further network interfaces."""
    secondary_boot_disk: NotRequired[SecondaryBootDiskArgs]
    """A disk with preloaded data or images."""
    protect: NotRequired[bool]
    """Refuse to replace or delete; true on reserved capacity unless written."""
    timeouts: NotRequired[TimeoutsArgs]
    """How long Pulumi waits."""
    name: NotRequired[str]
    """Name in GKE, when it differs from the key."""
    extra: NotRequired[Mapping[str, Any]]
    """NodePool properties that the plan does not model."""


MoveArgs = TypedDict("MoveArgs", {"from": str, "to": str})
"""A rename that keeps what exists: URN and GKE name stay."""


class AcknowledgementArgs(TypedDict):
    """Allows one dangerous change of one item until a date, and lifts its protection."""

    change: Literal["replace", "delete"]
    """The change that is allowed. One of replace, delete."""
    of: str
    """The item: CLUSTER or CLUSTER/GROUP."""
    reason: str
    """Why."""
    until: str
    """Last day on which it holds."""


class AcceptanceArgs(TypedDict):
    """Accepts one warning until a date. Errors cannot be accepted."""

    rule: str
    """The rule, such as TPU203."""
    of: NotRequired[str]
    """The item: CLUSTER or CLUSTER/GROUP; the whole plan unless written."""
    reason: str
    """Why."""
    until: str
    """Last day on which it holds."""


class _ClusterKeys(TypedDict):
    """Keys of a cluster of either mode."""

    location: str
    """A region; on Standard also a zone."""
    name: NotRequired[str]
    """Name in GKE, when it differs from the key."""
    release_channel: NotRequired[Literal["rapid", "regular", "stable", "extended", "none"]]
    """Release channel. One of rapid, regular, stable, extended, none. Default: regular."""
    min_version: NotRequired[str]
    """Lowest control plane version, in quotes; a partial one means a range."""
    deletion_protection: NotRequired[bool]
    """Refuse to delete the cluster. Default: true."""
    network: NotRequired[NetworkArgs]
    """The cluster's network: made for it, or existing."""
    private_nodes: NotRequired[bool]
    """Nodes without public addresses; true where network is written."""
    control_plane: NotRequired[ControlPlaneArgs]
    """How the control plane is reached."""
    node_service_account: NotRequired[pulumi.Input[str]]
    """create, or the e-mail of an account. Default: create."""
    addons: NotRequired[Sequence[str]]
    """Add-ons to turn on."""
    maintenance: NotRequired[MaintenanceArgs]
    """Maintenance window and exclusions."""
    resource_labels: NotRequired[Mapping[str, pulumi.Input[str]]]
    """Google Cloud labels of the cluster and its pools."""
    fleet: NotRequired[pulumi.Input[str]]
    """Project of the fleet to register with."""
    kms_key: NotRequired[pulumi.Input[str]]
    """Cloud KMS key for Kubernetes secrets."""
    notifications: NotRequired[pulumi.Input[str]]
    """Pub/Sub topic for cluster notifications."""
    slices: NotRequired[Mapping[str, SliceGroupArgs]]
    """Slice groups by name."""
    timeouts: NotRequired[TimeoutsArgs]
    """How long Pulumi waits."""
    extra: NotRequired[Mapping[str, Any]]
    """Cluster properties that the plan does not model."""


class _StandardKeys(_ClusterKeys):
    """Keys of a Standard cluster."""

    system_pool: NotRequired[SystemPoolArgs]
    """The CPU pool."""
    autoprovisioning: NotRequired[AutoprovisioningArgs]
    """Node auto-provisioning."""
    security: NotRequired[SecurityArgs]
    """Hardening."""


class ClusterArgs(_StandardKeys):
    """A GKE cluster and its TPU slices."""

    mode: Literal["standard", "autopilot"]
    """standard or autopilot."""


class _PlanKeys(TypedDict):
    """What a component needs besides its own part of a plan."""

    project: str
    """Google Cloud project id."""
    moved: NotRequired[Sequence[MoveArgs]]
    """Renames."""
    acknowledge: NotRequired[Sequence[AcknowledgementArgs]]
    """Dangerous changes that are allowed."""
    accept: NotRequired[Sequence[AcceptanceArgs]]
    """Warnings that are accepted."""
    today: NotRequired[str]
    """The day by which acknowledgements and acceptances are judged; without it none holds."""


class StandardClusterArgs(_StandardKeys, _PlanKeys):
    """Arguments of :class:`StandardCluster`."""


class AutopilotClusterArgs(_ClusterKeys, _PlanKeys):
    """Arguments of :class:`AutopilotCluster`."""


class TpuSlicesArgs(SliceGroupArgs, _PlanKeys):
    """Arguments of :class:`TpuSlices`."""

    cluster: pulumi.Input[str]
    """Id of the cluster, projects/P/locations/L/clusters/C, or its name."""
    location: str
    """Location of the cluster."""
    mode: NotRequired[Literal["standard", "autopilot"]]
    """Mode of the cluster. One of standard, autopilot. Default: standard."""
    min_version: NotRequired[str]
    """Lowest version of the cluster, so that version rules can judge."""
    node_service_account: NotRequired[pulumi.Input[str]]
    """E-mail of the nodes' account; the Compute Engine default account unless given."""
    private_nodes: NotRequired[bool]
    """Nodes without public addresses; as the cluster has them unless given."""
    workload_identity: NotRequired[bool]
    """Whether the cluster has Workload Identity Federation. Default: true."""
    secure_boot: NotRequired[bool]
    """Secure boot of the hosts."""


class TpuFleetArgs(_PlanKeys):
    """Arguments of :class:`TpuFleet`: a whole plan in canonical form."""

    version: NotRequired[Literal[1]]
    """Version of this format: 1."""
    resource_labels: NotRequired[Mapping[str, pulumi.Input[str]]]
    """Google Cloud labels on every resource that takes them."""
    clusters: Mapping[str, ClusterArgs]
    """Clusters by name."""
