"""Models of MultiKueue: the clusters to which a manager cluster sends its queued workloads."""

from pulumi_gke_tpu.core.plan.base import PlanModel, key


class MultiKueueWorker(PlanModel):
    """A cluster of the plan that runs workloads of the manager."""

    kubeconfig_secret: str | None = key(
        "Secret with the kubeconfig of the worker, in the namespace of Kueue on the manager; KEY-kubeconfig if not "
        "set. It must exist.",
        default=None,
    )


class MultiKueue(PlanModel):
    """A manager cluster of MultiKueue: its queues send each workload to one of its workers."""

    workers: dict[str, MultiKueueWorker] = key("Clusters of the plan by their keys.", default=dict)
