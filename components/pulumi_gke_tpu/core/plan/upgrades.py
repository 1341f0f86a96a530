"""Models of upgrades, repair and maintenance."""

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, model_validator
from pydantic_core import PydanticCustomError

from pulumi_gke_tpu.core.plan.base import Duration, PlanModel, Timestamp, key, optional, unchanged

Strategy = Literal["surge", "blue_green"]
_STRATEGY = "GKE selects the strategy"


def short_upgrade(value: object) -> Any:
    """Convert the strategy alone to a mapping."""
    return {"strategy": value} if isinstance(value, str) else value


class BlueGreen(PlanModel):
    """Blue-green upgrade settings."""

    batch_percentage: float | None = optional(
        "Fraction of the old nodes to drain at a time, 0 to 1.",
        ge=0,
        le=1,
        sends="upgradeSettings.blueGreenSettings.standardRolloutPolicy.batchPercentage",
    )
    batch_node_count: int | None = optional(
        "Number of old nodes to drain at a time.",
        ge=1,
        sends="upgradeSettings.blueGreenSettings.standardRolloutPolicy.batchNodeCount",
    )
    batch_soak: Duration | None = optional(
        "Wait time after each batch.", sends="upgradeSettings.blueGreenSettings.standardRolloutPolicy.batchSoakDuration"
    )
    pool_soak: Duration | None = optional(
        "Wait time before GKE deletes the old nodes.", sends="upgradeSettings.blueGreenSettings.nodePoolSoakDuration"
    )


class Upgrade(PlanModel):
    """Upgrades and repair of the nodes."""

    strategy: Strategy = key(
        "Upgrade strategy.", instead_class=_STRATEGY, default="surge", sends="upgradeSettings.strategy"
    )
    max_surge: int | None = optional(
        "Number of extra nodes during a surge upgrade.", instead_class=_STRATEGY, ge=0, sends="upgradeSettings.maxSurge"
    )
    max_unavailable: int | None = optional(
        "Number of unavailable nodes during a surge upgrade.",
        instead_class=_STRATEGY,
        ge=0,
        sends="upgradeSettings.maxUnavailable",
    )
    blue_green: BlueGreen | None = optional(
        "Settings of the blue-green strategy.",
        instead_class=_STRATEGY,
        excludes="upgradeSettings.blueGreenSettings.standardRolloutPolicy",
    )
    auto_repair: bool | None = optional("Re-create unhealthy nodes automatically.", sends="management.autoRepair")
    auto_upgrade: bool | None = optional(
        "Upgrade nodes automatically; a release channel requires it.", sends="management.autoUpgrade"
    )


Weekday = Literal["MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN"]


Scope = Literal["no_upgrades", "no_minor_upgrades", "no_minor_or_node_upgrades"]


class Window(PlanModel):
    """A recurring maintenance window."""

    start: Timestamp = key(
        "Start of the first window, in UTC.",
        sends=("maintenancePolicy.recurringWindow.startTime", "maintenancePolicy.recurringWindow.endTime"),
    )
    duration: Duration = key("Length of the window, at least 4h.", sends="maintenancePolicy.recurringWindow.endTime")
    days: list[Weekday] | None = optional(
        "Days of the week, in UTC; every day if not set.",
        min_length=1,
        sends="maintenancePolicy.recurringWindow.recurrence",
    )
    recurrence: str | None = optional(
        "RFC 5545 recurrence rule, in quotes; instead of days.", sends="maintenancePolicy.recurringWindow.recurrence"
    )

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
    ] = optional("End, in UTC, or the value end_of_support.")
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

    window: Window | None = optional(
        "Window for automatic maintenance.",
        excludes=(
            "maintenancePolicy.recurringWindow",
            "maintenancePolicy.dailyMaintenanceWindow",
            "maintenancePolicy.recurringMaintenanceWindow",
        ),
    )
    exclusions: dict[str, Exclusion] = key(
        "Name -> period without automatic upgrades.", default=dict, sends="maintenancePolicy.maintenanceExclusions"
    )
