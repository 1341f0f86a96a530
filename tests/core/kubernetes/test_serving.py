"""The autoscaler and the disruption budget beside a workload that serves."""

from typing import Any

import pytest
from support.workload_plans import HEADS, objects_of, only, workload_plan

TARGETS = {
    "deployment": ("apps/v1", "Deployment"),
    "leaderworkerset": ("leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet"),
}
SHAPES = {"deployment": ["2x2"], "leaderworkerset": ["2x2", "4x4"]}
HOSTS = {"2x2": 1, "4x4": 4}


def objects(kind: str, topology: str = "2x2", mode: str = "standard", **workload: Any) -> list[Any]:
    group = {"tpu": "v6e", "topology": topology, "count": 5, **({"zone": "us-east5-b"} if mode == "standard" else {})}
    more = {"cpu_pools": {"heads": HEADS}} if mode == "standard" else {}
    plan = workload_plan({"one": group}, {"w": {"slices": "one", "kind": kind, **workload}}, mode=mode, **more)
    if mode == "autopilot":
        del plan["clusters"]["c"]["network"]
    return objects_of(plan, "workloads")


@pytest.mark.parametrize("mode", ["standard", "autopilot"])
@pytest.mark.parametrize("kind", TARGETS)
def test_the_autoscaler_sets_the_number_of_slices_and_the_object_does_not(kind: str, mode: str) -> None:
    found = objects(kind, mode=mode, autoscale={"min": 2, "max": 5, "metric": "queue", "target": 0.5})
    api_version, name = TARGETS[kind]
    assert "replicas" not in only(found, name)["spec"]
    scaler = only(found, "HorizontalPodAutoscaler")
    assert scaler["metadata"]["namespace"] == only(found, name)["metadata"]["namespace"]
    assert scaler["spec"] == {
        "scaleTargetRef": {"apiVersion": api_version, "kind": name, "name": "w"},
        "minReplicas": 2,
        "maxReplicas": 5,
        "metrics": [
            {
                "type": "Pods",
                "pods": {"metric": {"name": "queue"}, "target": {"type": "AverageValue", "averageValue": "500m"}},
            }
        ],
    }


@pytest.mark.parametrize("kind", TARGETS)
def test_without_autoscaling_the_object_has_the_number_of_slices(kind: str) -> None:
    found = objects(kind, count=3)
    assert only(found, TARGETS[kind][1])["spec"]["replicas"] == 3
    assert {item["kind"] for item in found} == {TARGETS[kind][1]}


@pytest.mark.parametrize("head", [None, {"image": "router:1"}])
@pytest.mark.parametrize(("kind", "topology"), [(kind, shape) for kind in SHAPES for shape in SHAPES[kind]])
def test_evictions_interrupt_as_many_slices_as_the_budget_says(
    kind: str, topology: str, head: dict[str, str] | None
) -> None:
    """Evictions one after the other, where each ends its slice before the next one, and all before any slice ends."""
    if kind == "deployment" and head:
        return
    slices, pods = 5, HOSTS[topology] + (1 if head else 0)
    for allowed in range(slices + 1):
        for key, value in (("max_unavailable", allowed), ("min_available", slices - allowed)):
            found = objects(
                kind, topology, count=slices, disruption_budget={key: value}, **({"head": head} if head else {})
            )
            limit = only(found, "PodDisruptionBudget")["spec"]
            least = limit["minAvailable"] if "minAvailable" in limit else slices * pods - limit["maxUnavailable"]
            healthy, interrupted = slices * pods, 0
            while healthy > 0 and healthy - 1 >= least:
                healthy, interrupted = healthy - pods, interrupted + 1
            assert interrupted == allowed, (key, value)
            if allowed == 1:
                assert slices * pods - least == 1, "two evictions before the slice ends would meet two slices"


@pytest.mark.parametrize("kind", TARGETS)
def test_the_budget_is_that_of_all_pods_of_the_workload(kind: str) -> None:
    found = objects(kind, disruption_budget={"max_unavailable": 1})
    (label,) = only(found, "PodDisruptionBudget")["spec"]["selector"]["matchLabels"].items()
    expected = {
        "deployment": ("app.kubernetes.io/name", "w"),
        "leaderworkerset": ("leaderworkerset.sigs.k8s.io/name", "w"),
    }
    assert label == expected[kind]


@pytest.mark.parametrize("mode", ["standard", "autopilot"])
@pytest.mark.parametrize("topology", ["2x2", "4x4"])
def test_a_ray_service_has_the_cluster_of_a_ray_cluster_and_a_port_for_clients(topology: str, mode: str) -> None:
    found = objects("rayservice", topology, mode, count=2, serve_config="applications: []\n", upgrade_strategy="none")
    (service,) = found
    assert (service["apiVersion"], service["kind"]) == ("ray.io/v1", "RayService")
    assert service["spec"]["serveConfigV2"] == "applications: []\n"
    assert service["spec"]["upgradeStrategy"] == {"type": "None"}
    cluster = only(objects("raycluster", topology, mode, count=2), "RayCluster")["spec"]
    assert service["spec"]["rayClusterConfig"]["workerGroupSpecs"] == cluster["workerGroupSpecs"]
    (head,) = service["spec"]["rayClusterConfig"]["headGroupSpec"]["template"]["spec"]["containers"]
    (other,) = cluster["headGroupSpec"]["template"]["spec"]["containers"]
    assert head.pop("ports") == [*other.pop("ports"), {"containerPort": 8000, "name": "serve"}]
    assert head == other


def test_the_cluster_of_a_ray_service_is_replaced_if_the_plan_says_nothing() -> None:
    (service,) = objects("rayservice", serve_config="applications: []")
    assert service["spec"]["upgradeStrategy"] == {"type": "NewCluster"}
