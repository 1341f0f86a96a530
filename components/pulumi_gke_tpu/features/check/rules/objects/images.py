"""Images that are missing, that disappear, and that have known faults: TPU394, TPU309 and TPU310."""

import fnmatch
from collections.abc import Iterable

from pulumi_gke_tpu.core.kinds import kind_of
from pulumi_gke_tpu.core.objects import PodTemplate
from pulumi_gke_tpu.core.objects.document import mapping
from pulumi_gke_tpu.core.objects.open_values import has_open_key
from pulumi_gke_tpu.core.rules.engine.examples import OPERATOR, tpu_pod
from pulumi_gke_tpu.core.rules.engine.rule import Hit, rule, warning
from pulumi_gke_tpu.core.text.findings import Path, SetKeys, Severity, number, quoted
from pulumi_gke_tpu.features.check.context import ManifestContext
from pulumi_gke_tpu.features.check.images import image_parts, running_images


@rule(
    "TPU394",
    title="Container without an image",
    why="the API server rejects Pods with a container that has no image. Patches of Kustomize, which are not whole "
    "objects, need none",
    fix="Set `image`. If the object is a patch, check its kustomization too, or the output of `kubectl kustomize`.",
    references=["kubernetes-api-server"],
    basis="format",
    failing=tpu_pod().replace("      image: trainer\n", ""),
    passing=tpu_pod(),
)
def container_without_image(context: ManifestContext) -> Iterable[Hit]:
    """Objects in which more than images is missing are taken for patches."""
    for pod in context.pods:
        if pod.owner.index not in context.tpu_owners or pod.is_open:
            continue
        every = list(pod.containers(init=True))
        without = [item for item in every if not item.data.get("image") and not has_open_key(item.data)]
        if len(without) == len(every) and not _is_whole(pod):
            continue
        for container in without:
            name = container.data.get("name")
            what = f"image of container {quoted(name)}" if isinstance(name, str) else "image of a container"
            yield Hit.missing(pod.hit_path(container.path), what)


def _is_whole(pod: PodTemplate) -> bool:
    """Whether an object without images is complete, so that it is not a Kustomize patch.

    Patches of custom resources replace lists as a whole, so that the containers in them are complete.
    """
    kind = kind_of(pod.owner)
    if kind is None or kind.custom:
        return kind is not None
    requested = any("resources" in container.data for container in pod.containers())
    return requested and bool(kind.whole) and all(_has(pod, path) for path in kind.whole)


def _has(pod: PodTemplate, path: Path) -> bool:
    """Whether the object, or the Pod template if the path begins with it, has something at a path."""
    return pod.owner.value(*pod.in_object(path)) is not None


@warning(
    "TPU309",
    title="Image of a registry that deletes images",
    why="staging registries delete images after some time, and closed registries have none. The operator then does not "
    "start on a new node, and the webhook of an operator that does not run rejects all objects of its kinds",
    fix="Use the image of a release.",
    references=["staging-image-report", "kubebuilder-proxy-removal"],
    failing=OPERATOR.format(image="us-central1-docker.pkg.dev/k8s-staging-images/jobset/jobset:main"),
    passing=OPERATOR.format(image="registry.k8s.io/jobset/jobset:v0.12.0"),
)
def image_that_disappears(context: ManifestContext) -> Iterable[Hit]:
    """Only of Pods that a controller keeps running, as it does those of operators: not of tests and examples."""
    fact = context.catalog.kubernetes.images
    for path, image in running_images(context):
        name, _, tag = image_parts(image)
        if name in fact.removed:
            instead = fact.removed[name]
            message = f"the image {quoted(image)} is no longer available"
            yield Hit(
                path, message, fact=fact, allowed=(instead,), fix=SetKeys.of(image=f"{instead}:{tag}" if tag else None)
            )
        elif any(fnmatch.fnmatchcase(name, pattern) for pattern in fact.staging):
            message = f"the image {quoted(image)} is in a staging registry; releases are in {fact.released}"
            yield Hit(path, message, fact=fact)


@warning(
    "TPU310",
    otherwise={Severity.NOTE: "if no file uses the part of the operator that has the fault"},
    title="Release of an operator with a known fault",
    why="later releases do not have the fault",
    fix="Use a later release of the operator.",
    references=["kueue-changelog", "jobset-changelog"],
    failing=OPERATOR.format(image="registry.k8s.io/kueue/kueue:v0.18.3")
    + """---
apiVersion: kueue.x-k8s.io/v1beta2
kind: Topology
metadata: {name: hosts}
spec: {levels: [{nodeLabel: cloud.google.com/gke-nodepool}, {nodeLabel: kubernetes.io/hostname}]}
""",
    passing=OPERATOR.format(image="registry.k8s.io/kueue/kueue:v0.19.2"),
)
def operator_with_known_fault(context: ManifestContext) -> Iterable[Hit]:
    """One finding for an image, about all faults of the release."""
    for path, image in running_images(context):
        name, version, tag = image_parts(image)
        found = [fault for fault in context.catalog.kubernetes.faults if name.rpartition("/")[2] == fault.image]
        fixed = {fault.id: first for fault in found if (first := fault.fixed_in(version))}
        faults = [fault for fault in found if fault.id in fixed]
        if not faults:
            continue
        later = max(fixed.values())
        texts = "; ".join(f"{fault.text} ({fault.feature})" for fault in faults)
        what = f"{context.catalog.kubernetes.controllers[faults[0].operator].title} {tag.removeprefix('v')}"
        message = f"{what} has {number(len(faults), 'known fault')}: {texts}"
        severity = None if _uses_faulty_part(context, faults[0].operator) else Severity.NOTE
        allowed = (f"{'v' if tag.startswith('v') else ''}{'.'.join(map(str, later))} or later",)
        yield Hit(path, message, fact=faults[0], severity=severity, allowed=allowed)


def _uses_faulty_part(context: ManifestContext, operator: str) -> bool:
    """Whether the files use topologies of an operator: its own kind, or exclusive topology of its workloads."""
    group = context.catalog.kubernetes.controllers[operator].group
    if next(context.of_kind("Topology", group), None) is not None:
        return True
    return any(_is_exclusive(context, pod) for pod in context.pods if pod.owner.group == group)


def _is_exclusive(context: ManifestContext, pod: PodTemplate) -> bool:
    kind = kind_of(pod.owner)
    if kind is None or kind.exclusive_topology is None:
        return False
    key, _ = kind.exclusive_topology(context.catalog)
    own = mapping(pod.owner.value(*pod.controlled_by[:-1], "metadata", "annotations"))
    return key in pod.owner.annotations or key in own
