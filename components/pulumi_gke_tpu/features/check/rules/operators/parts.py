"""What several rules read from objects: lists of mappings, and what each workload consists of."""

from collections.abc import Iterable, Iterator
from typing import Any

from pulumi_gke_tpu.core.objects import KubernetesObject, PodTemplate
from pulumi_gke_tpu.core.objects.document import items, mapping
from pulumi_gke_tpu.core.rules.engine.rule import Hit
from pulumi_gke_tpu.core.text.findings import Path
from pulumi_gke_tpu.core.text.formats.property_path import value_at
from pulumi_gke_tpu.features.check.context import ManifestContext
from pulumi_gke_tpu.features.check.forms import LabeledFamily, topologies_of


def entries(owner: KubernetesObject, *path: str | int) -> Iterator[tuple[Path, dict[str, Any]]]:
    """The mappings in a list of an object, with their paths in the object."""
    for index, entry in enumerate(items(owner.value(*path))):
        if isinstance(entry, dict):
            yield (*path, index), entry


def spec_of(pod: PodTemplate) -> dict[str, Any]:
    """The specification that counts the pods of a template, such as that of a Job."""
    return mapping(value_at(pod.owner.data, pod.controlled_by))


def pods_of(context: ManifestContext, owner: KubernetesObject) -> tuple[PodTemplate, ...]:
    """The pod templates of an object."""
    return context.pods_by_owner.get(owner.index, ())


def of_kueue(context: ManifestContext, *kinds: str) -> Iterator[KubernetesObject]:
    """The objects of kinds of Kueue, in every version."""
    group = context.catalog.kubernetes.controllers["kueue"].group
    return (owner for kind in kinds for owner in context.of_kind(kind, group))


def is_in_cohort(queue: KubernetesObject) -> bool:
    """Whether a ClusterQueue is in a cohort, in any version of the API."""
    return bool(queue.spec.get("cohortName") or queue.spec.get("cohort"))


def owners(pods: Iterable[PodTemplate]) -> tuple[KubernetesObject, ...]:
    """The objects of pod templates, each once."""
    return tuple({pod.owner.index: pod.owner for pod in pods}.values())


def unknown_topology(
    path: Path, families: tuple[LabeledFamily, ...], topology: object, context: ManifestContext
) -> Hit:
    """A topology that none of the machine families has which an accelerator can stand for."""
    if len(families) > 1:
        fact = context.catalog.platform.names.node_labels
        return Hit.unknown(path, "topology", topology, "no generation has it", fact=fact)
    generation, allowed = families[0].generation, topologies_of(families[0], context.mode)
    reason = f"{families[0].generation_name} does not have it"
    return Hit.unknown(path, "topology", topology, reason, fact=generation.topologies, allowed=allowed)
