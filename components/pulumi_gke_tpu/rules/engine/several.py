"""Rules over several plans together: what they look at, how one is written, and how they are run."""

import datetime
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from typing_extensions import Unpack

from pulumi_gke_tpu.catalog import Catalog
from pulumi_gke_tpu.findings import Finding, printable, sort_findings
from pulumi_gke_tpu.fleet import Cluster, Fleet, SliceGroup
from pulumi_gke_tpu.fleet.checked import CheckedPlan
from pulumi_gke_tpu.plan import Document, Plan
from pulumi_gke_tpu.rules.engine.rule import Breakable, Hit, Rule, RuleTexts
from pulumi_gke_tpu.rules.engine.run import Acceptances, finding_of

C = TypeVar("C")


@dataclass(frozen=True)
class Member:
    """One of several plans, and what was derived from it."""

    document: Document[Plan]
    plan: Plan
    fleet: Fleet

    @property
    def name(self) -> str:
        """What messages call the plan: its file, else its project."""
        return printable(self.document.name or self.plan.project)


@dataclass(frozen=True)
class At:
    """A hit, and the document it belongs to: one of the plans, or the inventory."""

    document: Document[Any]
    hit: Hit


@dataclass(frozen=True)
class SeveralRule(Generic[C]):
    """A rule with a check that sees all plans at once."""

    rule: Rule
    check: Callable[[C], Iterable[At]]


def several_rule(
    id: str, breakable: Breakable, **texts: Unpack[RuleTexts]
) -> Callable[[Callable[[C], Iterable[At]]], SeveralRule[C]]:
    """Make a rule of a function that yields every place, in any of the documents, where the rule is broken."""
    return lambda check: SeveralRule(Rule(id, breakable=breakable, **texts), check)


def members(plans: Iterable[CheckedPlan]) -> tuple[Member, ...]:
    """The plans that could be read, in their order, each with its fleet."""
    return tuple(
        Member(item.document, item.plan, item.fleet)
        for item in plans
        if item.plan is not None and item.fleet is not None
    )


def groups_of(plans: Iterable[Member]) -> Iterator[tuple[Member, Cluster, SliceGroup]]:
    """Every slice group of every plan, in order."""
    for member in plans:
        for cluster, group in member.fleet.groups():
            yield member, cluster, group


def run_rules(
    rules: Sequence[SeveralRule[C]], context: C, catalog: Catalog, today: datetime.date | None
) -> tuple[Finding, ...]:
    """Every finding of the rules, with its place in the file it belongs to, sorted. Plans accept warnings as ever."""
    found: list[Finding] = []
    acceptances: dict[int, Acceptances] = {}
    for item in rules:
        for at in item.check(context):
            content = at.document.content
            finding = finding_of(item.rule, at.hit, catalog, content)
            if isinstance(content, Plan):
                if id(content) not in acceptances:
                    acceptances[id(content)] = Acceptances(content, today)
                finding = acceptances[id(content)].applied(finding)
            found += at.document.locate([finding])
    return sort_findings(found)
