"""The inventory: capacity of projects, declared by hand or exported from Google Cloud."""

from typing import Literal

from pydantic import ValidationError, model_validator
from pydantic_core import InitErrorDetails, PydanticCustomError

from pulumi_gke_tpu.core.plan.base import Day, PlanModel, key, optional

IN_VMS = ("machine_type", "vms")
IN_CHIPS = ("family", "chips")
"""The two pairs of keys of a reservation: it has the VMs of a machine type, or the chips of a machine family."""


class OwnedSubBlock(PlanModel):
    """A sub-block of a block."""

    name: str = key("Name of the sub-block.")
    vms: int = key("Number of VMs.", ge=0)


class OwnedBlock(PlanModel):
    """A block of a reservation."""

    name: str = key("Name of the block.")
    vms: int = key("Number of VMs.", ge=0)
    sub_blocks: list[OwnedSubBlock] = key("Sub-blocks.", default=list)


class OwnedReservation(PlanModel):
    """A Compute Engine reservation. Its identity is project, zone and name.

    It counts VMs of one machine type, or chips of a machine family, which slices of any shape can use.
    """

    name: str = key("Name of the reservation.")
    project: str = key("Project that owns the reservation.", form="project")
    zone: str = key("Zone.", form="zone")
    machine_type: str | None = optional("TPU machine type, of a reservation that counts VMs.", form="machine_type")
    vms: int | None = optional("Number of VMs.", ge=0)
    family: str | None = optional("Machine family such as ct6e, of a reservation that counts chips.")
    chips: int | None = optional("Number of chips.", ge=0)
    workload: Literal["batch", "serving", "unspecified"] = key("Workload type.", default="unspecified")
    periodic_maintenance: bool | None = optional("Whether host maintenance is PERIODIC.")
    shared_with: list[str] | None = optional("Projects that share the reservation; unknown if not set.")
    in_use: int = key("Number of VMs or chips in use by what is in no plan.", default=0, ge=0)
    blocks: list[OwnedBlock] = key("Blocks; unknown if not set.", default=list)
    start: Day | None = optional("First day of the reservation; it exists already if not set.", alias="from")
    until: Day | None = optional("Day on which the reservation ends; unknown if not set.")
    usd_per_chip_hour: float | None = optional(
        "Price of the contract per chip and hour, in USD; unknown if not set.", ge=0, le=1_000_000
    )

    @model_validator(mode="after")
    def _one_unit(self) -> "OwnedReservation":
        vms, chips = ([name for name in names if getattr(self, name) is not None] for names in (IN_VMS, IN_CHIPS))
        if vms and chips:
            raise PydanticCustomError(
                "exclusive",
                "conflicting keys {found}: a reservation has `machine_type` and `vms`, or `family` and `chips`",
                {"found": " and ".join(f"`{name}`" for name in (*vms, *chips))},
            )
        missing = set(IN_CHIPS if chips else IN_VMS) - {*vms, *chips}
        if missing:
            errors = [InitErrorDetails(type="missing", loc=(name,), input=self) for name in sorted(missing)]
            raise ValidationError.from_exception_data("OwnedReservation", errors)
        return self

    @property
    def unit(self) -> Literal["VM", "chip"]:
        """What the reservation counts."""
        return "VM" if self.vms is not None else "chip"

    @property
    def size(self) -> int:
        """The number of VMs or chips."""
        return (self.vms if self.vms is not None else self.chips) or 0

    @property
    def machine_family(self) -> str:
        """The machine family of the reserved machines, from the machine type or from the VM family of the API."""
        if self.machine_type is not None:
            return self.machine_type.lower().partition("-")[0]
        return (self.family or "").lower().rpartition("_")[2]

    def has_machine(self, machine_type: str) -> bool:
        """Whether VMs of a machine type can use the reservation: the same type, or any one of the family."""
        if self.machine_type is not None:
            return self.machine_type.lower() == machine_type
        return machine_type.partition("-")[0] == self.machine_family


class OwnedQuota(PlanModel):
    """A quota limit, in chips."""

    project: str = key("Project ID.", form="project")
    metric: str = key("Metric, such as tpus_per_tpu_family or preemptible_tpu_v6e.")
    family: str | None = optional("Value of the tpu_family dimension.")
    region: str = key("Region (or zone, for per-zone metrics).", form="location")
    limit: int = key("Limit in chips.", ge=-1)
    in_use: int = key("Number of chips in use by what is in no plan.", default=0, ge=0)


class OwnedPolicy(PlanModel):
    """A workload policy that exists."""

    name: str = key("Name of the workload policy.", form="gke_name")
    project: str = key("Project ID.", form="project")
    region: str = key("Region.", form="location")
    topology: str = key("Accelerator topology.", form="topology")


class Inventory(PlanModel):
    """Declared capacity, to compare with the sum of all plans."""

    version: Literal[1] = key("Version of this format: 1.")
    as_of: Day = key("Date of the data.")
    reservations: list[OwnedReservation] = key("Reservations.", default=list)
    quotas: list[OwnedQuota] = key("Quota limits.", default=list)
    workload_policies: list[OwnedPolicy] = key("Workload policies; unknown if not set.", default=list)
    gke_versions: dict[str, dict[str, list[str]]] = key(
        "Location -> release channel -> available versions.", default=dict
    )
