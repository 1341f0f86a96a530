"""TPU81x: chips of the plans against the quota limits of the inventory."""

import dataclasses
from collections.abc import Iterable

from pulumi_gke_tpu.catalog.records.capacity import QuotaMetric
from pulumi_gke_tpu.estimate import metric_confidence, quota_needs
from pulumi_gke_tpu.estimate.quota import metrics_of
from pulumi_gke_tpu.findings import Severity, number, printable, quoted
from pulumi_gke_tpu.formats.location import is_zone, region_of
from pulumi_gke_tpu.plan.inventory import OwnedQuota
from pulumi_gke_tpu.rules.engine.hit import Hit
from pulumi_gke_tpu.rules.engine.rule import Scope, rule
from pulumi_gke_tpu.rules.inventory.context import InventoryContext
from pulumi_gke_tpu.rules.inventory.sums import Overrun, Part, overrun

_UNKNOWN = -1
"""The limit of a quota that was never set; it is not checked."""


@rule(
    "TPU811",
    "quota-exceeded",
    scope=Scope.INVENTORY,
    since="0.1",
    otherwise={Severity.WARNING: "if only the largest autoscaled size exceeds the limit"},
    title="Plans exceed the quota",
    why="GKE cannot create VMs beyond the quota. Node pools fail to be created, and flex-start waits as if there "
    "were no capacity",
    fix="Reduce the number of slices, or use reserved capacity. Or request a higher quota, and then update the "
    "inventory.",
    references=["quota-tables", "quota-read-outs", "tpu-quota-page"],
    basis="catalog",
    failing="""
tpu: v6e
topology: 16x16
--- inventory
quotas:
  - {project: acme-ml, metric: tpus_per_tpu_family, family: CT6E, region: us-east5, limit: 128}
""",
    passing="""
tpu: v6e
topology: 16x16
--- inventory
quotas:
  - {project: acme-ml, metric: tpus_per_tpu_family, family: CT6E, region: us-east5, limit: 256}
""",
)
def quota_exceeded(context: InventoryContext) -> Iterable[Hit]:
    limits = _limits(context)
    parts = _parts(context, limits)
    for (project, location, _), (entry, metric) in limits.items():
        asked = parts.get((project, region_of(location), id(metric)), [])
        if is_zone(location):
            asked = [part for part in asked if part.group.zone == location]
        over = overrun(asked, entry.limit)
        if over is not None:
            yield _hit(entry, metric, over).within(over.part.member.document)


_Limits = dict[tuple[str, str, int], tuple[OwnedQuota, QuotaMetric]]


def _limits(context: InventoryContext) -> _Limits:
    """The known limits by project, region or zone, and quota; the first of duplicate entries."""
    found: _Limits = {}
    for entry in context.inventory.quotas:
        for metric in metrics_of(context.catalog.quota, entry):
            found.setdefault((entry.project, entry.region, id(metric)), (entry, metric))
    return {key: item for key, item in found.items() if item[0].limit != _UNKNOWN}


def _parts(context: InventoryContext, limits: _Limits) -> dict[tuple[str, str, int], list[Part]]:
    """The use of each quota by each group, by project, region and quota.

    Flex-start and queued capacity use preemptible quota first, and ordinary quota if a project has none.
    """
    parts: dict[tuple[str, str, int], list[Part]] = {}
    for member in context.plans:
        for need in quota_needs(member.fleet, context.catalog):
            known = limits.get((need.project, need.region, id(need.metric)))
            without = known is not None and known[0].limit == 0 and need.fallback is not None
            for share in need.shares:
                metric = need.fallback if without and share.first_preemptible else need.metric
                if metric is not None:
                    part = Part(member, share.group, share.group.shape.chips)
                    parts.setdefault((need.project, need.region, id(metric)), []).append(part)
    return parts


def _hit(entry: OwnedQuota, metric: QuotaMetric, over: Overrun) -> Hit:
    family = f" ({printable(entry.family)})" if entry.family and metric.dimension else ""
    return Hit(
        over.path,
        f"quota {quoted(entry.metric)}{family} of project {printable(entry.project)} in "
        f"{printable(entry.region)} is {number(entry.limit, 'chip')}, but {over.text}",
        fact=dataclasses.replace(metric, confidence=metric_confidence(metric)),
        severity=Severity.ERROR if over.always else Severity.WARNING,
        fix=over.fix,
    )
