"""Labels and annotations that have no effect where they are: TPU390 and TPU391."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.kinds import kind_of, queue_at, queue_labels
from pulumi_gke_tpu.core.objects import is_open
from pulumi_gke_tpu.core.objects.document import KubernetesObject, items, mapping
from pulumi_gke_tpu.core.objects.open_values import has_open_key
from pulumi_gke_tpu.core.rules.engine.examples import tpu_pod
from pulumi_gke_tpu.core.rules.engine.rule import Hit, warning
from pulumi_gke_tpu.core.text.findings import Path, Rename, did_you_mean, is_slip, quoted
from pulumi_gke_tpu.features.check.context import ManifestContext

_JOB_SET = """
apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata:
  name: train
  annotations: {KEY: cloud.google.com/gke-nodepool}
spec:
  replicatedJobs:
    - name: head
      template:
        spec:
          template:
            spec:
              restartPolicy: Never
              containers: [{name: head, image: head}]
"""
_MOST_COMPARED = 100
_BUCKET = "volumes: [{name: data, csi: {driver: gcsfuse.csi.storage.gke.io, volumeAttributes: {bucketName: acme}}}]"
_ANNOTATED = 'metadata: {name: trainer, annotations: {gke-gcsfuse/volumes: "true"}}'


@warning(
    "TPU390",
    title="Label or annotation that resembles one of the controller",
    why="the controller reads only its own keys, in the annotations or labels of its own kind. It ignores others "
    "without a message",
    fix="Use the key of the controller, in the place where it reads the key.",
    references=["jobset-api", "lws-api", "kueue-constants"],
    failing=_JOB_SET.replace("KEY", "jobset.sigs.k8s.io/exclusive-topology"),
    passing=_JOB_SET.replace("KEY", "alpha.jobset.sigs.k8s.io/exclusive-topology"),
)
def key_without_effect(context: ManifestContext) -> Iterable[Hit]:
    facts = context.catalog.kubernetes
    queue, known = facts.kueue.labels.queue, _keys_of_controllers(context.catalog)
    owners = [item.owner for item in context.described]
    for owner in owners[:_MOST_COMPARED]:
        object_kind = kind_of(owner)
        exclusive = object_kind.exclusive_topology if object_kind is not None else None
        wanted, fact = exclusive(context.catalog) if exclusive is not None else ("", None)
        for path, kind, key in _keys_of(owner):
            place, above = owner.at(*path), path[:-2] == ("metadata",)
            name = key.rpartition("/")[2]
            if above and wanted and name == wanted.rpartition("/")[2] and (key != wanted or kind != "annotations"):
                message = f"{quoted(key)} in the {kind} has no effect on a {owner.kind}; annotate {quoted(wanted)}"
                yield Hit(place, message, fact=fact, allowed=(wanted,), fix=Rename.to(wanted))
            elif key == queue and path[:-1] == ("metadata", "labels") and queue_at(owner) != path[:-1]:
                if key not in queue_labels(owner):
                    message = f"{quoted(key)} of a {owner.kind} has no effect: Kueue reads the labels of its Jobs"
                    advice = f"Move the label to `{'.'.join(map(str, queue_at(owner)))}`."
                    yield Hit(place, message, fact=facts.kueue.labels, advice=advice)
            elif above and kind == "labels" and _is_misspelled(key, queue):
                yield Hit.unknown(
                    place, "label of Kueue", key, fact=facts.kueue.labels, allowed=(queue,), fix=Rename.to(queue)
                )
            elif meant := _meant(key, known):
                yield Hit.unknown(
                    place, kind.removesuffix("s"), key, fact=facts.kueue.labels, allowed=(meant,), fix=Rename.to(meant)
                )


def _keys_of(owner: KubernetesObject) -> Iterator[tuple[Path, str, str]]:
    """Every label and annotation of an object and of its templates, with its path."""
    waiting: list[tuple[Path, Any]] = [((), owner.data)]
    while waiting:
        path, value = waiting.pop()
        inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
        waiting += [((*path, step), each) for step, each in inner if isinstance(each, dict | list)]
        if path[-1:] == ("metadata",):
            for kind in ("annotations", "labels"):
                keys = mapping(mapping(value).get(kind))
                if not has_open_key(keys):
                    yield from (((*path, kind, key), kind, str(key)) for key in keys)


def _keys_of_controllers(catalog: Catalog) -> tuple[str, ...]:
    """What JobSet, LeaderWorkerSet, Kueue and the autoscaler read in labels and annotations."""
    facts = catalog.kubernetes
    labels = facts.kueue.labels
    return (
        *(labels.queue, labels.priority_class, labels.run_duration, *facts.kueue.queued.consuming),
        *(facts.jobset.exclusive_topology, facts.leaderworkerset.exclusive_topology, *facts.jobset.placing_annotations),
        facts.workloads.extended_run.annotation,
    )


def _meant(key: str, known: Sequence[str]) -> str:
    """The key of a controller from which a key of the same domain differs by one slip."""
    domain, _, name = key.rpartition("/")
    if not domain or key in known:
        return ""
    of_domain = [other for other in known if other.startswith(f"{domain}/")]
    return next((other for other in of_domain if is_slip(name, other.rpartition("/")[2])), "")


def _is_misspelled(key: str, queue: str) -> bool:
    """Whether a key of Kueue stands for that of the queue."""
    domain, name = queue.split("/")
    given = key.rpartition("/")
    same_domain = given[0] == domain and given[2] != name
    return same_domain and given[2].startswith("queue") and did_you_mean(given[2], (name,)) is not None


@warning(
    "TPU391",
    title="Bucket volume without the annotation that mounts it",
    why="GKE adds the container that mounts buckets only to Pods with the annotation. Without it, the volume is not "
    "mounted and the Pods do not start",
    fix='Set the annotation `gke-gcsfuse/volumes: "true"` on the Pods.',
    references=["gke-samples-buckets"],
    failing=tpu_pod(spec=_BUCKET),
    passing=tpu_pod(spec=_BUCKET).replace("metadata: {name: trainer}", _ANNOTATED),
)
def bucket_without_sidecar(context: ManifestContext) -> Iterable[Hit]:
    fact = context.catalog.kubernetes.storage.buckets
    for pod in context.tpu_pods:
        annotations = pod.metadata.get("annotations")
        if fact.annotation in pod.annotations or has_open_key(pod.annotations) or is_open(annotations):
            continue
        if not pod.has_image:
            continue  # a patch
        for index, volume in enumerate(items(pod.spec.get("volumes"))):
            if mapping(mapping(volume).get("csi")).get("driver") == fact.driver:
                place = pod.at("volumes", index, "csi", "driver")
                what = f"annotation {quoted(fact.annotation)} of the Pods"
                yield Hit.missing(place, what, "a volume is a bucket", fact=fact)
                break
