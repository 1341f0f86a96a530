"""Values that node pools accept and a ComputeClass does not; tests/kubernetes compares them with the real server."""

from collections.abc import Callable

import pytest

from pulumi_gke_tpu.findings import Finding, Severity, format_path

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


@pytest.mark.parametrize("keys", [f"{BALANCED}iops: 4000}}", "taints: [{key: b, value: ml, effect: NO_SCHEDULE}]"])
def test_node_pools_accept_the_value(keys: str, broken: Callable[[str], list[str]]) -> None:
    assert "TPU348" not in broken(GROUP + keys)
