"""Rules about standards that no plan can meet."""

import datetime
from pathlib import Path
from typing import Any, get_args

import pytest
from support.several import findings_about

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.plan import read_organization_content, read_plan_content
from pulumi_gke_tpu.core.rules import check_plan
from pulumi_gke_tpu.core.text.findings import Finding
from pulumi_gke_tpu.features.capacity.rules.organization import sizes, uses
from pulumi_gke_tpu.features.capacity.rules.organization.together import validate_organization

TODAY = datetime.date(2026, 11, 20)

PLAN = """version: 1
project: acme-ml
clusters:
  train:
    mode: standard
    location: us-east5
    slices:
      one: {tpu: v6e, topology: 4x4, zone: us-east5-b}
"""


def about(standards: str, catalog: Catalog, folder: Path) -> list[str]:
    """What is found in the organization file, with the words that are marked."""
    findings = findings_about(f"{PLAN}--- organization\nstandards:\n{standards}", catalog, folder, TODAY)
    return [
        f"{finding.severity.word} {finding.rule} {marked(finding)}: {finding.message}"
        for finding in findings
        if finding.rule >= "TPU941"
    ]


def marked(finding: Finding) -> str:
    place = finding.position
    return place.text[place.column - 1 : place.end_column - 1] if place else ""


@pytest.mark.parametrize(
    ("standards", "expected"),
    [
        ("  a: {labels: [team, cost_center]}", []),
        ("  a: {labels: [Team]}", ["error TPU945 Team: invalid Google Cloud label key `Team`"]),
        ("  a: {labels: [9lives]}", ["error TPU945 9lives: invalid Google Cloud label key `9lives`"]),
        (
            "  a: {labels: [goog-team]}",
            ["warning TPU945 goog-team: invalid Google Cloud label key `goog-team`: Google reserves the prefix goog-"],
        ),
        (
            '  a: {names: {clusters: "Train-*"}}',
            ['error TPU945 "Train-*": no name of a cluster that GKE accepts matches `Train-*`'],
        ),
        (
            '  a: {names: {groups: "*-"}}',
            ['error TPU945 "*-": no name of a slice group that GKE accepts matches `*-`'],
        ),
        ('  a: {names: {clusters: "*", groups: "*"}}', []),
        ("  a: {generations: [v6e, v5p]}\n  b: {generations: [v5p, v5e]}", []),
        (
            "  a: {generations: [v6e, v5p]}\n  b: {generations: [v5p, v5e]}\n  c: {generations: [v5e]}",
            ["warning TPU946 [v5e]: no allowed value of `generations` is left together with the standard `b`"],
        ),
        (
            "  a: {modes: [standard]}\n  b: {modes: [autopilot]}\n  c: {modes: [standard]}",
            ["warning TPU946 [autopilot]: no allowed value of `modes` is left together with the standard `a`"],
        ),
        (
            "  a: {capacities: [spot]}\n  b: {capacities: [reservation]}",
            ["warning TPU946 [reservation]: no allowed value of `capacities` is left together with the standard `a`"],
        ),
        (
            '  a: {zones: ["us-east5-*"]}\n  b: {zones: ["*-b"]}\n  c: {zones: [us-east5-a]}',
            ["warning TPU946 [us-east5-a]: no allowed value of `zones` is left together with the standard `b`"],
        ),
        (
            "  a: {generations: [v4]}\n  b: {zones: [us-east5-b]}",
            ["warning TPU946 [v4]: no generation that is allowed is known in a zone that the standard `b` allows"],
        ),
        ("  a: {generations: [v3]}\n  b: {zones: [us-central1-b]}", []),  # the zone has one family of the generation
        (
            "  a: {generations: [v6e]}\n  b: {labels: [team]}\n  c: {generations: [v5p]}\n  d: {zones: [us-east5-b]}",
            ["warning TPU946 [v5p]: no allowed value of `generations` is left together with the standard `a`"],
        ),
        ("  a: {generations: [v6]}\n  b: {generations: [v6e]}", ["warning TPU944 v6: unknown generation `v6`"]),
        ("  a: {zones: [us-east5]}", ["warning TPU944 us-east5: no known TPU zone matches `us-east5`"]),
    ],
)
def test_a_standard_that_no_plan_can_meet(
    standards: str, expected: list[str], catalog: Catalog, tmp_path: Path
) -> None:
    assert about(standards, catalog, tmp_path) == expected


def organization_of(count: int) -> str:
    """Standards of every kind that no plan breaks, ``count`` of each, and as many exemptions."""
    kinds = (
        "{generations: [v6e]}",
        '{zones: ["us-*"]}',
        "{max: {chips: 1000, per: all}}",
        "{max: {usd_per_hour: 100000, per: plan}}",
        '{names: {clusters: "*"}}',
    )
    standards = "".join(f"  s{n}-{k}: {kind}\n" for n in range(count) for k, kind in enumerate(kinds))
    exempt = "".join(f"  - {{standard: s{n}-0, of: c{n}, reason: a, until: 2026-12-31}}\n" for n in range(count))
    return f"version: 1\nstandards:\n{standards}exemptions:\n{exempt}"


def test_the_work_is_standards_times_different_values(catalog: Catalog, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not standards times slice groups; a cost is estimated once for each plan, and a sum is added up once."""
    calls: dict[str, int] = dict.fromkeys(("checked", "matched", "estimated", "added"), 0)

    def counted(name: str, function: Any) -> Any:
        def call(*arguments: Any, **more: Any) -> Any:
            calls[name] += 1
            return function(*arguments, **more)

        return call

    for kind in get_args(uses.Use):
        monkeypatch.setattr(kind, "problem", counted("checked", kind.problem))
    monkeypatch.setattr(uses, "matches", counted("matched", uses.matches))
    monkeypatch.setattr(uses, "cost_of", counted("estimated", uses.cost_of))
    monkeypatch.setattr(sizes, "sizes_in", counted("added", sizes.sizes_in))
    groups = "".join(f"      g{n}: {{tpu: v6e, topology: 4x4, zone: us-east5-b}}\n" for n in range(20))
    text = PLAN.replace("      one: {tpu: v6e, topology: 4x4, zone: us-east5-b}\n", groups)
    plans = [check_plan(read_plan_content(text.encode(), f"plan{n}.yaml"), catalog, TODAY) for n in range(3)]
    found: dict[int, dict[str, int]] = {}
    for count in (5, 50):
        calls.update(dict.fromkeys(calls, 0))
        standards = read_organization_content(organization_of(count).encode(), "organization.yaml")
        assert {finding.rule for finding in validate_organization(plans, standards, catalog, today=TODAY)} <= {"TPU946"}
        found[count] = dict(calls)
    # Each kind of standard meets one generation, one zone, one name of a cluster and 20 names of groups.
    assert found[5]["checked"] <= 5 * (1 + 1 + 21) * 2
    assert found[50]["checked"] <= 10 * found[5]["checked"]
    assert found[50]["matched"] <= 10 * found[5]["matched"]
    assert found[5]["estimated"] == found[50]["estimated"] == 3
    assert found[5]["added"] == found[50]["added"] == 2 * 3
