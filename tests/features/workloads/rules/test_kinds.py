"""Rules about the kinds of workloads, and about what generations do not support."""

import datetime
from typing import Any

import pytest
from support.control_plane.nodes import pools_of
from support.kubernetes_model.matching import NodePool, hosts_for
from support.kubernetes_model.units import units_of
from support.kubernetes_plans import findings, told, workload
from support.manifests import findings_in
from support.plan_edits import catalog, document
from support.workload_plans import TRAIN, objects_of, workload_plan

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.plan import parse_plan
from pulumi_gke_tpu.core.rules import check_plan
from pulumi_gke_tpu.core.text.findings import format_path

TODAY = datetime.date(2026, 11, 20)

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


HEADS: dict[str, dict[str, Any]] = {
    "raycluster": {"kind": "raycluster"},
    "rayjob": {"kind": "rayjob", "command": ["run"]},
    "large ray": {"kind": "raycluster", "head": {"cpu": 15, "memory": "50Gi"}},
    "small ray": {"kind": "raycluster", "head": {"cpu": 3, "memory": "8Gi"}},
    "leader": {"kind": "leaderworkerset", "head": {}},
    "leader with requests": {"kind": "leaderworkerset", "head": {"cpu": 16}},
    "pathways": {"kind": "pathways"},
    "pathways with a large program": {"kind": "pathways", "head": {"cpu": 40}},
}
LARGE = ("TPU324", "TPU714")
MACHINES: dict[str, dict[str, Any]] = {
    "default system pool": {},
    "large system pool": {"system_pool": {"machine_type": "n2-standard-64"}},
    "a pool of just 8 CPUs": {"cpu_pools": {"a": {"machine_type": "n2-highmem-8"}}},
    "a pool of little memory": {"cpu_pools": {"a": {"machine_type": "n2-highcpu-32"}}},
    "a large pool": {"cpu_pools": {"a": {"machine_type": "n2-standard-64"}}},
    "the second pool is large": {
        "cpu_pools": {"a": {"machine_type": "n2-standard-4"}, "b": {"machine_type": "n2-standard-64"}}
    },
    "both pools are small": {
        "cpu_pools": {"a": {"machine_type": "n2-standard-4"}, "b": {"machine_type": "e2-standard-8"}}
    },
}


@pytest.mark.parametrize("machines", MACHINES)
@pytest.mark.parametrize("head", HEADS)
def test_a_head_that_fits_no_node_is_reported(head: str, machines: str, catalog: Catalog) -> None:
    """The nodes are those of the tests, which know from GKE's page what a node leaves to Pods."""
    cluster = dict(MACHINES[machines])
    if "cpu_pools" in cluster:
        cluster["cpu_pools"] = {name: {**one, "nodes": 1} for name, one in cluster["cpu_pools"].items()}
    plan = workload_plan({"g": TRAIN}, {"w": {"slices": "g", **HEADS[head]}}, addons=["ray_operator"], **cluster)
    result = check_plan(parse_plan(plan), catalog)
    assert result.fleet is not None
    nodes = [pool.node(0) for pool in pools_of(result.fleet.clusters[0])]
    pools = [
        NodePool(
            node["metadata"]["name"],
            1,
            node["metadata"]["labels"],
            tuple(node["spec"].get("taints", ())),
            node["status"]["allocatable"],
        )
        for node in nodes
    ]
    units = [unit for item in objects_of(plan, "workloads") for unit in units_of(item)]
    (spec,) = {
        id(pods): pods.spec for unit in units for pods in unit.pods if not pods.chips and pods.pod_set != "submitter"
    }.values()
    reported = {finding.rule for finding in result.findings} & {*LARGE}
    if any(hosts_for(spec, pool) for pool in pools):
        assert "TPU324" not in reported
    else:
        assert reported


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ("", "TPU324 kubernetes.workloads.run.kind"),
        ("head: {memory: 60Gi}", "TPU324 kubernetes.workloads.run.head.memory"),
        ("head: {cpu: 8, memory: 1Gi}", "TPU324 kubernetes.workloads.run.head.cpu"),
        ("head: {cpu: 1, memory: 1Gi}", None),
    ],
    ids=str,
)
def test_a_large_head_is_reported_at_what_it_requests(keys: str, expected: str | None, catalog: Catalog) -> None:
    text = f"{workload(f'kind: raycluster, {keys}')}\naddons: [ray_operator]"
    (finding, *others) = findings(text, catalog, rules=LARGE) or [None]
    assert others == []
    assert (finding and f"{finding.rule} {format_path(finding.path[2:])}") == expected
    assert finding is None or "n2-standard-4" in finding.message


@pytest.mark.parametrize("more", ["autoprovisioning: {cpu: 100, memory_gib: 100}", "mode: autopilot"])
def test_gke_creates_a_node_for_a_head(more: str, catalog: Catalog) -> None:
    mode = "autopilot" if more.startswith("mode") else "standard"
    text = f"{workload('kind: raycluster')}\naddons: [ray_operator]\n{'' if mode == 'autopilot' else more}"
    assert "TPU324" not in {finding.rule for finding in findings(text, catalog, mode, LARGE)}


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
