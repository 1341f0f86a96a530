"""Rules about images that are missing, that disappear, and that have known faults."""

from pathlib import Path

import pytest
import yaml
from support.manifest_texts import findings_of
from support.manifests import broken, findings_in

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.rules.engine.examples import tpu_job, tpu_pod
from pulumi_gke_tpu.core.text.findings import Severity
from pulumi_gke_tpu.features.check.rules.objects.images import image_that_disappears, operator_with_known_fault
from pulumi_gke_tpu.features.check.rules.objects.services import service_without_pods
from pulumi_gke_tpu.features.check.rules.operators.examples import job_set, ray_cluster

# Images


def test_a_second_container_without_an_image_is_an_error() -> None:
    (finding,) = findings_in(tpu_pod().replace("  containers:\n", "  containers:\n    - {name: agent}\n"))
    assert (finding.rule, finding.severity) == ("TPU394", Severity.ERROR)


def test_an_image_that_a_template_fills_in_is_accepted() -> None:
    assert broken(tpu_pod().replace("image: trainer", "image: ${IMAGE}")) == []


def test_an_object_that_misses_more_than_images_is_a_patch() -> None:
    job = tpu_job().replace("image: trainer", "").replace("restartPolicy: Never", "")
    assert broken(job) == []


SERVER = service_without_pods.passing.partition("---\n")[0]
DEPLOYMENT = SERVER.replace("          image: server\n", "")
WHOLE = {
    "Pod": tpu_pod().replace("      image: trainer\n", ""),
    "Job": tpu_job().replace("          image: trainer\n", ""),
    "Deployment": DEPLOYMENT,
    "JobSet": job_set().replace("image: train\n", "tty: true\n"),
    "RayCluster": ray_cluster().replace("image: train\n", "tty: true\n").replace("image: ray, ", ""),
}


@pytest.mark.parametrize("kind", WHOLE)
def test_a_whole_object_in_which_no_container_has_an_image_is_an_error(kind: str) -> None:
    assert f"kind: {kind}\n" in WHOLE[kind]
    found = {(finding.rule, finding.severity) for finding in findings_in(WHOLE[kind])}
    assert found == {("TPU394", Severity.ERROR)}


@pytest.mark.parametrize(
    "text",
    [
        DEPLOYMENT.replace("  selector: {matchLabels: {app: serve}}\n", ""),
        WHOLE["Job"].replace("restartPolicy: Never", ""),
    ],
)
def test_an_object_without_images_and_other_required_fields_is_a_patch(text: str) -> None:
    assert broken(text) == []


@pytest.mark.parametrize(
    "head", ["{name: h}", "{name: h, env: []}", "{name: h, resources: {}}", "{name: h, image: ''}"]
)
@pytest.mark.parametrize("workers", ["image: train", ""])
def test_a_head_without_an_image_is_an_error(head: str, workers: str) -> None:
    """Patches of custom resources replace lists as a whole, so that each container in them is complete."""
    written = "{name: head, image: ray, resources: {requests: {cpu: 4, memory: 16Gi}}}"
    text = ray_cluster().replace("image: train\n", f"{workers}\n")
    assert written in text
    text = text.replace(written, head)
    found = [finding for finding in findings_in(text) if finding.severity is Severity.ERROR]
    assert {finding.rule for finding in found} == {"TPU394"}
    assert len(found) == (1 if workers else 2)


VALID = Path(__file__).parents[4] / "manifests" / "valid"


def test_a_container_without_an_image_is_an_error_if_the_leader_has_one() -> None:
    """A LeaderWorkerSet with an image is not taken for a patch, although no other key shows that it is whole."""
    path = VALID / "standard" / "v5e-4x4-leaderworkerset.yaml"
    document = yaml.safe_load(path.read_text(encoding="utf-8"))
    workers = document["spec"]["leaderWorkerTemplate"]["workerTemplate"]["spec"]["containers"]
    workers.append({"name": "metrics"})
    (finding,) = findings_of(yaml.safe_dump(document), "TPU394")
    assert (finding.severity, "`metrics`" in finding.message) == (Severity.ERROR, True)


MANAGER, _, TOPOLOGY = operator_with_known_fault.failing.partition("---\n")

OLD_RELEASE = "registry.k8s.io/kueue/kueue:v0.18.3"


@pytest.mark.parametrize(
    ("image", "faults"),
    [
        ("registry.k8s.io/kueue/kueue:v0.18.3", 3),
        ("registry.k8s.io/kueue/kueue:v0.18.5", 1),
        ("registry.k8s.io/kueue/kueue:v0.18.6", 0),
        ("mirror.example.com:5000/kueue:0.16.1", 2),
        ("registry.k8s.io/kueue/kueue:v0.17.7@sha256:" + "0" * 64, 1),
        ("registry.k8s.io/kueue/kueue:v0.20.0", 0),
        ("registry.k8s.io/kueue/kueue:main", 0),
        ("registry.k8s.io/kueue/kueue", 0),
        ("registry.k8s.io/kueue/kueueviz-backend:v0.18.3", 0),
        ("registry.k8s.io/jobset/jobset:v0.10.1", 3),
        ("${KUEUE_IMAGE}:v0.18.3", 0),
    ],
)
def test_a_release_has_the_faults_that_later_ones_do_not_have(image: str, faults: int) -> None:
    found = findings_in(MANAGER.replace(OLD_RELEASE, image) + "---\n" + TOPOLOGY)
    noun = "known fault:" if faults == 1 else "known faults:"
    assert [item.rule for item in found] == (["TPU310"] if faults else [])
    assert all(f" has {faults} {noun}" in item.message for item in found)


def test_the_fault_of_a_feature_that_no_file_uses_is_a_note() -> None:
    (finding,) = findings_in(MANAGER)
    assert finding.severity is Severity.NOTE
    assert finding.allowed == ("v0.18.6 or later",)


def test_every_fault_belongs_to_an_operator_of_the_catalog() -> None:
    facts = read_catalog().kubernetes
    assert {fault.operator for fault in facts.faults} <= facts.controllers.keys()
    assert len({fault.id for fault in facts.faults}) == len(facts.faults)


@pytest.mark.parametrize(
    "image",
    [
        "registry.k8s.io/jobset/jobset:v0.12.0",
        "quay.io/brancz/kube-rbac-proxy:v0.18.0",
        "example.com/gcr.io/k8s-staging-jobset/jobset:main",
    ],
)
def test_other_images_are_accepted(image: str) -> None:
    staging = "us-central1-docker.pkg.dev/k8s-staging-images/jobset/jobset:main"
    assert findings_in(image_that_disappears.failing.replace(staging, image)) == ()


SLEEP = """
apiVersion: batch/v1
kind: Job
metadata: {name: sleep}
spec: {template: {spec: {containers: [{name: sleep, image: "gcr.io/k8s-staging-perf-tests/sleep:latest"}]}}}
"""


def test_images_of_tests_are_accepted() -> None:
    assert findings_in(SLEEP) == ()


@pytest.mark.parametrize(
    ("release", "jobs", "faults", "severity"),
    [
        ("v0.8.0", "", 4, Severity.NOTE),
        ("v0.10.1", job_set(), 3, Severity.WARNING),
        ("v0.11.0", job_set(), 1, Severity.WARNING),
        ("v0.12.0", job_set(), 0, None),
        ("main", job_set(), 0, None),
    ],
)
def test_releases_of_jobset_have_faults_of_exclusive_topology(
    release: str, jobs: str, faults: int, severity: Severity | None
) -> None:
    image = f"registry.k8s.io/jobset/jobset:{release}"
    text = operator_with_known_fault.passing.replace("registry.k8s.io/kueue/kueue:v0.19.2", image)
    found = [item for item in findings_in(f"{text}\n---{jobs}" if jobs else text) if item.rule == "TPU310"]
    assert [item.severity for item in found] == ([severity] if severity else [])
    assert all(f"has {faults} known fault" in item.message for item in found)
