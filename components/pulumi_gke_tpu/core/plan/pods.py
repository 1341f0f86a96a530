"""Models of what Pods contain and how they end: variables from Secrets, probes, further containers, exit codes."""

from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from pulumi_gke_tpu.core.plan.base import Duration, MaybeOutput, PlanModel, key


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

    http_path: str | None = key("Path of an HTTP request, such as /health; without it, a connection.", default=None)
    port: Port | None = key("Port to probe; `port` of the workload if not set.", default=None)
    initial_delay: Duration | None = key("Time from the start of the container to the first probe.", default=None)
    period: Duration | None = key("Time between two probes; 10s if not set.", default=None)
    timeout: Duration | None = key("Time to wait for an answer; 1s if not set.", default=None)
    failure_threshold: int | None = key("Failures in a row until the probe fails; 3 if not set.", default=None, ge=1)


class Probes(PlanModel):
    """The probes of the container that answers requests."""

    readiness: Probe | None = key(
        "Whether the Service sends requests to the Pod; a connection to `port` if not set.", default=None
    )
    startup: Probe | None = key("Whether the container has started. Until then, the others wait.", default=None)
    liveness: Probe | None = key("Whether to restart the container.", default=None)


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
    cpu: Quantity = key("CPU request, such as 500m or 2.", default=None, form="quantity")
    memory: Quantity = key("Memory request and limit, such as 2Gi.", default=None, form="quantity")
