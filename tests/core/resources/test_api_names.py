"""What an answer of the API means in the provider's terms."""

from typing import Any

import pytest

from pulumi_gke_tpu.core.graph.resource_types import CLUSTER, NODE_POOL
from pulumi_gke_tpu.core.resources.api_names import properties_of


@pytest.mark.parametrize(
    ("answered", "scaling"),
    [
        ({"enabled": True}, {"minNodeCount": 0}),
        ({"enabled": True, "locationPolicy": "ANY"}, {"locationPolicy": "ANY", "minNodeCount": 0}),
        ({"enabled": True, "minNodeCount": 2}, {"minNodeCount": 2}),
        ({"enabled": True, "totalMaxNodeCount": 4}, {"totalMaxNodeCount": 4}),
        ({"enabled": False, "maxNodeCount": 4}, None),
        ({"maxNodeCount": 4}, None),
        ({"enabled": "true", "maxNodeCount": 4}, None),
        ({}, None),
    ],
)
def test_a_pool_is_autoscaled_only_where_that_is_enabled(answered: dict[str, Any], scaling: Any) -> None:
    """The API leaves out zeros, and reports limits of a pool that is no longer autoscaled."""
    assert properties_of(NODE_POOL, {"autoscaling": answered}).get("autoscaling") == scaling


@pytest.mark.parametrize(
    ("switch", "exclusions"), [({"enabled": True}, True), ({"enabled": False}, False), ({}, False), (True, False)]
)
def test_an_exclusion_of_a_pool_counts_only_where_it_is_enabled(switch: Any, exclusions: bool) -> None:
    found = properties_of(NODE_POOL, {"maintenancePolicy": {"exclusionUntilEndOfSupport": switch}})
    assert found["maintenancePolicies"] == [{"exclusionUntilEndOfSupports": [{"enabled": True}]} if exclusions else {}]
    assert "maintenancePolicy" not in found


@pytest.mark.parametrize(("autopilot", "mode"), [({"enabled": True}, True), ({"enabled": False}, None), ({}, None)])
def test_a_cluster_is_autopilot_only_where_that_is_enabled(autopilot: dict[str, Any], mode: Any) -> None:
    assert properties_of(CLUSTER, {"autopilot": autopilot, "nodePools": [{"name": "a"}]}).get("enableAutopilot") is mode


@pytest.mark.parametrize(
    ("answered", "path", "value"),
    [
        (
            {"autoscaling": {"autoprovisioningNodePoolDefaults": {"serviceAccount": "nodes@p", "diskSizeGb": 50}}},
            "clusterAutoscaling",
            {"autoProvisioningDefaults": {"serviceAccount": "nodes@p", "diskSize": 50}},
        ),
        (
            {"addonsConfig": {"rayOperatorConfig": {"enabled": True}}},
            "addonsConfig",
            {"rayOperatorConfigs": [{"enabled": True}]},
        ),
        ({"networkConfig": {"privateIpv6GoogleAccess": "BIDIRECTIONAL"}}, "privateIpv6GoogleAccess", "BIDIRECTIONAL"),
        (
            {"loggingConfig": {"componentConfig": {"enableComponents": ["WORKLOADS"]}}},
            "loggingConfig",
            {"enableComponents": ["WORKLOADS"]},
        ),
    ],
)
def test_the_names_of_the_api_are_those_of_the_provider(answered: dict[str, Any], path: str, value: Any) -> None:
    assert properties_of(CLUSTER, answered)[path] == value
