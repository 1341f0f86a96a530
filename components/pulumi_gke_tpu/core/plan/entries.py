"""Models of renames, of changes that a plan allows, and of warnings that it accepts."""

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator
from pydantic_core import PydanticCustomError

from pulumi_gke_tpu.core.plan.base import Day, PlanModel, key, optional

REASON_TO_WRITE = "WHY"
"""The reason in an entry that gke-tpu proposes. The plan is invalid until it is replaced."""
_PLACEHOLDERS = frozenset({"...", "…", "fixme", "tbd", "todo", REASON_TO_WRITE.lower()})


def _stated(value: object) -> Any:
    """Reject a reason of spaces only, and one that is still a placeholder."""
    if isinstance(value, str):
        if not value.strip():
            raise PydanticCustomError("blank", "must not be blank")
        if value.strip().lower() in _PLACEHOLDERS:
            raise PydanticCustomError("placeholder", "must be the reason, not a placeholder")
    return value


Reason = Annotated[str, BeforeValidator(_stated)]


class Move(PlanModel):
    """A rename that keeps the resources, their URNs and their names in GKE."""

    source: str = key("Former key: CLUSTER or CLUSTER/GROUP.", alias="from", form="item")
    to: str = key("New key.", form="item")


class Acknowledgement(PlanModel):
    """Allows one disruptive change of a cluster or group until a date, and lifts its protection."""

    change: Literal["replace", "delete"] = key("Change to allow.")
    of: str = key("CLUSTER or CLUSTER/GROUP.", form="item")
    reason: Reason = key("Reason.", min_length=1)
    until: Day = key("Last day of validity.")


class Acceptance(PlanModel):
    """Accepts one warning until a date. Errors cannot be accepted."""

    rule: str = key("Rule ID, such as TPU203.", pattern=r"^TPU\d{3}$")
    of: str | None = optional("CLUSTER or CLUSTER/GROUP; the whole plan if not set.", form="item")
    reason: Reason = key("Reason.", min_length=1)
    until: Day = key("Last day of validity.")
