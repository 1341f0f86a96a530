"""Plans that share a full reservation or quota: which of them is applied first."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from pulumi_gke_tpu.features.diff.effects.pools import contradict
from pulumi_gke_tpu.features.diff.model import ApplyOrder, PlanUse

GkeTpu = Callable[..., Any]
TODAY = ("--today", "2026-11-20")
CHIPS = {"name": "v6e-ci", "project": "acme-ml", "zone": "us-east5-b", "family": "ct6e", "chips": 128}
VMS = {"name": "v6e-ci", "project": "acme-ml", "zone": "us-east5-b", "machine_type": "ct6e-standard-8t", "vms": 16}
QUOTA = {"project": "acme-ml", "metric": "tpus_per_tpu_family", "family": "CT6E", "region": "us-east5", "limit": 128}


@pytest.fixture
def changed(gke_tpu: GkeTpu, tmp_path: Path) -> Callable[..., Any]:
    """Compares two plans before and after, by their numbers of slices of 8 chips, with an inventory."""

    def run(
        before: dict[str, int], after: dict[str, int], *more: str, owned: dict[str, object], capacity: object = None
    ) -> Any:
        for side, plans in (("before", before), ("after", after)):
            for name, count in plans.items():
                group = {"tpu": "v6e", "topology": "2x4", "chips_per_host": 8, "count": count, "zone": "us-east5-b"}
                group["capacity"] = capacity or {"reservation": "v6e-ci"}
                cluster = {"mode": "standard", "location": "us-east5", "slices": {"ci": group}}
                path = tmp_path / side / name / "plan.yaml"
                path.parent.mkdir(parents=True)
                path.write_text(
                    yaml.safe_dump({"version": 1, "project": "acme-ml", "clusters": {name: cluster}}), encoding="utf-8"
                )
        kind = "quotas" if "metric" in owned else "reservations"
        inventory = tmp_path / "inventory.yaml"
        inventory.write_text(yaml.safe_dump({"version": 1, "as_of": "2026-11-20", kind: [owned]}), encoding="utf-8")
        return gke_tpu("diff", tmp_path / "before", tmp_path / "after", "--inventory", inventory, *TODAY, *more)

    return run


@pytest.mark.parametrize(
    ("owned", "capacity", "limit"),
    [
        (CHIPS, None, ("reservation", "8 chips", "128 available chips")),
        (VMS, None, ("reservation", "1 VM", "16 available VMs")),
        (QUOTA, "on_demand", ("quota", "8 chips", "128 available chips")),
    ],
)
def test_the_plan_that_frees_capacity_is_applied_first(
    changed: Callable[..., Any], owned: dict[str, object], capacity: object, limit: tuple[str, str, str]
) -> None:
    kind, amount, available = limit
    run = changed({"ci": 12, "bm": 4}, {"ci": 13, "bm": 3}, owned=owned, capacity=capacity)
    text = " ".join(run.out.split())
    order = text.split("order: ")[1].split(" note:")[0]
    assert order.startswith("Apply `")
    assert f"bm` (frees {amount}) first, then `" in order
    assert f"ci` (takes {amount}): {kind} `" in order
    assert f"has {available}" in order


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({"ci": 12, "bm": 3}, {"ci": 13, "bm": 2}),
        ({"ci": 12, "bm": 4}, {"ci": 12, "bm": 3}),
        ({"ci": 12, "bm": 4}, {"ci": 14, "bm": 3}),
    ],
    ids=["enough for both", "one change", "too small in any order"],
)
def test_no_order_where_none_is_needed_or_helps(
    changed: Callable[..., Any], before: dict[str, int], after: dict[str, int]
) -> None:
    run = changed(before, after, "--format", "json", owned=CHIPS)
    assert json.loads(run.out)["order"] == []


def test_the_comment_names_the_order_in_the_next_step(changed: Callable[..., Any]) -> None:
    run = changed({"ci": 12, "bm": 4}, {"ci": 13, "bm": 3}, "--format", "markdown", owned=CHIPS)
    (following,) = [line for line in run.out.splitlines() if "**Next:**" in line]
    assert "bm` before `" in following
    assert "Order of applies:" in run.out


def test_the_json_has_the_amounts_by_plan(changed: Callable[..., Any]) -> None:
    run = changed({"ci": 12, "bm": 4}, {"ci": 13, "bm": 3}, "--format", "json", owned=CHIPS)
    (order,) = json.loads(run.out)["order"]
    assert (order["name"], order["limit"], order["in_chips"]) == ("v6e-ci", 128, True)
    amounts = [[(Path(use["plan"]).parent.name, use["amount"]) for use in order[key]] for key in ("frees", "takes")]
    assert amounts == [[("bm", 8)], [("ci", 8)]]


def test_orders_that_contradict_each_other_are_recognized() -> None:
    def order(first: str, then: str) -> ApplyOrder:
        return ApplyOrder("reservation", "pool", "us-east5-b", 8, (PlanUse(first, 1),), (PlanUse(then, 1),))

    assert not contradict([order("a", "b"), order("b", "c"), order("a", "c")])
    assert contradict([order("a", "b"), order("b", "c"), order("c", "a")])
