"""Checks a change of a plan the way the command does: both plans read and previewed, and the outcome compared."""

import dataclasses
import datetime
import functools

from pulumi_gke_tpu.core.catalog import Catalog, read_catalog
from pulumi_gke_tpu.core.graph.registered import PlanPreview
from pulumi_gke_tpu.core.plan import Document, Plan, parse_plan
from pulumi_gke_tpu.core.plan.inventory import Inventory
from pulumi_gke_tpu.core.rules import check_plan
from pulumi_gke_tpu.core.rules.engine.examples import files_of, whole_plan
from pulumi_gke_tpu.core.text.findings import Finding
from pulumi_gke_tpu.core.text.yamlfile import parse_yaml
from pulumi_gke_tpu.core.workflows.preview import preview_checked
from pulumi_gke_tpu.features.diff.comparison.change_report import PlanPair, change_findings, diff_pairs

TODAY = datetime.date(2026, 11, 20)


@functools.cache
def facts() -> Catalog:
    return read_catalog()


def read(text: str) -> Document[Plan]:
    yaml = parse_yaml(text.encode(), "plan.yaml")
    document = parse_plan(yaml.data)
    assert document.content is not None
    return dataclasses.replace(document, name="plan.yaml", yaml=yaml)


@functools.lru_cache(maxsize=32)
def previewed(text: str, today: datetime.date) -> PlanPreview:
    return preview_checked(check_plan(read(text), facts(), today), ())


def change_of(
    before: str, after: str, *, today: datetime.date = TODAY, most_hosts: int | None = None, owned: str = ""
) -> tuple[Finding, ...]:
    """Everything that is wrong with going from one plan, or part of one, to another."""
    texts = (whole_plan(before), whole_plan(after))
    pairs = [PlanPair(*(previewed(text, today) for text in texts))]
    inventory = Inventory.model_validate(parse_yaml(owned.encode(), "inventory.yaml").data) if owned else None
    report = diff_pairs(pairs, facts(), inventory=inventory, today=today)
    found = change_findings(pairs, report, facts(), today=today, most_hosts=most_hosts)
    return read(texts[1]).locate(found["plan.yaml"])


def change_in(example: str, today: datetime.date) -> tuple[Finding, ...]:
    """The findings about the change in an example of a rule: its first plan is the old one."""
    files = files_of(example)
    before, after = files.plans
    return change_of(before, after, today=today, owned=files.inventory or "")


def errors_in(example: str, today: datetime.date) -> list[Finding]:
    """The findings about the plans of an example, without the change."""
    found = []
    for text in files_of(example).plans:
        found += check_plan(read(text), facts(), today).findings
    return found
