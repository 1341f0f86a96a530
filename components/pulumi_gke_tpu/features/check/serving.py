"""Which slice groups of a plan can serve the pods of a manifest, and what keeps the others from it."""

from collections.abc import Iterable, Iterator, Mapping

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.fleet import Cluster, SliceGroup
from pulumi_gke_tpu.core.fleet.autoprovisioning import tpu_limits
from pulumi_gke_tpu.core.fleet.labels import capacity_selector
from pulumi_gke_tpu.core.fleet.scheduling import node_labels
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.objects import PodTemplate, Selection
from pulumi_gke_tpu.core.objects.tolerations import tolerates
from pulumi_gke_tpu.core.text.findings import Path
from pulumi_gke_tpu.core.text.formats.kubernetes import taint_effect
from pulumi_gke_tpu.features.check.pod_shapes import PodShape

_SOFT = "PreferNoSchedule"
_SYSTEM = ("gke.io", "google.com", "k8s.io", "kubernetes.io")
"""The domains of labels that Kubernetes and GKE set."""
_PROVISION_ONLY = "provision_only"
"""The mode of a workload policy whose hosts the slice controller connects."""
_MOST_COMPARED = 100
"""How many groups are compared with pods of a shape that no group has, to name the nearest one."""


@frozen
class Mismatch:
    """Why a group does not serve pods: the label, taint or number that differs.

    ``path`` leads to the selection in the object; empty if the pods select nothing.
    """

    what: str
    wanted: str
    given: str
    path: Path = ()
    capacity: bool = False
    """Whether it is about the capacity mode."""


@frozen
class Serving:
    """A group, and what keeps it from serving some pods; nothing if it serves them."""

    cluster: Cluster
    group: SliceGroup
    mismatches: tuple[Mismatch, ...]


@frozen
class _Group:
    """A group, the labels of its nodes, those with several values, and those whose values are not known.

    ``dynamic`` states whether the slice controller can form slices of its hosts.
    """

    cluster: Cluster
    group: SliceGroup
    dynamic: bool
    labels: dict[str, str]
    several: dict[str, tuple[str, ...]]
    unknown: frozenset[str]


class ServingGroups:
    """The slice groups of some clusters, in a form in which many pods can be compared with them.

    Pods are compared only with groups that have the rarest of the labels that they select, and pods with equal
    selections once.
    """

    def __init__(self, clusters: Iterable[Cluster], catalog: Catalog) -> None:
        self._catalog = catalog
        self._pool_label = catalog.kubernetes.workloads.nodes.pool
        self._host = catalog.kubernetes.pods.host_name
        self._class_label = catalog.kubernetes.compute_classes.form.selector
        names = catalog.platform.names
        capacity = names.capacity_labels
        slices = catalog.kubernetes.pods.dynamic_slices
        self._by_controller = {names.node_labels.topology, *slices.labels}
        self._capacity = {capacity.spot, capacity.flex_start, capacity.reservation, names.node_labels.queued}
        self._groups = [self._described(cluster, group) for cluster in clusters for group in cluster.groups]
        self._index: dict[str, dict[str, list[_Group]]] = {}
        for each in self._groups:
            several = ((key, value) for key, values in each.several.items() for value in values)
            for key, value in (*each.labels.items(), *several):
                self._index.setdefault(key, {}).setdefault(value, []).append(each)
        self._of_classes = [each for each in self._groups if each.group.compute_class is not None]
        self._without = frozenset(key for each in self._groups for key in each.unknown)
        self._found: dict[object, tuple[Serving, ...]] = {}

    def __bool__(self) -> bool:
        return bool(self._groups)

    def serving(self, pod: PodTemplate, shape: PodShape) -> tuple[Serving, ...]:
        """The groups that serve the pods; if there is none, the nearest groups with their mismatches, nearest first."""
        selections = {
            key: selection
            for key in _keys(pod)
            if (selection := pod.selection(key)) is not None and not (shape.dynamic and key in self._by_controller)
        }
        known = tuple(sorted((key, selection.values, selection.open) for key, selection in selections.items()))
        signature = (known, shape.chips, shape.dynamic, repr(pod.spec.get("tolerations")))
        if signature not in self._found:
            candidates = self._candidates(selections)
            served = [each for each in candidates if not any(self._all(each, pod, shape, selections))]
            found = served or (candidates or self._groups)[:_MOST_COMPARED]
            compared = (
                Serving(each.cluster, each.group, tuple(self._all(each, pod, shape, selections))) for each in found
            )
            self._found[signature] = tuple(sorted(compared, key=_distance))
        return self._found[signature]

    def with_labels(self, labels: Mapping[str, Selection]) -> list[tuple[Cluster, SliceGroup]]:
        """The groups whose nodes have some labels."""
        found = self._candidates(labels)
        return [(each.cluster, each.group) for each in found if not any(self._mismatches(labels, each))]

    def _described(self, cluster: Cluster, group: SliceGroup) -> _Group:
        unknown = {key for key, value in group.plan.node_labels.items() if not isinstance(value, str)}
        unknown.add(self._host.label)
        several = {self._pool_label: tuple(pool.name for pool in group.pools)}
        if group.zones:
            regions = dict.fromkeys(zone.rpartition("-")[0] for zone in group.zones)
            several |= {self._host.zone_label: group.zones, self._host.region_label: tuple(regions)}
        labels, dynamic = _labels(cluster, group, self._catalog), _may_form_slices(cluster, group)
        return _Group(cluster, group, dynamic, labels, several, frozenset(unknown))

    def _candidates(self, selections: Mapping[str, Selection]) -> list[_Group]:
        """Groups of which those with the selected labels are a part: those with the rarest label, and of classes.

        GKE sets labels on the nodes of a ComputeClass that the plan does not state.
        """
        fewest = self._groups
        for key, selection in selections.items():
            if selection.open or key in self._without or key not in self._index:
                continue
            found = [each for value in selection.values for each in self._index[key].get(value, ())]
            found += (each for each in self._of_classes if each not in found)
            fewest = found if len(found) < len(fewest) else fewest
        return fewest

    def _all(
        self, each: _Group, pod: PodTemplate, shape: PodShape, selections: Mapping[str, Selection]
    ) -> Iterator[Mismatch]:
        """The mismatches of labels, chips and taints."""
        yield from self._mismatches(selections, each)
        if shape.chips and shape.chips != each.group.shape.chips_per_host:
            resource = self._catalog.kubernetes.pods.resource.name
            yield Mismatch(resource, str(shape.chips), str(each.group.shape.chips_per_host))
        if shape.dynamic and not each.dynamic:
            yield Mismatch("topology_mode", _PROVISION_ONLY, "")
        if each.cluster.mode == "standard" and each.group.compute_class is None:
            for taint in each.group.plan.taints:
                if taint_effect(taint.effect) != _SOFT and not tolerates(pod, taint.key, taint.value or ""):
                    yield Mismatch(f"taint {taint.key}", "", taint.key)

    def _mismatches(self, selections: Mapping[str, Selection], each: _Group) -> Iterator[Mismatch]:
        """The selected labels that the nodes of a group do not have. Open selections and unknown labels match."""
        if each.group.compute_class is not None and self._class_label not in selections:
            yield Mismatch(self._class_label, "", each.group.compute_class)
        for key, selection in selections.items():
            if selection.open or key in each.unknown:
                continue
            has = self._values(key, each)
            if has is not None and not set(selection.values) & set(has):
                capacity = key in self._capacity
                yield Mismatch(key, ", ".join(selection.values), ", ".join(has), selection.path, capacity)

    def _values(self, key: str, each: _Group) -> tuple[str, ...] | None:
        """The values that a label has on the nodes of a group; None if they are unknown."""
        if key in each.several:
            return each.several[key]
        if key == self._class_label and each.group.compute_class is not None:
            return (each.group.compute_class,)
        if key in each.labels:
            return (each.labels[key],)
        if key == self._class_label or key in self._capacity:
            return ()
        made_by_gke = each.group.compute_class is not None or each.cluster.mode == "autopilot"
        return None if made_by_gke or key.partition("/")[0].endswith(_SYSTEM) else ()


def _distance(each: Serving) -> tuple[int, int]:
    """How far a group is from serving pods: differences that are not about capacity count first."""
    return sum(not item.capacity for item in each.mismatches), len(each.mismatches)


def makes_nodes(cluster: Cluster, label: str, catalog: Catalog) -> bool:
    """Whether GKE creates nodes with an accelerator label by itself: on Autopilot, or by node auto-provisioning."""
    return cluster.mode == "autopilot" or tpu_limits(cluster, catalog).get(label, 0) > 0


def _may_form_slices(cluster: Cluster, group: SliceGroup) -> bool:
    """Whether the slice controller can form slices of the hosts of a group; also if its policy is not in the plan."""
    policy = group.plan.placement.workload_policy if group.plan.placement is not None else None
    if policy is None:
        return False
    name = policy.rpartition("/")[2] if isinstance(policy, str) else ""
    modes = {item.name: item.plan.topology_mode for item in cluster.workload_policies}
    return modes.get(name, _PROVISION_ONLY) == _PROVISION_ONLY


def _keys(pod: PodTemplate) -> dict[str, None]:
    return dict.fromkeys(key for key, _ in pod.selected_keys())


def _labels(cluster: Cluster, group: SliceGroup, catalog: Catalog) -> dict[str, str]:
    """The labels of the nodes of a group; on Autopilot those by which pods request them."""
    if cluster.mode == "autopilot":
        return group.node_selector
    reserved = capacity_selector(group.plan.capacity, catalog.platform.names.capacity_labels)
    return {**reserved, **node_labels(group, catalog)}
