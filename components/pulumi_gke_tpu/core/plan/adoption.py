"""Models of what a plan takes over as it is."""

from typing import Literal

from pulumi_gke_tpu.core.plan.base import PlanModel, optional

LocationPolicy = Literal["any", "balanced"]
AutoscalerLimits = Literal["total", "per_zone"]


class AdoptedNodes(PlanModel):
    """What the nodes of every adopted node pool can have."""

    oauth_scopes: list[str] | None = optional(
        "OAuth scopes of the nodes, such as devstorage.full_control; cloud-platform if not set.",
        min_length=1,
        sends="nodeConfig.oauthScopes",
    )
    location_policy: LocationPolicy | None = optional(
        "Location policy of the autoscaler; that which the node pool has if not set.",
        sends="autoscaling.locationPolicy",
    )
    limits: AutoscalerLimits | None = optional(
        "Limits of the autoscaler, for all zones together or for each zone; total if not set. Multi-host slices always "
        "have limits for each zone.",
        sends=("autoscaling.minNodeCount", "autoscaling.maxNodeCount"),
    )
    nodes: int | None = optional(
        "Number of nodes at creation in all zones together, if the source does not have the present one. The node pool "
        "keeps its nodes until the plan sets their number.",
        ge=0,
        option="ignoreChanges",
    )


class AdoptedCpuPool(AdoptedNodes):
    """A node pool without TPUs that existed before the plan, as another tool created it."""


class Adopted(AdoptedNodes):
    """Node pools that existed before the plan, as another tool created them."""

    pools: list[str] | None = optional(
        "Names of the node pools in GKE, one for each multi-host slice; NAME-INDEX if not set.",
        min_length=1,
        form="gke_name",
        creates=("TPU node pool",),
    )
