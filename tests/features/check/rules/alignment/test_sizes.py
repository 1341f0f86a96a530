"""Rules about how many slices workloads and their updates need, and what they select."""

import pytest
from support.manifests import broken, findings_in
from support.slice_texts import CONTAINERS, LEADER, selector

from pulumi_gke_tpu.core.rules.engine.examples import OTHER, TWO_SLICES, manifest_files_of, plan_of, tpu_pod
from pulumi_gke_tpu.core.text.findings import Severity
from pulumi_gke_tpu.features.check.rules.alignment.sizes import update_without_spare_slice, workload_larger_than_slices
from pulumi_gke_tpu.features.check.rules.operators.examples import changed, ray_cluster

SINGLE = plan_of(OTHER.replace("other", "main"))


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


def test_replicas_that_serve_independently_are_a_warning() -> None:
    pods = tpu_pod(topology="2x2").partition("spec:\n")[2].replace("\n", "\n    ")
    text = (
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: serve}\nspec:\n  replicas: 3\n"
        "  strategy: {type: Recreate}\n"
        "  selector: {matchLabels: {app: a}}\n  template:\n    metadata: {labels: {app: a}}\n    spec:\n    "
    )
    plan = plan_of("main: {tpu: v6e, topology: 2x2, zone: us-east5-b, count: 2}")
    (finding,) = findings_in(text + pods.rstrip() + "\n", plan=plan)
    assert (finding.rule, finding.severity) == ("TPU382", Severity.WARNING)
    assert findings_in((text + pods.rstrip() + "\n").replace("replicas: 3", "replicas: 2"), plan=plan) == ()


def test_slices_of_a_job_set_above_the_plan_are_an_error_at_its_replicas() -> None:
    files = manifest_files_of(workload_larger_than_slices.failing)
    (finding,) = findings_in(files.manifests, plan=plan_of(TWO_SLICES))
    assert (finding.rule, finding.severity, finding.path[-1]) == ("TPU382", Severity.ERROR, "replicas")


def test_groups_above_the_plan_are_reported_at_the_replicas_of_the_object() -> None:
    """The groups of a LeaderWorkerSet are counted beside the template of a group, not in it."""
    text = LEADER.replace("spec:\n  leader", "spec:\n  replicas: 3\n  leader").replace("CONTAINERS", CONTAINERS)
    text = text.replace("LEADER", selector("4x4")).replace("WORKERS", selector("4x4"))
    (finding,) = findings_in(text, plan=plan_of(TWO_SLICES))
    assert (finding.rule, finding.path) == ("TPU382", ("spec", "replicas"))


SERVER = update_without_spare_slice.failing.partition("--- plan\n")[0]

SURGE = "{maxSurge: 1, maxUnavailable: 0}"


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
