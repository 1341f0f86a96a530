"""Queues in manifests and the slice groups of a plan: TPU793 to TPU795."""

from collections.abc import Iterable
from fractions import Fraction

from pulumi_gke_tpu.core.fleet.workloads import Queue
from pulumi_gke_tpu.core.kinds import queue_at, queue_labels
from pulumi_gke_tpu.core.objects import KubernetesObject, PodTemplate, is_open
from pulumi_gke_tpu.core.rules.engine.examples import TWO_SLICES, plan_of
from pulumi_gke_tpu.core.rules.engine.rule import Hit, rule, warning
from pulumi_gke_tpu.core.text.findings import Severity, number, quoted
from pulumi_gke_tpu.features.check.context import ManifestContext
from pulumi_gke_tpu.features.check.queues import FlavorQuota, chip_quotas, flavor_labels, of_kueue
from pulumi_gke_tpu.features.check.rules.alignment.sizes import JOB_SET
from pulumi_gke_tpu.features.check.serving import Served

_QUEUES = """
apiVersion: kueue.x-k8s.io/v1beta2
kind: ResourceFlavor
metadata: {name: v6e}
spec:
  nodeLabels:
    cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice
    cloud.google.com/gke-tpu-topology: TOPOLOGY
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: research}
spec:
  namespaceSelector: {}
  resourceGroups:
    - coveredResources: [cpu, memory, google.com/tpu]
      flavors:
        - name: v6e
          resources:
            - {name: cpu, nominalQuota: 1k}
            - {name: memory, nominalQuota: 4Ti}
            - {name: google.com/tpu, nominalQuota: CHIPS}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata: {name: research, namespace: default}
spec: {clusterQueue: research}
--- plan
"""


def _example(topology: str, chips: int) -> str:
    return _QUEUES.strip("\n").replace("TOPOLOGY", topology).replace("CHIPS", str(chips)) + "\n" + plan_of(TWO_SLICES)


@rule(
    "TPU793",
    title="ResourceFlavor whose labels no slice group of the plan has",
    why="Kueue does not look at nodes: it admits workloads for this flavor, and their Pods stay Pending",
    fix="Use the node labels of a slice group.",
    source="gke-tpu: the labels of the node pools follow from the plan",
    otherwise={Severity.WARNING: "if a cluster exists already, with node pools outside the plan"},
    failing=_example("8x8", 64),
    passing=_example("4x4", 32),
)
def flavor_without_node_pool(context: ManifestContext) -> Iterable[Hit]:
    if any(of_kueue(context.objects, "MultiKueueCluster", context.catalog)):
        return  # the manager's flavors are those of its workers
    existing = any(cluster.existing for cluster in context.clusters())
    for flavor in of_kueue(context.objects, "ResourceFlavor", context.catalog):
        served = groups_of_flavor(context, flavor)
        if served is not None and not served.groups:
            message = f"no slice group of the plan has the node labels of the flavor {quoted(flavor.name)}"
            place = flavor.at("spec", "nodeLabels")
            yield Hit(place, message, severity=Severity.WARNING if existing else None)


def groups_of_flavor(context: ManifestContext, flavor: KubernetesObject) -> Served | None:
    """The groups whose nodes have the labels of a flavor; None if it is not for TPUs, or if GKE makes its nodes."""
    names, facts = context.catalog.platform.names.node_labels, context.catalog.kubernetes
    labels = flavor_labels(flavor)
    of_tpus = (names.accelerator, names.topology, facts.compute_classes.form.selector)
    if not context.clusters() or not any(key in labels for key in of_tpus):
        return None
    if any(is_open(key) or selection.open for key, selection in labels.items()):
        return None
    label = labels[names.accelerator].values[0] if names.accelerator in labels else ""
    if context.groups.makes_nodes(label):
        return None
    return context.groups.with_labels(labels)


@warning(
    "TPU794",
    title="Quota above the chips of the slice groups",
    why="Kueue admits workloads up to the quota. Pods without a slice stay Pending while they hold quota",
    fix="Lower the quota to the chips of the slice groups, or raise their slices.",
    source="gke-tpu: the chips of a slice group follow from the plan",
    failing=_example("4x4", 64),
    passing=_example("4x4", 32),
)
def queue_larger_than_pools(context: ManifestContext) -> Iterable[Hit]:
    resource = context.catalog.kubernetes.pods.resource.name
    flavors = {found.name: found for found in of_kueue(context.objects, "ResourceFlavor", context.catalog)}
    quotas: dict[str, list[FlavorQuota]] = {}
    for queue in of_kueue(context.objects, "ClusterQueue", context.catalog):
        for quota in chip_quotas(queue, resource):
            quotas.setdefault(quota.flavor, []).append(quota)
    for name, found in quotas.items():
        served = groups_of_flavor(context, flavors[name]) if name in flavors else None
        if served is None or not served.groups or any(quota.chips is None for quota in found):
            continue
        total = sum((quota.chips or Fraction(0) for quota in found), Fraction(0))
        managed = any(cluster.workers for cluster in context.clusters())  # a manager has the quota of all workers
        chips = sum(group.chips.maximum for _, group in served.groups) if managed else served.chips
        if total > chips:
            several = f" in {number(len(found), 'queue')}" if len(found) > 1 else ""
            given = f"the quota of the flavor {quoted(name)} is {total} chips{several}"
            message = f"{given}, and its slices have {chips:,}"
            yield Hit(found[-1].queue.at(*found[-1].path), message)


_TOLERATION = "tolerations: [{key: gke-tpu/slice-group, operator: Equal, value: main, effect: NoSchedule}]"
_JOB = (
    JOB_SET.replace("pretrain\n", "pretrain\n  labels: {kueue.x-k8s.io/queue-name: research}\n").replace(
        "              containers:", f"              {_TOLERATION}\n              containers:"
    )
    + """\
version: 1
project: acme-ml
clusters:
  train:
    mode: standard
    location: us-east5
    kubernetes:
      queues:
        research: {chips: {main: 32}}
    slices:
      main: {tpu: v6e, topology: 4x4, zone: us-east5-b, count: 3}
"""
)


@warning(
    "TPU795",
    title="Workload above the quota of its queue in the plan",
    why="Kueue admits a workload as a whole, and the Pods of each part on one flavor. A workload above the quota "
    "waits forever",
    fix="Raise the quota of the queue in the plan, or use fewer slices.",
    source="gke-tpu: the quota of a queue follows from the plan",
    failing=_JOB.replace("SLICES", "3"),
    passing=_JOB.replace("SLICES", "2"),
)
def workload_above_quota(context: ManifestContext) -> Iterable[Hit]:
    key, resource = context.catalog.kubernetes.kueue.labels.queue, context.catalog.kubernetes.pods.resource.name
    in_files = {found.name for found in of_kueue(context.objects, "LocalQueue", context.catalog)}
    limits = {queue.name: _limits(queue) for objects in context.objects_of_plan for queue in objects.queues}
    for owner in context.objects:
        name = queue_labels(owner).get(key)
        if not isinstance(name, str) or is_open(name) or name in in_files:
            continue
        pods, gives = context.pods_by_owner.get(owner.index, ()), limits.get(name)
        sets = [_chips_at_once(pod, resource) for pod in pods]
        known = [chips for chips in sets if chips is not None]
        if len(known) < len(sets) or gives is None:
            continue
        groups = max((pod.groups or 1 for pod in pods if pod.traits.queued_as == "group"), default=1)
        largest, whole = max(known, default=Fraction(0)), sum(known, Fraction(0)) * groups
        for needed, limit, of in ((largest, max(gives, default=0), " for one part"), (whole, sum(gives), "")):
            if needed > limit:
                part = of if len(known) > 1 or groups > 1 else ""
                given = f"{owner.title} requests {needed} chips{part}"
                message = f"{given}, and the queue {quoted(name)} of the plan gives {limit:,}"
                yield Hit(owner.at(*queue_at(owner), key), message)
                break


def _limits(queue: Queue) -> list[int] | None:
    """The chips that one workload can get from each flavor of a queue of the plan; None if borrowing has no limit."""
    borrows = queue.plan.cohort is not None
    if borrows and any(quota.borrow is None for quota in queue.quotas):
        return None
    return [quota.nominal + (quota.borrow or 0 if borrows else 0) for quota in queue.quotas]


def _chips_at_once(pod: PodTemplate, resource: str) -> Fraction | None:
    """The chips of the Pods that Kueue admits at once; None if they are unknown."""
    amount, count = pod.chips(resource), pod.admitted_together
    return None if amount is None or count is None else amount * count
