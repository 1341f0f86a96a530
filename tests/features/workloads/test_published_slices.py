"""Plans for the samples that Google publishes of dynamic slicing: each object comes out again, or says why it differs.

They are those of kubernetes-engine-samples, ``ai-ml/gke-tpu-dynamic-slicing`` (2026-07-30), without the manifest of the
slice controller, which a plan does not write.
"""

import fnmatch
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from support.manifests import findings_in

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.kubernetes.fleet import manifests
from pulumi_gke_tpu.core.plan import parse_plan
from pulumi_gke_tpu.core.rules import check_plan
from pulumi_gke_tpu.core.text.findings import Severity

CATALOG = read_catalog()
TEXT = (Path(__file__).parent / "data" / "published_slices.yaml").read_text(encoding="utf-8")
SAMPLES: dict[str, Any] = {f"{item['kind']}/{item['metadata']['name']}": item for item in yaml.safe_load_all(TEXT)}
COMMAND = {"command": ["bash", "-c", "python count_devices.py"]}
QUEUED = {"kind": "jobset", "queue": "lq", "image": "python:latest", **COMMAND}
BY_HAND = {"topology": "4x4x4", "image": "python:3.12", **COMMAND}
WORKLOADS: dict[str, Any] = {
    "big-super-slice": {"topology": "4x12x16", **QUEUED},
    "two-super-slices": {"topology": "4x8x8", "count": 2, **QUEUED},
    "tpu-job-jax-v7x-64": {"partitions": [["p1"]], **BY_HAND},
    "tpu-multislice-jax": {
        "count": 2,
        "kind": "jobset",
        "max_restarts": 3,
        "partitions": [["p2"], ["p3"]],
        "pod_template": {"spec": {"hostNetwork": True, "dnsPolicy": "ClusterFirstWithHostNet"}},
        **BY_HAND,
    },
}
CUBES = {
    "tpu": "tpu7x",
    "slicing": "dynamic",
    "count": 20,
    "zone": "us-central1-c",
    "capacity": {"reservation": {"name": "ironwood", "block": "block-1"}},
}
NAMES = {
    "Topology/superslice-topology": "Topology/dynamic-slices",
    "ResourceFlavor/superslice-rf": "ResourceFlavor/tpu-cubes",
    "AdmissionCheck/superslice-ac": "AdmissionCheck/dynamic-slices",
    "ClusterQueue/cq": "ClusterQueue/lq",
    "Service/headless-svc": "Service/tpu-job-jax-v7x-64",
}
"""Object of a sample -> the object of the plan, where it has another name."""
DIFFERENT = {
    "* metadata labels app.kubernetes.io/managed-by": "gke-tpu marks its objects",
    "* metadata name": "names of the plan",
    "* metadata namespace": "the samples leave it to kubectl",
    "* apiVersion": "Kueue has deprecated v1beta1",
    "ResourceFlavor/* spec topologyName": "a name of the plan",
    "ResourceFlavor/* cloud.google.com/gke-accelerator-topology-mode": "keeps the flavor from static slices of tpu7x",
    "ResourceFlavor/* spec nodeTaints *": "keeps workloads on other groups from the flavor",
    "ClusterQueue/* admissionChecks*": "the field of v1beta2, for the flavor of the cubes only",
    "ClusterQueue/* spec preemption *": "what the plan has as its default",
    "ClusterQueue/* coveredResources *": "Pods of gke-tpu also request CPU and memory",
    "ClusterQueue/* flavors *": "the chips of the cubes as quota, and before them a flavor without chips for heads",
    "LocalQueue/* spec clusterQueue": "both queues have one name",
    "JobSet/* spec failurePolicy *": "a disruption restarts the slices, and is not counted",
    "JobSet/* spec network *": "what JobSet has as its default, except that addresses exist before Pods are ready",
    "JobSet/* replicatedJobs 0 name": "a name of the plan",
    "JobSet/*-super-slice* backoffLimit": "with a Pod that is made again alone, the others of its slice wait for it",
    "JobSet/*-super-slice* completionMode": "GKE derives the hosts of a slice from the index; JobSet sets it itself",
    "* podFailurePolicy *": "a disruption is not a failure of the program",
    "* containers 0 name": "a name of the plan",
    "* containers 0 ports 0 containerPort": "a declaration that opens nothing",
    "* containers 0 resources limits *": "quantities are texts, as the API server stores them",
    "* containers 0 resources requests *": "also the CPU and memory of the host, and quantities are texts",
    "* containers 0 securityContext privileged": "no key sets it: TPUs need it on old versions of GKE only",
    "* nodeSelector cloud.google.com/gke-accelerator-topology-mode": "keeps Pods from static slices of tpu7x",
    "* nodeSelector cloud.google.com/gke-tpu-partition-4x4x4-state": "the slice controller adds it itself",
    "* nodeSelector cloud.google.com/gke-tpu-slice": "the Slice has the name of the Job",
    "* subdomain": "the Service has the name of the Job",
    "* tolerations *": "the admission of GKE adds the one of TPUs too; the other one is that of the flavor",
    "* spec restartPolicy": "a Pod that ends ends its slice; the sample leaves it to JobSet",
    "Service/* selector *job-name": "the label that Kubernetes sets since 1.27",
    "Service/* publishNotReadyAddresses": "hosts find each other before they are ready",
}
"""Object and path of a value -> why a rendered object has another one, or one more."""


def leaves(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Every value without entries, with its path."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    if not items or not value:
        yield path, value
        return
    for key, item in items:
        yield from leaves(item, f"{path} {key}".strip())


@pytest.fixture(scope="module")
def rendered() -> dict[str, Any]:
    cluster = {
        "mode": "standard",
        "location": "us-central1",
        "network": {"create": {"mtu": 8896}},
        "cpu_pools": {"controllers": {"machine_type": "n2-standard-16", "nodes": 1, "zones": ["us-central1-c"]}},
        "slices": {"cubes": CUBES},
        "kubernetes": {
            "queues": {"lq": {}},
            "workloads": {name: {"slices": "cubes", **item} for name, item in WORKLOADS.items()},
        },
    }
    parsed = parse_plan({"version": 1, "project": "acme-ml", "clusters": {"train": cluster}})
    checked = check_plan(parsed, CATALOG, None)
    assert [item.message for item in checked.findings if item.severity.name != "NOTE"] == []
    assert checked.fleet is not None
    return {f"{item.kind}/{item.name}": item.object for item in manifests(checked.fleet.clusters[0], CATALOG)}


def differences(rendered: dict[str, Any]) -> Iterator[str]:
    """Each value that only a sample or only the plan has, and each that both have otherwise."""
    for name, sample in SAMPLES.items():
        given, made = dict(leaves(sample)), dict(leaves(rendered[NAMES.get(name, name)]))
        for path in sorted({**given, **made}):
            if given.get(path) != made.get(path):
                yield f"{name} {path}"


def test_each_object_of_the_samples_comes_out_of_a_plan(rendered: dict[str, Any]) -> None:
    """Whole: what differs has a reason, and each reason a difference."""
    found = list(differences(rendered))
    unexplained = [item for item in found if not any(fnmatch.fnmatchcase(item, each) for each in DIFFERENT)]
    assert unexplained == []
    assert [each for each in DIFFERENT if not fnmatch.filter(found, each)] == []


def test_the_plan_has_slices_a_flavor_for_heads_and_an_example_besides(rendered: dict[str, Any]) -> None:
    others = rendered.keys() - {NAMES.get(name, name) for name in SAMPLES}
    assert others == {
        "Pod/example-agent",
        "ResourceFlavor/cpu",
        "Slice/tpu-job-jax-v7x-64",
        "Slice/tpu-multislice-jax-0",
        "Slice/tpu-multislice-jax-1",
    }


def test_check_finds_nothing_in_the_samples_but_a_deprecated_version() -> None:
    found = findings_in(TEXT, mode="standard")
    assert [item.rule for item in found if item.severity is not Severity.NOTE] == ["TPU747"]
