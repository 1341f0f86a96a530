"""Rules about gateways in front of workloads."""

from typing import Any

import pytest
from support.gateways import EXTERNAL, INTERNAL, KINDS, SHAPES, gateway_plan

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.plan import parse_plan
from pulumi_gke_tpu.core.rules import check_plan
from pulumi_gke_tpu.core.text.findings import Severity, format_path

OURS = ("TPU85", "TPU561", "TPU713", "TPU233")


def told(plan: dict[str, Any]) -> list[str]:
    """The rule, with its severity unless it is an error, and the path below the workload or the cluster."""
    document = parse_plan(plan)
    assert document.findings == ()
    found = check_plan(document, read_catalog(), None).findings
    return [
        f"{item.rule}{'' if item.severity is Severity.ERROR else f' {item.severity.name.lower()}'} "
        + format_path(item.path).removeprefix("clusters.c.").removeprefix("kubernetes.workloads.chat.gateway.")
        for item in found
        if item.rule.startswith(OURS)
    ]


@pytest.mark.parametrize(
    ("mode", "state", "expected"),
    [
        ("standard", "standard", []),
        ("standard", "disabled", ["TPU850 gateway_api"]),
        ("standard", None, ["TPU850 kubernetes.workloads.chat.gateway"]),
        ("autopilot", "standard", []),
        ("autopilot", "disabled", ["TPU850 gateway_api"]),
        ("autopilot", None, []),
    ],
)
def test_a_gateway_needs_the_gateway_api(mode: str, state: str | None, expected: list[str]) -> None:
    plan = gateway_plan("deployment", "2x2", mode, "plain")
    del plan["clusters"]["c"]["gateway_api"]
    if state is not None:
        plan["clusters"]["c"]["gateway_api"] = state
    assert told(plan) == expected


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ({}, []),
        ({"class_name": "gke-l7-gxlb"}, []),
        ({"class_name": "gke-l7-rilb-mc"}, ["TPU851 class_name"]),
        ({"class_name": "istio"}, ["TPU851 class_name"]),
        ({"class_name": ""}, ["TPU851 class_name"]),
        ({"hosts": ["a.example", "*.a.example"]}, []),
        ({"hosts": ["a.example", "a.example"]}, ["TPU853 hosts[1]"]),
        ({"hosts": ["10.0.0.1"]}, ["TPU853 hosts[0]"]),
        ({"hosts": [f"h{number}.example" for number in range(17)]}, ["TPU853 hosts"]),
        ({"hosts": ["https://a.example/chat", "A.example"]}, ["TPU853 hosts[0]", "TPU853 hosts[1]"]),
        ({"health_path": "health"}, ["TPU857 health_path"]),
        ({"health_path": ""}, ["TPU857 health_path"]),
        ({"health_path": "/a b"}, ["TPU857 health_path"]),
        ({"health_path": "/ready?model=a"}, []),
        ({"timeout": "1s"}, []),
        ({"timeout": "0s"}, ["TPU857 timeout"]),
        ({"tls_secret": "Chat"}, ["TPU561 tls_secret"]),
        ({"tls_secret": ""}, ["TPU561 tls_secret"]),
    ],
)
@pytest.mark.parametrize("kind", KINDS)
def test_values_of_a_gateway(kind: str, keys: dict[str, Any], expected: list[str]) -> None:
    for topology in SHAPES[kind]:
        assert told(gateway_plan(kind, topology, "standard", "plain", **keys)) == expected


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ({}, []),
        ({"class_name": INTERNAL}, []),
        ({"class_name": "gke-l7-gxlb"}, ["TPU852 warning inference_pool"]),
        ({"class_name": "gke-l7-global-external-managed"}, ["TPU852 warning inference_pool"]),
        ({"class_name": "other"}, ["TPU851 class_name"]),
        ({"health_path": "/health"}, []),
        ({"health_path": "/ready"}, ["TPU857 health_path"]),
        ({"timeout": "5m"}, ["TPU857 timeout"]),
        ({"inference_pool": {"version": "v1.0.0"}}, ["TPU858 inference_pool.version"]),
        ({"inference_pool": {"version": "latest"}}, ["TPU858 inference_pool.version"]),
    ],
)
@pytest.mark.parametrize("mode", ["standard", "autopilot"])
def test_values_beside_an_inference_pool(mode: str, keys: dict[str, Any], expected: list[str]) -> None:
    for kind in ("deployment", "leaderworkerset"):
        assert told(gateway_plan(kind, "2x2", mode, "pool", **keys)) == expected


def test_a_pool_needs_pods_that_have_labels_of_the_plan() -> None:
    plan = gateway_plan("rayservice", "2x2", "standard", "plain", inference_pool={})
    assert told(plan) == ["TPU855 inference_pool"]


@pytest.mark.parametrize("kind", ["deployment", "leaderworkerset"])
def test_a_gateway_needs_a_port(kind: str) -> None:
    plan = gateway_plan(kind, "2x2", "standard", "plain")
    del plan["clusters"]["c"]["kubernetes"]["workloads"]["chat"]["port"]
    assert told(plan) == ["TPU855 kubernetes.workloads.chat.gateway"]


@pytest.mark.parametrize("kind", ["job", "jobset", "raycluster", "rayjob", "pathways"])
def test_other_kinds_have_no_gateway(kind: str) -> None:
    plan = gateway_plan("deployment", "2x2", "standard", "plain")
    chat = plan["clusters"]["c"]["kubernetes"]["workloads"]["chat"]
    del chat["port"]
    chat["kind"] = kind
    assert told(plan) == ["TPU713 kubernetes.workloads.chat.gateway"]


def test_two_gateways_do_not_share_a_host() -> None:
    plan = gateway_plan("deployment", "2x2", "standard", "plain", hosts=["a.example", "b.example"])
    workloads = plan["clusters"]["c"]["kubernetes"]["workloads"]
    other = {**workloads["chat"]["gateway"], "hosts": ["c.example", "b.example"]}
    workloads["other"] = {**workloads["chat"], "gateway": other}
    assert told(plan) == ["TPU854 warning kubernetes.workloads.other.gateway.hosts[1]"]


def test_names_of_pickers_do_not_collide() -> None:
    plan = gateway_plan("deployment", "2x2", "standard", "pool")
    workloads = plan["clusters"]["c"]["kubernetes"]["workloads"]
    for length, expected in ((40, []), (41, ["TPU858"])):
        plan["clusters"]["c"]["kubernetes"]["workloads"] = {"x" * length: workloads["chat"]}
        assert [item.partition(" ")[0] for item in told(plan)] == expected


@pytest.mark.parametrize(
    ("version", "expected"),
    [("1.34.0-gke.1626000", []), ("1.33", ["TPU233 warning min_version"]), ("1.35", [])],
)
@pytest.mark.parametrize("mode", ["standard", "autopilot"])
def test_old_versions_of_gke_do_not_have_the_kind(mode: str, version: str, expected: list[str]) -> None:
    plan = gateway_plan("deployment", "2x2", mode, "pool")
    plan["clusters"]["c"]["min_version"] = version
    assert [item for item in told(plan) if not item.startswith("TPU850")] == expected


def test_an_existing_cluster_may_have_the_gateway_api() -> None:
    plan = gateway_plan("deployment", "2x2", "standard", "plain", class_name=EXTERNAL)
    cluster = plan["clusters"]["c"]
    for key in ("gateway_api", "network", "addons", "min_version", "cpu_pools", "name", "location"):
        cluster.pop(key, None)
    cluster["existing"] = "projects/acme-ml/locations/us-east5/clusters/c1"
    assert told(plan) == []
