"""The page "Rules by source": of which resources of other tools each rule speaks, and why of no others."""

from typing import Any

from support.each import each
from support.findings_of_rules import CUBE, WRITERS, findings_in_resources, found_in
from support.raw_pools import changed

from pulumi_gke_tpu.core.graph.resource_types import NODE_POOL, RESOURCE_POLICY
from pulumi_gke_tpu.core.rules import Rule
from pulumi_gke_tpu.core.rules.engine.discovery import rules_of
from pulumi_gke_tpu.core.rules.engine.rule import Scope
from pulumi_gke_tpu.features.explain.reference.rules_by_source import TOOLS, silence


def speaks(rule: Rule[Any], tool: str) -> bool:
    return not rule.plans_only and any(finding.rule == rule.id for finding in findings_in_resources(rule, tool))


def test_each_rule_checks_the_sources_that_the_page_names() -> None:
    """Every rule about a plan and about node pools, through its own example."""
    rules = rules_of(Scope.PLAN, Scope.POOL, Scope.STACK)
    stated = {rule.id: [tool for tool in WRITERS if not silence(rule, tool)] for rule in rules}
    measured = {rule.id: [tool for tool in WRITERS if speaks(rule, tool)] for rule in rules}
    assert list(WRITERS) == list(TOOLS)
    assert [(id, measured[id], stated[id]) for id in stated if measured[id] != stated[id]] == []


@each("tool", WRITERS)
def test_a_cube_has_the_nodes_of_a_cube_in_every_source(tool: str) -> None:
    """By its label or by its workload policy."""
    mode = {"acceleratorTopology": "4x4x4", "acceleratorTopologyMode": "PROVISION_ONLY"}
    place = {"region": "us-central1", "project": "acme-ml"}
    policy = {"name": "cubes", **place, "workloadPolicy": {"type": "HIGH_THROUGHPUT", **mode}}
    by_policy = {"project": "acme-ml", "placementPolicy": {"policyName": "cubes"}}
    placed = {**changed(CUBE, {"nodeConfig.labels": None}), **by_policy}
    for nodes, expected in ((15, True), (16, False), (17, True)):
        for made in (
            [(NODE_POOL, "main", {**CUBE, "initialNodeCount": nodes})],
            [(RESOURCE_POLICY, "cubes", policy), (NODE_POOL, "main", {**placed, "initialNodeCount": nodes})],
        ):
            assert any(each.rule == "TPU470" for each in found_in(made, tool)) is expected, nodes
