"""Stored previews that something is odd about: refused in words, or compared, shown and read back by ``comment``."""

import datetime
import json
from typing import Any

import pytest
from hypothesis import given
from support.change_samples import page_of
from support.odd_json import nested, odd_versions
from support.plan_edits import pairs_of
from support.shipped import NAMES, STACKS

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.graph.registered import PlanPreview, StoredError, read_stored
from pulumi_gke_tpu.core.plan import read_plan_content
from pulumi_gke_tpu.core.rules import check_plan
from pulumi_gke_tpu.core.workflows.preview import preview_checked, preview_stored
from pulumi_gke_tpu.features.diff.comparison.change_report import change_findings, diff_pairs
from pulumi_gke_tpu.features.diff.output.comment import change_markdown
from pulumi_gke_tpu.features.diff.output.document import change_text
from pulumi_gke_tpu.features.diff.output.json import change_json, change_page_from_json
from pulumi_gke_tpu.features.plan.preview.json import preview_json

TODAY = datetime.date(2026, 11, 20)
CATALOG = read_catalog()
PLAN = """\
version: 1
project: acme-ml
clusters:
  train:
    mode: standard
    location: us-east5
    network: create
    slices:
      main: {tpu: v6e, topology: 4x4, zone: us-east5-b}
      other: {tpu: v6e, topology: 2x2, zone: us-east5-b, capacity: spot}
moved: [{from: train/x, to: train/main}]
"""


def preview(text: str) -> PlanPreview:
    return preview_checked(check_plan(read_plan_content(text.encode(), "plan.yaml"), CATALOG, TODAY), ())


STORED = json.loads(json.dumps(preview_json(preview(PLAN), resources=True)))
OTHER = preview(PLAN.replace("4x4", "4x8").replace("other:", "more:"))


def loaded(document: Any) -> PlanPreview:
    return preview_stored(read_stored(json.dumps(document).encode()), CATALOG, TODAY)


def compared(before: list[PlanPreview], after: list[PlanPreview]) -> None:
    """What `diff` does with two previews, and then `comment` with its JSON."""
    report = diff_pairs(pairs_of(before, after), CATALOG, today=TODAY)
    findings = change_findings(pairs_of(before, after), report, CATALOG, today=TODAY)
    page = page_of(report, [finding for some in findings.values() for finding in some])
    assert change_text(page, resources=True, width=80, color=False)
    written = json.dumps(change_json(page)).encode()
    assert change_markdown(change_page_from_json(written)) == change_markdown(page)


@given(odd_versions(STORED))
def test_an_odd_preview_is_refused_in_words_or_compared_whole(document: Any) -> None:
    before, refused = None, ""
    try:
        before = loaded(document)
    except StoredError as error:
        refused = str(error)
    assert refused.isprintable()
    if before is None:
        return
    compared([before], [OTHER])
    compared([OTHER], [before])
    compared([before], [])


def test_the_preview_itself_is_compared() -> None:
    compared([loaded(STORED)], [OTHER])


@pytest.mark.parametrize("stack", NAMES)
def test_what_is_stored_of_a_shipped_stack_is_compared_and_read_back(stack: str) -> None:
    shown = preview((STACKS / stack / "plan.yaml").read_text(encoding="utf-8"))
    before = loaded(json.loads(json.dumps(preview_json(shown, resources=True))))
    compared([before], [shown])
    compared([before], [OTHER])
    compared([], [before])


def changed(**values: Any) -> Any:
    """The stored preview with other values in its last resource."""
    document = json.loads(json.dumps(STORED))
    document["resources"][-1].update(values)
    return document


ODD = {
    "a URN that is none": changed(urn="x"),
    "a URN without a name": changed(urn="urn:pulumi:a::b::c"),
    "a parent that is not a URN": changed(parent="x"),
    "an alias without separators": changed(options={"aliases": ["urn:x"]}),
    "an alias that is not a string": changed(options={"aliases": [1]}),
    "a switch that is a text": changed(options={"protect": "true"}),
    "custom as a number": changed(custom=1),
    "a huge number": changed(inputs={"nodeCount": 10**401}),
    "a value that stands for none": changed(inputs={"network": {"$absent": True}}),
    "a resource twice": {**STORED, "resources": [*STORED["resources"], STORED["resources"][0]]},
    "deep inputs": changed(inputs={"nodeConfig": nested(100)}),
    "a deep plan": {**STORED, "written": nested(500)},
}


@pytest.mark.parametrize("document", ODD.values(), ids=ODD)
def test_what_no_version_has_written_is_refused(document: Any) -> None:
    with pytest.raises(StoredError) as caught:
        loaded(document)
    assert str(caught.value)


def test_a_short_alias_is_read() -> None:
    assert loaded(changed(options={"aliases": ["name=former, type=gcp:container/nodePool:NodePool"]}))
