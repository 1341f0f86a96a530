"""Rules about CPU and memory that Pods on TPU hosts request."""

import pytest
from support.manifest_texts import plan_with
from support.manifests import broken

from pulumi_gke_tpu.features.check.rules.objects.requests import other_pods_take_tpu_host
from pulumi_gke_tpu.features.check.rules.operators.examples import changed

SMALL = other_pods_take_tpu_host.passing
SELECTOR = "{cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice, cloud.google.com/gke-tpu-topology: 4x4}"
BY_POOL = changed(SMALL, (SELECTOR, "{cloud.google.com/gke-nodepool: main-0}"))
PLAN = plan_with("tpu: v6e, topology: 4x4, count: 2")


@pytest.mark.parametrize(
    ("resources", "expected"),
    [
        ("{requests: {cpu: 45, memory: 4Gi}, limits: {memory: 4Gi}}", []),
        ("{requests: {cpu: 46, memory: 4Gi}, limits: {memory: 4Gi}}", ["TPU315"]),
        ("{requests: {memory: 180Gi}, limits: {memory: 180Gi}}", []),
        ("{requests: {memory: 181Gi}, limits: {memory: 181Gi}}", ["TPU315"]),
        ("{limits: {cpu: 46, memory: 4Gi}}", ["TPU315"]),
        ("{requests: {cpu: 1, memory: 4Gi}}", ["TPU315"]),
        ('{requests: {cpu: "${CPU}"}, limits: {memory: 1Gi}}', []),
        ('"${RESOURCES}"', []),
    ],
)
def test_other_pods_on_tpu_hosts_request_little_and_have_a_limit_of_memory(resources: str, expected: list[str]) -> None:
    """A host of v6e 4x4 has 180 vCPUs and 720 GiB; a Pod with the chips requests three quarters of them."""
    text = changed(SMALL, ("{requests: {cpu: 2, memory: 4Gi}, limits: {memory: 4Gi}}", resources))
    assert broken(text) == expected


@pytest.mark.parametrize("topology", ["", ", cloud.google.com/gke-tpu-topology: 4x4"])
def test_the_largest_host_of_the_accelerator_counts_if_no_topology_is_selected(topology: str) -> None:
    text = changed(SMALL, (", cloud.google.com/gke-tpu-topology: 4x4", topology), ("cpu: 2", "cpu: 100"))
    assert broken(text) == ["TPU315"]


def test_a_node_pool_of_the_plan_has_tpus() -> None:
    without = changed(
        BY_POOL, ("      tolerations: [{key: google.com/tpu, operator: Exists, effect: NoSchedule}]\n", "")
    )
    large = changed(BY_POOL, ("cpu: 2", "cpu: 100"))
    assert broken(without) == broken(large) == broken(BY_POOL, plan=PLAN) == []
    assert broken(without, plan=PLAN) == ["TPU727"]
    assert broken(large, plan=PLAN) == ["TPU315"]
    assert broken(changed(large, ("main-0", "heads")), plan=PLAN) == []


def test_a_daemon_set_is_on_every_node_by_intent() -> None:
    daemon_set = changed(SMALL, ("kind: Deployment", "kind: DaemonSet"), (", limits: {memory: 4Gi}", ""))
    assert broken(daemon_set) == []
