"""TPU849: places that Pods ask Kueue for and that do not exist."""

from collections.abc import Iterable

from pulumi_gke_tpu.core.catalog.records.facts import note_by_id
from pulumi_gke_tpu.core.objects import PodTemplate
from pulumi_gke_tpu.core.rules.engine.rule import Hit, rule
from pulumi_gke_tpu.core.text.findings import quoted
from pulumi_gke_tpu.core.text.formats.quantity import parse_quantity
from pulumi_gke_tpu.features.check.context import ManifestContext
from pulumi_gke_tpu.features.check.queued_pods import is_queued
from pulumi_gke_tpu.features.check.rules.operators.examples import changed, job_set

_ON_HOSTS = changed(
    job_set("training"),
    (
        "          template:\n            spec:\n",
        "          template:\n"
        "            metadata: {annotations: {kueue.x-k8s.io/podset-required-topology: kubernetes.io/hostname}}\n"
        "            spec:\n",
    ),
)


@rule(
    "TPU849",
    title="Pods ask Kueue for a place that does not exist",
    why="Kueue divides Pods into slices of the size in the annotation, and the Pods beyond a multiple of it stay gated "
    "without an event. All Pods share the domain of the required topology, and a host has the chips of one such Pod",
    fix="Set the number of Pods to a multiple of the size. Require a larger topology, such as "
    "cloud.google.com/gke-nodepool.",
    references=["kueue-topology-snapshot", "kueue-slice-remainder"],
    failing=_ON_HOSTS,
    edit=("kubernetes.io/hostname", "cloud.google.com/gke-nodepool"),
)
def place_that_does_not_exist(context: ManifestContext) -> Iterable[Hit]:
    slices, host = context.catalog.kubernetes.kueue.slices, context.catalog.kubernetes.pods.host_name.label
    fact = note_by_id(context.catalog.kubernetes.notes, "kueue-places")
    for pod in context.tpu_pods:
        count = pod.admitted_together
        if pod.is_open or count is None or pod.traits.queued_as == "group" or not is_queued(context, pod.owner):
            continue
        size = parse_quantity(pod.annotations.get(slices.slice_size))
        if size is not None and size > 1 and count % size:
            message = f"{count} Pods of {pod.title} are not a multiple of the size {size} of a slice"
            yield Hit(_annotation(pod, slices.slice_size), message, fact=fact)
        form = context.shape(pod).form
        if form is None or form.chips_per_host != context.shape(pod).chips or count == 1:
            continue
        if pod.annotations.get(slices.required_topology) == host:
            message = f"{count} Pods of {pod.title} with all chips of a host require one host: {quoted(host)}"
            yield Hit(_annotation(pod, slices.required_topology), message, fact=fact)


def _annotation(pod: PodTemplate, key: str) -> tuple[str | int, ...]:
    return pod.hit_path((*pod.path, "metadata", "annotations", key))
