"""Models of workloads that serve: their number by load, and how many can be interrupted at the same time."""

from pulumi_gke_tpu.core.plan.base import PlanModel, key
from pulumi_gke_tpu.core.plan.pods import Quantity


class Autoscale(PlanModel):
    """A HorizontalPodAutoscaler: the number of slices follows a metric of the server."""

    min: int = key("Lowest number of slices.", default=1, ge=1)
    max: int = key("Highest number of slices.", ge=1)
    metric: str = key(
        "Metric of the Pods that answer requests, by its name in the custom metrics API, such as "
        "prometheus.googleapis.com|vllm:num_requests_waiting|gauge."
    )
    target: Quantity = key(
        "Average of the metric per slice that the autoscaler aims for, such as 10 or 500m.", form="quantity"
    )


class DisruptionBudget(PlanModel):
    """A PodDisruptionBudget, counted in slices: set one of the two keys."""

    max_unavailable: int | None = key(
        "Number of slices that upgrades and other evictions can interrupt at the same time.", default=None, ge=0
    )
    min_available: int | None = key("Number of slices that evictions leave running.", default=None, ge=0)
