"""What forms slices of cubes: the releases of operators, and the image of the slice controller. TPU797 and TPU848."""

from collections.abc import Iterable, Iterator

from pulumi_gke_tpu.core.fleet.operators import installed_operators
from pulumi_gke_tpu.core.objects import PodTemplate
from pulumi_gke_tpu.core.rules.engine.examples import CUBES, OPERATOR
from pulumi_gke_tpu.core.rules.engine.rule import Hit, rule, warning
from pulumi_gke_tpu.core.text.findings import Path, Severity, quoted
from pulumi_gke_tpu.core.text.formats.versions import parse_release
from pulumi_gke_tpu.features.check.context import ManifestContext
from pulumi_gke_tpu.features.check.images import image_parts, running_images
from pulumi_gke_tpu.features.check.queued_pods import is_queued
from pulumi_gke_tpu.features.check.rules.operators.dynamic_slices import JOB_SET, of_cubes

_KUEUE = "kueue"
_PLAN = f"--- plan{CUBES}kubernetes: {{operators: {{jobset: {{version: RELEASE}}}}}}\n"


@rule(
    "TPU797",
    title="Release of an operator is too old for slices of cubes",
    why="dynamic slicing requires minimum releases of the operators whose workloads get slices",
    fix="Use a later release of the operator.",
    references=["gke-dynamic-slicing", "llm-d-dynamic-slicing"],
    otherwise={Severity.WARNING: "if no JobSet has several slices, or only parts of cubes require the release"},
    failing=JOB_SET.replace("replicas: 1", "replicas: 2").strip("\n") + "\n" + _PLAN.replace("RELEASE", "0.10.0"),
    passing=JOB_SET.replace("replicas: 1", "replicas: 2").strip("\n") + "\n" + _PLAN.replace("RELEASE", "0.10.1"),
)
def operator_too_old_for_slices(context: ManifestContext) -> Iterable[Hit]:
    facts, controllers = context.catalog.kubernetes.kueue.slice_releases, context.catalog.kubernetes.controllers
    cubes = context.catalog.kubernetes.pods.dynamic_slices.cube_chips
    pods = list(of_cubes(context))
    for key, version, place in _installed(context) if pods else ():
        users = [(pod, topology) for pod, topology in pods if _runs_on(context, pod, key)]
        parts = any(topology.chips < cubes for _, topology in users)
        low = facts.above(key, parse_release(version), parts=parts) if users else None
        if low is None:
            continue
        first, topology = users[0]
        least, fact = low
        several = any((pod.groups or 1) > 1 for pod, _ in users)
        yield Hit(
            place or first.owner.at(),
            f"{controllers[key].title} {version.removeprefix('v')} is too old for slices of {topology} of "
            f"{first.owner.title}",
            fact=fact,
            severity=None if several else Severity.WARNING,
            allowed=(f"{'v' if version.startswith('v') else ''}{least} or later",),
        )


def _installed(context: ManifestContext) -> Iterator[tuple[str, str, Path]]:
    """The operators that run: their key, their release, and the place of the image; empty for those of the plan."""
    installations = context.catalog.kubernetes.operators.installations.values()
    by_image = {item.chart.name: item.controller for item in installations if item.controller}
    for path, image in running_images(context):
        name, _, tag = image_parts(image)
        key = by_image.get(name.rpartition("/")[2])
        if key is not None and tag:
            yield key, tag, path
    for cluster in context.clusters():
        for operator in installed_operators(cluster, context.catalog):
            if operator.fact.controller:
                yield operator.fact.controller, operator.version, ()


def _runs_on(context: ManifestContext, pod: PodTemplate, key: str) -> bool:
    """Whether an operator runs the owner of Pods, or queues it."""
    is_own = pod.owner.group == context.catalog.kubernetes.controllers[key].group
    return is_queued(context, pod.owner) if key == _KUEUE else is_own


@warning(
    "TPU848",
    title="Image of the slice controller has no version",
    why="the slice controller for Kueue has no releases, and its image has the tag latest. A new node or a restart can "
    "run another program, which forms the slices of all workloads",
    fix="Use the digest in place of the tag: `kubectl get pods -n slice-controller-system -o "
    "jsonpath='{..imageID}'` shows that of the running controller.",
    references=["gke-samples-slice-queues"],
    failing=OPERATOR.format(image="tpuongke/kueue-slice-controller:latest"),
    passing=OPERATOR.format(image="tpuongke/kueue-slice-controller@sha256:" + "0" * 64),
)
def unpinned_slice_controller(context: ManifestContext) -> Iterable[Hit]:
    fact = context.catalog.kubernetes.kueue.slices
    known, _, moving = image_parts(fact.image)
    for path, image in running_images(context):
        name, _, tag = image_parts(image)
        if name.endswith(known.rpartition("/")[2]) and tag in ("", moving) and "@" not in image:
            yield Hit(path, f"the image {quoted(image)} has no fixed version", fact=fact.for_item("image"))
