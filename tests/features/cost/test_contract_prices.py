"""The contract price of an inventory replaces the on-demand price of reserved slices in every sum of every command."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

GkeTpu = Callable[..., Any]
DAY = ("--today", "2026-11-20")
AT_CONTRACT, ON_DEMAND = 0.5 * 16, 2.7 * 16
"""USD per hour of one slice 4x4."""


def plan(slices: int) -> str:
    return f"""version: 1
project: acme-ml
clusters:
  train:
    mode: standard
    location: us-east5
    slices:
      pretrain: {{tpu: v6e, topology: 4x4, count: {slices}, zone: us-east5-b, capacity: {{reservation: pool}}}}
      tune: {{tpu: v6e, topology: 4x4, zone: us-east5-b}}
"""


INVENTORY = """version: 1
as_of: 2026-11-20
reservations:
  - {name: pool, project: acme-ml, zone: us-east5-b, machine_type: ct6e-standard-4t, vms: 64, usd_per_chip_hour: 0.5}
"""


@pytest.fixture
def files(tmp_path: Path) -> Path:
    for name, text in (("base", plan(1)), ("head", plan(2)), ("inventory", INVENTORY)):
        (tmp_path / f"{name}.yaml").write_text(text, encoding="utf-8")
    return tmp_path


@pytest.fixture
def contract(files: Path) -> tuple[object, ...]:
    return "--inventory", files / "inventory.yaml", *DAY


def test_preview_cost_and_diff_have_the_same_sum(gke_tpu: GkeTpu, files: Path, contract: tuple[object, ...]) -> None:
    base, head = files / "base.yaml", files / "head.yaml"
    shown = json.loads(gke_tpu("preview", head, "--format", "json", *contract).out)
    cost = json.loads(gke_tpu("cost", head, "--format", "json", *contract).out)
    change = json.loads(gke_tpu("diff", base, head, "--format", "json", *contract).out)["totals"]["cost"]
    will, was = 2 * AT_CONTRACT + ON_DEMAND, AT_CONTRACT + ON_DEMAND
    (total,) = [line for line in shown["totals"] if line["what"] == "total"]
    found = [total["usd_per_hour"], cost["total"]["hour"], change["will"]]
    assert [float(usd["max"]) for usd in found] == pytest.approx([will] * 3)
    assert float(change["was"]["max"]) == pytest.approx(was)
    # Without the inventory, reserved slices have the on-demand price.
    plain = json.loads(gke_tpu("diff", base, head, "--format", "json", *DAY).out)["totals"]["cost"]
    assert [float(plain[side]["max"]) for side in ("was", "will")] == pytest.approx([2 * ON_DEMAND, 3 * ON_DEMAND])


def test_the_cost_gate_of_a_diff_compares_contract_prices(
    gke_tpu: GkeTpu, files: Path, contract: tuple[object, ...]
) -> None:
    """8.00 of 51.20 USD per hour at the contract price, 43.20 of 86.40 at the on-demand price."""
    sides = files / "base.yaml", files / "head.yaml"
    assert gke_tpu("diff", *sides, "--fail-on", "cost:+20%", *contract).code == 0
    assert gke_tpu("diff", *sides, "--fail-on", "cost:+15%", *contract).code == 6
    assert gke_tpu("diff", *sides, "--fail-on", "cost:+20%", *DAY).code == 6
    assert "51.20" in gke_tpu("diff", *sides, "--format", "markdown", *contract).out


def test_a_stored_preview_is_compared_at_contract_prices(
    gke_tpu: GkeTpu, files: Path, contract: tuple[object, ...]
) -> None:
    stored = files / "stored.json"
    stored.write_text(gke_tpu("preview", files / "base.yaml", "--format", "json", "--resources", *DAY).out)
    change = json.loads(gke_tpu("diff", stored, files / "head.yaml", "--format", "json", *contract).out)
    assert float(change["totals"]["cost"]["was"]["max"]) == pytest.approx(AT_CONTRACT + ON_DEMAND)


def test_a_limit_of_an_organization_counts_contract_prices(
    gke_tpu: GkeTpu, files: Path, contract: tuple[object, ...]
) -> None:
    standards = files / "organization.yaml"
    standards.write_text("version: 1\nstandards: {budget: {max: {usd_per_hour: 60, per: plan}}}\n", encoding="utf-8")
    check = ("validate", files / "head.yaml", "--organization", standards)
    assert "TPU925" not in gke_tpu(*check, *contract).out
    assert "up to 129.60 USD per hour exceed the limit of 60.00" in " ".join(gke_tpu(*check, *DAY).out.split())


def test_a_recommended_reservation_has_the_price_that_its_plan_has(
    gke_tpu: GkeTpu, files: Path, contract: tuple[object, ...]
) -> None:
    need = ("--chips", "16", "--tpu", "v6e", "--capacity", "reservation")
    (row,) = json.loads(gke_tpu("recommend", *need, "--format", "json", *contract).out)["rows"]
    assert float(row["usd_per_hour"]) == pytest.approx(AT_CONTRACT)


def test_a_price_of_low_confidence_is_marked_and_makes_a_diff_incomplete(gke_tpu: GkeTpu, tmp_path: Path) -> None:
    base, head = tmp_path / "base.yaml", tmp_path / "head.yaml"
    base.write_text(plan(1), encoding="utf-8")
    ironwood = "      new: {tpu: tpu7x, topology: 2x2x1, zone: us-central1-c, capacity: flex_start}\n"
    head.write_text(
        plan(1).replace("us-east5\n", "us-central1\n").split("      pretrain")[0] + ironwood, encoding="utf-8"
    )
    shown = json.loads(gke_tpu("diff", base, head, "--format", "json", *DAY).out)
    assert shown["totals"]["cost"]["incomplete"] is True
    assert any("has low confidence, so no sum includes it" in note for note in shown["notes"])
    assert "USD/h (low confidence, in no sum)" in gke_tpu("preview", head, *DAY).out


@pytest.mark.parametrize(
    ("price", "message"),
    [
        (".nan", "TPU022: `usd_per_chip_hour` must be a number, such as 1.89, without a unit"),
        (".inf", "TPU022: `usd_per_chip_hour` must be a number"),
        ("1.89 USD", "TPU022: `usd_per_chip_hour` must be a number"),
        ("-0.5", "TPU023: `usd_per_chip_hour` must be at least 0"),
        ("1e300", "TPU023: `usd_per_chip_hour` must be at most 1000000"),
    ],
)
def test_an_impossible_contract_price_is_reported(gke_tpu: GkeTpu, files: Path, price: str, message: str) -> None:
    inventory = files / "inventory.yaml"
    inventory.write_text(INVENTORY.replace("0.5", price), encoding="utf-8")
    for command in (("cost", files / "head.yaml"), ("recommend", "--chips", "16", "--capacity", "reservation")):
        run = gke_tpu(*command, "--inventory", inventory, *DAY)
        assert run.code == 1
        assert message in " ".join(run.err.split())


def test_any_price_of_an_overlay_is_shown(gke_tpu: GkeTpu, files: Path) -> None:
    overlay = files / "overlay.yaml"
    price = "{family: ct6e, region: us-east5, model: on_demand, usd: 1.0e+300, source: [x], as_of: 2026-11-20, "
    overlay.write_text(
        f"sources: {{x: {{title: Our prices}}}}\nprices:\n  prices:\n    - {price}confidence: high}}\n",
        encoding="utf-8",
    )
    for command in (("cost", files / "head.yaml"), ("preview", files / "head.yaml"), ("recommend", "--chips", "16")):
        run = gke_tpu(*command, "--catalog", overlay, *DAY)
        assert (run.code, "internal error" in run.err) == (0, False), run.err
