"""Rules about capacity modes."""

from typing import Any

import pytest
from support.fixtures.checks import Check
from support.rule_plans import about_capacity, plan_in

from pulumi_gke_tpu.core.catalog import Catalog, read_catalog
from pulumi_gke_tpu.core.text.findings import Severity

CATALOG = read_catalog()

# A topology and a zone of each family in which flex-start is documented.
PLACES = {
    "ct3": ("tpu: v3, topology: 2x2", "europe-west4-a"),
    "ct3p": ("tpu: v3, topology: 4x4", "europe-west4-a"),
    "ct4p": ("tpu: v4, topology: 2x2x2", "us-central2-b"),
    "ct5l": ("tpu: v5e, topology: 2x2, machine_type: ct5l-hightpu-4t", "us-west4-a"),
    "ct5lp": ("tpu: v5e, topology: 2x2", "us-west4-a"),
    "ct5p": ("tpu: v5p, topology: 2x2x2", "us-east5-a"),
    "ct6e": ("tpu: v6e, topology: 4x4", "us-east5-b"),
    "tpu7x": ("tpu: tpu7x, topology: 2x2x2", "us-central1-c"),
}

CAPACITIES = {
    "on_demand": "on_demand",
    "spot": "spot",
    "reservation": "{reservation: ours}",
    "flex_start": "flex_start",
    "queued": "queued",
}


def verdict(catalog: Catalog, family: str, mode: Any) -> list[str]:
    offering = catalog.capacity.families[family][mode]
    if offering.offer == "yes":
        return ["TPU303"] if offering.confidence == "low" else []
    return [{"no": "TPU301", "allowlist": "TPU302", "unverified": "TPU303"}[offering.offer]]


@pytest.mark.parametrize("capacity", CAPACITIES)
@pytest.mark.parametrize("family", PLACES)
@pytest.mark.parametrize("mode", ["standard", "autopilot"])
def test_the_catalog_decides_what_is_offered(mode: str, family: str, capacity: str, check: Check) -> None:
    group, zone = PLACES[family]
    if mode == "autopilot" and family == "ct5l":
        pytest.skip("Autopilot takes no machine type")
    expected = verdict(CATALOG, family, capacity)
    if mode == "autopilot" and capacity == "queued":
        expected = expected or ["TPU303"]
    findings = check(plan_in(f"{group}, capacity: {CAPACITIES[capacity]}", zone, mode))
    assert about_capacity(findings) == expected


@pytest.mark.parametrize(
    ("family", "capacity", "rule", "severity"),
    [
        ("ct3", "spot", "TPU303", Severity.WARNING),
        ("ct3p", "spot", "TPU303", Severity.WARNING),
        ("ct4p", "flex_start", "TPU301", Severity.ERROR),
        ("ct4p", "queued", "TPU301", Severity.ERROR),
        ("ct5l", "flex_start", "TPU301", Severity.ERROR),
        ("ct5lp", "queued", "TPU303", Severity.WARNING),
        ("tpu7x", "spot", "TPU302", Severity.WARNING),
        ("tpu7x", "flex_start", "TPU302", Severity.WARNING),
        ("tpu7x", "{flex_start: {queued: true}}", "TPU302", Severity.WARNING),
        # the API rejected it; queued provisioning without flex-start is another mode
        ("ct5lp", "{flex_start: {queued: true}}", "TPU301", Severity.ERROR),
        ("ct5p", "{flex_start: {queued: true}}", "TPU301", Severity.ERROR),
        ("ct5p", "queued", "TPU303", Severity.WARNING),
        ("ct3p", "{flex_start: {queued: true}}", "TPU301", Severity.ERROR),
    ],
)
def test_every_offer_of_the_catalog_has_its_finding(
    family: str, capacity: str, rule: str, severity: Severity, check: Check
) -> None:
    group, zone = PLACES[family]
    findings = [item for item in check(plan_in(f"{group}, capacity: {capacity}", zone)) if item.rule.startswith("TPU3")]
    assert [(item.rule, item.severity) for item in findings] == [(rule, severity)]


def test_queued_flex_start_of_v5e_is_rejected_with_the_answer_of_the_api(check: Check) -> None:
    (finding,) = check(plan_in("tpu: v5e, topology: 4x4, capacity: {flex_start: {queued: true}}", "us-west4-a"))
    assert (finding.rule, finding.severity) == ("TPU301", Severity.ERROR)
    assert "Flex start node pools don't support TPUs with queued provisioning" in finding.why
    assert finding.source.startswith("XPK pull request 900")
    assert check(plan_in("tpu: v5e, topology: 4x4, capacity: flex_start", "us-west4-a")) == ()


def test_an_unsupported_mode_comes_with_the_supported_ones(check: Check) -> None:
    (finding,) = check(plan_in("tpu: v4, topology: 2x2x2, capacity: flex_start", "us-central2-b"))
    assert finding.message == "v4 (ct4p) is not available with flex-start"
    assert finding.allowed == ("on_demand", "spot", "reservation")
    assert finding.fix == "capacity: on_demand"
