"""The fields in which an object that exists differs from the one that a plan renders."""

from typing import Any

import pytest
import yaml
from support.adopted_objects import read_objects

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.features.adopt.objects.comparison import comparison_beside

FLAVOR = {"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "ResourceFlavor", "metadata": {"name": "f"}}
BESIDE = [
    {**FLAVOR, "spec": {"nodeLabels": {"pool": "a", "n": 1}}},
    {**FLAVOR, "apiVersion": "other/v1", "spec": {"nodeLabels": {"pool": "b"}}},
    {**FLAVOR, "kind": "ClusterQueue", "spec": {"nodeLabels": {"pool": "c"}}},
]
MANAGED = "app.kubernetes.io/managed-by"


def job(fields: str) -> dict[str, Any]:
    """A Job with these fields."""
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "a"}, **yaml.safe_load(f"{{{fields}}}")}


def differences(given: str, rendered: str) -> list[str]:
    comparison = comparison_beside(read_objects(BESIDE), read_catalog())
    return [one.text for one in comparison.differences(job(given), job(rendered))]


@pytest.mark.parametrize(
    ("given", "rendered", "found"),
    [
        ("kind: Job", "kind: JobSet", ["kind is 'Job' and would be 'JobSet'"]),
        ("apiVersion: batch/v2", "", ["apiVersion is 'batch/v2' and would be 'batch/v1'"]),
        (
            "metadata: {name: b, namespace: x}",
            "",
            ["metadata.name is 'b' and would be 'a'", "metadata.namespace is 'x' and would be missing"],
        ),
        (
            "metadata: {name: a, labels: {app: b, team: x}, annotations: {note: s, own: u}}",
            "metadata: {name: a, labels: {app: c}, annotations: {note: t, other: u}}",
            [
                "metadata.labels.app is 'b' and would be 'c'",
                "metadata.annotations.note has another value",
                "metadata.annotations.other is missing and would be a text",
            ],
        ),
        ("", f"metadata: {{name: a, labels: {{{MANAGED}: gke-tpu}}}}", []),
        (
            f"metadata: {{name: a, labels: {{{MANAGED}: Helm}}}}",
            f"metadata: {{name: a, labels: {{{MANAGED}: gke-tpu}}}}",
            [f"metadata.labels[\"{MANAGED}\"] is 'Helm' and would be 'gke-tpu'"],
        ),
    ],
    ids=["kind", "version", "name", "texts of others", "label of gke-tpu missing", "label of another tool"],
)
def test_labels_and_annotations_of_others_are_not_compared(given: str, rendered: str, found: list[str]) -> None:
    assert differences(given, rendered) == found


@pytest.mark.parametrize(
    ("given", "rendered", "found"),
    [
        ("backoffLimit: 6, suspend: true, completions: 1, x: null, y: {}, z: []", "", []),
        (
            "backoffLimit: 5, completions: true, parallelism: 1.0",
            "",
            [
                "spec.backoffLimit is 5 and would be missing",
                "spec.completions is true and would be missing",
                "spec.parallelism is 1.0 and would be missing",
            ],
        ),
        ("completions: null", "completions: 2", ["spec.completions is none and would be 2"]),
        ("suspend: true", "suspend: false", ["spec.suspend is true and would be false"]),
        ("", "selector: {}", []),
        ("", "selector: {a: 1}", ["spec.selector is missing and would be a mapping"]),
        ("selector: x", "selector: {}", ["spec.selector is a text and would be a mapping"]),
        ("selector: {a: {b: c}}", "selector: {}", ["spec.selector.a is a mapping and would be missing"]),
        (
            "podFailurePolicy: {rules: [{action: x}]}",
            "",
            ["spec.podFailurePolicy.rules is a list and would be missing"],
        ),
        (
            "podFailurePolicy: {rules: [{onPodConditions: [{type: x, status: 'True'}]}]}",
            "podFailurePolicy: {rules: [{onPodConditions: [{type: x}]}]}",
            [],
        ),
        ("template: {spec: {hostNetwork: false, serviceAccount: x}}", "template: {spec: {}}", []),
        (
            "template: {spec: {terminationGracePeriodSeconds: 31}}",
            "template: {spec: {}}",
            ["spec.template.spec.terminationGracePeriodSeconds is 31 and would be missing"],
        ),
    ],
)
def test_what_the_api_server_adds_does_not_differ(given: str, rendered: str, found: list[str]) -> None:
    assert differences(f"spec: {{{given}}}", f"spec: {{{rendered}}}") == found


@pytest.mark.parametrize(
    ("given", "rendered", "found"),
    [
        ("image: a, imagePullPolicy: Always", "image: a", []),
        ("image: 'a:1', imagePullPolicy: IfNotPresent", "image: 'a:1'", []),
        (
            "image: 'a:1', imagePullPolicy: Always, workingDir: IfNotPresent",
            "image: 'a:1'",
            ["imagePullPolicy is a text and would be missing", "workingDir is a text and would be missing"],
        ),
        ("resources: {limits: {cpu: 2000m, memory: 1024Mi}}", "resources: {limits: {cpu: 2, memory: 1Gi}}", []),
        (
            "resources: {limits: {cpu: 2001m}}",
            "resources: {limits: {cpu: 2}}",
            ["resources.limits.cpu is '2001m' and would be 2"],
        ),
        (
            "resources: {limits: {cpu: lots}}",
            "resources: {limits: {cpu: many}}",
            ["resources.limits.cpu is 'lots' and would be 'many'"],
        ),
        ("stdin: '2'", "stdin: 2", ["stdin is a text and would be 2"]),
        ("command: [x]", "command: [x, y]", ["command has other items"]),
        ("command: [x, z]", "command: [x, y]", ["command[1] has another value"]),
        ("command: x", "command: [x]", ["command is a text and would be a list"]),
        ("env: {a: b}", "env: [a]", ["env is a mapping and would be a list"]),
    ],
)
def test_fields_of_containers_are_compared_as_what_they_mean(given: str, rendered: str, found: list[str]) -> None:
    container = "spec: {{template: {{spec: {{containers: [{{{}}}]}}}}}}"
    assert differences(container.format(given), container.format(rendered)) == [
        f"spec.template.spec.containers[0].{text}" for text in found
    ]


@pytest.mark.parametrize(
    ("given", "queued", "found"),
    [
        ("pool: a", True, []),
        ("pool: a", False, ["pool is 'a' and would be missing"]),
        ("pool: b", True, ["pool is 'b' and would be missing"]),
        ("pool: c", True, ["pool is 'c' and would be missing"]),
        ("n: 1", True, ["n is 1 and would be missing"]),
        ("pool: a, x: z", True, ["x is 'z' and would be missing"]),
    ],
)
def test_kueue_adds_the_labels_of_its_flavors_to_the_pods_that_it_admits(
    given: str, queued: bool, found: list[str]
) -> None:
    queue = "metadata: {name: a, labels: {kueue.x-k8s.io/queue-name: q}}, " if queued else ""
    assert differences(
        f"{queue}spec: {{template: {{spec: {{nodeSelector: {{{given}}}}}}}}}",
        f"{queue}spec: {{template: {{spec: {{}}}}}}",
    ) == [f"spec.template.spec.nodeSelector.{text}" for text in found]
