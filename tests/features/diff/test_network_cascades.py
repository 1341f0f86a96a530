"""Resources that the engine deletes with another one only because of their option ``replace_on_changes``."""

from support.edited_reports import compared
from support.editing import Edit
from support.edits import EDITS

from pulumi_gke_tpu.features.diff.model import ResourceChange


def resources(edit: Edit) -> dict[str, ResourceChange]:
    return {
        f"{change.type.rsplit(':', 1)[1]} {change.name}": change
        for item in compared(edit).report.change.items
        for change in item.resources
    }


def test_a_nat_follows_its_subnetwork() -> None:
    (edit,) = (edit for edit in EDITS if edit.name == "smaller subnetwork")
    found = resources(edit)
    assert found["RouterNat train-east"].because_of == (found["Subnetwork train-east"].urn,)
    assert "Router train-east" not in found
