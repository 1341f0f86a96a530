"""Rules about what generations do not support: Multislice (TPU350) and frameworks (TPU360)."""

import pytest
from support.manifests import findings_in
from support.plan_edits import catalog, document

from pulumi_gke_tpu.core.rules import check_plan

V3 = "us-east1", "tpu: v3, topology: 4x8, zone: us-east1-d, count: 2"

V6E = "us-east5", "tpu: v6e, topology: 4x4, zone: us-east5-b, count: 2"

TPU7X = "us-central1", "tpu: tpu7x, topology: 2x2x1, zone: us-central1-c"


def found(place: tuple[str, str], keys: str, rule: str) -> list[str]:
    location, group = place
    text = (
        f"mode: standard\nlocation: {location}\nnetwork: create\nslices: {{serve: {{{group}}}}}\n"
        f"kubernetes: {{workloads: {{train: {{slices: serve, {keys}}}}}}}"
    )
    findings = check_plan(document(text), catalog(), None).findings
    return [finding.severity.word for finding in findings if finding.rule == rule]


@pytest.mark.parametrize("kind", ["job", "jobset"])
def test_one_job_on_several_slices_requires_multislice(kind: str) -> None:
    assert found(V3, f"image: train, kind: {kind}, count: 2", "TPU350") == ["warning"]
    assert not found(V3, f"image: train, kind: {kind}", "TPU350")
    assert not found(V6E, f"image: train, kind: {kind}, count: 2", "TPU350")


def test_replicas_of_a_server_are_not_one_job() -> None:
    assert not found(V3, "image: train, kind: leaderworkerset, count: 2", "TPU350")


@pytest.mark.parametrize(
    ("image", "reported"),
    [
        ("tensorflow/tensorflow:2.19.0", True),
        ("us-docker.pkg.dev/acme-ml/train/tensorflow-tpu:1", True),
        ("gcr.io/tpu-pytorch/xla:nightly", False),
        ("us-docker.pkg.dev/acme-ml/train/jax:1", False),
        ("us-docker.pkg.dev/acme-tensorflowers/train/jax:1", False),
    ],
)
def test_the_framework_runs_on_the_generation(image: str, reported: bool) -> None:
    assert bool(found(TPU7X, f"image: '{image}'", "TPU360")) is reported
    assert not found(V6E, f"image: '{image}'", "TPU360")


@pytest.mark.parametrize(
    ("topology", "reason"),
    [
        ("2x2x1", ""),
        ("2x4x4", ""),
        ("4x4x4", ""),
        ("8x16x16", ""),
        ("16x24x24", ""),
        ("16x24x28", "it has 10,752 chips; the limit is 9,216"),
        ("4x8x4", "write 4x4x8, with dimensions that do not decrease"),
        ("4x8x6", "it is neither a part of a cube nor made of cubes of 4x4x4 chips"),
        ("4x4", "it does not have the form AxBxC"),
        ("0x4x4", "it does not have the form AxBxC"),
        ("9999x9999x9999", "it is neither a part of a cube nor made of cubes of 4x4x4 chips"),
    ],
)
def test_the_slice_controller_can_form_the_topology(topology: str, reason: str) -> None:
    text = f"""
apiVersion: v1
kind: Pod
metadata:
  name: trainer
  annotations: {{cloud.google.com/gke-tpu-slice-topology: {topology}}}
spec:
  containers: [{{name: jax, image: trainer}}]
"""
    hits = [finding for finding in findings_in(text) if finding.rule == "TPU340"]
    assert [finding.message.partition(": ")[2] for finding in hits] == ([reason] if reason else [])
    assert all(finding.severity.word == "error" for finding in hits)
