"""What follows from a plan: clusters, slice groups, node pools, hosts, names. Plain frozen values."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Annotated, Literal

from pydantic import Field

from pulumi_gke_tpu.catalog import Topology
from pulumi_gke_tpu.findings import Path, number
from pulumi_gke_tpu.jsonfile.fields import Count
from pulumi_gke_tpu.plan import Cluster as PlanCluster
from pulumi_gke_tpu.plan import SliceGroup as PlanGroup


@dataclass(frozen=True, slots=True)
class Shape:
    """One slice: its generation, topology and machines."""

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
        """Whether a slice spans more than one host; such a slice is a node pool of its own."""
        return self.hosts > 1


@dataclass(frozen=True, slots=True)
class Range:
    """A number that is fixed, where both bounds are equal, or left to the autoscaler between two bounds."""

    minimum: Annotated[Count, Field(alias="min")]
    maximum: Annotated[Count, Field(alias="max")]

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


NOTHING = Range(0, 0)


@dataclass(frozen=True, slots=True)
class NodePool:
    """One GKE node pool: one multi-host slice, or all slices of a single-host group."""

    key: str
    """The Pulumi name: cluster/group/pool."""
    name: str
    """The name in GKE, at most 40 characters."""
    index: int | None
    """Which slice of its group this is; None for a single-host pool, which holds them all."""
    hosts: Range
    autoscaled: bool
    former_keys: tuple[str, ...] = ()
    """Pulumi names from before a rename."""


@dataclass(frozen=True, slots=True)
class SliceGroup:
    """Equal slices of one cluster."""

    key: str
    """cluster/group."""
    path: Path
    """Where the group stands in the plan."""
    name: str
    shape: Shape
    slices: Range
    autoscaled: bool
    zone: str | None
    """None where Autopilot chooses."""
    pools: tuple[NodePool, ...]
    """Empty on Autopilot."""
    policy_name: str | None
    """The workload policy to create; None where none is needed or an existing one is named."""
    protect: bool | None
    """None where the plan leaves it to whoever registers the resources."""
    plan: PlanGroup
    node_selector: dict[str, str] = field(hash=False)
    """The labels by which workloads select the nodes."""
    former_keys: tuple[str, ...] = ()
    """cluster/group from before a rename."""

    @property
    def hosts(self) -> Range:
        """Hosts of all slices together."""
        return self.slices.times(self.shape.hosts)

    @property
    def chips(self) -> Range:
        """Chips of all slices together."""
        return self.slices.times(self.shape.chips)


@dataclass(frozen=True, slots=True)
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
    """Id of the node service account, where one is created."""
    groups: tuple[SliceGroup, ...]
    plan: PlanCluster
    resource_labels: dict[str, str]
    """The plan's and the cluster's own, merged."""
    deletion_protection: bool
    """False also where the plan acknowledges a replacement or deletion."""
    former_keys: tuple[str, ...] = ()
    """The cluster's key from before a rename."""

    @property
    def zonal(self) -> bool:
        """Whether the control plane is in one zone."""
        return self.location != self.region


@dataclass(frozen=True, slots=True)
class Fleet:
    """Everything a plan amounts to."""

    project: str
    clusters: tuple[Cluster, ...]
    unresolved: tuple["Unresolved", ...] = ()

    def groups(self) -> Iterator[tuple[Cluster, SliceGroup]]:
        """Every group with its cluster, in the order of the plan."""
        for cluster in self.clusters:
            for group in cluster.groups:
                yield cluster, group


@dataclass(frozen=True, slots=True)
class Unresolved:
    """A group whose slices have no possible shape, and why."""

    path: Path
    problem: "ShapeProblem"


@dataclass(frozen=True, slots=True)
class ShapeProblem:
    """Why a group has no shape. ``rule`` is the rule that reports it, ``key`` the plan key that is to blame."""

    rule: str
    key: str
    message: str
    allowed: tuple[str, ...] = ()
    fix: str = ""
    why: str = ""
