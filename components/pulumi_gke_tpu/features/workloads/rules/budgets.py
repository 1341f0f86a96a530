"""Checks of what Kueue admits to a budget, and of the nodes that its slice groups can have: TPU875 to TPU878."""

import functools
from collections.abc import Iterable, Iterator

from pulumi_gke_tpu.core.fleet import SliceGroup
from pulumi_gke_tpu.core.fleet.cohorts import most_together, parents_of
from pulumi_gke_tpu.core.fleet.model import ChipBudget
from pulumi_gke_tpu.core.fleet.workloads import Flavor, KubernetesObjects, Queue, flavor_key
from pulumi_gke_tpu.core.rules.engine.context import PlanContext
from pulumi_gke_tpu.core.rules.engine.rule import Hit, of_clusters, of_groups, rule, warning
from pulumi_gke_tpu.core.text.findings import SetKeys, Severity, listed, number, quoted
from pulumi_gke_tpu.features.workloads.rules.walk import clusters_with_objects

_SOURCE = "gke-tpu: sizes of slice groups and quotas of queues"
_COUNTS = ("count", "indices", "max", "min")
_QUOTAS = ("kubernetes.cohorts.*.chips", "kubernetes.queues.*.borrow", "kubernetes.queues.*.chips")
_MOST_GROUPS = 3
_BUDGETS = "budgets: {v6e: {chips: 32, reservation: ours}}\n"
_LENDING = "{{chips: {{{}: 16}}, cohort: ci}}, other: {{chips: {{{}: 16}}, cohort: ci}}"


def _plan(single: str, eight: str, queue: str = "{chips: {v6e: 32}}") -> str:
    return f"""version: 1
project: acme-ml
{_BUDGETS}clusters:
  train:
    mode: standard
    location: us-east5
    slices:
      single: {{tpu: v6e, topology: 1x1, zone: us-east5-a, count: {single}, capacity: {{reservation: ours}}}}
      eight: {{tpu: v6e, topology: 2x4, zone: us-east5-a, count: {eight}, capacity: {{reservation: ours}},
        chips_per_host: 8}}
    kubernetes: {{queues: {{team: {queue}}}}}
"""


_TWO = _plan("{max: 32}", "{max: 4}") + _plan("{max: 32}", "{max: 4}").partition("clusters:\n")[2].replace(
    "train:", "serve:"
)


def _budgets_of(found: KubernetesObjects) -> Iterator[tuple[Flavor, ChipBudget]]:
    """The budgets of the slice groups of a cluster. Those of a manager belong to its workers."""
    for flavor in () if found.cluster.workers else found.flavors:
        if flavor.budget is not None:
            yield flavor, flavor.budget


def _quotas_of(context: PlanContext) -> Iterator["_Quotas"]:
    """The budgets of each cluster that its queues have quota of."""
    for found in clusters_with_objects(context):
        for flavor, _ in _budgets_of(found):
            quotas = _Quotas(found, flavor)
            if quotas.trees:
                yield quotas


class _Quotas:
    """What queues admit to a budget together. Those of one cohort, and of its parents, share what they have."""

    def __init__(self, found: KubernetesObjects, flavor: Flavor) -> None:
        self._found, self.flavor = found, flavor
        self.trees: dict[str, list[Queue]] = {}
        self._beside: dict[tuple[int, int] | None, int] = {}
        for queue in found.queues:
            cohorts = parents_of(found, queue.plan.cohort)
            tree = f"cohort/{cohorts[-1]}" if cohorts else queue.name
            if any(quota.flavor.key == flavor.key for quota in queue.quotas):
                self.trees.setdefault(tree, []).append(queue)

    @functools.cached_property
    def admitted(self) -> dict[int, int]:
        """The chips of a slice -> those of all such slices that they can admit: no more, and all if nothing limits."""
        found = {}
        for each in {group.shape.chips for group in self.flavor.groups}:
            total = sum(most_together(self._found, queues, self.flavor, each) for queues in self.trees.values())
            found[each] = _whole(min(total, self.flavor.chips), each)
        return found

    @functools.cached_property
    def ranges(self) -> dict[str, tuple[int, int]]:
        """Slice group -> the chips that it always has, and the most that they admit to it."""
        return {
            group.key: (_always(group), min(group.chips.maximum, self.admitted[group.shape.chips]))
            for group in self.flavor.groups
        }

    def beside(self, idle: str) -> int:
        """The chips that they can admit while a slice group is idle, without those that other groups always have."""
        own = self.ranges.get(idle)
        if own not in self._beside:  # once for all slice groups of the same size
            others = [chips for key, chips in self.ranges.items() if key != idle]
            left, found = max(self.admitted.values()), 0
            for always, most in sorted(others, key=lambda chips: (chips[0], -chips[1])):
                chips = min(left, most)
                left -= chips
                found += max(0, chips - always)
            self._beside[own] = found
        return self._beside[own]


def _always(group: SliceGroup) -> int:
    """The chips of a slice group that are never free: on Autopilot, nodes exist only for Pods."""
    return group.chips.minimum if group.pools else 0


def _whole(chips: int, each: int) -> int:
    """The chips of the slices that fit into a number of chips."""
    return chips // each * each


@warning(
    "TPU875",
    about=("budgets.*.chips", *of_groups(*_COUNTS), *of_clusters(*_QUOTAS)),
    title="Nodes that stay keep chips of a budget from other slice groups",
    why="Kueue counts chips and does not look at nodes. While these nodes are idle, it admits other slice groups to "
    "their chips. The autoscaler cannot create the nodes, and the Pods stay Pending while they hold quota",
    fix="Set `min: 0` of the slice group, or lower `max` of the others or `chips` of the queues so that these chips "
    "stay free. Or use another block or reservation for the slice group.",
    source=_SOURCE,
    failing=_plan("{min: 8, max: 32}", "{min: 0, max: 4}"),
    edit=("min: 8", "min: 0"),
)
def idle_chips_of_other_shape(context: PlanContext) -> Iterable[Hit]:
    by_budget: dict[str, list[_Quotas]] = {}
    for quotas in _quotas_of(context):
        by_budget.setdefault(quotas.flavor.key, []).append(quotas)
    exceeded = {budget.name for budget, *_ in _exceeded(context)}
    for budget in context.fleet.budgets:
        queues = by_budget.get(budget.name, [])
        groups = [group for _, group in context.fleet.groups() if group.budget == budget]
        floors = sum(map(_always, groups))
        found: list[Hit] = []
        for group in groups if floors <= budget.chips else ():  # another rule reports more
            own = _always(group)
            counted = [one for one in queues if budget.name not in exceeded or group.key in one.ranges]
            others = sum(quotas.beside(group.key) for quotas in counted) if own else 0
            if others and floors + others > budget.chips:
                also = f", other slice groups always have {floors - own:,}" if floors > own else ""
                message = (
                    f"{quoted(group.key)} always has {number(own, 'chip')} of budget {quoted(budget.name)}{also}, and "
                    f"Kueue can admit other slice groups to {others:,}{' more' if also else ''} of its "
                    f"{budget.chips:,}"
                )
                found.append(Hit(group.path, message))
        if len(found) <= _MOST_GROUPS:
            yield from found
        else:
            rest = f"; {len(found) - 1:,} other slice groups of the budget keep chips in the same way"
            yield Hit(found[0].path, found[0].message + rest)


@warning(
    "TPU876",
    about=("budgets.*.chips", *of_groups(*_COUNTS), *of_clusters(*_QUOTAS)),
    title="Slice group has fewer slices than queues admit",
    why="queues count the chips of a budget whatever their shape, so Kueue can admit workloads of one shape to all "
    "chips. Pods above the size of the slice group stay Pending while they hold quota",
    fix="Raise `max` of the slice group to what fits into the quota. Or lower `chips` and `borrow` of the queues.",
    source=_SOURCE,
    failing=_plan("{min: 0, max: 32}", "{min: 0, max: 2}"),
    edit=("max: 2}", "max: 4}"),
)
def fewer_slices_than_quota(context: PlanContext) -> Iterable[Hit]:
    for quotas in _quotas_of(context):
        flavor = quotas.flavor
        for group in (group for group in flavor.groups if group.pools):
            fitting = quotas.admitted[group.shape.chips] // group.shape.chips
            if fitting > group.slices.maximum:
                yield Hit(
                    (*group.path, "max") if group.autoscaled else group.path,
                    f"queues can admit {number(fitting, 'slice')} of {quoted(group.key)} to budget "
                    f"{quoted(flavor.key)}, but it has at most {group.slices.maximum:,}",
                    fix=SetKeys.of(max=fitting) if group.autoscaled else None,
                )


@warning(
    "TPU877",
    about=("budgets.*.chips", *of_clusters(*_QUOTAS)),
    title="Queues of several clusters have more chips than their budget",
    why="each cluster has a Kueue of its own, which does not know the workloads of the others. Together they admit "
    "more than exists",
    fix="Set `chips` of the queues so that the sum over all clusters is at most that of the budget.",
    source=_SOURCE,
    failing=_TWO,
    passing=_TWO.replace("team: {chips: {v6e: 32}}", "team: {chips: {v6e: 16}}"),
)
def quotas_of_clusters_exceed_budget(context: PlanContext) -> Iterable[Hit]:
    for budget, parts, total in _exceeded(context):
        names = listed([f"{quoted(found.cluster.key)} {chips:,}" for found, chips in parts], most=_MOST_GROUPS)
        yield Hit(
            (*budget.path, "chips"),
            f"the queues of {number(len(parts), 'cluster')} have {number(total, 'chip')} ({names}), but budget "
            f"{quoted(budget.name)} has {budget.chips:,}",
        )


def _exceeded(context: PlanContext) -> Iterator[tuple[ChipBudget, list[tuple[KubernetesObjects, int]], int]]:
    """The budgets of which queues of several clusters have more chips than exist: those of each, and their sum."""
    shares: dict[str, list[tuple[KubernetesObjects, int]]] = {}
    for found in clusters_with_objects(context):
        for flavor, _ in _budgets_of(found):
            quotas = (one for owner in found.quota_owners for one in owner.quotas if one.flavor.key == flavor.key)
            nominal = sum(one.nominal for one in quotas)
            if nominal:
                shares.setdefault(flavor.key, []).append((found, min(nominal, flavor.chips)))
    for budget in context.fleet.budgets:
        parts = shares.get(budget.name, [])
        total = sum(chips for _, chips in parts)
        if len(parts) > 1 and total > budget.chips:
            yield budget, parts, total


@rule(
    "TPU878",
    about=("budgets", *of_groups("capacity.reservation"), *of_clusters("kubernetes.queues.*.cohort")),
    severity=Severity.NOTE,
    title="Queues cannot lend each other the chips of a reservation",
    why="each slice group has a flavor of its own, and Kueue lends quota within a flavor. So a queue cannot borrow "
    "chips of the same reservation that slices of another shape leave idle",
    fix="Define a budget with the reservation, and name it in `chips` of the queues.",
    references=["kueue-flavor-assigner", "kueue-flavor-api"],
    source=_SOURCE,
    failing=_plan("{max: 32}", "{max: 4}", _LENDING.format("single", "eight")).replace(_BUDGETS, ""),
    passing=_plan("{max: 32}", "{max: 4}", _LENDING.format("v6e", "v6e")),
)
def shapes_without_budget(context: PlanContext) -> Iterable[Hit]:
    for found in () if context.plan.unread_budgets else clusters_with_objects(context):
        together: dict[tuple[str, str], dict[str, SliceGroup]] = {}
        for queue in found.queues if not found.cluster.workers else ():
            for quota in queue.quotas:
                group, reservation = quota.flavor.groups[0], quota.flavor.groups[0].plan.capacity.reservation
                if queue.plan.cohort is not None and quota.flavor.budget is None and reservation is not None:
                    named = together.setdefault((queue.plan.cohort, f"{reservation.project}/{reservation.name}"), {})
                    named[flavor_key(group)] = group
        for (cohort, _), groups in together.items():
            first = next(iter(groups.values()))
            reservation = first.plan.capacity.reservation
            if len({group.shape.topology for group in groups.values()}) > 1 and reservation is not None:
                names = listed([quoted(name) for name in groups], most=_MOST_GROUPS)
                yield Hit(
                    (*found.cluster.path, "kubernetes", "queues"),
                    f"queues of cohort {quoted(cohort)} have {names} of reservation {quoted(reservation.name)}, and "
                    "cannot lend each other their chips",
                )
