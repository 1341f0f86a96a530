"""Which tool made a node pool, by its marks."""

import json
from typing import Any

import pytest

from pulumi_gke_tpu.core.against_plan.live import live_pools
from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.resources.read import ResourceReader
from pulumi_gke_tpu.features.adopt.makers import UNKNOWN_MAKER, maker_of

LINK = "https://container.googleapis.com/v1/projects/acme-ml/locations/us-east5/clusters/train"
MODULE = {"cluster_name": "train", "node_pool": "main"}


def made_by(name: str = "main", **keys: Any) -> str:
    pool = {"name": name, "selfLink": f"{LINK}/nodePools/{name}", "config": {"machineType": "ct6e-standard-4t"}}
    cluster = {"name": "train", "selfLink": LINK, "location": "us-east5", "nodePools": [{**pool, **keys}]}
    found = ResourceReader(read_catalog()).read("fleet.json", json.dumps(cluster).encode())
    assert found is not None
    (live,) = live_pools(found.found, read_catalog())
    return maker_of(live, read_catalog().other_tools.makers)


@pytest.mark.parametrize(
    ("name", "keys", "tool"),
    [
        ("main", {}, UNKNOWN_MAKER),
        ("train-np-0", {}, "xpk"),
        ("train-np-12", {}, "xpk"),
        ("train-np-", {}, UNKNOWN_MAKER),
        ("train-np-a", {}, UNKNOWN_MAKER),
        ("other-np-0", {}, UNKNOWN_MAKER),
        ("nap-ct6e-standard-4t-x1", {}, "node auto-provisioning"),
        ("main", {"config": {"resourceLabels": {"ghpc_role": "compute"}}}, "Cluster Toolkit"),
        ("main", {"config": {"labels": MODULE}}, "terraform-google-kubernetes-engine"),
        ("main", {"config": {"labels": {"node_pool": "main"}}}, UNKNOWN_MAKER),
        ("main", {"config": {"resourceLabels": {"goog-terraform-provisioned": "true"}}}, "Terraform"),
        (
            "main",
            {"config": {"resourceLabels": {"goog-terraform-provisioned": "true"}, "labels": MODULE}},
            "terraform-google-kubernetes-engine",
        ),
    ],
)
def test_the_first_tool_with_a_mark_made_the_node_pool(name: str, keys: dict[str, Any], tool: str) -> None:
    assert made_by(name, **keys) == tool
