"""The inventory: capacity that a project owns, declared by hand or saved from the cloud."""

from typing import Literal

from pulumi_gke_tpu.plan.base import Day, PlanModel, key


class OwnedReservation(PlanModel):
    """A Compute Engine reservation. Its identity is project, zone and name."""

    name: str = key("Name.")
    project: str = key("Owning project.")
    zone: str = key("Zone.")
    machine_type: str = key("TPU machine type it holds.")
    vms: int = key("How many VMs it holds.", ge=0)
    workload: Literal["batch", "serving", "unspecified"] = key("Workload type.", default="unspecified")
    periodic_maintenance: bool | None = key("Whether its host maintenance is PERIODIC.", default=None)
    shared_with: list[str] | None = key("Projects it is shared with; unknown unless written.", default=None)


class OwnedQuota(PlanModel):
    """A quota limit, in chips."""

    project: str = key("Project.")
    metric: str = key("Metric, such as tpus_per_tpu_family or preemptible_tpu_v6e.")
    family: str | None = key("Value of the tpu_family dimension.", default=None)
    region: str = key("Region (or zone, for per-zone metrics).")
    limit: int = key("Chips.", ge=-1)


class Inventory(PlanModel):
    """Declared capacity, checked against the sum of all plans given."""

    version: Literal[1] = key("Version of this format: 1.")
    as_of: Day = key("When this was true.")
    reservations: list[OwnedReservation] = key("Reservations.", default=list)
    quotas: list[OwnedQuota] = key("Quota limits.", default=list)
    gke_versions: dict[str, dict[str, list[str]]] = key(
        "Location -> release channel -> versions offered there.", default=dict
    )
