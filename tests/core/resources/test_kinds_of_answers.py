"""The kind of each resource in an answer of gcloud, by what every answer of the kind has."""

from typing import Any

import pytest

from pulumi_gke_tpu.core.graph.resource_types import ACCOUNT, CLUSTER, NODE_POOL
from pulumi_gke_tpu.core.resources.answers import is_answer, kind_of
from pulumi_gke_tpu.core.resources.model import INSTANCE_ERROR, OPERATION

LINK = "https://container.googleapis.com/v1/projects/p/locations/l/clusters/c"
NODES = {"config": {"machineType": "ct6e-standard-4t"}}


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        ({"name": "a", **NODES}, NODE_POOL),
        (NODES, ""),
        ({"name": "", **NODES}, ""),
        ({"name": "a", "config": {"other": 1}}, ""),
        ({"name": "a", "config": "x"}, ""),
        ({"selfLink": f"{LINK}/nodePools/a"}, NODE_POOL),
        ({"selfLink": LINK}, CLUSTER),
        ({"name": "c", "currentMasterVersion": "1.34"}, CLUSTER),
        ({"currentMasterVersion": "1.34"}, ""),
        ({"name": "c", "nodePools": []}, CLUSTER),
        ({"name": "c", "nodePools": {}}, ""),
        ({"name": "projects/p/serviceAccounts/a@p.iam.gserviceaccount.com", "email": "a@p"}, ACCOUNT),
        ({"name": "projects/p/serviceAccounts/a@p.iam.gserviceaccount.com"}, ""),
        ({"operationType": "CREATE_CLUSTER", "targetLink": LINK}, OPERATION),
        ({"operationType": "CREATE_CLUSTER"}, ""),
        ({"error": {}, "instanceActionDetails": {}}, INSTANCE_ERROR),
        ({"name": "a", **NODES, "apiVersion": "v1"}, ""),
        ({"name": "a", **NODES, "kind": "compute#other"}, ""),
        ({"name": 1, **NODES}, ""),
        ([], ""),
    ],
)
def test_the_kind_of_a_resource_in_an_answer(data: Any, kind: str) -> None:
    assert kind_of(data) == kind
    assert is_answer(data) == is_answer([data]) == (bool(kind) or (data or {}).get("kind") == "compute#other")
