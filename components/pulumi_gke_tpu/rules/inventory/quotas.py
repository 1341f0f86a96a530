"""TPU81x: chips of the plans against the quota limits of the inventory."""

import dataclasses
from collections.abc import Iterable

from pulumi_gke_tpu.estimate import metric_confidence
from pulumi_gke_tpu.estimate.holdings import quota_holdings
from pulumi_gke_tpu.findings import Severity, printable, quoted
from pulumi_gke_tpu.rules.engine.hit import Hit
from pulumi_gke_tpu.rules.engine.rule import Scope, rule
from pulumi_gke_tpu.rules.inventory.context import InventoryContext
from pulumi_gke_tpu.rules.inventory.sums import chips_of, exceeded, overrun


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
    for holding in quota_holdings(context.plans, context.inventory, context.catalog):
        over, entry, metric = overrun(holding.chips), holding.entry, holding.metric
        if over is not None and entry is not None:
            family = f" ({printable(entry.family)})" if entry.family and metric.dimension else ""
            yield exceeded(
                over,
                f"quota {quoted(entry.metric)}{family} of project {printable(entry.project)} in "
                f"{printable(entry.region)} is {chips_of(holding.chips)}",
                dataclasses.replace(metric, confidence=metric_confidence(metric)),
            )
