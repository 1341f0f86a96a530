"""JobSet: several Jobs that run together."""

from collections.abc import Iterator
from dataclasses import replace

from pulumi_gke_tpu.core.kinds.kind import Kind, template_of_job
from pulumi_gke_tpu.core.objects.document import KubernetesObject, count, items, mapping, text
from pulumi_gke_tpu.core.objects.pods import PodTemplate
from pulumi_gke_tpu.core.text.findings import Path


def _templates(owner: KubernetesObject) -> Iterator[PodTemplate]:
    for index, job in enumerate(items(owner.spec.get("replicatedJobs"))):
        entry = mapping(job)
        path: Path = ("spec", "replicatedJobs", index, "template", "spec")
        spec = mapping(mapping(entry.get("template")).get("spec"))
        role = text(entry.get("name")) or f"replicatedJobs[{index}]"
        job_template = template_of_job(owner, path, spec, "jobset")
        yield replace(job_template, role=role, groups=count(entry.get("replicas"), 1))


KIND = Kind("jobset.x-k8s.io", "JobSet", _templates, custom=True)
