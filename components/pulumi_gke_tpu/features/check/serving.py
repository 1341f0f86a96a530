"""Which slice groups of a plan can serve the pods of a manifest, and what keeps the others from it."""

import functools
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from typing import Any, TypeVar

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.fleet import Cluster, SliceGroup
from pulumi_gke_tpu.core.fleet.model import tpu_limits
from pulumi_gke_tpu.core.fleet.scheduling import capacity_selector, node_labels
from pulumi_gke_tpu.core.fleet.workloads import flavor_name
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.kinds import queue_labels
from pulumi_gke_tpu.core.objects import PodTemplate, Selection, is_open
from pulumi_gke_tpu.core.objects.document import items, mapping
from pulumi_gke_tpu.core.objects.open_values import has_open_key
from pulumi_gke_tpu.core.objects.scheduling import tolerates
from pulumi_gke_tpu.core.text.findings import Path, listed, quoted
from pulumi_gke_tpu.core.text.formats.names import taint_effect
from pulumi_gke_tpu.features.check.pod_shapes import PodShape

_SOFT = "PreferNoSchedule"
_SYSTEM = ("gke.io", "google.com", "k8s.io", "kubernetes.io")
"""The domains of labels that Kubernetes and GKE set."""
"""The mode of a workload policy whose hosts the slice controller connects."""
_MOST_MISMATCHES = 16
"""Groups with more mismatches are equally far from serving pods."""
_MOST_NAMES = 5

_Key = TypeVar("_Key")
Taint = tuple[str, str, str]
"""Key, value and effect."""


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
    formable: bool = False
    """Whether a slice that somebody forms elsewhere can have the label."""


@frozen
class Nearest:
    """The group that is nearest to serving some pods, and what keeps it from that."""

    cluster: Cluster
    group: SliceGroup
    mismatches: tuple[Mismatch, ...]


@frozen(eq=False, slots=False)
class Served:
    """Slice groups that serve some pods, and what they have together; no groups if nothing serves the pods."""

    groups: tuple[tuple[Cluster, SliceGroup], ...]
    catalog: Catalog

    @functools.cached_property
    def keys(self) -> frozenset[str]:
        """The keys of the groups."""
        return frozenset(group.key for _, group in self.groups)

    @functools.cached_property
    def flavors(self) -> frozenset[str]:
        """The names of the flavors of the groups."""
        return frozenset(flavor_name(group) for _, group in self.groups)

    @functools.cached_property
    def names(self) -> str:
        """The groups for a message."""
        return listed([quoted(group.key) for _, group in self.groups], most=_MOST_NAMES)

    @functools.cached_property
    def slices(self) -> int:
        """The most slices that the groups of one cluster have."""
        return max(self._sums((cluster, group.slices.maximum) for cluster, group in self.groups), default=0)

    @functools.cached_property
    def chips(self) -> int:
        """The most chips that the groups of one cluster have."""
        return max(self._sums((cluster, group.chips.maximum) for cluster, group in self.groups), default=0)

    @functools.cached_property
    def unlimited(self) -> bool:
        """Whether GKE creates more slices: for a ComputeClass, on Autopilot, by auto-provisioning."""
        return any(
            group.compute_class is not None or makes_nodes(cluster, group.shape.accelerator_label, self.catalog)
            for cluster, group in self.groups
        )

    @functools.cached_property
    def in_existing(self) -> bool:
        """Whether one of the groups is in a cluster that exists already."""
        return any(cluster.existing for cluster, _ in self.groups)

    @staticmethod
    def _sums(amounts: Iterable[tuple[Cluster, int]]) -> Iterable[int]:
        found: dict[str, int] = {}
        for cluster, amount in amounts:
            found[cluster.key] = found.get(cluster.key, 0) + amount
        return found.values()


@frozen(eq=False)
class _Group:
    """A group, with the values that each label has on its nodes, and the labels whose values are not known."""

    cluster: Cluster
    group: SliceGroup
    labels: Mapping[str, tuple[str, ...]]
    unknown: frozenset[str]
    taints: frozenset[Taint]

    @property
    def has_gke_labels(self) -> bool:
        """Whether GKE sets labels on the nodes that the plan does not state."""
        return self.group.compute_class is not None or self.cluster.mode == "autopilot"


class ServingGroups:
    """The slice groups of some clusters, in a form in which many pods can be compared with them.

    A set of groups is a number whose bit n stands for group n. The groups with a label, the chips of a host or the
    tolerated taints are known for each value, so that the work for a pod does not grow with the number of groups.
    """

    def __init__(
        self,
        clusters: Iterable[Cluster],
        catalog: Catalog,
        further: Callable[[PodTemplate], tuple[Any, ...]],
        formed: Set[str] = frozenset(),
    ) -> None:
        """``further`` gives the tolerations that pods get besides their own.

        ``formed`` are the topologies of the slices that people form themselves; an empty one can be any.
        """
        self._catalog = catalog
        self._further = further
        self._formed = formed
        self._clusters = tuple(clusters)
        facts = catalog.kubernetes
        self._class_label = facts.compute_classes.form.selector
        names = catalog.platform.names
        self._by_controller = {names.node_labels.topology, *facts.pods.dynamic_slices.labels}
        capacity = names.capacity_labels
        self._capacity = {capacity.spot, capacity.flex_start, capacity.reservation, names.node_labels.queued}
        self._groups = [self._described(cluster, group) for cluster in self._clusters for group in cluster.groups]
        self._all = (1 << len(self._groups)) - 1
        self._of_classes = self._set(each.group.compute_class is not None for each in self._groups)
        self._with_gke_labels = self._set(each.has_gke_labels for each in self._groups)
        self._dynamic = self._set(each.group.dynamic for each in self._groups)
        self._with_value: dict[tuple[str, str], int] = {}
        self._with_key: dict[str, int] = {}
        self._unknown: dict[str, int] = {}
        self._with_chips: dict[int, int] = {}
        self._with_taints: dict[frozenset[Taint], int] = {}
        for number, each in enumerate(self._groups):
            for key, values in each.labels.items():
                _add(self._with_key, key, number)
                for value in values:
                    _add(self._with_value, (key, value), number)
            for key in each.unknown:
                _add(self._unknown, key, number)
            _add(self._with_chips, each.group.shape.chips_per_host, number)
            _add(self._with_taints, each.taints, number)
        self._taints: dict[str, list[Taint]] = {}
        self._valued_taints: dict[tuple[str, str], list[Taint]] = {}
        self._sets_with: dict[Taint, list[frozenset[Taint]]] = {}
        for taints in self._with_taints:
            for taint in taints:
                self._sets_with.setdefault(taint, []).append(taints)
        for taint in self._sets_with:
            self._taints.setdefault(taint[0], []).append(taint)
            self._valued_taints.setdefault(taint[:2], []).append(taint)
        self._tolerated: dict[str, int] = {}
        self._served: dict[int, Served] = {}
        self._making: dict[str, bool] = {}

    def __bool__(self) -> bool:
        return bool(self._groups)

    def serving(self, pod: PodTemplate, shape: PodShape) -> Served:
        """The groups that serve the pods."""
        found = self._all
        for groups, _ in self._requirements(pod, shape, self._selections(pod, shape)):
            found &= groups
        return self._served_by(found)

    def nearest(self, pod: PodTemplate, shape: PodShape) -> Nearest:
        """The first of the groups with the fewest mismatches: differences that are not about capacity count first."""
        selections = self._selections(pod, shape)
        requirements = list(self._requirements(pod, shape, selections))
        found = self._all
        for about_capacity in (False, True):
            found = _with_fewest(found, [groups for groups, capacity in requirements if capacity is about_capacity])
        first = found & -found
        each = self._groups[first.bit_length() - 1]
        return Nearest(each.cluster, each.group, tuple(self._mismatches(first, pod, shape, selections)))

    def with_labels(self, labels: Mapping[str, Selection]) -> Served:
        """The groups whose nodes have some labels."""
        found = self._all
        for groups, _ in self._labeled(labels):
            found &= groups
        return self._served_by(found)

    def makes_nodes(self, label: str) -> bool:
        """Whether GKE creates nodes with an accelerator label by itself in one of the clusters."""
        if label not in self._making:
            self._making[label] = any(makes_nodes(cluster, label, self._catalog) for cluster in self._clusters)
        return self._making[label]

    def has_flavor(self, name: str) -> bool:
        """Whether a flavor has the name of that of a group."""
        return name in self._served_by(self._all).flavors

    # Groups as they are compared

    def _described(self, cluster: Cluster, group: SliceGroup) -> _Group:
        host = self._catalog.kubernetes.pods.host_name
        unknown = {key for key, value in group.plan.node_labels.items() if not isinstance(value, str)}
        written = _labels(cluster, group, self._catalog)
        labels: dict[str, tuple[str, ...]] = {key: (value,) for key, value in written.items()}
        if group.compute_class is not None:
            labels[self._class_label] = (group.compute_class,)
        labels[self._catalog.kubernetes.workloads.nodes.pool] = tuple(pool.name for pool in group.pools)
        if group.zones:
            regions = dict.fromkeys(zone.rpartition("-")[0] for zone in group.zones)
            labels |= {host.zone_label: group.zones, host.region_label: tuple(regions)}
        tainted = cluster.mode == "standard" and group.compute_class is None
        taints = [(taint.key, taint.value or "", taint_effect(taint.effect)) for taint in group.plan.taints]
        if group.plan.capacity.is_queued:
            nodes, queued = self._catalog.kubernetes.workloads.nodes, self._catalog.platform.names.node_labels.queued
            taints.append((queued, nodes.queued_taint_value, nodes.queued_taint_effect))
        hard = frozenset(taint for taint in taints if taint[2] != _SOFT) if tainted else frozenset()
        return _Group(cluster, group, labels, frozenset({*unknown, host.label}), hard)

    @staticmethod
    def _set(flags: Iterable[bool]) -> int:
        return sum(1 << number for number, flag in enumerate(flags) if flag)

    def _served_by(self, found: int) -> Served:
        if found not in self._served:
            members = (self._groups[number] for number in range(found.bit_length()) if found >> number & 1)
            self._served[found] = Served(tuple((each.cluster, each.group) for each in members), self._catalog)
        return self._served[found]

    # What pods require

    def _selections(self, pod: PodTemplate, shape: PodShape) -> dict[str, Selection]:
        """What pods select; without the labels that the slice controller sets when it forms a slice."""
        keys = dict.fromkeys(key for key, _ in pod.selected_keys())
        found = {key: pod.selection(key) for key in keys if not (shape.dynamic and key in self._by_controller)}
        return {key: selection for key, selection in found.items() if selection is not None}

    def _requirements(
        self, pod: PodTemplate, shape: PodShape, selections: Mapping[str, Selection]
    ) -> Iterator[tuple[int, bool]]:
        """For each requirement of pods, the groups that fulfill it, and whether it is about the capacity mode."""
        yield from self._labeled(selections)
        if shape.chips:
            yield self._with_chips.get(shape.chips, 0), False
        if shape.dynamic:
            yield self._dynamic, False
        elif self._waits_for_static(pod):
            yield self._all & ~self._dynamic, False
        if self._taints:
            yield self._tolerated_by(pod), False

    def _waits_for_static(self, pod: PodTemplate) -> bool:
        """Whether Pods select a topology that cubes have only while a slice of another workload is on them."""
        selected = pod.selection(self._catalog.platform.names.node_labels.topology)
        if selected is None or selected.open:
            return False
        return self._is_queued(pod) or self._formed.isdisjoint(("", *selected.values))

    def _is_queued(self, pod: PodTemplate) -> bool:
        return bool(queue_labels(pod.owner).get(self._catalog.kubernetes.kueue.labels.queue))

    def _labeled(self, selections: Mapping[str, Selection]) -> Iterator[tuple[int, bool]]:
        if self._class_label not in selections:
            yield self._all & ~self._of_classes, False
        for key, selection in selections.items():
            yield self._selected(key, selection), key in self._capacity

    def _selected(self, key: str, selection: Selection) -> int:
        """The groups whose nodes have a selected label, or may have it."""
        if selection.open:
            return self._all
        found = self._with_any_value(key)
        for value in selection.values:
            found |= self._with_value.get((key, value), 0)
        return found

    def _with_any_value(self, key: str) -> int:
        """The groups whose nodes may have a label with any value: those that do not state it, or not its value."""
        unknown = self._unknown.get(key, 0)
        if key == self._class_label or key in self._capacity:
            return unknown
        system = key.partition("/")[0].endswith(_SYSTEM)
        return unknown | (self._all if system else self._with_gke_labels) & ~self._with_key.get(key, 0)

    def _tolerated_by(self, pod: PodTemplate) -> int:
        """The groups all of whose taints the pods tolerate."""
        written, further = pod.spec.get("tolerations"), self._further(pod)
        signature = repr((written, further))
        if signature not in self._tolerated:
            taints = {taint for entry in (*items(written), *further) for taint in self._named_by(entry)}
            if is_open(written):
                taints.update(self._sets_with)
            tolerated = {
                taint for taint in taints if tolerates(pod, taint[0], taint[1], effect=taint[2], further=further)
            }
            found = self._with_taints.get(frozenset(), 0)
            for taint in tolerated:
                for several in self._sets_with[taint]:
                    found |= self._with_taints[several] if several <= tolerated else 0
            self._tolerated[signature] = found
        return self._tolerated[signature]

    def _named_by(self, toleration: object) -> Iterable[Taint]:
        """The taints that a toleration may mean: a part of all, so that only these are compared with it."""
        entry = mapping(toleration)
        key, value = entry.get("key"), entry.get("value", "")
        if _is_open(toleration) or not isinstance(key, str) or not key:
            return self._sets_with
        if entry.get("operator") == "Exists" or not isinstance(value, str):
            return self._taints.get(key, ())
        return self._valued_taints.get((key, value), ())

    def _mismatches(
        self, number: int, pod: PodTemplate, shape: PodShape, selections: Mapping[str, Selection]
    ) -> Iterator[Mismatch]:
        """What keeps the group of a bit from serving pods: labels, chips, dynamic slices and taints."""
        each = self._groups[number.bit_length() - 1]
        if each.group.compute_class is not None and self._class_label not in selections:
            yield Mismatch(self._class_label, "", each.group.compute_class)
        for key, selection in selections.items():
            if self._selected(key, selection) & number:
                continue
            given = ", ".join(each.labels.get(key, ()))
            yield Mismatch(key, ", ".join(selection.values), given, selection.path, key in self._capacity)
        if shape.chips and shape.chips != each.group.shape.chips_per_host:
            resource = self._catalog.kubernetes.pods.resource.name
            yield Mismatch(resource, str(shape.chips), str(each.group.shape.chips_per_host))
        if shape.dynamic and not each.group.dynamic:
            yield Mismatch("slicing", "dynamic", "")
        elif each.group.dynamic and not shape.dynamic and self._waits_for_static(pod):
            selected = selections[self._catalog.platform.names.node_labels.topology]
            yield Mismatch("slicing", "static", "dynamic", selected.path, formable=not self._is_queued(pod))
        for key, value, effect in sorted(each.taints):
            if not tolerates(pod, key, value, effect=effect, further=self._further(pod)):
                yield Mismatch(f"taint {key}", "", key)


def _is_open(toleration: object) -> bool:
    """Whether a template may fill in a part of a toleration."""
    entry = mapping(toleration)
    return is_open(toleration) or has_open_key(entry) or any(map(is_open, entry.values()))


def _add(sets: dict[_Key, int], key: _Key, number: int) -> None:
    sets[key] = sets.get(key, 0) | 1 << number


def _with_fewest(groups: int, requirements: list[int]) -> int:
    """The groups that fail the fewest requirements."""
    failing = [groups, *[0] * _MOST_MISMATCHES]
    """The groups that fail a number of requirements."""
    for fulfilled in requirements:
        failing[-1] |= failing[-2] & ~fulfilled
        for count in range(len(failing) - 2, 0, -1):
            failing[count] = failing[count] & fulfilled | failing[count - 1] & ~fulfilled
        failing[0] &= fulfilled
    return next(found for found in failing if found)


def makes_nodes(cluster: Cluster, label: str, catalog: Catalog) -> bool:
    """Whether GKE creates nodes with an accelerator label by itself: on Autopilot, or by node auto-provisioning."""
    return cluster.mode == "autopilot" or tpu_limits(cluster, catalog).get(label, 0) > 0


def _labels(cluster: Cluster, group: SliceGroup, catalog: Catalog) -> dict[str, str]:
    """The labels of the nodes of a group; on Autopilot those by which pods request them."""
    if cluster.mode == "autopilot":
        return group.node_selector
    reserved = capacity_selector(group.plan.capacity, catalog.platform.names.capacity_labels)
    return {**reserved, **node_labels(group, catalog)}
