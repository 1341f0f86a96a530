"""Provisioned IOPS and throughput of boot disks."""

from collections.abc import Callable

import pytest
from support.plan_edits import catalog, document

from pulumi_gke_tpu.core.rules import check_plan

GROUP = "tpu: v6e\ntopology: 4x4\nboot_disk: "
POOL = "mode: standard\nlocation: us-east5\ncpu_pools: {build: {machine_type: c4-standard-4, nodes: 3, boot_disk: "


def limits(text: str) -> list[tuple[str, str, str]]:
    findings = check_plan(document(text), catalog(), None).findings
    return [(str(found.path[-1]), found.fix, found.severity.word) for found in findings if found.rule == "TPU506"]


@pytest.mark.parametrize(
    "write", [lambda disk: f"{GROUP}{disk}", lambda disk: f"{POOL}{disk}}}}}"], ids=["slices", "CPU pool"]
)
@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ("iops: 160000, throughput_mbps: 2400", []),
        ("iops: 2000, throughput_mbps: 140", []),
        ("iops: 160001", [("iops", "iops: 160000", "error")]),
        ("iops: 1999", [("iops", "iops: 2000", "error")]),
        ("throughput_mbps: 2401", [("throughput_mbps", "throughput_mbps: 2400", "error")]),
        ("throughput_mbps: 139", [("throughput_mbps", "throughput_mbps: 140", "error")]),
    ],
)
def test_the_performance_of_a_disk_has_limits(
    write: Callable[[str], str], keys: str, expected: list[tuple[str, str, str]]
) -> None:
    assert limits(write(f"{{type: hyperdisk-balanced, {keys}}}")) == expected


def test_the_default_type_of_the_family_has_limits_too() -> None:
    assert limits(f"{GROUP}{{iops: 1000000}}") == [("iops", "iops: 160000", "error")]


def test_another_rule_reports_disks_without_such_settings_and_those_of_a_compute_class() -> None:
    assert not limits(
        f"{GROUP.replace('v6e', 'v5p').replace('4x4', '2x2x1')}{{type: pd-balanced, iops: 1000000}}\nzone: us-east5-a"
    )
    assert not limits(f"{GROUP}{{type: hyperdisk-balanced, iops: 1000000, throughput_mbps: 200}}\nfallback: [spot]")
