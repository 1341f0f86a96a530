"""The subnetwork that a plan expects to exist before its cluster."""

from typing import Any

import pytest
from support.shipped import TODAY

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.fleet.addresses import subnetwork_of
from pulumi_gke_tpu.core.plan import parse_plan
from pulumi_gke_tpu.core.rules import check_plan

NAMES = {"network": "shared", "subnetwork": "nodes"}
PATHS = {"network": "projects/host/global/networks/shared", "subnetwork": "nodes"}
OF_HOST = {**PATHS, "subnetwork": "projects/host/regions/us-east5/subnetworks/nodes"}


@pytest.mark.parametrize(
    ("keys", "wanted"),
    [
        ({}, ("acme-ml", "us-east5", "default")),
        ({"network": "create"}, None),
        ({"network": {"create": {}}}, None),
        ({"network": {"existing": NAMES}}, ("acme-ml", "us-east5", "nodes")),
        ({"network": {"existing": PATHS}}, ("host", "us-east5", "nodes")),
        ({"network": {"existing": OF_HOST}}, ("host", "us-east5", "nodes")),
        ({"existing": "projects/acme-ml/locations/us-east5/clusters/c", "location": None}, None),
    ],
)
def test_the_subnetwork_is_that_of_the_plan(keys: dict[str, Any], wanted: tuple[str, ...] | None) -> None:
    cluster = {"mode": "standard", "location": "us-east5", **keys}
    plan = {
        "version": 1,
        "project": "acme-ml",
        "clusters": {"c": {key: value for key, value in cluster.items() if value is not None}},
    }
    fleet = check_plan(parse_plan(plan), read_catalog(), TODAY).fleet
    assert fleet is not None
    found = subnetwork_of(fleet.clusters[0])
    assert (found and (found[0].project, found[0].region, found[0].name)) == wanted
