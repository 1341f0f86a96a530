"""TPU limits of auto-provisioning, against the zones that have the generation."""

from collections.abc import Callable

import pytest

from pulumi_gke_tpu.core.text.findings import Finding

Check = Callable[[str], tuple[Finding, ...]]


def found(check: Check, location: str, tpu: str, more: str = "") -> list[str]:
    limits = f"{{cpu: 90000, memory_gib: 900000, tpu: {{{tpu}}}{more}}}"
    policies = "workload_policies: {cubes: {topology: 4x4x4}}\n"
    findings = check(f"mode: standard\nlocation: {location}\n{policies}autoprovisioning: {limits}\n")
    return [f"{item.path[-1]} {item.severity.word}" for item in findings if item.rule == "TPU227"]


@pytest.mark.parametrize(
    ("location", "tpu", "expected"),
    [
        ("us-east5", "v6e: 64", []),
        ("us-east5", "v6e: 64, v4: 64", ["v4 error"]),
        ("us-east5", "tpu-v4-podslice: 64", ["tpu-v4-podslice error"]),
        ("us-central2", "v4: 64", []),
        ("europe-west4", "tpu7x: 64", ["tpu7x error"]),
        ("us-east5", "v9: 64", []),  # an unknown generation is another mistake
        ("us-east5-b", "v6e: 64", []),
        ("us-east5-b", "v5p: 64", ["v5p warning"]),  # only other sources list it
        ("us-south1", "v6e: 64", ["v6e warning"]),  # only an AI zone has it
        ("us-east5-b", "v4: 64", ["v4 error"]),
        ("us-east", "v4: 64", []),  # no location
    ],
)
def test_the_region_or_zone_of_the_cluster_has_the_generation(
    location: str, tpu: str, expected: list[str], check: Check
) -> None:
    assert found(check, location, tpu) == expected


@pytest.mark.parametrize(
    ("zones", "expected"),
    [
        ("us-east5-b", []),
        ("us-east5-c", ["v6e warning"]),
        ("us-east5-c, us-east5-b", []),
        ("us-central1-b", []),  # a zone of another region is another mistake
    ],
)
def test_one_of_the_zones_has_the_generation(zones: str, expected: list[str], check: Check) -> None:
    assert found(check, "us-east5", "v6e: 64", f", zones: [{zones}]") == expected


def test_the_finding_lists_the_zones_of_the_region_or_else_the_regions(check: Check) -> None:
    text = "mode: standard\nlocation: {}\nautoprovisioning: {{cpu: 90, memory_gib: 90, tpu: {{v4: 4}}}}\n"
    (finding,) = [item for item in check(text.format("us-east5")) if item.rule == "TPU227"]
    assert finding.message == "`v4` is not available in region us-east5"
    assert finding.allowed == ("us-central2",)
