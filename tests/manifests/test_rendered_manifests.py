"""`check` is silent on what `manifests` renders, alone and with the plan."""

from typing import Any

import pytest
import yaml
from support.workload_plans import TRAIN, checked, workload_plan

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.objects import ManifestFile
from pulumi_gke_tpu.core.text.findings import Severity
from pulumi_gke_tpu.features.check.manifest_check import check_manifests
from pulumi_gke_tpu.features.workloads.manifests import manifests_of

ONE_HOST = {"tpu": "v6e", "topology": "2x2", "zone": "us-east5-b"}
KINDS = ("job", "jobset", "leaderworkerset", "deployment", "raycluster", "rayjob", "pathways")
ROWS = [
    pytest.param(kind, group, id=f"{kind} on {name}")
    for kind in KINDS
    for name, group in (("four hosts", TRAIN), ("one host", ONE_HOST))
    if kind != "deployment" or group is ONE_HOST  # a rule about plans rejects Deployments on several hosts
]
QUEUES = {"queues": {"research": {}}, "priority_classes": {"high": {"value": 1000}}}
HEADS = {"cpu_pools": {"cpu": {"machine_type": "n2-standard-64", "min_nodes": 0, "max_nodes": 2}}}


def found(plan: dict[str, Any], *, compared: bool) -> list[str]:
    result = checked(plan)
    objects = [item.object for cluster in manifests_of(result) for item in cluster.manifests]
    assert objects
    text = yaml.safe_dump_all(objects).encode()
    mode: Any = plan["clusters"]["c"]["mode"]
    findings = check_manifests(
        [ManifestFile("rendered.yaml", text)], read_catalog(), result if compared else None, mode
    )
    return [f"{item.rule}: {item.message}" for item in findings if item.severity is not Severity.NOTE]


@pytest.mark.parametrize("compared", [False, True], ids=["alone", "with the plan"])
@pytest.mark.parametrize("mode", ["standard", "autopilot"])
@pytest.mark.parametrize(("kind", "group"), ROWS)
def test_rendered_workloads_have_no_findings(kind: str, mode: str, group: dict[str, Any], compared: bool) -> None:
    cluster = {"addons": ["ray_operator"], **(HEADS if mode == "standard" else {})}
    workload = {"kind": kind, "slices": "main", "queue": "research", "priority": "high"}
    plan = workload_plan({"main": {**group, "count": 2}}, {"a": workload}, mode=mode, kubernetes=QUEUES, **cluster)
    assert found(plan, compared=compared) == []


SERVERS: dict[str, Any] = {
    "no program": {"headless": True},
    "pinned": {"tag": "jax-0.9.2"},
    "elastic": {"elastic": {"slices": 1, "max_restarts": 2}},
    "sidecar": {"python_sidecar": {"image": "a/sidecar:1"}, "worker": {"args": ["--a=1"], "env": {"A": "1"}}},
}


@pytest.mark.parametrize("compared", [False, True], ids=["alone", "with the plan"])
@pytest.mark.parametrize("mode", ["standard", "autopilot"])
@pytest.mark.parametrize("servers", SERVERS)
def test_servers_of_pathways_have_no_findings(servers: str, mode: str, compared: bool) -> None:
    cluster = HEADS if mode == "standard" else {}
    workload = {"kind": "pathways", "slices": "main", "count": 2, "pathways": SERVERS[servers], "queue": "research"}
    plan = workload_plan({"main": {**TRAIN, "count": 2}}, {"a": workload}, mode=mode, kubernetes=QUEUES, **cluster)
    assert found(plan, compared=compared) == []


CAPACITIES: dict[str, Any] = {
    "on demand": {},
    "Spot": {"capacity": "spot"},
    "flex-start": {"capacity": {"flex_start": {"max_run_duration": "1d"}}, "min": 0, "max": 1},
    "queued capacity": {"capacity": {"flex_start": {"queued": True, "max_run_duration": "1d"}}, "min": 0, "max": 1},
    "a reservation": {"capacity": {"reservation": "r"}},
    "a class": {"fallback": ["spot"]},
}


@pytest.mark.parametrize("compared", [False, True], ids=["alone", "with the plan"])
@pytest.mark.parametrize("mode", ["standard", "autopilot"])
@pytest.mark.parametrize("capacity", CAPACITIES)
def test_rendered_capacity_modes_have_no_findings(capacity: str, mode: str, compared: bool) -> None:
    plan = workload_plan({"main": {**TRAIN, **CAPACITIES[capacity]}}, {"a": {"slices": "main"}}, mode=mode)
    assert found(plan, compared=compared) == []
