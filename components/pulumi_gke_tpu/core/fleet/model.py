"""The values that follow from a plan: clusters, slice groups, node pools, hosts, names. Plain and frozen."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

from pydantic import Field

from pulumi_gke_tpu.core.catalog import Catalog, Topology
from pulumi_gke_tpu.core.catalog.records.capacity import CapacityMode
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.plan import ClusterSpec, CpuPoolSpec, SliceGroupSpec
from pulumi_gke_tpu.core.plan.cpu_pools import AutoprovisioningSpec
from pulumi_gke_tpu.core.text.findings import Fix, Path, number
from pulumi_gke_tpu.core.text.jsonfile.fields import Count

if TYPE_CHECKING:
    from pulumi_gke_tpu.core.plan.budgets import ChipBudgetSpec
    from pulumi_gke_tpu.core.plan.interfaces import InterfaceNetworkSpec
    from pulumi_gke_tpu.core.plan.kubernetes import ComputeClassSpec
    from pulumi_gke_tpu.core.plan.policies import WorkloadPolicySpec


@frozen
class Shape:
    """One slice: its generation, topology and hosts."""

    generation: str
    family: str
    topology: Topology
    machine_type: str
    chips_per_host: int
    accelerator_label: str
    placement: Literal["compact", "workload_policy"]
    custom: bool = False

    @property
    def chips(self) -> int:
        """Chips of one slice."""
        return self.topology.chips

    @property
    def hosts(self) -> int:
        """Hosts (nodes) of one slice."""
        return self.chips // self.chips_per_host

    @property
    def multi_host(self) -> bool:
        """Whether a slice has several hosts; each such slice is one node pool."""
        return self.hosts > 1


@dataclass(frozen=True, slots=True)
class Range:
    """A number: fixed if both bounds are equal, otherwise set by the autoscaler between the bounds."""

    minimum: Annotated[Count, Field(alias="min")]
    maximum: Annotated[Count, Field(alias="max")]

    ZERO: ClassVar["Range"]

    def times(self, factor: int) -> "Range":
        """Both bounds multiplied."""
        return Range(self.minimum * factor, self.maximum * factor)

    def plus(self, other: "Range") -> "Range":
        """The sum of both bounds."""
        return Range(self.minimum + other.minimum, self.maximum + other.maximum)

    def counted(self, one: str, many: str = "") -> str:
        """With its noun: ``1 slice``, ``2 slices``, ``0..8 slices``."""
        if self.minimum == self.maximum:
            return number(self.maximum, one, many)
        return f"{self} {many or f'{one}s'}"

    def __str__(self) -> str:
        low, high = f"{self.minimum:,}", f"{self.maximum:,}"
        return low if low == high else f"{low}..{high}"


Range.ZERO = Range(0, 0)


@frozen
class NodePool:
    """One GKE node pool: one multi-host slice, or all slices of a single-host group."""

    key: str
    """The Pulumi name: cluster/group/pool."""
    name: str
    """The name in GKE, at most 40 characters."""
    index: int | None
    """The number of the slice in its group; None for a single-host node pool, which has all slices."""
    hosts: Range
    autoscaled: bool
    former_keys: tuple[str, ...] = ()
    """Pulumi names before a rename."""


def initial_count(least: int, most: int, zones: int) -> int:
    """The nodes per zone with which an autoscaled pool starts: its part of the minimum, within the maximum."""
    return min(-(-least // zones), most // zones)


@frozen
class ChipBudget:
    """Chips that slice groups of the plan share, whatever their shape."""

    name: str
    path: Path
    plan: "ChipBudgetSpec"
    unit: ClassVar[Literal["chip"]] = "chip"
    in_use: ClassVar[int] = 0
    cubes: int = 0
    """The chips of groups of cubes, which have them all the time and queues of their own."""

    @property
    def size(self) -> int:
        """The number of chips."""
        return self.plan.chips

    @property
    def chips(self) -> int:
        """The chips that its slice groups share: all without those of cubes."""
        return max(self.plan.chips - self.cubes, 0)


@frozen
class SliceGroup:
    """Equal slices of one cluster; with dynamic slicing, its cubes."""

    key: str
    """cluster/group."""
    path: Path
    """The path of the group in the plan."""
    name: str
    shape: Shape
    slices: Range
    autoscaled: bool
    zone: str | None
    """None if GKE selects it on Autopilot, and if single-host slices are in several zones."""
    zones: tuple[str, ...]
    """The zones of the slices; empty if GKE selects them on Autopilot."""
    pools: tuple[NodePool, ...]
    """Empty on Autopilot, and if a ComputeClass serves the group: GKE then creates the node pools."""
    policy_name: str | None
    """The workload policy to create; None if the group needs none or names an existing one."""
    protect: bool | None
    """None if the plan does not set it: the program that registers the resources then decides."""
    plan: SliceGroupSpec
    node_selector: dict[str, str] = field(hash=False)
    """The labels by which workloads select the nodes: that of the ComputeClass alone, if one serves the group."""
    account_id: str
    """The ID of the node service account, if gke-tpu creates one for the group."""
    former_keys: tuple[str, ...] = ()
    """cluster/group from before a rename."""
    compute_class: str | None = None
    """The name of the ComputeClass that serves the group; None for a group without ``fallback``."""
    budget: ChipBudget | None = None
    """The budget that all of its chips are from."""

    @property
    def creates_nodes(self) -> bool:
        """Whether the plan's settings of nodes reach GKE, through node pools or through a ComputeClass."""
        return bool(self.pools) or self.compute_class is not None

    @property
    def block(self) -> tuple[str, ...]:
        """Project, reservation and block of its hosts; a group that names no block is one of its own."""
        reservation = self.plan.capacity.reservation
        if reservation is None or reservation.block is None:
            return (self.key,)
        return (reservation.project or "", reservation.name, reservation.block)

    @property
    def dynamic(self) -> bool:
        """Whether the slices of the group are cubes, of which GKE forms the slices that workloads ask for."""
        return self.plan.dynamic

    @property
    def capacity_modes(self) -> tuple[CapacityMode, ...]:
        """The capacity modes in the order in which GKE tries them."""
        return (self.plan.capacity.mode, *self.plan.fallback)

    @property
    def unit(self) -> str:
        """What the group consists of: ``slice`` or ``cube``."""
        return "cube" if self.dynamic else "slice"

    @property
    def counted(self) -> str:
        """The number of slices or cubes, with its noun."""
        return self.slices.counted(self.unit)

    @property
    def first_nodes(self) -> int:
        """The nodes with which GKE creates the node pool of single-host slices."""
        most, zones = self.slices.maximum, max(len(self.zones), 1)
        return initial_count(self.slices.minimum, most, zones) * zones if self.autoscaled else most

    @property
    def hosts(self) -> Range:
        """Hosts of all slices together."""
        return self.slices.times(self.shape.hosts)

    @property
    def chips(self) -> Range:
        """Chips of all slices together."""
        return self.slices.times(self.shape.chips)


@frozen
class CpuPool:
    """A node pool without TPUs, other than the system pool."""

    key: str
    """The Pulumi name: cluster/cpu_pools/pool."""
    path: Path
    name: str
    """The name in GKE, at most 40 characters."""
    nodes: Range
    """In all zones together."""
    zones: tuple[str, ...]
    """Empty if GKE selects them."""
    account_id: str
    """The ID of the node service account, if gke-tpu creates one for the pool."""
    plan: CpuPoolSpec
    former_keys: tuple[str, ...] = ()
    """Pulumi names before a rename of the cluster."""


@frozen
class InterfaceNetwork:
    """A network that is created for an additional network interface of TPU hosts."""

    key: str
    """The Pulumi name: cluster/additional_networks/network."""
    path: Path
    name: str
    """The name in Compute Engine of the network, its subnetwork and its firewall rule, at most 63 characters."""
    plan: "InterfaceNetworkSpec"
    former_keys: tuple[str, ...] = ()
    """Pulumi names before a rename of the cluster."""


@frozen
class WorkloadPolicy:
    """A workload policy that is created for a cluster, not for one of its slice groups."""

    key: str
    """The Pulumi name: cluster/workload_policies/policy."""
    path: Path
    name: str
    """The name in Compute Engine."""
    plan: "WorkloadPolicySpec"
    former_keys: tuple[str, ...] = ()
    """Pulumi names before a rename of the cluster."""


@frozen
class Autoprovisioning:
    """Node auto-provisioning of a cluster."""

    key: str
    """cluster/autoprovisioning: the Pulumi name of its service account."""
    path: Path
    account_id: str
    """The ID of the node service account, if gke-tpu creates one for auto-provisioned nodes."""
    plan: AutoprovisioningSpec
    former_keys: tuple[str, ...] = ()
    """Keys before a rename of the cluster."""


@frozen
class Cluster:
    """A cluster and its groups."""

    key: str
    path: Path
    name: str
    project: str
    location: str
    region: str
    mode: Literal["standard", "autopilot"]
    account_id: str
    """The ID of the node service account, if gke-tpu creates it."""
    groups: tuple[SliceGroup, ...]
    plan: ClusterSpec
    resource_labels: dict[str, str]
    """The labels of the plan and of the cluster, merged."""
    deletion_protection: bool
    """Also False if the plan acknowledges a replacement or a deletion."""
    former_keys: tuple[str, ...] = ()
    """The cluster's key from before a rename."""
    cpu_pools: tuple[CpuPool, ...] = ()
    """Empty on Autopilot."""
    additional_networks: tuple[InterfaceNetwork, ...] = ()
    """Empty on Autopilot and on an existing cluster."""
    workload_policies: tuple[WorkloadPolicy, ...] = ()
    autoprovisioning: Autoprovisioning | None = None
    """None on Autopilot and on an existing cluster as well."""
    workers: tuple["Cluster", ...] = ()
    """The clusters that run the workloads of a manager cluster of MultiKueue."""
    sent_topologies: tuple[str, ...] = ()
    """The topologies of slices of cubes that workloads of its managers ask for."""

    @property
    def existing(self) -> bool:
        """Whether the cluster exists already, so that only its slices are created."""
        return self.plan.existing is not None

    @property
    def adopted(self) -> bool:
        """Whether another tool created the cluster, which the plan has taken over."""
        return self.plan.adopted

    @property
    def predates_plan(self) -> bool:
        """Whether the cluster was there before the plan, so that settings without a key are not those of gke-tpu."""
        return self.existing or self.adopted

    @property
    def compute_classes(self) -> "Mapping[str, ComputeClassSpec]":
        """The ComputeClasses of the plan for Pods without chips, by name."""
        return self.plan.kubernetes.compute_classes if self.plan.kubernetes is not None else {}

    @property
    def forms_slices(self) -> bool:
        """Whether a group of the cluster has dynamic slicing."""
        return self.mode == "standard" and any(group.dynamic for group in self.groups)

    @property
    def has_system_pool(self) -> bool:
        """Whether the plan has the node pool for system workloads. A cluster from before the plan has nodes already."""
        return self.mode == "standard" and (not self.predates_plan or self.plan.system_pool is not None)

    @property
    def zonal(self) -> bool:
        """Whether the control plane is in one zone."""
        return self.location != self.region

    @property
    def version_key(self) -> Literal["min_version", "version"]:
        """The key with the version of the cluster: the requested minimum, or what an existing cluster runs."""
        asked = self.adopted and self.plan.min_version is not None
        return "version" if self.predates_plan and not asked else "min_version"

    @property
    def version(self) -> str | None:
        """The value of ``version_key``; None if the plan does not set it."""
        return self.plan.version if self.version_key == "version" else self.plan.min_version


@frozen
class Fleet:
    """Everything that follows from a plan."""

    project: str
    clusters: tuple[Cluster, ...]
    unresolved: tuple["Unresolved", ...] = ()
    budgets: tuple[ChipBudget, ...] = ()

    def groups(self) -> Iterator[tuple[Cluster, SliceGroup]]:
        """Every group with its cluster, in the order of the plan."""
        for cluster in self.clusters:
            for group in cluster.groups:
                yield cluster, group


@frozen
class Unresolved:
    """A group without a possible shape, and the problem."""

    path: Path
    problem: "ShapeProblem"


@frozen
class ShapeProblem:
    """Why a group has no shape. ``rule`` is the rule that reports it, ``key`` the plan key with the problem."""

    rule: str
    key: str
    message: str
    allowed: tuple[str, ...] = ()
    change: Fix | None = None
    why: str = ""
    behind: "ShapeProblem | None" = None
    """The problem that the group has after the fix."""

    @property
    def fix(self) -> str:
        """The fix as YAML to paste; empty without a fix."""
        return self.change.text if self.change is not None else ""


def tpu_limits(cluster: Cluster, catalog: Catalog) -> dict[str, int]:
    """The most chips in a Standard cluster by accelerator label; empty without auto-provisioning."""
    written = cluster.plan.autoprovisioning if cluster.mode == "standard" else None
    limits: dict[str, int] = {}
    for word, chips in (written.tpu if written else {}).items():
        labels = catalog.generation(word).limit_labels if word in catalog.generation_names else (word,)
        limits.update(dict.fromkeys(labels, chips))
    return limits
