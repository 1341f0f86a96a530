"""Every single edit of the corpus as Terraform plans it: the class of each cluster and node pool is that of ``diff``.

``tests/data/terraform/edits`` has what the real provider planned for the modules of ``export terraform`` before and
after. Where the classes differ, ``differences.yaml`` has the reason.
"""

import functools
import json
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
import yaml
from support.documents import ROOT
from support.editing import BASES, Edit, edited, graph_after, graph_before
from support.edits import EDITS
from support.plan_corpus import Source, catalog, source
from support.sampling import SELECTION, sample
from support.shipped import TODAY
from support.terraform.edits import FOLDER, edits_of, plans, recorded
from support.terraform.plans import compared_text

from pulumi_gke_tpu.core.graph.builders.standard import tpu_fleet
from pulumi_gke_tpu.core.graph.declared import Declarations
from pulumi_gke_tpu.core.graph.model import Graph
from pulumi_gke_tpu.core.graph.resource_types import CLUSTER, NODE_POOL
from pulumi_gke_tpu.features.diff.classification.compare import compare
from pulumi_gke_tpu.features.diff.model import CLASSES, ChangeReport
from pulumi_gke_tpu.features.diff.output.labels import is_renamed
from pulumi_gke_tpu.features.export.terraform.addresses import Addresses

SMALLEST, LARGEST = 280, 1_500_000
BY_NAME = {(edit.base, edit.name): edit for edit in EDITS}
Classes = Mapping[str, str]
"""Address -> class."""


def places(item: Source, graph: Graph) -> dict[str, str]:
    """Type and name of each cluster and node pool -> address."""
    found = Addresses(Declarations(tpu_fleet(item.fleet, catalog(), item.data, "export")), catalog())
    kept = (made for made in graph.resources if made.type in (CLUSTER, NODE_POOL))
    return {made.urn: found.address(f"{made.type}::{made.name}") for made in kept}


def of(name: str, plan: object) -> Source:
    found = source(name, plan, TODAY)
    assert found is not None
    return found


@functools.cache
def places_before(base: str) -> dict[str, str]:
    return places(of(base, BASES[base]()), graph_before(base))


def foretold(edit: Edit) -> Classes:
    """What ``diff`` says. A resource with another key but the same address is replaced in Terraform."""
    before, after = places_before(edit.base), places(of(str(edit), edited(edit)), graph_after(edit))
    found: dict[str, set[str]] = {}
    for change in compare(
        graph_before(edit.base), graph_after(edit), catalog().provider, disks=catalog().disks.families
    ):
        address = before.get(change.urn) if change.operation == "delete" else after.get(change.urn)
        if address is not None:
            found.setdefault(address, set()).add(change.effect)
    return {address: "replace" if len(classes) > 1 else classes.pop() for address, classes in found.items()}


@functools.cache
def reports(base: str) -> dict[str, ChangeReport]:
    """What ``diff --terraform`` says of each recorded plan."""
    recorded_plans = ((name, plan) for name, plan in plans(base) if name in tried(base))
    return {name: compared_text(json.dumps(plan)).report.change for name, plan in recorded_plans}


def shown(edit: Edit) -> Classes:
    """What ``diff --terraform`` says, without resources of which only the address changes."""
    return {item.item: item.change for item in reports(edit.base)[edit.name].items if not is_renamed(item)}


def tried(base: str) -> list[str]:
    """The names of the edits in the sample."""
    return sample(recorded(base)["edits"], 40, of=base)


def differing(base: str) -> Iterator[tuple[str, str]]:
    """Edit and address -> both classes, of those that are not equal."""
    for name in tried(base):
        edit = BY_NAME[base, name]
        one, two = foretold(edit), shown(edit)
        for address in sorted({*one, *two}):
            classes = one.get(address, "unchanged"), two.get(address, "unchanged")
            if classes[0] != classes[1]:
                yield f"{edit}: {address}", " -> ".join(classes)


@functools.cache
def rows() -> dict[str, str]:
    """Edit and address -> both classes, of the differences that have a reason."""
    return {row: classes for kind in kinds().values() for row, classes in kind["rows"].items()}


@functools.cache
def kinds() -> dict[str, Any]:
    found = yaml.safe_load((FOLDER / "differences.yaml").read_text("utf-8"))
    assert isinstance(found, dict)
    return found


@pytest.mark.parametrize("base", BASES)
def test_every_edit_that_the_provider_can_plan_is_recorded(base: str) -> None:
    assert recorded(base)["edits"].keys() == edits_of(base).keys()


def test_only_what_needs_the_beta_provider_is_missing() -> None:
    names = {str(BY_NAME[base, name]) for base in BASES for name in recorded(base)["edits"]}
    assert {str(edit) for edit in EDITS} - names == {
        "full: ML diagnostics on",
        "full: ML diagnostics off",
        "full: host maintenance",
        "policies: mode of the topology",
        "unprotected: static to dynamic slicing",
    }
    assert len(names) >= SMALLEST


@pytest.mark.parametrize("base", BASES)
def test_a_plan_of_terraform_has_the_classes_of_diff(base: str) -> None:
    """Also fails where a difference with a reason exists no longer."""
    edits = tuple(f"{BY_NAME[base, name]}: " for name in tried(base))
    expected = {row: classes for row, classes in rows().items() if row.startswith(edits)}
    assert dict(differing(base)) == expected


def test_every_kind_of_difference_has_a_reason_and_rows() -> None:
    assert all(kind["reason"].endswith(".") and kind["rows"] for kind in kinds().values())
    assert len(rows()) == sum(len(kind["rows"]) for kind in kinds().values())


def test_the_guide_names_every_kind_of_difference() -> None:
    text = (ROOT / "docs" / "terraform-plans.md").read_text("utf-8")
    assert [kind for kind in kinds() if f"\n| {kind} |" not in text] == []


def test_the_edits_have_every_class() -> None:
    found = {classes for base in BASES for name in tried(base) for classes in shown(BY_NAME[base, name]).values()}
    assert found <= set(CLASSES)
    assert found == set(CLASSES) or not SELECTION.everything


def test_the_recordings_are_small() -> None:
    assert sum(path.stat().st_size for path in FOLDER.iterdir()) < LARGEST
