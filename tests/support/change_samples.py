"""Reports of changes for the tests of their texts."""

import dataclasses
from collections.abc import Iterable
from decimal import Decimal

from pulumi_gke_tpu.core.estimate import Usd
from pulumi_gke_tpu.core.fleet import Range
from pulumi_gke_tpu.core.graph.property_values import ABSENT
from pulumi_gke_tpu.core.plan.base import Unknown
from pulumi_gke_tpu.core.text.findings import Finding
from pulumi_gke_tpu.features.diff.engine.model import EngineView, Report
from pulumi_gke_tpu.features.diff.model import (
    AcknowledgementUse,
    CapacityChange,
    ChangeReport,
    ChangeTotals,
    CostChange,
    Difference,
    Fix,
    GroupSize,
    ItemChange,
    ResourceChange,
    SliceCounts,
    SourcedReason,
    Unclear,
    UseChange,
    WrittenChange,
)
from pulumi_gke_tpu.features.diff.output.page import ChangePage, change_page

PLAN = "stacks/prod/plan.yaml"
FACT = SourcedReason("a slice's shape is fixed when its nodes are created.", "GKE: Plan TPUs in GKE, 2026-11-20")


def fixed(number: int) -> Range:
    return Range(number, number)


def usd(text: str) -> Usd:
    return Usd(Decimal(text), Decimal(text))


def capacity(slices: int, hosts: int) -> SliceCounts:
    return SliceCounts(fixed(slices), fixed(hosts), fixed(hosts * 4))


POOL = ResourceChange(
    urn="urn:pulumi:preview::gke-tpu::gcp:container/nodePool:NodePool::train-east/pretrain/pretrain-0",
    former_urn="urn:pulumi:preview::gke-tpu::gcp:container/nodePool:NodePool::train-east/pretrain/pretrain-0",
    type="gcp:container/nodePool:NodePool",
    name="train-east/pretrain/pretrain-0",
    plan_path="clusters.train-east.slices.pretrain",
    operation="replace",
    effect="replace",
    delete_first=True,
    differences=(
        Difference("placementPolicy.tpuTopology", "8x16", "16x16", "replace", FACT),
        Difference("nodeConfig.labels", ABSENT, {"team": "research", "id": Unknown(("urn:x",))}, "in-place", FACT),
    ),
    because_of=(),
    refused="protected",
    refused_by="engine",
)
USE = AcknowledgementUse(PLAN, "replace", "train-east/sweep", "larger slices", "2026-12-01", "used", True)
_ENTRY = "{change: replace, of: train-east/pretrain, reason: WHY, until: 2026-12-04}"
FIX = Fix("head", "acknowledge", (_ENTRY,), f"acknowledge: [{_ENTRY}]")
REPLACED = ItemChange(
    plan=PLAN,
    item="train-east/pretrain",
    former_item="train-east/pretrain",
    kind="slices",
    path="clusters.train-east.slices.pretrain",
    change="replace",
    written=(WrittenChange("topology", "8x16", "16x16"),),
    consequence="`pretrain-0` and `pretrain-1` are deleted (64 hosts), then created with 128 hosts. "
    "There is no capacity in between, and how long that takes is unknown; running jobs on them stop. "
    "Uses 128 of 128 VMs of reservation `v6e-pretrain`.",
    facts=(FACT, SourcedReason("the provider alone would plan an update and then do nothing.", "observed", "medium")),
    refused="`pulumi up` will fail: the group is protected (reserved capacity).",
    fixes=(FIX,),
    acknowledged=None,
    hosts_gone=fixed(64),
    hosts_new=fixed(128),
    resources=(POOL, dataclasses.replace(POOL, name="train-east/pretrain/pretrain-1")),
    size=GroupSize(fixed(256), fixed(512), CostChange(usd("691.20"), usd("1382.40"), False)),
)
CHANGED = ItemChange(
    plan=PLAN,
    item="train-east",
    former_item="train-east",
    kind="cluster",
    path="clusters.train-east",
    change="in-place",
    written=(WrittenChange("maintenance.exclusions.frontier-run.end", "15 Dec 2026", "20 Dec 2026"),),
    consequence="Nothing restarts.",
    facts=(),
    refused="",
    fixes=(),
    acknowledged=None,
    hosts_gone=fixed(0),
    hosts_new=fixed(0),
    resources=(),
)
REPORT = ChangeReport(
    base="origin/main",
    head="HEAD",
    plans=(PLAN,),
    catalog_version="2026-11-20",
    items=(REPLACED, CHANGED),
    unchanged_items=2,
    unchanged_resources=14,
    totals=ChangeTotals(
        CapacityChange("", "", capacity(2, 64), capacity(2, 128)),
        (CapacityChange("v6e", "us-east5-b", capacity(2, 64), capacity(2, 128)),),
        CostChange(usd("691.20"), usd("1382.40"), False),
        (UseChange("reservation", "v6e-pretrain", "us-east5-b", fixed(64), fixed(128), 128, "acme-ml"),),
    ),
    acknowledgements=(USE,),
    notes=("What the autoscaler has done since is not known.",),
)
EMPTY = dataclasses.replace(REPORT, items=(), acknowledgements=(), notes=())


def with_items(count: int) -> ChangeReport:
    """A report with many items."""
    items = tuple(
        dataclasses.replace(REPLACED, item=f"train-east/group-{number}", former_item=f"train-east/group-{number}")
        for number in range(count)
    )
    return dataclasses.replace(REPORT, items=items)


def with_text(text: str) -> ChangeReport:
    """A report in which everything that can come from a plan is this text."""
    use = dataclasses.replace(USE, plan=text, of=text, reason=text, until=text)
    differences = (Difference(text, text, {text: [text]}, "replace", SourcedReason(text, text)),)
    pool = dataclasses.replace(POOL, name=text, type=text, urn=text, plan_path=text, differences=differences)
    item = dataclasses.replace(
        REPLACED,
        plan=text,
        item=text,
        former_item="was",
        path=text,
        written=(WrittenChange(text, text, text),),
        consequence=text,
        facts=(SourcedReason(text, text),),
        refused=text,
        fixes=(dataclasses.replace(FIX, entries=(text,), text=text),),
        acknowledged=use,
        resources=(pool,),
    )
    uses = (UseChange("reservation", text, text, fixed(1), fixed(2), 1, text),)
    places = (CapacityChange(text, text, capacity(1, 1), capacity(2, 2)),)
    return dataclasses.replace(
        REPORT,
        base=text,
        head=text,
        plans=(text, "other"),
        unclear=(Unclear(text, text, "base", text), Unclear(text, text, "moved", text)),
        catalog_version=text,
        items=(item, CHANGED),
        totals=dataclasses.replace(REPORT.totals, uses=uses, places=places),
        acknowledgements=(use,),
        notes=(text,),
    )


def page_of(
    change: ChangeReport,
    findings: Iterable[Finding] = (),
    failed: Iterable[str] = (),
    *,
    engine: EngineView | None = None,
) -> ChangePage:
    """The page of a change."""
    return change_page(Report(change, engine), findings, failed)
