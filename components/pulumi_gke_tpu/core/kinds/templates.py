"""How kinds of the same form find their Pod templates."""

from collections.abc import Callable, Iterator
from typing import Any

from pulumi_gke_tpu.core.objects import KubernetesObject, PodTemplate
from pulumi_gke_tpu.core.objects.document import count, mapping
from pulumi_gke_tpu.core.text.findings import Path

Templates = Callable[[KubernetesObject], Iterator[PodTemplate]]


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
