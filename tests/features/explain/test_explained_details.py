"""Details of explained items: chains, exclusions, quota of flex-start, end of support, auto-provisioned chips."""

import datetime
import pathlib
from typing import Any

import pytest

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.fleet.checked import plans_in_fleet
from pulumi_gke_tpu.core.plan import Document, Plan, parse_plan, read_plan
from pulumi_gke_tpu.core.rules import check_plan
from pulumi_gke_tpu.features.explain.steps import Explanation, Step
from pulumi_gke_tpu.features.explain.values.explain import explain_item
from pulumi_gke_tpu.features.explain.values.surroundings import Item, Surroundings

CATALOG = read_catalog()
TODAY = datetime.date(2026, 11, 20)
PROD = read_plan(pathlib.Path(__file__).parents[3] / "stacks" / "prod" / "plan.yaml")


def explained(document: Document[Plan], item: Item, *others: Document[Plan]) -> Explanation:
    plans = [check_plan(each, CATALOG, TODAY) for each in (document, *others)]
    plan, fleet = plans[0].plan, plans[0].fleet
    assert plan is not None
    assert fleet is not None
    around = Surroundings(CATALOG, plans[0].document, plans_in_fleet(plans))
    return explain_item(plan, fleet, CATALOG, item, around=around)


def step_of(document: Document[Plan], item: Item, *others: Document[Plan]) -> Step:
    (step,) = explained(document, item, *others).steps
    return step


def plan_with(slices: dict[str, Any], **cluster: Any) -> Document[Plan]:
    content = {"mode": "standard", "location": "us-east5", **cluster, "slices": slices}
    return parse_plan({"version": 1, "project": "acme-ml", "clusters": {"train": content}})


GROUP = {"tpu": "v6e", "topology": "4x4", "zone": "us-east5-b"}


def test_a_conflict_is_shown_only_with_the_values_that_it_is_about() -> None:
    steps = {step.name: step for step in explained(PROD, Item("train-east", "pretrain")).steps}
    contested = [name for name, step in steps.items() if any("Limitations" in fact.conflict for fact in step.evidence)]
    assert contested == ["minimum_version"], "the accelerator label is a field of the same fact"


def test_the_chain_of_a_value_contains_what_its_inputs_follow_from() -> None:
    chain = explained(PROD, Item("train-east", "pretrain", "total")).chain
    assert [step.name for step in chain] == ["slices", "hosts", "chips", "chips_per_host", "topology"]
    assert explained(PROD, Item("train-east", "pretrain")).chain == (), "a whole item shows all values"


def test_a_group_shows_which_exclusions_do_not_prevent_upgrades_of_its_nodes() -> None:
    start, end = "2026-12-01T00:00:00Z", "2026-12-20T00:00:00Z"
    exclusions = {
        "minor": {"start": start, "end": end, "scope": "no_minor_upgrades"},
        "nodes": {"start": start, "end": end, "scope": "no_minor_or_node_upgrades"},
    }
    window = {"start": "2026-01-03T02:00:00Z", "duration": "6h", "days": ["SAT", "SUN"]}
    document = plan_with({"g": GROUP}, maintenance={"window": window, "exclusions": exclusions})
    period = "2026-12-01 00:00 to 2026-12-20 00:00"
    assert step_of(document, Item("train", "g", "maintenance")).details[:2] == (
        f"minor: no_minor_upgrades, {period}, which does not prevent upgrades of nodes",
        f"nodes: no_minor_or_node_upgrades, {period}",
    )
    assert step_of(document, Item("train", "", "maintenance")).details[0] == f"minor: no_minor_upgrades, {period}"


def test_a_cluster_of_the_same_name_in_another_plan_is_another_user() -> None:
    one, two = plan_with({"g": {**GROUP, "capacity": "spot"}}), plan_with({"g": {**GROUP, "capacity": "spot"}})
    details = step_of(one, Item("train", "", "headroom"), two).details
    assert details[0].endswith("of which the plans use 32 chips (acme-ml)")
    assert details[1].endswith("also used by acme-ml train/g (16)")


def test_the_quota_of_flex_start_has_the_order_in_which_gke_uses_quotas() -> None:
    step = step_of(plan_with({"g": {**GROUP, "capacity": "flex_start"}}), Item("train", "g", "quota"))
    assert step.value == "compute.googleapis.com/preemptible_tpu_v6e"
    other = "compute.googleapis.com/tpus_per_tpu_family (tpu_family CT6E)"
    assert step.because.endswith(f"if this quota does not exist, GKE uses {other}")
    order = next(note for note in CATALOG.quota.notes if note.id == "quota-flex-start-order")
    assert CATALOG.sources[order.source[0]] in [source for fact in step.evidence for source in fact.sources]
    standard = next(item for item in CATALOG.quota.metrics if item.dimension == "CT6E")
    assert standard.note in [fact.note for fact in step.evidence]


@pytest.mark.parametrize(
    ("cluster", "value", "reason"),
    [
        ({"min_version": "1.35"}, "2027-04-11", "standard support of GKE 1.35 (minimum) ends on this day"),
        (
            {"min_version": "1.35", "release_channel": "extended"},
            "2028-02-11",
            "extended support of GKE 1.35 (minimum)",
        ),
        ({"min_version": "1.36", "release_channel": "extended"}, "unknown", "no source has the end of extended"),
        ({"min_version": "1.99"}, "unknown", "no source has a date for GKE 1.99; the catalog has dates of 1.30, 1.31"),
        ({}, "unknown", "the plan has no min_version; the catalog has dates of 1.30, 1.31"),
    ],
)
def test_the_end_of_support_leads_to_the_dates_of_the_catalog(cluster: dict[str, Any], value: str, reason: str) -> None:
    step = step_of(plan_with({"g": GROUP}, **cluster), Item("train", "", "end_of_support"))
    assert (step.value, step.because.startswith(reason)) == (value, True), step.because
    assert step.evidence[0].sources[0] == CATALOG.sources["endoflife-gke"]
    group = step_of(plan_with({"g": GROUP}, **cluster), Item("train", "g", "maintenance"))
    assert f"end of support of train: {step.value}; {step.because}" in group.details


def test_the_price_of_a_cluster_shows_what_auto_provisioning_may_create() -> None:
    step = step_of(PROD, Item("train-east", "", "price"))
    found = [line for line in step.details if "auto-provisioning" in line]
    assert [line.split(",")[0] for line in found] == [
        "not included: up to 512 v6e chips that auto-provisioning may create",
        "not included: up to 256 v5p chips that auto-provisioning may create",
    ]
    assert {"2026-08-10", "2026-08-07"} <= {fact.as_of for fact in step.evidence}
    assert any("by auto-provisioning" in line for line in step_of(PROD, Item("train-east", "", "quota")).details)
