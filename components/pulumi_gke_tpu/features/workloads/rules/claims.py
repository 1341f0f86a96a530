"""Checks of workloads whose chips the TPU DRA driver allocates: TPU328 and TPU329."""

from collections.abc import Iterable, Iterator

from pulumi_gke_tpu.core.fleet.operators import operators_of
from pulumi_gke_tpu.core.fleet.scheduling import claims_chips
from pulumi_gke_tpu.core.fleet.workloads import Workload, is_queued
from pulumi_gke_tpu.core.rules.engine.context import PlanContext
from pulumi_gke_tpu.core.rules.engine.rule import Hit, rule
from pulumi_gke_tpu.core.text.findings import Severity, number, quoted
from pulumi_gke_tpu.features.workloads.rules.walk import workloads

_CLUSTER = """
mode: standard
location: us-east5
min_version: "1.35"
slices:
  serve: {tpu: v6e, topology: TOPOLOGY, zone: us-east5-b, driver_mode: dynamic_resource_allocation}
kubernetes:
"""
_SINGLE, _MULTI = (_CLUSTER.replace("TOPOLOGY", topology) for topology in ("2x2", "4x4"))
_QUEUED = "  queues: {team: {}}\n  workloads: {run: {slices: serve, image: train, queue: team}}\n"
_RUN = "  workloads: {run: {slices: serve, image: train}}\n"


def _claiming(context: PlanContext) -> Iterator[Workload]:
    """The workloads whose Pods claim their chips."""
    return (item for item in workloads(context) if claims_chips(item.group, context.catalog))


@rule(
    "TPU328",
    "queue-counts-claims",
    about=("clusters.*.kubernetes.workloads.*.queue", "clusters.*.slices.*.driver_mode"),
    severity=Severity.WARNING,
    title="Kueue counts claimed chips only with a mapping",
    why="with dynamic resource allocation, Pods claim devices and do not request google.com/tpu. Kueue counts claims "
    "from 0.18 on, if its Configuration maps their device class to a resource. Without the mapping it admits no such "
    "workload; 0.17 admits them without counting the chips. Queued capacity is requested for google.com/tpu only",
    fix="Add `resources: {deviceClassMappings: [{name: google.com/tpu, deviceClassNames: [tpu.google.com]}]}` to the "
    "Configuration of Kueue, and accept this warning; `operators: {kueue: {}}` writes it. Or use `driver_mode: "
    "device_plugin`.",
    references=["kueue-dra", "dra-tpu-tutorial"],
    failing=f"{_SINGLE}{_QUEUED}",
    passing=f"{_SINGLE}{_RUN}",
)
def queue_counts_claims(context: PlanContext) -> Iterable[Hit]:
    facts = context.catalog.kubernetes.kueue.claims
    for workload in _claiming(context):
        if not is_queued(workload, context.catalog):
            continue
        operators = operators_of(workload.cluster)
        if workload.group.plan.capacity.is_queued:
            message = f"Kueue does not request the queued capacity of {quoted(workload.group.key)} for Pods with claims"
        elif operators is not None and operators.kueue is not None:
            continue
        else:
            message = (
                f"Kueue counts the chips of {quoted(workload.name)} only with `{facts.mapping}` in its Configuration"
            )
        path = (*workload.path, "queue") if workload.plan.queue is not None else workload.path
        yield Hit(path, message, fact=facts)


@rule(
    "TPU329",
    "claims-on-several-hosts",
    about=(
        "clusters.*.kubernetes.workloads.*.kind",
        "clusters.*.kubernetes.workloads.*.slices",
        "clusters.*.slices.*.driver_mode",
    ),
    severity=Severity.WARNING,
    title="Resource claims on a multi-host slice are not documented",
    why="Google's tutorial claims the chips of single hosts. GKE numbers the hosts of a slice for Pods that request "
    "google.com/tpu. No source states this for Pods with claims",
    fix="Use single-host slices, or `driver_mode: device_plugin`. Otherwise try the workload before you depend on it.",
    references=["dra-tpu-tutorial", "about-tpus"],
    failing=f"{_MULTI}{_RUN}",
    passing=f"{_SINGLE}{_RUN}",
)
def claims_on_several_hosts(context: PlanContext) -> Iterable[Hit]:
    fact = context.catalog.kubernetes.pods.resource_claims
    for workload in _claiming(context):
        shape = workload.group.shape
        if shape.multi_host:
            message = (
                f"the slices of {quoted(workload.group.key)} have {number(shape.hosts, 'host')}, whose Pods claim chips"
            )
            yield Hit((*workload.path, "slices"), message, fact=fact)
