"""Rules about boot disks."""

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
