"""``gke-tpu preview``: tree, totals, formats, widths, exit codes."""

import json
import pathlib
import re
from collections.abc import Callable
from typing import Any

import jsonschema
import pytest
from support.shipped import NAMES

from pulumi_gke_tpu.features.plan.preview.json import preview_schema

STACKS = pathlib.Path(__file__).parents[3] / "stacks"
TODAY = ("--today", "2026-11-20")
FULL = ("--nodes", "--prices", *TODAY)


def test_prod_shows_pools_chips_capacity_and_cost(gke_tpu: Any) -> None:
    run = gke_tpu("preview", STACKS / "prod" / "plan.yaml", *FULL)
    assert (run.code, run.err) == (0, "")
    for expected in (
        "pretrain-0  64 × ct6e-standard-4t  256 chips  static, protected",
        "sweep  0..8 × ct6e-standard-8t  0..64 chips  autoscaled",
        "ablation-0  0 or 16 × ct5p-hightpu-4t  0 or 64 chips  autoscaled",
        "reserved v6e-pretrain\n",
        "1,382.40",
        "1,009,152.00",
        "0 .. 89.81",
        "unknown",
        "no findings",
    ):
        assert expected in run.out


AUTO = """\
version: 1
project: acme-ml
clusters:
  train:
    mode: standard
    location: us-east5
    network: create
    autoprovisioning: {cpu: 60000, memory_gib: 240000, tpu: {v6e: 256}}
    slices: {SLICES}
"""
NO_TOTAL = {"slices": {"min": 0, "max": 0}, "hosts": {"min": 0, "max": 0}, "chips": {"min": 0, "max": 0}}


@pytest.fixture
def auto(tmp_path: pathlib.Path) -> Callable[[str], pathlib.Path]:
    """Writes a plan with auto-provisioning and these slice groups."""

    def write(slices: str) -> pathlib.Path:
        path = tmp_path / "plan.yaml"
        path.write_text(AUTO.replace("{SLICES}", f"{{{slices}}}"), encoding="utf-8")
        return path

    return write


def test_auto_provisioned_chips_have_a_line_in_every_format_and_are_in_no_sum(
    gke_tpu: Any, auto: Callable[[str], pathlib.Path]
) -> None:
    plan = auto("")
    text = gke_tpu("preview", plan, *FULL).out
    assert "auto         up to 256 v6e chips" in text or "auto    up to 256 v6e chips" in text
    lines = [line.split() for line in text.splitlines()]
    assert ["total", "0", "0", "0", "0", "0"] in lines
    assert ["auto", "v6e", "0..256", "0", "..", "691.20", "0", "..", "504,576.00"] in lines
    (note,) = [part for part in text.split("\n\n") if part.startswith("auto, not in the total: ")]
    note = " ".join(note.split())
    assert "359.24 .. 691.20 USD per hour (spot 1.4033 or on-demand 2.7 per chip)" in note
    assert "preemptible_tpu_v6e or compute.googleapis.com/tpus_per_tpu_family (CT6E) in us-east5" in note
    markdown = gke_tpu("preview", plan, "--format", "markdown", *FULL).out
    assert "- auto-provisioning: up to 256 v6e chips in us-east5-a or us-east5-b" in markdown
    assert "| auto v6e |  |  | 0..256 | 0 .. 691.20 | 0 .. 504,576.00 |" in markdown
    data = json.loads(gke_tpu("preview", plan, "--format", "json", *FULL).out)
    (item,) = data["autoprovisioning"]
    assert (item["chips"], item["limit"], item["cluster"]) == ({"min": 0, "max": 256}, 256, "train")
    assert item["all_usd_per_hour"] == {"min": "359.2448", "max": "691.2"}
    assert {entry["metric"].rpartition("/")[2] for entry in item["quota"]} == {
        "preemptible_tpu_v6e",
        "tpus_per_tpu_family",
    }
    (total,) = data["totals"]
    assert NO_TOTAL.items() <= total.items()
    assert (total["usd_per_hour"]["max"], data["quota"]) == ("0", [])


@pytest.mark.parametrize("form", ["text", "markdown"])
def test_project_block_and_sub_block_of_a_reservation_are_shown(
    gke_tpu: Any, auto: Callable[[str], pathlib.Path], form: str
) -> None:
    reservation = "{name: big, project: other-one, block: block-0001, sub_block: sub-0002}"
    slices = f"a: {{tpu: v6e, topology: 1x1, zone: us-east5-b, capacity: {{reservation: {reservation}}}}}"
    shown = gke_tpu("preview", auto(slices), "--format", form, *TODAY).out
    assert "reserved big of other-one, block block-0001, sub-block sub-0002" in shown
    data = json.loads(gke_tpu("preview", auto(slices), "--format", "json", *TODAY).out)
    group = data["clusters"][0]["slices"][0]
    assert [group[f"reservation{key}"] for key in ("", "_project", "_block", "_sub_block")] == [
        "big",
        "other-one",
        "block-0001",
        "sub-0002",
    ]


@pytest.mark.parametrize(
    ("capacity", "notes"),
    [("queued", ["Queued"]), ("spot", []), ("{reservation: big}", ["Reserved"])],
)
def test_the_note_on_the_on_demand_price_names_only_modes_in_use(
    gke_tpu: Any, auto: Callable[[str], pathlib.Path], capacity: str, notes: list[str]
) -> None:
    shown = gke_tpu("preview", auto(f"a: {{tpu: v6e, topology: 4x4, zone: us-east5-b, capacity: {capacity}}}"), *FULL)
    assert re.findall(r"^(\w+) capacity is shown at the on-demand price", shown.out, re.MULTILINE) == notes


def test_a_reservation_without_a_known_price_has_no_note_on_the_on_demand_price(
    gke_tpu: Any, auto: Callable[[str], pathlib.Path]
) -> None:
    plan = auto("a: {tpu: v3, topology: 2x2, zone: us-east1-d, capacity: {reservation: big}}")
    plan.write_text(plan.read_text("utf-8").replace("us-east5", "us-east1"), encoding="utf-8")
    out = gke_tpu("preview", plan, *TODAY).out
    assert "reserved big" in out
    assert "at the on-demand price" not in out


def test_groups_and_clusters_have_their_cost(gke_tpu: Any, auto: Callable[[str], pathlib.Path]) -> None:
    group = "{tpu: v6e, topology: 4x4, zone: us-east5-b, count: 2}"
    single = "{tpu: v6e, topology: 2x2, zone: us-east5-b, count: 3}"
    plan = auto(f"a: {group}, b: {single}")
    text = gke_tpu("preview", plan, *FULL).out
    assert "release channel regular, 118.80 USD/h" in text
    assert "together  8 hosts               32 chips  86.40 USD/h" in text
    assert "12 chips  static  32.40 USD/h" in text
    data = json.loads(gke_tpu("preview", plan, "--format", "json", *FULL).out)
    assert data["clusters"][0]["usd_per_hour"] == {"min": "118.8", "max": "118.8"}


def test_of_many_equal_node_pools_only_some_are_listed(gke_tpu: Any, auto: Callable[[str], pathlib.Path]) -> None:
    text = gke_tpu("preview", auto("a: {tpu: v6e, topology: 4x4, zone: us-east5-b, count: 40}"), *FULL).out
    assert re.findall(r"a-\d+", text) == ["a-0", "a-1", "a-2", "a-39"]
    assert "... 36 more ..." in text
    assert "together  160 hosts             640 chips" in text
    all_of_them = gke_tpu("preview", auto("a: {tpu: v6e, topology: 4x4, zone: us-east5-b, count: 5}"), *FULL).out
    assert re.findall(r"a-\d+", all_of_them) == ["a-0", "a-1", "a-2", "a-3", "a-4"]


def test_the_rows_with_the_premium_add_up_to_the_total(
    gke_tpu: Any, tmp_path: pathlib.Path, auto: Callable[[str], pathlib.Path]
) -> None:
    overlay = tmp_path / "premium.yaml"
    fact = "source: [unverified], as_of: 2026-12-01, confidence: high"
    premium = f"{{family: ct6e, region: us-east5, usd: 0.5, {fact}}}"
    overlay.write_text(f"prices: {{autopilot_premium: [{premium}]}}\n", encoding="utf-8")
    plan = auto("a: {tpu: v6e, topology: 4x4, count: 2, zone: us-east5-b}")
    text = plan.read_text("utf-8").replace("standard", "autopilot").splitlines()
    plan.write_text("\n".join(line for line in text if "autoprovisioning" not in line), encoding="utf-8")
    out = gke_tpu("preview", plan, "--catalog", overlay, *FULL).out
    rows = {line.split("  ")[0]: line.split()[-2] for line in out.splitlines() if line.endswith("00")}
    assert rows == {"on-demand": "86.40", "+ Autopilot premium": "16.00", "total": "102.40"}
    (premium_row,) = [line.split() for line in out.splitlines() if line.startswith("+ Autopilot premium")]
    assert premium_row == ["+", "Autopilot", "premium", "16.00", "11,680.00"], "its slices are in the rows above"
    assert "8 hosts  32 chips  102.40 USD/h" in out


ONES = """\
version: 1
project: acme-ml
clusters:
  one:
    mode: standard
    location: us-east5
    network: create
    system_pool: {min_nodes: 1, max_nodes: 1}
    autoprovisioning: {cpu: 600, memory_gib: 2400, tpu: {v6e: 1}}
    slices:
      free: {tpu: v6e, topology: 1x1, zone: us-east5-b}
      held: {tpu: v6e, topology: 1x1, zone: us-east5-b, capacity: {reservation: big}}
  other: {mode: autopilot, location: us-east5, slices: {a: {tpu: v6e, topology: 1x1, zone: us-east5-b}}}
"""


@pytest.mark.parametrize(
    "command",
    [
        ("preview", "ones.yaml"),
        ("preview", "ones.yaml", "--format", "markdown"),
        ("diff", "none.yaml", "ones.yaml"),
        ("diff", "none.yaml", "ones.yaml", "--format", "markdown"),
        ("diff", "ones.yaml", "none.yaml"),
        ("explain", "ones.yaml", "one"),
        ("explain", "ones.yaml", "one/free"),
        ("explain", "ones.yaml", "one/held"),
        ("explain", "ones.yaml", "other/a"),
    ],
    ids=" ".join,
)
def test_one_is_followed_by_a_singular(
    gke_tpu: Any, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...]
) -> None:
    monkeypatch.chdir(tmp_path)
    pathlib.Path("ones.yaml").write_text(ONES, encoding="utf-8")
    pathlib.Path("none.yaml").write_text(
        re.sub(r"\n      (free|held): .*", "", ONES).replace("slices:\n", "slices: {}\n"), encoding="utf-8"
    )
    out = " ".join(gke_tpu(*command, *TODAY).out.split())
    assert re.search(r"(?<![\d.,])1 (chip|host|slice)\b", out)
    plural = r"(?<![\d.,/])1 (chips|hosts|slices|nodes|VMs|node pools|clusters|slice groups|resources|quotas|days)\b"
    assert re.findall(plural, out) == []


DEEP = pathlib.Path("a folder with spaces", *["and-folders-below-it"] * 6)


@pytest.mark.parametrize("stack", NAMES)
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


@pytest.mark.parametrize("stack", NAMES)
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
    assert "GKE uses the project's default network with MTU 1460" in " ".join(run.out.split())


@pytest.mark.parametrize("form", ["text", "markdown", "json"])
def test_limits_of_cost_reports_and_public_addresses_are_in_every_format(gke_tpu: Any, form: str) -> None:
    out = " ".join(gke_tpu("preview", STACKS / "dev" / "plan.yaml", "--format", form, *FULL).out.split())
    said = out.replace("\\_", "_")
    assert "GKE usage metering and cost allocation do not contain TPU usage or cost" in said
    assert "nodes get public addresses, because the plan sets neither network nor private_nodes" in said


def test_the_limits_of_cost_reports_are_next_to_the_prices(gke_tpu: Any) -> None:
    run = gke_tpu("preview", STACKS / "prod" / "plan.yaml", *FULL)
    before = " ".join(run.out.split("GKE usage metering")[0].split())
    assert re.search(r"Not included: [^.]*\(0\.10 USD per cluster and hour\)\.$", before)


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
