"""The table of docs/policy-pack.md: which kind of file can break which rule of the policy pack."""

import re
from collections.abc import Callable, Iterable, Iterator

import pytest
from support.documents import ROOT
from support.foreign_files import Made, answer, pulumi_state, terraform_plan, terraform_state
from support.raw_pools import CLUSTERS, EXAMPLES, HOSTS, REGIONAL, WRONG, changed, example

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.graph.resource_types import CLUSTER, NODE_POOL, RESOURCE_POLICY
from pulumi_gke_tpu.core.resource_rules.checker import RESOURCE_RULES, STACK_RULES
from pulumi_gke_tpu.core.resource_rules.files import check_resources
from pulumi_gke_tpu.core.resources.read import ResourceReader

SOURCES = (terraform_plan, terraform_state, pulumi_state, answer)
Write = Callable[[Iterable[Made]], bytes]
IRONWOOD = {
    "name": "cube-0",
    "nodeConfig": {"machineType": "tpu7x-standard-4t"},
    "placementPolicy": {"type": "", "policyName": "p", "tpuTopology": "4x4x4"},
}
CATALOG = read_catalog()
READER = ResourceReader(CATALOG)
TOGETHER = {"TPU165", "TPU168", "TPU237"}
"""Rules about several resources, or about two states of one; the table names them, other tests break them."""


def wrong(id: str) -> Iterator[Made]:
    """Resources that break a rule."""
    if id in WRONG:
        yield NODE_POOL, "main", changed(*WRONG[id])
    if id in CLUSTERS:
        yield CLUSTER, "train", {**REGIONAL, **CLUSTERS[id]}
    for rule in EXAMPLES:
        if rule.id == id:
            yield NODE_POOL, "main", {"name": "pretrain-0", **example(rule.failing)[0]}


def broken_in(id: str) -> tuple[str, ...]:
    """A column for each source."""

    def broken(made: Made, number: int) -> bool:
        resources = READER.read("fleet.json", SOURCES[number]([made]))
        assert resources is not None
        return any(finding.rule == id for finding in check_resources(resources.found, CATALOG))

    return tuple("yes" if any(broken(made, n) for made in wrong(id)) else "no" for n in range(len(SOURCES)))


def table() -> dict[str, tuple[str, ...]]:
    """Rule -> its columns in the page."""
    text = (ROOT / "docs" / "policy-pack.md").read_text("utf-8")
    found = {}
    for line in text[text.index("## The same rules for files") :].splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        for id in re.findall(r"TPU\d{3}", cells[0]) if line.startswith("| TPU") else ():
            found[id] = tuple(cells[1:5])
    return found


def test_the_page_names_every_rule_that_a_kind_of_file_cannot_break() -> None:
    ids = {rule.id for rule in (*RESOURCE_RULES, *STACK_RULES) if list(wrong(rule.id))} - TOGETHER
    found = {id: broken_in(id) for id in ids}
    exceptions = {id: columns for id, columns in found.items() if columns != ("yes",) * len(SOURCES)}
    assert {id: columns for id, columns in table().items() if id not in TOGETHER} == exceptions
    assert len(found) - len(exceptions) > 50


@pytest.mark.parametrize("write", SOURCES)
def test_a_node_pool_and_its_workload_policy_are_compared(write: Write) -> None:
    def rules(topology: str) -> set[str]:
        policy = {"type": "HIGH_THROUGHPUT", "acceleratorTopology": topology}
        made: list[Made] = [
            (RESOURCE_POLICY, "p", {"name": "p", "region": "us-central1", "workloadPolicy": policy}),
            (NODE_POOL, "main", {**HOSTS, **IRONWOOD}),
        ]
        resources = READER.read("fleet.json", write(made))
        assert resources is not None
        return {finding.rule for finding in check_resources(resources.found, CATALOG)}

    assert "TPU165" in rules("2x2x2")
    assert "TPU165" not in rules("4x4x4")
