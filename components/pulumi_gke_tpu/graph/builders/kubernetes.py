"""The Kubernetes objects of a cluster, as resources of the Kubernetes provider."""

from collections.abc import Iterator, Mapping
from typing import Any

from pulumi_gke_tpu.catalog import Catalog
from pulumi_gke_tpu.findings import format_path
from pulumi_gke_tpu.fleet import Cluster
from pulumi_gke_tpu.graph.declared import Declared, DeclaredOptions, Key, key_of
from pulumi_gke_tpu.graph.types import TPU_WORKLOADS, kubernetes_type
from pulumi_gke_tpu.kubernetes.builders.fleet import manifests
from pulumi_gke_tpu.kubernetes.builders.manifest import Concern, Manifest

_SKIP_AWAIT = {"pulumi.com/skipAwait": "true"}
_WITHOUT_AWAIT: tuple[Concern, ...] = ("storage", "workloads")
"""Without the annotation, `pulumi up` would wait until Jobs are complete, and claims until a Pod uses them."""
FIXED = {
    "JobSet": ("spec",),
    "RayJob": ("spec",),
    "PriorityClass": ("preemptionPolicy", "value"),
    "StorageClass": ("allowedTopologies", "parameters", "provisioner", "reclaimPolicy", "volumeBindingMode"),
}
"""Kind -> the fields that its API server or controller rejects in an update."""


def tpu_workloads(cluster: Cluster, catalog: Catalog, name: str) -> Iterator[Declared]:
    """The component and the objects of a cluster. Each depends on those of the concern before its own."""
    key = key_of(TPU_WORKLOADS, name)
    every = [item for item in manifests(cluster, catalog) if item.concern != "examples"]
    yield Declared(
        TPU_WORKLOADS, name, "", {"cluster": cluster.key}, outputs={"objects": [object_title(item) for item in every]}
    )
    concern: Concern | None = None
    before: list[Key] = []
    present: list[Key] = []
    for item in every:
        if item.concern != concern:
            concern, before, present = item.concern, present, []
        declared = _declared(item, name, key, tuple(before))
        present.append(declared.key)
        yield declared


def _declared(item: Manifest, name: str, parent: Key, before: tuple[Key, ...]) -> Declared:
    """One object. Its name is fixed, so it is deleted before it is created again."""
    kind = item.object["kind"]
    return Declared(
        kubernetes_type(item.object["apiVersion"], kind),
        f"{name}/{item.name}",
        parent,
        _properties(item),
        DeclaredOptions(delete_before_replace=True, replace_on_changes=FIXED.get(kind, ()), depends_on=before),
        format_path(item.path),
    )


def _properties(item: Manifest) -> Mapping[str, Any]:
    if item.concern not in _WITHOUT_AWAIT:
        return item.object
    metadata = item.object["metadata"]
    annotations = {**metadata.get("annotations", {}), **_SKIP_AWAIT}
    return {**item.object, "metadata": {**metadata, "annotations": annotations}}


def object_title(item: Manifest) -> str:
    """Kind and name, with the namespace if there is one."""
    namespace = item.object["metadata"].get("namespace")
    return "/".join(part for part in (item.kind, namespace, item.name) if part)
