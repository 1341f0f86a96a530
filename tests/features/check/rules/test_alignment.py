"""Manifests against a plan, both ways: workloads without pools, pools without workloads, queues, flavors and names."""

import pytest
from support.manifests import broken, findings_in

from pulumi_gke_tpu.core.rules.engine.examples import OTHER, TWO_SLICES, plan_of, tpu_job, tpu_pod
from pulumi_gke_tpu.core.text.findings import Finding, Severity

PLAN = plan_of(OTHER)


def plan(body: str, mode: str = "standard", more: str = "") -> str:
    return (
        f"version: 1\nproject: acme-ml\nclusters:\n  train:\n    mode: {mode}\n    location: us-east5\n{more}"
        f"    slices:\n      main: {{{body}, zone: us-east5-b}}\n"
    )


def found(text: str, of: str, rule: str) -> Finding:
    (finding,) = [item for item in findings_in(text, plan=of) if item.rule == rule]
    return finding


SERVED = {
    "the same labels": (tpu_pod(), PLAN),
    "Spot": (
        tpu_pod(selector='cloud.google.com/gke-spot: "true"'),
        plan("tpu: v6e, topology: 2x2, capacity: spot"),
    ),
    "Spot that the pods do not select": (tpu_pod(), plan("tpu: v6e, topology: 2x2, capacity: spot")),
    "a label of the plan": (
        tpu_pod(selector="team: research"),
        plan("tpu: v6e, topology: 2x2, node_labels: {team: research}"),
    ),
    "the chips per host": (
        tpu_pod(topology="2x4", selector="cloud.google.com/gke-accelerator-count: '4'"),
        plan("tpu: v6e, topology: 2x4, chips_per_host: 4"),
    ),
    "the name of the node pool": (
        tpu_pod(selector="cloud.google.com/gke-nodepool: main"),
        plan("tpu: v6e, topology: 2x2"),
    ),
    "a label that GKE sets": (tpu_pod(selector="topology.kubernetes.io/zone: us-east5-b"), PLAN),
    "a taint that the pods tolerate": (
        tpu_pod(spec="tolerations: [{key: team, operator: Exists}]"),
        plan("tpu: v6e, topology: 2x2, taints: [{key: team, value: a, effect: no_schedule}]"),
    ),
    "a reservation": (
        tpu_pod(selector="cloud.google.com/reservation-name: r"),
        plan("tpu: v6e, topology: 2x2, capacity: {reservation: r}"),
    ),
    "Autopilot creates nodes": (tpu_pod(topology="2x4", chips=8), plan("tpu: v6e, topology: 2x2", "autopilot")),
    "node auto-provisioning creates nodes": (
        tpu_pod(topology="2x4", chips=8),
        plan(
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
        plan("tpu: v6e, topology: 2x4, chips_per_host: 4"),
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
        plan("tpu: v6e, topology: 2x2, taints: [{key: team, value: a, effect: no_schedule}]"),
        "TPU790",
        "has the taint team, which the pods do not tolerate",
    ),
    "Spot": (
        tpu_pod(selector='cloud.google.com/gke-spot: "true"'),
        PLAN,
        "TPU791",
        "does not have gke-spot true",
    ),
    "another reservation": (
        tpu_pod(selector="cloud.google.com/reservation-name: r"),
        plan("tpu: v6e, topology: 2x2, capacity: {reservation: other}"),
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
    finding = found(text, of, rule)
    assert words in finding.message
    assert finding.severity is Severity.ERROR
    assert finding.position is not None
    assert finding.position.file == "manifests.yaml"
    assert "TPU792" not in broken(text, plan=of)


def test_a_cluster_that_exists_may_have_other_pools() -> None:
    text = plan("tpu: v6e, topology: 2x2").replace(
        "    mode: standard\n", "    mode: standard\n    existing: projects/acme-ml/locations/us-east5/clusters/a\n"
    )
    assert found(tpu_pod(topology="2x4", chips=8), text, "TPU790").severity is Severity.WARNING


def test_without_a_plan_nothing_is_compared() -> None:
    assert broken(tpu_pod(topology="2x4", chips=8)) == []


def test_a_group_that_no_pod_selects_is_noted_in_the_plan() -> None:
    finding = found(tpu_pod(), plan_of(OTHER, TWO_SLICES), "TPU792")
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


FLAVOR = """
apiVersion: kueue.x-k8s.io/v1beta2
kind: ResourceFlavor
metadata: {name: v6e}
spec: {nodeLabels: %s}
"""
V6E = "{cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice, cloud.google.com/gke-tpu-topology: %s}"
QUEUE = """---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: %s}
spec:
  namespaceSelector: {}
  cohortName: all
  resourceGroups:
    - coveredResources: [google.com/tpu]
      flavors: [{name: v6e, resources: [{name: google.com/tpu, nominalQuota: %s}]}]
"""
TWO = plan_of(TWO_SLICES)


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        (V6E % "4x4", False),
        (V6E % "8x8", True),
        ("{cloud.google.com/gke-tpu-accelerator: tpu-v5p-slice}", True),
        ("{cloud.google.com/compute-class: tpu-v6e}", True),
        ("{cloud.google.com/machine-family: n2}", False),
        (V6E % "'{{ t }}'", False),
        ("{cloud.google.com/gke-tpu-accelerator: tpu-v5p-slice, cloud.google.com/gke-tpu-topology: '{{ t }}'}", False),
    ],
)
def test_a_flavor_has_the_labels_of_a_group(labels: str, expected: bool) -> None:
    assert ("TPU793" in broken(FLAVOR % labels, plan=TWO)) is expected
    assert "TPU793" not in broken(FLAVOR % labels)


@pytest.mark.parametrize(
    ("quotas", "expected"),
    [(("32",), False), (("33",), True), (("16", "16"), False), (("16", "17"), True), (("'{{ q }}'",), False)],
)
def test_the_quotas_of_a_flavor_add_up_to_the_chips_of_its_slices(quotas: tuple[str, ...], expected: bool) -> None:
    text = FLAVOR % (V6E % "4x4") + "".join(QUEUE % (f"q{n}", quota) for n, quota in enumerate(quotas))
    assert ("TPU794" in broken(text, plan=TWO)) is expected
    if expected:
        assert f"is {sum(map(int, quotas))} chips" in found(text, TWO, "TPU794").message


JOB = """
apiVersion: batch/v1
kind: Job
metadata: {name: tune, namespace: %s, labels: {kueue.x-k8s.io/queue-name: %s}}
spec: {template: {spec: {containers: [{name: a, resources: {limits: {google.com/tpu: 4}}}]}}}
"""
LOCAL = "---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: LocalQueue\nmetadata: {name: a, namespace: %s}\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (JOB % ("default", "a") + LOCAL % "default", False),
        (JOB % ("default", "b") + LOCAL % "default", True),
        (JOB % ("team", "a") + LOCAL % "default", True),
        (JOB % ("default", "'{{ q }}'") + LOCAL % "default", False),
        (JOB % ("default", "b"), False),
        (JOB % ("default", "b") + LOCAL % "'{{ n }}'", False),
    ],
)
def test_a_queue_is_known_if_the_files_have_queues(text: str, expected: bool) -> None:
    assert ("TPU796" in broken(text)) is expected


NAMESPACE = "---\napiVersion: v1\nkind: Namespace\nmetadata: {name: %s}\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (JOB % ("team", "a") + NAMESPACE % "team", False),
        (JOB % ("default", "a") + NAMESPACE % "team", False),
        (JOB % ("tem", "a") + NAMESPACE % "team", True),
        (JOB % ("tem", "a"), False),
        (JOB % ("tem", "a") + NAMESPACE % "'{{ n }}'", False),
    ],
)
def test_a_namespace_is_known_if_the_files_have_namespaces(text: str, expected: bool) -> None:
    assert ("TPU797" in broken(text)) is expected


def test_a_flavor_of_nodes_that_gke_makes_is_not_reported() -> None:
    of = plan("tpu: v6e, topology: 2x2", more="    autoprovisioning: {cpu: 100, memory_gib: 400, tpu: {v6e: 64}}\n")
    assert "TPU793" not in broken(FLAVOR % (V6E % "8x8"), plan=of)
    assert "TPU793" in broken(FLAVOR % "{cloud.google.com/gke-tpu-accelerator: tpu-v5p-slice}", plan=of)


def test_a_group_of_a_class_serves_pods_that_select_the_class() -> None:
    of = plan("tpu: v6e, topology: 2x2, fallback: [spot]")
    assert "requires the selector cloud.google.com/compute-class: tpu-main" in found(tpu_pod(), of, "TPU790").message
    text = (
        "apiVersion: v1\nkind: Pod\nspec: {nodeSelector: {cloud.google.com/compute-class: tpu-main}, "
        "containers: [{name: a, resources: {limits: {google.com/tpu: 4}}}]}"
    )
    assert [rule for rule in broken(text, plan=of) if rule.startswith("TPU79")] == []
