"""Price, headroom and maintenance of clusters and slice groups: equal to the estimates, and with their facts."""

import datetime
import pathlib
from typing import Any

import pytest

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.catalog.naming import hardware
from pulumi_gke_tpu.core.estimate import cost_of
from pulumi_gke_tpu.core.estimate.headroom import headroom
from pulumi_gke_tpu.core.estimate.prices import MODES
from pulumi_gke_tpu.core.fleet.checked import CheckedPlan, plans_in_fleet
from pulumi_gke_tpu.core.plan import Document, parse_plan, read_inventory, read_plan
from pulumi_gke_tpu.core.plan.inventory import Inventory
from pulumi_gke_tpu.core.rules import check_plan
from pulumi_gke_tpu.features.explain.steps import Explanation, Step
from pulumi_gke_tpu.features.explain.values.explain import explain_item
from pulumi_gke_tpu.features.explain.values.surroundings import Item, Surroundings
from pulumi_gke_tpu.features.explain.words.capacity import explain_capacity_of

ROOT = pathlib.Path(__file__).parents[3]
CATALOG = read_catalog()
TODAY = datetime.date(2026, 11, 20)
STACKS = sorted((ROOT / "stacks").glob("*/plan.yaml"))
EXAMPLES = ROOT / "docs" / "examples"


def inventory(name: str) -> Document[Inventory]:
    document = read_inventory(EXAMPLES / name)
    assert document.content is not None
    return document


def explained(checked: CheckedPlan, key: str, value: str = "", owned: Document[Inventory] | None = None) -> Explanation:
    assert checked.document.content is not None
    assert checked.fleet is not None
    cluster, _, group = key.partition("/")
    item = Item(cluster, group, value)
    around = Surroundings(CATALOG, checked.document, plans_in_fleet([checked]), owned)
    return explain_item(checked.document.content, checked.fleet, CATALOG, item, around=around)


def step_of(checked: CheckedPlan, key: str, value: str, owned: Document[Inventory] | None = None) -> Step:
    (step,) = explained(checked, key, value, owned).steps
    return step


def plan_with(group: dict[str, Any], **cluster: Any) -> CheckedPlan:
    content = {"mode": "standard", "location": "us-east5", **cluster, "slices": {"g": group}}
    return check_plan(parse_plan({"version": 1, "project": "acme-ml", "clusters": {"train": content}}), CATALOG, TODAY)


@pytest.mark.parametrize("path", STACKS, ids=lambda path: path.parent.name)
def test_the_price_of_each_item_is_its_cost_and_leads_to_a_dated_source(path: pathlib.Path) -> None:
    checked = check_plan(read_plan(path), CATALOG, TODAY)
    assert checked.fleet is not None
    cost = cost_of(checked.fleet, CATALOG)
    for group in cost.groups:
        step = step_of(checked, group.group, "price")
        shown = "unknown" if group.usd is None else f"{group.whole_usd} USD per hour"
        assert step.value == (f"at least {shown}" if group.usd is not None and group.incomplete else shown)
        assert all(fact.as_of and fact.sources for fact in step.evidence)
        assert step.evidence or group.unknown
        if group.price is not None:
            assert f"{group.price.usd} USD per chip-hour" in step.because
            assert group.price.as_of in {fact.as_of for fact in step.evidence}
    for key, line in cost.clusters.items():
        assert str(line.usd) in step_of(checked, key, "price").value


def test_the_price_of_a_contract_replaces_the_one_of_the_catalog() -> None:
    group = {"tpu": "v6e", "topology": "8x8", "zone": "us-east5-b", "capacity": {"reservation": "v6e-pretrain"}}
    checked = plan_with(group)
    step = step_of(checked, "train/g", "price", inventory("contract.yaml"))
    assert step.value == "120.96 USD per hour"
    assert step.because.startswith("1.89 USD per chip-hour, the price of reservation v6e-pretrain in the inventory;")
    assert "2,903.04 USD per day and 88,300.80 per month" in step.because
    without = step_of(checked, "train/g", "price")
    assert without.value == "172.80 USD per hour"
    assert "the inventory has no price of the reservation" in without.because


def test_prices_that_disagree_are_both_shown() -> None:
    step = step_of(
        plan_with({"tpu": "v6e", "topology": "4x4", "zone": "us-east5-b", "capacity": "spot"}), "train/g", "price"
    )
    assert step.because.startswith("1.4033 USD per chip-hour, the spot price of ct6e in us-east5;")
    assert "other sources have 1.89 (as of 2024-12-23, confidence low); gke-tpu uses" in step.because
    assert [(fact.as_of, fact.confidence) for fact in step.evidence] == [("2026-08-07", "high"), ("2024-12-23", "low")]


def test_an_unknown_price_stays_unknown() -> None:
    group = {"tpu": "v5p", "topology": "2x2x2", "zone": "us-east5-a", "capacity": "flex_start"}
    step = step_of(plan_with(group), "train/g", "price")
    assert (step.value, step.because) == ("unknown", "no flex-start price of ct5p in us-east5 is known")


def test_the_headroom_of_each_item_is_that_of_the_quota_command() -> None:
    owned = inventory("inventory.yaml")
    checked = check_plan(read_plan(ROOT / "stacks" / "prod" / "plan.yaml"), CATALOG, TODAY)
    room = headroom([checked], owned.content, CATALOG)
    (reservation,) = [item for item in room.reservations if item.name == "v6e-pretrain"]
    step = step_of(checked, "train-east/pretrain", "headroom", owned)
    assert reservation.vms.left is not None
    assert step.value == f"{reservation.vms.left} VMs of reservation v6e-pretrain left"
    assert step.because == "limit of 160 VMs minus 16 in other use minus 128 in the plan; inventory of 2026-11-20"
    (quota,) = [item for item in room.quotas if item.metric.metric.endswith("preemptible_tpu_v5p")]
    step = step_of(checked, "train-east/ablation", "headroom", owned)
    assert step.value == f"{quota.chips.left} chips of preemptible_tpu_v5p in us-east5 left"
    assert step.evidence[0].as_of == quota.metric.as_of
    cluster = step_of(checked, "train-east", "headroom", owned)
    limits = [line for line in cluster.details if not line.startswith("limit unknown")]
    assert len(limits) == 3, "those of its groups"
    assert len(cluster.details) == 5, "and those of auto-provisioning, which the inventory does not have"
    for word in ("16 VMs of reservation v6e-pretrain left", "preemptible_tpu_v5p in us-east5 left"):
        assert word in cluster.value
    assert "up to 480 chips too few in preemptible_tpu_v6e" in cluster.value
    assert "unknown for tpu_v5p in us-east5 and tpus_per_tpu_family (tpu_family CT6E) in us-east5" in cluster.value


def test_headroom_is_unknown_without_an_inventory_or_a_limit() -> None:
    checked = plan_with({"tpu": "v4", "topology": "2x2x1", "zone": "us-central2-b"}, location="us-central2")
    step = step_of(checked, "train/g", "headroom")
    assert (step.value, "--inventory FILE" in step.because) == ("unknown", True)
    step = step_of(checked, "train/g", "headroom", inventory("inventory.yaml"))
    assert step.value == "unknown"
    assert step.because.endswith("; the inventory has no limit of TPU_PODSLICE_V4 in us-central2")
    assert step.details == ("limit unknown: TPU_PODSLICE_V4 in us-central2, of which the plans use 4 chips (acme-ml)",)


def test_the_maintenance_of_a_group_lists_its_runs_and_what_no_exclusion_prevents() -> None:
    checked = check_plan(read_plan(EXAMPLES / "runs.yaml"), CATALOG, TODAY)
    step = step_of(checked, "train/pretrain", "maintenance")
    assert step.value == "SAT, SUN 02:00 UTC for 6 h"
    runs = [line for line in step.details if line.startswith("run ")]
    assert runs == [
        "run llama, 2026-12-01T08:00:00Z to 2026-12-11T08:00:00Z: covered by exclusions",
        "run gemma, 2026-12-12T00:00:00Z to 2026-12-13T00:00:00Z: upgrades can interrupt it in 1 window",
    ]
    text = "\n".join(step.details)
    for words in (
        "do not support live migration",
        "28 days in advance",
        "re-creates the whole slice",
        "end of support",
    ):
        assert words in text
    assert all(fact.as_of and fact.sources for fact in step.evidence)
    assert step.details == step_of(checked, "train/pretrain", "host_maintenance").details
    flexible = step_of(checked, "train/tune", "maintenance")
    assert flexible.value == "no automatic upgrades"
    assert "28 days" not in "\n".join(flexible.details)


@pytest.mark.parametrize(
    ("cluster", "group", "value", "reason"),
    [
        ({}, {}, "any time", "the plan has no window"),
        ({}, {"upgrade": {"auto_upgrade": False}}, "no automatic upgrades", "auto_upgrade is false in the plan"),
        (
            {"existing": "projects/acme-ml/locations/us-east5/clusters/train", "version": "1.35"},
            {"node_service_account": "nodes@acme-ml.iam.gserviceaccount.com"},
            "unknown",
            "the plan does not contain the maintenance window of an existing cluster",
        ),
    ],
)
def test_the_maintenance_without_a_window(
    cluster: dict[str, Any], group: dict[str, Any], value: str, reason: str
) -> None:
    slices = {"tpu": "v6e", "topology": "4x4", "zone": "us-east5-b", **group}
    step = step_of(plan_with(slices, **cluster), "train/g", "maintenance")
    assert (step.value, step.because) == (value, reason)


def test_a_note_is_stated_once() -> None:
    checked = check_plan(read_plan(EXAMPLES / "runs.yaml"), CATALOG, TODAY)
    shown = explained(checked, "train/pretrain", "maintenance")
    lines = [*shown.steps[0].details, *(remark.text.rstrip(".") for remark in shown.remarks)]
    assert len(lines) == len(set(lines))


@pytest.mark.parametrize("generation", CATALOG.generation_names)
@pytest.mark.parametrize("mode", MODES)
def test_a_mode_of_a_generation_has_a_step_for_each_documented_family_that_has_it(generation: str, mode: str) -> None:
    found = explain_capacity_of(CATALOG, generation, mode)
    assert found is not None
    offered = CATALOG.capacity.families
    families = CATALOG.generation(generation).families
    expected = [name for name, fact in families.items() if fact.documented and mode in offered.get(name, {})]
    shown = [step.name for step in found.steps if step.name in {hardware(generation, name) for name in families}]
    assert shown == [hardware(generation, name) for name in expected]


def test_a_family_without_a_mode_does_not_hide_the_next_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each shipped family has every mode; that of an overlay need not."""
    first, second = CATALOG.generation("v5e").families
    offered: Any = CATALOG.capacity.families
    monkeypatch.delitem(offered[first], "spot")
    found = explain_capacity_of(CATALOG, "v5e", "spot")
    assert found is not None
    names = [step.name for step in found.steps]
    assert hardware("v5e", first) not in names
    assert hardware("v5e", second) in names
