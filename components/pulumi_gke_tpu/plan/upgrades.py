"""Models of upgrades and repair of the nodes of a slice group."""

from typing import Any, Literal

from pulumi_gke_tpu.plan.base import Duration, PlanModel, key

Strategy = Literal["surge", "blue_green"]
_STRATEGY = "GKE selects the strategy"


def short_upgrade(value: object) -> Any:
    """Convert the strategy alone to a mapping."""
    return {"strategy": value} if isinstance(value, str) else value


class BlueGreen(PlanModel):
    """Blue-green upgrade settings."""

    batch_percentage: float | None = key(
        "Fraction of the old nodes to drain at a time, 0 to 1.", default=None, ge=0, le=1
    )
    batch_node_count: int | None = key("Number of old nodes to drain at a time.", default=None, ge=1)
    batch_soak: Duration | None = key("Wait time after each batch.", default=None)
    pool_soak: Duration | None = key("Wait time before GKE deletes the old nodes.", default=None)


class Upgrade(PlanModel):
    """Upgrades and repair of the nodes."""

    strategy: Strategy = key("Upgrade strategy.", instead_class=_STRATEGY, default="surge")
    max_surge: int | None = key(
        "Number of extra nodes during a surge upgrade.", instead_class=_STRATEGY, default=None, ge=0
    )
    max_unavailable: int | None = key(
        "Number of unavailable nodes during a surge upgrade.",
        instead_class=_STRATEGY,
        default=None,
        ge=0,
    )
    blue_green: BlueGreen | None = key("Settings of the blue-green strategy.", instead_class=_STRATEGY, default=None)
    auto_repair: bool | None = key("Re-create unhealthy nodes automatically.", default=None)
    auto_upgrade: bool | None = key("Upgrade nodes automatically; a release channel requires it.", default=None)
