"""Kubernetes objects of plans that tests write as YAML fragments."""

from collections.abc import Callable, Iterable
from typing import Any

import yaml

from pulumi_gke_tpu.core.catalog import Catalog, read_catalog
from pulumi_gke_tpu.core.fleet import Cluster, derive
from pulumi_gke_tpu.core.fleet.workloads import KubernetesObjects, kubernetes_objects
from pulumi_gke_tpu.core.kinds.manifest import Manifest
from pulumi_gke_tpu.core.kubernetes.compute_class import compute_classes
from pulumi_gke_tpu.core.plan import parse_plan

Object = dict[str, Any]
STANDARD = "mode: standard\nlocation: us-east5\n"
AUTOPILOT = "mode: autopilot\nlocation: us-east5\n"


def cluster_of(text: str, project: str = "acme-ml") -> Cluster:
    """The only cluster of a plan, from the keys of the cluster."""
    return cluster_of_data(yaml.safe_load(text), project)


def cluster_of_data(keys: object, project: str = "acme-ml") -> Cluster:
    document = parse_plan({"version": 1, "project": project, "clusters": {"train": keys}})
    assert document.content is not None, document.findings
    fleet = derive(document.content, read_catalog())
    assert fleet.unresolved == ()
    return fleet.clusters[0]


def group_with(keys: str, cluster: str = STANDARD) -> Cluster:
    """A cluster with the slice group ``pretrain``."""
    return cluster_of_data({**yaml.safe_load(cluster), "slices": {"pretrain": yaml.safe_load(keys)}})


def objects_of(text: str, build: Callable[[KubernetesObjects, Catalog], Iterable[Manifest]]) -> list[Object]:
    """What a builder makes of a cluster with the key ``kubernetes``."""
    objects = kubernetes_objects(cluster_of(text))
    assert objects is not None
    return [item.object for item in build(objects, read_catalog())]


def class_of(cluster: Cluster) -> Object:
    """The specification of the only ComputeClass of a cluster."""
    (found,) = compute_classes(cluster, read_catalog())
    spec: Object = found.object["spec"]
    return spec


def named(items: Iterable[Object], kind: str) -> dict[str, Object]:
    """The objects of a kind by name."""
    return {item["metadata"]["name"]: item for item in items if item["kind"] == kind}


def values_of(item: object, key: str) -> list[Any]:
    """The values of a key at any depth."""
    if isinstance(item, dict):
        found = [item[key]] if key in item else []
        return found + [value for inner in item.values() for value in values_of(inner, key)]
    return [value for inner in item for value in values_of(inner, key)] if isinstance(item, list) else []
