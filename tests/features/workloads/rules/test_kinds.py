"""Rules about the kinds of workloads."""

import datetime

import pytest
from support.kubernetes_plans import told, workload

from pulumi_gke_tpu.core.catalog import Catalog

TODAY = datetime.date(2026, 11, 20)

OWN = tuple(f"TPU{number}" for number in (*range(341, 348), *range(700, 720)))

RUN = "kubernetes.workloads.run"


@pytest.mark.parametrize(
    ("keys", "slices", "expected"),
    [
        ("containers: 2", "pretrain", ["TPU711 containers"]),
        ("kind: deployment", "pretrain", ["TPU712 kind"]),
        ("kind: deployment", "serve", []),
        ("kind: leaderworkerset", "pretrain", []),
        ("kind: deployment, port: 80", "serve", []),
        ("kind: jobset, port: 80", "serve", ["TPU713 port"]),
        ("kind: jobset, head: {}", "serve", ["TPU713 head"]),
        ("kind: deployment, max_restarts: 1", "serve", ["TPU713 max_restarts"]),
        ("kind: pathways", "pretrain", ["TPU714 kind"]),
        ("kind: raycluster", "pretrain", ["TPU715 kind"]),
    ],
    ids=str,
)
def test_keys_of_a_workload(keys: str, slices: str, expected: list[str], catalog: Catalog) -> None:
    rules = [f"{rule} {RUN}.{path}" for rule, path in (item.split(" ") for item in expected)]
    assert sorted(told(workload(keys, slices), catalog)) == sorted(rules)


@pytest.mark.parametrize(
    ("cluster", "expected"),
    [
        ("", ["TPU714"]),
        ("system_pool: {machine_type: n2-standard-64}", []),
        ("system_pool: {machine_type: n2-standard-48}", ["TPU714"]),
        ("system_pool: {machine_type: n2-highcpu-64}", ["TPU714"]),
        ("system_pool: {machine_type: n2-highmem-48}", ["TPU714"]),
        ("system_pool: {machine_type: custom-64-262144}", []),
        ("cpu_pools: {head: {machine_type: n4-standard-64, max_nodes: 3, zones: [us-east5-b]}}", []),
        ("cpu_pools: {head: {machine_type: n4-standard-64, nodes: 0, zones: [us-east5-b]}}", ["TPU714"]),
    ],
    ids=str,
)
def test_the_pathways_head_needs_a_large_node(cluster: str, expected: list[str], catalog: Catalog) -> None:
    text = f"{workload('kind: pathways')}\n{cluster}"
    assert [item.split(" ")[0] for item in told(text, catalog)] == expected


def test_two_containers_share_a_host_of_tpu7x_only(catalog: Catalog) -> None:
    text = (
        "location: us-central1\nnetwork: {create: {}}\n"
        "slices:\n"
        "  big: {tpu: tpu7x, topology: 2x2x1, zone: us-central1-c}\n"
        "  small: {tpu: v6e, topology: 2x2, zone: us-central1-b}\n"
        "kubernetes: {workloads: {WORK}}"
    )
    both = text.replace(
        "WORK", "a: {slices: big, image: a, containers: 2}, b: {slices: small, image: a, containers: 2}"
    )
    assert told(both, catalog) == ["TPU711 kubernetes.workloads.b.containers"]


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ("kind: jobset, queue: q", []),
        ("kind: job, queue: q", []),
        ("kind: job", ["TPU718 kubernetes.workloads.run"]),
        ("kind: leaderworkerset, queue: q", []),
        ("kind: leaderworkerset, queue: q, head: {}, port: 80", []),
        ("kind: leaderworkerset, queue: q, port: 80", ["TPU718 kubernetes.workloads.run.port"]),
        ("kind: leaderworkerset, port: 80", ["TPU718 kubernetes.workloads.run"]),
        ("kind: rayjob, queue: q", []),
        ("kind: raycluster, queue: q, head: {cpu: 2}", []),
    ],
    ids=str,
)
def test_queued_capacity_takes_one_set_of_pods_from_a_queue(keys: str, expected: list[str], catalog: Catalog) -> None:
    text = (
        "addons: [ray_operator]\n"
        "slices: {g: {tpu: v6e, topology: 4x4, zone: us-east5-b, count: {max: 1}, capacity: queued}}\n"
        f"kubernetes: {{queues: {{q: {{}}}}, workloads: {{run: {{slices: g, image: a, {keys}}}}}}}"
    )
    assert told(text, catalog) == expected
