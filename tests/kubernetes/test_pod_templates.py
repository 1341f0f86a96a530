"""The pod templates of every kind: where they are, how many pods they make, what fills a slice, what pods request."""

from fractions import Fraction

import pytest
from support.manifests import pods_in

from pulumi_gke_tpu.core.text.formats.quantity import parse_quantity

POD = "{spec: {containers: [{name: a}]}}"
TEMPLATES = {
    "pod": ("apiVersion: v1\nkind: Pod\nspec: {containers: [{name: a}]}", [("pods", "", (), 1, 1)]),
    "deployment": (
        f"apiVersion: apps/v1\nkind: Deployment\nspec: {{replicas: 3, template: {POD}}}",
        [("pods", "", ("spec", "template"), 3, 1)],
    ),
    "replica set": (
        f"apiVersion: apps/v1\nkind: ReplicaSet\nspec: {{template: {POD}}}",
        [("pods", "", ("spec", "template"), 1, 1)],
    ),
    "stateful set": (
        f"apiVersion: apps/v1\nkind: StatefulSet\nspec: {{replicas: 4, template: {POD}}}",
        [("pods", "", ("spec", "template"), 4, 1)],
    ),
    "daemon set": (
        f"apiVersion: apps/v1\nkind: DaemonSet\nspec: {{template: {POD}}}",
        [("", "", ("spec", "template"), None, 1)],
    ),
    "job": (
        f"apiVersion: batch/v1\nkind: Job\nspec: {{parallelism: 4, completions: 4, template: {POD}}}",
        [("pods", "", ("spec", "template"), 4, 1)],
    ),
    "cron job": (
        f"apiVersion: batch/v1\nkind: CronJob\nspec: {{jobTemplate: {{spec: {{parallelism: 2, template: {POD}}}}}}}",
        [("pods", "", ("spec", "jobTemplate", "spec", "template"), 2, 1)],
    ),
    "job set": (
        "apiVersion: jobset.x-k8s.io/v1alpha2\nkind: JobSet\nspec:\n  replicatedJobs:\n"
        f"  - {{name: slice, replicas: 2, template: {{spec: {{parallelism: 4, template: {POD}}}}}}}\n"
        f"  - {{template: {{spec: {{template: {POD}}}}}}}",
        [
            ("pods", "slice", ("spec", "replicatedJobs", 0, "template", "spec", "template"), 4, 2),
            ("pods", "replicatedJobs[1]", ("spec", "replicatedJobs", 1, "template", "spec", "template"), 1, 1),
        ],
    ),
    "leader worker set": (
        "apiVersion: leaderworkerset.x-k8s.io/v1\nkind: LeaderWorkerSet\nspec:\n  replicas: 2\n"
        f"  leaderWorkerTemplate:\n    {{size: 5, leaderTemplate: {POD}, workerTemplate: {POD}}}",
        [
            ("", "leader", ("spec", "leaderWorkerTemplate", "leaderTemplate"), 1, 2),
            ("groups", "workers", ("spec", "leaderWorkerTemplate", "workerTemplate"), 4, 2),
        ],
    ),
    "leader worker set without a leader template": (
        "apiVersion: leaderworkerset.x-k8s.io/v1\nkind: LeaderWorkerSet\nspec:\n  leaderWorkerTemplate:\n"
        f"    {{size: 4, workerTemplate: {POD}}}",
        [("groups", "workers", ("spec", "leaderWorkerTemplate", "workerTemplate"), 4, 1)],
    ),
    "ray cluster": (
        "apiVersion: ray.io/v1\nkind: RayCluster\nspec:\n"
        f"  headGroupSpec: {{template: {POD}}}\n"
        f"  workerGroupSpecs: [{{groupName: tpu, replicas: 2, numOfHosts: 4, template: {POD}}}]",
        [
            ("", "head", ("spec", "headGroupSpec", "template"), 1, 1),
            ("groups", "tpu", ("spec", "workerGroupSpecs", 0, "template"), 4, 2),
        ],
    ),
    "ray job": (
        "apiVersion: ray.io/v1\nkind: RayJob\nspec:\n"
        f"  submitterPodTemplate: {POD}\n  rayClusterSpec: {{workerGroupSpecs: [{{template: {POD}}}]}}",
        [
            ("groups", "workerGroupSpecs[0]", ("spec", "rayClusterSpec", "workerGroupSpecs", 0, "template"), 1, 0),
            ("", "submitter", ("spec", "submitterPodTemplate"), 1, 1),
        ],
    ),
    "ray service": (
        f"apiVersion: ray.io/v1\nkind: RayService\nspec: {{rayClusterConfig: {{headGroupSpec: {{template: {POD}}}}}}}",
        [("", "head", ("spec", "rayClusterConfig", "headGroupSpec", "template"), 1, 1)],
    ),
    "pathways job": (
        "apiVersion: pathways-job.pathways.domain/v1\nkind: PathwaysJob\n"
        f"spec: {{controller: {{template: {POD}}}, workers: [{{type: ct6e-standard-4t}}]}}",
        [("", "main", ("spec", "controller", "template"), 1, 1)],
    ),
    "PyTorch job": (
        "apiVersion: kubeflow.org/v1\nkind: PyTorchJob\nspec:\n  pytorchReplicaSpecs:\n"
        f"    Master: {{template: {POD}}}\n    Worker: {{replicas: 3, template: {POD}}}",
        [
            ("pods", "Master", ("spec", "pytorchReplicaSpecs", "Master", "template"), 1, 1),
            ("pods", "Worker", ("spec", "pytorchReplicaSpecs", "Worker", "template"), 3, 1),
        ],
    ),
    "another job": (f"apiVersion: batch.volcano.sh/v1\nkind: Job\nspec: {{template: {POD}}}", []),
    "a config map": ("apiVersion: v1\nkind: ConfigMap\ndata: {pod.yaml: 'kind: Pod'}", []),
}


@pytest.mark.parametrize("kind", TEMPLATES)
def test_the_templates_of_a_kind(kind: str) -> None:
    text, expected = TEMPLATES[kind]
    found = pods_in(text)
    assert [(pod.traits.slices, pod.role, pod.path, pod.pods, pod.groups) for pod in found] == expected
    for pod in found:
        assert [container.name for container in pod.containers()] == ["a"]
        assert pod.owner.value(*pod.path, "spec") == pod.spec


@pytest.mark.parametrize("value", ["${HOSTS}", "{{ .Values.hosts }}", "'4'", "true"])
def test_a_number_that_is_open_or_not_a_number_is_unknown(value: str) -> None:
    (pod,) = pods_in(f"apiVersion: batch/v1\nkind: Job\nspec:\n  parallelism: {value}\n  template: {POD}")
    assert pod.pods is None


@pytest.mark.parametrize("spec", ["null", "[]", "text", "{template: []}", "{template: {spec: [1]}}"])
def test_a_malformed_object_is_read_as_far_as_possible(spec: str) -> None:
    (pod,) = pods_in(f"apiVersion: batch/v1\nkind: Job\nspec: {spec}")
    assert list(pod.containers()) == []
    assert pod.selection("a") is None


def pod_with(spec: str) -> str:
    return f"apiVersion: v1\nkind: Pod\nspec:\n  {spec}\n"


AFFINITY = "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [%s]}}}"
IN = "{matchExpressions: [{key: zone, operator: Exists}, {key: tpu, operator: In, values: [%s]}]}"


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ("nodeSelector: {tpu: a}", (("a",), ("spec", "nodeSelector", "tpu"), False)),
        ("nodeSelector: {tpu: true}", (("true",), ("spec", "nodeSelector", "tpu"), False)),
        ("nodeSelector: {tpu: '${A}'}", (("${A}",), ("spec", "nodeSelector", "tpu"), True)),
        ("nodeSelector: {other: a}", None),
        (AFFINITY % IN % "a, b", (("a", "b"), None, False)),
        (AFFINITY % f"{IN % 'a'}, {IN % 'b'}", (("a", "b"), None, False)),
        (AFFINITY % f"{IN % 'a'}, {{matchExpressions: []}}", None),
        (AFFINITY % "{matchExpressions: [{key: tpu, operator: NotIn, values: [a]}]}", None),
    ],
)
def test_what_a_pod_selects(spec: str, expected: tuple[tuple[str, ...], object, bool] | None) -> None:
    (pod,) = pods_in(pod_with(spec))
    found = pod.selection("tpu")
    if expected is None:
        assert found is None
        return
    assert found is not None
    assert (found.values, found.open) == (expected[0], expected[2])
    assert expected[1] in (None, found.path)
    assert pod.owner.value(*found.path) is not None


@pytest.mark.parametrize(
    ("containers", "chips"),
    [
        ("{resources: {limits: {x: 4}}}", 4),
        ("{resources: {requests: {x: 2}, limits: {x: 4}}}", 2),
        ("{resources: {limits: {x: 2}}}, {resources: {limits: {x: '2'}}}, {}", 4),
        ("{resources: {limits: {x: 500m}}}", Fraction(1, 2)),
        ("{}", 0),
        ("{resources: {limits: {x: '{{ a }}'}}}", None),
        ("{resources: '{{ a }}'}", None),
        ("'{{ a }}'", None),
        ("{resources: {limits: {'{{ a }}': 4}}}", None),
    ],
)
def test_the_chips_of_a_pod(containers: str, chips: object) -> None:
    (pod,) = pods_in(pod_with(f"containers: [{containers}]"))
    assert pod.chips("x") == chips


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (4, 4),
        ("4", 4),
        ("4000m", 4),
        ("0.5", Fraction(1, 2)),
        ("1Gi", 2**30),
        ("1k", 1000),
        ("1e3", 1000),
        (1.5, Fraction(3, 2)),
        ("-1", -1),
        ("four", None),
        ("4 chips", None),
        ("", None),
        (True, None),
        (None, None),
        ([4], None),
        ("1e999", None),
        ("9" * 1000, None),
    ],
)
def test_quantities(text: object, value: object) -> None:
    assert parse_quantity(text) == value
