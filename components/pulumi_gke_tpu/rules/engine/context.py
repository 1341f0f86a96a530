"""What the check of a rule looks at: one plan, one plan with its findings, or one of several plans."""

import datetime
from collections.abc import Iterable, Iterator

from pulumi_gke_tpu.catalog import Catalog
from pulumi_gke_tpu.findings import Finding, printable
from pulumi_gke_tpu.fleet import Cluster, Fleet, SliceGroup
from pulumi_gke_tpu.fleet.checked import CheckedPlan
from pulumi_gke_tpu.frozen import frozen
from pulumi_gke_tpu.plan import Document, Plan


@frozen
class PlanContext:
    """One plan and what was derived from it.

    ``today`` is the date that dates are compared with; without it, rules that need a clock report nothing.
    """

    plan: Plan
    catalog: Catalog
    fleet: Fleet
    today: datetime.date | None = None


@frozen
class PlanFindings:
    """One plan, and what the rules about plans found in it."""

    context: PlanContext
    findings: tuple[Finding, ...]


@frozen
class PlanInFleet:
    """One of several plans, and what was derived from it."""

    document: Document[Plan]
    plan: Plan
    fleet: Fleet

    @property
    def name(self) -> str:
        """The name of the plan in messages: its file, else its project."""
        return printable(self.document.name or self.plan.project)


def plans_in_fleet(plans: Iterable[CheckedPlan]) -> tuple[PlanInFleet, ...]:
    """The plans that could be read, in their order."""
    return tuple(
        PlanInFleet(checked.document, checked.document.content, checked.fleet)
        for checked in plans
        if checked.document.content is not None and checked.fleet is not None
    )


def groups_of(plans: Iterable[PlanInFleet]) -> Iterator[tuple[PlanInFleet, Cluster, SliceGroup]]:
    """Every slice group of every plan, in order."""
    for plan in plans:
        for cluster, group in plan.fleet.groups():
            yield plan, cluster, group
