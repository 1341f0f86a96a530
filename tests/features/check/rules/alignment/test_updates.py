"""Rules about updates that need more slices than the plan has."""

import pytest
from support.manifests import broken

from pulumi_gke_tpu.core.rules.engine.examples import OTHER, TWO_SLICES, plan_of
from pulumi_gke_tpu.features.check.rules.alignment.updates import update_without_spare_slice
from pulumi_gke_tpu.features.check.rules.operators.examples import changed

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
