"""Models of workloads that serve: number by load, interruptions at the same time, and the gateway in front of them."""

from pulumi_gke_tpu.core.plan.base import Duration, PlanModel, key
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


class InferencePool(PlanModel):
    """An endpoint picker, which chooses the server for each request by its load."""

    version: str | None = key(
        "Release of the chart inferencepool; the one that gke-tpu was tested with if not set.",
        default=None,
        form="release",
    )


class Gateway(PlanModel):
    """A Gateway with an HTTPRoute to the servers: a load balancer of its own."""

    class_name: str = key("Gateway class, such as gke-l7-regional-external-managed.")
    hosts: list[str] = key("Host names of the requests; every host if not set.", default=list)
    tls_secret: str | None = key(
        "Secret with the certificate, in the namespace of the workload. The Gateway then listens on port 443 and not "
        "on port 80.",
        default=None,
    )
    health_path: str | None = key(
        "Path of the health checks of the load balancer; that of the readiness probe if not set.", default=None
    )
    timeout: Duration | None = key(
        "Time that the load balancer waits for the end of an answer; GKE decides if not set.", default=None
    )
    inference_pool: InferencePool | None = key(
        "Send each request to the server that an endpoint picker chooses, instead of a Service.", default=None
    )
