"""``gke-tpu quota``: formats, exit codes, and the request text."""

import itertools
import json
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from support.shipped import STACKS

from pulumi_gke_tpu.core.output.schemas import all_schemas

GkeTpu = Callable[..., Any]

INVENTORY = """
version: 1
as_of: 2026-11-20
reservations:
  - {name: v6e-pretrain, project: acme-ml, zone: us-east5-b, machine_type: ct6e-standard-4t, vms: 150, in_use: 8}
quotas:
  - {project: acme-ml, metric: preemptible_tpu_v6e, region: us-east5, limit: 32}
  - {project: acme-ml, metric: preemptible_tpu_v5p, region: us-east5, limit: 1536}
"""


@pytest.fixture
def inventory(tmp_path: Path) -> Path:
    path = tmp_path / "inventory.yaml"
    path.write_text(INVENTORY, encoding="utf-8")
    return path


def prod() -> Path:
    return Path(STACKS) / "prod" / "plan.yaml"


def test_the_table_has_use_limit_and_rest(gke_tpu: GkeTpu, inventory: Path) -> None:
    run = gke_tpu("quota", prod(), "--inventory", inventory, "--today", "2026-11-20")
    assert (run.code, run.err) == (0, "")
    lines = [line.split() for line in run.out.splitlines()]
    assert ["v6e-pretrain", "acme-ml", "us-east5-b", "128", "150", "8", "14"] in lines
    assert ["preemptible_tpu_v6e", "acme-ml", "us-east5", "0..512", "32", "0", "-480..32"] in lines


def test_the_request_names_service_quota_dimension_region_value_and_groups(gke_tpu: GkeTpu, inventory: Path) -> None:
    run = gke_tpu("quota", prod(), "--inventory", inventory, "--today", "2026-11-20")
    requests = [" ".join(part.partition("note:")[0].split()) for part in run.out.split("request: ")[1:]]
    assert requests[0] == (
        "compute.googleapis.com quota PREEMPTIBLE-TPU-V6E-per-project-region of project acme-ml, region us-east5: "
        "512 chips for train-east/sweep (0..64 chips) and train-east/autoprovisioning (0..448 chips); the limit is 32"
    )
    assert [text.partition(" chips for ")[0] for text in requests[1:]] == [
        "compute.googleapis.com quota TPU-V5P-per-project-region of project acme-ml, region us-east5: 256",
        "compute.googleapis.com quota TPUS-PER-TPU-FAMILY-per-project-region of project acme-ml, region us-east5, "
        "tpu_family CT6E: 512",
    ]


def commands(out: str) -> list[list[str]]:
    lines = out.replace("\\\n", " ").splitlines()
    return [shlex.split(line) for line in lines if line.startswith("gcloud ")]


@pytest.mark.parametrize("form", ["text", "markdown"])
def test_commands_request_known_limits_and_show_unknown_ones(gke_tpu: GkeTpu, inventory: Path, form: str) -> None:
    run = gke_tpu("quota", prod(), "--inventory", inventory, "--format", form, "--today", "2026-11-20")
    show, request = commands(run.out)
    words = ["gcloud", "beta", "quotas"]
    place = ["--service=compute.googleapis.com", "--project=acme-ml"]
    assert show == [*words, "info", "describe", "TPUS-PER-TPU-FAMILY-per-project-region", *place]
    assert request == [
        *[*words, "preferences", "create", *place],
        "--quota-id=PREEMPTIBLE-TPU-V6E-per-project-region",
        "--dimensions=region=us-east5",
        "--preferred-value=512",
    ]


def test_no_command_requests_a_value_for_an_unknown_limit_or_an_unsure_quota(gke_tpu: GkeTpu) -> None:
    """The value of a request becomes the limit, so a value below an unknown limit would lower it."""
    data = json.loads(gke_tpu("quota", STACKS, "--format", "json", "--today", "2026-11-20").out)
    commands = {tuple(item["command"][2:4]) for item in data["requests"] if item["command"]}
    assert commands == {("quotas", "info")}
    assert {item["confidence"] for item in data["requests"] if not item["command"] and item["quota_id"]} == {"low"}


@pytest.mark.parametrize("form", ["text", "markdown", "json"])
def test_the_order_of_plans_does_not_change_a_byte(gke_tpu: GkeTpu, inventory: Path, form: str) -> None:
    plans = [Path(STACKS) / name / "plan.yaml" for name in ("dev", "ironwood", "prod", "shared")]
    inventory.write_text(INVENTORY.replace("vms: 150", "vms: 100"), encoding="utf-8")
    options = ("--inventory", inventory, "--format", form, "--today", "2026-11-20")
    outputs = {
        (run.out, run.err) for some in itertools.permutations(plans) for run in [gke_tpu("quota", *some, *options)]
    }
    assert len(outputs) == 1


def test_warnings_have_their_numbers_users_and_the_reason_why_they_are_accepted(
    gke_tpu: GkeTpu, inventory: Path, tmp_path: Path
) -> None:
    plan = tmp_path / "plan.yaml"
    accept = "accept: [{rule: TPU811, of: train-east/sweep, reason: rarely all at once, until: 2026-12-31}]\n"
    plan.write_text(prod().read_text(encoding="utf-8") + accept, encoding="utf-8")
    run = gke_tpu("quota", plan, "--inventory", inventory, "--today", "2026-11-20")
    (warning,) = [" ".join(part.split()) for part in run.out.split("\n\n") if part.startswith("warning: ")]
    assert warning == (
        f"warning: TPU811 {plan} clusters.train-east.slices.sweep.max: quota `preemptible_tpu_v6e` of project acme-ml "
        "in us-east5 is 32 chips, but the plans need up to 64 (train-east/sweep: 0..64), and up to 512 with "
        "train-east/autoprovisioning: 0..448 (accepted: rarely all at once)"
    )


def test_without_an_inventory_every_limit_is_unknown_and_every_quota_is_requested(gke_tpu: GkeTpu) -> None:
    run = gke_tpu("quota", prod(), "--format", "json", "--today", "2026-11-20")
    shown = json.loads(run.out)
    assert run.code == 0
    assert {item["chips"]["limit"] for item in shown["quotas"]} == {None}
    assert len(shown["requests"]) == len(shown["quotas"]) == 4
    assert [item["in_inventory"] for item in shown["reservations"]] == [False]


def test_json_follows_its_schema(gke_tpu: GkeTpu, inventory: Path) -> None:
    run = gke_tpu("quota", STACKS, "--inventory", inventory, "--format", "json", "--today", "2026-11-20")
    jsonschema.validate(json.loads(run.out), all_schemas()["quota"]())


def test_markdown_has_a_table_for_reservations_and_one_for_quota(gke_tpu: GkeTpu, inventory: Path) -> None:
    run = gke_tpu("quota", prod(), "--inventory", inventory, "--format", "markdown", "--today", "2026-11-20")
    assert "| v6e-pretrain | acme-ml | us-east5-b | 128 | 150 | 8 | 14 |" in run.out
    assert "| preemptible_tpu_v6e | acme-ml | us-east5 | 0..512 | 32 | 0 | -480..32 |" in run.out


def test_plans_that_exceed_a_reservation_have_a_table_and_an_error(gke_tpu: GkeTpu, inventory: Path) -> None:
    inventory.write_text(INVENTORY.replace("vms: 150", "vms: 100"), encoding="utf-8")
    run = gke_tpu("quota", prod(), "--inventory", inventory, "--today", "2026-11-20")
    assert run.code == 1
    assert ["v6e-pretrain", "acme-ml", "us-east5-b", "128", "100", "8", "-36"] in map(str.split, run.out.splitlines())
    assert "TPU804" in run.err


def test_a_plan_with_an_error_of_its_own_has_no_table(gke_tpu: GkeTpu, tmp_path: Path) -> None:
    broken = tmp_path / "plan.yaml"
    broken.write_text(prod().read_text(encoding="utf-8").replace("16x16", "16x17"), encoding="utf-8")
    run = gke_tpu("quota", broken, "--today", "2026-11-20")
    assert (run.code, run.out) == (1, "")
    assert "TPU112" in run.err


def test_a_plan_without_slices_has_a_sentence_instead_of_tables(gke_tpu: GkeTpu, tmp_path: Path) -> None:
    path = tmp_path / "plan.yaml"
    path.write_text(
        "version: 1\nproject: acme-ml\nclusters:\n  a: {mode: autopilot, location: us-east5}\n", encoding="utf-8"
    )
    assert "No reservation and no quota is used." in gke_tpu("quota", path).out


@pytest.mark.parametrize("form", ["text", "json", "markdown"])
def test_hostile_names_stay_text(gke_tpu: GkeTpu, inventory: Path, form: str) -> None:
    inventory.write_text(INVENTORY.replace("name: v6e-pretrain", 'name: "\\e[31m|<b>x</b>\\n# y"'), encoding="utf-8")
    run = gke_tpu("quota", prod(), "--inventory", inventory, "--format", form, "--today", "2026-11-20")
    assert "\x1b[31m" not in run.out
    assert "\n# y" not in run.out
    if form == "markdown":
        assert "<b>" not in run.out


WHOLE_PLANS = {
    "a.yaml": """
version: 1
project: acme-ml
clusters:
  east:
    mode: standard
    location: us-east5
    slices:
      big: {tpu: v6e, topology: 8x8, zone: us-east5-b, capacity: {reservation: {name: pool, block: b1}}}
      one: {tpu: v6e, topology: 2x2, zone: us-east5-b, count: {min: 1, max: 2}, upgrade: {max_surge: 1}}
""",
    "b.yaml": """
version: 1
project: acme-ml
clusters:
  west:
    mode: standard
    location: us-east5
    slices:
      two: {tpu: v6e, topology: 2x2, zone: us-east5-b}
""",
}
WHOLE_INVENTORY = """
version: 1
as_of: 2026-11-20
reservations:
  - name: pool
    project: acme-ml
    zone: us-east5-b
    machine_type: ct6e-standard-4t
    vms: 24
    in_use: 4
    blocks: [{name: b1, vms: 16}]
    from: 2026-11-01
    until: 2027-11-01
quotas:
  - {project: acme-ml, metric: tpus_per_tpu_family, family: CT6E, region: us-east5, limit: 13, in_use: 1}
"""
WHOLE_TEXT = """
2 plans · inventory 2026-11-20 · catalog 2026-11-28

reservation, in VMs  project  zone        plans  limit  others  left
pool                 acme-ml  us-east5-b     16     24       4     4
- block b1           acme-ml  us-east5-b     16     16       0     0

quota, in chips             project  location  plans  limit  others  left
tpus_per_tpu_family (CT6E)  acme-ml  us-east5  8..12     13       1  0..4

request: compute.googleapis.com quota TPUS-PER-TPU-FAMILY-per-project-region of project acme-ml, region us-east5,
tpu_family CT6E: 17 chips (including 4 for the nodes that upgrades add and 1 for other use; 9 with the minimum sizes)
for a.yaml east/one (4..8 chips) and b.yaml west/two (4 chips); the limit is 13

Request higher limits:
gcloud beta quotas preferences create --service=compute.googleapis.com --project=acme-ml
--quota-id=TPUS-PER-TPU-FAMILY-per-project-region --dimensions=region=us-east5,tpu_family=CT6E --preferred-value=17

note: Node upgrades can add up to 4 chips to tpus_per_tpu_family (CT6E), which the table does not include: east/one 4.
note: Reservation pool in us-east5-b begins on 2026-11-01 and ends on 2027-11-01.
note: Slices on a reservation need no quota: the reservation used it when it was created.
note: Quota is an upper limit and does not guarantee capacity.
"""


def words(text: str) -> list[str]:
    return [word for word in text.split() if word != "\\"]


def test_the_whole_text_of_two_plans(gke_tpu: GkeTpu, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in WHOLE_PLANS.items():
        Path(name).write_text(text, encoding="utf-8")
    Path("owned").write_text(WHOLE_INVENTORY)
    run = gke_tpu("quota", "a.yaml", "b.yaml", "--inventory", "owned", "--today", "2026-11-20")
    assert (run.code, run.err) == (0, "")
    assert words(run.out) == words(WHOLE_TEXT)
    table = [line for line in run.out.splitlines() if line.startswith(("reservation,", "pool ", "- block"))]
    assert table == [line for line in WHOLE_TEXT.splitlines() if line.startswith(("reservation,", "pool ", "- block"))]
    data = json.loads(gke_tpu("quota", ".", "--inventory", "owned", "--format", "json", "--today", "2026-11-20").out)
    assert (data["inventory_as_of"], data["plans"]) == ("2026-11-20", ["a.yaml", "b.yaml"])
    (quota,) = data["quotas"]
    assert [
        (user["group"], user["path"], user["minimum"], user["maximum"], user["upgrades"])
        for user in quota["chips"]["users"]
    ] == [
        ("east/one", "clusters.east.slices.one", 4, 8, 4),
        ("west/two", "clusters.west.slices.two", 4, 4, 0),
    ]
    (request,) = data["requests"]
    assert (request["value"], request["upgrades"], request["in_use"], request["least"]) == (17, 4, 1, 9)


def written(folder: Path, inventory: str) -> None:
    for name, text in WHOLE_PLANS.items():
        (folder / name).write_text(text, encoding="utf-8")
    (folder / "owned").write_text(inventory, encoding="utf-8")


@pytest.mark.parametrize(
    ("limit", "left", "has_users"), [(13, "0..4", False), (12, "-1..3", True), (7, "-6..-2", True)]
)
def test_the_table_has_the_users_of_each_limit_that_they_can_exceed(
    gke_tpu: GkeTpu, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: int, left: str, has_users: bool
) -> None:
    monkeypatch.chdir(tmp_path)
    written(tmp_path, WHOLE_INVENTORY.replace("limit: 13", f"limit: {limit}"))
    options = ("quota", ".", "--inventory", "owned", "--today", "2026-11-20")
    lines = [" ".join(line.split()) for line in gke_tpu(*options).out.splitlines()]
    start = lines.index(f"tpus_per_tpu_family (CT6E) acme-ml us-east5 8..12 {limit} 1 {left}")
    users = ["by a.yaml east/one 4..8", "by b.yaml west/two 4"]
    assert lines[start + 1 : start + 3] == users if has_users else lines[start + 1] == ""
    rows = gke_tpu(*options, "--format", "markdown").out.splitlines()
    shown = ["| by a.yaml east/one |  |  | 4..8 |  |  |  |", "| by b.yaml west/two |  |  | 4 |  |  |  |"]
    assert [row for row in rows if row.startswith("| by ")] == (shown if has_users else [])


def test_the_table_has_the_users_of_a_reservation_below_the_part_that_they_exceed(
    gke_tpu: GkeTpu, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    written(tmp_path, WHOLE_INVENTORY.replace("name: b1, vms: 16", "name: b1, vms: 15"))
    lines = gke_tpu("quota", ".", "--inventory", "owned", "--today", "2026-11-20").out.splitlines()
    assert [line.split() for line in lines[2:6]] == [
        ["reservation,", "in", "VMs", "project", "zone", "plans", "limit", "others", "left"],
        ["pool", "acme-ml", "us-east5-b", "16", "24", "4", "4"],
        ["-", "block", "b1", "acme-ml", "us-east5-b", "16", "15", "0", "-1"],
        ["by", "a.yaml", "east/big", "16"],
    ]


def test_of_many_users_the_table_has_the_largest_and_the_sum_of_the_others(gke_tpu: GkeTpu, tmp_path: Path) -> None:
    groups = "".join(
        f"      g{n:02}: {{tpu: v6e, topology: 2x2, count: {n}, zone: us-east5-b}}\n" for n in range(1, 14)
    )
    plan = tmp_path / "plan.yaml"
    plan.write_text(
        "version: 1\nproject: acme-ml\nclusters:\n  c:\n    mode: standard\n    location: us-east5\n    slices:\n"
        + groups
    )
    (tmp_path / "owned").write_text(WHOLE_INVENTORY, encoding="utf-8")
    out = gke_tpu("quota", plan, "--inventory", tmp_path / "owned", "--today", "2026-11-20").out
    users = [line.split() for line in out.splitlines() if line.startswith("by ")]
    assert users == [*(["by", f"c/g{n:02}", str(4 * n)] for n in range(13, 3, -1)), ["by", "3", "other", "users", "24"]]


def test_a_warning_has_the_sum_of_the_table_too_if_its_own_sum_leaves_out_users(
    gke_tpu: GkeTpu, tmp_path: Path
) -> None:
    """A group of which no slice fits has an error of its own, and auto-provisioned chips can use another quota."""
    plan = tmp_path / "plan.yaml"
    plan.write_text(
        "version: 1\nproject: acme-ml\nclusters:\n  c:\n    mode: standard\n    location: us-east5\n    slices:\n"
        "      small: {tpu: v6e, topology: 2x2, count: {min: 0, max: 9}, zone: us-east5-b, capacity: spot}\n"
        "      never: {tpu: v6e, topology: 8x8, count: {min: 0, max: 1}, zone: us-east5-b, capacity: spot}\n"
        "    autoprovisioning: {cpu: 999, memory_gib: 999, tpu: {v6e: 200}}\n"
    )
    owned = tmp_path / "owned"
    owned.write_text(INVENTORY)
    run = gke_tpu("quota", plan, "--inventory", owned, "--format", "json", "--today", "2026-11-20")
    data = json.loads(run.out)
    (use,) = [item["chips"] for item in data["quotas"] if item["chips"]["limit"] == 32]
    assert use["maximum"] == 36 + 64 + 100
    (message,) = [
        item["message"]
        for item in data["findings"]["findings"]
        if item["rule"] == "TPU811" and item["severity"] == "warning"
    ]
    assert message.endswith(
        "but the plans need up to 36 (c/small: 0..36), and up to 200 with c/never: 0..64, c/autoprovisioning: 0..100"
    )


def test_chips_whose_quota_no_source_names_are_a_note(gke_tpu: GkeTpu, tmp_path: Path) -> None:
    plan = tmp_path / "plan.yaml"
    plan.write_text(
        "version: 1\nproject: acme-ml\nclusters:\n  c:\n    mode: standard\n    location: us-central1\n    slices:\n"
        "      old: {tpu: v3, topology: 2x2, zone: us-central1-a, capacity: spot}\n"
    )
    run = gke_tpu("quota", plan, "--today", "2026-11-20")
    assert "No reservation and no quota is used." not in run.out
    assert "note: 4 chips of ct3 in us-central1 use a quota that no source names: c/old" in run.out
    assert "Slices on a reservation" not in run.out


def test_the_warnings_are_those_about_the_inventory_and_errors_are_beside_the_table(
    gke_tpu: GkeTpu, tmp_path: Path
) -> None:
    """A warning about the plan itself, a zone that GKE does not list, belongs to validate."""
    plan, inventory = tmp_path / "plan.yaml", tmp_path / "inventory.yaml"
    plan.write_text(
        "version: 1\nproject: acme-ml\nclusters:\n  c:\n    mode: standard\n    location: us-east5\n    slices:\n"
        "      a: {tpu: v6e, topology: 4x4, zone: us-east5-c}\n"
        "      b: {tpu: v6e, topology: 4x4, zone: us-east5-b, count: 2, capacity: {reservation: pool}}\n",
        encoding="utf-8",
    )
    inventory.write_text(
        "version: 1\nas_of: 2026-11-20\nreservations:\n  - {name: pool, project: acme-ml, zone: us-east5-b, "
        "machine_type: ct6e-standard-4t, vms: 4, from: 2026-12-01}\n",
        encoding="utf-8",
    )
    run = gke_tpu("quota", plan, "--inventory", inventory, "--today", "2026-11-20")
    assert run.code == 1
    assert ("TPU810" in run.out, "TPU208" in run.out, "TPU804" in run.out, "TPU804" in run.err) == (
        True,
        False,
        False,
        True,
    )
