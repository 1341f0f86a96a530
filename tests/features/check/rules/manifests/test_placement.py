"""Rules about pods of a slice on one node or in one pool, without an index, or on a slice that cannot be formed."""

import pytest
from support.manifest_texts import assert_found, job_set_with, with_replicas
from support.manifests import broken

from pulumi_gke_tpu.core.rules.engine.examples import tpu_job, tpu_pod
from pulumi_gke_tpu.core.text.findings import Severity

E, W, N = Severity.ERROR, Severity.WARNING, Severity.NOTE

COUNTS = "parallelism: 4\n          completions: 4"

FOUND = {
    # what holds a slice
    "a named node": (tpu_job(pod="subdomain: trainer\nnodeName: a"), "TPU744", E, "run on the node `a`"),
    "two slices in one pool": (
        job_set_with(COUNTS, selector="cloud.google.com/gke-nodepool: train"),
        "TPU744",
        E,
        "2 slices select 1 node pool",
    ),
    "a Deployment on several hosts": (with_replicas("Deployment", 4), "TPU745", W, "Deployment gives the Pods"),
}  # fmt: skip


@pytest.mark.parametrize("name", FOUND)
def test_a_mistake_is_found(name: str) -> None:
    assert_found(*FOUND[name])


def test_a_pool_with_one_host_per_slice_may_be_named() -> None:
    assert broken(tpu_pod(selector="cloud.google.com/gke-nodepool: a\nkubernetes.io/hostname: b")) == []


def test_a_live_pod_of_a_slice_has_a_node_and_a_number_of_its_own() -> None:
    """One of the Pods of four hosts, as ``kubectl get pods -o yaml`` writes them."""
    for selector in ("", "kubernetes.io/hostname: gke-train-0"):
        live = tpu_pod(
            topology="4x4",
            selector=selector,
            spec="nodeName: gke-train-0",
            container='env: [{name: TPU_WORKER_ID, value: "0"}]',
        )
        assert broken(live) == []
