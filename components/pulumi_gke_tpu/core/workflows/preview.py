"""Previews a checked plan, or takes up a stored preview: graph, cost, quota and notes in one result."""

import datetime
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.estimate import autoprovisioned, cost_of, quota_needs
from pulumi_gke_tpu.core.estimate.reservations import OwnedReservations
from pulumi_gke_tpu.core.fleet import Fleet
from pulumi_gke_tpu.core.fleet.checked import CheckedPlan
from pulumi_gke_tpu.core.graph.builders.standard import fleet_graph
from pulumi_gke_tpu.core.graph.model import Graph
from pulumi_gke_tpu.core.graph.registered import PlanPreview, PreviewNote, StoredError, StoredPreview, preview_notes
from pulumi_gke_tpu.core.messages.pages import failure_pages, words_of
from pulumi_gke_tpu.core.plan import Plan, parse_plan
from pulumi_gke_tpu.core.rules import check_plan
from pulumi_gke_tpu.core.text.findings import Finding

if TYPE_CHECKING:
    from pulumi_gke_tpu.core.plan.inventory import Inventory


def preview_checked(
    checked: CheckedPlan, findings: Sequence[Finding], inventory: "Inventory | None" = None
) -> PlanPreview:
    """Everything there is to show of a plan without errors. ``findings`` are those to show with it.

    Reserved slices have the price of the contract in the inventory, if there is one.
    """
    document, catalog, fleet = checked.document, checked.catalog, checked.fleet
    assert document.content is not None
    assert document.yaml is not None
    assert fleet is not None
    if document.describes_resources:
        fleet = _unprotected(fleet)
    found = preview_fleet(document.name, document.content, fleet, catalog, OwnedReservations.of(inventory))
    return replace(
        found,
        graph=fleet_graph(document.yaml.data, fleet, catalog),
        findings=tuple(findings),
        notes=(*preview_notes(fleet, catalog), *(PreviewNote((), item.sentence) for item in found.cost.shared)),
        exists=document.describes_resources,
        if_it_fails=failure_pages(words_of(findings, catalog), catalog),
    )


def preview_fleet(name: str, plan: Plan, fleet: Fleet, catalog: Catalog, owned: OwnedReservations) -> PlanPreview:
    """What a fleet needs and costs, without resources, findings and notes."""
    return PlanPreview(
        name=name,
        catalog_version=catalog.about.version,
        plan=plan,
        fleet=fleet,
        cost=cost_of(fleet, catalog, owned),
        quota=quota_needs(fleet, catalog),
        autoprovisioned=autoprovisioned(fleet, catalog),
        graph=Graph(()),
        findings=(),
        notes=(),
        reservations=owned,
    )


def _unprotected(fleet: Fleet) -> Fleet:
    """The fleet without protection by Pulumi, which no source of what exists shows."""
    clusters = (
        replace(cluster, groups=tuple(replace(group, protect=None) for group in cluster.groups))
        for cluster in fleet.clusters
    )
    return replace(fleet, clusters=tuple(clusters))


def preview_stored(
    stored: StoredPreview, catalog: Catalog, today: datetime.date | None, inventory: "Inventory | None" = None
) -> PlanPreview:
    """A stored preview: its resources as they were stored, all else derived anew.

    Reserved slices have the price of the contract in the inventory, if there is one.

    Raises:
        StoredError: this version cannot read the plan in it.
    """
    checked = check_plan(parse_plan(stored.written), catalog, today, rules=())
    if checked.plan is None or checked.fleet is None:
        raise StoredError("the plan in it cannot be read")
    owned = OwnedReservations.of(inventory)
    found = preview_fleet(stored.name, checked.plan, checked.fleet, catalog, owned)
    return replace(found, catalog_version=stored.catalog_version, graph=stored.graph)
