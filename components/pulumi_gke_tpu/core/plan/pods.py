"""Models of what Pods contain, how they end, and how they serve: their number, and the way of requests to them."""

from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from pulumi_gke_tpu.core.plan.base import Duration, MaybeOutput, PlanModel, key, optional


def _quantity(value: object) -> Any:
    """Convert a number, which YAML reads in ``cpu: 8`` and ``cpu: 0.5``."""
    return str(value) if type(value) in (int, float) else value


Quantity = Annotated[str | None, BeforeValidator(_quantity, json_schema_input_type=str | int | float | None)]
"""A Kubernetes quantity, such as ``500m``, ``8`` or ``16Gi``."""
RequiredQuantity = Annotated[str, BeforeValidator(_quantity, json_schema_input_type=str | int | float)]
Port = Annotated[int, Field(ge=1, le=65535)]
ExitCode = Annotated[int, Field(ge=1, le=255)]


class SecretKey(PlanModel):
    """The value of an environment variable: a key of a Secret in the namespace of the workload."""

    secret: str = key("Name of the Secret, which must exist.")
    key: str = key("Key in the Secret.")


class Probe(PlanModel):
    """A probe of the kubelet: an HTTP request if it has a path, else a TCP connection."""

    http_path: str | None = optional("Path of an HTTP request, such as /health; without it, a connection.")
    port: Port | None = optional("Port to probe; `port` of the workload if not set.")
    initial_delay: Duration | None = optional("Time from the start of the container to the first probe.")
    period: Duration | None = optional("Time between two probes; 10s if not set.")
    timeout: Duration | None = optional("Time to wait for an answer; 1s if not set.")
    failure_threshold: int | None = optional("Failures in a row until the probe fails; 3 if not set.", ge=1)


class Probes(PlanModel):
    """The probes of the container that answers requests."""

    readiness: Probe | None = optional(
        "Whether the Service sends requests to the Pod; a connection to `port` if not set."
    )
    startup: Probe | None = optional("Whether the container has started. Until then, the others wait.")
    liveness: Probe | None = optional("Whether to restart the container.")


class ExitCodes(PlanModel):
    """Which exit codes of the program end the workload at once. Set one of the two lists."""

    restart: list[ExitCode] = key("Exit codes that restart the workload; every other one ends it.", default=list)
    fail: list[ExitCode] = key("Exit codes that end the workload; every other one restarts it.", default=list)


class AdditionalContainer(PlanModel):
    """A container without chips in the Pods on TPU hosts. It has the volumes of the workload."""

    name: str = key("Name of the container.", form="dns_label")
    image: MaybeOutput[str] = key("Container image.")
    command: list[str] = key("Command; that of the image if not set.", default=list)
    args: list[str] = key("Arguments of the command.", default=list)
    env: dict[str, MaybeOutput[str]] = key("Environment variables.", default=dict)
    env_from_secrets: dict[str, SecretKey] = key("Environment variables with values from Secrets.", default=dict)
    cpu: Quantity = optional("CPU request, such as 500m or 2.", form="quantity")
    memory: Quantity = optional("Memory request and limit, such as 2Gi.", form="quantity")


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

    max_unavailable: int | None = optional(
        "Number of slices that upgrades and other evictions can interrupt at the same time.", ge=0
    )
    min_available: int | None = optional("Number of slices that evictions leave running.", ge=0)


class InferencePool(PlanModel):
    """An endpoint picker, which chooses the server for each request by its load."""

    version: str | None = optional(
        "Release of the chart inferencepool; the one that gke-tpu was tested with if not set.", form="release"
    )


class Gateway(PlanModel):
    """A Gateway with an HTTPRoute to the servers: a load balancer of its own."""

    class_name: str = key("Gateway class, such as gke-l7-regional-external-managed.")
    hosts: list[str] = key("Host names of the requests; every host if not set.", default=list)
    tls_secret: str | None = optional(
        "Secret with the certificate, in the namespace of the workload. The Gateway then listens on port 443 and not "
        "on port 80."
    )
    health_path: str | None = optional(
        "Path of the health checks of the load balancer; that of the readiness probe if not set."
    )
    timeout: Duration | None = optional(
        "Time that the load balancer waits for the end of an answer; GKE decides if not set."
    )
    inference_pool: InferencePool | None = optional(
        "Send each request to the server that an endpoint picker chooses, instead of a Service."
    )
