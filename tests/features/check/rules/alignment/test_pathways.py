"""Rules about PathwaysJobs and the slice groups of a plan."""

import pytest
from support.manifest_texts import PATHWAYS, PATHWAYS_PLAN
from support.manifests import broken

from pulumi_gke_tpu.core.rules.engine.examples import OTHER, TWO_SLICES, plan_of
from pulumi_gke_tpu.features.check.rules.alignment.sizes import update_without_spare_slice
from pulumi_gke_tpu.features.check.rules.operators.examples import changed

SERVER = update_without_spare_slice.failing.partition("--- plan\n")[0]

SURGE = "{maxSurge: 1, maxUnavailable: 0}"


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (("numSlices: 3", "numSlices: 2"), []),
        (("numSlices: 3", "numSlices: $SLICES"), []),
        (("topology: 4x4", "topology: 8x8"), ["TPU396"]),
        (("topology: 4x4", "topology: $TOPOLOGY"), []),
        (("numSlices: 3", "numSlices: 0"), ["TPU778"]),
    ],
)
def test_a_pathways_job_is_compared_with_the_slice_groups(change: tuple[str, str], expected: list[str]) -> None:
    assert broken(changed(PATHWAYS, change), plan=PATHWAYS_PLAN) == expected


def test_the_slices_of_a_pathways_job_are_not_reported_as_unused() -> None:
    plan = PATHWAYS_PLAN.rstrip("\n") + f"\n      {OTHER}\n"
    job = changed(PATHWAYS, ("numSlices: 3", "numSlices: 2"))
    text = f"{job}---\n{changed(SERVER, (SURGE, '{maxSurge: 0}'))}"
    assert broken(text, plan=plan) == []


def test_autopilot_creates_the_slices_of_a_pathways_job() -> None:
    plan = plan_of(TWO_SLICES).replace("mode: standard", "mode: autopilot")
    assert "TPU396" not in broken(PATHWAYS, plan=plan)
