"""Rules about pods per node, and properties of TPU nodes in ``extra``."""

from typing import Any

import pytest
from support.fixtures.checks import Broken, Check, weights
from support.rule_plans import on_family


@pytest.mark.parametrize(
    ("pods", "expected", "fix"),
    [
        (7, ["TPU511 error"], "max_pods_per_node: 8"),
        (8, [], ""),
        (110, [], ""),
        (256, [], ""),
        (257, ["TPU511 error"], "max_pods_per_node: 256"),
    ],
)
def test_pods_per_node(pods: int, expected: list[str], fix: str, check: Check) -> None:
    findings = check(on_family(f"max_pods_per_node: {pods}"))
    assert weights(findings) == expected
    assert [finding.fix for finding in findings] == ([fix] if expected else [])


@pytest.mark.parametrize(
    ("extra", "expected"),
    [
        ("node_config: {image_type: UBUNTU_CONTAINERD}", ["TPU512"]),
        ("nodeConfig: {imageType: ubuntu}", ["TPU512"]),
        ("node_config: {reservation_affinity: {consume_reservation_type: ANY_RESERVATION}}", ["TPU514"]),
        ("node_config: {reservation_affinity: {consumeReservationType: ANY_RESERVATION_THEN_FAIL}}", ["TPU514"]),
        # what TPU machines do not have
        ("node_config: {local_ssd_count: 1}", ["TPU515"]),
        ("node_config: {local_ssd_count: 0}", []),
        ("nodeConfig: {ephemeralStorageLocalSsdConfig: {localSsdCount: 2}}", ["TPU515"]),
        ("node_config: {sole_tenant_config: {node_affinities: [{key: a, operator: IN, values: [b]}]}}", ["TPU515"]),
        (
            "node_config: {advanced_machine_features: {threads_per_core: 2, enable_nested_virtualization: true}}",
            ["TPU515"],
        ),
        ("node_config: {advanced_machine_features: {threads_per_core: 2, enable_nested_virtualization: false}}", []),
        # one property after another
        ("node_config: {advanced_machine_features: {threads_per_core: 2}, image_type: UBUNTU}", ["TPU512"]),
    ],
)
def test_properties_under_extra(extra: str, expected: list[str], check: Check) -> None:
    assert [finding.rule for finding in check(on_family(f"extra: {{{extra}}}"))] == expected


@pytest.mark.parametrize(("threads", "expected"), [(1, []), (2, ["TPU513"]), ("two", ["TPU513", "TPU525"])])
def test_eight_chip_hosts_of_v6e_run_one_thread_per_core(threads: Any, expected: list[str], broken: Broken) -> None:
    extra = f"extra: {{node_config: {{advanced_machine_features: {{threads_per_core: {threads}}}}}}}"
    assert broken(f"tpu: v6e\ntopology: 2x4\nchips_per_host: 8\n{extra}") == expected
