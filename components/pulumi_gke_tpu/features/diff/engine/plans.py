"""Finds which preview of the engine is about which plan: by the resources that they have in common, then by stack."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Any

from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.graph.model import Graph
from pulumi_gke_tpu.core.text.findings import printable, without_backquotes
from pulumi_gke_tpu.features.diff.engine.events import EngineRun
from pulumi_gke_tpu.features.diff.engine.steps import parse_urn


@frozen
class PlanResources:
    """The keys of what a plan has in the cloud, before and after a change: type and name."""

    name: str
    before: frozenset[str]
    after: frozenset[str]
    inputs: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """The inputs of each resource after the change."""


def key_of(urn: str) -> str:
    """What resources are joined by: the last type of the URN, and the name."""
    parsed = parse_urn(urn)
    return f"{parsed.type}::{parsed.name}"


def resources_of(name: str, before: Graph | None, after: Graph | None) -> PlanResources:
    """The keys of a plan, from its graphs before and after; None where there is none."""
    inputs = {key_of(resource.urn): resource.inputs for resource in after.resources} if after else {}
    return PlanResources(name, _keys(before), _keys(after), inputs)


def assigned(runs: Sequence[EngineRun], plans: Sequence[PlanResources]) -> Mapping[str, int]:
    """Plan -> the number of the run that is about it. Plans that no run fits, or several equally, are left out."""
    if len(runs) == len(plans) == 1:
        return {plans[0].name: 0}
    keys = [{key_of(step.urn) for step in run.steps if step.custom} for run in runs]
    found = {}
    for plan in plans:
        best = _best_run(plan, runs, keys)
        if best is not None:
            found[plan.name] = best
    return {name: number for name, number in found.items() if not _taken_by_other(name, number, found, runs, plans)}


def _best_run(plan: PlanResources, runs: Sequence[EngineRun], keys: Sequence[set[str]]) -> int | None:
    own = plan.before | plan.after
    shared = [len(own & some) for some in keys]
    fitting = [number for number, count in enumerate(shared) if count and count == max(shared)]
    if len(fitting) == 1:
        return fitting[0]
    called = [number for number in fitting or range(len(runs)) if _is_called(plan.name, runs[number].stack)]
    return called[0] if len(called) == 1 else None


def _taken_by_other(
    name: str, number: int, found: Mapping[str, int], runs: Sequence[EngineRun], plans: Sequence[PlanResources]
) -> bool:
    """Whether another plan with the same resources fits the run as well, or better by the name of the stack."""
    own = next(plan.before | plan.after for plan in plans if plan.name == name)
    rivals = [
        plan.name
        for plan in plans
        if plan.name != name and found.get(plan.name) == number and own & (plan.before | plan.after)
    ]
    called = [rival for rival in (name, *rivals) if _is_called(rival, runs[number].stack)]
    return bool(rivals) and called != [name]


def _is_called(plan: str, stack: str) -> bool:
    """Whether a plan file, or a folder that it is in, is called as the stack."""
    return bool(stack) and stack in re.split(r"[/\\]", re.sub(r"\.\w+\Z", "", plan))


def _keys(graph: Graph | None) -> frozenset[str]:
    return frozenset(key_of(resource.urn) for resource in graph.resources if resource.custom) if graph else frozenset()


def shown(plan: str) -> str:
    """The name of a plan file inside of backticks."""
    return without_backquotes(printable(plan))
