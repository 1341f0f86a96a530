"""``gke-tpu explain`` with an inventory and other plans: limits, contracts, the lines of files, and what to add."""

import json
import pathlib
from typing import Any

import pytest

ROOT = pathlib.Path(__file__).parents[3]
PLAN = """\
version: 1
project: acme-ml
clusters:
  {cluster}:
    mode: standard
    location: us-east5
    min_version: "1.35"
    slices:
      pretrain:
        tpu: v6e
        topology: 8x8
        count: {count}
        zone: us-east5-b
        capacity: {{reservation: {{name: v6e-pretrain, block: b1}}}}
      sweep: {{tpu: v6e, topology: 2x4, chips_per_host: 8, count: 2, zone: us-east5-b, capacity: spot}}
"""
INVENTORY = """\
version: 1
as_of: 2026-11-20
reservations:
  - name: v6e-pretrain
    project: acme-ml
    zone: us-east5-b
    machine_type: ct6e-standard-4t
    vms: 96
    in_use: 8
    periodic_maintenance: true
    usd_per_chip_hour: 1.75
    blocks: [{name: b1, vms: 64}]
quotas:
  - {project: acme-ml, metric: preemptible_tpu_v6e, region: us-east5, limit: 40, in_use: 8}
"""


@pytest.fixture
def files(tmp_path: pathlib.Path) -> pathlib.Path:
    """Two plans on one reservation, and an inventory, in a folder with a space in its name."""
    folder = tmp_path / "two plans"
    folder.mkdir()
    (folder / "plan.yaml").write_text(PLAN.format(cluster="east", count=1), encoding="utf-8")
    (folder / "other.yaml").write_text(PLAN.format(cluster="west", count=2), encoding="utf-8")
    (folder / "inventory.yaml").write_text(INVENTORY, encoding="utf-8")
    return folder


def step(gke_tpu: Any, files: pathlib.Path, path: str, *more: object) -> dict[str, Any]:
    options = ("--inventory", files / "inventory.yaml", "--today", "2026-11-20", "--format", "json")
    run = gke_tpu("explain", files / "plan.yaml", path, *options, *more)
    assert run.code == 0, run.err
    (found,) = json.loads(run.out)["steps"]
    shown: dict[str, Any] = found
    return shown


def lines(found: dict[str, Any]) -> list[tuple[str, int, str]]:
    return [(pathlib.Path(place["file"]).name, place["line"], place["path"]) for place in found["written"]]


def test_headroom_is_that_of_the_reservation_and_of_its_block_after_all_plans(
    gke_tpu: Any, files: pathlib.Path
) -> None:
    alone = step(gke_tpu, files, "east/pretrain/headroom")
    assert (
        alone["value"] == "72 VMs of reservation v6e-pretrain left; 48 VMs of block b1 of reservation v6e-pretrain left"
    )
    together = step(gke_tpu, files, "east/pretrain/headroom", "--with", files / "other.yaml")
    assert together["value"] == (
        "40 VMs of reservation v6e-pretrain left; 16 VMs of block b1 of reservation v6e-pretrain left"
    )
    assert together["because"] == "inventory of 2026-11-20 and 2 plans"
    assert together["details"][0] == (
        "40 VMs of reservation v6e-pretrain left: limit of 96 VMs minus 8 in other use minus 48 in the plans "
        "(acme-ml, us-east5-b)"
    )
    (user,) = {line.partition(": ")[2] for line in together["details"] if "also used by" in line}
    assert user == f"also used by {files / 'other.yaml'} west/pretrain (32)"
    assert lines(together) == [
        ("inventory.yaml", 4, "reservations[0]"),
        ("inventory.yaml", 12, "reservations[0].blocks[0]"),
    ]


def test_a_folder_with_the_explained_plan_counts_it_once(gke_tpu: Any, files: pathlib.Path) -> None:
    both = step(gke_tpu, files, "east/sweep/headroom", "--with", files)
    assert both["because"].endswith("inventory of 2026-11-20 and 2 plans")
    assert both["value"] == "0 chips of preemptible_tpu_v6e in us-east5 left"


def test_a_limit_that_the_plans_exceed_has_its_number(gke_tpu: Any, files: pathlib.Path) -> None:
    inventory = files / "inventory.yaml"
    inventory.write_text(INVENTORY.replace("limit: 40", "limit: 16"), encoding="utf-8")
    run = gke_tpu("explain", files / "plan.yaml", "east/sweep/headroom", "--inventory", inventory, "--format", "json")
    assert json.loads(run.out)["steps"][0]["value"] == "8 chips too few in preemptible_tpu_v6e in us-east5"


def test_the_price_of_a_contract_leads_to_its_line_and_to_the_price_that_it_replaces(
    gke_tpu: Any, files: pathlib.Path
) -> None:
    found = step(gke_tpu, files, "east/pretrain/price")
    assert found["value"] == "112.00 USD per hour"
    assert ("inventory.yaml", 11, "reservations[0].usd_per_chip_hour") in lines(found)
    assert [fact["as_of"] for fact in found["evidence"]] == ["2026-08-10"], "the on-demand price"
    cluster = step(gke_tpu, files, "east/price")
    assert ("inventory.yaml", 11, "reservations[0].usd_per_chip_hour") in lines(cluster)
    assert cluster["value"] == "134.45 USD per hour"


def test_periodic_maintenance_of_the_reservation_is_part_of_maintenance(gke_tpu: Any, files: pathlib.Path) -> None:
    found = step(gke_tpu, files, "east/pretrain/maintenance")
    assert "reservation v6e-pretrain has periodic maintenance, according to the inventory" in found["details"]
    assert ("inventory.yaml", 10, "reservations[0].periodic_maintenance") in lines(found)
    assert any("28 days" in line for line in found["details"])


def test_a_value_leads_to_its_line_in_the_plan(gke_tpu: Any, files: pathlib.Path) -> None:
    assert lines(step(gke_tpu, files, "east/pretrain/topology")) == [
        ("plan.yaml", 11, "clusters.east.slices.pretrain.topology")
    ]
    assert lines(step(gke_tpu, files, "east/pretrain/protection")) == [
        ("plan.yaml", 9, "clusters.east.slices.pretrain")
    ], "an absent key leads to its group"
    run = gke_tpu("explain", files / "plan.yaml", "east/pretrain/total", "--format", "json")
    chain = {found["name"]: found for found in json.loads(run.out)["chain"]}
    assert list(chain)[:3] == ["slices", "hosts", "chips"], "nearest first"
    assert lines(chain["slices"]) == [("plan.yaml", 12, "clusters.east.slices.pretrain.count")]
    text = gke_tpu("explain", files / "plan.yaml", "east/pretrain/total").out
    assert "follows from\n" in text
    assert "plan.yaml:12:16 (clusters.east.slices.pretrain.count)" in " ".join(text.split())


def test_without_an_inventory_the_entries_to_add_make_the_limits_known(gke_tpu: Any, files: pathlib.Path) -> None:
    plan, written = files / "plan.yaml", files / "new.yaml"
    for path in ("east/pretrain/headroom", "east/sweep/headroom", "east/headroom"):
        run = gke_tpu("explain", plan, path, "--today", "2026-11-20", "--format", "json")
        shown = json.loads(run.out)
        assert shown["steps"][0]["value"] == "unknown"
        assert "--inventory FILE" in shown["steps"][0]["because"]
        assert shown["paste_into"] == "inventory"
        written.write_text(shown["paste"], encoding="utf-8")
        filled = gke_tpu("explain", plan, path, "--inventory", written, "--today", "2026-11-20", "--format", "json")
        assert filled.code == 0, filled.err
        assert json.loads(filled.out)["steps"][0]["value"].startswith("0 ")
        assert gke_tpu("validate", plan, "--inventory", written, "--today", "2026-11-20").code == 0
        assert "in an inventory\n  version: 1\n" in gke_tpu("explain", plan, path, "--today", "2026-11-20").out


@pytest.mark.parametrize(
    ("path", "value", "details"),
    [
        ("east/pretrain/quota", "no additional quota", []),
        (
            "east/sweep/quota",
            "compute.googleapis.com/preemptible_tpu_v6e",
            [
                "for spot: compute.googleapis.com/preemptible_tpu_v6e of compute.googleapis.com",
                "dimensions: region us-east5; 16 chips in us-east5",
                "in the console: Preemptible TPU slices v6e",
                "quota ID: PREEMPTIBLE-TPU-V6E-per-project-region",
            ],
        ),
    ],
)
def test_quota_names_metric_dimensions_and_chips(
    gke_tpu: Any, files: pathlib.Path, path: str, value: str, details: list[str]
) -> None:
    found = step(gke_tpu, files, path)
    assert (found["value"], found["details"]) == (value, details)


@pytest.mark.parametrize("width", [80, 100])
@pytest.mark.parametrize("path", ["east", "east/pretrain", "east/sweep/maintenance", "east/price", "east/headroom"])
def test_text_keeps_to_the_width(
    gke_tpu: Any, files: pathlib.Path, monkeypatch: pytest.MonkeyPatch, path: str, width: int
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    monkeypatch.chdir(files)
    run = gke_tpu("explain", "plan.yaml", path, "--sources", "--inventory", "inventory.yaml")
    assert run.code == 0, run.err
    assert max(map(len, run.out.splitlines())) <= width


@pytest.mark.parametrize("option", ["--inventory", "--with"])
def test_options_about_limits_need_a_plan(gke_tpu: Any, files: pathlib.Path, option: str) -> None:
    run = gke_tpu("explain", "v6e", option, files / "plan.yaml")
    assert (run.code, run.out) == (2, "")
    assert "--inventory, --with and --project require a plan: gke-tpu explain PLAN PATH" in run.err


@pytest.mark.parametrize("content", ["", "[]", "version: 1\nas_of: 2026-11-20\nreservations: [{name: a, vms: .nan}]\n"])
def test_of_an_inventory_with_errors_nothing_is_explained(gke_tpu: Any, files: pathlib.Path, content: str) -> None:
    inventory = files / "inventory.yaml"
    inventory.write_text(content, encoding="utf-8")
    run = gke_tpu("explain", files / "plan.yaml", "east/pretrain", "--inventory", inventory)
    assert (run.code, run.out) == (1, "")
    assert "inventory.yaml" in run.err


def test_other_plans_with_errors_are_reported_and_the_item_is_explained(gke_tpu: Any, files: pathlib.Path) -> None:
    (files / "other.yaml").write_text("version: 1\nproject: acme-ml\nclusters: {x: 5}\n", encoding="utf-8")
    run = gke_tpu("explain", files / "plan.yaml", "east/pretrain/headroom", "--with", files / "other.yaml")
    assert run.code == 0
    assert "other.yaml" in run.err
    assert run.out.startswith("east/pretrain:")


@pytest.mark.parametrize("options", [(), ("--sources",), ("--prices",)])
@pytest.mark.parametrize("width", [80, 100])
def test_no_row_is_cut(gke_tpu: Any, monkeypatch: pytest.MonkeyPatch, width: int, options: tuple[str, ...]) -> None:
    """Each row is whole: the words are those of a page of any width, in the same order."""
    plan = pathlib.Path(__file__).parents[3] / "stacks" / "prod" / "plan.yaml"
    words: dict[int, list[str]] = {}
    for columns in (width, 10_000):
        monkeypatch.setenv("COLUMNS", str(columns))
        run = gke_tpu("explain", plan, "train-east/pretrain", *options, "--today", "2026-11-20")
        assert "…" not in run.out
        words[columns] = run.out.split()
    assert words[width] == words[10_000]
