"""Rules about what keeps the Pods of a slice on the hosts of one node pool."""

import pytest
from support.manifest_texts import CLUSTER, ON_POOL, finding_of
from support.manifests import broken, findings_in

from pulumi_gke_tpu.core.text.findings import Severity
from pulumi_gke_tpu.features.check.manifest_check import ClusterMode
from pulumi_gke_tpu.features.check.rules.operators.examples import changed, job_set

GROUPS = """
mode: standard
location: us-east5
slices:
  train: {{tpu: v6e, topology: 4x4, zone: us-east5-b, count: {count}}}
  other: {{tpu: {other}, zone: us-east5-b, count: 3}}
"""


@pytest.mark.parametrize(
    ("topology", "mode", "severity"),
    [
        ("kubernetes.io/hostname", "standard", Severity.ERROR),
        ("topology.kubernetes.io/zone", "standard", Severity.WARNING),
        ("cloud.google.com/gke-nodepool", "autopilot", Severity.WARNING),
    ],
)
def test_how_sure_a_wrong_exclusive_topology_is(topology: str, mode: ClusterMode, severity: Severity) -> None:
    text = changed(job_set(), ("topology: cloud.google.com/gke-nodepool", f"topology: {topology}"))
    assert finding_of(text, "TPU763", mode=mode).severity is severity


def test_an_exclusive_topology_of_several_jobs_is_reported_once() -> None:
    text = changed(job_set(), ("topology: cloud.google.com/gke-nodepool", "topology: kubernetes.io/hostname"))
    second = text.partition("  replicatedJobs:\n")[2].replace("name: slice", "name: second")
    assert finding_of(text + second, "TPU763").position is not None


@pytest.mark.parametrize(
    ("count", "other", "expected"),
    [
        (1, "v6e, topology: 2x2", []),
        (1, "v6e, topology: 8x8", []),
        (2, "v6e, topology: 2x2", ["TPU764"]),
        (1, "v6e, topology: 4x4", ["TPU764"]),
    ],
)
def test_one_node_pool_of_the_plan_holds_a_slice_together(count: int, other: str, expected: list[str]) -> None:
    text = changed(job_set(), (ON_POOL, ""))
    plan = (
        CLUSTER
        + "    slices:\n"
        + GROUPS.format(count=count, other=other).partition("slices:\n")[2].replace("\n  ", "\n      ")
    )
    plan = plan.replace("slices:\n  train", "slices:\n      train")
    found = [item for item in findings_in(text, plan=plan) if item.rule == "TPU764"]
    assert [item.rule for item in found] == expected
    assert all(item.severity is Severity.WARNING for item in found)


def test_the_message_counts_the_node_pools_of_the_plan() -> None:
    plan = CLUSTER + "    slices:\n      train: {tpu: v6e, topology: 4x4, zone: us-east5-b, count: 3}\n"
    finding = finding_of(changed(job_set(), (ON_POOL, "")), "TPU764", plan=plan)
    assert finding.message.endswith("; 3 node pools of the plan can serve the slice")
    assert "plan" not in finding_of(changed(job_set(), (ON_POOL, "")), "TPU764").message


@pytest.mark.parametrize(
    "held",
    [
        "cloud.google.com/gke-nodepool: train-0",
        "acme.example/slice: one",
        "'{{ .Values.key }}': x",
    ],
)
def test_another_selector_can_hold_a_slice_together(held: str) -> None:
    text = changed(job_set(), (ON_POOL, ""), ("nodeSelector: {", f"nodeSelector: {{{held}, "))
    assert broken(text) == []


def test_an_affinity_holds_a_slice_together() -> None:
    term = "{topologyKey: cloud.google.com/gke-nodepool, labelSelector: {matchLabels: {slice: a}}}"
    affinity = f"affinity: {{podAffinity: {{requiredDuringSchedulingIgnoredDuringExecution: [{term}]}}}}"
    text = changed(
        job_set(), (ON_POOL, ""), ("restartPolicy: Never", f"restartPolicy: Never\n              {affinity}")
    )
    assert broken(text) == []
