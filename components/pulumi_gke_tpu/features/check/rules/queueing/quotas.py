"""Quotas, levels and labels of Kueue against slices: TPU386 to TPU388."""

from collections.abc import Iterable, Iterator

from pulumi_gke_tpu.core.objects import KubernetesObject, PodTemplate, is_open
from pulumi_gke_tpu.core.objects.document import items, mapping
from pulumi_gke_tpu.core.rules.engine.examples import tpu_job
from pulumi_gke_tpu.core.rules.engine.rule import Hit, rule, warning
from pulumi_gke_tpu.core.text.findings import SetKeys, quoted
from pulumi_gke_tpu.core.text.formats.property_path import value_at
from pulumi_gke_tpu.features.check.context import ManifestContext
from pulumi_gke_tpu.features.check.forms import family_of_label, forms_of
from pulumi_gke_tpu.features.check.queues import chip_quotas, flavor_labels, of_kueue

_QUEUES = """
apiVersion: kueue.x-k8s.io/v1beta2
kind: ResourceFlavor
metadata: {name: v6e}
spec:
  nodeLabels: {cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice, cloud.google.com/gke-tpu-topology: 4x4}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: research}
spec:
  namespaceSelector: {}
  resourceGroups:
    - coveredResources: [google.com/tpu]
      flavors:
        - name: v6e
          resources: [{name: google.com/tpu, nominalQuota: CHIPS}]
"""
_TOPOLOGY = """
apiVersion: kueue.x-k8s.io/v1beta2
kind: Topology
metadata: {name: tpu}
spec:
  levels: [LEVELS]
"""
_POOL, _HOST = "{nodeLabel: acme.dev/rack}", "{nodeLabel: kubernetes.io/hostname}"
_QUEUED = tpu_job().replace(
    "  template:\n", "  template:\n    metadata: {labels: {kueue.x-k8s.io/queue-name: research}}\n", 1
)
_LABELED = tpu_job().replace(
    "metadata: {name: trainer}", "metadata: {name: trainer, labels: {kueue.x-k8s.io/queue-name: research}}"
)


@warning(
    "TPU386",
    title="Quota that is not a multiple of the chips of a slice",
    why="a workload uses whole slices, so the rest of the quota can never be used",
    fix="Set `nominalQuota` to a multiple of the chips of a slice.",
    references=["kueue-clusterqueue-api", "plan-tpus"],
    failing=_QUEUES.replace("CHIPS", "40"),
    passing=_QUEUES.replace("CHIPS", "32"),
)
def quota_not_of_whole_slices(context: ManifestContext) -> Iterable[Hit]:
    """Queues of a cohort can lend each other the rest."""
    resource = context.catalog.kubernetes.pods.resource.name
    flavors = {found.name: found for found in of_kueue(context.objects, "ResourceFlavor", context.catalog)}
    for queue in of_kueue(context.objects, "ClusterQueue", context.catalog):
        if queue.spec.get("cohortName") or queue.spec.get("cohort"):
            continue
        for quota in chip_quotas(queue, resource):
            flavor = flavors.get(quota.flavor)
            chips = _chips_of_slice(context, flavor) if flavor is not None else 0
            if not chips or quota.chips is None or quota.chips % chips == 0:
                continue
            if quota.chips >= context.catalog.kubernetes.kueue.quotas.unlimited:
                continue
            message = (
                f"the quota of the flavor {quoted(quota.flavor)} is {quota.chips} chips, and a slice has {chips:,}"
            )
            near = int(quota.chips // chips) * chips or chips
            fact = context.catalog.kubernetes.kueue.limits
            yield Hit(queue.at(*quota.path), message, fact=fact, fix=SetKeys.of(nominalQuota=near))


def _chips_of_slice(context: ManifestContext, flavor: KubernetesObject) -> int:
    """The chips of a slice with the labels of a flavor; 0 if they are unknown."""
    labels, names = flavor_labels(flavor), context.catalog.platform.names.node_labels
    label, topology = labels.get(names.accelerator), labels.get(names.topology)
    if label is None or topology is None or label.open or topology.open:
        return 0
    family = family_of_label(context.catalog, label.values[0])
    forms = forms_of(family, topology.values[0]) if family is not None else ()
    sizes = {form.hosts * form.chips_per_host for form in forms}
    return sizes.pop() if len(sizes) == 1 else 0


@rule(
    "TPU387",
    title="Levels of a Topology that Kueue rejects",
    why="the levels lead from the largest domain to the smallest, each label once. A node is the smallest domain",
    fix="Name each label once, and kubernetes.io/hostname last.",
    references=["kueue-flavor-api"],
    source="Kueue: validation of the kind Topology",
    failing=_TOPOLOGY.replace("LEVELS", f"{_HOST}, {_POOL}"),
    passing=_TOPOLOGY.replace("LEVELS", f"{_POOL}, {_HOST}"),
)
def levels_of_topology(context: ManifestContext) -> Iterable[Hit]:
    host = context.catalog.kubernetes.pods.host_name.label
    for owner in of_kueue(context.objects, "Topology", context.catalog):
        levels = [mapping(entry).get("nodeLabel") for entry in items(owner.spec.get("levels"))]
        first: dict[object, int] = {}
        for index, label in enumerate(levels):
            if not isinstance(label, str) or is_open(label):
                continue
            path = owner.at("spec", "levels", index, "nodeLabel")
            if label in first:
                yield Hit.duplicate(path, "level", label, f"entry {first[label] + 1} has it")
            elif label == host and index < len(levels) - 1:
                yield Hit(path, f"{quoted(host)} is the smallest domain, and further levels follow it")
            first.setdefault(label, index)


@warning(
    "TPU388",
    title="Queue name in a place where Kueue does not look for it",
    why="Kueue queues a Job, JobSet, LeaderWorkerSet or Ray object by its own label. It does not read an annotation or "
    "the labels of its Pods, so the workload starts without quota",
    fix="Set the label in `metadata.labels` of the object.",
    references=["kueue-constants"],
    failing=_QUEUED,
    passing=_LABELED,
)
def queue_of_pods(context: ManifestContext) -> Iterable[Hit]:
    fact = context.catalog.kubernetes.kueue.labels
    for pod in context.tpu_pods:
        owner = pod.owner
        if pod.traits.queued_as == "pod":
            continue  # Kueue queues their Pods
        if fact.queue in owner.labels:
            continue
        for path in _misplaced(pod, fact.queue):
            message = f"{quoted(fact.queue)} has no effect here; put it into the labels of the {owner.kind}"
            yield Hit(owner.at(*path), message, fact=fact)


def _misplaced(pod: PodTemplate, key: str) -> Iterator[tuple[str | int, ...]]:
    if key in pod.owner.annotations:
        yield "metadata", "annotations", key
    if pod.traits.job == "member":
        labels = (*pod.controlled_by[:-1], "metadata", "labels")
        if key in mapping(value_at(pod.owner.data, labels)):
            yield (*labels, key)
    for kind in ("labels", "annotations"):
        if key in mapping(pod.metadata.get(kind)):
            yield (*pod.path, "metadata", kind, key)
