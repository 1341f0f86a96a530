"""Models of clusters."""

from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BeforeValidator, model_validator
from pydantic_core import PydanticCustomError

from pulumi_gke_tpu.formats.cluster_reference import parse_cluster
from pulumi_gke_tpu.plan.base import (
    Duration,
    ImportedLater,
    Labels,
    MaybeOutput,
    PlanModel,
    Timestamp,
    key,
    unchanged,
)
from pulumi_gke_tpu.plan.cpu_pools import CpuPool
from pulumi_gke_tpu.plan.interfaces import InterfaceNetwork
from pulumi_gke_tpu.plan.policies import WorkloadPolicy
from pulumi_gke_tpu.plan.slices import SliceGroup, Taint, Timeouts

if TYPE_CHECKING:
    from pulumi_gke_tpu.plan.kubernetes import Kubernetes
    from pulumi_gke_tpu.plan.runs import Run
else:
    Kubernetes = Annotated[Any, ImportedLater("pulumi_gke_tpu.plan.kubernetes", "Kubernetes")]
    Run = Annotated[Any, ImportedLater("pulumi_gke_tpu.plan.runs", "Run")]

Weekday = Literal["MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN"]
Scope = Literal["no_upgrades", "no_minor_upgrades", "no_minor_or_node_upgrades"]

_ELSEWHERE = "change it where the cluster is managed"


class CreateNetwork(PlanModel):
    """A new network for the cluster."""

    # The same for every cluster: a default that depended on the slices would change when a group is added.
    mtu: int = key("MTU in bytes. The default is the largest one, which traffic between slices needs.", default=8896)
    subnet: str = key("Primary IP range of the subnetwork, for nodes.", default="10.0.0.0/20", form="cidr")
    pods: str = key("Secondary IP range for Pods.", default="10.16.0.0/14", form="cidr")
    services: str = key("Secondary IP range for Services.", default="10.20.0.0/20", form="cidr")
    nat: bool = key("Cloud NAT, which gives private nodes access to the internet.", default=True)


class ExistingNetwork(PlanModel):
    """An existing network."""

    network: MaybeOutput[str] = key("Name or ID of the network.")
    subnetwork: MaybeOutput[str] = key("Name or ID of the subnetwork, in the region of the cluster.")
    pods_range: MaybeOutput[str] | None = key(
        "Name of the secondary range for Pods.",
        default=None,
        existing="refused",
        instead_existing="the cluster has its ranges already",
    )
    services_range: MaybeOutput[str] | None = key(
        "Name of the secondary range for Services.",
        default=None,
        existing="refused",
        instead_existing="the cluster has its ranges already",
    )


def _network(value: object) -> Any:
    if value == "create":
        return {"create": {}}
    if isinstance(value, dict):
        if "create" in value and value["create"] in (None, True):
            return value | {"create": {}}
        if value.keys() & ExistingNetwork.model_fields.keys() and not value.keys() & {"create", "existing"}:
            return {"existing": value}
    return value


class Network(PlanModel):
    """The network of the cluster: new or existing."""

    create: Annotated[
        CreateNetwork | None, BeforeValidator(unchanged, json_schema_input_type=Literal[True] | CreateNetwork | None)
    ] = key(
        "Create a network; true for its defaults.",
        default=None,
        existing="refused",
        instead_existing="the cluster has a network already; name it with network and subnetwork, or remove the key",
    )
    existing: ExistingNetwork | None = key("Use an existing network.", default=None)

    @model_validator(mode="after")
    def _one(self) -> "Network":
        if (self.create is None) == (self.existing is None):
            raise PydanticCustomError("exclusive", "`network` requires exactly one of `create` and `existing`")
        return self


class ControlPlane(PlanModel):
    """Access to the control plane."""

    dns_endpoint: bool = key("DNS-based endpoint, protected by IAM.", default=True)
    authorized_networks: dict[str, MaybeOutput[str]] = key(
        "Name -> CIDR range with access to the IP endpoint, which is disabled without any range.",
        default=dict,
        form="cidr",
    )
    private: bool = key("Give the IP endpoint only a private address.", default=False)


class SystemPool(PlanModel):
    """The node pool for everything except TPU workloads. Numbers are totals, not per zone."""

    machine_type: str = key("CPU machine type.", default="n2-standard-4", form="machine_type")
    min_nodes: int = key("Minimum number of nodes in total.", default=1, ge=0)
    max_nodes: int = key("Maximum number of nodes in total.", default=3, ge=1)
    zones: list[str] | None = key(
        "Zones of the node pool; GKE selects them if not set.", default=None, min_length=1, form="zone"
    )
    boot_disk_type: str | None = key("Boot disk type; the default of GKE if not set.", default=None, form="disk_type")
    boot_disk_size_gib: int | None = key("Boot disk size in GiB; the default of GKE if not set.", default=None, ge=10)
    node_labels: Labels = key("Kubernetes labels of the nodes.", default=dict)
    taints: list[Taint] = key("Kubernetes taints of the nodes.", default=list)


class Autoprovisioning(PlanModel):
    """Node auto-provisioning. The limits apply to all node pools of the cluster together."""

    cpu: int = key("Maximum number of vCPUs.", ge=1)
    memory_gib: int = key("Maximum memory.", ge=1)
    tpu: dict[str, int] = key("Generation or accelerator label -> maximum number of chips.", default=dict)
    zones: list[str] | None = key("Zones for new node pools.", default=None, min_length=1, form="zone")
    boot_disk_type: str | None = key(
        "Boot disk type of new nodes; the default of GKE if not set.", default=None, form="disk_type"
    )
    boot_disk_size_gib: int | None = key(
        "Boot disk size of new nodes in GiB; the default of GKE if not set.", default=None, ge=10
    )
    node_service_account: MaybeOutput[str] | None = key(
        "create, or the email of a service account for new nodes; that of the cluster if not set.",
        default=None,
        form="account",
    )


class Window(PlanModel):
    """A recurring maintenance window."""

    start: Timestamp = key("Start of the first window, in UTC.")
    duration: Duration = key("Length of the window, at least 4h.")
    days: list[Weekday] | None = key("Days of the week, in UTC; every day if not set.", default=None, min_length=1)
    recurrence: str | None = key("RFC 5545 recurrence rule, in quotes; instead of days.", default=None)

    @model_validator(mode="after")
    def _one(self) -> "Window":
        if self.days is not None and self.recurrence is not None:
            raise PydanticCustomError("exclusive", "conflicting keys: a window has `days` or `recurrence`, not both")
        return self


class Exclusion(PlanModel):
    """A period without automatic upgrades."""

    start: Timestamp = key("Start, in UTC.")
    end: Annotated[
        Timestamp | None,
        BeforeValidator(unchanged, json_schema_input_type=Timestamp | Literal["end_of_support"] | None),
    ] = key("End, in UTC, or the value end_of_support.", default=None)
    end_of_support: bool = key("Lasts until the end of support of the minor version.", default=False)
    scope: Scope = key("Upgrades that it prevents.", default="no_upgrades")

    @model_validator(mode="before")
    @classmethod
    def _word(cls, value: object) -> Any:
        if isinstance(value, dict) and value.get("end") == "end_of_support" and "end_of_support" not in value:
            return {name: item for name, item in value.items() if name != "end"} | {"end_of_support": True}
        return value

    @model_validator(mode="after")
    def _one(self) -> "Exclusion":
        if (self.end is None) != self.end_of_support:
            raise PydanticCustomError(
                "exclusive", "an exclusion requires exactly one of `end` and `end: end_of_support`"
            )
        return self


class Maintenance(PlanModel):
    """Maintenance of the cluster by GKE."""

    window: Window | None = key("Window for automatic maintenance.", default=None)
    exclusions: dict[str, Exclusion] = key("Name -> period without automatic upgrades.", default=dict)


class Security(PlanModel):
    """Hardening. On Autopilot it is fixed."""

    shielded_nodes: bool = key(
        "Shielded GKE nodes.", default=True, autopilot="refused", existing="refused", instead_existing=_ELSEWHERE
    )
    secure_boot: bool = key(
        "Secure boot of node pools without TPUs.",
        default=True,
        autopilot="refused",
    )
    tpu_secure_boot: bool = key("Secure boot of TPU node pools.", default=False, autopilot="refused")
    workload_identity: bool = key("Workload Identity Federation.", default=True, autopilot="refused", existing="fact")
    dataplane_v2: bool = key("GKE Dataplane V2.", default=True, autopilot="refused", existing="fact")


class Cluster(PlanModel):
    """A GKE cluster and its TPU slices: a new one, or one that exists already."""

    mode: Literal["standard", "autopilot"] = key("Mode of the cluster: standard or autopilot.", existing="fact")
    existing: str | None = key(
        "Cluster that exists already, projects/P/locations/L/clusters/C: gke-tpu creates only node pools in it.",
        default=None,
        existing="only",
        form="cluster",
    )
    location: str = key(
        "Region, or on Standard also a zone; that of the existing cluster if `existing` is set.",
        autopilot="region",
        existing="fact",
        form="location",
    )
    name: str | None = key("Name in GKE, if it differs from the key.", default=None, existing="fact", form="gke_name")
    release_channel: Literal["rapid", "regular", "stable", "extended", "none"] = key(
        "Release channel.", default="regular", autopilot="region", existing="fact"
    )
    min_version: str | None = key(
        'Minimum version of the control plane, in quotes, such as "1.34".',
        default=None,
        existing="refused",
        instead_existing="set version to the version that the cluster runs",
        form="version",
    )
    version: str | None = key(
        'Version that the existing cluster runs, in quotes, such as "1.34"; unknown if not set.',
        default=None,
        existing="only",
        form="version",
    )
    deletion_protection: bool = key(
        "Prevent the deletion of the cluster.", default=True, existing="refused", instead_existing=_ELSEWHERE
    )
    network: Annotated[
        Network | None,
        BeforeValidator(_network, json_schema_input_type=Literal["create"] | Network | ExistingNetwork | None),
    ] = key(
        "create, or an existing network; the default network of the project if not set.", default=None, existing="fact"
    )
    additional_networks: dict[str, InterfaceNetwork] = key(
        "Name -> new network for an additional network interface; slice groups refer to it by name.",
        default=dict,
        autopilot="refused",
        instead="GKE creates the network interfaces",
        existing="refused",
        instead_existing="create the network where the cluster is managed; slice groups name it with network and "
        "subnetwork",
    )
    workload_policies: dict[str, WorkloadPolicy] = key(
        "Name in Compute Engine -> new workload policy. Slice groups name it in placement, and Pods or a ComputeClass "
        "name it for nodes that GKE provisions.",
        default=dict,
    )
    private_nodes: bool | None = key(
        "Nodes without external IP addresses; true with network and false without it if not set. On an existing "
        "cluster: the setting of the cluster if not set.",
        default=None,
    )
    control_plane: ControlPlane = key(
        "Access to the control plane.", default=ControlPlane, existing="refused", instead_existing=_ELSEWHERE
    )
    node_service_account: MaybeOutput[str] = key(
        "create, or the email of a service account. On an existing cluster: the Compute Engine default service account "
        "if not set.",
        default="create",
        form="account",
    )
    system_pool: SystemPool | None = key(
        "Node pool for system workloads.",
        default=None,
        autopilot="refused",
        instead="GKE creates the nodes for system workloads",
        existing="refused",
        instead_existing="the cluster has nodes for system workloads already",
    )
    cpu_pools: dict[str, CpuPool] = key(
        "Name in GKE -> node pool without TPUs, in addition to the system pool.",
        default=dict,
        autopilot="refused",
        instead="GKE creates the nodes that Pods request; a ComputeClass selects their machine family",
    )
    autoprovisioning: Autoprovisioning | None = key(
        "Node auto-provisioning.",
        default=None,
        autopilot="refused",
        instead="GKE always provisions nodes itself, and quotas limit them",
        existing="refused",
        instead_existing=_ELSEWHERE,
    )
    addons: list[str] = key(
        "Add-ons to enable.",
        default=list,
        autopilot="region",
        existing="refused",
        instead_existing=_ELSEWHERE,
        form="addon",
    )
    ml_diagnostics: bool | None = key(
        "Managed ML diagnostics: GKE runs what profiling of workloads on demand requires. GKE decides if not set.",
        default=None,
        existing="refused",
        instead_existing=_ELSEWHERE,
    )
    maintenance: Maintenance | None = key(
        "Maintenance window and exclusions.",
        default=None,
        existing="refused",
        instead_existing=f"{_ELSEWHERE}; a slice group has a maintenance key of its own",
    )
    security: Security = key("Hardening.", default=Security, autopilot="refused", instead="hardening is built in")
    resource_labels: Labels = key(
        "Google Cloud labels of the cluster and its node pools.",
        default=dict,
        existing="refused",
        instead_existing="label the slice groups, or all resources of the plan",
    )
    fleet: MaybeOutput[str] | None = key(
        "Host project of the fleet that the cluster joins.",
        default=None,
        existing="refused",
        instead_existing=_ELSEWHERE,
    )
    kms_key: MaybeOutput[str] | None = key(
        "Cloud KMS key for Kubernetes secrets.", default=None, existing="refused", instead_existing=_ELSEWHERE
    )
    notifications: MaybeOutput[str] | None = key(
        "Pub/Sub topic for cluster notifications.", default=None, existing="refused", instead_existing=_ELSEWHERE
    )
    slices: dict[str, SliceGroup] = key("Slice groups by name.", default=dict)
    kubernetes: Kubernetes | None = key("Kubernetes objects: queues, priority classes and workloads.", default=None)
    runs: dict[str, Run] = key("Planned runs by name. They change no resource.", default=dict)
    timeouts: Timeouts | None = key(
        "Timeouts of Pulumi.",
        default=None,
        existing="refused",
        instead_existing="gke-tpu creates no cluster; a slice group has timeouts of its own",
    )
    extra: dict[str, Any] = key(
        "Provider properties of the cluster without a key of their own.",
        default=dict,
        existing="refused",
        instead_existing=f"{_ELSEWHERE}; a slice group has an extra key of its own",
    )

    @model_validator(mode="before")
    @classmethod
    def _location_of_existing(cls, value: object) -> Any:
        """The location of an existing cluster is that of its reference. Rules report a malformed reference."""
        if isinstance(value, dict) and value.get("existing") is not None and "location" not in value:
            found = parse_cluster(value["existing"]) if isinstance(value["existing"], str) else None
            return value | {"location": found.location if found else ""}
        return value
