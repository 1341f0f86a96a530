"""LeaderWorkerSet: groups of Pods with a leader."""

from collections.abc import Iterator

from pulumi_gke_tpu.core.kinds.kind import Kind
from pulumi_gke_tpu.core.objects.document import KubernetesObject, count, mapping
from pulumi_gke_tpu.core.objects.pods import PodTemplate


def _templates(owner: KubernetesObject) -> Iterator[PodTemplate]:
    path = ("spec", "leaderWorkerTemplate")
    template = mapping(owner.spec.get("leaderWorkerTemplate"))
    size, groups = count(template.get("size"), 1), count(owner.spec.get("replicas"), 1)
    leader = template.get("leaderTemplate")
    if isinstance(leader, dict):
        yield PodTemplate(owner, (*path, "leaderTemplate"), leader, "lws", path, "leader", 1, groups)
        size = None if size is None else size - 1
    workers = mapping(template.get("workerTemplate"))
    yield PodTemplate(owner, (*path, "workerTemplate"), workers, "lws", path, "workers", size, groups)


KIND = Kind("leaderworkerset.x-k8s.io", "LeaderWorkerSet", _templates, custom=True)
