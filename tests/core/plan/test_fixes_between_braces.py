"""A fix with several entries can be pasted as it is printed: on lines of its own, and between braces."""

import pytest
import yaml

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.plan import read_plan_content
from pulumi_gke_tpu.core.plan.files.mending import mended
from pulumi_gke_tpu.core.rules import check_plan
from pulumi_gke_tpu.core.text.findings import Finding

HEAD = "version: 1\nproject: acme-ml\nclusters:\n"
BRACES = HEAD + (
    "  train: {mode: standard, location: us-east5, slices: {main: {tpu: v6e, topology: 2x2, zone: us-east5-b, "
    "count: 2, max: 4}}}\n"
)
LINES = HEAD + (
    "  train:\n    mode: standard\n    location: us-east5\n    slices:\n      main:\n        tpu: v6e\n"
    "        topology: 2x2\n        zone: us-east5-b\n        count: 2\n        max: 4\n"
)
LIMITS = HEAD + (
    "  train: {mode: standard, location: us-east1, autoprovisioning: {cpu: 1000, memory_gib: 4000, tpu: {v3: 64}}}\n"
)


def findings(text: str) -> tuple[Finding, ...]:
    document = read_plan_content(text.encode(), "plan.yaml")
    return document.locate(check_plan(document, read_catalog(), None).findings)


@pytest.mark.parametrize(
    ("text", "rule", "fix"),
    [
        pytest.param(LINES, "TPU403", "min: 0\nmax: 4", id="lines"),
        pytest.param(BRACES, "TPU403", "min: 0, max: 4", id="braces"),
        pytest.param(LIMITS, "TPU223", "tpu-v3-device: 64, tpu-v3-slice: 64", id="limits"),
    ],
)
def test_entries_are_joined_by_commas_between_braces(text: str, rule: str, fix: str) -> None:
    (finding,) = (item for item in findings(text) if item.rule == rule)
    assert finding.fix == fix
    place = finding.position
    assert place is not None
    assert finding.change is not None
    pasted = mended(text, place.line, place.column, place.end_column - place.column, finding.change)
    assert yaml.safe_load(pasted) != yaml.safe_load(text)
    assert rule not in {item.rule for item in findings(pasted)}


def test_a_fix_between_braces_takes_the_place_of_the_text() -> None:
    (finding,) = findings(BRACES)
    assert findings(BRACES.replace("count: 2, max: 4", finding.fix)) == ()
