"""Reservations in chips, which slices of any shape of a machine family use together: rules, sums and commands."""

import datetime
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from support.several import findings_about

from pulumi_gke_tpu.core.catalog import Catalog, read_catalog
from pulumi_gke_tpu.core.plan import Document, read_inventory
from pulumi_gke_tpu.core.plan.inventory import Inventory
from pulumi_gke_tpu.features.cost.recommend.candidates import Need
from pulumi_gke_tpu.features.cost.recommend.search import recommend

TODAY = datetime.date(2026, 11, 20)
CATALOG = read_catalog()
GkeTpu = Callable[..., Any]
POOL: dict[str, Any] = {
    "name": "v6e-ci",
    "project": "acme-ml",
    "zone": "us-east5-b",
    "family": "ct6e",
    "chips": 128,
}


def inventory(**changes: object) -> str:
    entry = {key: value for key, value in (POOL | changes).items() if value is not None}
    return yaml.safe_dump({"version": 1, "as_of": TODAY.isoformat(), "reservations": [entry]})


def group(topology: str, count: int, **keys: object) -> dict[str, object]:
    group = {"tpu": "v6e", "topology": topology, "count": count, "zone": "us-east5-b"}
    return group | {"capacity": {"reservation": "v6e-ci"}} | keys


def plan(**groups: dict[str, object]) -> str:
    cluster = {"mode": "standard", "location": "us-east5", "slices": groups}
    return yaml.safe_dump({"version": 1, "project": "acme-ml", "clusters": {"ci": cluster}})


SINGLE = group("1x1", 30)
EIGHT = group("2x4", 8, chips_per_host=8)
MULTI = group("4x4", 2)
"""30 + 64 + 32 chips on VMs of three machine types."""


@pytest.fixture
def rules(catalog: Catalog, tmp_path: Path) -> Callable[..., list[str]]:
    """The rules with findings about a plan and the reservation, with the messages."""

    def of(text: str, **changes: object) -> list[str]:
        found = findings_about(f"{text}--- inventory\n{inventory(**changes)}", catalog, tmp_path, TODAY)
        return [f"{item.rule} {item.message}" for item in found]

    return of


@pytest.mark.parametrize("family", ["ct6e", "CT6E", "VM_FAMILY_CLOUD_TPU_LITE_POD_SLICE_CT6E"])
def test_slices_of_every_shape_of_the_family_use_one_reservation(rules: Callable[..., list[str]], family: str) -> None:
    assert rules(plan(single=SINGLE, eight=EIGHT, multi=MULTI), family=family) == []


def test_the_sum_over_all_shapes_must_fit(rules: Callable[..., list[str]]) -> None:
    (found,) = rules(plan(single=SINGLE, eight=EIGHT, multi=MULTI), in_use=4)
    assert found.startswith(
        "TPU804 reservation `v6e-ci` has 128 chips, of which 4 are in use outside the plans, but the plans need 126 ("
    )


def test_totals_count_the_reservation_and_not_the_sum_of_the_maxima(
    gke_tpu: GkeTpu, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """30 + 160 + 64 chips at most, of which 124 are there: 334.80 USD per hour, and 244,404 per month."""
    monkeypatch.chdir(tmp_path)
    file, owned = Path("plan.yaml"), Path("inventory.yaml")  # the number of a run of the tests is in no name
    shapes = {"single": group("1x1", 30), "eight": group("2x4", 20, chips_per_host=8), "multi": group("4x4", 4)}
    for shape in shapes.values():
        shape["count"] = {"min": 0, "max": shape["count"]}
    file.write_text(plan(**shapes), encoding="utf-8")
    owned.write_text(inventory(in_use=4), encoding="utf-8")
    note = "has 124 chips for 3 slice groups with a maximum of 254 together"
    amounts = {
        ("preview", file): "0..124 chips, 0..",
        ("preview", file, "--format", "markdown"): "244,404.00 |",
        ("cost", file): "244,404.00",
        ("report", file, "-o", "-"): "244,404 per month",
        ("explain", file, "ci"): "0..124 chips",
        ("diff", file, file): "",
    }
    for arguments, amount in amounts.items():
        run = gke_tpu(*arguments, "--inventory", owned, "--today", TODAY)
        shown = " ".join(run.out.split())
        assert (arguments, run.code, amount in shown, note in shown) == (arguments, 0, True, True), shown
        assert "685" not in shown  # 254 chips cost 685.80 USD per hour
        alone = " ".join(gke_tpu(*arguments, "--today", TODAY).out.split())
        assert note not in alone
    data = json.loads(gke_tpu("preview", file, "--inventory", owned, "--format", "json", "--today", TODAY).out)
    (shared,) = data["shared_reservations"]
    assert (shared["reservation"], shared["asked"]["max"], shared["available"]) == ("v6e-ci", 254, 124)
    assert data["totals"][-1]["chips"] == {"min": 0, "max": 124}


def test_the_fix_is_the_number_of_slices_that_fits(gke_tpu: GkeTpu, tmp_path: Path) -> None:
    file, owned = tmp_path / "plan.yaml", tmp_path / "inventory.yaml"
    file.write_text(plan(single=group("1x1", 30), eight=group("2x4", 20, chips_per_host=8)), encoding="utf-8")
    owned.write_text(inventory(), encoding="utf-8")
    arguments = ("validate", file, "--inventory", owned, "--today", TODAY)
    assert "TPU804" in gke_tpu(*arguments).out
    fixed = file.read_text(encoding="utf-8").replace("count: 20", "count: 12")
    assert "count: 12" in gke_tpu(*arguments).out
    file.write_text(fixed, encoding="utf-8")
    assert gke_tpu(*arguments).code == 0


def test_another_family_cannot_use_it(rules: Callable[..., list[str]]) -> None:
    (found,) = rules(plan(single=SINGLE), family="ct5p")
    assert found == "TPU803 reservation `v6e-ci` has chips of ct5p, but v6e 1x1 requires ct6e-standard-1t"


def test_the_name_of_a_generation_is_an_unknown_machine_family(rules: Callable[..., list[str]]) -> None:
    assert rules(plan(single=group("1x1", 1, capacity="spot")), family="v6e") == ["TPU833 unknown machine family `v6e`"]


def test_vms_of_another_size_are_a_warning_that_names_the_keys_for_chips(rules: Callable[..., list[str]]) -> None:
    (found,) = rules(plan(single=SINGLE), machine_type="ct6e-standard-4t", vms=32, family=None, chips=None)
    assert found.startswith("TPU803 reservation `v6e-ci` has ct6e-standard-4t, but v6e 1x1 requires ct6e-standard-1t")
    assert found.endswith(", unless the reservation counts chips (`family`, `chips`)")


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"machine_type": "ct6e-standard-4t", "vms": 8}, "conflicting keys `machine_type` and `vms` and `family`"),
        ({"family": None}, "missing key `family`"),
        ({"chips": None}, "missing key `chips`"),
        ({"chips": None, "family": None}, "missing key"),
    ],
)
def test_a_reservation_has_one_unit(tmp_path: Path, keys: dict[str, object], message: str) -> None:
    entry = {key: value for key, value in (POOL | keys).items() if value is not None}
    path = tmp_path / "inventory.yaml"
    path.write_text(yaml.safe_dump({"version": 1, "as_of": "2026-11-20", "reservations": [entry]}), encoding="utf-8")
    document = read_inventory(path)
    assert any(message in item.message for item in document.findings), document.findings


def test_quota_shows_chips_beside_vms(gke_tpu: GkeTpu, tmp_path: Path) -> None:
    file, owned = tmp_path / "plan.yaml", tmp_path / "inventory.yaml"
    file.write_text(plan(single=SINGLE, eight=EIGHT, multi=MULTI), encoding="utf-8")
    other = {"name": "old", "project": "acme-ml", "zone": "us-east5-b", "machine_type": "ct6e-standard-4t", "vms": 4}
    content = yaml.safe_load(inventory())
    content["reservations"].append(other)
    owned.write_text(yaml.safe_dump(content), encoding="utf-8")
    arguments = ("quota", file, "--inventory", owned, "--today", TODAY)
    lines = [line.split() for line in gke_tpu(*arguments).out.splitlines()]
    assert ["v6e-ci", "acme-ml", "us-east5-b", "chips", "126", "128", "0", "2"] in lines
    assert ["old", "acme-ml", "us-east5-b", "VMs", "0", "4", "0", "4"] in lines
    by_name = {item["name"]: item for item in json.loads(gke_tpu(*arguments, "--format", "json").out)["reservations"]}
    assert (by_name["v6e-ci"]["chips"]["maximum"], by_name["v6e-ci"]["vms"]["limit"]) == (126, None)
    assert (by_name["old"]["chips"], by_name["old"]["vms"]["limit"]) == (None, 4)


def test_unused_chips_cost_what_the_reservation_costs(gke_tpu: GkeTpu, tmp_path: Path) -> None:
    file, owned = tmp_path / "plan.yaml", tmp_path / "inventory.yaml"
    file.write_text(plan(single=SINGLE), encoding="utf-8")
    owned.write_text(inventory(usd_per_chip_hour=2, in_use=48), encoding="utf-8")
    run = gke_tpu("cost", file, "--inventory", owned, "--today", TODAY, "--format", "json")
    (unused,) = json.loads(run.out)["unused_reservations"]
    assert (unused["chips"], unused["vms"], unused["machine_type"]) == ({"min": 50, "max": 50}, None, None)
    assert unused["usd"]["hour"]["max"] == "100.0"
    text = " ".join(gke_tpu("cost", file, "--inventory", owned, "--today", TODAY).out.split())
    assert "v6e-ci, acme-ml us-east5-b 50 of 128 chips" in text


def test_a_change_is_in_chips_and_says_which_node_pools_overlap(gke_tpu: GkeTpu, tmp_path: Path) -> None:
    before, after, owned = (tmp_path / name for name in ("before.yaml", "after.yaml", "inventory.yaml"))
    before.write_text(plan(old=group("2x4", 16, chips_per_host=8)), encoding="utf-8")
    after.write_text(plan(new=group("4x4", 7)), encoding="utf-8")
    owned.write_text(inventory(), encoding="utf-8")
    run = gke_tpu("diff", before, after, "--inventory", owned, "--today", TODAY)
    text = " ".join(run.out.split())
    assert "reservation v6e-ci (us-east5-b), chips" in text
    assert "240 chips of reservation" in text
    data = json.loads(gke_tpu("diff", before, after, "--inventory", owned, "--today", TODAY, "--format", "json").out)
    (use,) = [use for use in data["totals"]["uses"] if use["kind"] == "reservation"]
    assert (use["was"], use["will"], use["limit"], use["in_chips"]) == (
        {"min": 128, "max": 128},
        {"min": 112, "max": 112},
        128,
        True,
    )


def test_recommend_offers_every_shape_that_fits() -> None:
    owned = Document(Inventory.model_validate(yaml.safe_load(inventory(chips=32, in_use=8))))
    need = Need(chips=16, use="serving", capacities=("reservation",), generations=("v6e",))
    found = recommend(need, CATALOG, inventory=owned, today=TODAY)
    assert {row.option.candidate.slices.topology for row in found.rows} >= {"1x1", "2x4", "4x4"}
    large = recommend(Need(chips=32, capacities=("reservation",)), CATALOG, inventory=owned, today=TODAY)
    assert large.rows == ()
    assert any("has 24 chips left, and the slices need 32" in item.reason for item in large.exclusions)


def test_explain_names_the_chips_left(gke_tpu: GkeTpu, tmp_path: Path) -> None:
    file, owned = tmp_path / "plan.yaml", tmp_path / "inventory.yaml"
    file.write_text(plan(single=SINGLE, multi=MULTI), encoding="utf-8")
    owned.write_text(inventory(), encoding="utf-8")
    run = gke_tpu("explain", file, "ci/multi/headroom", "--inventory", owned, "--today", TODAY)
    assert "66 chips of reservation v6e-ci left" in " ".join(run.out.split())
