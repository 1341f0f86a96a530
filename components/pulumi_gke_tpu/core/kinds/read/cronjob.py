"""CronJob: a Job at certain times."""

from collections.abc import Iterator

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.catalog.records.facts import Fact
from pulumi_gke_tpu.core.kinds.kind import Kind, longer_than
from pulumi_gke_tpu.core.kinds.templates import HAS_RESTART_POLICY, OF_JOB, template_of_job
from pulumi_gke_tpu.core.objects.document import KubernetesObject, mapping
from pulumi_gke_tpu.core.objects.pods import PodTemplate


def _templates(owner: KubernetesObject) -> Iterator[PodTemplate]:
    path = ("spec", "jobTemplate", "spec")
    yield template_of_job(owner, path, mapping(owner.value(*path)), OF_JOB)


def _long_names(owner: KubernetesObject, catalog: Catalog) -> Iterator[tuple[str, Fact]]:
    fact = catalog.kubernetes.built_in
    return longer_than(fact.longest_names["CronJob"], owner, fact)


KIND = Kind(
    "batch",
    "CronJob",
    _templates,
    whole=HAS_RESTART_POLICY,
    long_names=_long_names,
    queue_at=("spec", "jobTemplate", "metadata", "labels"),
)
