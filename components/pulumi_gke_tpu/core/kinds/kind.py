"""What a module states about its kind, and how kinds of the same form find their Pod templates."""

from collections.abc import Callable, Iterator
from typing import Any

from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.objects.document import KubernetesObject, count, items, mapping, text
from pulumi_gke_tpu.core.objects.pods import PodTemplate
from pulumi_gke_tpu.core.text.findings import Path

TEMPLATE = "<template>"

Templates = Callable[[KubernetesObject], Iterator[PodTemplate]]


@frozen
class Kind:
    """A kind with Pod templates."""

    group: str
    """The API group; empty for the core group."""
    name: str
    templates: Templates
    """Finds the Pod templates of an object, with the number of their Pods."""
    custom: bool = False
    """Whether an operator defines the kind. A patch of such an object replaces lists as a whole, so that the
    containers in it are complete."""
    whole: tuple[Path, ...] = ()
    """Paths in an object that has them all: it is hardly a patch. ``TEMPLATE`` begins a path in the Pod template."""


def replicated(controller: str, *, counted: bool = True) -> Templates:
    """A template with a number of replicas; one Pod for each node if they are not counted."""

    def templates(owner: KubernetesObject) -> Iterator[PodTemplate]:
        pods = count(owner.spec.get("replicas"), 1) if counted else None
        data, key = mapping(owner.spec.get("template")), "replicas" if counted else ""
        yield PodTemplate(owner, ("spec", "template"), data, controller, ("spec",), pods=pods, counted_by=key)

    return templates


def template_of_job(owner: KubernetesObject, path: Path, spec: dict[str, Any], controller: str) -> PodTemplate:
    """The template of the specification of a Job, which is at a path in the object."""
    pods, data = count(spec.get("parallelism"), 1), mapping(spec.get("template"))
    return PodTemplate(owner, (*path, "template"), data, controller, path, pods=pods)


def ray(*path: str) -> Templates:
    """The templates of the specification of a Ray cluster, which is at a path in the object."""

    def templates(owner: KubernetesObject) -> Iterator[PodTemplate]:
        spec = mapping(owner.value(*path))
        head = mapping(mapping(spec.get("headGroupSpec")).get("template"))
        head_path: Path = (*path, "headGroupSpec")
        if head:
            yield PodTemplate(owner, (*head_path, "template"), head, "ray_head", head_path, "head")
        for index, group in enumerate(items(spec.get("workerGroupSpecs"))):
            entry = mapping(group)
            place: Path = (*path, "workerGroupSpecs", index)
            role = text(entry.get("groupName")) or f"workerGroupSpecs[{index}]"
            hosts, groups = count(entry.get("numOfHosts"), 1), count(entry.get("replicas"), 0)
            data = mapping(entry.get("template"))
            yield PodTemplate(owner, (*place, "template"), data, "ray_workers", place, role, hosts, groups)
        submitter = owner.spec.get("submitterPodTemplate")
        if isinstance(submitter, dict):
            where = ("spec", "submitterPodTemplate")
            yield PodTemplate(owner, where, submitter, "ray_submitter", ("spec",), "submitter")

    return templates
