"""What a change does to the Kubernetes objects of clusters, as ``TpuWorkloads`` and ``kubectl apply`` see it."""

from collections.abc import Iterator, Sequence

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.fleet import Cluster, Fleet
from pulumi_gke_tpu.core.fleet.pairs import pair_fleets
from pulumi_gke_tpu.core.fleet.workloads import flavor_name, flavors_of
from pulumi_gke_tpu.core.graph.builders.kubernetes import fixed_properties, in_queue, object_title
from pulumi_gke_tpu.core.kinds import kind_of_manifest
from pulumi_gke_tpu.core.kinds.manifest import Concern, Manifest
from pulumi_gke_tpu.core.kubernetes.endpoint_pickers import EndpointPicker, endpoint_pickers
from pulumi_gke_tpu.core.kubernetes.fleet import manifests
from pulumi_gke_tpu.core.kubernetes.operators import Installation, installations
from pulumi_gke_tpu.core.text.formats.property_path import parse_path, values_at
from pulumi_gke_tpu.features.diff.model import ObjectChange

_STOPS: dict[Concern, str] = {
    "namespaces": "Everything in the namespace is deleted",
    "storage": "Data on its disk can be lost",
    "workloads": "Its Pods stop",
}
"""What a deletion means, by concern."""
_CUTS = {
    "Service": "Its name does not lead to Pods as long as it does not exist",
    "Gateway": "Its load balancer and its address are deleted",
    "HTTPRoute": "The load balancer no longer sends requests to the servers",
}
"""Kinds of objects that lead clients to Pods, with what their deletion means."""
_OF_KINDS = {**_CUTS, "CheckpointConfiguration": "Checkpoints in the memory of its hosts are lost"}
"""What a deletion means for some kinds, instead of what it means for their concern."""
_RECREATES = "Its Pods can stop: Kubernetes or its controller re-creates those that no longer match."
_KEEPS = (
    "Pods that run stay as they are, and only new ones have the change. Delete it and apply it again to change all."
)
_QUEUES_AGAIN = (
    "Kueue stops it and queues it again if its containers or the number of its Pods change. After other changes, only "
    "new Pods have them."
)
"""What an update means to Pods; the last two are of kinds that keep their Pods, outside of queues and in one."""
_FLAVOR = "ResourceFlavor"
_JOINED = (
    "Its slice groups have the flavor `{}` after this change. Admitted workloads keep their Pods, but no queue counts "
    "their chips any more: until they end, Kueue admits others to the same chips. Those that wait, or that Kueue "
    "preempts, are admitted again only with the toleration of the new flavor"
)
"""What happens to workloads when slice groups join a budget."""
_OPERATOR = "Operator"
_PICKER = "EndpointPicker"
_WITHOUT_PICKER = "Its InferencePool is deleted too, so the load balancer refuses requests"
_UNINSTALLED = "Nothing acts on the objects of its kinds any more, and Helm also deletes them if it deletes their kinds"
_BESIDE = {
    "HorizontalPodAutoscaler": "The number of slices no longer follows a metric",
    "PodDisruptionBudget": "Upgrades can then interrupt all slices at the same time",
    "HealthCheckPolicy": "The health checks of the load balancer then use the defaults of GKE",
    "GCPBackendPolicy": "The load balancer then waits for answers as long as GKE decides",
}
"""Kinds of objects beside a workload, whose change stops no Pods, with what their deletion means."""


def object_changes(plan: str, base: Fleet, head: Fleet, catalog: Catalog) -> Iterator[ObjectChange]:
    """The objects that differ, in the order of their creation, then the deleted ones.

    Objects of a new or deleted cluster are part of its own change.
    """
    for pair in pair_fleets(base, head):
        if pair.base is None or pair.head is None:
            continue
        yield from _operator_changes(plan, pair.base, pair.head, catalog)
        before, after = _objects(pair.base, catalog), _objects(pair.head, catalog)
        joined = _joined_flavors(pair.base, pair.head)
        for title, item in after.items():
            former = before.get(title)
            if former is None:
                yield ObjectChange(plan, pair.head.key, title, "create", False, "")
            elif former.object != item.object:
                changed = [path for path in fixed_properties(item, catalog) if _differs(former, item, path)]
                yield _changed(plan, pair.head.key, former, item, changed, queued=in_queue(item, catalog))
        for title, item in before.items():
            if title not in after:
                loss = _loss(item)
                flavor = joined.get(item.name, "") if item.kind == _FLAVOR else ""
                unused = "Nothing uses it after this change, as far as the plan shows"
                means = _JOINED.format(flavor) if flavor else loss or _BESIDE.get(item.kind, unused)
                yield ObjectChange(plan, pair.head.key, title, "delete", bool(loss or flavor), f"{means}.")
        yield from _picker_changes(plan, pair.base, pair.head, catalog)


def _joined_flavors(base: Cluster, head: Cluster) -> dict[str, str]:
    """The flavors that slice groups leave for another one, because they join a budget or leave it."""
    names = {group.path[-1]: flavor_name(group) for flavor in flavors_of(head) for group in flavor.groups}
    return {
        flavor.name: names[group.path[-1]]
        for flavor in flavors_of(base)
        for group in flavor.groups
        if names.get(group.path[-1], flavor.name) != flavor.name
    }


def _operator_changes(plan: str, base: Cluster, head: Cluster, catalog: Catalog) -> Iterator[ObjectChange]:
    """What a change does to operators. Their Pods start again, and running workloads continue without them."""
    before, after = _installations(base, catalog), _installations(head, catalog)
    for key, item in after.items():
        former, operator = before.get(key), item.operator
        title = f"{_OPERATOR}/{operator.fact.title}"
        if former is None:
            yield ObjectChange(plan, head.key, title, "create", False, "")
        elif former.operator.version != operator.version:
            means = f"Its release changes from {former.operator.version} to {operator.version}."
            yield ObjectChange(plan, head.key, title, "update", False, means)
        elif [file.object for file in former.files.values()] != [file.object for file in item.files.values()]:
            yield ObjectChange(plan, head.key, title, "update", False, "It starts again with another configuration.")
    for key, item in before.items():
        if key not in after:
            title = f"{_OPERATOR}/{item.operator.fact.title}"
            yield ObjectChange(plan, head.key, title, "delete", True, f"{_UNINSTALLED}.")


def _installations(cluster: Cluster, catalog: Catalog) -> dict[str, Installation]:
    return {item.operator.key: item for item in installations(cluster, catalog)}


def _picker_changes(plan: str, base: Cluster, head: Cluster, catalog: Catalog) -> Iterator[ObjectChange]:
    before, after = _pickers(base, catalog), _pickers(head, catalog)
    for title, item in after.items():
        former = before.get(title)
        if former is None:
            yield ObjectChange(plan, head.key, title, "create", False, "")
        elif former.release != item.release:
            yield ObjectChange(plan, head.key, title, "update", False, "Its Helm release is upgraded.")
    for title in (title for title in before if title not in after):
        yield ObjectChange(plan, head.key, title, "delete", True, f"{_WITHOUT_PICKER}.")


def _pickers(cluster: Cluster, catalog: Catalog) -> dict[str, EndpointPicker]:
    return {f"{_PICKER}/{item.namespace}/{item.name}": item for item in endpoint_pickers(cluster, catalog)}


def _objects(cluster: Cluster, catalog: Catalog) -> dict[str, Manifest]:
    return {object_title(item): item for item in manifests(cluster, catalog) if item.concern != "examples"}


def _changed(
    plan: str, cluster: str, was: Manifest, will: Manifest, fixed: Sequence[str], *, queued: bool
) -> ObjectChange:
    """The change of an object. ``fixed`` are the changed properties that cannot be updated."""
    title = object_title(will)
    if fixed or was.object["apiVersion"] != will.object["apiVersion"]:
        loss = _loss(will) if will.kind != "StorageClass" else ""
        reason = (
            f"`{fixed[0]}` cannot change, so it is deleted and created again" if fixed else "Its API version changes"
        )
        means = f"{reason}{f': {loss[:1].lower()}{loss[1:]}' if loss else ''}."
        return ObjectChange(plan, cluster, title, "replace", bool(loss), means)
    keys = was.object.keys() | will.object.keys()
    differs = sorted(key for key in keys if key != "metadata" and was.object.get(key) != will.object.get(key))
    if not differs:
        return ObjectChange(plan, cluster, title, "update", False, "Only its labels or annotations change.")
    if will.concern != "workloads" or will.kind in (*_CUTS, *_BESIDE):
        return ObjectChange(plan, cluster, title, "update", False, "It is updated in place.")
    kind = kind_of_manifest(will)
    means = _RECREATES if kind is None or not kind.keeps_pods else _QUEUES_AGAIN if queued else _KEEPS
    return ObjectChange(plan, cluster, title, "update", True, means)


def _loss(item: Manifest) -> str:
    """What the deletion of an object means; empty if it means nothing."""
    if item.kind in _BESIDE:
        return ""
    return _OF_KINDS.get(item.kind, _STOPS.get(item.concern, ""))


def _differs(before: Manifest, after: Manifest, path: str) -> bool:
    steps = parse_path(path)
    return values_at(before.object, steps) != values_at(after.object, steps)
