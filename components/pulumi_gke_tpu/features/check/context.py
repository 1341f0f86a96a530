"""The argument of rules about manifests: every object of the files, and the plan if there is one."""

import functools
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Literal

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.catalog.records.kubernetes import KindFields
from pulumi_gke_tpu.core.fleet import Cluster, SliceGroup
from pulumi_gke_tpu.core.fleet.checked import CheckedPlan
from pulumi_gke_tpu.core.fleet.workloads import KubernetesObjects, kubernetes_objects
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.kinds import Kind, pod_templates, queue_labels
from pulumi_gke_tpu.core.kinds.manifest import is_managed
from pulumi_gke_tpu.core.messages.search import MessageSearch
from pulumi_gke_tpu.core.objects import KubernetesObject, Manifests, OtherDocument, PodTemplate
from pulumi_gke_tpu.core.objects.document import items, known_text, mapping
from pulumi_gke_tpu.core.objects.fields import ObjectPart, parts_of
from pulumi_gke_tpu.core.objects.reports import has_ended
from pulumi_gke_tpu.features.check.forms import SlicePods
from pulumi_gke_tpu.features.check.pod_shapes import (
    ClassSlice,
    PodShape,
    claims_chips,
    class_slices,
    pod_shape,
    shape_by_class,
    slice_pods_of,
)
from pulumi_gke_tpu.features.check.queues import chip_quotas, flavors_of
from pulumi_gke_tpu.features.check.serving import Nearest, ServingGroups

if TYPE_CHECKING:
    from pulumi_gke_tpu.features.check.planned import PlannedObjects


@frozen(eq=False)
class DescribedObject:
    """An object whose fields the catalog knows, and its mappings with them."""

    owner: KubernetesObject
    fact: KindFields
    parts: tuple[ObjectPart, ...]


@frozen(eq=False, slots=False)
class ManifestContext:
    """The objects of some files. ``checked`` is the plan that they are for, ``mode`` the mode of the cluster.

    ``cluster_keys`` are the clusters of the plan that they are for; None if they are for any of them. Paths of hits
    begin with the index of a document: ``document.at("spec", "replicas")`` makes them. ``mode`` is None if it is
    unknown.
    """

    manifests: Manifests
    catalog: Catalog
    checked: CheckedPlan | None = None
    mode: Literal["standard", "autopilot"] | None = None
    cluster_keys: frozenset[str] | None = None

    @functools.cached_property
    def objects(self) -> tuple[KubernetesObject, ...]:
        """Every object of which all fields were read, in order."""
        return tuple(owner for owner in self.manifests.objects if not owner.is_outline)

    @functools.cached_property
    def listed_kinds(self) -> frozenset[str]:
        """The kinds of which a snapshot has every object of the cluster."""
        lists = self.manifests.lists
        here = {lists[owner.file.name] for owner in self.manifests.objects if owner.file.name in lists}
        places = {(each.folder, each.cluster) for each in here}
        return frozenset(each.kind for each in lists.values() if (each.folder, each.cluster) in places)

    @property
    def others(self) -> tuple[OtherDocument, ...]:
        """Every document that is not a Kubernetes object."""
        return self.manifests.others

    @functools.cached_property
    def pods(self) -> tuple[PodTemplate, ...]:
        """Every pod template of every object that is not over, in order."""
        live = (owner for owner in self.objects if not has_ended(owner, self.catalog.statuses))
        return tuple(template for owner in live for template in pod_templates(owner))

    @functools.cached_property
    def tpu_pods(self) -> tuple[PodTemplate, ...]:
        """Every pod template that requests chips or selects TPU nodes."""
        labels, resource = self.catalog.platform.names.node_labels, self.catalog.kubernetes.pods.resource.name
        return tuple(
            pod
            for pod in self.pods
            if pod.selection(labels.accelerator)
            or pod.selection(labels.topology)
            or any(container.amounts(resource) for container in pod.containers(init=True))
        )

    @functools.cached_property
    def other_pods_on_tpus(self) -> tuple[PodTemplate, ...]:
        """Every pod template that requests no chips and selects TPU nodes, by their labels or by a pool of the plan."""
        resource, labels = self.catalog.kubernetes.pods.resource.name, self.catalog.platform.names.node_labels
        return tuple(
            pod
            for pod in (self.pods if self.groups_of_pools else self.tpu_pods)
            if (pod.selection(labels.accelerator) or pod.selection(labels.topology) or self.selected_pools(pod))
            and pod.chips(resource) == 0
            and not claims_chips(pod, self.catalog)
        )

    def selected_pools(self, pod: PodTemplate) -> tuple[SliceGroup, ...]:
        """The slice groups whose node pools the pods select by name; empty if other nodes are among those selected."""
        selected = pod.selection(self.catalog.kubernetes.workloads.nodes.pool) if self.groups_of_pools else None
        if selected is None or selected.open or not all(value in self.groups_of_pools for value in selected.values):
            return ()
        return tuple(self.groups_of_pools[value] for value in selected.values)

    @functools.cached_property
    def groups_of_pools(self) -> dict[str, SliceGroup]:
        """The slice groups of the plan by the names of their node pools; several clusters can have a name."""
        groups = [group for cluster in self.clusters() for group in cluster.groups]
        return {pool.name: group for group in groups for pool in group.pools}

    @functools.cached_property
    def tpu_owners(self) -> frozenset[int]:
        """The indexes of the objects with Pods that request chips or select TPU nodes."""
        return frozenset(pod.owner.index for pod in self.tpu_pods)

    @functools.cached_property
    def described(self) -> tuple[DescribedObject, ...]:
        """Every custom resource whose fields the catalog knows, and every other object with Pods on TPU nodes."""
        kinds = self.catalog.object_fields.kinds
        known = ((owner, fact) for owner, fact in self._known_objects if self._is_checked_whole(owner, fact))
        return tuple(DescribedObject(owner, fact, tuple(parts_of(owner, kinds))) for owner, fact in known)

    @functools.cached_property
    def outlined(self) -> tuple[DescribedObject, ...]:
        """The other objects whose fields the catalog knows, with their outer mappings only if they have containers.

        Where a key is misspelled or a mapping is a number, no containers are found that could request chips.
        """
        kinds = self.catalog.object_fields.kinds
        others = ((owner, fact) for owner, fact in self._known_objects if not self._is_checked_whole(owner, fact))
        return tuple(
            DescribedObject(owner, fact, tuple(parts_of(owner, kinds, with_spec=not self._has_containers(owner))))
            for owner, fact in others
        )

    def _is_checked_whole(self, owner: KubernetesObject, fact: KindFields) -> bool:
        return not fact.version or owner.index in self.tpu_owners

    def _has_containers(self, owner: KubernetesObject) -> bool:
        return any(pod.containers() for pod in self.pods_by_owner.get(owner.index, ()))

    @functools.cached_property
    def _known_objects(self) -> tuple[tuple[KubernetesObject, KindFields], ...]:
        kinds, controllers = self.catalog.object_fields.kinds, self.catalog.kubernetes.controllers.values()
        versions = {(item.group, kind): item.version for item in controllers for kind in item.kinds}
        found = []
        for owner in self.objects:
            known = kinds.get(owner.kind)
            if known is None or known.group != owner.group:
                continue
            if owner.version == (known.version or versions.get((owner.group, owner.kind))):
                found.append((owner, known))
        return tuple(found)

    @functools.cached_property
    def pods_by_owner(self) -> dict[int, tuple[PodTemplate, ...]]:
        """The pod templates of each object, by the index of the object."""
        found: dict[int, list[PodTemplate]] = {}
        for pod in self.pods:
            found.setdefault(pod.owner.index, []).append(pod)
        return {index: tuple(pods) for index, pods in found.items()}

    @functools.cached_property
    def slice_pods(self) -> tuple[SlicePods, ...]:
        """Every pod template whose slice is known: its accelerator, its topology, and by its chips its form."""
        return tuple(found for pod in self.tpu_pods if (found := slice_pods_of(pod, self.shape(pod))))

    @functools.cached_property
    def _shapes(self) -> dict[int, PodShape]:
        return {}

    def shape(self, pod: PodTemplate) -> PodShape:
        """The slice that the pods of a template ask for."""
        if id(pod) not in self._shapes:
            found = pod_shape(pod, self.catalog, self.mode)
            selected = pod.selection(self.catalog.kubernetes.compute_classes.form.selector)
            if found.family is None and selected is not None and not selected.open and len(selected.values) == 1:
                found = shape_by_class(found, self._class_slices.get(selected.values[0], frozenset()), self.catalog)
            self._shapes[id(pod)] = found
        return self._shapes[id(pod)]

    @functools.cached_property
    def _class_slices(self) -> dict[str, frozenset[ClassSlice]]:
        """The slices that each ComputeClass of the files and of the plan creates."""
        found: dict[str, frozenset[ClassSlice]] = {
            group.compute_class: frozenset(
                {(group.shape.accelerator_label, str(group.shape.topology), group.shape.chips_per_host)}
            )
            for cluster in self.clusters()
            for group in cluster.groups
            if group.compute_class is not None
        }
        for owner in self.of_kind("ComputeClass", self.catalog.kubernetes.controllers["compute_class"].group):
            found[owner.name] = class_slices(owner)
        return found

    @functools.cached_property
    def messages(self) -> MessageSearch:
        """The texts of failures of the catalog."""
        return MessageSearch(self.catalog)

    @functools.cached_property
    def chip_flavors(self) -> frozenset[str]:
        """The names of the flavors with chips in any queue or cohort; a quota that is not known counts as chips."""
        resource, kueue = self.catalog.kubernetes.pods.resource.name, self.catalog.kubernetes.controllers["kueue"].group
        owners = (owner for kind in ("ClusterQueue", "Cohort") for owner in self.of_kind(kind, kueue))
        quotas = (quota for owner in owners for quota in chip_quotas(owner, resource))
        return frozenset(quota.flavor for quota in quotas if quota.chips != 0)

    def of(self, kind: Kind) -> Iterator[KubernetesObject]:
        """Every object of a kind of workloads."""
        return self.of_kind(kind.name, kind.group)

    def of_kind(self, kind: str, group: str) -> Iterator[KubernetesObject]:
        """Every object of a kind."""
        return iter(self._by_kind.get((group, kind), ()))

    def slices(self) -> Iterator[KubernetesObject]:
        """Every Slice, which GKE forms of the partitions of cubes."""
        kind = self.catalog.kubernetes.kinds.objects["slice"]
        return self.of_kind(kind.kind, kind.api_version.partition("/")[0])

    def named(self, kind: str, group: str, name: str) -> tuple[KubernetesObject, ...]:
        """Every object of a kind with a name, in any namespace."""
        return tuple(self._by_name.get((group, kind, name), ()))

    def reachable(self, kind: str, group: str, name: str, namespace: str) -> tuple[KubernetesObject, ...]:
        """Every object of a kind with a name that may be in a namespace: one of the two may state none."""
        key = group, kind, name
        if (key, namespace) not in self._reachable:
            found = self._by_namespace.get(key, {})
            places = dict.fromkeys(("", namespace)) if namespace else found
            self._reachable[key, namespace] = tuple(owner for place in places for owner in found.get(place, ()))
        return self._reachable[key, namespace]

    def local_queue(self, owner: KubernetesObject) -> KubernetesObject | None:
        """The LocalQueue of a workload; None if the files do not define it.

        An object without a namespace gets it from the command that creates it, so that it can be any.
        """
        group = self.catalog.kubernetes.controllers["kueue"].group
        queue = known_text(queue_labels(owner).get(self.catalog.kubernetes.kueue.labels.queue))
        return next(iter(self.reachable("LocalQueue", group, queue, owner.namespace)), None) if queue else None

    def cluster_queue(self, owner: KubernetesObject) -> KubernetesObject | None:
        """The ClusterQueue of a workload; None if the files do not define it."""
        group, local = self.catalog.kubernetes.controllers["kueue"].group, self.local_queue(owner)
        found = self.named("ClusterQueue", group, known_text(local.spec.get("clusterQueue"))) if local else ()
        return found[0] if found else None

    @functools.cached_property
    def _reachable(self) -> dict[tuple[tuple[str, str, str], str], tuple[KubernetesObject, ...]]:
        return {}

    @functools.cached_property
    def _by_kind(self) -> dict[tuple[str, str], list[KubernetesObject]]:
        found: dict[tuple[str, str], list[KubernetesObject]] = {}
        for owner in self.objects:
            found.setdefault((owner.group, owner.kind), []).append(owner)
        return found

    @functools.cached_property
    def _by_name(self) -> dict[tuple[str, str, str], list[KubernetesObject]]:
        found: dict[tuple[str, str, str], list[KubernetesObject]] = {}
        for owner in self.objects:
            found.setdefault((owner.group, owner.kind, owner.name), []).append(owner)
        return found

    @functools.cached_property
    def _by_namespace(self) -> dict[tuple[str, str, str], dict[str, list[KubernetesObject]]]:
        found: dict[tuple[str, str, str], dict[str, list[KubernetesObject]]] = {}
        for key, owners in self._by_name.items():
            for owner in owners:
                found.setdefault(key, {}).setdefault(owner.namespace, []).append(owner)
        return found

    def clusters(self) -> tuple[Cluster, ...]:
        """The clusters of the plan that the objects are for; none without a plan."""
        clusters = self.checked.fleet.clusters if self.checked is not None and self.checked.fleet is not None else ()
        return tuple(each for each in clusters if self.cluster_keys is None or each.key in self.cluster_keys)

    @functools.cached_property
    def groups_of_shapes(self) -> dict[ClassSlice, list[SliceGroup]]:
        """The slice groups of the plan by their accelerator label, their topology and the chips of a host."""
        found: dict[ClassSlice, list[SliceGroup]] = {}
        for group in (group for cluster in self.clusters() for group in cluster.groups):
            key = group.shape.accelerator_label, str(group.shape.topology), group.shape.chips_per_host
            found.setdefault(key, []).append(group)
        return found

    @functools.cached_property
    def formed(self) -> Counter[str]:
        """How many slices people form themselves of each topology, in the files or the plan; "" if it is unknown."""
        found = {(owner.name, known_text(owner.spec.get("topology"))) for owner in self.slices()}
        for workload in (each for objects in self.objects_of_plan for each in objects.workloads):
            found.update((name, str(workload.shape.topology)) for name in workload.slice_names)
        return Counter(topology for _, topology in found)

    @functools.cached_property
    def groups(self) -> ServingGroups:
        """The slice groups of the plan, to compare pods with."""
        return ServingGroups(self.clusters(), self.catalog, self.tolerations_of_flavors, self.formed.keys())

    @functools.cached_property
    def written(self) -> tuple[KubernetesObject, ...]:
        """The objects that gke-tpu wrote, to compare them with those of the plan; none without a plan that is valid.

        A plan that describes node pools of other tools has no objects, because those tools do not write them.
        """
        if self.checked is None or self.checked.has_errors or not self.clusters():
            return ()
        if self.checked.document.describes_resources:
            return ()
        return tuple(filter(is_managed, self.objects))

    @functools.cached_property
    def planned(self) -> "PlannedObjects":
        """The objects that gke-tpu writes for the plan now."""
        from pulumi_gke_tpu.features.check.planned import PlannedObjects  # only checks against a plan need it

        return PlannedObjects(self.clusters(), self.catalog)

    @functools.cached_property
    def unserved(self) -> dict[int, tuple[PodTemplate, Nearest]]:
        """The pod templates that no group serves and GKE makes no nodes for, with the group that is nearest to each.

        The keys are the identities of the templates.
        """
        return {id(pod): (pod, self.groups.nearest(pod, self.shape(pod))) for pod in self.tpu_pods if self._waits(pod)}

    def _waits(self, pod: PodTemplate) -> bool:
        shape = self.shape(pod)
        label = shape.family.family.accelerator_label if shape.family is not None else ""
        if not self.groups or self.groups.makes_nodes(label) or pod.is_open:
            return False
        return bool(shape.chips or claims_chips(pod, self.catalog)) and not self.groups.serving(pod, shape).groups

    def tolerations_of_flavors(self, pod: PodTemplate) -> tuple[Any, ...]:
        """The tolerations that Kueue gives the pods of a workload in a queue: those of the flavors of the queue.

        A flavor that neither the files nor the plan have can tolerate the taint of queued nodes.
        """
        facts = self.catalog.kubernetes
        key, kueue = facts.kueue.labels.queue, facts.controllers["kueue"].group
        label = queue_labels(pod.owner).get(key) or mapping(pod.metadata.get("labels")).get(key)
        if label is None:
            return ()
        queue = self.cluster_queue(pod.owner)
        names = tuple(flavors_of(queue)) if queue is not None else ()
        flavors = [flavor for name in names for flavor in self.named("ResourceFlavor", kueue, name)]
        known = len(flavors) >= len(names) if queue is not None else known_text(label) in self.queues_of_plan
        unknown = () if known else ({"key": self.catalog.platform.names.node_labels.queued, "operator": "Exists"},)
        return (*(item for flavor in flavors for item in items(flavor.spec.get("tolerations"))), *unknown)

    @functools.cached_property
    def queues_of_plan(self) -> Mapping[str, frozenset[str]]:
        """The namespaces of the queues of the plan, by the name of the queue."""
        found: dict[str, set[str]] = {}
        for objects in self.objects_of_plan:
            for queue in objects.queues:
                found.setdefault(queue.name, set()).update(queue.namespaces)
        return {name: frozenset(namespaces) for name, namespaces in found.items()}

    @functools.cached_property
    def objects_of_plan(self) -> tuple[KubernetesObjects, ...]:
        """What the Kubernetes keys of each cluster of the plan ask for."""
        found = (kubernetes_objects(cluster) for cluster in self.clusters())
        return tuple(objects for objects in found if objects is not None)
