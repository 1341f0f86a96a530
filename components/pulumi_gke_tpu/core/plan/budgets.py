"""Models of budgets: chips that slice groups of several shapes share."""

from typing import Annotated

from pydantic import BeforeValidator, model_validator
from pydantic_core import PydanticCustomError

from pulumi_gke_tpu.core.plan.base import PlanModel, key, optional
from pulumi_gke_tpu.core.plan.capacity import Reservation, ReservationName, short_reservation


class ChipBudgetSpec(PlanModel):
    """Chips that slice groups of any shape share: those of a reservation, or of a quota of Spot VMs."""

    chips: int = key("Number of chips that its slice groups can have together.", ge=0)
    reservation: Annotated[
        Reservation | None,
        BeforeValidator(short_reservation, json_schema_input_type=ReservationName | Reservation | None),
    ] = optional("Reservation, block or sub-block: slice groups with this `capacity` share the chips.")
    spot: str | None = optional(
        "TPU generation: slice groups of it with `capacity: spot` share the chips.", form="generation"
    )
    region: str | None = optional("Region of the Spot VMs; every region if not set.", form="location")

    @model_validator(mode="after")
    def _one_source(self) -> "ChipBudgetSpec":
        found = [name for name in ("reservation", "spot") if getattr(self, name) is not None]
        if len(found) != 1:
            raise PydanticCustomError(
                "exclusive",
                "{problem}: a budget has exactly one of `reservation` and `spot`",
                {"problem": "conflicting keys in a budget" if found else "missing key in a budget"},
            )
        if self.region is not None and self.spot is None:
            raise PydanticCustomError("exclusive", "`region` is for `spot`: a reservation has a zone", {})
        return self
