"""Models of capacity modes."""

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, WithJsonSchema, model_validator
from pydantic_core import PydanticCustomError

from pulumi_gke_tpu.core.plan.base import Duration, PlanModel, key, optional, unchanged

CapacityWord = Literal["on_demand", "spot", "flex_start", "queued"]
SHORT_LIVED: frozenset[str] = frozenset({"flex_start", "queued"})
"""The modes whose nodes exist for a limited time: GKE neither upgrades nor repairs them."""

AFFINITIES = ("any", "none", "specific", "any-reservation-then-fail")
"""Values of ``--reservation-affinity`` of gcloud: a reservation of such a name has to be written as a mapping."""

ReservationName = Annotated[str, WithJsonSchema({"type": "string", "form": "gke_name", "not": {"enum": [*AFFINITIES]}})]


class Reservation(PlanModel):
    """A Compute Engine reservation, selected by name (specific affinity)."""

    name: str = key("Name of the reservation.", form="gke_name")
    project: str | None = optional("Project that owns the reservation, if another project shares it.", form="project")
    block: str | None = optional("Block of the reservation.")
    sub_block: str | None = optional("Sub-block of the block.")


class FlexStart(PlanModel):
    """Flex-start: capacity for a limited time, as soon as it is available."""

    max_run_duration: Duration | None = optional(
        "Maximum lifetime of a node, 10m to 7d; GKE uses 7d if not set.", sends="nodeConfig.maxRunDuration"
    )
    queued: bool = key(
        "Request capacity by ProvisioningRequests (queued provisioning).",
        default=False,
        sends="queuedProvisioning.enabled",
    )


def short_reservation(value: object) -> Any:
    """Convert the name of a reservation to a mapping."""
    return {"name": value} if isinstance(value, str) and value not in AFFINITIES else value


def short_capacity(value: object) -> Any:
    """Convert the word for a mode to a mapping."""
    if isinstance(value, str) and value in ("on_demand", "spot", "queued"):
        return {value: True}
    if value == "flex_start":
        return {"flex_start": {}}
    if isinstance(value, dict) and "flex_start" in value and value["flex_start"] in (None, True):
        return value | {"flex_start": {}}
    if value == {}:
        raise PydanticCustomError("no_capacity", "`capacity` must not be empty")
    return value


class Capacity(PlanModel):
    """Capacity mode of the TPU hosts: exactly one key."""

    on_demand: bool = key("On-demand capacity.", default=False, nothing="it only excludes the other modes")
    spot: bool = key("Spot VMs.", default=False, copies="nodeConfig.spot", excludes="nodeConfig.preemptible")
    reservation: Annotated[
        Reservation | None,
        BeforeValidator(short_reservation, json_schema_input_type=ReservationName | Reservation | None),
    ] = optional(
        "Specific reservation, or only its name.",
        sends=(
            "nodeConfig.reservationAffinity.values",
            "nodeConfig.reservationAffinity.key",
            "nodeConfig.reservationAffinity.consumeReservationType",
        ),
        excludes="nodeConfig.reservationAffinity",
    )
    flex_start: Annotated[
        FlexStart | None, BeforeValidator(unchanged, json_schema_input_type=Literal[True] | FlexStart | None)
    ] = optional("Flex-start, or true for its defaults.", sends="nodeConfig.flexStart")
    queued: bool = key("Queued provisioning without flex-start.", default=False, sends="queuedProvisioning.enabled")

    @model_validator(mode="after")
    def _one_mode(self) -> "Capacity":
        chosen = [name for name in Capacity.model_fields if getattr(self, name) not in (False, None)]
        if len(chosen) > 1:
            raise PydanticCustomError(
                "exclusive",
                "conflicting keys in `capacity`: {chosen}; set exactly one of {allowed}",
                {"allowed": ", ".join(Capacity.model_fields), "chosen": " and ".join(chosen)},
            )
        return self

    @property
    def mode(self) -> Literal["on_demand", "spot", "reservation", "flex_start", "queued"]:
        """The capacity mode."""
        if self.spot:
            return "spot"
        if self.reservation is not None:
            return "reservation"
        if self.flex_start is not None:
            return "flex_start"
        return "queued" if self.queued else "on_demand"

    @property
    def is_queued(self) -> bool:
        """Whether only ProvisioningRequests create nodes."""
        return self.queued or (self.flex_start is not None and self.flex_start.queued)
