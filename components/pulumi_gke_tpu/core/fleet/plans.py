"""Several plans that are checked together, and their slice groups."""

from collections.abc import Iterable, Iterator

from pulumi_gke_tpu.core.fleet.checked import CheckedPlan
from pulumi_gke_tpu.core.fleet.model import Cluster, Fleet, SliceGroup
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.plan import Document, Plan
from pulumi_gke_tpu.core.text.findings import printable_path


@frozen
class PlanInFleet:
    """One of several plans, and what was derived from it."""

    document: Document[Plan]
    plan: Plan
    fleet: Fleet

    @property
    def name(self) -> str:
        """The name of the plan in messages: its file, else its project."""
        return printable_path(self.document.name or self.plan.project)


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
