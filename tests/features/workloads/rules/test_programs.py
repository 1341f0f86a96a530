"""Rules about what workloads run and where they write: images (TPU356), temporary data of Pathways (TPU357)."""

import pytest

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.plan import read_plan_content
from pulumi_gke_tpu.core.rules import check_plan
from pulumi_gke_tpu.core.text.findings import Finding

CATALOG = read_catalog()

PLAN = """\
version: 1
project: acme-ml
clusters:
  train:
    mode: standard
    location: us-east5
    network: create
    cpu_pools: {head: {machine_type: n2-standard-64, nodes: 1, zones: [us-east5-b]}}
    slices:
      main: {tpu: v6e, topology: 4x4, zone: us-east5-b}
    kubernetes:
      workloads:
        run:
          slices: main
"""

DIGEST = "sha256:" + "0123456789abcdef" * 4


def found_in(keys: str) -> list[Finding]:
    text = PLAN + "".join(f"          {line}\n" for line in keys.splitlines())
    return list(check_plan(read_plan_content(text.encode(), "plan.yaml"), CATALOG).findings)


@pytest.mark.parametrize(
    "image",
    [
        "train",
        "vllm/vllm-tpu:nightly",
        "us-docker.pkg.dev/acme-ml/train/llama:2026.11.20_A",
        "gcr.io/acme-ml/a__b/c-d.e",
        "localhost:5000/llama",
        f"Registry.Example.com/llama@{DIGEST}",
        f"us-docker.pkg.dev/p/r/i:tag@{DIGEST}",
    ],
)
def test_a_reference_that_container_runtimes_read_is_valid(image: str) -> None:
    assert found_in(f'image: "{image}"') == []


@pytest.mark.parametrize(
    ("image", "fix"),
    [
        ("https://gcr.io/acme-ml/train", "image: gcr.io/acme-ml/train"),
        ("docker://gcr.io/acme-ml/train:v1", 'image: "gcr.io/acme-ml/train:v1"'),
        ("gcr.io/acme-ml/Train:V1", 'image: "gcr.io/acme-ml/train:V1"'),
        ("LLAMA", "image: llama"),
        ("gcr.io/acme ml/train", ""),
        ("gcr.io/acme-ml//train", ""),
        ("gcr.io/acme-ml/train:", ""),
        ("gcr.io/acme-ml/train:a:b", ""),
        ("gcr.io/acme-ml/train@sha256:12", ""),
        ("<IMAGE>", ""),
        ("", ""),
    ],
)
def test_another_reference_is_an_error_with_the_reference_that_is_meant(image: str, fix: str) -> None:
    (found,) = found_in(f'image: "{image}"')
    assert (found.rule, found.severity.word, found.path[-1], found.fix) == ("TPU356", "error", "image", fix)


def test_the_image_of_the_head_is_checked() -> None:
    (found,) = found_in("image: train\nkind: leaderworkerset\nhead: {image: https://train}")
    assert (found.rule, found.path[-2:]) == ("TPU356", ("head", "image"))


@pytest.mark.parametrize("scratch", ["gs://acme-tmp", "gs://acme-tmp/", "gs://acme.tmp_1/a/b"])
def test_a_path_in_cloud_storage_is_valid(scratch: str) -> None:
    assert found_in(f'image: train\nkind: pathways\nscratch: "{scratch}"') == []


@pytest.mark.parametrize(
    ("scratch", "fix"),
    [
        ("acme-tmp/pathways", 'scratch: "gs://acme-tmp/pathways"'),
        ("s3://acme-tmp/pathways", ""),
        ("/tmp/pathways", ""),
        ("gs://", ""),
        ("gs://Acme", ""),
        ("gs://acme tmp", ""),
    ],
)
def test_another_path_is_an_error(scratch: str, fix: str) -> None:
    (found,) = found_in(f'image: train\nkind: pathways\nscratch: "{scratch}"')
    assert (found.rule, found.severity.word, found.fix) == ("TPU357", "error", fix)


def test_scratch_of_another_kind_has_no_effect() -> None:
    (found,) = found_in('image: train\nkind: job\nscratch: "gs://acme-tmp"')
    assert (found.rule, found.path[-1]) == ("TPU713", "scratch")
