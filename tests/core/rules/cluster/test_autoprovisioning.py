"""Rules about node auto-provisioning."""

from collections.abc import Callable

import pytest
from support.fixtures.checks import Broken, Check

from pulumi_gke_tpu.core.text.findings import Finding

STANDARD = "mode: standard\nlocation: us-east5\n"


@pytest.mark.parametrize(
    ("limits", "expected"),
    [
        ("tpu: {v6e: 8}", []),
        ("tpu: {tpu-v6e-slice: 8}", []),
        ("tpu: {}", []),
        ("tpu: {tpu-v3-device: 8, tpu-v3-slice: 64}", []),
        ("tpu: {v3: 8}", ["TPU223"]),
        ("tpu: {v4: 8, v5e: 8, v5p: 8}", []),
        ("tpu: {v6e: 0}", ["TPU222"]),
        ("tpu: {v6e: -1}", ["TPU222"]),
        ("tpu: {ct6e: 8}", ["TPU221"]),
        ("tpu: {ct6e-standard-4t: 8}", ["TPU221"]),
        ("tpu: {v6e: 8, tpu-v6e-slice: 8}", ["TPU224"]),
        ("tpu: {v3: 8, tpu-v3-slice: 8}", ["TPU223", "TPU224"]),
        ("tpu: {v6e: 8}, zones: [us-east5-b, us-east5-c]", []),
        ("tpu: {v6e: 8}, zones: [us-east5-b, us-east1-d]", ["TPU226"]),
    ],
)
def test_autoprovisioning_limits_are_checked(limits: str, expected: list[str], broken: Broken) -> None:
    found = broken(STANDARD + f"autoprovisioning: {{cpu: 999, memory_gib: 9999, {limits}}}\n")
    assert [rule for rule in found if rule != "TPU227"] == expected  # the region has not all of these generations


@pytest.mark.parametrize(
    ("word", "fix"),
    [
        ("trillium", "v6e: 8"),
        ("ironwood", "tpu7x: 8"),
        ("ct6e-standard-4t", "v6e: 8"),
        ("v5litepod-16", "v5e: 8"),
        ("tpu-v6e-podslice", "v6e: 8"),
        ("nvidia-l4", ""),
    ],
)
def test_the_fix_for_another_name_of_a_tpu_is_its_generation(word: str, fix: str, check: Check) -> None:
    (finding,) = check(STANDARD + f"autoprovisioning: {{cpu: 999, memory_gib: 99, tpu: {{{word}: 8}}}}\n")
    assert finding.rule == "TPU221"
    assert finding.fix == fix


@pytest.mark.parametrize(
    ("limits", "expected"),
    [
        # 2 slices of 4 hosts with 4 chips, 180 vCPUs and 720 GiB each; the system pool has 3 x 4 vCPUs
        ("cpu: 1452, memory_gib: 5760, tpu: {v6e: 32}", []),
        ("cpu: 1451, memory_gib: 5760, tpu: {v6e: 32}", ["cpu"]),
        ("cpu: 1452, memory_gib: 5759, tpu: {v6e: 32}", ["memory_gib"]),
        ("cpu: 1452, memory_gib: 5760, tpu: {v6e: 31}", ["v6e"]),
        ("cpu: 1452, memory_gib: 5760, tpu: {tpu-v6e-slice: 31}", ["tpu-v6e-slice"]),
        ("cpu: 1452, memory_gib: 5760, tpu: {v5e: 1}", []),
        ("cpu: 1452, memory_gib: 5760", []),
    ],
)
@pytest.mark.parametrize("count", ["count: 2", "max: 2", "indices: [0, 5]"])
def test_limits_cover_the_node_pools_of_the_plan(limits: str, expected: list[str], count: str, check: Check) -> None:
    group = f"{{tpu: v6e, topology: 4x4, zone: us-east5-b, {count}}}"
    findings = check(STANDARD + f"autoprovisioning: {{{limits}}}\nslices: {{main: {group}}}\n")
    assert [finding.path[-1] for finding in findings] == expected
    assert {finding.rule for finding in findings} <= {"TPU225"}


def test_node_pools_with_the_same_label_are_added_up(check: Check) -> None:
    groups = ", ".join(f"g{n}: {{tpu: v6e, topology: 2x2, zone: us-east5-b, count: 2}}" for n in range(4))
    text = STANDARD + f"autoprovisioning: {{cpu: 9999, memory_gib: 99999, tpu: {{v6e: 31}}}}\nslices: {{{groups}}}\n"
    (finding,) = check(text)
    assert finding.message.endswith("use up to 32 chips of `v6e`; the limit of the cluster is 31")
    assert (finding.rule, finding.fix) == ("TPU225", "v6e: 32")


def test_the_limit_of_a_generation_is_compared_with_its_most_used_accelerator(check: Check) -> None:
    """v3 has two: the node pools below use one of them."""
    group = "{tpu: v3, topology: 4x8, zone: europe-west4-a}"
    limits = "autoprovisioning: {cpu: 9999, memory_gib: 99999, tpu: {v3: 31}}"
    found = check(f"mode: standard\nlocation: europe-west4\n{limits}\nslices: {{main: {group}}}\n")
    assert [item.fix for item in found if item.rule == "TPU225"] == ["v3: 32"]


def test_zones_are_listed_for_the_known_limits_beside_an_unknown_one(check: Check) -> None:
    limits = "{cpu: 999, memory_gib: 9999, tpu: {v6e: 8, nvidia-l4: 1}, zones: [us-east1-d]}"
    found = {item.rule: item for item in check(f"{STANDARD}autoprovisioning: {limits}\n")}
    zone = next(item for item in found.values() if item.path[-2:] == ("zones", 0))
    assert "TPU221" in found
    assert "us-east5-b" in zone.allowed


@pytest.mark.parametrize(
    ("limits", "groups", "expected"),
    [
        ("{tpu7x: 128}", "", ["TPU220 warning"]),
        ("{tpu7x: 128, v5p: 64}", "", ["TPU220 warning"]),
        ("{v5p: 64}", "", []),
        # a policy that the plan creates or names in the region
        ("{tpu7x: 1280}", "a: {tpu: tpu7x, topology: 2x2x2, zone: us-central1-c}", []),
        (
            "{tpu7x: 1280}",
            "a: {tpu: tpu7x, topology: 2x2x2, zone: us-central1-c, placement: {workload_policy: cubes}}",
            [],
        ),
        # single-host slices have no policy
        ("{tpu7x: 1280}", "a: {tpu: tpu7x, topology: 2x2x1, zone: us-central1-c}", ["TPU220 warning"]),
        # a policy of another generation does not count
        ("{tpu7x: 1280}", "a: {tpu: v6e, topology: 4x4, zone: us-central1-b}", ["TPU220 warning"]),
    ],
)
def test_auto_provisioned_slices_require_workload_policies(
    limits: str, groups: str, expected: list[str], check: Callable[..., tuple[Finding, ...]]
) -> None:
    body = (
        "mode: standard\nlocation: us-central1\nnetwork: {create: {mtu: 8896}}\n"
        f"autoprovisioning: {{cpu: 50000, memory_gib: 200000, tpu: {limits}}}\n"
    )
    findings = check(body + (f"slices:\n  {groups}\n" if groups else ""))
    assert [f"{item.rule} {item.severity.word}" for item in findings] == expected
    assert all("autoprovisioning" in item.path and "tpu7x" in item.path for item in findings)
