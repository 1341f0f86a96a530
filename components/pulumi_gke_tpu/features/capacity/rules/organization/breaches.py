"""Finds what breaks a standard, before exemptions apply."""

from collections.abc import Callable, Iterator, Sequence

from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.plan.organization import KINDS, Kind, Standard
from pulumi_gke_tpu.core.text.findings import listed, printable, quoted
from pulumi_gke_tpu.core.text.formats.names import matches
from pulumi_gke_tpu.features.capacity.rules.organization.sizes import Sum, excess_of
from pulumi_gke_tpu.features.capacity.rules.organization.uses import (
    Capacities,
    Labels,
    Mode,
    Named,
    PlanPlace,
    Requirement,
    Use,
    UsedGeneration,
    UsedZones,
    Uses,
)

_SHOWN = 3


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


@frozen
class _Problem:
    """Why a standard does not allow a use."""

    message: str
    certain: bool = True
    why: str = ""
    allowed: tuple[str, ...] = ()


def breaches_of(standard: Standard, uses: Uses) -> Iterator[Breach]:
    """Every breach of a standard that is not about sums. Each use is checked once, at however many places it is."""
    for use, places in uses.get(standard.kind, {}).items():
        problem = _CHECKS[standard.kind](standard, use)
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


def _generations(standard: Standard, use: Use) -> _Problem | None:
    assert isinstance(use, UsedGeneration)
    if use.name in standard.generations:
        return None
    where = "node auto-provisioning may create nodes of it" if use.provisioned else ""
    return _Problem(f"generation {use.name} is not allowed", why=where, allowed=_shown(standard.generations))


def _zones(standard: Standard, use: Use) -> _Problem | None:
    assert isinstance(use, UsedZones)
    wrong = [zone for zone in (*use.given, *use.selected) if not matches(zone, standard.zones)]
    if use.given:
        if not wrong:
            return None
        zones = listed([printable(zone) for zone in wrong], most=_SHOWN)
        message = f"zone {zones} is not allowed" if len(wrong) == 1 else f"zones {zones} are not allowed"
        return _Problem(message, allowed=_shown(standard.zones))
    if use.selected and not wrong:
        return None
    message = f"GKE selects the zone in {printable(use.region)}, where not all zones are allowed"
    return _Problem(message, bool(use.selected) and len(wrong) == len(use.selected), allowed=_shown(standard.zones))


def _modes(standard: Standard, use: Use) -> _Problem | None:
    assert isinstance(use, Mode)
    if use.name in standard.modes:
        return None
    return _Problem(f"cluster mode {use.name} is not allowed", allowed=_shown(standard.modes))


def _capacities(standard: Standard, use: Use) -> _Problem | None:
    assert isinstance(use, Capacities)
    wrong = [mode for mode in use.modes if mode not in standard.capacities]
    if not wrong:
        return None
    modes = f"capacity mode {wrong[0]} is" if len(wrong) == 1 else f"capacity modes {listed(wrong)} are"
    if use.provisioned:
        why = "workloads choose the capacity mode of nodes that node auto-provisioning creates"
        return _Problem(f"{modes} not allowed", certain=False, why=why, allowed=_shown(standard.capacities))
    return _Problem(f"{modes} not allowed", allowed=_shown(standard.capacities))


def _labels(standard: Standard, use: Use) -> _Problem | None:
    assert isinstance(use, Labels)
    missing = [name for name in standard.labels if name not in use.names]
    if not missing:
        return None
    word = "label" if len(missing) == 1 else "labels"
    return _Problem(f"missing {word} {listed([quoted(name) for name in missing], most=_SHOWN)}")


def _requirement(standard: Standard, use: Use) -> _Problem | None:
    assert isinstance(use, Requirement)
    return _REQUIREMENTS[use.kind].get(use.state)


_REQUIREMENTS: dict[Kind, dict[str, _Problem]] = {
    "exclusion": {
        "missed": _Problem(
            "multi-host slices on a reservation have no maintenance exclusion that prevents upgrades of nodes",
            why="an exclusion counts until its end, with the scope no_upgrades or no_minor_or_node_upgrades",
        ),
        "unknown": _Problem(
            "the maintenance exclusions of the existing cluster are unknown",
            certain=False,
            why="they are set where the cluster is managed",
        ),
    },
    "private_nodes": {
        "missed": _Problem("nodes have external IP addresses"),
        "unknown": _Problem(
            "nodes of the existing cluster may have external IP addresses",
            certain=False,
            why="the setting of the cluster is unknown; set `private_nodes` to it",
        ),
    },
    "deletion_protection": {
        "missed": _Problem("the cluster has no deletion protection"),
        "lifted": _Problem("an `acknowledge` entry lifts the deletion protection of the cluster", certain=False),
    },
}


def _names(standard: Standard, use: Use) -> _Problem | None:
    assert isinstance(use, Named)
    assert standard.names is not None
    pattern = standard.names.clusters if use.of == "clusters" else standard.names.groups
    if pattern is None or matches(use.name, [pattern]):
        return None
    what = "cluster" if use.of == "clusters" else "slice group"
    return _Problem(f"{what} name {quoted(use.name)} does not match {quoted(pattern)}")


def _shown(allowed: Sequence[str]) -> tuple[str, ...]:
    return tuple(map(printable, allowed))


_CHECKS: dict[Kind, Callable[[Standard, Use], _Problem | None]] = {
    "generations": _generations,
    "zones": _zones,
    "modes": _modes,
    "capacities": _capacities,
    "labels": _labels,
    "exclusion": _requirement,
    "private_nodes": _requirement,
    "deletion_protection": _requirement,
    "names": _names,
}
assert {*_CHECKS, "max"} == {*KINDS}
