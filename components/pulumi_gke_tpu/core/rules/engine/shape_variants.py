"""Checks slice groups without a valid shape as far as their generation decides, so that one problem hides no other.

Location, version, capacity mode and boot disk depend on the machine family alone. Such a group is checked once for each
shape that its generation has, a single-host and a multi-host one of each family, and what holds for all of them
holds for the group.
"""

from collections.abc import Iterable, Iterator
from typing import Any

from pulumi_gke_tpu.core.catalog.naming import resolve
from pulumi_gke_tpu.core.fleet import Fleet, derive
from pulumi_gke_tpu.core.plan import Plan
from pulumi_gke_tpu.core.rules.engine.context import PlanContext
from pulumi_gke_tpu.core.rules.engine.rule import Hit, Rule
from pulumi_gke_tpu.core.text.findings import Path

_Place = tuple[str, Path]


def hits_of_every_shape(
    context: PlanContext, rules: Iterable[Rule[PlanContext]]
) -> Iterator[tuple[Rule[PlanContext], Hit]]:
    """The hits of rules about families for groups without a valid shape, if every possible shape has them."""
    if not context.fleet.unresolved:
        return
    checking = [rule for rule in rules if rule.by_family]
    found = [_hits(checking, variant) for variant in _variants(context)]
    if not found:
        return
    known = _hits(checking, context)
    for place in found[0]:
        if place not in known and all(place in other for other in found):
            yield found[0][place]


def _hits(rules: Iterable[Rule[PlanContext]], context: PlanContext) -> dict[_Place, tuple[Rule[PlanContext], Hit]]:
    return {(rule.id, hit.path): (rule, hit) for rule in rules if rule.check is not None for hit in rule.check(context)}


def _variants(context: PlanContext) -> Iterator[PlanContext]:
    """The plan with one possible shape after the other for groups without a valid one."""
    shapes = {item.path: _shapes(context, item.path) for item in context.fleet.unresolved}
    for number in range(max(map(len, shapes.values()))):
        chosen = {path: found[min(number, len(found) - 1)] for path, found in shapes.items() if found}
        plan = _with_shapes(context.plan, chosen)
        fleet = derive(plan, context.catalog, context.today)
        if _all_resolved(fleet, chosen):
            yield PlanContext(plan, context.catalog, fleet, context.today, context.of_resources)


def _shapes(context: PlanContext, path: Path) -> list[dict[str, Any]]:
    """The keys of one single-host and one multi-host shape of every family of a group's generation."""
    _, cluster, _, group = path
    written = context.plan.clusters[str(cluster)]
    name = written.slices[str(group)].tpu
    meant = resolve(context.catalog, name)
    called = meant.generation if meant is not None else name
    if called not in context.catalog.generation_names:
        return []
    generation = context.catalog.generation(called)
    found: dict[tuple[str, str], dict[str, Any]] = {}
    for row in generation.topologies.rows:
        if written.mode in row.modes and row.documented:
            machine = generation.machine_types[row.machine_type]
            shape = {
                "tpu": called,
                "topology": row.topology,
                "chips": None,
                "chips_per_host": machine.chips,
                "machine_type": None,
            }
            found.setdefault((machine.family, row.hosts), shape)
    return list(found.values())


def _with_shapes(plan: Plan, shapes: dict[Path, dict[str, Any]]) -> Plan:
    clusters = dict(plan.clusters)
    for (_, cluster, _, group), shape in shapes.items():
        written = clusters[str(cluster)]
        slices = written.slices | {str(group): written.slices[str(group)].model_copy(update=shape)}
        clusters[str(cluster)] = written.model_copy(update={"slices": slices})
    return plan.model_copy(update={"clusters": clusters})


def _all_resolved(fleet: Fleet, shapes: dict[Path, dict[str, Any]]) -> bool:
    return not any(item.path in shapes for item in fleet.unresolved)
