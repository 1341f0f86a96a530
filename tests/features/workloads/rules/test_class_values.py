"""Values that node pools accept and a ComputeClass does not; tests/kubernetes compares them with the real server."""

from collections.abc import Callable

import pytest

from pulumi_gke_tpu.core.text.findings import Finding, Severity, format_path

GROUP = "tpu: v6e\ntopology: 4x4\n"
BALANCED = "boot_disk: {type: hyperdisk-balanced, "


@pytest.mark.parametrize(
    ("keys", "path", "fix"),
    [
        (f"{BALANCED}iops: 4000}}", "boot_disk.iops", ""),
        (f"{BALANCED}throughput_mbps: 300}}", "boot_disk.throughput_mbps", ""),
        ("boot_disk: {iops: 4000, throughput_mbps: 300}", "boot_disk.iops", ""),
        (f"{BALANCED}iops: 1999, throughput_mbps: 300}}", "boot_disk.iops", "iops: 2000"),
        (f"{BALANCED}iops: 4000, throughput_mbps: 2401}}", "boot_disk.throughput_mbps", "throughput_mbps: 2400"),
        ("taints: [{key: a, effect: NO_SCHEDULE}, {key: b, value: ml, effect: NO_SCHEDULE}]", "taints[1].value", ""),
    ],
)
def test_a_value_is_reported_where_it_is(
    keys: str, path: str, fix: str, check: Callable[[str], tuple[Finding, ...]]
) -> None:
    (found,) = (item for item in check(f"{GROUP}fallback: [spot]\n{keys}") if item.rule == "TPU348")
    assert found.severity is Severity.ERROR
    assert format_path(found.path).endswith(path)
    assert found.fix == fix


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        (f"{BALANCED}iops: 4000}}", "missing key `throughput_mbps`: a ComputeClass has `iops` only together with it"),
        (
            f"{BALANCED}throughput_mbps: 300}}",
            "missing key `iops`: a ComputeClass has `throughput_mbps` only together with it",
        ),
        ("boot_disk: {iops: 4000, throughput_mbps: 300}", "`iops` is not supported with a boot disk without `type`"),
        (
            "boot_disk: {type: pd-ssd, throughput_mbps: 300}",
            "`throughput_mbps` is not supported with a boot disk of type `pd-ssd` in a ComputeClass",
        ),
    ],
)
def test_the_message_names_the_other_key_or_the_disk_type(
    keys: str, message: str, check: Callable[[str], tuple[Finding, ...]]
) -> None:
    found = [item.message for item in check(f"{GROUP}fallback: [spot]\n{keys}") if item.rule == "TPU348"]
    assert found == [message]


@pytest.mark.parametrize(
    "keys",
    [
        f"{BALANCED}iops: 2000, throughput_mbps: 140}}",
        f"{BALANCED}iops: 160000, throughput_mbps: 2400}}",
        "boot_disk: {size_gib: 50}",
        "boot_disk: {type: hyperdisk-balanced}",
        "taints: [{key: a, effect: NO_SCHEDULE}, {key: b, value: mlx, effect: NO_SCHEDULE}]",
        "taints: [{key: a, value: A, effect: NO_SCHEDULE}]",
    ],
)
def test_a_class_accepts_the_value(keys: str, broken: Callable[[str], list[str]]) -> None:
    assert "TPU348" not in broken(f"{GROUP}fallback: [spot]\n{keys}")


@pytest.mark.parametrize("keys", [f"{BALANCED}iops: 4000}}", "taints: [{key: b, value: ml, effect: NO_SCHEDULE}]"])
def test_node_pools_accept_the_value(keys: str, broken: Callable[[str], list[str]]) -> None:
    assert "TPU348" not in broken(GROUP + keys)
