"""Rules about what keeps the Pods of a slice on the hosts of one node pool."""

import math
import re
from typing import Any

import pytest
import yaml
from support.manifest_texts import CLUSTER, ON_POOL, finding_of
from support.manifests import broken, findings_in
from support.workload_plans import HEADS, TRAIN, checked, workload_plan

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.fleet.checked import CheckedPlan
from pulumi_gke_tpu.core.objects import ManifestFile
from pulumi_gke_tpu.core.text.findings import Finding, Severity
from pulumi_gke_tpu.features.check.manifest_check import ClusterMode, check_manifests
from pulumi_gke_tpu.features.check.rules.operators.examples import changed, job_set
from pulumi_gke_tpu.features.check.rules.operators.exclusive_placement import slice_without_own_pool
from pulumi_gke_tpu.features.workloads.manifests import manifests_of
from pulumi_gke_tpu.features.workloads.text import manifest_stream

TEAM = {"key": "team", "value": "a", "effect": "NO_SCHEDULE"}

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


def test_an_exclusive_topology_that_a_template_fills_in_is_accepted() -> None:
    text = changed(job_set(), ("topology: cloud.google.com/gke-nodepool", "topology: $TOPOLOGY"))
    assert "TPU763" not in broken(text)


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


@pytest.mark.parametrize(
    ("topology", "reported"),
    [("cloud.google.com/gke-nodepool", False), ("kubernetes.io/hostname", True), ("topology.kubernetes.io/zone", True)],
)
def test_an_affinity_in_a_zone_holds_no_slice_together(topology: str, reported: bool) -> None:
    term = f"{{topologyKey: {topology}, labelSelector: {{matchLabels: {{slice: a}}}}}}"
    affinity = f"affinity: {{podAffinity: {{requiredDuringSchedulingIgnoredDuringExecution: [{term}]}}}}"
    text = changed(
        job_set(), (ON_POOL, ""), ("restartPolicy: Never", f"restartPolicy: Never\n              {affinity}")
    )
    assert ("TPU764" in broken(text)) is reported


@pytest.mark.parametrize(
    ("annotation", "reported"),
    [
        ("kueue.x-k8s.io/podset-required-topology: cloud.google.com/gce-topology-block", False),
        ("kueue.x-k8s.io/podset-preferred-topology: cloud.google.com/gce-topology-block", True),
        ("acme.example/topology-owner: research", True),
    ],
)
def test_only_annotations_that_place_a_slice_hold_it_together(annotation: str, reported: bool) -> None:
    text = changed(
        job_set(),
        (ON_POOL, ""),
        ("          template:\n", f"          template:\n            metadata: {{annotations: {{{annotation}}}}}\n"),
    )
    assert ("TPU764" in broken(text)) is reported


@pytest.mark.parametrize(("scheduler", "reported"), [("default-scheduler", True), ("gang-scheduler", False)])
def test_only_another_scheduler_can_hold_a_slice_together(scheduler: str, reported: bool) -> None:
    """The API server adds the name of the usual one."""
    text = changed(
        job_set(), (ON_POOL, ""), ("restartPolicy:", f"schedulerName: {scheduler}\n              restartPolicy:")
    )
    assert ("TPU764" in broken(text)) is reported


def findings_of(text: str, plan: CheckedPlan) -> tuple[Finding, ...]:
    """The findings in the objects that were written for a plan."""
    return check_manifests([ManifestFile("a.yaml", text.encode())], read_catalog(), plan)


@pytest.mark.parametrize(
    "slices",
    [
        {"train": {**TRAIN, "count": 3}},
        {"train": {**TRAIN, "count": 2}, "other": TRAIN},
        {"train": {**TRAIN, "count": 2, "node_labels": {"team": "a"}}, "other": {**TRAIN, "taints": [TEAM]}},
        {
            "train": {**TRAIN, "count": 2, "node_labels": {"team": "a"}},
            "other": {**TRAIN, "node_labels": {"team": "b"}},
        },
    ],
    ids=["one group", "two groups", "a taint", "labels"],
)
@pytest.mark.parametrize("kind", ["jobset", "leaderworkerset", "pathways"])
def test_a_removed_annotation_is_reported_wherever_slices_can_mix(kind: str, slices: dict[str, Any]) -> None:
    """Affinity to the several node pools of a group, or a label that they share, holds no slice together."""
    head = {"scratch": "gs://b/t", "command": ["x"]} if kind == "pathways" else {}
    plan = workload_plan(
        slices, {"w": {"slices": "train", "kind": kind, "count": 1, **head}}, cpu_pools={"heads": HEADS}
    )
    result = checked(plan)
    (cluster,) = manifests_of(result)
    text = manifest_stream(cluster.manifests)
    assert [item for item in findings_of(text, result) if item.rule == "TPU764"] == []
    without = re.sub(r"\n *annotations:\n *\S+/exclusive-topology: \S+", "", text)
    assert without != text
    (finding,) = [item for item in findings_of(without, result) if item.rule == "TPU764"]
    assert finding.severity is Severity.WARNING


@pytest.mark.parametrize(
    ("maker", "annotation", "expected"),
    [
        ("jobset.x-k8s.io/v1alpha2", "alpha.jobset.sigs.k8s.io/exclusive-topology", []),
        ("jobset.x-k8s.io/v1alpha2", "acme.example/other", ["TPU764"]),
        ("acme.example/v1", "alpha.jobset.sigs.k8s.io/exclusive-topology", ["TPU764"]),
    ],
)
@pytest.mark.parametrize("beside", ["", job_set()])
def test_a_job_of_a_job_set_has_its_exclusive_topology(
    maker: str, annotation: str, expected: list[str], beside: str
) -> None:
    written = f"annotations: {{{annotation}: cloud.google.com/gke-nodepool}}"
    owner = f"ownerReferences: [{{apiVersion: {maker}, kind: JobSet, name: train, uid: '1', controller: true}}]"
    text = changed(
        slice_without_own_pool.failing,
        ("metadata: {name: train}", f"metadata: {{name: train-slice-0, {written}, {owner}}}"),
        ("  template:\n    spec:", f"  template:\n    metadata: {{{written}}}\n    spec:"),
    )
    plan = CLUSTER + "    slices:\n      train: {tpu: v6e, topology: 4x4, zone: us-east5-b, count: 2}\n"
    found = findings_in(f"{text}\n---{beside}" if beside else text, plan=plan)
    assert [each.rule for each in found if each.rule == "TPU764"] == expected


def by_hand(kind: str, topology: str = "4x4x4", slices: int = 2, domain: str = "", queue: str = "") -> str:
    """Slices that people form, and a workload that selects their topology and states no queue."""
    hosts = math.prod(map(int, topology.split("x"))) // 4
    made = [
        {
            "apiVersion": "accelerator.gke.io/v1beta1",
            "kind": "Slice",
            "metadata": {"name": f"train-{index}"},
            "spec": {"type": "tpu7x", "topology": topology, "partitionIds": [f"p-{index}"]},
        }
        for index in range(slices)
    ]
    (owner,) = yaml.safe_load_all(WORKLOADS[kind].replace("TOPOLOGY", topology).replace("HOSTS", str(hosts)))
    if domain:
        prefix = "leaderworkerset" if kind == "LeaderWorkerSet" else "alpha.jobset"
        owner["metadata"]["annotations"] = {f"{prefix}.sigs.k8s.io/exclusive-topology": domain}
    if queue:
        owner["metadata"]["labels"] = {"kueue.x-k8s.io/queue-name": queue}
    return yaml.safe_dump_all([*made, owner])


_POD = """
    metadata: {annotations: {cloud.google.com/gke-tpu-slice-topology: TOPOLOGY}}
    spec:
      nodeSelector: {cloud.google.com/gke-tpu-accelerator: tpu7x, cloud.google.com/gke-tpu-topology: TOPOLOGY}
      tolerations: [{key: google.com/tpu, operator: Exists, effect: NoSchedule}]
      containers: [{name: train, image: 'train:8', resources: {limits: {google.com/tpu: 4}}}]
"""
_MODE = _POD.replace(
    "nodeSelector: {", "nodeSelector: {cloud.google.com/gke-accelerator-topology-mode: PROVISION_ONLY, "
)
_JOB_SET = """
apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata: {name: train}
spec:
  replicatedJobs:
  - name: slice
    replicas: 2
    template: {spec: {parallelism: HOSTS, completions: HOSTS, backoffLimit: 0, template: POD}}
"""
_GROUPS = """
apiVersion: leaderworkerset.x-k8s.io/v1
kind: LeaderWorkerSet
metadata: {name: serve}
spec: {replicas: 2, leaderWorkerTemplate: {size: HOSTS, workerTemplate: POD}}
"""


def _with_pod(text: str, pod: str) -> str:
    return text.replace("POD", yaml.safe_dump(yaml.safe_load(pod), default_flow_style=True, width=2000).strip())


WORKLOADS = {
    "JobSet": _with_pod(_JOB_SET, _POD),
    "JobSet with the mode": _with_pod(_JOB_SET, _MODE),
    "JobSet without the annotation": _with_pod(_JOB_SET, _POD[_POD.index("    spec:") :]),
    "LeaderWorkerSet": _with_pod(_GROUPS, _POD),
}


def held(text: str) -> list[tuple[Severity, str]]:
    return [(item.severity, item.message) for item in findings_in(text) if item.rule == "TPU764"]


@pytest.mark.parametrize("kind", WORKLOADS)
def test_pods_on_several_slices_that_people_form_need_exclusive_topology(kind: str) -> None:
    """Nodes of both slices have the topology that the Pods select."""
    (found,) = held(by_hand(kind))
    assert found[0] is Severity.WARNING
    assert found[1].startswith("nothing keeps the Pods of ")
    assert "on one slice: " in found[1]
    assert found[1].endswith("; 2 Slices have the topology 4x4x4")
    for domain in ("cloud.google.com/gke-tpu-slice", "cloud.google.com/gke-nodepool"):
        assert held(by_hand(kind, domain=domain)) == []
    assert held(by_hand(kind, slices=1)) == []


@pytest.mark.parametrize("kind", WORKLOADS)
def test_a_node_pool_does_not_keep_parts_of_a_cube_apart(kind: str) -> None:
    (found,) = held(by_hand(kind, "2x2x2", domain="cloud.google.com/gke-nodepool"))
    assert "a node pool has several slices of a part of a cube; 2 Slices have the topology 2x2x2" in found[1]
    assert held(by_hand(kind, "2x2x2", domain="cloud.google.com/gke-tpu-slice")) == []
    assert held(by_hand(kind, "2x2x2", slices=1, domain="cloud.google.com/gke-nodepool")) == []


@pytest.mark.parametrize("kind", [kind for kind in WORKLOADS if "without" not in kind])
def test_kueue_keeps_queued_pods_of_cubes_on_one_slice(kind: str) -> None:
    assert held(by_hand(kind, queue="research")) == []


def test_slices_of_the_plan_are_counted_once() -> None:
    of = yaml.safe_load(CLUSTER)
    (cluster,) = of["clusters"].values()
    cubes = {"tpu": "tpu7x", "slicing": "dynamic", "count": 2, "zone": "us-central1-c"}
    cluster |= {"location": "us-central1", "network": {"create": {"mtu": 8896}}}
    cluster["slices"] = {"cubes": {**cubes, "capacity": {"reservation": {"name": "r", "block": "b"}}}}
    train = {"slices": "cubes", "count": 2, "topology": "4x4x4", "image": "train", "partitions": [["p-0"], ["p-1"]]}
    cluster["kubernetes"] = {"operators": {"jobset": {}}, "workloads": {"train": train}}
    finding = finding_of(by_hand("JobSet"), "TPU764", plan=yaml.safe_dump(of))
    assert finding.message.endswith("; 2 Slices have the topology 4x4x4")
