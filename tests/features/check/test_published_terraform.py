"""Shapes of node pools as published Terraform modules for TPUs write them, in plans that create them."""

from typing import Any

import pytest
from support.foreign_files import POOL, module_plan

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.resource_rules.files import check_resources
from pulumi_gke_tpu.core.resources.read import ResourceReader
from pulumi_gke_tpu.core.text.findings import Finding, Severity

CATALOG = read_catalog()
NONE = [{"consume_reservation_type": "NO_RESERVATION"}]


def pool(machine_type: str, topology: str = "", **values: Any) -> dict[str, Any]:
    """A node pool with the values that rules read; the others are those of the example."""
    config = {"machine_type": machine_type, "reservation_affinity": NONE, **values.pop("node_config", {})}
    placement = [{"type": "COMPACT", "tpu_topology": topology}] if topology else []
    given = {**POOL, "initial_node_count": None, "node_config": [config], "placement_policy": placement, **values}
    return {name: value for name, value in given.items() if value not in (None, [])}


def findings(values: dict[str, Any], location: str, cluster: dict[str, Any] | None = None) -> list[Finding]:
    resources = ResourceReader(CATALOG).read("plan.json", module_plan(values, location=location, cluster=cluster))
    assert resources is not None
    return [*check_resources(resources.found, CATALOG)]


def found(severity: Severity, values: dict[str, Any], location: str) -> set[str]:
    return {item.rule for item in findings(values, location) if item.severity is severity}


WRONG = {
    "total limits of an autoscaled slice": (
        "TPU461",
        pool(
            "ct5lp-hightpu-4t",
            "4x8",
            node_locations=["us-west4-a"],
            initial_node_count=0,
            autoscaling=[{"total_min_node_count": 0, "total_max_node_count": 1, "location_policy": "ANY"}],
        ),
        "us-west4",
    ),
    "twice the hosts of the slice": (
        "TPU462",
        pool("ct5p-hightpu-4t", "4x12x16", node_locations=["us-east5-a"], initial_node_count=384),
        "us-east5",
    ),
    "a slice as large as the pod of TPUs": (
        "TPU113",
        pool("ct5p-hightpu-4t", "16x20x28", node_locations=["us-east5-a"], initial_node_count=2240),
        "us-east5",
    ),
    "a single host with a topology": (
        "TPU163",
        pool("ct5lp-hightpu-4t", "2x2", node_locations=["us-west4-a"], node_count=1),
        "us-west4",
    ),
}

DOUBTFUL = {
    "a policy without a topology": (
        "TPU164",
        pool(
            "ct5lp-hightpu-4t",
            node_locations=["us-west4-a"],
            node_count=64,
            placement_policy=[{"type": "COMPACT", "policy_name": "block-1"}],
        ),
        "us-west4",
    ),
    "periodic maintenance without a reservation": (
        "TPU331",
        pool(
            "ct5lp-hightpu-4t",
            "4x4",
            node_locations=["us-west4-a"],
            node_count=4,
            node_config={"host_maintenance_policy": [{"maintenance_interval": "PERIODIC"}]},
        ),
        "us-west4",
    ),
    "a zone that was built for one customer": (
        "TPU208",
        pool("ct5lp-hightpu-4t", "4x4", node_locations=["us-east5-b"], node_count=4),
        "us-east5",
    ),
    "no affinity": (
        "TPU365",
        pool("ct6e-standard-4t", "4x4", node_count=4, node_config={"reservation_affinity": []}),
        "us-east5",
    ),
}

RIGHT = {
    "a static slice": (pool("ct6e-standard-4t", "4x4", initial_node_count=4), "us-east5"),
    "a slice from zero": (
        pool("ct6e-standard-4t", "2x4", autoscaling=[{"min_node_count": 0, "max_node_count": 2}]),
        "us-east5",
    ),
    "single hosts with total limits": (
        pool(
            "ct5lp-hightpu-8t",
            node_locations=["us-west4-a"],
            initial_node_count=0,
            autoscaling=[{"total_min_node_count": 0, "total_max_node_count": 4, "location_policy": "ANY"}],
        ),
        "us-west4",
    ),
    "spot hosts": (pool("ct6e-standard-8t", node_count=1, node_config={"spot": True}), "us-east5"),
    "a large cube": (
        pool("ct4p-hightpu-4t", "8x8x8", node_locations=["us-central2-b"], initial_node_count=128),
        "us-central2",
    ),
}


@pytest.mark.parametrize("shape", WRONG)
def test_a_pool_that_gke_rejects_is_an_error(shape: str) -> None:
    rule, values, location = WRONG[shape]
    assert found(Severity.ERROR, values, location) == {rule}


@pytest.mark.parametrize("shape", DOUBTFUL)
def test_a_doubtful_pool_is_a_warning_only(shape: str) -> None:
    rule, values, location = DOUBTFUL[shape]
    assert found(Severity.WARNING, values, location) == {rule}
    assert found(Severity.ERROR, values, location) == set()


@pytest.mark.parametrize("shape", RIGHT)
def test_a_right_pool_has_no_finding(shape: str) -> None:
    values, location = RIGHT[shape]
    assert found(Severity.ERROR, values, location) == found(Severity.WARNING, values, location) == set()


def test_the_version_of_the_cluster_is_that_of_its_node_pools() -> None:
    values = pool("ct6e-standard-4t", node_count=1)
    assert findings(values, "us-east5") == []
    (item,) = findings(values, "us-east5", {"min_master_version": "1.28"})
    assert (item.rule, item.severity) == ("TPU232", Severity.ERROR)
    assert "module.gke.google_container_cluster.main: min_master_version" in item.message
    assert "`min_master_version` is 1.28" in item.message
