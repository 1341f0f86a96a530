"""Rules about workloads that serve."""

import pytest
from support.kubernetes_plans import findings, told, workload

from pulumi_gke_tpu.core.catalog import Catalog

RUN = "kubernetes.workloads.run"
SCALED = "autoscale: {max: 4, metric: queue, target: 10}"
QUEUED = (
    "{queues: {q: {chips: {serve: 12}}}, workloads: {run: {slices: serve, image: vllm, kind: deployment, queue: q, "
)


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        (SCALED, []),
        ("autoscale: {min: 4, max: 4, metric: queue, target: 500m}", []),
        ("autoscale: {min: 4, max: 3, metric: queue, target: 10}", ["TPU574 autoscale.max"]),
        ("autoscale: {max: 4, metric: kubernetes.io|node|accelerator|duty_cycle, target: 0.5}", []),
        ("autoscale: {max: 4, metric: kubernetes.io/node/duty_cycle, target: 10}", ["TPU574 autoscale.metric"]),
        ("autoscale: {max: 4, metric: a%b, target: 10}", ["TPU574 autoscale.metric"]),
        ("autoscale: {max: 4, metric: '', target: 10}", ["TPU574 autoscale.metric"]),
        ("autoscale: {max: 4, metric: '..', target: 10}", ["TPU574 autoscale.metric"]),
        ("autoscale: {max: 4, metric: queue, target: 0}", ["TPU574 autoscale.target"]),
        ("autoscale: {max: 4, metric: queue, target: -1m}", ["TPU574 autoscale.target"]),
        (f"count: 1, {SCALED}", ["TPU574 count"]),
        ("autoscale: {max: 5, metric: queue, target: 10}", ["TPU703 autoscale.max"]),
        ("count: 2, disruption_budget: {max_unavailable: 1}", []),
        ("count: 2, disruption_budget: {min_available: 0}", []),
        ("count: 2, disruption_budget: {min_available: 1}", []),
        ("count: 2, disruption_budget: {}", ["TPU575 disruption_budget"]),
        (
            "count: 2, disruption_budget: {max_unavailable: 0, min_available: 9}",
            ["TPU575 disruption_budget.min_available"],
        ),
        ("count: 2, disruption_budget: {max_unavailable: 0}", ["TPU576 disruption_budget.max_unavailable"]),
        ("count: 2, disruption_budget: {min_available: 2}", ["TPU576 disruption_budget.min_available"]),
        (f"{SCALED}, disruption_budget: {{min_available: 1}}", ["TPU576 disruption_budget.min_available"]),
        (
            "autoscale: {min: 2, max: 4, metric: queue, target: 10}, disruption_budget: {min_available: 1}",
            [],
        ),
    ],
)
@pytest.mark.parametrize("kind", ["deployment", "leaderworkerset"])
def test_autoscaling_and_budgets(kind: str, keys: str, expected: list[str], catalog: Catalog) -> None:
    found = told(workload(f"kind: {kind}, {keys}", "serve"), catalog)
    assert [item.replace(f"{RUN}.", "") for item in found] == expected


def test_a_quota_must_have_room_for_the_highest_number_of_slices(catalog: Catalog) -> None:
    slices = "slices: {serve: {tpu: v6e, topology: 2x2, count: 4, zone: us-east5-b}}\nkubernetes: "
    for most, expected in ((3, []), (4, [f"TPU705 {RUN}.queue"])):
        plan = f"{slices}{QUEUED}autoscale: {{max: {most}, metric: queue, target: 10}}}}}}}}"
        assert told(plan, catalog) == expected


def test_the_name_of_a_metric_is_mended(catalog: Catalog) -> None:
    (found,) = findings(
        workload("kind: deployment, autoscale: {max: 4, metric: custom.googleapis.com/queue, target: 1}", "serve"),
        catalog,
    )
    assert "custom.googleapis.com|queue" in str(found.fix)


def test_keys_of_serving_are_for_kinds_that_can_be_scaled(catalog: Catalog) -> None:
    for kind in ("job", "jobset", "raycluster", "rayjob", "pathways"):
        found = told(workload(f"kind: {kind}, {SCALED}, disruption_budget: {{max_unavailable: 1}}", "serve"), catalog)
        assert {f"TPU713 {RUN}.autoscale", f"TPU713 {RUN}.disruption_budget"} <= set(found), kind


RAY_GROUP = "addons: [ray_operator]\nslices: {serve: {tpu: v6e, topology: 4x4, count: 3}}\nkubernetes: "
APPLICATIONS = "serve_config: 'applications: [{name: a, import_path: app}]'"


def ray_service(keys: str) -> str:
    return f"{RAY_GROUP}{{workloads: {{run: {{slices: serve, image: ray, kind: rayservice, {keys}}}}}}}"


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        (APPLICATIONS, []),
        ("count: 1", ["TPU577"]),
        ("serve_config: ''", ["TPU577 serve_config"]),
        ("serve_config: 'a: ['", ["TPU577 serve_config"]),
        ("serve_config: '[]'", ["TPU577 serve_config"]),
        ("serve_config: 'applications: []'", ["TPU577 serve_config"]),
        ("serve_config: 'applications: {name: a}'", ["TPU577 serve_config"]),
        ("serve_config: 'applications: [{name: a, import_path: app, args: {fast: yes}}]'", []),
        (f"count: 2, {APPLICATIONS}", ["TPU578 count"]),
        (f"count: 2, upgrade_strategy: none, {APPLICATIONS}", []),
        (f"count: 2, upgrade_strategy: new_cluster, {APPLICATIONS}", ["TPU578 count"]),
        (f"count: 4, {APPLICATIONS}", ["TPU703 count"]),
    ],
)
def test_ray_services(keys: str, expected: list[str], catalog: Catalog) -> None:
    found = told(ray_service(keys), catalog, "autopilot")
    assert [item.replace(f"{RUN}.", "").removesuffix(f" {RUN}") for item in found] == expected


def test_keys_of_ray_serve_are_for_ray_services(catalog: Catalog) -> None:
    found = told(workload(f"kind: deployment, upgrade_strategy: none, {APPLICATIONS}", "serve"), catalog)
    assert found == [f"TPU713 {RUN}.serve_config", f"TPU713 {RUN}.upgrade_strategy"]
