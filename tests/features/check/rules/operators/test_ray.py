"""Rules about Ray clusters, alone and in RayJob and RayService."""

import pytest
import yaml
from support.manifest_texts import CLUSTER
from support.manifests import broken, findings_in
from support.workload_plans import TRAIN, checked, workload_plan

from pulumi_gke_tpu.core.text.findings import Severity
from pulumi_gke_tpu.features.check.rules.operators.examples import changed, ray_cluster
from pulumi_gke_tpu.features.check.rules.operators.ray import ray_autoscaler_selectors, ray_operator_missing
from pulumi_gke_tpu.features.workloads.manifests import manifests_of
from pulumi_gke_tpu.features.workloads.text import manifest_stream


def ray_groups(number: int, queue: str = "team") -> str:
    text = ray_cluster(queue)
    before, marker, group = text.partition("    - groupName: tpu")
    return before + "".join(marker + str(index) + group for index in range(number))


@pytest.mark.parametrize(
    ("groups", "severity"), [(7, None), (8, Severity.WARNING), (17, Severity.WARNING), (18, Severity.ERROR)]
)
def test_older_releases_of_kueue_take_fewer_ray_groups(groups: int, severity: Severity | None) -> None:
    found = [item for item in findings_in(ray_groups(groups)) if item.rule == "TPU774"]
    assert [item.severity for item in found] == ([] if severity is None else [severity])


def test_ray_groups_without_a_queue_are_not_limited() -> None:
    assert broken(ray_groups(18, "")) == []


def test_an_elastic_ray_cluster_can_autoscale_in_a_queue() -> None:
    text = changed(
        ray_cluster("team"),
        ("metadata: {", 'metadata: {annotations: {kueue.x-k8s.io/elastic-job: "true"}, '),
        ("spec:\n  headGroupSpec", "spec:\n  enableInTreeAutoscaling: true\n  headGroupSpec"),
    )
    assert broken(text) == []


def test_a_missing_minimum_of_ray_replicas_is_zero() -> None:
    assert (
        broken(
            changed(
                ray_cluster(),
                ("      minReplicas: 0\n", ""),
                ("replicas: 1", "replicas: 0"),
                ("maxReplicas: 2", "maxReplicas: 0"),
            )
        )
        == []
    )


def test_a_ray_job_of_another_group_is_not_one_of_ray() -> None:
    group = "{minReplicas: 3, maxReplicas: 1}"
    text = f"spec: {{rayClusterSpec: {{workerGroupSpecs: [{group}]}}}}"
    text = f"apiVersion: example.com/v1\nkind: RayJob\nmetadata: {{name: a}}\n{text}"
    assert broken(text) == []


@pytest.mark.parametrize("kind", ["raycluster", "rayjob", "rayservice"])
@pytest.mark.parametrize(
    ("more", "expected"),
    [({}, ["TPU775"]), ({"addons": ["ray_operator"]}, []), ({"operators": {"cert_manager": {}, "kuberay": {}}}, [])],
    ids=["neither", "add-on", "operators"],
)
def test_ray_needs_one_of_its_operators(kind: str, more: dict, expected: list[str]) -> None:
    serve = {"serve_config": "applications: [{name: llm, import_path: app}]"} if kind == "rayservice" else {}
    kubernetes = {key: value for key, value in more.items() if key == "operators"}
    work = {"w": {"slices": "train", "kind": kind, "command": ["run"], **serve}}
    if serve:
        del work["w"]["command"]
    cluster = {key: value for key, value in more.items() if key == "addons"}
    plan = workload_plan({"train": {**TRAIN, "count": 2}}, work, kubernetes=kubernetes, **cluster)
    (found,) = manifests_of(checked(plan))
    assert broken(manifest_stream(found.manifests), plan=yaml.safe_dump(plan)) == expected


def test_a_ray_cluster_that_runs_has_an_operator() -> None:
    text = ray_operator_missing.failing.partition("--- plan")[0]
    plan = CLUSTER + "    slices:\n      tune: {tpu: v6e, topology: 2x2, zone: us-east5-b}\n"
    assert [each.rule for each in findings_in(text, plan=plan)] == ["TPU775"]
    assert findings_in(text + "\nstatus: {state: ready}\n", plan=plan) == ()


SCALING = ray_autoscaler_selectors.passing


@pytest.mark.parametrize(
    ("before", "after", "lacking"),
    [
        ("cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice, ", "", "gke-tpu-accelerator"),
        (", cloud.google.com/gke-tpu-topology: 2x2", "", "gke-tpu-topology"),
        ("enableInTreeAutoscaling: true", "enableInTreeAutoscaling: false", ""),
        ("nodeSelector: {", "nodeSelector: {'{{ .Values.key }}': a, ", ""),
    ],
)
def test_the_ray_autoscaler_reads_node_selectors(before: str, after: str, lacking: str) -> None:
    found = [item for item in findings_in(changed(SCALING, (before, after))) if item.rule == "TPU573"]
    assert len(found) == bool(lacking)
    assert all(lacking in item.message for item in found)


def test_the_ray_clusters_of_jobs_and_services_scale_too() -> None:
    cluster = yaml.safe_load(ray_autoscaler_selectors.failing)["spec"]
    for kind, key in (("RayJob", "rayClusterSpec"), ("RayService", "rayClusterConfig")):
        owner = {"apiVersion": "ray.io/v1", "kind": kind, "metadata": {"name": "a"}, "spec": {key: cluster}}
        assert "TPU573" in broken(yaml.safe_dump(owner))
