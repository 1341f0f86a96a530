"""Compares plans that are written as text, the way the command does: read, previewed, compared."""

import dataclasses
import datetime
import functools
import itertools
from collections.abc import Sequence

from pulumi_gke_tpu.core.catalog import Catalog, read_catalog
from pulumi_gke_tpu.core.graph.registered import PlanPreview
from pulumi_gke_tpu.core.plan import Document, Plan, parse_plan
from pulumi_gke_tpu.core.plan.inventory import Inventory
from pulumi_gke_tpu.core.rules import check_plan
from pulumi_gke_tpu.core.rules.engine.examples import whole_inventory, whole_plan
from pulumi_gke_tpu.core.text.findings import Finding
from pulumi_gke_tpu.core.text.yamlfile import parse_yaml
from pulumi_gke_tpu.core.workflows.preview import preview_checked
from pulumi_gke_tpu.features.diff.comparison.change_report import PlanPair, change_findings, diff_pairs
from pulumi_gke_tpu.features.diff.model import ChangeReport, ItemChange

TODAY = datetime.date(2026, 11, 20)


@functools.cache
def catalog() -> Catalog:
    return read_catalog()


def document(text: str, name: str = "plan.yaml") -> Document[Plan]:
    """A plan, a cluster body or a group body (see ``rules/engine/examples.py``), which must have the right form."""
    yaml = parse_yaml(whole_plan(text).encode("utf-8", "surrogatepass"), name)
    read = parse_plan(yaml.data)
    assert read.content is not None, read.findings
    assert not read.findings, read.findings
    return dataclasses.replace(read, name=name, yaml=yaml)


@functools.lru_cache(maxsize=64)
def preview(text: str, name: str = "plan.yaml", today: datetime.date | None = TODAY) -> PlanPreview:
    """A plan as it is previewed on a day. Previews are not changed, so the same text is previewed once."""
    return preview_checked(check_plan(document(text, name), catalog(), today), ())


def inventory(text: str) -> Inventory:
    """An inventory; version and date may be left out."""
    return Inventory.model_validate(parse_yaml(whole_inventory(text).encode(), "inventory.yaml").data)


def pairs_of(base: Sequence[PlanPreview], head: Sequence[PlanPreview]) -> list[PlanPair]:
    """The plans of both sides in the same order; those without a counterpart are new or gone."""
    return [PlanPair(*pair) for pair in itertools.zip_longest(base, head)]


def report(before: str, after: str, *, ack_from: str = "head", owned: str = "") -> ChangeReport:
    """What a change of one plan does. An empty text is a plan that is not there."""
    return diff_pairs(
        pairs_of([preview(before)] if before else [], [preview(after)] if after else []),
        catalog(),
        inventory=inventory(owned) if owned else None,
        today=TODAY,
        ack_from="base" if ack_from == "base" else "head",
    )


def items(before: str, after: str, **options: str) -> dict[str, ItemChange]:
    """The items that change, by name."""
    return {item.item: item for item in report(before, after, **options).items}


def only_item(before: str, after: str, **options: str) -> ItemChange:
    """The one item that changes."""
    (item,) = report(before, after, **options).items
    return item


def findings(before: str, after: str, *, most_hosts: int | None = None) -> tuple[Finding, ...]:
    """The findings about a change, with positions in the plan after it."""
    pairs = pairs_of([preview(before)], [preview(after)])
    found = change_findings(pairs, report(before, after), catalog(), today=TODAY, most_hosts=most_hosts)
    return document(after).locate(found["plan.yaml"])
