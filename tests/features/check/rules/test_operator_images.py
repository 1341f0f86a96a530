"""Images of operators: releases with known faults, and registries that delete images."""

import pytest
from support.manifests import findings_in

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.text.findings import Severity
from pulumi_gke_tpu.features.check.rules.objects.images import image_that_disappears, operator_with_known_fault

MANAGER, _, TOPOLOGY = operator_with_known_fault.failing.partition("---\n")
IMAGE = "registry.k8s.io/kueue/kueue:v0.18.3"


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
        ("registry.k8s.io/jobset/jobset:v0.10.1", 0),
        ("${KUEUE_IMAGE}:v0.18.3", 0),
    ],
)
def test_a_release_has_the_faults_that_later_ones_do_not_have(image: str, faults: int) -> None:
    found = findings_in(MANAGER.replace(IMAGE, image) + "---\n" + TOPOLOGY)
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
