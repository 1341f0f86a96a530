"""``gke-tpu quota`` over whole fleets, in each format, against tables that were calculated by hand."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support.quota_tables import in_json, in_markdown, in_text, table
from support.shipped import STACKS

GkeTpu = Callable[..., Any]

HEAD = (
    "version: 1\nproject: {project}\nclusters:\n  {cluster}:\n    mode: {mode}\n    location: us-east5\n    slices:\n"
)


def plan(project: str, *groups: str, cluster: str = "c", mode: str = "standard") -> str:
    return HEAD.format(project=project, cluster=cluster, mode=mode) + "".join(f"      {group}\n" for group in groups)


def owned(reservation: str = "", *quotas: str) -> str:
    entry = "name: pool, project: acme-infra, zone: us-east5-b, machine_type: ct6e-standard-4t"
    lines = ["version: 1", "as_of: 2026-11-20"]
    lines += ["reservations:", f"  - {{{entry}, {reservation}}}"] if reservation else []
    lines += ["quotas:", *(f"  - {{project: acme-ml, region: us-east5, {quota}}}" for quota in quotas)]
    return "\n".join(lines if quotas else lines[:-1]) + "\n"


V6E = "tpu: v6e, zone: us-east5-b"
POOL = "capacity: {reservation: {name: pool, project: acme-infra%s}}"
CT6E = "metric: tpus_per_tpu_family, family: CT6E"

FLEETS = {
    # 4x4 has 4 VMs, 8x8 has 16, 8x16 has 32: one VM for 4 chips.
    "two projects on one shared reservation": (
        [
            plan("acme-ml", f"a: {{{V6E}, topology: 8x8, count: 2, {POOL % ''}}}"),  # 2 x 16
            plan("acme-lab", f"a: {{{V6E}, topology: 4x4, min: 0, max: 3, {POOL % ''}}}"),  # 0 to 3 x 4
            plan("acme-lab", f"b: {{{V6E}, topology: 8x16, count: 1, {POOL % ''}}}", cluster="d"),  # 32
        ],
        owned("vms: 90, in_use: 10, shared_with: [acme-ml, acme-lab]"),
        "pool | acme-infra | us-east5-b | 64..76 | 90 | 10 | 4..16",
        [],
    ),
    "blocks and sub-blocks": (
        [
            plan(
                "acme-ml",
                f"a: {{{V6E}, topology: 8x8, {POOL % ', block: b1, sub_block: s1'}}}",  # 16
                f"b: {{{V6E}, topology: 4x4, count: 2, {POOL % ', block: b1'}}}",  # 2 x 4
                f"c: {{{V6E}, topology: 4x4, {POOL % ''}}}",  # 4
            ),
            plan("acme-lab", f"d: {{{V6E}, topology: 4x4, min: 0, max: 2, {POOL % ', block: b2'}}}"),  # 0 to 2 x 4
        ],
        owned(
            "vms: 64, shared_with: [acme-ml, acme-lab], blocks: [{name: b1, vms: 32, sub_blocks: "
            "[{name: s1, vms: 16}, {name: s2, vms: 16}]}, {name: b2, vms: 24}]"
        ),
        """
        pool            | acme-infra | us-east5-b | 28..36 | 64 | 0 | 28..36
        - block b1      | acme-infra | us-east5-b | 24     | 32 | 0 | 8
        -- sub-block s1 | acme-infra | us-east5-b | 16     | 16 | 0 | 0
        -- sub-block s2 | acme-infra | us-east5-b | 0      | 16 | 0 | 16
        - block b2      | acme-infra | us-east5-b | 0..8   | 24 | 0 | 16..24
        """,
        [],
    ),
    "mixed preemptible use with a limit of 0": (
        [
            plan(
                "acme-ml",
                f"flex: {{{V6E}, topology: 4x4, max: 2, capacity: flex_start}}",  # 0 to 32, on standard quota
                f"queue: {{{V6E}, topology: 4x4, max: 1, capacity: queued}}",  # 0 to 16, on standard quota
                f"spot: {{{V6E}, topology: 2x2, min: 0, max: 2, capacity: spot, fallback: [on_demand]}}",  # 0 to 8
                f"plain: {{{V6E}, topology: 4x8}}",  # 32
                "v5p: {tpu: v5p, topology: 2x2x2, zone: us-east5-a, max: 1, capacity: flex_start}",  # 0 to 8
            ),
        ],
        owned("", f"{CT6E}, limit: 64, in_use: 4", "metric: preemptible_tpu_v6e, limit: 0"),
        """
        preemptible_tpu_v5p        | acme-ml | us-east5 | 0..8   | unknown
        preemptible_tpu_v6e        | acme-ml | us-east5 | 0..8   | 0  | 0 | -8..0
        tpus_per_tpu_family (CT6E) | acme-ml | us-east5 | 32..88 | 64 | 4 | -28..28
        """,
        [
            ("PREEMPTIBLE-TPU-V5P-per-project-region", {"region": "us-east5"}, None, 0, 8),
            ("PREEMPTIBLE-TPU-V6E-per-project-region", {"region": "us-east5"}, 0, 0, 8),
            (
                "TPUS-PER-TPU-FAMILY-per-project-region",
                {"region": "us-east5", "tpu_family": "CT6E"},
                64,
                36,  # 32 and 4 by others
                92,  # 88 and 4 by others
            ),
        ],
    ),
    "Autopilot and Standard": (
        [
            plan("acme-ml", f"a: {{{V6E}, topology: 4x4, count: 2}}", f"s: {{{V6E}, topology: 2x2, capacity: spot}}"),
            plan("acme-ml", "a: {tpu: v6e, topology: 2x2, count: 6}", mode="autopilot", cluster="d"),
        ],
        owned("", f"{CT6E}, limit: 56"),
        """
        preemptible_tpu_v6e        | acme-ml | us-east5 | 4  | unknown
        tpus_per_tpu_family (CT6E) | acme-ml | us-east5 | 56 | 56 | 0 | 0
        """,
        [("PREEMPTIBLE-TPU-V6E-per-project-region", {"region": "us-east5"}, None, 4, 4)],
    ),
    "oversubscription": (
        [
            plan("acme-ml", f"a: {{{V6E}, topology: 8x8, {POOL % ''}}}"),  # 16
            plan("acme-ml", f"b: {{{V6E}, topology: 8x8, min: 0, max: 2, {POOL % ''}}}", cluster="d"),  # 0 to 32
            plan("acme-lab", f"e: {{{V6E}, topology: 8x16, min: 0, max: 1, {POOL % ''}}}"),  # 0 to 32
        ],
        owned("vms: 64, shared_with: [acme-ml, acme-lab]"),
        "pool | acme-infra | us-east5-b | 16..80 | 64 | 0 | -16..48",
        [],
    ),
}


@pytest.mark.parametrize("form", ["text", "markdown", "json"])
@pytest.mark.parametrize("name", FLEETS)
def test_the_use_of_a_fleet_is_as_calculated_by_hand(gke_tpu: GkeTpu, tmp_path: Path, name: str, form: str) -> None:
    plans, inventory, expected, requests = FLEETS[name]
    for number, text in enumerate(plans):
        (tmp_path / f"plan-{number}.yaml").write_text(text, encoding="utf-8")
    (tmp_path / "owned").write_text(inventory, encoding="utf-8")
    run = gke_tpu("quota", tmp_path, "--inventory", tmp_path / "owned", "--format", form, "--today", "2026-11-20")
    assert (run.code, run.err) == (0, "")
    if form == "json":
        data = json.loads(run.out)
        assert in_json(data) == table(expected)
        assert [
            (item["quota_id"], item["dimensions"], item["limit"], item["least"], item["value"])
            for item in data["requests"]
        ] == requests
    else:
        rows = in_text(run.out) if form == "text" else in_markdown(run.out)
        assert rows == table(expected)
        assert run.out.count("compute.googleapis.com quota ") == len(requests)


# The stacks, by hand: v6e-pretrain 2 x 16x16 = 512 chips = 128 VMs of 4 chips; v6e-finetune 4x8 = 8 VMs; ironwood-cubes
# 4x4x8 = 128 chips = 32 VMs. Auto-provisioning of train-east: v6e 1,024 chips with 512 in pretrain, so 512 for sweep
# (0..64) and new nodes on Spot, or 512 on demand; v5p 256 with ablation (0..64). `shared` has 4 x 2x2 on Spot (0..16).
STACK_TABLE = """
ironwood-cubes                   | acme-ml     | us-central1-c | 32     | unknown
v6e-finetune                     | acme-ml     | us-east5-b    | 8      | unknown
v6e-pretrain                     | acme-ml     | us-east5-b    | 128    | 160   | 16 | 16
tpus_per_tpu_family (tpu7x)      | acme-ml     | us-central1   | 0..16  | unknown
preemptible_tpu_v5p              | acme-ml     | us-east5      | 0..256 | 1,536 | 0  | 1,280..1,536
preemptible_tpu_v6e              | acme-ml     | us-east5      | 0..528 | 32    | 0  | -496..32
tpu_v5p                          | acme-ml     | us-east5      | 0..256 | unknown
tpus_per_tpu_family (CT6E)       | acme-ml     | us-east5      | 0..512 | unknown
PREEMPTIBLE_TPU_LITE_PODSLICE_V5 | acme-ml-dev | us-central1   | 0..32  | unknown
TPU_LITE_PODSLICE_V5             | acme-ml-dev | us-central1   | 4      | unknown
"""
STACK_REQUESTS = [
    "compute.googleapis.com quota TPUS-PER-TPU-FAMILY-per-project-region of project acme-ml, region us-central1, "
    "tpu_family tpu7x: 16 chips for ironwood/serve (0..16 chips); the limit is unknown (confidence medium)",
    "compute.googleapis.com quota PREEMPTIBLE-TPU-V6E-per-project-region of project acme-ml, region us-east5: 528 "
    "chips for prod/plan.yaml train-east/sweep (0..64 chips), prod/plan.yaml train-east/autoprovisioning (0..448 "
    "chips) and shared/plan.yaml shared/evaluate (0..16 chips); the limit is 32",
    "compute.googleapis.com quota TPU-V5P-per-project-region of project acme-ml, region us-east5: 256 chips for "
    "train-east/autoprovisioning (0..256 chips); the limit is unknown (confidence low)",
    "compute.googleapis.com quota TPUS-PER-TPU-FAMILY-per-project-region of project acme-ml, region us-east5, "
    "tpu_family CT6E: 512 chips for train-east/autoprovisioning (0..512 chips); the limit is unknown",
    "compute.googleapis.com quota PREEMPTIBLE_TPU_LITE_PODSLICE_V5 (Preemptible TPU v5 Lite PodSlice chips) of "
    "project acme-ml-dev, region us-central1: 32 chips for dev/batch (0..32 chips); the limit is unknown",
    "compute.googleapis.com quota TPU_LITE_PODSLICE_V5 (TPU v5 Lite PodSlice chips) of project acme-ml-dev, region "
    "us-central1: 4 chips for dev/notebook (4 chips); the limit is unknown",
]


@pytest.mark.parametrize("form", ["text", "markdown", "json"])
def test_the_use_of_the_shipped_stacks_is_as_calculated_by_hand(
    gke_tpu: GkeTpu, monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    monkeypatch.chdir(STACKS)
    inventory = STACKS.parent / "docs" / "examples" / "inventory.yaml"
    run = gke_tpu("quota", ".", "--inventory", inventory, "--format", form, "--today", "2026-11-20")
    read = {"text": in_text, "markdown": in_markdown, "json": lambda out: in_json(json.loads(out))}[form]
    assert run.code == 0
    assert read(run.out) == table(STACK_TABLE)
    if form == "text":
        requests = run.out.partition("request: ")[2].partition("\nnote:")[0].partition("\n\n")[0]
        assert [" ".join(part.split()) for part in requests.split("request: ")] == STACK_REQUESTS


def test_the_user_of_a_block_has_its_plan_if_there_are_several_plans(gke_tpu: GkeTpu, tmp_path: Path) -> None:
    block = ", block: b1"
    for name, group in (("a", f"a: {{{V6E}, topology: 8x8, {POOL % block}}}"), ("b", f"a: {{{V6E}, topology: 4x4}}")):
        (tmp_path / f"{name}.yaml").write_text(plan("acme-ml", group), encoding="utf-8")
    inventory = tmp_path / "inventory.txt"
    inventory.write_text(owned("vms: 64, shared_with: [acme-ml], blocks: [{name: b1, vms: 8}]"), encoding="utf-8")
    day = ("--inventory", inventory, "--today", "2026-11-20")
    both = gke_tpu("quota", tmp_path / "a.yaml", tmp_path / "b.yaml", *day, "--format", "markdown").out
    assert "a.yaml c/a" in both.replace("\\", "")
    assert "by c/a |" in gke_tpu("quota", tmp_path / "a.yaml", *day, "--format", "markdown").out
