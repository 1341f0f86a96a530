"""Rules about the servers of Pathways, and what runs in their head."""

import pytest

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.plan import read_plan_content
from pulumi_gke_tpu.core.rules import check_plan
from pulumi_gke_tpu.core.text.findings import format_path

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
      main: {tpu: v6e, topology: 4x4, zone: us-east5-b, count: 2}
    kubernetes:
      workloads:
        run: {slices: main, count: 2, KEYS}
"""
PREFIX = "clusters.train.kubernetes.workloads.run"


def found(keys: str) -> list[str]:
    result = check_plan(read_plan_content(PLAN.replace("KEYS", keys).encode(), "plan.yaml"), read_catalog())
    return [f"{item.rule} {format_path(item.path).removeprefix(PREFIX).lstrip('.')}" for item in result.findings]


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ("kind: pathways, image: train", []),
        ("kind: pathways", ["TPU640 "]),
        ("kind: jobset", ["TPU640 "]),
        ("kind: pathways, pathways: {tag: jax-0.9.2}", ["TPU640 "]),
        ("kind: pathways, pathways: {tag: jax-0.9.2, headless: true}", []),
        ("kind: jobset, image: train, pathways: {tag: jax-0.9.2}", ["TPU713 pathways"]),
        ("kind: jobset, pathways: {tag: jax-0.9.2, headless: true}", ["TPU713 pathways", "TPU640 "]),
    ],
)
def test_only_pathways_runs_without_an_image(keys: str, expected: list[str]) -> None:
    assert sorted(found(keys)) == sorted(expected)


@pytest.mark.parametrize(
    "key",
    [
        "image: train",
        "command: [run]",
        "args: [run]",
        "env: {A: b}",
        "env_from_secrets: {A: {secret: s, key: k}}",
        "head: {cpu: 8}",
        "exit_codes: {fail: [2]}",
    ],
)
def test_keys_of_a_program_have_no_effect_without_one(key: str) -> None:
    name = key.partition(":")[0]
    keys = "kind: pathways, max_restarts: 1, pathways: {tag: jax-0.9.2, headless: true}"
    assert found(f"{keys}, {key}") == [f"TPU641 {name}"]


@pytest.mark.parametrize(
    ("pathways", "expected"),
    [
        ("tag: jax-0.9.2", []),
        ("headless: false", ["pathways"]),
        ("tag: latest", ["pathways.tag"]),
        ("proxy: {image: 'a/p:1'}", ["pathways"]),
        ("proxy: {image: 'a/p:1'}, resource_manager: {image: 'a/s:1'}", []),
        ("proxy: {image: 'a/p:1'}, resource_manager: {image: 'a/s'}", ["pathways.resource_manager.image"]),
        ("tag: jax-0.9.2, worker: {image: 'localhost:5000/s'}", ["pathways.worker.image"]),
        ("tag: jax-0.9.2, worker: {image: 'a/s:latest'}", ["pathways.worker.image"]),
        (f"tag: jax-0.9.2, worker: {{image: 'a/s@sha256:{'0123456789abcdef' * 4}'}}", []),
        ("tag: jax-0.9.2, python_sidecar: {image: 'a/sidecar:latest'}", ["pathways.python_sidecar.image"]),
    ],
)
def test_images_of_servers_have_a_fixed_tag(pathways: str, expected: list[str]) -> None:
    assert found(f"kind: pathways, image: train, pathways: {{{pathways}}}") == [f"TPU642 {path}" for path in expected]


@pytest.mark.parametrize(("slices", "expected"), [(1, []), (2, []), (3, ["TPU643 pathways.elastic.slices"])])
def test_at_most_all_slices_may_be_missing(slices: int, expected: list[str]) -> None:
    elastic = f"tag: jax-0.9.2, elastic: {{slices: {slices}, max_restarts: 2}}"
    assert found(f"kind: pathways, image: train, pathways: {{{elastic}}}") == expected


@pytest.mark.parametrize("server", ["proxy", "resource_manager", "worker"])
@pytest.mark.parametrize(
    ("argument", "taken"),
    [
        ("--server_port=1", False),
        ("-server_port=1", False),
        ("--gcs_scratch_location", False),
        ("--num_elastic_slices=2", False),
        ("--server_port_of_mine=1", True),
        ("server_port", True),
        ("--enable_metrics_collection=true", True),
    ],
)
def test_flags_of_gke_tpu_are_not_written_twice(server: str, argument: str, taken: bool) -> None:
    keys = f"kind: pathways, image: train, pathways: {{tag: jax-0.9.2, {server}: {{args: ['--a', '{argument}']}}}}"
    assert found(keys) == ([] if taken else [f"TPU644 pathways.{server}.args[1]"])


@pytest.mark.parametrize("server", ["proxy", "resource_manager", "worker", "python_sidecar"])
def test_images_of_servers_are_references(server: str) -> None:
    keys = f"kind: pathways, image: train, pathways: {{tag: jax-0.9.2, {server}: {{image: 'https://a/b:1'}}}}"
    assert found(keys) == [f"TPU356 pathways.{server}.image"]
