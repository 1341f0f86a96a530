"""What generations do not support: Multislice (TPU350) and frameworks (TPU360)."""

import re
from collections.abc import Iterable

from pulumi_gke_tpu.core.catalog.records.facts import note_by_id
from pulumi_gke_tpu.core.kinds import written_kind
from pulumi_gke_tpu.core.rules.engine.context import PlanContext
from pulumi_gke_tpu.core.rules.engine.rule import Hit, rule
from pulumi_gke_tpu.core.text.findings import Severity, number
from pulumi_gke_tpu.features.workloads.rules.walk import workloads

_TWO = "image: train, kind: jobset, count: 2"
_TENSORFLOW = re.compile(r"(?:^|[/_.-])(?:tensorflow|tf-tpu|tf2?)(?:[:@_.-]|$)")


def _plan(location: str, group: str, keys: str) -> str:
    return (
        f"mode: standard\nlocation: {location}\nnetwork: create\nslices: {{serve: {{{group}}}}}\n"
        f"kubernetes: {{workloads: {{train: {{slices: serve, {keys}}}}}}}"
    )


@rule(
    "TPU350",
    "multislice-not-supported",
    about=("clusters.*.kubernetes.workloads.*.count",),
    severity=Severity.WARNING,
    title="Multislice is not supported with the slices",
    why="Multislice, one job on several slices, requires a later generation. Here, the Pods of each slice only run "
    "as a job of their own",
    fix="Use one larger slice, or a later generation. If the slices work independently, accept the warning.",
    references=["gke-multislice"],
    failing=_plan("us-east1", "tpu: v3, topology: 4x8, zone: us-east1-d, count: 2", _TWO),
    passing=_plan("us-east5", "tpu: v6e, topology: 4x4, zone: us-east5-b, count: 2", _TWO),
)
def multislice_not_supported(context: PlanContext) -> Iterable[Hit]:
    fact = note_by_id(context.catalog.platform.notes, "v3-multislice")
    for workload in workloads(context):
        generation = workload.group.shape.generation
        if fact and workload.slices > 1 and written_kind(workload).multislice and generation in fact.topics:
            path = (*workload.path, "count")
            yield Hit.unsupported(path, f"one job on {number(workload.slices, 'slice')}", generation, fact=fact)


@rule(
    "TPU360",
    "framework-not-supported",
    about=("clusters.*.kubernetes.workloads.*.image",),
    severity=Severity.WARNING,
    title="Framework is not supported with the generation",
    why="tpu7x supports JAX and PyTorch only",
    fix="Use an image with JAX or PyTorch, or another generation.",
    references=["tpu7x-page", "subslicing-news"],
    failing=_plan("us-central1", "tpu: tpu7x, topology: 2x2x1, zone: us-central1-c", "image: tensorflow/tensorflow"),
    passing=_plan("us-central1", "tpu: tpu7x, topology: 2x2x1, zone: us-central1-c", "image: jax/jax"),
)
def framework_not_supported(context: PlanContext) -> Iterable[Hit]:
    fact = note_by_id(context.catalog.platform.notes, "tpu7x-frameworks")
    for workload in workloads(context):
        generation, image = workload.group.shape.generation, workload.plan.image
        if fact and generation in fact.topics and isinstance(image, str) and _TENSORFLOW.search(image):
            what = "TensorFlow, which the name of the image contains,"
            yield Hit.unsupported((*workload.path, "image"), what, generation, fact=fact)
