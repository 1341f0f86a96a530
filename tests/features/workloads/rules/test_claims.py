"""Rules about workloads whose chips the TPU DRA driver allocates."""

import pytest
from support.kubernetes_plans import findings

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.text.findings import Severity

RULES = ("TPU328", "TPU329", "TPU711")


def plan(group: str, workload: str, driver: str = "dynamic_resource_allocation") -> str:
    slices = f"slices: {{g: {{zone: us-east5-b, driver_mode: {driver}, {group}}}}}"
    work = f"workloads: {{run: {{slices: g, image: a, {workload}}}}}"
    return f"min_version: '1.35'\n{slices}\nkubernetes: {{queues: {{team: {{}}}}, {work}}}"


@pytest.mark.parametrize(
    ("group", "workload", "expected"),
    [
        ("tpu: v6e, topology: 2x2", "kind: job", []),
        ("tpu: v6e, topology: 2x2", "queue: team", ["TPU328"]),
        ("tpu: v6e, topology: 4x4", "kind: jobset", ["TPU329"]),
        ("tpu: v6e, topology: 4x4", "queue: team", ["TPU328", "TPU329"]),
        ("tpu: tpu7x, topology: 2x2x1", "containers: 2", ["TPU711"]),
        ("tpu: v6e, topology: 4x4, capacity: queued, count: {max: 1}", "queue: team", ["TPU328", "TPU329"]),
    ],
    ids=str,
)
def test_what_claims_cannot_do_is_a_warning(group: str, workload: str, expected: list[str], catalog: Catalog) -> None:
    found = findings(plan(group, workload), catalog, rules=RULES)
    assert sorted(one.rule for one in found) == expected
    assert {one.severity for one in found} <= {Severity.WARNING}
    assert findings(plan(group, workload, "device_plugin"), catalog, rules=RULES) == []


def test_queued_capacity_is_not_requested_for_claims(catalog: Catalog) -> None:
    group = "tpu: v6e, topology: 2x2, capacity: queued, count: {max: 1}"
    (found,) = findings(plan(group, "queue: team"), catalog, rules=("TPU328",))
    assert "does not request the queued capacity" in found.message


def test_kueue_counts_claims_if_gke_tpu_configures_it(catalog: Catalog) -> None:
    text = plan("tpu: v6e, topology: 2x2", "queue: team").replace("queues:", "operators: {kueue: {}}, queues:")
    assert findings(text, catalog, rules=("TPU328",)) == []
