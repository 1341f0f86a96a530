"""Rules about Pathways."""

import pytest
from support.manifest_texts import CLUSTER, finding_of
from support.manifests import broken, findings_in

from pulumi_gke_tpu.features.check.rules.operators.examples import changed
from pulumi_gke_tpu.features.check.rules.operators.pathways import pathways_worker


def test_an_unlike_machine_type_has_no_fix() -> None:
    finding = finding_of(changed(pathways_worker.passing, ("ct6e-standard-4t", "zzz")), "TPU778")
    assert (finding.message, finding.fix) == ("unknown machine type `zzz`", "")


@pytest.mark.parametrize(
    ("machine", "expected"), [("n2-standard-48", ["TPU779"]), ("n2-standard-64", []), ("n2-standard-2", ["TPU779"])]
)
def test_the_system_pool_can_have_room_for_the_head(machine: str, expected: list[str]) -> None:
    slices = "    slices:\n      train: {tpu: v6e, topology: 4x4, zone: us-east5-b, count: 2}\n"
    plan = CLUSTER + f"    system_pool: {{machine_type: {machine}}}\n" + slices
    found = [item.rule for item in findings_in(pathways_worker.passing, plan=plan) if item.rule == "TPU779"]
    assert found == expected


def test_one_slice_is_enough_for_pathways() -> None:
    assert broken(changed(pathways_worker.passing, ("numSlices: 2", "numSlices: 1"))) == []
