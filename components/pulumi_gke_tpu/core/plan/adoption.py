"""Models of what a plan takes over as it is."""

from typing import Any, Literal

from pulumi_gke_tpu.core.plan.base import PlanModel, key


def short_adopted(value: object) -> Any:
    """``true`` is a mapping without keys."""
    return {} if value is True else value


class AdoptedCpuPool(PlanModel):
    """A node pool without TPUs that existed before the plan, as another tool created it."""

    oauth_scopes: list[str] | None = key(
        "OAuth scopes of the nodes, such as devstorage.full_control; cloud-platform if not set.",
        default=None,
        min_length=1,
        sends="nodeConfig.oauthScopes",
    )
    location_policy: Literal["any", "balanced"] | None = key(
        "Location policy of the autoscaler; any if not set.", default=None, sends="autoscaling.locationPolicy"
    )
    limits: Literal["total", "per_zone"] | None = key(
        "Limits of the autoscaler, for all zones together or for each zone; total if not set.",
        default=None,
        sends=("autoscaling.minNodeCount", "autoscaling.maxNodeCount"),
    )


class Adopted(PlanModel):
    """Node pools that existed before the plan, as another tool created them."""

    pools: list[str] | None = key(
        "Names of the node pools in GKE, one for each multi-host slice; NAME-INDEX if not set.",
        default=None,
        min_length=1,
        form="gke_name",
        creates=("TPU node pool",),
    )
    oauth_scopes: list[str] | None = key(
        "OAuth scopes of the nodes, such as devstorage.full_control; cloud-platform if not set.",
        default=None,
        min_length=1,
        sends="nodeConfig.oauthScopes",
    )
    location_policy: Literal["any", "balanced"] | None = key(
        "Location policy of the autoscaler, which stays as it is if not set.",
        default=None,
        sends="autoscaling.locationPolicy",
    )
    limits: Literal["total", "per_zone"] | None = key(
        "Limits of the autoscaler of single-host slices, for all zones together or for each zone; total if not set.",
        default=None,
        sends=("autoscaling.minNodeCount", "autoscaling.maxNodeCount"),
    )
