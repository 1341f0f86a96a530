"""Pathways with every form of its servers in the real server, in both modes: JobSets, and the Pods of their Jobs."""

from typing import Any

import pytest
from support.control_plane.expansion import expand, sample_pods
from support.control_plane.testbed import Testbed
from support.workload_plans import HEADS, objects_of, workload_plan

pytestmark = pytest.mark.usefixtures("crds")

SLICES = {"main": {"tpu": "v6e", "topology": "4x4", "zone": "us-east5-b", "count": 2}}
SERVER = {"image": "us-docker.pkg.dev/acme-ml/pathways/server:1", "args": ["--a=1"], "env": {"A": "1"}}
SIDECAR = {**SERVER, "image": "us-docker.pkg.dev/acme-ml/pathways/sidecar:1"}
FORMS: dict[str, dict[str, Any]] = {
    "without a program": {"tag": "jax-0.9.2", "headless": True},
    "elastic": {"elastic": {"slices": 1, "max_restarts": 2}},
    "every server": {"proxy": SERVER, "resource_manager": SERVER, "worker": SERVER, "python_sidecar": SIDECAR},
    "without a program, with a sidecar": {"headless": True, "python_sidecar": SIDECAR},
}


@pytest.mark.parametrize("mode", ["standard", "autopilot"])
@pytest.mark.parametrize("form", FORMS)
def test_the_server_accepts_every_form_of_pathways(bed: Testbed, form: str, mode: str) -> None:
    volumes = {"data": {"mount": "/data", "empty_dir": True}}
    run = {"slices": "main", "kind": "pathways", "count": 2, "volumes": volumes, "pathways": FORMS[form]}
    pools = {"cpu_pools": {"heads": HEADS}} if mode == "standard" else {}
    items = objects_of(workload_plan(SLICES, {"w": run}, mode=mode, **pools), "workloads")
    core = [part for item in items for part in expand(item, bed.namespace)]
    pods = list(sample_pods(core))
    assert {item["metadata"]["labels"]["jobset.sigs.k8s.io/replicatedjob-name"] for item in pods} == {"head", "worker"}
    everything = [*items, *core, *pods]
    assert [(item["kind"], words) for item in everything if (words := bed.refusal(item))] == []
