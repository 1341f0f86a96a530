"""All Kubernetes objects of a cluster, in the order in which they are created."""

from collections.abc import Iterator

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.fleet.model import Cluster
from pulumi_gke_tpu.core.fleet.workloads import KubernetesObjects, kubernetes_objects
from pulumi_gke_tpu.core.kinds import written_kind
from pulumi_gke_tpu.core.kinds.manifest import Manifest, manifest
from pulumi_gke_tpu.core.kubernetes.access import access
from pulumi_gke_tpu.core.kubernetes.checkpoints import checkpoint_configurations
from pulumi_gke_tpu.core.kubernetes.claims import claim_templates
from pulumi_gke_tpu.core.kubernetes.compute_class import compute_classes
from pulumi_gke_tpu.core.kubernetes.gateways import gateway
from pulumi_gke_tpu.core.kubernetes.kueue import queues
from pulumi_gke_tpu.core.kubernetes.other_pods import other_pods
from pulumi_gke_tpu.core.kubernetes.priority import priority_classes
from pulumi_gke_tpu.core.kubernetes.service_accounts import accounts
from pulumi_gke_tpu.core.kubernetes.storage import disks, shared_file_systems

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
