"""Rules about the pods of manifests and the slice groups of a plan."""

import pytest
from support.manifest_texts import found_beside, plan_with
from support.manifests import broken

from pulumi_gke_tpu.core.rules.engine.examples import OTHER, TWO_SLICES, plan_of, tpu_job, tpu_pod
from pulumi_gke_tpu.core.text.findings import Severity
from pulumi_gke_tpu.features.check.rules.operators.examples import changed, queues

PLAN = plan_of(OTHER)
QUEUED = plan_with("tpu: v6e, topology: 2x2, count: {min: 0, max: 2}, capacity: queued")
QUEUED_TAINT = "{key: cloud.google.com/gke-queued, operator: Exists, effect: NoSchedule}"
FLAVOR_TOLERATES = changed(queues(), ("  nodeLabels", f"  tolerations: [{QUEUED_TAINT}]\n  nodeLabels"))


def in_queue(queue: str) -> str:
    labels = f"metadata: {{name: trainer, labels: {{kueue.x-k8s.io/queue-name: {queue}}}}}"
    return tpu_pod().replace("metadata: {name: trainer}", labels)


SERVED = {
    "the same labels": (tpu_pod(), PLAN),
    "Spot": (
        tpu_pod(selector='cloud.google.com/gke-spot: "true"'),
        plan_with("tpu: v6e, topology: 2x2, capacity: spot"),
    ),
    "Spot that the pods do not select": (tpu_pod(), plan_with("tpu: v6e, topology: 2x2, capacity: spot")),
    "a label of the plan": (
        tpu_pod(selector="team: research"),
        plan_with("tpu: v6e, topology: 2x2, node_labels: {team: research}"),
    ),
    "the chips per host": (
        tpu_pod(topology="2x4", selector="cloud.google.com/gke-accelerator-count: '4'"),
        plan_with("tpu: v6e, topology: 2x4, chips_per_host: 4"),
    ),
    "the name of the node pool": (
        tpu_pod(selector="cloud.google.com/gke-nodepool: main"),
        plan_with("tpu: v6e, topology: 2x2"),
    ),
    "a label that GKE sets": (tpu_pod(selector="topology.kubernetes.io/zone: us-east5-b"), PLAN),
    "a taint that the pods tolerate": (
        tpu_pod(spec="tolerations: [{key: team, operator: Exists}]"),
        plan_with("tpu: v6e, topology: 2x2, taints: [{key: team, value: a, effect: no_schedule}]"),
    ),
    **{
        f"a NoExecute taint that the pods tolerate by {name}": (
            tpu_pod(spec=f"tolerations: [{{{toleration}}}]"),
            plan_with("tpu: v6e, topology: 2x2, taints: [{key: team, value: a, effect: NO_EXECUTE}]"),
        )
        for name, toleration in {
            "its key": "key: team, operator: Exists, effect: NoExecute",
            "its value": "key: team, value: a, effect: NoExecute",
            "any effect": "key: team, operator: Exists",
            "every taint": "operator: Exists",
            "a time": "key: team, value: a, effect: NoExecute, tolerationSeconds: 60",
        }.items()
    },
    "queued nodes that the pods tolerate": (tpu_pod(spec=f"tolerations: [{QUEUED_TAINT}]"), QUEUED),
    "queued nodes, and a flavor that no file has": (in_queue("elsewhere"), QUEUED),
    "queued nodes that the flavor of the queue tolerates": (
        f"{in_queue('training')}---{FLAVOR_TOLERATES}",
        QUEUED,
    ),
    "a reservation": (
        tpu_pod(selector="cloud.google.com/reservation-name: r"),
        plan_with("tpu: v6e, topology: 2x2, capacity: {reservation: r}"),
    ),
    "Autopilot creates nodes": (tpu_pod(topology="2x4", chips=8), plan_with("tpu: v6e, topology: 2x2", "autopilot")),
    "node auto-provisioning creates nodes": (
        tpu_pod(topology="2x4", chips=8),
        plan_with(
            "tpu: v6e, topology: 2x2", more="    autoprovisioning: {cpu: 100, memory_gib: 400, tpu: {v6e: 64}}\n"
        ),
    ),
    "an open topology": (tpu_pod(topology="${T}"), PLAN),
    "no clusters with slices": (
        tpu_pod(), "version: 1\nproject: acme-ml\nclusters:\n  train: {mode: standard, location: us-east5}\n"
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", SERVED)
def test_a_workload_that_a_group_serves_is_not_reported(name: str) -> None:
    text, of = SERVED[name]
    assert [rule for rule in broken(text, plan=of) if rule in ("TPU790", "TPU791")] == []


NOT_SERVED = {
    "topology": (tpu_pod(topology="2x4", chips=8), PLAN, "TPU790", "has gke-tpu-topology 2x2, not 2x4"),
    "accelerator": (
        tpu_pod().replace("tpu-v6e-slice", "tpu-v5-lite-podslice"),
        PLAN,
        "TPU790",
        "has gke-tpu-accelerator tpu-v6e-slice, not tpu-v5-lite-podslice",
    ),
    "chips": (
        tpu_pod(topology="2x4", chips=8),
        plan_with("tpu: v6e, topology: 2x4, chips_per_host: 4"),
        "TPU790",
        "has tpu 4, not 8",
    ),
    "a pool of another name": (
        tpu_pod(selector="cloud.google.com/gke-nodepool: b"),
        PLAN,
        "TPU790",
        "has gke-nodepool other, not b",
    ),
    "an own label": (tpu_pod(selector="team: research"), PLAN, "TPU790", "does not have team research"),
    "a taint": (
        tpu_pod(),
        plan_with("tpu: v6e, topology: 2x2, taints: [{key: team, value: a, effect: no_schedule}]"),
        "TPU790",
        "has the taint team, which the Pods do not tolerate",
    ),
    "a NoExecute taint that the pods tolerate for another effect": (
        tpu_pod(spec="tolerations: [{key: team, operator: Exists, effect: NoSchedule}]"),
        plan_with("tpu: v6e, topology: 2x2, taints: [{key: team, value: a, effect: NO_EXECUTE}]"),
        "TPU790",
        "has the taint team, which the Pods do not tolerate",
    ),
    "the taint of queued nodes": (
        tpu_pod(),
        QUEUED,
        "TPU790",
        "has the taint cloud.google.com/gke-queued, which the Pods do not tolerate",
    ),
    "the taint of queued nodes, which no flavor in the files tolerates": (
        f"{in_queue('training')}---{queues()}",
        QUEUED,
        "TPU790",
        "has the taint cloud.google.com/gke-queued, which the Pods do not tolerate",
    ),
    "the taint of queued nodes, which no flavor of the plan tolerates": (
        in_queue("research"),
        f"{QUEUED}    kubernetes: {{queues: {{research: {{}}}}}}\n",
        "TPU790",
        "has the taint cloud.google.com/gke-queued, which the Pods do not tolerate",
    ),
    "Spot": (
        tpu_pod(selector='cloud.google.com/gke-spot: "true"'),
        PLAN,
        "TPU791",
        "does not have gke-spot true",
    ),
    "another reservation": (
        tpu_pod(selector="cloud.google.com/reservation-name: r"),
        plan_with("tpu: v6e, topology: 2x2, capacity: {reservation: other}"),
        "TPU791",
        "has reservation-name other, not r",
    ),
    "a class": (
        "apiVersion: v1\nkind: Pod\nspec: {nodeSelector: {cloud.google.com/compute-class: a}, "
        "containers: [{name: a, resources: {limits: {google.com/tpu: 4}}}]}",
        PLAN,
        "TPU790",
        "does not have compute-class a",
    ),
}


@pytest.mark.parametrize("name", NOT_SERVED)
def test_a_workload_that_no_group_serves_is_reported_with_the_nearest_group(name: str) -> None:
    text, of, rule, words = NOT_SERVED[name]
    finding = found_beside(text, of, rule)
    assert words in finding.message
    assert finding.severity is Severity.ERROR
    assert finding.position is not None
    assert finding.position.file == "manifests.yaml"
    assert "TPU792" not in broken(text, plan=of)


def test_a_cluster_that_exists_may_have_other_pools() -> None:
    text = plan_with("tpu: v6e, topology: 2x2").replace(
        "    mode: standard\n", "    mode: standard\n    existing: projects/acme-ml/locations/us-east5/clusters/a\n"
    )
    assert found_beside(tpu_pod(topology="2x4", chips=8), text, "TPU790").severity is Severity.WARNING


def test_without_a_plan_nothing_is_compared() -> None:
    assert broken(tpu_pod(topology="2x4", chips=8)) == []


def test_a_group_that_no_pod_selects_is_noted_in_the_plan() -> None:
    finding = found_beside(tpu_pod(), plan_of(OTHER, TWO_SLICES), "TPU792")
    assert finding.severity is Severity.NOTE
    assert finding.position is not None
    assert finding.position.file == "plan.yaml"
    assert "train/main" in finding.message


@pytest.mark.parametrize(
    "text",
    [
        "apiVersion: v1\nkind: ConfigMap\ndata: {}",
        tpu_pod() + "---" + tpu_job().replace("nodeSelector:\n", "nodeSelector:\n        '{{ x }}': a\n"),
        tpu_pod() + "---" + tpu_pod(chips=0).replace("tpu: 0", "tpu: '{{ chips }}'"),
    ],
)
def test_groups_are_not_noted_if_the_manifests_may_select_them(text: str) -> None:
    assert broken(text, plan=plan_of(OTHER, TWO_SLICES)) == []


def test_a_group_of_a_class_serves_pods_that_select_the_class() -> None:
    of = plan_with("tpu: v6e, topology: 2x2, fallback: [spot]")
    assert (
        "requires the selector cloud.google.com/compute-class: tpu-main"
        in found_beside(tpu_pod(), of, "TPU790").message
    )
    text = (
        "apiVersion: v1\nkind: Pod\nspec: {nodeSelector: {cloud.google.com/compute-class: tpu-main}, "
        "containers: [{name: a, resources: {limits: {google.com/tpu: 4}}}]}"
    )
    assert [rule for rule in broken(text, plan=of) if rule.startswith("TPU79")] == []


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
