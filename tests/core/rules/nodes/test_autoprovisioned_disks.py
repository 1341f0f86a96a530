"""The boot disk type of auto-provisioning, against the machine families that its TPU limits allow."""

from collections.abc import Callable

import pytest

from pulumi_gke_tpu.core.text.findings import Finding

Check = Callable[[str], tuple[Finding, ...]]


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
