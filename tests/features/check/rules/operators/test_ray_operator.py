"""The operator of Ray: GKE's add-on, or the releases that the plan installs."""

import pytest
import yaml
from support.manifests import broken
from support.workload_plans import TRAIN, checked, workload_plan

from pulumi_gke_tpu.features.workloads.manifests import manifests_of
from pulumi_gke_tpu.features.workloads.text import manifest_stream


@pytest.mark.parametrize("kind", ["raycluster", "rayjob", "rayservice"])
@pytest.mark.parametrize(
    ("more", "expected"),
    [({}, ["TPU775"]), ({"addons": ["ray_operator"]}, []), ({"operators": {"cert_manager": {}, "kuberay": {}}}, [])],
    ids=["neither", "add-on", "operators"],
)
def test_ray_needs_one_of_its_operators(kind: str, more: dict, expected: list[str]) -> None:
    serve = {"serve_config": "applications: [{name: llm, import_path: app}]"} if kind == "rayservice" else {}
    kubernetes = {key: value for key, value in more.items() if key == "operators"}
    work = {"w": {"slices": "train", "kind": kind, "command": ["run"], **serve}}
    if serve:
        del work["w"]["command"]
    cluster = {key: value for key, value in more.items() if key == "addons"}
    plan = workload_plan({"train": {**TRAIN, "count": 2}}, work, kubernetes=kubernetes, **cluster)
    (found,) = manifests_of(checked(plan))
    assert broken(manifest_stream(found.manifests), plan=yaml.safe_dump(plan)) == expected
