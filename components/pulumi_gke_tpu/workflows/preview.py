"""Previews a judged plan file, or takes up a stored preview: graph, cost, quota and notes in one result."""

import datetime
from collections.abc import Sequence

from pulumi_gke_tpu.catalog import Catalog
from pulumi_gke_tpu.estimate import cost_of, quota_needs
from pulumi_gke_tpu.findings import Finding
from pulumi_gke_tpu.fleet import derive
from pulumi_gke_tpu.graph.result import PlanPreview, preview_notes
from pulumi_gke_tpu.graph.stored import StoredError, StoredPreview
from pulumi_gke_tpu.plan import Document, Plan, parse_plan


def preview_document(
    document: Document[Plan], findings: Sequence[Finding], catalog: Catalog, today: datetime.date | None
) -> PlanPreview:
    """Everything there is to show of a plan without errors."""
    from pulumi_gke_tpu.components.preview import preview_fleet

    assert document.content is not None
    assert document.yaml is not None
    fleet = derive(document.content, catalog, today)
    return PlanPreview(
        name=document.name,
        catalog_version=catalog.about.version,
        plan=document.content,
        fleet=fleet,
        cost=cost_of(fleet, catalog),
        quota=quota_needs(fleet, catalog),
        graph=preview_fleet(document.yaml.data, fleet, catalog),
        findings=tuple(findings),
        notes=preview_notes(fleet, catalog),
    )


def preview_stored(stored: StoredPreview, catalog: Catalog, today: datetime.date | None) -> PlanPreview:
    """A stored preview: its resources as they were stored, all else derived anew. Needs no Pulumi.

    Raises:
        StoredError: this version cannot read the plan in it.
    """
    plan = parse_plan(stored.written).content
    if plan is None:
        raise StoredError("the plan in it cannot be read")
    fleet = derive(plan, catalog, today)
    return PlanPreview(
        name=stored.name,
        catalog_version=stored.catalog_version,
        plan=plan,
        fleet=fleet,
        cost=cost_of(fleet, catalog),
        quota=quota_needs(fleet, catalog),
        graph=stored.graph,
        findings=(),
        notes=(),
    )
