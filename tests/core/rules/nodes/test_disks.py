"""Rules about boot disks, their IOPS and throughput, and those of auto-provisioned nodes."""

from collections.abc import Callable

import pytest
from support.fixtures.checks import Broken, Check, weights
from support.plan_edits import catalog, document
from support.rule_plans import PLACES, on_family

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.rules import check_plan


@pytest.mark.parametrize(
    ("family", "kind", "expected"),
    [
        ("ct3", "pd-standard", []),
        ("ct3p", "pd-balanced", []),
        ("ct3", "hyperdisk-balanced", ["TPU501 error"]),
        ("ct4p", "pd-ssd", []),
        ("ct4p", "hyperdisk-balanced", ["TPU502 warning"]),
        ("ct5lp", "pd-balanced", []),
        ("ct5lp", "pd-standard", ["TPU501 error"]),
        ("ct5lp", "hyperdisk-balanced", ["TPU502 warning"]),
        ("ct5lp", "hyperdisk-ml", ["TPU501 error"]),
        ("ct5p", "pd-balanced", []),
        ("ct5p", "pd-ssd", ["TPU503 warning"]),
        ("ct5p", "hyperdisk-balanced", ["TPU502 warning"]),
        ("ct6e", "hyperdisk-balanced", []),
        ("ct6e", "pd-balanced", ["TPU501 error"]),
        ("ct6e", "pd-standard", ["TPU501 error"]),
        ("ct6e", "hyperdisk-ml", ["TPU501 error"]),
        ("tpu7x", "hyperdisk-balanced", []),
        ("tpu7x", "pd-ssd", ["TPU501 error"]),
        ("tpu7x", "hyperdisk-extreme", ["TPU501 error"]),  # what sources disagree on is attaching it
        ("tpu7x", "hyperdisk-ml", ["TPU501 error"]),
        ("ct6e", "balanced", ["TPU501 error"]),
        ("ct6e", "''", ["TPU501 error"]),
    ],
)
def test_boot_disk_types(family: str, kind: str, expected: list[str], check: Check) -> None:
    assert weights(check(on_family(f"boot_disk: {{type: {kind}}}", family))) == expected


@pytest.mark.parametrize("family", list(PLACES))
def test_the_default_type_and_none_are_silent(family: str, broken: Broken, catalog: Catalog) -> None:
    kind = catalog.disks.families[family].default_boot
    assert broken(on_family(f"boot_disk: {{type: {kind}, size_gib: 200}}", family)) == []
    assert broken(on_family("boot_disk: {size_gib: 65536}", family)) == []


@pytest.mark.parametrize("spelling", ["node_config: {confidential_nodes", "nodeConfig: {confidentialNodes"])
def test_confidential_nodes_boot_from_more(spelling: str, broken: Broken) -> None:
    extra = f"extra: {{{spelling}: {{enabled: true}}}}}}"
    assert broken(on_family(f"boot_disk: {{type: hyperdisk-balanced}}, {extra}", "ct5p")) == []


@pytest.mark.parametrize(
    ("family", "disk", "expected"),
    [
        ("ct6e", "type: hyperdisk-balanced, iops: 5000, throughput_mbps: 300", []),
        ("ct6e", "iops: 5000", []),
        ("ct5p", "type: pd-balanced, iops: 5000", ["TPU504 error"]),
        ("ct5p", "type: pd-balanced, iops: 5000, throughput_mbps: 300", ["TPU504 error"] * 2),
        ("ct5p", "throughput_mbps: 300", ["TPU504 warning"]),
        ("ct6e", "type: pd-ssd, iops: 5000", ["TPU501 error", "TPU504 error"]),
    ],
)
def test_disk_performance(family: str, disk: str, expected: list[str], check: Check) -> None:
    assert sorted(weights(check(on_family(f"boot_disk: {{{disk}}}", family)))) == expected


@pytest.mark.parametrize(
    ("machine", "disk", "expected"),
    [
        ("c4-standard-4", "hyperdisk-balanced", []),
        ("c4-standard-4", "pd-balanced", [("error", "hyperdisk-balanced")]),
        ("n4-standard-4", "pd-standard", [("error", "hyperdisk-balanced")]),
        ("n4-standard-4", "pd-balanced", [("warning", "hyperdisk-balanced")]),
        ("e2-standard-4", "pd-ssd", []),
        ("e2-standard-4", "hyperdisk-balanced", [("error", "pd-standard")]),
        ("e2-standard-4", "pd-balnced", []),
        ("c3-standard-4", "pd-balanced", []),
        ("n2-standard-4", "hyperdisk-balanced", []),
    ],
)
def test_a_node_pool_without_tpus_boots_from_disks_of_its_family(
    machine: str, disk: str, expected: list[tuple[str, str]]
) -> None:
    """Families without an entry in the catalog have both kinds of disks, or sources say too little."""
    start = "mode: standard\nlocation: us-east5\n"
    pools = {
        "boot_disk_type": f"system_pool: {{machine_type: {machine}, boot_disk_type: {disk}}}",
        "type": f"cpu_pools: {{build: {{machine_type: {machine}, nodes: 3, boot_disk: {{type: {disk}}}}}}}",
    }
    for key, pool in pools.items():
        findings = check_plan(document(start + pool), catalog(), None).findings
        found = [(item.severity.word, item.fix) for item in findings if item.rule == "TPU507"]
        assert found == [(severity, f"{key}: {right}") for severity, right in expected]


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


@pytest.mark.parametrize(
    ("tpu", "kind", "expected"),
    [
        ("{v6e: 64}", "hyperdisk-balanced", []),
        ("{v6e: 64}", "pd-balanced", ["TPU594 warning"]),
        ("{v5p: 64}", "pd-balanced", []),
        ("{v5p: 64, v6e: 64}", "pd-balanced", ["TPU594 warning"]),
        ("{}", "pd-balanced", []),
    ],
)
def test_every_family_of_the_limits_must_support_the_type(
    tpu: str, kind: str, expected: list[str], check: Check
) -> None:
    limits = f"{{cpu: 1000, memory_gib: 4000, tpu: {tpu}, boot_disk_type: {kind}}}"
    findings = check(f"mode: standard\nlocation: us-east5\nautoprovisioning: {limits}\n")
    found = [f"{item.rule} {item.severity.word}" for item in findings if item.path[-1] == "boot_disk_type"]
    assert found == expected
