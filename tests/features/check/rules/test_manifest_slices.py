"""Pods of manifests against their slices: classes, leaders, tolerations, requests of capacity, and places of a plan."""

import pytest
from support.manifests import broken, findings_in

from pulumi_gke_tpu.core.rules.engine.examples import TWO_SLICES, manifest_files_of, plan_of, tpu_job, tpu_pod
from pulumi_gke_tpu.core.text.findings import Severity
from pulumi_gke_tpu.features.check.rules.alignment.sizes import workload_larger_than_slices
from pulumi_gke_tpu.features.check.rules.manifests.taints import missing_tpu_toleration
from pulumi_gke_tpu.features.check.rules.operators.examples import changed, compute_class, job_set
from pulumi_gke_tpu.features.check.rules.queueing.provisioning_requests import provisioning_request

ON_CLASS = tpu_job().replace(
    "        cloud.google.com/gke-nodepool: pretrain\n"
    "        cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice\n"
    "        cloud.google.com/gke-tpu-topology: 4x4\n",
    "        cloud.google.com/compute-class: v6e\n",
)
LEADER = """
apiVersion: leaderworkerset.x-k8s.io/v1
kind: LeaderWorkerSet
metadata:
  name: serve
  annotations: {leaderworkerset.sigs.k8s.io/exclusive-topology: cloud.google.com/gke-nodepool}
spec:
  leaderWorkerTemplate:
    size: 4
    leaderTemplate: {spec: {nodeSelector: LEADER, containers: CONTAINERS}}
    workerTemplate: {spec: {nodeSelector: WORKERS, containers: CONTAINERS}}
"""
CONTAINERS = "[{name: a, image: a, resources: {requests: {google.com/tpu: 4}, limits: {google.com/tpu: 4}}}]"


def selector(topology: str) -> str:
    return f"{{cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice, cloud.google.com/gke-tpu-topology: {topology}}}"


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


@pytest.mark.parametrize(("topology", "expected"), [("4x4", []), ("4x8", ["TPU769"])])
def test_a_leader_with_chips_is_on_the_slice_of_its_workers(topology: str, expected: list[str]) -> None:
    text = LEADER.replace("LEADER", selector(topology)).replace("WORKERS", selector("4x4"))
    assert broken(text.replace("CONTAINERS", CONTAINERS)) == expected


@pytest.mark.parametrize(
    ("toleration", "expected"),
    [
        ("{key: google.com/tpu, operator: Exists}", []),
        ("{key: google.com/tpu, value: present}", []),
        ("{key: google.com/tpu, operator: Equal, value: present, effect: NoSchedule}", []),
        ('{key: google.com/tpu, operator: Equal, value: "true"}', ["TPU731"]),
        ("{key: google.com/tpu}", ["TPU731"]),
        ("{key: google.com/tpu, operator: Exists, effect: NoExecute}", ["TPU731"]),
    ],
)
def test_a_toleration_counts_with_the_value_of_the_taint(toleration: str, expected: list[str]) -> None:
    text = missing_tpu_toleration.passing.replace("{key: google.com/tpu, operator: Exists}", toleration)
    assert broken(text + "\n") == expected


def test_gke_provisions_one_set_of_pods() -> None:
    entry = "{count: 4, podTemplateRef: {name: train}}"
    text = provisioning_request.passing.replace(f"[{entry}]", f"[{entry}, {entry}]")
    (finding,) = findings_in(text + "\n")
    assert (finding.rule, finding.path[-1]) == ("TPU385", 1)
    assert "2 sets of Pods" in finding.message


@pytest.mark.parametrize(
    ("label", "expected"),
    [
        ("topology.kubernetes.io/zone: us-east5-b", []),
        ("topology.kubernetes.io/region: us-east5", []),
        ("topology.kubernetes.io/zone: us-east5-a", ["TPU790"]),
        ("topology.kubernetes.io/region: us-central2", ["TPU790"]),
    ],
)
def test_zones_and_regions_that_pods_select_are_those_of_the_plan(label: str, expected: list[str]) -> None:
    plan = plan_of("main: {tpu: v6e, topology: 2x2, zone: us-east5-b}")
    assert broken(tpu_pod(selector=label), plan=plan) == expected


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


@pytest.mark.parametrize("name", ["slice", "leader"])
def test_a_job_of_a_job_set_leads_no_others_whatever_its_name(name: str) -> None:
    env = 'image: train\n                  env: [{name: TPU_WORKER_ID, value: "0"}]'
    assert broken(changed(job_set(), ("- name: slice", f"- name: {name}"), ("image: train", env))) == ["TPU738"]
