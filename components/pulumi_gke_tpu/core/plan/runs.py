"""Models of planned runs."""

from pulumi_gke_tpu.core.plan.base import Duration, PlanModel, Timestamp, key, optional


class Run(PlanModel):
    """A planned run of a workload on the slices of one slice group. It sets no property of a resource."""

    slices: str = key("Slice group that the run uses.")
    start: Timestamp = key("Start of the run, in UTC.")
    duration: Duration = key("Length of the run.")
    count: int | None = optional("Number of slices that the run uses; all slices of the group if not set.", ge=1)
