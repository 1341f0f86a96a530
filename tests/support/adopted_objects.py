"""Kubernetes objects of plans as `kubectl get` shows them, and what adoption finds for them."""

import copy
import json
from collections.abc import Iterator, Sequence
from typing import Any

from support.plan_corpus import source, sources
from support.shipped import TODAY
from support.workload_plans import every_option

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.kubernetes.fleet import manifests
from pulumi_gke_tpu.core.objects import KubernetesObject, read_manifests
from pulumi_gke_tpu.core.plan import parse_plan
from pulumi_gke_tpu.core.rules import check_plan
from pulumi_gke_tpu.features.adopt.objects.given import assigned
from pulumi_gke_tpu.features.adopt.objects.search import ClusterObjectsFound, ObjectSearch

Object = dict[str, Any]


def as_listed(objects: Sequence[Object]) -> bytes:
    """The objects as `kubectl get -o json` writes them."""
    return json.dumps({"apiVersion": "v1", "kind": "List", "items": objects}).encode()


def read_objects(objects: Sequence[Object], file: str = "objects.json") -> tuple[KubernetesObject, ...]:
    """The objects, read from a file."""
    found = read_manifests([(file, as_listed(objects))])
    assert found.findings == ()
    return found.objects


def found_for(plan: Any, key: str, objects: Sequence[Object], *, commands: bool = True) -> ClusterObjectsFound:
    """What adoption finds for the objects of one cluster of a plan."""
    given = assigned(read_objects(objects), [key], one=True).objects[key]
    return ObjectSearch(without_objects(plan), key, read_catalog(), commands=commands).find(given)


def without_objects(plan: Any) -> Any:
    """The plan without the key `kubernetes`."""
    clusters = {
        key: {name: value for name, value in cluster.items() if name != "kubernetes"}
        for key, cluster in plan["clusters"].items()
    }
    return {**plan, "clusters": clusters}


def with_objects(plan: Any, key: str, keys: Any) -> Any:
    """The plan with this key `kubernetes` of a cluster, and without those of others."""
    changed = copy.deepcopy(without_objects(plan))
    if keys:
        changed["clusters"][key]["kubernetes"] = keys
    return changed


def rendered(plan: Any, key: str) -> list[Object]:
    """The objects of a cluster, without examples."""
    checked = check_plan(parse_plan(plan), read_catalog(), None, rules=())
    assert checked.fleet is not None, checked.findings
    (cluster,) = (item for item in checked.fleet.clusters if item.key.rpartition("/")[2] == key)
    return [item.object for item in manifests(cluster, read_catalog()) if item.concern != "examples"]


def name_of(item: Object) -> str:
    """Kind, namespace and name."""
    metadata = item["metadata"]
    return f"{item['kind']} {metadata.get('namespace', '')}/{metadata['name']}"


def plans_with_objects() -> Iterator[tuple[str, Any, str]]:
    """Every valid plan of the corpora with Kubernetes objects: its name, the plan, and the key of the cluster."""
    every = [*sources("stacks"), *sources("pages"), *sources("rules")]
    every += [item for mode in ("standard", "autopilot") if (item := source(mode, every_option(mode), TODAY))]
    for item in every:
        plan = {key: value for key, value in item.data.items() if key != "today"}
        for key, cluster in plan["clusters"].items() if " failing " not in item.name else ():
            if isinstance(cluster, dict) and cluster.get("kubernetes"):
                yield item.name, plan, key
