"""What a change does to the Kubernetes objects of clusters, as ``TpuWorkloads`` and ``kubectl apply`` see it."""

from collections.abc import Iterator

from pulumi_gke_tpu.catalog import Catalog
from pulumi_gke_tpu.change.model import ObjectChange
from pulumi_gke_tpu.fleet import Cluster, Fleet
from pulumi_gke_tpu.fleet.pairs import pair_fleets
from pulumi_gke_tpu.graph.builders.kubernetes import FIXED, object_title
from pulumi_gke_tpu.kubernetes.builders.fleet import manifests
from pulumi_gke_tpu.kubernetes.builders.manifest import Concern, Manifest

_STOPS: dict[Concern, str] = {
    "namespaces": "Everything in the namespace is deleted",
    "storage": "Data on its disk can be lost",
    "workloads": "Its Pods stop",
}
"""What a deletion means, by concern."""


def object_changes(plan: str, base: Fleet, head: Fleet, catalog: Catalog) -> Iterator[ObjectChange]:
    """The objects that differ, in the order of their creation, then the deleted ones.

    Objects of a new or deleted cluster are part of its own change.
    """
    for pair in pair_fleets(base, head):
        if pair.base is None or pair.head is None:
            continue
        before, after = _objects(pair.base, catalog), _objects(pair.head, catalog)
        for title, item in after.items():
            former = before.get(title)
            if former is None:
                yield ObjectChange(plan, pair.head.key, title, "create", False, "")
            elif former.object != item.object:
                yield _changed(plan, pair.head.key, title, former, item)
        for title, item in before.items():
            if title not in after:
                means = _STOPS.get(item.concern, "Nothing uses it after this change, as far as the plan shows")
                yield ObjectChange(plan, pair.head.key, title, "delete", item.concern in _STOPS, f"{means}.")


def _objects(cluster: Cluster, catalog: Catalog) -> dict[str, Manifest]:
    return {object_title(item): item for item in manifests(cluster, catalog) if item.concern != "examples"}


def _changed(plan: str, cluster: str, title: str, was: Manifest, will: Manifest) -> ObjectChange:
    fixed = [name for name in FIXED.get(will.kind, ()) if was.object.get(name) != will.object.get(name)]
    if fixed or was.object["apiVersion"] != will.object["apiVersion"]:
        stops = _STOPS.get(will.concern) if will.kind != "StorageClass" else None
        reason = (
            f"`{fixed[0]}` cannot change, so it is deleted and created again" if fixed else "Its API version changes"
        )
        means = f"{reason}{f': {stops[:1].lower()}{stops[1:]}' if stops else ''}."
        return ObjectChange(plan, cluster, title, "replace", stops is not None, means)
    keys = was.object.keys() | will.object.keys()
    differs = sorted(key for key in keys if key != "metadata" and was.object.get(key) != will.object.get(key))
    if not differs:
        return ObjectChange(plan, cluster, title, "update", False, "Only its labels or annotations change.")
    if will.concern != "workloads":
        return ObjectChange(plan, cluster, title, "update", False, "It is updated in place.")
    means = "Its Pods can stop: Kubernetes or its controller re-creates those that no longer match."
    return ObjectChange(plan, cluster, title, "update", True, means)
