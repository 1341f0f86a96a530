"""Drift as a change: what differs between the plan and what exists, and what the next update does about it."""

from collections.abc import Iterator

from pulumi_gke_tpu.core.against_plan.live import ClusterPlace, LiveCluster, live_clusters
from pulumi_gke_tpu.core.against_plan.outcome import ResourceComparer
from pulumi_gke_tpu.core.against_plan.places import clusters_by_place
from pulumi_gke_tpu.core.fleet.checked import CheckedPlan
from pulumi_gke_tpu.core.graph.builders.standard import fleet_graph
from pulumi_gke_tpu.core.graph.differences import PropertyDiff
from pulumi_gke_tpu.core.graph.property_values import ABSENT
from pulumi_gke_tpu.core.graph.resource_types import CLUSTER, NODE_POOL
from pulumi_gke_tpu.core.text.findings import printable
from pulumi_gke_tpu.core.text.findings.emit import flow
from pulumi_gke_tpu.core.text.formats.property_path import value_at
from pulumi_gke_tpu.features.adopt.comparison import PoolDifference, compare_with_plan
from pulumi_gke_tpu.features.status.folder import Snapshot
from pulumi_gke_tpu.features.status.model import Drift

_LONGEST = 200
_POLICY = "maintenancePolicy"
_MOVES = ("minMasterVersion", "nodeVersion", "initialNodeCount")
"""Properties of clusters that GKE itself changes, with every upgrade."""


def drift_of(checked: CheckedPlan, snapshot: Snapshot) -> Iterator[Drift]:
    """Each property in which a cluster or node pool differs from the plan, and node pools that the plan does not have.

    What GKE adds is no drift. Node pools that are missing or failed are in the state of the slices.
    """
    compared = compare_with_plan(snapshot.resources, checked)
    for each in compared.different:
        yield from _differences(each, checked, NODE_POOL)
    for name in compared.unplanned:
        yield Drift(printable(name), "not in the plan", "`pulumi up` does not touch it: it is in no state of the plan")
    yield from _clusters(checked, snapshot)


def _clusters(checked: CheckedPlan, snapshot: Snapshot) -> Iterator[Drift]:
    """The clusters that the plan creates; those that it adopted are compared with the node pools."""
    assert checked.fleet is not None
    assert checked.document.yaml is not None
    wanted = clusters_by_place(fleet_graph(checked.document.yaml.data, checked.fleet, checked.catalog))
    comparer, live = ResourceComparer(checked.catalog, CLUSTER), live_clusters(snapshot.resources, checked.catalog)
    for cluster in checked.fleet.clusters:
        found = live.get(ClusterPlace(cluster.project, cluster.location, cluster.name))
        resource = wanted.get((cluster.location, cluster.name))
        if found is not None and resource is not None and not cluster.adopted:
            left_out = (*checked.catalog.platform.imports.cluster, *_MOVES)
            every = (each for each in comparer.drift(found, resource) if each.steps[0] not in left_out)
            differences = tuple(each for each in every if _is_answered(found, each))
            yield from _differences(
                PoolDifference(f"cluster {cluster.name}", differences, "", found.raw.spelling.written), checked, CLUSTER
            )


def _is_answered(live: LiveCluster, item: PropertyDiff) -> bool:
    """Whether the answer has the property: GKE leaves out what is off, but never the maintenance policy."""
    return item.steps[0] == _POLICY or value_at(live.raw.values.data, item.steps) is not None


def _differences(each: PoolDifference, checked: CheckedPlan, kind: str) -> Iterator[Drift]:
    properties = checked.catalog.provider.resources[kind].properties
    for item in each.differences:
        known = properties.get(item.plain_path)
        replaces = known is not None and known.change == "replace"
        what = "node pool, with all its hosts" if kind == NODE_POOL else "cluster, with all its node pools"
        up = f"`pulumi up --refresh` replaces the {what}" if replaces else "`pulumi up --refresh` sets the plan's value"
        yield Drift(printable(each.name), _told(each, item), up)


def _told(each: PoolDifference, item: PropertyDiff) -> str:
    path = each.written(item.path)
    if each.hides(item):
        return path
    was, will = ("not set" if value is ABSENT or value is None else flow(value) for value in (item.was, item.will))
    return printable(f"{path} is {was}, and {will} in the plan", _LONGEST)
