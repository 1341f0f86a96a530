"""A Kubernetes object that follows from a plan, with the concern that it serves and the plan's item it comes from."""

import shlex
from collections.abc import Mapping
from dataclasses import field
from typing import Any, Literal

from pulumi_gke_tpu.core.catalog.records.kubernetes import ObjectKind
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.objects import KubernetesObject
from pulumi_gke_tpu.core.text.findings import Path

Concern = Literal[
    "namespaces",
    "access",
    "service-accounts",
    "priority-classes",
    "compute-classes",
    "storage",
    "queues",
    "workloads",
    "examples",
    "operators",
]
"""Each concern but the last is one file. The order is that in which the objects are created; operators, which have
folders of their own, are installed before."""
MANAGED = {"app.kubernetes.io/managed-by": "gke-tpu"}
"""The label of every object that gke-tpu writes."""


@frozen
class Manifest:
    """A Kubernetes object as plain data."""

    concern: Concern
    path: Path
    """The item of the plan that the object follows from."""
    object: dict[str, Any] = field(hash=False)

    @property
    def kind(self) -> str:
        """The kind of the object."""
        return str(self.object["kind"])

    @property
    def name(self) -> str:
        """The name of the object."""
        return str(self.object["metadata"]["name"])


def manifest(
    concern: Concern,
    kind: ObjectKind,
    name: str,
    path: Path,
    fields: Mapping[str, Any],
    *,
    namespace: str | None = None,
    labels: Mapping[str, str] | None = None,
    annotations: Mapping[str, str] | None = None,
) -> Manifest:
    """An object: ``fields`` are those without apiVersion, kind and metadata. Cluster-wide objects have no namespace."""
    metadata: dict[str, Any] = {"name": name}
    if namespace is not None:
        metadata["namespace"] = namespace
    metadata["labels"] = {**MANAGED, **(labels or {})}
    if annotations:
        metadata["annotations"] = dict(annotations)
    return Manifest(concern, path, {"apiVersion": kind.api_version, "kind": kind.kind, "metadata": metadata, **fields})


_WITH_DATA = ("Namespace", "PersistentVolume", "PersistentVolumeClaim")


def delete_command(kind: str, name: str, namespace: str = "", group: str = "") -> str:
    """The command that deletes an object from the cluster; empty for objects whose deletion deletes data."""
    if kind in _WITH_DATA:
        return ""
    what = f"{kind.lower()}.{group}" if group else kind.lower()
    place = f" --namespace {shlex.quote(namespace)}" if namespace else ""
    return f"kubectl delete {shlex.quote(f'{what}/{name}')}{place}"


def is_managed(owner: KubernetesObject) -> bool:
    """Whether an object has the label of those that gke-tpu writes."""
    return all(owner.labels.get(key) == value for key, value in MANAGED.items())
