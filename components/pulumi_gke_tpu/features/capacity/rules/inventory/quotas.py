"""TPU81x: chips of the plans against the quota limits of the inventory."""

import dataclasses
from collections.abc import Iterable

from pulumi_gke_tpu.core.estimate.holdings import quota_holdings
from pulumi_gke_tpu.core.rules.engine.rule import Hit, of_clusters, rule
from pulumi_gke_tpu.core.text.findings import printable, quoted
from pulumi_gke_tpu.features.capacity.rules.inventory.context import InventoryContext
from pulumi_gke_tpu.features.capacity.rules.inventory.sums import IF_POSSIBLE, exceeded, limit_of, overruns


@rule(
    "TPU811",
    about=of_clusters("slices"),
    otherwise=IF_POSSIBLE,
    title="Plans exceed the quota",
    why="GKE cannot create VMs beyond the quota. Node pools fail to be created, and flex-start waits as if there "
    "were no capacity",
    fix="Reduce the number of slices or the limit of auto-provisioning, or use reserved capacity. Or request a higher "
    "quota, and then update the inventory.",
    references=["quota-tables", "quota-read-outs", "tpu-quota-page"],
    failing="""
tpu: v6e
topology: 16x16
--- inventory
quotas:
  - {project: acme-ml, metric: tpus_per_tpu_family, family: CT6E, region: us-east5, limit: 128}
""",
    edit=("limit: 128", "limit: 256"),
)
def quota_exceeded(context: InventoryContext) -> Iterable[Hit]:
    for holding in quota_holdings(context.plans, context.inventory, context.catalog):
        entry, metric = holding.entry, holding.metric
        if entry is not None:
            family = f" ({printable(entry.family)})" if entry.family and metric.dimension else ""
            limit = (
                f"quota {quoted(entry.metric)}{family} of project {printable(entry.project)} in "
                f"{printable(entry.region)} is {limit_of(holding.chips)}"
            )
            fact = dataclasses.replace(metric, confidence=metric.confidence_of_use)
            yield from (exceeded(over, limit, fact) for over in overruns(holding.chips))
