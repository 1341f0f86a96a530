"""Findings that follow from an item that cannot be read are left out; those of other items stay."""

import pytest

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.plan import read_plan_content
from pulumi_gke_tpu.core.rules import check_plan

CATALOG = read_catalog()
PLAN = """\
version: 1
project: acme-ml
clusters:
  train:
    mode: standard
    location: us-east5
    maintenance:
      window: {start: 2026-01-03T02:00:00Z, duration: 12h}
    slices:
      pretrain: {tpu: v6e, topology: 16x16, zone: us-east5-b, count: 2}
      serve: {tpu: v6e, topology: 4x4, zone: us-east5-a}
    kubernetes:
      queues:
        research: {chips: {pretrain: 512}}
      workloads:
        llama: {slices: pretrain, count: 2, image: train, queue: research}
    runs:
      llama: {slices: pretrain, start: 2020-12-03T08:00:00Z, duration: 10d}
"""


def found_in(text: str) -> list[tuple[str, str]]:
    document = read_plan_content(text.encode(), "plan.yaml")
    return [
        (finding.rule, ".".join(map(str, finding.path)))
        for finding in check_plan(document, CATALOG).findings
        if finding.rule != "TPU629"
    ]


@pytest.mark.parametrize(
    ("right", "wrong", "finding"),
    [
        ("topology: 16x16", "topology: [1, 2]", ("TPU022", "topology")),
        ("tpu: v6e, topology: 16x16", "tpu: {v6e: 1}, topology: 16x16", ("TPU022", "tpu")),
        ("count: 2}", "count: 3.5}", ("TPU022", "count")),
        ("count: 2}", "count: 2, boot_disk: {size_gib: much}}", ("TPU022", "boot_disk.size_gib")),
    ],
)
def test_a_group_with_an_error_is_not_reported_as_unknown(right: str, wrong: str, finding: tuple[str, str]) -> None:
    rule, key = finding
    assert found_in(PLAN) == []
    assert found_in(PLAN.replace(right, wrong, 1)) == [(rule, f"clusters.train.slices.pretrain.{key}")]


def test_a_reference_to_another_unknown_group_is_still_reported() -> None:
    text = PLAN.replace("topology: 16x16", "topology: [1, 2]").replace(
        "{slices: pretrain, count", "{slices: pre, count"
    )
    assert ("TPU700", "clusters.train.kubernetes.workloads.llama.slices") in found_in(text)


def test_a_mistake_in_another_group_is_still_reported() -> None:
    text = PLAN.replace("topology: 16x16", "topology: [1, 2]").replace("topology: 4x4", "topology: 4x3")
    assert ("TPU112", "clusters.train.slices.serve.topology") in found_in(text)
