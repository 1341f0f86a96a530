"""Rules about the number of pods and the hosts of a slice."""

import pytest
from support.manifest_texts import assert_found, with_replicas
from support.manifests import broken

from pulumi_gke_tpu.core.rules.engine.examples import tpu_job
from pulumi_gke_tpu.core.text.findings import Severity
from pulumi_gke_tpu.features.check.rules.operators.examples import compute_class

E, W, N = Severity.ERROR, Severity.WARNING, Severity.NOTE

FOUND = {
    # hosts
    "one pod per slice instead of host": (
        tpu_job(job="completionMode: Indexed\nparallelism: 1\ncompletions: 1"),
        "TPU728",
        E,
        "`parallelism` is 1, and a slice of v6e 4x4 has 4 hosts of 4 chips",
    ),
    "more completions than pods": (
        tpu_job(job="completionMode: Indexed\nparallelism: 4\ncompletions: 8"),
        "TPU728",
        E,
        "`completions` is 8",
    ),
    "a StatefulSet with too few replicas": (with_replicas("StatefulSet", 3), "TPU728", E, "3 replicas"),
}  # fmt: skip


@pytest.mark.parametrize("name", FOUND)
def test_a_mistake_is_found(name: str) -> None:
    assert_found(*FOUND[name])


@pytest.mark.parametrize("replicas", [4, 8])
def test_a_stateful_set_of_whole_slices_matches_its_hosts(replicas: int) -> None:
    assert broken(with_replicas("StatefulSet", replicas)) == []


def test_a_suspended_job_or_one_without_replicas_is_not_reported() -> None:
    assert broken(tpu_job(job="completionMode: Indexed\nparallelism: 0")) == []
    assert broken(with_replicas("StatefulSet", 0)) == []


ON_CLASS = tpu_job().replace(
    "        cloud.google.com/gke-nodepool: pretrain\n"
    "        cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice\n"
    "        cloud.google.com/gke-tpu-topology: 4x4\n",
    "        cloud.google.com/compute-class: v6e\n",
)


def test_pods_of_a_class_are_checked_by_its_slices() -> None:
    text = ON_CLASS + "---" + compute_class()
    assert broken(text) == []
    assert broken(text.replace("parallelism: 4", "parallelism: 2").replace("completions: 4", "completions: 2")) == [
        "TPU728"
    ]
    assert broken(text.replace("google.com/tpu: 4", "google.com/tpu: 8")) == ["TPU726"]


def test_the_slices_of_a_class_with_several_topologies_are_unknown() -> None:
    other = compute_class("", "spot: true").replace("topology: 4x4", "topology: 2x2", 1)
    assert broken(ON_CLASS.replace("parallelism: 4", "parallelism: 2") + "---" + other) == []
