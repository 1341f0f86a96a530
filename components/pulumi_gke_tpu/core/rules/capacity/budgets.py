"""Checks of budgets and of what shares a reservation: TPU376, TPU870 to TPU874."""

import itertools
import re
from collections.abc import Iterable, Iterator

from pulumi_gke_tpu.core.catalog.records.facts import note_by_id
from pulumi_gke_tpu.core.fleet import ChipBudget, SliceGroup
from pulumi_gke_tpu.core.fleet.budgets import Budgets, region_of_group, unused_budgets
from pulumi_gke_tpu.core.rules.engine.context import PlanContext
from pulumi_gke_tpu.core.rules.engine.rule import Hit, of_groups, rule, warning
from pulumi_gke_tpu.core.text.findings import SetKeys, Severity, did_you_mean, listed, number, quoted
from pulumi_gke_tpu.core.text.patterns import lazy_pattern

_SOURCE = "gke-tpu: budgets"
_KEYS = ("budgets.*.reservation", "budgets.*.spot", "budgets.*.region")
_NAME = lazy_pattern(r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\Z", re.ASCII)


def _plan(budgets: str, second: str = "count: {max: 4}, capacity: {reservation: ours}") -> str:
    return f"""version: 1
project: acme-ml
budgets: {{{budgets}}}
clusters:
  train:
    mode: standard
    location: us-east5
    slices:
      single: {{tpu: v6e, topology: 1x1, zone: us-east5-a, count: {{max: 32}}, capacity: {{reservation: ours}}}}
      eight: {{tpu: v6e, topology: 2x4, chips_per_host: 8, zone: us-east5-a, {second}}}
"""


_OURS = "v6e: {chips: 32, reservation: ours}"
_QUEUE = "    kubernetes: {queues: {team: {chips: {v6e: 32}}}}\n"


def _groups(context: PlanContext) -> Iterator[tuple[SliceGroup, str]]:
    """Every slice group with its region."""
    for cluster, group in context.fleet.groups():
        yield group, region_of_group(cluster, group)


@rule(
    "TPU870",
    plans_only="it is about entries that only a plan has",
    about=("budgets", *_KEYS, *of_groups("capacity.reservation.name", "capacity.spot")),
    otherwise={Severity.WARNING: "if no queue names it"},
    title="Budget without slice groups",
    why="slice groups draw from a budget by their capacity: the reservation, or Spot VMs of the generation. A budget "
    "that no group draws from limits nothing, and queues cannot use it",
    fix="Use the `reservation` or the generation of the slice groups that share the chips, or remove the budget.",
    source=_SOURCE,
    failing=_plan("v6e: {chips: 32, reservation: our}") + _QUEUE,
    passing=_plan(_OURS) + _QUEUE,
)
def unused_budget(context: PlanContext) -> Iterable[Hit]:
    if context.fleet.unresolved or context.plan.unread:
        return  # the groups with errors can be those of the budget
    unused, named_by_queues = unused_budgets(context.fleet), _named_by_queues(context)
    reserved = (group.plan.capacity.reservation for group, _ in _groups(context))
    named = tuple(sorted({item.name for item in reserved if item is not None}))
    for budget in context.fleet.budgets:
        if budget.name not in unused:
            continue
        reservation, spot = budget.plan.reservation, budget.plan.spot
        severity = None if budget.name in named_by_queues else Severity.WARNING
        if spot is not None and spot not in context.catalog.generation_names:
            known = context.catalog.generation_names
            near = did_you_mean(spot, known)
            yield Hit.unknown(
                (*budget.path, "spot"),
                "TPU generation",
                spot,
                severity=severity,
                allowed=tuple(known),
                fix=SetKeys.of(spot=near) if near else None,
            )
            continue
        regions = sorted(
            {region for group, region in _groups(context) if group.plan.capacity.spot and group.plan.tpu == spot}
        )
        if spot is not None and regions:
            yield Hit(
                (*budget.path, "region"),
                f"no slice group draws from budget {quoted(budget.name)}: those with Spot VMs of {spot} are in "
                f"{listed(regions)}",
                severity=severity,
                allowed=tuple(regions),
                fix=SetKeys.of(region=regions[0]),
            )
            continue
        near = did_you_mean(reservation.name, named) if reservation is not None else ""
        key = "spot" if reservation is None else "reservation"
        yield Hit(
            (*budget.path, key),
            f"no slice group draws from budget {quoted(budget.name)}",
            severity=severity,
            allowed=named if reservation is not None else (),
            fix=SetKeys.of(reservation=near) if near else None,
        )


def _named_by_queues(context: PlanContext) -> set[str]:
    """The slice groups and budgets of which a queue or cohort states chips."""
    plans = [cluster.plan.kubernetes for cluster in context.fleet.clusters if cluster.plan.kubernetes is not None]
    queues = [queue for plan in plans for queue in plan.queues.values()]
    cohorts = [cohort for plan in plans for cohort in plan.cohorts.values()]
    stated = [(item.chips, item.borrow, item.lend) for item in queues]
    stated += [(item.chips, item.borrow, item.lend) for item in cohorts]
    return {name for parts in stated for part in parts for name in part}


@rule(
    "TPU871",
    plans_only="it is about entries that only a plan has",
    about=_KEYS,
    title="Slice group draws from several budgets",
    why="the chips of a slice group count in one budget. Budgets with the same chips count them twice",
    fix="Remove one of the budgets, or give each one a block or a region of its own.",
    source=_SOURCE,
    failing=_plan(f"{_OURS}, other: {{chips: 16, reservation: {{name: ours}}}}"),
    passing=_plan(_OURS),
)
def overlapping_budgets(context: PlanContext) -> Iterable[Hit]:
    reported, budgets = set[str](), Budgets(context.fleet.budgets, context.plan.project)
    for group, region in _groups(context):
        for budget in itertools.islice(budgets.of(group.plan, region), 1, None):
            if group.budget is not None and budget.name not in reported:
                reported.add(budget.name)
                both = f"budgets {quoted(group.budget.name)} and {quoted(budget.name)} both have the chips of"
                yield Hit(budget.path, f"{both} {quoted(group.key)}")


@warning(
    "TPU376",
    plans_only="only a plan says that slice groups share a reservation",
    about=of_groups("capacity.reservation.name", "tpu", "zone"),
    title="Reservation in several zones or of several generations",
    why="a reservation is a resource of one zone, and its VMs have one machine family. One of the same name in another "
    "zone is another reservation, and a budget counts the chips of both as those of one",
    fix="Name the reservation of each zone and generation, and give each a budget of its own.",
    references=["compute-api-client", "compute-api-discovery"],
    failing=_plan(_OURS).replace("us-east5-a", "us-east5-b", 1),
    passing=_plan(_OURS),
)
def reservation_of_several_kinds(context: PlanContext) -> Iterable[Hit]:
    fact = note_by_id(context.catalog.capacity.notes, "reservation-one-zone")
    by_place: dict[tuple[str, ...], SliceGroup] = {}
    by_budget: dict[str, SliceGroup] = {}
    for _, group in context.fleet.groups():
        reservation, path = group.plan.capacity.reservation, (*group.path, "capacity", "reservation")
        if reservation is None:
            continue
        name = quoted(reservation.name)
        for zone in group.zones:
            place = (reservation.project or context.plan.project, reservation.name, zone)
            other = by_place.setdefault(place, group)
            if other.shape.generation != group.shape.generation:
                both = f"{quoted(other.key)} of {other.shape.generation}, {quoted(group.key)} of"
                yield Hit(path, f"reservation {name} is of one generation: {both} {group.shape.generation}")
                break
        other = by_budget.setdefault(group.budget.name, group) if group.budget is not None else group
        if other.zones and group.zones and set(other.zones).isdisjoint(group.zones):
            both = f"{quoted(other.key)} is in {listed(other.zones)}, {quoted(group.key)} in {listed(group.zones)}"
            yield Hit(path, f"reservation {name} of a budget is in one zone: {both}", fact=fact)


@warning(
    "TPU872",
    plans_only="it is about entries that only a plan has",
    about=(*_KEYS, *of_groups("capacity.reservation", "fallback")),
    title="Slice group uses the chips of a budget and is not in it",
    why="GKE gives the slice group chips of the budget, and sums and queues do not count them there: they count more "
    "chips than exist",
    fix="Use another reservation or block for the slice group, or remove `fallback`. Or accept the warning, and set "
    "`chips` of the budget to what the slice group leaves.",
    source=_SOURCE,
    failing=_plan(_OURS, "count: {max: 4}, capacity: {reservation: ours}, fallback: [spot]"),
    passing=_plan(_OURS),
)
def chips_outside_budget(context: PlanContext) -> Iterable[Hit]:
    budgets = Budgets(context.fleet.budgets, context.plan.project)
    for group, region in _groups(context):
        reached = {budget.name for budget in budgets.reached_by(group.plan, region)}
        for budget in budgets.near(group.plan) if group.budget is None else ():
            named = f"{quoted(group.key)} can use the chips of budget {quoted(budget.name)}"
            if budget.name in reached and group.plan.fallback:
                yield Hit((*group.path, "fallback"), f"{named}, but not only these because of its `fallback`")
            elif budget.name not in reached and _surrounds(group, budget, context.plan.project):
                part = "sub-block" if budget.plan.reservation and budget.plan.reservation.sub_block else "block"
                yield Hit((*group.path, "capacity"), f"{named}, because its `capacity` names no {part}")


def _surrounds(group: SliceGroup, budget: ChipBudget, project: str) -> bool:
    """Whether a group can use a whole reservation or block, and a budget has a part of it."""
    whole, part = group.plan.capacity.reservation, budget.plan.reservation
    if whole is None or part is None or (whole.project or project) != (part.project or project):
        return False
    if whole.name != part.name or part.block is None:
        return False
    return whole.block is None or (whole.block == part.block and whole.sub_block is None and part.sub_block is not None)


@rule(
    "TPU873",
    plans_only="it is about entries that only a plan has",
    about=("budgets", "clusters.*.slices"),
    title="Invalid name of a budget",
    why="queues name budgets beside slice groups in `chips`, `borrow` and `lend`. The name is also in the name of a "
    "ResourceFlavor and in the value of a taint: at most 63 lower-case letters, digits and hyphens",
    fix="Use another name: lower-case letters, digits and hyphens, and not that of a slice group.",
    source=_SOURCE,
    failing=_plan("single: {chips: 32, reservation: ours}"),
    passing=_plan(_OURS),
)
def invalid_budget_name(context: PlanContext) -> Iterable[Hit]:
    groups = {key: cluster.key for cluster in context.fleet.clusters for key in cluster.plan.slices}
    for budget in context.fleet.budgets:
        if not _NAME.match(budget.name):
            yield Hit.invalid(budget.path, "budget name", budget.name)
        elif budget.name in groups:
            same = f"a slice group of {quoted(groups[budget.name])} has this name"
            yield Hit.invalid(budget.path, "budget name", budget.name, same)


@rule(
    "TPU874",
    plans_only="it is about entries that only a plan has",
    about=("budgets.*.chips", *of_groups("count", "min")),
    title="Slice groups need more chips than their budget has",
    why="these nodes exist whether Pods use them or not, so they cannot all be created",
    fix="Raise `chips` of the budget, or lower `count` or `min` of the slice groups.",
    source=_SOURCE,
    failing=_plan(_OURS, "count: 8, capacity: {reservation: ours}"),
    passing=_plan(_OURS),
)
def slices_exceed_budget(context: PlanContext) -> Iterable[Hit]:
    by_budget: dict[str, list[SliceGroup]] = {budget.name: [] for budget in context.fleet.budgets}
    for group, _ in _groups(context):
        if group.budget is not None:
            by_budget[group.budget.name].append(group)
    for budget in context.fleet.budgets:
        groups, chips = by_budget[budget.name], budget.plan.chips
        always = [group for group in groups if group.pools]  # on Autopilot, nodes exist only for Pods
        least = budget.cubes + sum(group.chips.minimum for group in always)
        if least > chips:
            parts = [f"{quoted(group.key)} {group.chips.minimum:,}" for group in always if group.chips.minimum]
            names = listed([*parts, *([f"cubes {budget.cubes:,}"] if budget.cubes else [])], most=4)
            has = f"budget {quoted(budget.name)} has {chips:,}"
            yield Hit(
                (*budget.path, "chips"),
                f"its slice groups always have {number(least, 'chip')} ({names}), but {has}",
                fix=SetKeys.of(chips=least),
            )
            continue
        for group in groups:
            if group.shape.chips > budget.chips and group.slices.maximum:
                one = f"one slice of {quoted(group.key)} has {number(group.shape.chips, 'chip')}"
                yield Hit((*budget.path, "chips"), f"{one}, but budget {quoted(budget.name)} has {budget.chips:,}")
                break
