"""Every edit of the corpus compared as graphs: its effect by item, and its failures."""

import pytest
from support.each import each
from support.editing import BASES, CREATE_FIRST, DELETE_FIRST, Edit, graph_after, graph_before
from support.edits import EDITS, UNCHANGED

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.features.diff.classification.compare import compare
from pulumi_gke_tpu.features.diff.model import CLASSES, ChangeClass, ResourceChange

ENOUGH = 60
FIRST = ("engine", "provider", "GKE")


def changes(edit: Edit) -> tuple[ResourceChange, ...]:
    catalog = read_catalog()
    return compare(graph_before(edit.base), graph_after(edit), catalog.provider, disks=catalog.disks.families)


def item(change: ResourceChange) -> str:
    """The item of the plan that a resource belongs to."""
    _, cluster, *group = change.plan_path.split(".")
    return "/".join((cluster, *group[1:]))


def classes(found: tuple[ResourceChange, ...]) -> dict[str, ChangeClass]:
    """The most dangerous of what happens to the resources of each item."""
    result: dict[str, ChangeClass] = {}
    for change in found:
        result[item(change)] = min(change.effect, result.get(item(change), "metadata"), key=CLASSES.index)
    return result


def operation(change: ResourceChange) -> str:
    if change.operation == "replace":
        return DELETE_FIRST if change.delete_first else CREATE_FIRST
    return change.operation


@pytest.mark.parametrize("edit", EDITS, ids=str)
def test_edit(edit: Edit) -> None:
    found = changes(edit)
    assert classes(found) == edit.classes
    assert next((word for word in FIRST if word in {change.refused_by for change in found}), "") == edit.refused
    operations = {f"{change.type.rsplit(':', 1)[1]} {change.name}": operation(change) for change in found}
    assert {name: operations.get(name, "same") for name in edit.ops} == edit.ops


@pytest.mark.parametrize("edit", UNCHANGED, ids=str)
def test_a_different_notation_is_not_a_change(edit: Edit) -> None:
    assert changes(edit) == ()


@each("edit", EDITS)
def test_every_change_says_why(edit: Edit) -> None:
    for change in changes(edit):
        assert bool(change.refused) == bool(change.refused_by)
        for difference in change.differences:
            assert difference.fact.text.endswith(".")
            assert difference.fact.source or difference.path.startswith(("protect", "customTimeouts"))


def test_there_are_enough_edits_and_names_tell_them_apart() -> None:
    assert len({str(edit) for edit in EDITS}) == len(EDITS) >= ENOUGH
    assert {edit.base for edit in EDITS} == set(BASES)
    assert {effect for edit in EDITS for effect in edit.classes.values()} == set(CLASSES)
