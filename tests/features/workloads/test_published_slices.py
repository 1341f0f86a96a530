"""Plans for the samples that Google publishes of dynamic slicing: each object comes out again, or says why it differs.

The values are those of kubernetes-engine-samples, ``ai-ml/gke-tpu-dynamic-slicing`` (2026-07-30).
"""

from typing import Any

import pytest

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.kubernetes.fleet import manifests
from pulumi_gke_tpu.core.plan import parse_plan
from pulumi_gke_tpu.core.rules import check_plan

CATALOG = read_catalog()
WORKLOADS = {
    "big-super-slice": {"topology": "4x12x16", "kind": "jobset", "queue": "lq"},
    "two-super-slices": {"topology": "4x8x8", "count": 2, "kind": "jobset", "queue": "lq"},
    "tpu-job-jax-v7x-64": {"topology": "4x4x4", "partitions": [["p1"]]},
    "tpu-multislice-jax": {"topology": "4x4x4", "count": 2, "kind": "jobset", "partitions": [["p2"], ["p3"]]},
}
CUBES = {
    "tpu": "tpu7x",
    "slicing": "dynamic",
    "count": 20,
    "zone": "us-central1-c",
    "capacity": {"reservation": {"name": "ironwood", "block": "block-1"}},
}
JOB_OF_SET, POD = "spec.replicatedJobs.0.template.spec", "template.spec"
TOPOLOGY, ACCELERATOR = "cloud.google.com/gke-tpu-topology", "cloud.google.com/gke-tpu-accelerator"
SLICE, ANNOTATION = "cloud.google.com/gke-tpu-slice", "cloud.google.com/gke-tpu-slice-topology"
QUEUE, EXCLUSIVE = "kueue.x-k8s.io/queue-name", "alpha.jobset.sigs.k8s.io/exclusive-topology"
HEALTH = "cloud.google.com/gke-tpu-partition-4x4x4-state"


def of_set(name: str, pods: int, slices: int, topology: str, **more: Any) -> dict[tuple[str, str], Any]:
    """The values of a JobSet by their paths."""
    found = {
        "spec.replicatedJobs.0.replicas": slices,
        f"{JOB_OF_SET}.parallelism": pods,
        f"{JOB_OF_SET}.completions": pods,
        f"{JOB_OF_SET}.{POD}.nodeSelector": {ACCELERATOR: "tpu7x", **more.pop("selector", {})},
        f"{JOB_OF_SET}.template.metadata.annotations": {ANNOTATION: topology},
        f"{JOB_OF_SET}.{POD}.containers.0.resources.limits": {"google.com/tpu": 4},
        **more,
    }
    return {(f"JobSet/{name}", path): value for path, value in found.items()}


SAMPLES: dict[tuple[str, str], Any] = {
    **of_set("big-super-slice", 192, 1, "4x12x16",
             **{"metadata.labels": {QUEUE: "lq"}, f"{JOB_OF_SET}.backoffLimit": 10}),
    **of_set("two-super-slices", 64, 2, "4x8x8", **{"metadata.labels": {QUEUE: "lq"}, f"{JOB_OF_SET}.backoffLimit": 10},
             selector={HEALTH: "HEALTHY"}),
    **of_set("tpu-multislice-jax", 16, 2, "4x4x4", selector={TOPOLOGY: "4x4x4"},
             **{"metadata.annotations": {EXCLUSIVE: SLICE}, "spec.failurePolicy.maxRestarts": 3,
                f"{JOB_OF_SET}.{POD}.hostNetwork": True}),
    ("Job/tpu-job-jax-v7x-64", "spec.completions"): 16,
    ("Job/tpu-job-jax-v7x-64", "spec.parallelism"): 16,
    ("Job/tpu-job-jax-v7x-64", "spec.completionMode"): "Indexed",
    ("Job/tpu-job-jax-v7x-64", "spec.backoffLimit"): 0,
    ("Job/tpu-job-jax-v7x-64", "spec.template.metadata.annotations"): {ANNOTATION: "4x4x4"},
    ("Job/tpu-job-jax-v7x-64", f"spec.{POD}.nodeSelector"): {
        TOPOLOGY: "4x4x4", ACCELERATOR: "tpu7x", SLICE: "test-slice"},
    ("Job/tpu-job-jax-v7x-64", f"spec.{POD}.subdomain"): "headless-svc",
    ("Job/tpu-job-jax-v7x-64", f"spec.{POD}.restartPolicy"): "Never",
    ("Job/tpu-job-jax-v7x-64", f"spec.{POD}.containers.0.env"): [
        {"name": "TPU_ACCELERATOR_TYPE", "value": "tpu7x-128"}],
    ("Service/tpu-job-jax-v7x-64", "spec.clusterIP"): "None",
    ("Service/tpu-job-jax-v7x-64", "spec.selector"): {"job-name": "tpu-job-jax-v7x-64"},
    ("Topology/dynamic-slices", "spec.levels"): [
        {"nodeLabel": "cloud.google.com/gce-topology-block"},
        {"nodeLabel": "cloud.google.com/gke-tpu-partition-4x4x4-id"},
        {"nodeLabel": "kubernetes.io/hostname"},
    ],
    ("ResourceFlavor/tpu-cubes", "spec.nodeLabels"): {ACCELERATOR: "tpu7x"},
    ("ResourceFlavor/tpu-cubes", "spec.topologyName"): "superslice-topology",
    ("AdmissionCheck/dynamic-slices", "spec.controllerName"): "accelerator.gke.io/slice",
    ("ClusterQueue/lq", "spec.namespaceSelector"): {},
    ("ClusterQueue/lq", "spec.admissionChecks"): ["superslice-ac"],
    ("ClusterQueue/lq", "spec.resourceGroups.0.coveredResources"): ["google.com/tpu"],
    ("ClusterQueue/lq", "spec.resourceGroups.0.flavors.0.resources.0.nominalQuota"): "999999",
    ("LocalQueue/lq", "spec.clusterQueue"): "cq",
}  # fmt: skip
"""Object and path -> the value in the sample."""
DIFFERENT = {
    "nodeSelector": "the label of cubes keeps Pods from static slices; the controller adds the health of cubes itself",
    "nodeLabels": "the label of cubes keeps the flavor from static slices",
    "metadata.labels": "gke-tpu marks its objects",
    "limits": "quantities are texts, as the API server stores them",
    "backoffLimit": "with a Pod that is made again alone, the others of its slice wait for it",
    "maxRestarts": "`max_restarts` of the workload",
    "hostNetwork": "`pod_template` of the workload",
    "subdomain": "the Service has the name of the Job",
    "selector": "the label that Kubernetes sets since 1.27",
    "topologyName": "another name",
    "clusterQueue": "both queues have one name",
    "admissionChecks": "the field of v1beta1; v1beta2 has admissionChecksStrategy",
    "coveredResources": "Pods of gke-tpu also request CPU and memory",
    "nominalQuota": "the first flavor has none, for Pods without chips; the quota of the cubes is their chips",
}
"""The end of a path -> why a rendered object has another value."""


def at(value: Any, path: str) -> Any:
    for step in path.split("."):
        value = value[int(step)] if isinstance(value, list) else value.get(step)
        if value is None:
            return None
    return value


@pytest.fixture(scope="module")
def rendered() -> dict[str, Any]:
    workloads = {name: {"slices": "cubes", "image": "python:3.12", **item} for name, item in WORKLOADS.items()}
    cluster = {
        "mode": "standard",
        "location": "us-central1",
        "network": {"create": {"mtu": 8896}},
        "cpu_pools": {"controllers": {"machine_type": "n2-standard-16", "nodes": 1, "zones": ["us-central1-c"]}},
        "slices": {"cubes": CUBES},
        "kubernetes": {"queues": {"lq": {}}, "workloads": workloads},
    }
    parsed = parse_plan({"version": 1, "project": "acme-ml", "clusters": {"train": cluster}})
    checked = check_plan(parsed, CATALOG, None)
    assert [item.message for item in checked.findings if item.severity.name != "NOTE"] == []
    assert checked.fleet is not None
    return {f"{item.kind}/{item.name}": item.object for item in manifests(checked.fleet.clusters[0], CATALOG)}


def test_each_object_of_the_samples_comes_out_of_a_plan(rendered: dict[str, Any]) -> None:
    different = [
        f"{name} {path}: {at(rendered[name], path)!r}, not {value!r}"
        for (name, path), value in SAMPLES.items()
        if at(rendered[name], path) != value and not any(path.endswith(end) for end in DIFFERENT)
    ]
    assert different == []


def test_each_difference_has_an_object() -> None:
    assert [end for end in DIFFERENT if not any(path.endswith(end) for _, path in SAMPLES)] == []


def test_what_the_slice_controller_reads_is_that_of_the_samples(rendered: dict[str, Any]) -> None:
    """Pods keep every label of the samples that nodes have before a slice exists, and add that of cubes."""
    for (name, path), value in SAMPLES.items():
        if path.endswith("nodeSelector"):
            own = {SLICE: "tpu-job-jax-v7x-64"} if SLICE in value else {}
            kept = {key: item for key, item in value.items() if key != HEALTH} | own
            assert kept.items() <= at(rendered[name], path).items(), name
    assert {"Slice/tpu-job-jax-v7x-64", "Slice/tpu-multislice-jax-0", "Slice/tpu-multislice-jax-1"} <= rendered.keys()
