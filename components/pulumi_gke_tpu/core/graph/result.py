"""Everything a preview shows of one plan, gathered."""

from collections.abc import Mapping

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.catalog.records.facts import note_by_id
from pulumi_gke_tpu.core.catalog.spelling import camel_case
from pulumi_gke_tpu.core.estimate import AutoProvisioned, FleetCost, QuotaNeed
from pulumi_gke_tpu.core.estimate.reservations import NO_RESERVATIONS, OwnedReservations
from pulumi_gke_tpu.core.fleet import Cluster, Fleet
from pulumi_gke_tpu.core.fleet.settings import cluster_settings
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.graph.model import Graph
from pulumi_gke_tpu.core.graph.types import CLUSTER, NODE_POOL
from pulumi_gke_tpu.core.plan import Plan
from pulumi_gke_tpu.core.text.findings import Finding, listed

_REPLACING = {
    "replace": "changing it",
    "replace-off": "switching it off",
    "replace-shrink": "another range that does not contain it",
}


@frozen
class PlanPreview:
    """One plan, previewed. ``name`` is the plan file as given; ``notes`` are things a reader should know."""

    name: str
    catalog_version: str
    plan: Plan
    fleet: Fleet
    cost: FleetCost
    quota: tuple[QuotaNeed, ...]
    autoprovisioned: tuple[AutoProvisioned, ...]
    """What GKE may create on demand; neither ``cost`` nor ``quota`` has it."""
    graph: Graph
    findings: tuple[Finding, ...]
    notes: tuple[str, ...]
    reservations: OwnedReservations = NO_RESERVATIONS
    """Those of the inventory."""


def preview_notes(fleet: Fleet, catalog: Catalog) -> tuple[str, ...]:
    """What follows from leaving things out or going around the plan.

    The default network, public addresses, ComputeClasses, slices that wait for capacity, and ``extra`` whose later
    change replaces a resource.
    """
    notes: list[str] = []
    for cluster in fleet.clusters:
        if cluster.existing:
            notes += _unknown_facts(cluster)
        else:
            notes += _network_notes(cluster, catalog)
            notes += _address_notes(cluster)
        notes += _class_notes(cluster)
        notes += _scale_up_notes(cluster, catalog)
        notes += _extra_notes(cluster, catalog)
    return tuple(notes)


def _class_notes(cluster: Cluster) -> list[str]:
    """What it means for nodes, cost and quota that a ComputeClass serves a group."""
    return [
        f"{group.key}: a ComputeClass serves the group, so gke-tpu creates no node pools; GKE creates node pools when "
        "Pods need them and keeps no node running without Pods; cost and quota are the maximum over the capacity modes"
        for group in cluster.groups
        if group.compute_class is not None
    ]


def _scale_up_notes(cluster: Cluster, catalog: Catalog) -> list[str]:
    """How long GKE tries to create a slice of several hosts that waits for capacity."""
    waiting = [
        group.key
        for group in cluster.groups
        if group.autoscaled and group.shape.multi_host and group.capacity_modes != ("reservation",)
    ]
    note = note_by_id(catalog.capacity.notes, "pending-ten-hours")
    if not waiting or note is None:
        return []
    return [f"{', '.join(waiting)}: {note.text[:1].lower()}{note.text[1:].rstrip('.')}"]


def _unknown_facts(cluster: Cluster) -> list[str]:
    """The facts about an existing cluster that the plan does not state, and what follows."""
    settings = cluster_settings(cluster)
    facts = {
        "version": cluster.version,
        "release_channel": settings.release_channel.value,
        "private_nodes": settings.private_nodes.value if cluster.mode == "standard" else "",
    }
    unknown = [name for name, value in facts.items() if value is None]
    if not unknown:
        return []
    return [
        f"{cluster.key}: the plan does not state {listed(unknown)} of the existing cluster; rules about unknown values "
        "are skipped or warn"
    ]


def _network_notes(cluster: Cluster, catalog: Catalog) -> list[str]:
    if cluster.plan.network is not None:
        return []
    facts = catalog.platform.network
    jumbo = any(catalog.generation(group.shape.generation).jumbo_frames for group in cluster.groups)
    better = f"; {facts.jumbo_mtu} is recommended for its slices" if jumbo else ""
    used = f"GKE uses the project's default network with MTU {facts.default_mtu}"
    return [f"{cluster.key}: the plan sets no network, so {used}{better}"]


def _address_notes(cluster: Cluster) -> list[str]:
    """Both cluster modes give nodes public addresses where a plan has neither of the two keys."""
    if cluster.plan.network is not None or cluster.plan.private_nodes is not None:
        return []
    return [
        f"{cluster.key}: nodes get public addresses, because the plan sets neither network nor private_nodes; "
        "to keep them private, set network, or private_nodes: true"
    ]


def _extra_notes(cluster: Cluster, catalog: Catalog) -> list[str]:
    """Every ``extra`` key whose later change would replace the cluster or its pools."""
    notes = _replacing(catalog, CLUSTER, cluster.key, cluster.plan.extra)
    for pool in cluster.cpu_pools:
        notes += _replacing(catalog, NODE_POOL, pool.key, pool.plan.extra)
    for group in cluster.groups:
        notes += _replacing(catalog, NODE_POOL, group.key, group.plan.extra)
    return notes


def _replacing(catalog: Catalog, resource_type: str, item: str, extra: Mapping[str, object]) -> list[str]:
    properties = catalog.provider.resources[resource_type].properties
    found: dict[str, str] = {}

    def walk(path: str, value: object) -> None:
        if path not in properties:
            return  # a key of a map, such as a label
        if properties[path].change in _REPLACING:
            found[path] = _REPLACING[properties[path].change]
        for inner in value if isinstance(value, list) else [value]:
            if isinstance(inner, Mapping):
                for key, below in inner.items():
                    walk(f"{path}.{camel_case(str(key))}", below)

    for key, value in extra.items():
        walk(camel_case(str(key)), value)
    return [f"{item}: extra {path}: {what} later replaces the resource" for path, what in sorted(found.items())]
