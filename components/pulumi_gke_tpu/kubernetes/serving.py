"""Which slice groups of a plan can serve the pods of a manifest, and what keeps the others from it."""

from collections.abc import Iterable, Iterator, Mapping

from pulumi_gke_tpu.catalog import Catalog
from pulumi_gke_tpu.findings import Path
from pulumi_gke_tpu.fleet import Cluster, SliceGroup
from pulumi_gke_tpu.fleet.autoprovisioning import tpu_limits
from pulumi_gke_tpu.fleet.labels import capacity_selector
from pulumi_gke_tpu.fleet.scheduling import node_labels
from pulumi_gke_tpu.formats.kubernetes import taint_effect
from pulumi_gke_tpu.frozen import frozen
from pulumi_gke_tpu.kubernetes.objects import PodTemplate, Selection
from pulumi_gke_tpu.kubernetes.objects.tolerations import tolerates
from pulumi_gke_tpu.kubernetes.pod_shapes import PodShape

_SOFT = "PreferNoSchedule"
_SYSTEM = ("gke.io", "google.com", "k8s.io", "kubernetes.io")
"""The domains of labels that Kubernetes and GKE set."""


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


def groups_for(pod: PodTemplate, shape: PodShape, clusters: Iterable[Cluster], catalog: Catalog) -> Iterator[Serving]:
    """Every group of some clusters with its mismatches."""
    selections = {key: selection for key in _keys(pod) if (selection := pod.selection(key)) is not None}
    for cluster in clusters:
        for group in cluster.groups:
            found = [*label_mismatches(selections, cluster, group, catalog)]
            if shape.chips and shape.chips != group.shape.chips_per_host:
                chips = catalog.kubernetes.pods.resource.name
                found.append(Mismatch(chips, str(shape.chips), str(group.shape.chips_per_host)))
            found += _taints(pod, cluster, group)
            yield Serving(cluster, group, tuple(found))


def makes_nodes(cluster: Cluster, label: str, catalog: Catalog) -> bool:
    """Whether GKE creates nodes with an accelerator label by itself: on Autopilot, or by node auto-provisioning."""
    return cluster.mode == "autopilot" or tpu_limits(cluster, catalog).get(label, 0) > 0


def label_mismatches(
    selections: Mapping[str, Selection], cluster: Cluster, group: SliceGroup, catalog: Catalog
) -> Iterator[Mismatch]:
    """The selected labels that the nodes of a group do not have. Open selections and unknown labels match."""
    facts = catalog.kubernetes
    of_class = facts.compute_classes.form.selector
    if group.compute_class is not None and of_class not in selections:
        yield Mismatch(of_class, "", group.compute_class)
    labels, unknown = _labels(cluster, group, catalog), _unknown_labels(group, catalog)
    capacity = _capacity_keys(catalog)
    for key, selection in selections.items():
        if selection.open or key in unknown:
            continue
        has = _values(key, cluster, group, labels, catalog)
        if has is not None and not set(selection.values) & set(has):
            yield Mismatch(key, ", ".join(selection.values), ", ".join(has), selection.path, key in capacity)


def _keys(pod: PodTemplate) -> dict[str, None]:
    return dict.fromkeys(key for key, _ in pod.selected_keys())


def _labels(cluster: Cluster, group: SliceGroup, catalog: Catalog) -> dict[str, str]:
    """The labels of the nodes of a group; on Autopilot those by which pods request them."""
    if cluster.mode == "autopilot":
        return group.node_selector
    reserved = capacity_selector(group.plan.capacity, catalog.platform.names.capacity_labels)
    return {**reserved, **node_labels(group, catalog)}


def _unknown_labels(group: SliceGroup, catalog: Catalog) -> set[str]:
    """The labels of a group whose values are not known, and those of every group that are not in the plan."""
    written = {key for key, value in group.plan.node_labels.items() if not isinstance(value, str)}
    return written | {catalog.kubernetes.pods.host_name.label}


def _values(
    key: str, cluster: Cluster, group: SliceGroup, labels: Mapping[str, str], catalog: Catalog
) -> tuple[str, ...] | None:
    """The values that a label has on the nodes of a group; None if they are unknown."""
    facts = catalog.kubernetes
    if key == facts.workloads.nodes.pool:
        return tuple(pool.name for pool in group.pools)
    if key == facts.compute_classes.form.selector:
        return (group.compute_class,) if group.compute_class is not None else _known(labels, key)
    if key in labels or key in _capacity_keys(catalog):
        return _known(labels, key)
    if group.compute_class is not None or cluster.mode == "autopilot" or key.partition("/")[0].endswith(_SYSTEM):
        return None
    return ()


def _known(labels: Mapping[str, str], key: str) -> tuple[str, ...]:
    return (labels[key],) if key in labels else ()


def _capacity_keys(catalog: Catalog) -> frozenset[str]:
    names = catalog.platform.names
    capacity = names.capacity_labels
    return frozenset({capacity.spot, capacity.flex_start, capacity.reservation, names.node_labels.queued})


def _taints(pod: PodTemplate, cluster: Cluster, group: SliceGroup) -> Iterator[Mismatch]:
    """The taints of the plan that the pods do not tolerate."""
    if cluster.mode == "standard" and group.compute_class is None:
        for taint in group.plan.taints:
            if taint_effect(taint.effect) != _SOFT and not tolerates(pod, taint.key):
                yield Mismatch(f"taint {taint.key}", "", taint.key)
