"""The Kubernetes objects of a cluster, as resources of the Kubernetes provider."""

import dataclasses
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.fleet import Cluster
from pulumi_gke_tpu.core.fleet.workloads import Workload, is_queued, kubernetes_objects
from pulumi_gke_tpu.core.graph.builders.properties import former_names
from pulumi_gke_tpu.core.graph.declared import Declared, DeclaredOptions, Key, key_of
from pulumi_gke_tpu.core.graph.resource_types import HELM_RELEASE, TPU_WORKLOADS, kubernetes_type
from pulumi_gke_tpu.core.kinds import kind_of_manifest
from pulumi_gke_tpu.core.kinds.manifest import Concern, Manifest
from pulumi_gke_tpu.core.kubernetes.endpoint_pickers import endpoint_pickers
from pulumi_gke_tpu.core.kubernetes.fleet import manifests
from pulumi_gke_tpu.core.kubernetes.operators import helm_releases
from pulumi_gke_tpu.core.text.findings import format_path
from pulumi_gke_tpu.core.text.formats.property_path import format_steps

_SKIP_AWAIT = {"pulumi.com/skipAwait": "true"}
_WITHOUT_AWAIT: tuple[Concern, ...] = ("storage", "workloads")
"""Without the annotation, `pulumi up` would wait until Jobs are complete, and claims until a Pod uses them."""
_DELETE_AT_ONCE = {"pulumi.com/deletionPropagationPolicy": "background"}
"""Deletes an object before its Pods, which end in their grace period, so that another of its name can be created."""
_FORCE = {"pulumi.com/patchForce": "true"}
"""Takes back fields of other managers. Without it, an update of an object that Kueue or KubeRay has changed fails."""

_ACCESS: Concern = "access"
"""Objects with the same names in each namespace. The names of other resources have a namespace only if they have to."""
_IN_NAMESPACES: tuple[Concern, ...] = ("service-accounts", "queues")
"""Objects that a plan can have in several namespaces."""
_DELETE_MINUTES = 10
"""How long the provider waits for a deletion, besides the time that Pods have to end."""


def tpu_workloads(cluster: Cluster, catalog: Catalog, name: str) -> Iterator[Declared]:
    """The component, the operators and the objects of a cluster.

    Each operator depends on the one before, each object on those of the concern before its own, the first ones on the
    operators, and each endpoint picker on the objects of the workloads.
    """
    key = key_of(TPU_WORKLOADS, name)
    every = [item for item in manifests(cluster, catalog) if item.concern != "examples"]
    yield Declared(
        TPU_WORKLOADS, name, "", {"cluster": cluster.key}, outputs={"objects": [object_title(item) for item in every]}
    )
    objects = kubernetes_objects(cluster)
    workloads = objects.workloads if objects is not None else ()
    timeouts, queued = _timeouts(workloads), {item.path for item in workloads if is_queued(item, catalog)}
    concern: Concern | None = None
    before: list[Key] = []
    present: list[Key] = []
    for release in helm_releases(cluster, catalog):
        options, path = DeclaredOptions(depends_on=tuple(present)), format_path(release.operator.path)
        place = f"{name}/operators/{release.name}"
        declared = Declared(HELM_RELEASE, place, key, release.properties, options, path)
        present.append(declared.key)
        yield declared
    names = _names(name, every, objects.namespace if objects is not None else "")
    for item in every:
        if item.concern != concern:
            concern, before, present = item.concern, present, []
        own, *former = names[object_title(item)]
        declared = _declared(
            item,
            own,
            key,
            DeclaredOptions(custom_timeouts=timeouts, depends_on=tuple(before), aliases=former_names(former)),
            catalog,
            queued=item.path in queued,
        )
        present.append(declared.key)
        yield declared
    for picker in endpoint_pickers(cluster, catalog):
        options, path = DeclaredOptions(depends_on=tuple(present)), format_path(picker.path)
        yield Declared(HELM_RELEASE, f"{name}/endpoint-pickers/{picker.name}", key, picker.release, options, path)


def _names(component: str, every: Iterable[Manifest], home: str) -> dict[str, tuple[str, ...]]:
    """The name of the resource of each object, by its title, and those that it could have had before.

    An object in several namespaces has its namespace in the name of each, so that another order of the namespaces
    changes nothing. Before it was in several, it had no namespace in its name, and was in the one of the plan, or else
    in the first one.
    """
    places: dict[tuple[str, str], list[str]] = {}
    for item in every:
        places.setdefault((item.kind, item.name), []).append(item.object["metadata"].get("namespace", ""))
    names = {}
    for item in every:
        namespace, others = item.object["metadata"].get("namespace", ""), places[item.kind, item.name]
        short, long = f"{component}/{item.name}", f"{component}/{namespace}/{item.name}"
        if item.concern == _ACCESS:
            found: tuple[str, ...] = (long,)
        elif len(others) > 1:
            found = (long, short) if namespace == (home if home in others else others[0]) else (long,)
        else:
            found = (short, long) if item.concern in _IN_NAMESPACES and namespace else (short,)
        names[object_title(item)] = found
    return names


def fixed_properties(item: Manifest, catalog: Catalog) -> tuple[str, ...]:
    """The paths of the properties whose change deletes an object and creates it again."""
    key, kind, facts = _kind_key(item, catalog), kind_of_manifest(item), catalog.kubernetes.replacements
    labels = catalog.kubernetes.kueue.labels
    fixed = (labels.queue, labels.priority_class) if kind is not None and kind.written is not None else ()
    queued = facts.queued.get(key, ()) if in_queue(item, catalog) else ()
    return (*facts.fixed.get(key, ()), *(format_steps(("metadata", "labels", label)) for label in fixed), *queued)


def in_queue(item: Manifest, catalog: Catalog) -> bool:
    """Whether Kueue admits an object."""
    return catalog.kubernetes.kueue.labels.queue in item.object["metadata"].get("labels", {})


def _timeouts(workloads: Iterable[Workload]) -> tuple[tuple[str, str], ...]:
    """A longer timeout of deletions, if a Pod has time to end: until then, its JobSet, disk and namespace stay."""
    periods = [item.plan.grace_period for item in workloads if item.plan.grace_period]
    if not periods:
        return ()
    minutes = -(-int(max(periods).total_seconds()) // 60)
    return (("delete", f"{minutes + _DELETE_MINUTES}m"),)


def _declared(
    item: Manifest, name: str, parent: Key, options: DeclaredOptions, catalog: Catalog, *, queued: bool
) -> Declared:
    """One object. Its name is fixed, so it is deleted before it is created again."""
    return Declared(
        kubernetes_type(item.object["apiVersion"], item.kind),
        name,
        parent,
        _properties(item, catalog, queued=queued),
        dataclasses.replace(options, delete_before_replace=True, replace_on_changes=fixed_properties(item, catalog)),
        format_path(item.path),
    )


def _properties(item: Manifest, catalog: Catalog, *, queued: bool) -> Mapping[str, Any]:
    if item.concern not in _WITHOUT_AWAIT:
        return item.object
    at_once = _kind_key(item, catalog) in catalog.kubernetes.replacements.deleted_at_once
    taken = catalog.kubernetes.kueue.taken_lists.is_taken(_kind_key(item, catalog), queued=queued)
    metadata = item.object["metadata"]
    annotations = {
        **metadata.get("annotations", {}),
        **_SKIP_AWAIT,
        **(_DELETE_AT_ONCE if at_once else {}),
        **(_FORCE if taken else {}),
    }
    return {**item.object, "metadata": {**metadata, "annotations": annotations}}


def _kind_key(item: Manifest, catalog: Catalog) -> str:
    """The key of the object's kind in the catalog."""
    return next(key for key, kind in catalog.kubernetes.kinds.objects.items() if kind.kind == item.kind)


def object_title(item: Manifest) -> str:
    """Kind and name, with the namespace if there is one."""
    namespace = item.object["metadata"].get("namespace")
    return "/".join(part for part in (item.kind, namespace, item.name) if part)
