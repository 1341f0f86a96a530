"""The cases of dynamic slicing that were observed: ``check`` reports those that do not run, and nothing else."""

import pytest
import yaml
from support.manifests import findings_in
from support.slices_of_cubes import CASES, EXCLUSIVE, by_hand, job_set, plan_of_cubes

from pulumi_gke_tpu.core.text.findings import Severity

PLAN = yaml.safe_dump(plan_of_cubes())
SLICE = "cloud.google.com/gke-tpu-slice"


def found(objects: list[object]) -> set[str]:
    findings = findings_in(yaml.safe_dump_all(objects), plan=PLAN)
    return {item.rule for item in findings if item.severity is not Severity.NOTE}


@pytest.mark.parametrize("case", CASES)
def test_check_reports_what_does_not_run(case: str) -> None:
    assert found([*CASES[case].queues, *CASES[case].workloads]) == CASES[case].rules


def test_each_case_that_does_not_run_has_a_finding() -> None:
    """Except for a workload that waits for its turn."""
    silent = [
        name for name, case in CASES.items() if any(state != "runs" for state, _ in case.outcomes) and not case.rules
    ]
    assert silent == ["quota of one cube"]


SLICES = {
    "as it runs": (by_hand("4x4x8", "a1", "a2"), set()),
    "a part": (by_hand("2x2x2", "a1"), set()),
    "too few partitions": (by_hand("4x4x8", "a1"), {"TPU881"}),
    "too many partitions": (by_hand("4x4x4", "a1", "a2"), {"TPU881"}),
    "a part of two partitions": (by_hand("2x2x4", "a1", "a2"), {"TPU881"}),
    "decreasing": (by_hand("8x4x4", "a1", "a2"), {"TPU881"}),
    "the same partition twice": (by_hand("4x4x8", "a1", "a1"), {"TPU881"}),
    "no multiple of 4": (by_hand("4x4x6", "a1", "a2"), {"TPU881"}),
    "two dimensions": (by_hand("4x4", "a1"), {"TPU881"}),
    "a name of 70 letters": (by_hand("4x4x4", "a1", name="s" * 70), {"TPU882"}),
    "no partitions": (by_hand("4x4x4"), {"TPU881"}),
    "four cubes in blocks of three": (by_hand("4x8x8", "a1", "a2", "a3", "a4"), {"TPU883"}),
}


@pytest.mark.parametrize("case", SLICES)
def test_slices_that_people_write(case: str) -> None:
    item, rules = SLICES[case]
    assert found([item]) == rules


def test_pods_without_a_queue_that_select_a_slice() -> None:
    workload = job_set("a", "4x4x8", queued=False, selector={SLICE: "by-hand"}, **{EXCLUSIVE: SLICE})
    assert found([by_hand("4x4x8", "a1", "a2"), workload]) == set()
    assert found([by_hand("4x4x4", "a1"), workload]) == {"TPU898"}
