"""PyTorchJob of Kubeflow: Pods of several types, Master and Worker, each with a template and a number of replicas."""

from collections.abc import Iterator

from pulumi_gke_tpu.core.kinds.kind import Kind
from pulumi_gke_tpu.core.objects import KubernetesObject, PodTemplate, PodTraits
from pulumi_gke_tpu.core.objects.document import count, mapping

_SPECS = ("spec", "pytorchReplicaSpecs")
_TRAITS = PodTraits(several_pools="a PyTorchJob has no exclusive topology")


def _templates(owner: KubernetesObject) -> Iterator[PodTemplate]:
    """The Pods of all types can be on one slice, so only those of a single type are compared with its hosts."""
    specs = mapping(owner.value(*_SPECS))
    alone = len(specs) == 1 and "elasticPolicy" not in owner.spec
    for role, spec in specs.items():
        place, pods = (*_SPECS, role), count(mapping(spec).get("replicas"), 1)
        data, key = mapping(mapping(spec).get("template")), "replicas" if alone else ""
        yield PodTemplate(owner, (*place, "template"), data, _TRAITS, place, str(role), pods, counted_by=key)


KIND = Kind("kubeflow.org", "PyTorchJob", _templates, custom=True)
