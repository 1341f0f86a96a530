"""The standards of an organization: what each of them allows, exemptions, and what a plan cannot change."""

import datetime
from pathlib import Path

import pytest
from support.several import findings_about

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.text.findings import Finding, Severity

TODAY = datetime.date(2026, 11, 20)
PLAN = """version: 1
project: acme-ml
clusters:
  train:
    mode: standard
    location: us-east5
    slices:
      one: {tpu: v6e, topology: 4x4, zone: us-east5-b}
      two: {tpu: v6e, topology: 4x4, zone: us-east5-b, COUNT}
"""


def found(
    catalog: Catalog, folder: Path, standards: str, *, count: str = "count: 1", more: str = "", today: bool = True
) -> list[Finding]:
    plan = PLAN.replace("COUNT", count) + more
    day = TODAY if today else datetime.date(2027, 6, 1)
    findings = findings_about(f"{plan}--- organization\n{standards}", catalog, folder, day)
    return [finding for finding in findings if finding.rule.startswith("TPU9")]


@pytest.mark.parametrize(
    ("limit", "path"),
    [
        ("{chips: 16, per: cluster}", ("clusters", "train", "slices", "two", "count")),
        ("{chips: 31, per: plan}", ("clusters", "train", "slices", "two", "count")),
        ("{hosts: 4, per: all}", ("clusters", "train", "slices", "two", "count")),
        ("{chips: 15}", ("clusters", "train", "slices", "one", "topology")),
        ("{usd_per_hour: 1, per: all}", ("clusters", "train", "slices", "one", "topology")),
    ],
)
def test_a_sum_is_reported_where_it_exceeds_the_limit(
    limit: str, path: tuple[str, ...], catalog: Catalog, tmp_path: Path
) -> None:
    first = found(catalog, tmp_path, f"standards: {{size: {{max: {limit}}}}}")[0]
    assert (first.rule, first.path, first.severity) == ("TPU925", path, Severity.ERROR)


@pytest.mark.parametrize("limit", ["{chips: 32, per: all}", "{hosts: 8, per: plan}", "{usd_per_hour: 1000, per: all}"])
def test_a_sum_within_the_limit_is_not_reported(limit: str, catalog: Catalog, tmp_path: Path) -> None:
    assert found(catalog, tmp_path, f"standards: {{size: {{max: {limit}}}}}") == []


def test_a_limit_that_only_the_largest_size_exceeds_is_a_warning(catalog: Catalog, tmp_path: Path) -> None:
    (finding,) = found(
        catalog, tmp_path, "standards: {size: {max: {chips: 32, per: all}}}", count="count: {min: 0, max: 4}"
    )
    assert (finding.rule, finding.severity) == ("TPU925", Severity.WARNING)
    assert "up to 80 chips" in finding.message


def test_an_unknown_price_is_reported_and_never_passes(catalog: Catalog, tmp_path: Path) -> None:
    plan = "tpu: v6e\ntopology: 4x4\nzone: us-east5-b\ncapacity: {reservation: main}\n"
    limit = "--- organization\nstandards: {cost: {max: {usd_per_hour: 100000}}}"
    found_there = findings_about(plan.replace("v6e", "tpu7x").replace("4x4", "2x2x2") + limit, catalog, tmp_path, TODAY)
    (finding,) = [finding for finding in found_there if finding.rule == "TPU925"]
    assert (finding.severity, "a price is unknown" in finding.message) == (Severity.WARNING, True)


def test_a_standard_can_warn_and_its_texts_are_escaped(catalog: Catalog, tmp_path: Path) -> None:
    standard = '{generations: [v5e], severity: warning, owner: team-a, message: "ask\\nus"}'
    first = found(catalog, tmp_path, f"standards: {{tpus: {standard}}}")[0]
    assert first.severity is Severity.WARNING
    assert "standard `tpus` (owner: team-a): ask" in first.message
    assert "\n" not in first.message


def test_a_plan_cannot_accept_a_finding_of_the_organization(catalog: Catalog, tmp_path: Path) -> None:
    standard = "standards: {tpus: {generations: [v5e], severity: warning}}"
    accept = 'accept: [{rule: TPU921, reason: "mine", until: 2026-12-31}]\n'
    findings = [finding for finding in found(catalog, tmp_path, standard, more=accept) if finding.rule == "TPU921"]
    assert [bool(finding.accepted) for finding in findings] == [False, False]


@pytest.mark.parametrize(
    ("place", "rules"),
    [
        ("", []),
        ("project: acme-ml, ", []),
        ("project: acme-ml, of: train, ", []),
        ("of: train/one, ", ["TPU921"]),
        ("project: acme-lab, ", ["TPU921", "TPU921"]),
        ("of: trai, ", ["TPU921", "TPU921"]),
    ],
)
def test_an_exemption_covers_what_it_names(place: str, rules: list[str], catalog: Catalog, tmp_path: Path) -> None:
    entry = f'{{standard: tpus, {place}reason: "launch", until: 2026-11-20}}'
    standards = f"standards: {{tpus: {{generations: [v5e]}}}}\nexemptions: [{entry}]"
    assert [finding.rule for finding in found(catalog, tmp_path, standards)] == rules


def test_an_expired_exemption_covers_nothing(catalog: Catalog, tmp_path: Path) -> None:
    standards = (
        'standards: {tpus: {generations: [v5e]}}\nexemptions: [{standard: tpus, reason: "launch", until: 2026-11-20}]'
    )
    rules = [finding.rule for finding in found(catalog, tmp_path, standards, today=False)]
    assert sorted(rules) == ["TPU921", "TPU921", "TPU942"]


def test_a_standard_has_exactly_one_kind(catalog: Catalog, tmp_path: Path) -> None:
    for wrong in ("{}", "{exclusion: true, private_nodes: true}"):
        findings = findings_about(
            f"tpu: v6e\ntopology: 2x2\n--- organization\nstandards: {{a: {wrong}}}", catalog, tmp_path, TODAY
        )
        assert any("exactly one of" in finding.message for finding in findings)
