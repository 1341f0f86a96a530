"""Models of the operators that gke-tpu installs: their releases, and the configuration of Kueue."""

from pulumi_gke_tpu.core.plan.base import Duration, PlanModel, key

_VERSION = "Release; the one that gke-tpu was tested with if not set."


class OperatorSpec(PlanModel):
    """An operator."""

    version: str | None = key(_VERSION, default=None, form="release")


class KubeRaySpec(OperatorSpec):
    """KubeRay, and the webhook that numbers the hosts of its TPU workers."""

    tpu_webhook: str | None = key(
        "Release of the Helm chart of the TPU webhook; the one in the catalog if not set.", default=None, form="release"
    )


class WaitForPodsReady(PlanModel):
    """When Kueue evicts a workload whose Pods are not ready, and when it tries again."""

    timeout: Duration | None = key(
        "Time from admission until all Pods are ready: creation of nodes, images and startup; 30m if not set.",
        default=None,
    )
    recovery_timeout: Duration | None = key(
        "Time until a running workload is whole again after a Pod failed; that of `timeout` if not set.", default=None
    )
    retries: int | None = key(
        "Number of evictions after which Kueue deactivates a workload; unlimited if not set.", default=None, ge=0
    )


class Retention(PlanModel):
    """When Kueue deletes its Workload objects; never if not set."""

    finished: Duration | None = key("Time after the end of the workload.", default=None)
    deactivated: Duration | None = key(
        "Time after Kueue deactivated the workload. Kueue also deletes its Job, JobSet or other object.", default=None
    )


class KueueSpec(OperatorSpec):
    """Kueue and its configuration."""

    wait_for_pods_ready: WaitForPodsReady = key(
        "Eviction of workloads whose Pods are not ready.", default=WaitForPodsReady
    )
    retention: Retention = key("Deletion of Workload objects.", default=Retention)
    frameworks: list[str] = key(
        "Kinds of workloads to queue that a plan cannot name, such as kubeflow.org/pytorchjob.", default=list
    )


class OperatorsSpec(PlanModel):
    """The operators that gke-tpu installs, in the order of installation."""

    cert_manager: OperatorSpec | None = key("cert-manager, which the TPU webhook for KubeRay requires.", default=None)
    jobset: OperatorSpec | None = key("JobSet.", default=None)
    leaderworkerset: OperatorSpec | None = key("LeaderWorkerSet.", default=None)
    kuberay: KubeRaySpec | None = key(
        "KubeRay and its TPU webhook, on clusters without the add-on ray_operator.", default=None
    )
    kueue: KueueSpec | None = key("Kueue, which queues require.", default=None)
