"""How workloads end: deadlines, exit codes, deletion. What JobSet and Job do with the rules is computed here."""

import re
from typing import Any

import pytest
from support.workload_plans import HEADS, TRAIN, objects_of, workload_plan

SINGLE = {"tpu": "v6e", "topology": "2x2", "zone": "us-east5-b"}
SPLIT = {"tpu": "tpu7x", "topology": "2x2x1", "zone": "us-central1-c"}


def first(kind: str, slices: dict[str, Any] | None = None, /, *, cluster: Any = None, **workload: Any) -> Any:
    """The specification of the object of a workload."""
    workloads = {"w": {"slices": "train", "kind": kind, **workload}}
    plan = workload_plan({"train": slices or TRAIN}, workloads, cpu_pools={"heads": HEADS}, **(cluster or {}))
    return objects_of(plan, "workloads")[0]["spec"]


def jobs(spec: Any) -> dict[str, Any]:
    """The specifications of the Jobs, by the name of the replicated Job."""
    return {item["name"]: item["template"]["spec"] for item in spec.get("replicatedJobs", [])} or {"": spec}


def reaction(job: dict[str, Any], *, code: int = 0, disrupted: bool = False, container: str = "tpu") -> tuple[str, str]:
    """What the Job controller does with a failed Pod, and its message: the first rule that matches decides."""
    for index, rule in enumerate(job["podFailurePolicy"]["rules"]):
        if "onPodConditions" in rule and disrupted:
            return rule[
                "action"
            ], f"Pod a/b has condition DisruptionTarget matching {rule['action']} rule at index {index}"
        codes = rule.get("onExitCodes", {})
        if (
            code
            and codes.get("containerName") == container
            and (code in codes["values"]) == (codes["operator"] == "In")
        ):
            name = f"Container {container} for pod a/b failed with exit code {code}"
            return rule["action"], f"{name} matching {rule['action']} rule at index {index}"
    return "Count", ""


def answer(spec: Any, reason: str, message: str = "") -> str:
    """What JobSet does when a Job fails: the first rule that matches decides, otherwise it restarts."""
    for rule in spec["failurePolicy"]["rules"]:
        patterns = rule.get("onJobFailureMessagePatterns")
        if reason in rule["onJobFailureReasons"] and (
            not patterns or any(re.fullmatch(pattern, message) for pattern in patterns)
        ):
            return str(rule["action"])
    return "RestartJobSet"


def outcome(spec: Any, job: dict[str, Any], **event: Any) -> str:
    """What becomes of a JobSet when a Pod fails; its Jobs fail with their first failed Pod."""
    assert job["backoffLimit"] == 0
    action, message = reaction(job, **event)
    return answer(spec, "PodFailurePolicy" if action == "FailJob" else "BackoffLimitExceeded", message)


UNCOUNTED, COUNTED, END = "RestartJobSetAndIgnoreMaxRestarts", "RestartJobSet", "FailJobSet"


@pytest.mark.parametrize(("kind", "job", "container"), [("jobset", "slice", "tpu"), ("pathways", "head", "program")])
@pytest.mark.parametrize(
    ("codes", "restarts", "ends"),
    [({"restart": [42, 7]}, (7, 42), (1, 137)), ({"fail": [2, 1]}, (7, 42, 137), (1, 2))],
)
def test_exit_codes_decide_whether_all_slices_start_again(
    kind: str, job: str, container: str, codes: dict[str, Any], restarts: tuple[int, ...], ends: tuple[int, ...]
) -> None:
    spec = first(kind, max_restarts=3, exit_codes=codes)
    found = jobs(spec)[job]
    assert {outcome(spec, found, code=code, container=container) for code in restarts} == {COUNTED}
    assert {outcome(spec, found, code=code, container=container) for code in ends} == {END}


@pytest.mark.parametrize("codes", [None, {"restart": [42]}, {"fail": [143]}])
@pytest.mark.parametrize(("kind", "job"), [("jobset", "slice"), ("pathways", "head")])
def test_a_disruption_restarts_without_being_counted_whatever_the_exit_code(kind: str, job: str, codes: Any) -> None:
    spec = first(kind, max_restarts=3, exit_codes=codes)
    assert outcome(spec, jobs(spec)[job], code=143, disrupted=True) == UNCOUNTED


@pytest.mark.parametrize("codes", [{"restart": [42]}, {"fail": [1]}])
def test_a_job_ignores_disruptions_and_fails_by_exit_code(codes: Any) -> None:
    spec = first("job", SINGLE, max_restarts=3, exit_codes=codes)
    assert spec["backoffLimit"] == 3
    assert reaction(spec, code=1, disrupted=True)[0] == "Ignore"
    assert reaction(spec, code=1)[0] == "FailJob"
    assert reaction(spec, code=42)[0] == "Count"


def test_exit_codes_of_each_container_of_a_host_count() -> None:
    cluster = {"location": "us-central1"}
    spec = first("job", SPLIT, cluster=cluster, max_restarts=1, containers=2, exit_codes={"fail": [3]})
    assert [reaction(spec, code=3, container=name)[0] for name in ("tpu-0", "tpu-1")] == ["FailJob", "FailJob"]
    assert reaction(spec, code=3, container="sidecar")[0] == "Count"


def test_kubernetes_requires_sorted_exit_codes() -> None:
    spec = first("job", SINGLE, max_restarts=1, exit_codes={"restart": [42, 7, 100]})
    assert spec["podFailurePolicy"]["rules"][1]["onExitCodes"]["values"] == [7, 42, 100]


@pytest.mark.parametrize(("kind", "job"), [("jobset", "slice"), ("pathways", "head")])
def test_a_jobset_ends_at_its_deadline_and_does_not_start_again(kind: str, job: str) -> None:
    spec = first(kind, max_restarts=3, deadline="2d")
    assert jobs(spec)[job]["activeDeadlineSeconds"] == 172800
    assert answer(spec, "DeadlineExceeded") == END
    assert answer(spec, "BackoffLimitExceeded") == COUNTED


def test_the_workers_of_pathways_have_no_deadline_of_their_own() -> None:
    assert "activeDeadlineSeconds" not in jobs(first("pathways", deadline="2d"))["worker"]


@pytest.mark.parametrize("kind", ["job", "rayjob"])
def test_a_job_ends_at_its_deadline(kind: str) -> None:
    assert first(kind, SINGLE, deadline="90m")["activeDeadlineSeconds"] == 5400


@pytest.mark.parametrize(("ttl", "seconds"), [("1h", 3600), ("0s", 0)])
@pytest.mark.parametrize("kind", ["job", "jobset", "pathways"])
def test_a_workload_is_deleted_some_time_after_its_end(kind: str, ttl: str, seconds: int) -> None:
    spec = first(kind, SINGLE, ttl=ttl)
    assert spec["ttlSecondsAfterFinished"] == seconds
    assert all("ttlSecondsAfterFinished" not in job for job in jobs(spec).values() if job is not spec)


@pytest.mark.parametrize("kind", ["job", "jobset", "pathways", "rayjob"])
def test_nothing_ends_a_workload_without_these_keys(kind: str) -> None:
    spec = first(kind, SINGLE)
    for each in (spec, *jobs(spec).values()):
        assert not {"activeDeadlineSeconds", "ttlSecondsAfterFinished"} & each.keys()
