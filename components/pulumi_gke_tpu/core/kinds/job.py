"""Job: Pods that end."""

from collections.abc import Iterator

from pulumi_gke_tpu.core.kinds.kind import TEMPLATE, Kind, template_of_job
from pulumi_gke_tpu.core.objects.document import KubernetesObject
from pulumi_gke_tpu.core.objects.pods import PodTemplate


def _templates(owner: KubernetesObject) -> Iterator[PodTemplate]:
    yield template_of_job(owner, ("spec",), owner.spec, "job")


KIND = Kind("batch", "Job", _templates, whole=((TEMPLATE, "spec", "restartPolicy"),))
