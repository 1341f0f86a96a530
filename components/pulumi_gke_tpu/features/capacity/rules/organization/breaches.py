"""Finds what breaks a standard, before exemptions apply."""

from collections.abc import Iterator

from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.plan.organization import Standard
from pulumi_gke_tpu.features.capacity.rules.organization.sizes import Sum, excess_of
from pulumi_gke_tpu.features.capacity.rules.organization.uses import PlanPlace, Uses


@frozen
class Breach:
    """One place in a plan that breaks a standard."""

    place: PlanPlace
    message: str
    certain: bool
    """Whether the plan breaks the standard for certain, also at its smallest size."""
    why: str = ""
    allowed: tuple[str, ...] = ()
    among: tuple[PlanPlace, ...] = ()
    """The places that a sum consists of; empty if the breach is at one place alone."""


def breaches_of(standard: Standard, uses: Uses) -> Iterator[Breach]:
    """Every breach of a standard that is not about sums. Each use is checked once, at however many places it is."""
    for use, places in uses.get(standard.kind, {}).items():
        problem = use.problem(standard)
        if problem is not None:
            for place in places:
                yield Breach(place, problem.message, problem.certain, problem.why, problem.allowed)


def excesses_of(standard: Standard, sums: tuple[Sum, ...]) -> Iterator[Breach]:
    """Every sum that exceeds the limit of a standard."""
    assert standard.max is not None
    for total in sums:
        excess = excess_of(total, standard.max)
        if excess is not None:
            among = tuple(size.place for size in total.sizes)
            yield Breach(excess.place, excess.message, excess.certain, excess.why, among=among)
