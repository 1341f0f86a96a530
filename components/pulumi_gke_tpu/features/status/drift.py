"""Drift as a change: what differs between the plan and what exists, and what the next update does about it."""

from collections.abc import Iterator

from pulumi_gke_tpu.core.against_plan.comparison import Drift
from pulumi_gke_tpu.core.against_plan.live import ClusterPlace, LiveCluster, live_clusters
from pulumi_gke_tpu.core.against_plan.outcome import ResourceComparer
from pulumi_gke_tpu.core.against_plan.places import clusters_by_place
from pulumi_gke_tpu.core.fleet.checked import CheckedPlan
from pulumi_gke_tpu.core.graph.builders.standard import fleet_graph
from pulumi_gke_tpu.core.graph.differences import PropertyDiff
from pulumi_gke_tpu.core.graph.property_values import ABSENT
from pulumi_gke_tpu.core.graph.resource_types import CLUSTER
from pulumi_gke_tpu.core.graph.semantics import Semantics
from pulumi_gke_tpu.core.text.findings import listed, printable
from pulumi_gke_tpu.core.text.findings.emit import flow
from pulumi_gke_tpu.core.text.formats.property_path import parse_path, value_at
from pulumi_gke_tpu.features.adopt.comparison import compare_with_plan
from pulumi_gke_tpu.features.diff.classification.classified import Classifier, UpdateContext
from pulumi_gke_tpu.features.status.folder import Snapshot
from pulumi_gke_tpu.features.status.model import DriftedItem

_LONGEST, _MOST_NAMES = 200, 3
_POLICY = "maintenancePolicy"
_MOVES = ("minMasterVersion", "nodeVersion", "initialNodeCount")
"""Properties of clusters that GKE itself changes, with every upgrade."""


def drift_of(checked: CheckedPlan, snapshot: Snapshot) -> Iterator[DriftedItem]:
    """Each property in which a cluster or node pool differs from the plan, and node pools that the plan does not have.

    Additions of GKE do not count as drift. Node pools that are missing or failed are in the state of the slices.
    """
    compared = compare_with_plan(snapshot.resources, checked)
    found: dict[tuple[str, str], list[tuple[Drift, PropertyDiff]]] = {}
    for each in (*compared.different, *_clusters(checked, snapshot)):
        for item in each.differences:
            found.setdefault((each.planned.type, f"{item.path} {item.was!r} {item.will!r}"), []).append((each, item))
    for members in found.values():
        each, item = members[0]
        names = listed([printable(member.name) for member, _ in members], most=_MOST_NAMES)
        yield DriftedItem(names, _told(each, item), _next_up(each, item, checked))
    for name in compared.unplanned:
        yield DriftedItem(
            printable(name), "not in the plan", "`pulumi up` does not touch it: it is in no state of the plan"
        )


def _clusters(checked: CheckedPlan, snapshot: Snapshot) -> Iterator[Drift]:
    """The clusters that the plan creates; those that it adopted are compared with the node pools."""
    assert checked.fleet is not None
    assert checked.document.yaml is not None
    created = [cluster for cluster in checked.fleet.clusters if not cluster.predates_plan]
    if not created:
        return
    wanted = clusters_by_place(fleet_graph(checked.document.yaml.data, checked.fleet, checked.catalog))
    comparer, live = ResourceComparer(checked.catalog, CLUSTER), live_clusters(snapshot.resources, checked.catalog)
    left_out = (*checked.catalog.platform.imports.cluster, *_MOVES)
    for cluster in created:
        found = live.get(ClusterPlace(cluster.project, cluster.location, cluster.name))
        resource = wanted.get((cluster.location, cluster.name))
        if found is not None and resource is not None:
            every = (each for each in comparer.drift(found, resource) if each.steps[0] not in left_out)
            differences = tuple(each for each in every if _is_answered(found, each))
            yield Drift(found, resource, differences)


def replaced_clusters(checked: CheckedPlan, snapshot: Snapshot) -> Iterator[tuple[str, str]]:
    """The clusters that the plan creates and that exist with settings that only a replacement changes, with these."""
    for each in _clusters(checked, snapshot):
        told = [_told(each, item) for item in each.differences if _replaces(each, item, checked)]
        if told:
            yield each.live.name, "; ".join(told[:_MOST_NAMES])


def _is_answered(live: LiveCluster, item: PropertyDiff) -> bool:
    """Whether the answer has the property: GKE leaves out what is off, but never the maintenance policy."""
    return item.steps[0] == _POLICY or value_at(live.raw.values.data, item.steps) is not None


def _next_up(each: Drift, item: PropertyDiff, checked: CheckedPlan) -> str:
    """What an update does about a difference."""
    if not _replaces(each, item, checked):
        return "`pulumi up --refresh` sets the plan's value"
    what = "cluster, with all its node pools" if each.planned.type == CLUSTER else "node pool, with all its hosts"
    return f"`pulumi up --refresh` replaces the {what}, and their jobs stop"


def _replaces(each: Drift, item: PropertyDiff, checked: CheckedPlan) -> bool:
    """Whether an update replaces what differs, as `gke-tpu diff` classifies it."""
    catalog, planned = checked.catalog, each.planned
    semantics = Semantics(catalog.provider, planned.type, catalog.disks.families)
    paths = [parse_path(path) for path in planned.options.replace_on_changes]
    context = UpdateContext(semantics, each.live.values, planned.inputs)
    return bool(Classifier(semantics, catalog.sources, paths, context).classify(item).replacer)


def _told(each: Drift, item: PropertyDiff) -> str:
    path = each.live.raw.spelling.written(item.path)
    if each.hides(item):
        return path
    was, will = ("nothing" if value is ABSENT or value is None else flow(value) for value in (item.was, item.will))
    return printable(f"{path}: {was} found, {will} in the plan", _LONGEST)
