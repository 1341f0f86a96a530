"""All Kubernetes objects of a cluster, in the order in which they are created."""

from collections.abc import Iterator

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.fleet.model import Cluster
from pulumi_gke_tpu.core.fleet.scheduling import node_labels, pod_tolerations
from pulumi_gke_tpu.core.fleet.workloads import KubernetesObjects, Workload, kubernetes_objects
from pulumi_gke_tpu.core.kinds import written_kind
from pulumi_gke_tpu.core.kinds.manifest import Manifest, manifest
from pulumi_gke_tpu.core.kinds.pods import toleration
from pulumi_gke_tpu.core.kubernetes.compute_class import compute_classes
from pulumi_gke_tpu.core.kubernetes.gateways import gateway
from pulumi_gke_tpu.core.kubernetes.kueue import queues
from pulumi_gke_tpu.core.kubernetes.shared import (
    access,
    accounts,
    checkpoint_configurations,
    claim_templates,
    priority_classes,
)
from pulumi_gke_tpu.core.kubernetes.storage import disks, shared_file_systems
from pulumi_gke_tpu.core.text.formats.quantity import quantities

_NAME = "example-agent"


def other_pods(objects: KubernetesObjects, catalog: Catalog) -> Iterator[Manifest]:
    """The example for a Standard cluster with workloads; on Autopilot, a TPU host has no other Pods.

    The Pod tolerates the taint of TPU nodes, requests little, and has a memory limit but no CPU limit. It has no
    priority class, so that a Pod with the chips and a priority class preempts it.
    """
    groups = list({item.group.key: item.group for item in objects.workloads if item.group.pools}.values())
    if objects.cluster.mode == "autopilot" or not groups:
        return
    facts, group = catalog.kubernetes.workloads.other_pods, groups[0]
    label = catalog.platform.names.node_labels.accelerator
    resources = {
        "requests": quantities({"cpu": facts.cpu, "memory": facts.memory}),
        "limits": quantities({"memory": facts.memory_limit}),
    }
    container = {"name": "agent", "image": facts.image, "resources": resources}
    spec = {
        "nodeSelector": {label: node_labels(group, catalog)[label]},
        "tolerations": [toleration(item) for item in pod_tolerations(group, catalog)],
        "containers": [container],
    }
    kind = catalog.kubernetes.kinds.objects["pod"]
    yield manifest("examples", kind, _NAME, group.path, {"spec": spec}, namespace=objects.namespace)


_DEFAULT_NAMESPACE = "default"


def manifests(cluster: Cluster, catalog: Catalog) -> Iterator[Manifest]:
    """The objects that the plan asks for on a cluster; nothing without the keys ``kubernetes`` and ``fallback``."""
    objects = kubernetes_objects(cluster)
    if objects is not None:
        yield from _namespaces(objects, catalog)
        yield from access(objects, catalog)
        yield from accounts(objects, catalog)
        yield from priority_classes(objects, catalog)
    yield from compute_classes(cluster, catalog)
    if objects is None:
        return
    yield from disks(objects, catalog)
    yield from shared_file_systems(objects, catalog)
    yield from checkpoint_configurations(cluster, catalog)
    yield from queues(objects, catalog)
    yield from claim_templates(objects, catalog)
    for workload in objects.workloads:
        yield from _slices(workload, catalog)
        yield from written_kind(workload).objects(workload, catalog)
        yield from gateway(workload, catalog)
    if not cluster.workers:
        yield from other_pods(objects, catalog)


def _namespaces(objects: KubernetesObjects, catalog: Catalog) -> Iterator[Manifest]:
    """The namespaces of the objects; every cluster has the default one."""
    path = (*objects.cluster.path, "kubernetes")
    names = {objects.namespace: (*path, "namespace")}
    for namespace in objects.namespaces:
        names.setdefault(namespace.name, namespace.path)
    for queue in objects.queues:
        for name in queue.namespaces:
            names.setdefault(name, (*queue.path, "namespace" if name == queue.plan.namespace else "namespaces"))
    for workload in objects.workloads:
        names.setdefault(workload.namespace, (*workload.path, "namespace"))
    for name, place in names.items():
        if name != _DEFAULT_NAMESPACE:
            yield manifest("namespaces", catalog.kubernetes.kinds.objects["namespace"], name, place, {})


def _slices(workload: Workload, catalog: Catalog) -> Iterator[Manifest]:
    """The Slices of partitions that a workload names; with a queue, the slice controller makes them."""
    kind, shape = catalog.kubernetes.kinds.objects["slice"], workload.shape
    for name, partitions in zip(workload.slice_names, workload.plan.partitions, strict=False):
        spec = {"type": shape.accelerator_label, "topology": str(shape.topology), "partitionIds": list(partitions)}
        yield manifest("workloads", kind, name, (*workload.path, "partitions"), {"spec": spec})
