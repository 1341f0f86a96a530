"""Everything a preview shows of one plan, gathered."""

from dataclasses import dataclass

from pulumi_gke_tpu.catalog import Catalog
from pulumi_gke_tpu.catalog.provider import change_of
from pulumi_gke_tpu.catalog.spelling import camel_case
from pulumi_gke_tpu.cost import FleetCost
from pulumi_gke_tpu.findings import Finding
from pulumi_gke_tpu.fleet import Cluster, Fleet
from pulumi_gke_tpu.preview.graph import Graph
from pulumi_gke_tpu.quota import QuotaNeed


@dataclass(frozen=True)
class PlanPreview:
    """One plan, previewed. ``name`` is the plan file as given; ``notes`` are things a reader should know."""

    name: str
    catalog_version: str
    fleet: Fleet
    cost: FleetCost
    quota: tuple[QuotaNeed, ...]
    graph: Graph
    findings: tuple[Finding, ...]
    notes: tuple[str, ...]


def preview_notes(fleet: Fleet, catalog: Catalog) -> tuple[str, ...]:
    """What follows from leaving things out or going around the plan: default network, ``extra`` that would replace."""
    notes: list[str] = []
    for cluster in fleet.clusters:
        notes += _network_notes(cluster, catalog)
        notes += _extra_notes(cluster, catalog)
    return tuple(notes)


def _network_notes(cluster: Cluster, catalog: Catalog) -> list[str]:
    if cluster.plan.network is not None:
        return []
    facts = catalog.platform.network
    jumbo = any(catalog.generation(group.shape.generation).jumbo_frames for group in cluster.groups)
    wants = f"; its slices want {facts.jumbo_mtu}" if jumbo else ""
    used = f"the project's default network is used, MTU {facts.default_mtu}"
    return [f"{cluster.key}: no network is written, so {used}{wants}"]


def _extra_notes(cluster: Cluster, catalog: Catalog) -> list[str]:
    """Every ``extra`` key whose later change would replace the cluster or its pools."""
    notes = _replacing(catalog, "gcp:container/cluster:Cluster", cluster.key, dict(cluster.plan.extra))
    for group in cluster.groups:
        notes += _replacing(catalog, "gcp:container/nodePool:NodePool", group.key, dict(group.plan.extra))
    return notes


def _replacing(catalog: Catalog, resource_type: str, item: str, extra: dict[str, object]) -> list[str]:
    def walk(prefix: str, value: object) -> list[str]:
        change = change_of(catalog.provider, resource_type, prefix)
        found = [prefix] if change is not None and change.change == "replace" else []
        if isinstance(value, dict):
            for key, inner in value.items():
                found += walk(f"{prefix}.{camel_case(str(key))}", inner)
        return found

    paths = sorted({path for key, value in extra.items() for path in walk(camel_case(str(key)), value)})
    return [f"{item}: extra {path}: changing it later replaces the resource" for path in paths]
