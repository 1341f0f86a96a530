"""Models of the servers of Pathways, beside and instead of the program of a workload."""

from pulumi_gke_tpu.core.plan.base import MaybeOutput, PlanModel, key


class PathwaysServer(PlanModel):
    """A server of Pathways: what it runs instead of, and in addition to what gke-tpu writes."""

    image: MaybeOutput[str] | None = key(
        "Container image, such as a copy of Google's in your own registry; Google's if not set. Without one, workers "
        "use that of the resource manager.",
        default=None,
    )
    args: list[str] = key("Flags beside those of gke-tpu, such as --enable_metrics_collection=true.", default=list)
    env: dict[str, MaybeOutput[str]] = key("Environment variables.", default=dict)


class PythonSidecar(PlanModel):
    """The container for colocated Python beside each worker: it runs functions of the program on the TPU hosts."""

    image: MaybeOutput[str] = key("Container image, with the versions of Python and JAX of the program.")
    args: list[str] = key("Arguments of the image.", default=list)
    env: dict[str, MaybeOutput[str]] = key("Environment variables.", default=dict)


class PathwaysElastic(PlanModel):
    """Slices that may be missing while the program runs, for programs that handle it."""

    slices: int = key("Number of slices that may be missing at the same time.", ge=1)
    max_restarts: int = key("Number of restarts of the workers of each slice, before the whole workload fails.", ge=1)


class Pathways(PlanModel):
    """Servers of Pathways: their images, flags and sidecar, and whether the head runs a program."""

    tag: str | None = key("Tag of Google's images, such as jax-0.9.2 for JAX 0.9.2; latest if not set.", default=None)
    headless: bool = key(
        "Run no program in the head. Programs outside of the workload connect to its proxy.", default=False
    )
    elastic: PathwaysElastic | None = key(
        "Go on without some slices while their workers restart; the program must handle it.", default=None
    )
    proxy: PathwaysServer | None = key("Proxy in the head, which programs connect to.", default=None)
    resource_manager: PathwaysServer | None = key("Resource manager in the head.", default=None)
    worker: PathwaysServer | None = key("Worker on each TPU host.", default=None)
    python_sidecar: PythonSidecar | None = key("Container for colocated Python beside each worker.", default=None)
