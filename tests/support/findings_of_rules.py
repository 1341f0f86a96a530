"""What every rule finds in its failing example, and in the resources of other tools that break it."""

import datetime
import json
import pathlib
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from support.described_sources import made_by
from support.foreign_files import Made, Properties, answer, attributes, pulumi_state, terraform_plan
from support.manifests import findings_of_example
from support.objects_of_tools import crossplane_lists
from support.plan_edits import document
from support.raw_pools import CLUSTERS, REGIONAL, WRONG, changed, example
from support.several import findings_about
from support.transitions import change_in

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.graph.resource_types import CLUSTER, NODE_POOL, RESOURCE_POLICY
from pulumi_gke_tpu.core.objects import ManifestFile
from pulumi_gke_tpu.core.plan import read_plan_content
from pulumi_gke_tpu.core.resource_rules.files import check_resources
from pulumi_gke_tpu.core.rules import Rule, all_rules, check_plan
from pulumi_gke_tpu.core.rules.engine.examples import files_of, manifest_files_of, whole_plan
from pulumi_gke_tpu.core.rules.engine.rule import Scope
from pulumi_gke_tpu.core.text.findings import Finding
from pulumi_gke_tpu.core.text.yamlfile import parse_yaml
from pulumi_gke_tpu.features.check.resource_files import sorted_files
from pulumi_gke_tpu.features.workloads.manifests import manifests_of
from pulumi_gke_tpu.features.workloads.rendered import compare_files

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


def findings_of_examples() -> Iterator[tuple[Rule[Any], Finding]]:
    """Every finding in the failing example of each rule about plans, manifests, changes and several files."""
    with tempfile.TemporaryDirectory() as folder:
        for rule in all_rules():
            yield from ((rule, finding) for finding in of_example(rule, pathlib.Path(folder)))


def of_example(rule: Rule[Any], folder: pathlib.Path) -> Iterable[Finding]:
    """The findings in the failing example of a rule; none for an example of another kind."""
    today = datetime.date.fromisoformat(rule.today) if rule.today else TODAY
    match rule.scope.breakable:
        case "plan":
            return check_plan(
                read_plan_content(whole_plan(rule.failing).encode(), "plan.yaml"), CATALOG, today
            ).findings
        case "manifests":
            return findings_of_example(rule.failing)
        case "rendered manifests":
            files = manifest_files_of(rule.failing)
            checked = check_plan(read_plan_content((files.plan or "").encode(), "plan.yaml"), CATALOG)
            (cluster,) = manifests_of(checked)
            content = [ManifestFile("objects.yaml", files.manifests.encode())]
            return compare_files(checked.document, cluster.manifests, content, CATALOG)
        case "change":
            return change_in(rule.failing, today)
        case "inventory" | "fleet" | "organization":
            return findings_about(rule.failing, CATALOG, folder, today, alone=True)
        case _:
            return ()


def findings_in_resources(rule: Rule[Any], tool: str) -> tuple[Finding, ...]:
    """What all rules find in resources that break a rule, as a tool writes them."""
    before = parse_yaml(rule.failing.encode(), "example").data.get("stored") if rule.scope is Scope.STACK else None
    return tuple(finding for made in faulty(rule) for finding in found_in(made, tool, before))


def faulty(rule: Rule[Any]) -> Iterator[list[Made]]:
    """Resources that break a rule."""
    if rule.scope is Scope.PLAN:
        yield from _of_plan(rule)
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


def _of_plan(rule: Rule[Any]) -> Iterator[list[Made]]:
    """The resources of the example of a rule, if a plan with the fault can be derived."""
    try:
        read = document(files_of(rule.failing).plans[0])
    except AssertionError:
        return
    checked = check_plan(read, CATALOG, TODAY, rules=())
    if checked.fleet is not None:
        yield made_by(checked)


def found_in(made: list[Made], tool: str, before: Properties | None = None) -> tuple[Finding, ...]:
    """What is found in resources, of which the last one had other properties before."""
    content = WRITERS[tool](made)
    if before is not None and tool == "pulumi":
        content = pulumi_state([(NODE_POOL, "main", before)], made)
    elif before is not None and tool == "terraform":
        data = json.loads(content)
        data["resource_changes"][-1]["change"] |= {"actions": ["update"], "before": attributes(NODE_POOL, before)}
        content = json.dumps(data).encode()
    given = sorted_files([ManifestFile("fleet.json", content)], CATALOG)
    return tuple(check_resources(given.found, CATALOG, TODAY))
