"""``chips`` with the name of a slice: the fix is that slice, and there is no other finding."""

from typing import Any

import pytest
import yaml
from support.checking import validate

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.plan.reading.read import read_plan_content
from pulumi_gke_tpu.core.text.findings import Finding, Severity

PLAN = """\
version: 1
project: acme-ml
clusters:
  train:
    mode: standard
    location: us-east5
    slices:
      main: {GROUP}
"""


def errors(group: str) -> list[Finding]:
    document = read_plan_content(PLAN.replace("{GROUP}", group).encode(), "plan.yaml")
    assert document.content is not None
    found = (*document.findings, *validate(document.content, read_catalog()))
    return [finding for finding in found if finding.severity is Severity.ERROR]


@pytest.mark.parametrize(
    ("tpu", "chips", "zone", "fix"),
    [
        ("v5p", "v5p-512", "us-east5-a", "topology: 4x8x8"),
        ("v5p", "tpu-v5p-slice 4x4x4", "us-east5-a", "topology: 4x4x4"),
        ("v6e", "v6e-16", "us-east5-b", "topology: 4x4"),
        ("v6e", "tpu-v6e-8", "us-east5-b", "topology: 2x4, chips_per_host: 8"),
        ("v6e", "v5p-512", "us-east5-b", "chips: 256"),
    ],
)
def test_the_fix_is_the_slice_of_the_name_or_its_chips_for_another_generation(
    tpu: str, chips: str, zone: str, fix: str
) -> None:
    (finding,) = errors(f"{{tpu: {tpu}, chips: {chips}, zone: {zone}}}")
    assert (finding.rule, finding.fix) == ("TPU022", fix)
    keys: dict[str, Any] = yaml.safe_load(f"{{{finding.fix}}}")
    pasted = ", ".join(f"{key}: {value}" for key, value in keys.items())
    assert errors(f"{{tpu: {tpu}, {pasted}, zone: {zone}}}") == []


def test_the_fix_keeps_the_form_that_the_plan_sets() -> None:
    (finding,) = errors("{tpu: v6e, chips: v6e-8, chips_per_host: 4, zone: us-east5-b}")
    assert finding.fix == "topology: 2x4"


@pytest.mark.parametrize(
    ("chips", "message", "fix"),
    [
        ("v5p-100", "invalid name `v5p-100`: no slice of v5p has 50 chips", ""),
        ("16 chips", "`chips` must be a whole number, without a unit", "chips: 16"),
        ("many", "`chips` must be a whole number, without a unit", ""),
    ],
)
def test_other_text_is_not_the_name_of_a_slice(chips: str, message: str, fix: str) -> None:
    finding = next(finding for finding in errors(f"{{tpu: v5p, chips: {chips}, zone: us-east5-a}}"))
    assert (finding.rule, finding.message, finding.fix) == ("TPU022", message, fix)
