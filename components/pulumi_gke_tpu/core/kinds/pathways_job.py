"""PathwaysJob: the template of its main container; the operator makes the workers."""

from collections.abc import Iterator

from pulumi_gke_tpu.core.kinds.kind import Kind
from pulumi_gke_tpu.core.objects.document import KubernetesObject
from pulumi_gke_tpu.core.objects.pods import PodTemplate


def _templates(owner: KubernetesObject) -> Iterator[PodTemplate]:
    path = ("spec", "controller", "template")
    data = owner.value(*path)
    if isinstance(data, dict):
        yield PodTemplate(owner, path, data, "pathways", ("spec", "controller"), "main")


KIND = Kind("pathways-job.pathways.domain", "PathwaysJob", _templates, custom=True)
