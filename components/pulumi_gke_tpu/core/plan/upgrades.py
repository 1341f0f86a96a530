"""Models of upgrades, repair and maintenance."""

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, model_validator
from pydantic_core import PydanticCustomError

from pulumi_gke_tpu.core.plan.base import Duration, PlanModel, Timestamp, key, unchanged

Strategy = Literal["surge", "blue_green"]
_STRATEGY = "GKE selects the strategy"


def short_upgrade(value: object) -> Any:
    """Convert the strategy alone to a mapping."""
    return {"strategy": value} if isinstance(value, str) else value


class BlueGreen(PlanModel):
    """Blue-green upgrade settings."""

    batch_percentage: float | None = key(
        "Fraction of the old nodes to drain at a time, 0 to 1.",
        default=None,
        ge=0,
        le=1,
        sends="upgradeSettings.blueGreenSettings.standardRolloutPolicy.batchPercentage",
    )
    batch_node_count: int | None = key(
        "Number of old nodes to drain at a time.",
        default=None,
        ge=1,
        sends="upgradeSettings.blueGreenSettings.standardRolloutPolicy.batchNodeCount",
    )
    batch_soak: Duration | None = key(
        "Wait time after each batch.",
        default=None,
        sends="upgradeSettings.blueGreenSettings.standardRolloutPolicy.batchSoakDuration",
    )
    pool_soak: Duration | None = key(
        "Wait time before GKE deletes the old nodes.",
        default=None,
        sends="upgradeSettings.blueGreenSettings.nodePoolSoakDuration",
    )


class Upgrade(PlanModel):
    """Upgrades and repair of the nodes."""

    strategy: Strategy = key(
        "Upgrade strategy.", instead_class=_STRATEGY, default="surge", sends="upgradeSettings.strategy"
    )
    max_surge: int | None = key(
        "Number of extra nodes during a surge upgrade.",
        instead_class=_STRATEGY,
        default=None,
        ge=0,
        sends="upgradeSettings.maxSurge",
    )
    max_unavailable: int | None = key(
        "Number of unavailable nodes during a surge upgrade.",
        instead_class=_STRATEGY,
        default=None,
        ge=0,
        sends="upgradeSettings.maxUnavailable",
    )
    blue_green: BlueGreen | None = key(
        "Settings of the blue-green strategy.",
        instead_class=_STRATEGY,
        default=None,
        excludes="upgradeSettings.blueGreenSettings.standardRolloutPolicy",
    )
    auto_repair: bool | None = key(
        "Re-create unhealthy nodes automatically.", default=None, sends="management.autoRepair"
    )
    auto_upgrade: bool | None = key(
        "Upgrade nodes automatically; a release channel requires it.", default=None, sends="management.autoUpgrade"
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
    days: list[Weekday] | None = key(
        "Days of the week, in UTC; every day if not set.",
        default=None,
        min_length=1,
        sends="maintenancePolicy.recurringWindow.recurrence",
    )
    recurrence: str | None = key(
        "RFC 5545 recurrence rule, in quotes; instead of days.",
        default=None,
        sends="maintenancePolicy.recurringWindow.recurrence",
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

    window: Window | None = key(
        "Window for automatic maintenance.",
        default=None,
        excludes=(
            "maintenancePolicy.recurringWindow",
            "maintenancePolicy.dailyMaintenanceWindow",
            "maintenancePolicy.recurringMaintenanceWindow",
        ),
    )
    exclusions: dict[str, Exclusion] = key(
        "Name -> period without automatic upgrades.", default=dict, sends="maintenancePolicy.maintenanceExclusions"
    )
