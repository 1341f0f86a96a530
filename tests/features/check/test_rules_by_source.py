"""The page "Rules by source": of which resources of other tools each rule speaks, and why of no others."""

import datetime
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from support.described_sources import made_by
from support.each import each
from support.foreign_files import Made, Properties, answer, attributes, pulumi_state, terraform_plan
from support.objects_of_tools import crossplane_lists
from support.plan_edits import document
from support.raw_pools import CLUSTERS, REGIONAL, WRONG, changed, example

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.graph.resource_types import CLUSTER, NODE_POOL, RESOURCE_POLICY
from pulumi_gke_tpu.core.objects import ManifestFile
from pulumi_gke_tpu.core.resource_rules.files import check_resources
from pulumi_gke_tpu.core.rules import Rule, check_plan
from pulumi_gke_tpu.core.rules.engine.discovery import rules_of
from pulumi_gke_tpu.core.rules.engine.examples import files_of
from pulumi_gke_tpu.core.rules.engine.rule import Scope
from pulumi_gke_tpu.core.text.yamlfile import parse_yaml
from pulumi_gke_tpu.features.check.resource_files import sorted_files
from pulumi_gke_tpu.features.explain.reference.rules_by_source import TOOLS, silence

CATALOG = read_catalog()
TODAY = datetime.date(2026, 11, 20)
Write = Callable[[Iterable[Made]], bytes]
WRITERS: Mapping[str, Write] = {
    "terraform": terraform_plan,
    "pulumi": pulumi_state,
    "gcloud": answer,
    "objects": crossplane_lists,
}
LAUNCH = {"exclusionName": "launch", "startTime": "2026-12-01T00:00:00Z", "endTime": "2026-12-20T00:00:00Z"}
ONLY_TPU = {"enabled": True, "resourceLimits": [{"resourceType": "tpu-v6e-slice", "maximum": "64"}]}
"""GKE refuses limits without those of CPU and memory."""
CUBE = {
    "name": "cubes-0",
    "initialNodeCount": 15,
    "nodeConfig": {
        "machineType": "tpu7x-standard-4t",
        "labels": {"cloud.google.com/gke-accelerator-topology-mode": "PROVISION_ONLY"},
    },
}
OTHERS: Mapping[str, list[Made]] = {
    "TPU470": [(NODE_POOL, "cubes-0", CUBE)],
    "TPU021": [(CLUSTER, "train", {**REGIONAL, "clusterAutoscaling": ONLY_TPU})],
    "TPU601": [(CLUSTER, "train", {**REGIONAL, "maintenancePolicy": {"maintenanceExclusions": [LAUNCH, LAUNCH]}})],
}
"""Faults that neither an example of a rule nor the tables of wrong resources have."""


def faulty(rule: Rule[Any]) -> Iterator[list[Made]]:
    """Resources that break a rule."""
    if rule.scope is Scope.PLAN:
        yield from of_plan(rule)
    else:
        data = parse_yaml(rule.failing.encode(), "example").data
        kinds = {"cluster": CLUSTER, "policy": RESOURCE_POLICY}
        pool = {"name": "pretrain-0", **example(rule.failing)[0]}
        yield [*((kinds[key], key, data[key]) for key in kinds.keys() & data.keys()), (NODE_POOL, "main", pool)]
    if rule.id in WRONG:
        yield [(NODE_POOL, "main", changed(*WRONG[rule.id]))]
    if rule.id in CLUSTERS:
        yield [(CLUSTER, "train", {**REGIONAL, **CLUSTERS[rule.id]})]
    if rule.id in OTHERS:
        yield OTHERS[rule.id]


def of_plan(rule: Rule[Any]) -> Iterator[list[Made]]:
    """The resources of the example of a rule, if a plan with the fault can be derived."""
    try:
        read = document(files_of(rule.failing).plans[0])
    except AssertionError:
        return
    checked = check_plan(read, CATALOG, TODAY, rules=())
    if checked.fleet is not None:
        yield made_by(checked)


def found(made: list[Made], tool: str, before: Properties | None = None) -> set[str]:
    """The rules that report something about resources, of which the last one had other properties before."""
    content = WRITERS[tool](made)
    if before is not None and tool == "pulumi":
        content = pulumi_state([(NODE_POOL, "main", before)], made)
    elif before is not None and tool == "terraform":
        data = json.loads(content)
        data["resource_changes"][-1]["change"] |= {"actions": ["update"], "before": attributes(NODE_POOL, before)}
        content = json.dumps(data).encode()
    given = sorted_files([ManifestFile("fleet.json", content)], CATALOG)
    return {finding.rule for finding in check_resources(given.found, CATALOG, TODAY)}


def speaks(rule: Rule[Any], tool: str) -> bool:
    if rule.plans_only:
        return False
    before = parse_yaml(rule.failing.encode(), "example").data.get("stored") if rule.scope is Scope.STACK else None
    return any(rule.id in found(made, tool, before) for made in faulty(rule))


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
            assert ("TPU470" in found(made, tool)) is expected, nodes
