"""How kinds of the same form find their Pod templates, and what these Pods have in common."""

from collections.abc import Callable, Iterator
from typing import Any

from pulumi_gke_tpu.core.objects import KubernetesObject, PodTemplate, PodTraits
from pulumi_gke_tpu.core.objects.document import count, mapping
from pulumi_gke_tpu.core.objects.pods import TEMPLATE
from pulumi_gke_tpu.core.text.findings import Path

Templates = Callable[[KubernetesObject], Iterator[PodTemplate]]

SERVERS = PodTraits(indexed=False, queued_as="pod", duration_at="pod", restarts="always")
"""Pods that replace each other."""
OF_JOB = PodTraits(
    job="own",
    restarts="not_always",
    restart_policy_required=True,
    service_at=(TEMPLATE, "spec", "subdomain"),
    several_pools="a Job has no exclusive topology",
)
"""Pods of a single Job."""
HAS_RESTART_POLICY: tuple[Path, ...] = ((TEMPLATE, "spec", "restartPolicy"),)
HAS_SELECTOR: tuple[Path, ...] = (("spec", "selector"),)


def replicated(traits: PodTraits) -> Templates:
    """A template with a number of replicas; without a number if there is one Pod for each node."""

    def templates(owner: KubernetesObject) -> Iterator[PodTemplate]:
        counted = not traits.one_per_node
        pods = count(owner.spec.get("replicas"), 1) if counted else None
        data, key = mapping(owner.spec.get("template")), "replicas" if counted else ""
        yield PodTemplate(owner, ("spec", "template"), data, traits, ("spec",), pods=pods, counted_by=key)

    return templates


def template_of_job(owner: KubernetesObject, path: Path, spec: dict[str, Any], traits: PodTraits) -> PodTemplate:
    """The template of the specification of a Job, which is at a path in the object."""
    pods, data = count(spec.get("parallelism"), 1), mapping(spec.get("template"))
    return PodTemplate(owner, (*path, "template"), data, traits, path, pods=pods)
