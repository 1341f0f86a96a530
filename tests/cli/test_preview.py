"""``gke-tpu preview``: tree, totals, formats, widths, exit codes."""

import json
import pathlib
from typing import Any

import jsonschema
import pytest

from pulumi_gke_tpu.render.preview.json import preview_schema

STACKS = pathlib.Path(__file__).parents[2] / "stacks"
TODAY = ("--today", "2026-11-20")


def test_prod_shows_pools_chips_capacity_and_cost(gke_tpu: Any) -> None:
    run = gke_tpu("preview", STACKS / "prod" / "plan.yaml", *TODAY)
    assert (run.code, run.err) == (0, "")
    for expected in (
        "pretrain-0  64 × ct6e-standard-4t  256 chips  static  protected",
        "sweep  0..8 × ct6e-standard-8t  0..64 chips  autoscaled",
        "ablation-0  0 or 16 × ct5p-hightpu-4t  0 or 64 chips  autoscaled",
        "reserved v6e-pretrain (specific)",
        "1,382.40",
        "1,009,152.00",
        "0 .. 89.81",
        "unknown",
        "no findings",
    ):
        assert expected in run.out


DEEP = pathlib.Path("a folder with spaces", *["and-folders-below-it"] * 6)


@pytest.mark.parametrize("stack", ["dev", "prod", "ironwood"])
@pytest.mark.parametrize("width", [60, 61, 80, 140])
@pytest.mark.parametrize("folder", ["", DEEP, "x" * 130], ids=["near", "deep", "long name"])
def test_lines_fit_the_terminal_whatever_the_path_of_the_plan(
    gke_tpu: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path, stack: str, width: int, folder: Any
) -> None:
    plan = tmp_path / folder / "plan.yaml"
    plan.parent.mkdir(parents=True, exist_ok=True)
    plan.write_bytes((STACKS / stack / "plan.yaml").read_bytes())
    monkeypatch.setenv("COLUMNS", str(width))
    lines = gke_tpu("preview", plan, *TODAY).out.splitlines()
    assert max(map(len, lines)) <= width
    assert "/plan.yaml" in "".join(lines[:2])
    assert "catalog 2" in "".join(lines[:2])


def test_nothing_is_colored_where_there_is_no_terminal(gke_tpu: Any) -> None:
    assert "\x1b" not in gke_tpu("preview", STACKS / "dev" / "plan.yaml", *TODAY).out


@pytest.mark.parametrize("stack", ["dev", "prod", "ironwood"])
@pytest.mark.parametrize("resources", [(), ("--resources",)])
def test_json_follows_its_schema(gke_tpu: Any, stack: str, resources: tuple[str, ...]) -> None:
    run = gke_tpu("preview", STACKS / stack / "plan.yaml", "--format", "json", *resources, *TODAY)
    data = json.loads(run.out)
    schema = preview_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.Draft202012Validator(schema).validate(data)
    assert ("resources" in data) == bool(resources)


def test_json_gives_every_pool_with_its_limits(gke_tpu: Any) -> None:
    data = json.loads(gke_tpu("preview", STACKS / "prod" / "plan.yaml", "--format", "json", *TODAY).out)
    pools = {pool["name"]: pool for group in data["clusters"][0]["slices"] for pool in group["pools"]}
    assert pools["pretrain-1"] == {
        "name": "pretrain-1",
        "machine_type": "ct6e-standard-4t",
        "zone": "us-east5-b",
        "hosts": {"min": 64, "max": 64},
        "chips_per_host": 4,
        "chips": {"min": 256, "max": 256},
        "accelerator": "tpu-v6e-slice",
        "topology": "16x16",
        "capacity": "reservation",
        "autoscaling": None,
    }
    assert pools["sweep"]["topology"] is None
    assert pools["sweep"]["autoscaling"] == {"min": 0, "max": 8, "kind": "total", "location_policy": "ANY"}
    assert pools["ablation-0"]["autoscaling"] == {"min": 0, "max": 16, "kind": "per_zone", "location_policy": "ANY"}
    total = data["totals"][-1]
    assert total["at_least"]
    assert total["unknown"] == ["train-east/ablation"]


def test_equal_plans_give_equal_bytes(gke_tpu: Any) -> None:
    arguments = ("preview", STACKS / "prod" / "plan.yaml", "--resources", *TODAY)
    assert gke_tpu(*arguments).out == gke_tpu(*arguments).out


def test_a_plan_with_errors_is_not_previewed(gke_tpu: Any, tmp_path: pathlib.Path) -> None:
    plan = tmp_path / "plan.yaml"
    plan.write_text((STACKS / "prod" / "plan.yaml").read_text().replace("16x16", "16x17"))
    run = gke_tpu("preview", plan, *TODAY)
    assert (run.code, run.out) == (1, "")
    assert "TPU112" in run.err


def test_leaving_the_network_out_is_noted(gke_tpu: Any) -> None:
    run = gke_tpu("preview", STACKS / "dev" / "plan.yaml", *TODAY)
    assert "the project's default network is used" in " ".join(run.out.split())


@pytest.mark.parametrize("form", ["text", "markdown", "json"])
def test_limits_of_cost_reports_and_public_addresses_are_in_every_format(gke_tpu: Any, form: str) -> None:
    out = " ".join(gke_tpu("preview", STACKS / "dev" / "plan.yaml", "--format", form, *TODAY).out.split())
    said = out.replace("\\_", "_")
    assert "GKE usage metering and cost allocation do not contain TPU usage or cost" in said
    assert "nodes get public addresses, because neither network nor private_nodes is written" in said


def test_the_limits_of_cost_reports_are_next_to_the_prices(gke_tpu: Any) -> None:
    run = gke_tpu("preview", STACKS / "prod" / "plan.yaml", *TODAY)
    assert "Not included" in run.out.split("GKE usage metering")[0].splitlines()[-1]


def test_an_extra_key_that_would_replace_is_named(gke_tpu: Any, tmp_path: pathlib.Path) -> None:
    plan = tmp_path / "plan.yaml"
    text = (STACKS / "ironwood" / "plan.yaml").read_text()
    plan.write_text(
        text.replace(
            "    release_channel: rapid",
            "    extra: {enable_l4_ilb_subsetting: true, default_max_pods_per_node: 64}\n    release_channel: rapid",
        )
    )
    run = gke_tpu("preview", plan, *TODAY)
    assert "extra defaultMaxPodsPerNode: changing it later replaces the resource" in " ".join(run.out.split())


def test_markdown_has_one_table_row_per_group(gke_tpu: Any) -> None:
    run = gke_tpu("preview", STACKS / "prod" / "plan.yaml", "--format", "markdown", *TODAY)
    assert sum(line.startswith(("| pretrain", "| sweep", "| ablation")) for line in run.out.splitlines()) == 3
