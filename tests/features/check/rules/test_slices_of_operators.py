"""What operators create beyond the slices of a plan: Ray, Pathways, updates, and Jobs that share a slice."""

import pytest
from support.manifests import broken, findings_in

from pulumi_gke_tpu.core.rules.engine.examples import OTHER, TWO_SLICES, plan_of
from pulumi_gke_tpu.core.text.findings import Severity
from pulumi_gke_tpu.features.check.rules.alignment.pathways import pathways_job_larger_than_slices
from pulumi_gke_tpu.features.check.rules.alignment.updates import update_without_spare_slice
from pulumi_gke_tpu.features.check.rules.operators.examples import changed, job_set, ray_cluster

SINGLE = plan_of(OTHER.replace("other", "main"))
PATHWAYS, _, PATHWAYS_PLAN = pathways_job_larger_than_slices.failing.partition("--- plan\n")
SERVER = update_without_spare_slice.failing.partition("--- plan\n")[0]
SURGE = "{maxSurge: 1, maxUnavailable: 0}"


def ray(limit: object, *, scales: bool) -> str:
    return changed(
        ray_cluster(),
        ("maxReplicas: 2", f"maxReplicas: {limit}"),
        ("spec:\n  headGroupSpec", f"spec:\n  enableInTreeAutoscaling: {str(scales).lower()}\n  headGroupSpec"),
    )


def with_ray(plan: str) -> str:
    return plan.replace("    slices:\n", "    addons: [ray_operator]\n    slices:\n")


@pytest.mark.parametrize(("limit", "scales", "expected"), [(5, True, ["TPU382"]), (5, False, []), (1, True, [])])
def test_a_ray_cluster_must_not_grow_beyond_the_plan(limit: int, scales: bool, expected: list[str]) -> None:
    assert broken(ray(limit, scales=scales), plan=with_ray(SINGLE)) == expected


def test_the_maximum_of_a_ray_cluster_has_the_slices_of_the_plan_as_its_fix() -> None:
    (finding,) = findings_in(ray(5, scales=True), plan=with_ray(SINGLE))
    assert (finding.severity, finding.path[-1], finding.fix) == (Severity.WARNING, "maxReplicas", "maxReplicas: 1")


def test_a_maximum_that_a_template_fills_in_is_accepted() -> None:
    assert broken(ray("$MOST", scales=True), plan=with_ray(SINGLE)) == []


# Pathways


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


def test_workers_of_a_wrong_type_are_compared_with_no_slice_group() -> None:
    wrong = changed(PATHWAYS, ("type: ct6e-standard-4t, topology: 4x4", "type: [ct6e-standard-4t], topology: {}"))
    text = f"{wrong}---\n{changed(SERVER, (SURGE, '{maxSurge: 0}'))}"
    assert set(broken(text, plan=plan_of(OTHER))) == {"TPU368", "TPU779"}


def test_autopilot_creates_the_slices_of_a_pathways_job() -> None:
    plan = plan_of(TWO_SLICES).replace("mode: standard", "mode: autopilot")
    assert "TPU396" not in broken(PATHWAYS, plan=plan)


# Updates


@pytest.mark.parametrize(
    ("update", "expected"),
    [
        ("{maxSurge: 1, maxUnavailable: 0}", ["TPU397"]),
        ("{maxSurge: 25%, maxUnavailable: 25%}", ["TPU397"]),
        ("{}", ["TPU397"]),
        ("{maxSurge: 1, maxUnavailable: 1}", []),
        ("{maxSurge: 0, maxUnavailable: 1}", []),
        ("{maxSurge: 0%}", []),
        ("{maxSurge: 1, maxUnavailable: 100%}", []),
        ("{maxSurge: $SURGE}", []),
        ("{maxSurge: 1, maxUnavailable: -1}", ["TPU368"]),
    ],
)
def test_a_deployment_that_waits_for_new_pods_needs_a_spare_slice(update: str, expected: list[str]) -> None:
    assert broken(changed(SERVER, (SURGE, update)), plan=plan_of(OTHER)) == expected


def test_a_spare_slice_is_enough_for_an_update() -> None:
    assert broken(SERVER, plan=plan_of(OTHER.replace("}", ", count: 2}"))) == []


def test_no_plan_means_no_comparison_of_updates() -> None:
    assert broken(SERVER) == []


GROUPS = """
apiVersion: leaderworkerset.x-k8s.io/v1
kind: LeaderWorkerSet
metadata:
  name: serve
  annotations: {leaderworkerset.sigs.k8s.io/exclusive-topology: cloud.google.com/gke-nodepool}
spec:
  replicas: 2
  rolloutStrategy: {rollingUpdateConfiguration: {maxSurge: 1, maxUnavailable: 1}}
  leaderWorkerTemplate:
    size: 4
    workerTemplate:
      spec:
        nodeSelector: {cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice, cloud.google.com/gke-tpu-topology: 4x4}
        containers:
          - name: server
            image: server
            resources: {requests: {google.com/tpu: 4}, limits: {google.com/tpu: 4}}
"""


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (("maxSurge: 1", "maxSurge: 1"), ["TPU397"]),
        (("maxSurge: 1", "maxSurge: 0"), []),
        (("replicas: 2", "replicas: 1"), []),
        (("replicas: 2", "replicas: 3"), ["TPU382"]),
        (("maxSurge: 1, ", ""), []),
    ],
)
def test_a_group_that_an_update_adds_needs_a_slice(change: tuple[str, str], expected: list[str]) -> None:
    assert broken(changed(GROUPS, change), plan=plan_of(TWO_SLICES)) == expected


# Jobs that share a slice


@pytest.mark.parametrize(("jobs", "severity"), [(4, Severity.WARNING), (8, Severity.WARNING), (3, Severity.ERROR)])
def test_jobs_with_one_pod_for_each_host_of_whole_slices_are_a_warning(jobs: int, severity: Severity) -> None:
    text = changed(
        job_set(),
        ("parallelism: 4", "parallelism: 1"),
        ("completions: 4", "completions: 1"),
        ("replicas: 1", f"replicas: {jobs}"),
    )
    assert {(item.rule, item.severity) for item in findings_in(text)} == {("TPU760", severity)}
