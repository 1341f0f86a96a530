"""A ComputeClass names what the stack of the same plan creates: the account of its nodes, and its workload policy."""

import pytest
import yaml
from support.rendered import values_of

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.fleet import derive
from pulumi_gke_tpu.core.graph.builders.standard import fleet_graph
from pulumi_gke_tpu.core.graph.resource_types import ACCOUNT, NODE_POOL, RESOURCE_POLICY
from pulumi_gke_tpu.core.kubernetes.compute_class import compute_classes
from pulumi_gke_tpu.core.plan import parse_plan

PLAN = """
version: 1
project: acme-ml
clusters:
  cubes:
    mode: MODE
    location: us-central1
    slices:
      cube:
        tpu: tpu7x
        topology: 4x4x4
        zone: us-central1-c
        fallback: [spot]
"""


@pytest.mark.parametrize(("mode", "own"), [("standard", False), ("standard", True), ("autopilot", False)])
def test_the_account_and_the_policy_of_a_class_are_created(mode: str, own: bool) -> None:
    data = yaml.safe_load(PLAN.replace("MODE", mode))
    if own:
        data["clusters"]["cubes"]["slices"]["cube"]["node_service_account"] = "create"
    document, catalog = parse_plan(data), read_catalog()
    assert document.content is not None, document.findings
    fleet = derive(document.content, catalog)
    graph = fleet_graph(data, fleet, catalog)
    (found,) = compute_classes(fleet.clusters[0], catalog)
    (email,) = values_of(found.object, "serviceAccount")
    accounts = {
        item.name: f"{item.inputs['accountId']}@acme-ml.iam.gserviceaccount.com" for item in graph.of_type(ACCOUNT)
    }
    assert email == accounts["cubes/cube" if own else "cubes"]
    (policy,) = graph.of_type(RESOURCE_POLICY)
    assert values_of(found.object, "policyName") == [policy.inputs["name"]] * 2
    assert [item.name for item in graph.of_type(NODE_POOL) if "cube/" in item.name] == []
