"""Queues that manifests refer to and nothing defines: TPU796."""

from collections.abc import Iterable

from pulumi_gke_tpu.core.kinds import queue_at, queue_labels
from pulumi_gke_tpu.core.kinds.manifest import is_managed
from pulumi_gke_tpu.core.objects import is_open
from pulumi_gke_tpu.core.rules.engine.rule import Hit, warning
from pulumi_gke_tpu.core.text.findings import SetKeys, did_you_mean, quoted
from pulumi_gke_tpu.features.check.context import ManifestContext
from pulumi_gke_tpu.features.check.queues import of_kueue

_DEFAULT = "default"
_MOST_SUGGESTED = 20
_QUEUED = """
apiVersion: batch/v1
kind: Job
metadata: {name: tune, labels: {kueue.x-k8s.io/queue-name: NAME}}
spec:
  template:
    spec:
      restartPolicy: Never
      nodeSelector:
        cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice
        cloud.google.com/gke-tpu-topology: 2x2
      containers:
        - name: jax
          image: tune
          resources: {requests: {google.com/tpu: 4}, limits: {google.com/tpu: 4}}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata: {name: research, namespace: default}
spec: {clusterQueue: research}
"""


@warning(
    "TPU796",
    title="Workload for a queue that does not exist",
    why="Kueue suspends the workload, and no message says that its LocalQueue does not exist in the namespace",
    fix="Use the name of a LocalQueue in the namespace of the workload.",
    references=["kueue-constants"],
    failing=_QUEUED.replace("NAME", "reserch"),
    passing=_QUEUED.replace("NAME", "research"),
)
def unknown_queue(context: ManifestContext) -> Iterable[Hit]:
    """Only if the files or the plan contain LocalQueues, or the files a ClusterQueue with the name of the queue."""
    key, fact = context.catalog.kubernetes.kueue.labels.queue, context.catalog.kubernetes.kueue.labels
    known = _known_queues(context)
    if any(is_open(part) for queue in known for part in queue):
        return
    cluster_queues = frozenset(found.name for found in of_kueue(context.objects, "ClusterQueue", context.catalog))
    asked = 0
    names: dict[str, list[str]] = {}
    for place, queue in sorted(known):
        names.setdefault(place, []).append(queue)
    allowed = {place: tuple(queues) for place, queues in names.items()}
    for owner in context.objects:
        name, namespace = queue_labels(owner).get(key), owner.namespace or _DEFAULT
        if not isinstance(name, str) or is_open(name) or is_open(namespace) or (namespace, name) in known:
            continue
        if not owner.namespace and name in context.queues_of_plan and not is_managed(owner):
            continue  # the command that creates the object can state the namespace
        if not known and name not in cluster_queues:
            continue
        asked += 1
        here = allowed.get(namespace, ())
        near = did_you_mean(name, here) if asked <= _MOST_SUGGESTED else None
        reason = f"the namespace {quoted(namespace)} does not have it"
        if name in cluster_queues:
            reason += ", and a ClusterQueue needs a LocalQueue"
        fix = SetKeys.of({key: near})
        path = owner.at(*queue_at(owner), key)
        yield Hit.unknown(path, "queue", name, reason, fact=fact, allowed=here, fix=fix)


def _known_queues(context: ManifestContext) -> frozenset[tuple[str, str]]:
    """The namespace and the name of each LocalQueue of the files and of the plan.

    gke-tpu writes the LocalQueues of a plan beside their ClusterQueue, so that files with one have the others.
    """
    local = of_kueue(context.objects, "LocalQueue", context.catalog)
    written = {found.name for found in of_kueue(context.objects, "ClusterQueue", context.catalog) if is_managed(found)}
    queues = ((name, places) for name, places in context.queues_of_plan.items() if name not in written)
    planned = ((place, name) for name, places in queues for place in places)
    return frozenset({*((found.namespace or _DEFAULT, found.name) for found in local), *planned})
