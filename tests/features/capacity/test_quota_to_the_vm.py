"""A reservation that two projects and three plans share fits or fails to the VM, in each command that compares it."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

GkeTpu = Callable[..., Any]
TODAY = ("--today", "2026-11-20")

GROUP = "{{tpu: v6e, topology: {topology}, zone: us-east5-b, {size}, capacity: {{reservation: {reservation}}}}}"
SHARED = "{name: pool, project: acme-infra%s}"


def plan(project: str, cluster: str, topology: str, size: str, block: str = "") -> str:
    group = GROUP.format(topology=topology, size=size, reservation=SHARED % block)
    return (
        f"version: 1\nproject: {project}\nclusters:\n  {cluster}:\n    mode: standard\n    location: us-east5\n"
        f"    slices:\n      main: {group}\n"
    )


def inventory(vms: int, in_use: int, blocks: str = "") -> str:
    return (
        "version: 1\nas_of: 2026-11-20\nreservations:\n"
        "  - {name: pool, project: acme-infra, zone: us-east5-b, machine_type: ct6e-standard-4t, "
        f"vms: {vms}, in_use: {in_use}, shared_with: [acme-ml, acme-lab]{blocks}}}\n"
    )


# 16 VMs of 8x8, 3 x 4 VMs of 4x4, and 1 VM of 2x2: 29 VMs.
PLANS = {
    "one.yaml": plan("acme-ml", "a", "8x8", "count: 1"),
    "two.yaml": plan("acme-ml", "b", "4x4", "count: 3", ", block: b1"),
    "three.yaml": plan("acme-lab", "c", "2x2", "count: 1", ", block: b1"),
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "plans").mkdir()
    for name, text in PLANS.items():
        (tmp_path / "plans" / name).write_text(text, encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("in_use", [0, 7])
@pytest.mark.parametrize(("spare", "rules"), [(0, []), (-1, ["TPU804"])])
@pytest.mark.parametrize("command", ["validate", "quota"])
def test_the_sum_fits_to_the_vm(
    gke_tpu: GkeTpu, folder: Path, command: str, in_use: int, spare: int, rules: list[str]
) -> None:
    owned = folder / "owned.yaml"
    owned.write_text(inventory(29 + in_use + spare, in_use), encoding="utf-8")
    run = gke_tpu(command, folder / "plans", "--inventory", owned, "--format", "json", *TODAY)
    data = json.loads(run.out)
    findings = data["findings"]["findings"] if command == "quota" else data["findings"]
    assert [(item["rule"], item["severity"]) for item in findings] == [(rule, "error") for rule in rules]
    assert run.code == len(rules)
    if command == "quota":
        (use,) = [item["vms"] for item in data["reservations"] if item["block"] is None]
        assert (use["minimum"], use["maximum"], use["left_at_minimum"], use["left_at_maximum"]) == (
            29,
            29,
            spare,
            spare,
        )
        assert {user["plan"].rpartition("/")[2] for user in use["users"]} == set(PLANS)


@pytest.mark.parametrize(("vms", "rules"), [(13, []), (12, ["TPU809"])])
def test_a_block_fits_to_the_vm(gke_tpu: GkeTpu, folder: Path, vms: int, rules: list[str]) -> None:
    owned = folder / "owned.yaml"
    owned.write_text(inventory(64, 0, f", blocks: [{{name: b1, vms: {vms}}}]"), encoding="utf-8")
    run = gke_tpu("quota", folder / "plans", "--inventory", owned, "--format", "json", *TODAY)
    assert [item["rule"] for item in json.loads(run.out)["findings"]["findings"]] == rules


def git(folder: Path, *words: str) -> None:
    options = ("-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "commit.gpgsign=false")
    subprocess.run(["git", *options, *words], cwd=folder, check=True, capture_output=True)


@pytest.mark.parametrize(
    ("blocks", "limits", "rules"),
    [
        ("", {"pool": 40, "pool/b1": None}, []),
        (", blocks: [{name: b1, vms: 24}]", {"pool": 40, "pool/b1": 24}, []),
        (", blocks: [{name: b1, vms: 23}]", {"pool": 40, "pool/b1": 23}, ["TPU809"]),
    ],
)
@pytest.mark.parametrize(("vms", "rule"), [(47, []), (46, ["TPU804"])])
def test_a_change_fits_to_the_vm_in_the_inventory_of_the_base(
    gke_tpu: GkeTpu,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    blocks: str,
    limits: dict[str, int | None],
    rules: list[str],
    vms: int,
    rule: list[str],
) -> None:
    """The change adds 11 single-host slices in the third plan: 40 VMs, of which 24 are in the block; others use 7."""
    git(folder, "init", "--quiet")
    (folder / "owned.yaml").write_text(inventory(vms, 7, blocks), encoding="utf-8")
    git(folder, "add", "-A")
    git(folder, "commit", "--quiet", "-m", "base")
    changed = PLANS["three.yaml"].replace("count: 1", "count: 12")
    (folder / "plans" / "three.yaml").write_text(changed, encoding="utf-8")
    (folder / "owned.yaml").write_text(inventory(1000, 0), encoding="utf-8")
    git(folder, "commit", "--quiet", "-a", "-m", "head")
    monkeypatch.chdir(folder)
    run = gke_tpu("diff", "HEAD~1..HEAD", "--inventory", "owned.yaml", "--format", "json", *TODAY)
    data = json.loads(run.out)
    assert {item["name"]: item["limit"] for item in data["totals"]["uses"]} == limits | {"pool": vms - 7}
    assert {item["name"]: item["will"]["max"] for item in data["totals"]["uses"]} == {"pool": 40, "pool/b1": 24}
    assert sorted(item["rule"] for item in data["findings"]) == sorted([*rule, *rules])


def test_the_totals_of_a_change_do_not_contain_auto_provisioned_chips(gke_tpu: GkeTpu, tmp_path: Path) -> None:
    """They have rows of their own."""
    text = PLANS["one.yaml"].replace("{reservation: {name: pool, project: acme-infra}}", "on_demand")
    auto = text.replace("    slices:", "    autoprovisioning: {cpu: 9, memory_gib: 9, tpu: {v6e: 256}}\n    slices:")
    for name, content in (("before.yaml", text), ("after.yaml", auto)):
        (tmp_path / name).write_text(content, encoding="utf-8")
    run = gke_tpu("diff", tmp_path / "before.yaml", tmp_path / "after.yaml", "--format", "json", *TODAY)
    totals = json.loads(run.out)["totals"]
    assert [(use["was"]["max"], use["will"]["max"]) for use in totals["uses"]] == [(64, 64)]
    assert [auto["will"]["max"] for auto in totals["auto"]] == [192]
