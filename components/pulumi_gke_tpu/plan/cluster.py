"""Clusters: the part of a plan around the slices."""

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, model_validator
from pydantic_core import PydanticCustomError

from pulumi_gke_tpu.plan.base import Duration, Labels, MaybeOutput, PlanModel, Timestamp, key
from pulumi_gke_tpu.plan.slices import SliceGroup, Timeouts

Weekday = Literal["MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN"]
Scope = Literal["no_upgrades", "no_minor_upgrades", "no_minor_or_node_upgrades"]


class CreateNetwork(PlanModel):
    """A network of its own for the cluster."""

    mtu: int | None = key("MTU in bytes. GKE's default holds unless written; large slices want more.", default=None)
    subnet: str = key("Primary range of the subnetwork, for nodes.", default="10.0.0.0/20")
    pods: str = key("Secondary range for pods.", default="10.16.0.0/14")
    services: str = key("Secondary range for services.", default="10.20.0.0/20")
    nat: bool = key("Cloud NAT, so that private nodes reach the internet.", default=True)


class ExistingNetwork(PlanModel):
    """A network that exists already."""

    network: MaybeOutput[str] = key("Name or id of the network.")
    subnetwork: MaybeOutput[str] = key("Name or id of the subnetwork, in the cluster's region.")
    pods_range: MaybeOutput[str] | None = key("Name of the secondary range for pods.", default=None)
    services_range: MaybeOutput[str] | None = key("Name of the secondary range for services.", default=None)


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
    """The cluster's network: made for it, or existing."""

    create: CreateNetwork | None = key("Make a network.", default=None)
    existing: ExistingNetwork | None = key("Use a network that exists.", default=None)

    @model_validator(mode="after")
    def _one(self) -> "Network":
        if (self.create is None) == (self.existing is None):
            raise PydanticCustomError("exclusive", "`network` requires exactly one of `create` and `existing`")
        return self


class ControlPlane(PlanModel):
    """How the control plane is reached."""

    dns_endpoint: bool = key("Reach it by DNS name, guarded by IAM.", default=True)
    authorized_networks: dict[str, MaybeOutput[str]] = key(
        "Name -> CIDR range that may reach the IP endpoint; without any it stays off.", default=dict
    )
    private: bool = key("Give the IP endpoint a private address only.", default=False)


class SystemPool(PlanModel):
    """The pool for everything that is no TPU workload. Totals, not per zone."""

    machine_type: str = key("CPU machine type.", default="n2-standard-4")
    min_nodes: int = key("Fewest nodes in total.", default=1, ge=0)
    max_nodes: int = key("Most nodes in total.", default=3, ge=1)
    zones: list[str] | None = key("Zones of the pool; GKE's choice unless written.", default=None, min_length=1)
    boot_disk_type: str | None = key("Left to GKE unless written.", default=None)
    boot_disk_size_gib: int | None = key("Left to GKE unless written.", default=None, ge=10)


class Autoprovisioning(PlanModel):
    """Node auto-provisioning. Limits are for the whole cluster, all pools together."""

    cpu: int = key("Most vCPUs.", ge=1)
    memory_gib: int = key("Most memory.", ge=1)
    tpu: dict[str, int] = key("Generation or accelerator label -> most chips.", default=dict)
    zones: list[str] | None = key("Zones it may use.", default=None, min_length=1)


class Window(PlanModel):
    """A recurring maintenance window."""

    start: Timestamp = key("First start, in UTC.")
    duration: Duration = key("Length, at least 4h.")
    days: list[Weekday] | None = key("Days of the week, in UTC; every day unless written.", default=None, min_length=1)
    recurrence: str | None = key("Instead of days: an RFC 5545 rule, in quotes.", default=None)

    @model_validator(mode="after")
    def _one(self) -> "Window":
        if self.days is not None and self.recurrence is not None:
            raise PydanticCustomError("exclusive", "conflicting keys: a window has `days` or `recurrence`, not both")
        return self


class Exclusion(PlanModel):
    """A time without automatic upgrades."""

    start: Timestamp = key("First moment, in UTC.")
    end: Timestamp | None = key("Last moment, in UTC; or the word end_of_support.", default=None)
    end_of_support: bool = key("Lasts until the minor version's end of support.", default=False)
    scope: Scope = key("What it holds back.", default="no_upgrades")

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
    """When GKE may upgrade the cluster."""

    window: Window | None = key("When automatic maintenance may run.", default=None)
    exclusions: dict[str, Exclusion] = key("Name -> time without automatic upgrades.", default=dict)


class Security(PlanModel):
    """Hardening. What Autopilot builds in cannot be chosen there."""

    shielded_nodes: bool = key("Shielded GKE nodes.", default=True, autopilot="refused")
    secure_boot: bool = key("Secure boot of the system pool.", default=True, autopilot="refused")
    tpu_secure_boot: bool = key("Secure boot of TPU pools.", default=False, autopilot="refused")
    workload_identity: bool = key("Workload Identity Federation.", default=True, autopilot="refused")
    dataplane_v2: bool = key("GKE Dataplane V2.", default=True, autopilot="refused")


class Cluster(PlanModel):
    """A GKE cluster and its TPU slices."""

    mode: Literal["standard", "autopilot"] = key("standard or autopilot.")
    location: str = key("A region; on Standard also a zone.", autopilot="region")
    name: str | None = key("Name in GKE, when it differs from the key.", default=None)
    release_channel: Literal["rapid", "regular", "stable", "extended", "none"] = key(
        "Release channel.", default="regular", autopilot="region"
    )
    min_version: str | None = key("Lowest control plane version, in quotes; a partial one means a range.", default=None)
    deletion_protection: bool = key("Refuse to delete the cluster.", default=True)
    network: Annotated[
        Network | None,
        BeforeValidator(_network, json_schema_input_type=Literal["create"] | Network | ExistingNetwork | None),
    ] = key("create, or an existing network; the project's default network unless written.", default=None)
    private_nodes: bool | None = key("Nodes without public addresses; true where network is written.", default=None)
    control_plane: ControlPlane = key("How the control plane is reached.", default=ControlPlane)
    node_service_account: MaybeOutput[str] = key("create, or the e-mail of an account.", default="create")
    system_pool: SystemPool | None = key(
        "The CPU pool.", default=None, autopilot="refused", instead="GKE creates the nodes for system workloads"
    )
    autoprovisioning: Autoprovisioning | None = key(
        "Node auto-provisioning.",
        default=None,
        autopilot="refused",
        instead="GKE always provisions nodes itself, and quotas limit them",
    )
    addons: list[str] = key("Add-ons to turn on.", default=list, autopilot="region")
    maintenance: Maintenance | None = key("Maintenance window and exclusions.", default=None)
    security: Security = key("Hardening.", default=Security, autopilot="refused", instead="hardening is built in")
    resource_labels: Labels = key("Google Cloud labels of the cluster and its pools.", default=dict)
    fleet: MaybeOutput[str] | None = key("Project of the fleet to register with.", default=None)
    kms_key: MaybeOutput[str] | None = key("Cloud KMS key for Kubernetes secrets.", default=None)
    notifications: MaybeOutput[str] | None = key("Pub/Sub topic for cluster notifications.", default=None)
    slices: dict[str, SliceGroup] = key("Slice groups by name.", default=dict)
    timeouts: Timeouts | None = key("How long Pulumi waits.", default=None)
    extra: dict[str, Any] = key("Cluster properties that the plan does not model.", default=dict)
