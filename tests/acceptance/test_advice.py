"""No printed fix replaces or deletes anything without saying so, and none leaves an invalid plan."""

import dataclasses
import datetime
import functools
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest
import yaml
from support.each import each
from support.fleets import adoptions, fleets
from support.plan_edits import TODAY, catalog
from support.sampling import SELECTION, sample
from support.shipped import NAMES, STACKS

from pulumi_gke_tpu.core.fleet.checked import CheckedPlan
from pulumi_gke_tpu.core.plan import read_inventory_content, read_organization_content, read_plan_content
from pulumi_gke_tpu.core.rules import all_rules, check_plan
from pulumi_gke_tpu.core.rules.engine.examples import ExampleFiles, files_of
from pulumi_gke_tpu.core.text.findings import Finding, Severity
from pulumi_gke_tpu.core.workflows.check import check_documents
from pulumi_gke_tpu.core.workflows.fixing import fixed_text
from pulumi_gke_tpu.core.workflows.preview import preview_checked
from pulumi_gke_tpu.features.adopt.files import plan_text
from pulumi_gke_tpu.features.diff.comparison.change_report import PlanPair, diff_pairs

ENOUGH, OFTEN = (60 if SELECTION.everything else 15), 2
"""Advice about valid plans, at least; and findings of one rule that are tried, of new and of adopted resources."""
ELSEWHERE = ("component", "manifests", "rendered manifests")
"""What breaks the rules that are about no plan."""
SAID = ("the fix replaces", "the fix deletes", "cannot be changed later")


@dataclass(frozen=True)
class Advice:
    """A finding about a plan that can exist, and the plan."""

    source: str
    plan: CheckedPlan = field(repr=False)
    text: str = field(repr=False)
    finding: Finding = field(repr=False)
    today: datetime.date = field(repr=False)

    def __str__(self) -> str:
        return f"{self.finding.rule} in {self.source}: {self.finding.fix}"


@functools.cache
def advice() -> list[Advice]:
    return list(_advice())


def _advice() -> Iterator[Advice]:
    tried: Counter[tuple[str, bool]] = Counter()
    for source, files, today in sample(examples(), 250):
        adopted = "adopted: true" in files.plans[0]
        for found in advised(source, files, today):
            tried[found.finding.rule, adopted] += 1
            if tried[found.finding.rule, adopted] <= OFTEN:
                yield found


def examples() -> Iterator[tuple[str, ExampleFiles, datetime.date]]:
    for rule in all_rules():
        if rule.scope.breakable not in ELSEWHERE:
            files = files_of(rule.failing)
            today = datetime.date.fromisoformat(rule.today) if rule.today else TODAY
            for number, plan in enumerate(files.plans):
                others = tuple(other for other in files.plans if other is not plan)
                ordered = dataclasses.replace(files, plans=(plan, *others))
                yield f"{rule.id} {number}", ordered, today
                yield from ((f"{rule.id} {number}", each, today) for each in adopted_too(ordered))
    for fleet in fleets():
        for adoption in adoptions(fleet):
            if adoption.plan.get("clusters"):
                yield fleet.name, ExampleFiles((plan_text(adoption),)), TODAY
    for name in NAMES:
        yield name, ExampleFiles(((STACKS / name / "plan.yaml").read_text(encoding="utf-8"),)), TODAY


def adopted_too(files: ExampleFiles) -> Iterator[ExampleFiles]:
    """The same with everything in the plan adopted, where that is possible."""
    try:
        data: Any = yaml.safe_load(files.plans[0])
        for cluster in data["clusters"].values():
            cluster["adopted"] = True
            for group in cluster.get("slices", {}).values():
                group["adopted"] = True
    except (AttributeError, KeyError, TypeError, yaml.YAMLError):
        return
    yield dataclasses.replace(files, plans=(yaml.safe_dump(data, sort_keys=False), *files.plans[1:]))


def advised(source: str, files: ExampleFiles, today: datetime.date) -> Iterator[Advice]:
    """The fixes in a plan without errors of its own, also those that follow from other files."""
    plan, *others = (read_plan_content(text.encode(), f"{at}.yaml") for at, text in enumerate(files.plans))
    checked = check_plan(plan, catalog(), today)
    if not is_valid(checked):
        return
    inventory = read_inventory_content(files.inventory.encode(), "inventory.yaml") if files.inventory else None
    standards = read_organization_content(files.organization.encode(), "o.yaml") if files.organization else None
    for finding in check_documents([plan, *others], inventory, catalog(), today, standards).findings:
        if finding.change is not None and finding.position is not None and finding.position.file == plan.name:
            yield Advice(source, checked, files.plans[0], finding, today)


def is_valid(checked: CheckedPlan) -> bool:
    return checked.fleet is not None and all(each.severity is not Severity.ERROR for each in checked.findings)


@each("one", advice)
def test_a_fix_says_what_it_replaces(one: Advice) -> None:
    text, applied = fixed_text(one.text, [one.finding])
    if not applied:
        pytest.skip("written by hand")
    after = check_plan(read_plan_content(text.encode(), one.plan.document.name), catalog(), one.today)
    assert is_valid(after), [str(each.message) for each in after.findings if each.severity is Severity.ERROR]
    assert one.plan.fleet is not None
    pair = PlanPair(preview_checked(one.plan, ()), preview_checked(after, ()))
    items = diff_pairs([pair], catalog(), today=one.today).items
    lost = [item.item for item in items if item.change in ("replace", "delete", "refused")]
    said = any(word in f"{one.finding.message} {one.finding.why} {one.finding.fix}" for word in SAID)
    assert said or not lost, f"nothing says that {lost} are replaced or deleted"
    if said and any(cluster.groups for cluster in one.plan.fleet.clusters):
        assert lost, "nothing is replaced, contrary to the text"


def test_there_is_enough_advice() -> None:
    assert len(advice()) >= ENOUGH
