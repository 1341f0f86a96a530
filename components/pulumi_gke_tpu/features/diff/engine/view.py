"""Compares what the engine plans with what gke-tpu expects, for each plan, resource and property."""

import dataclasses
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from typing import Any

from pulumi_gke_tpu.core.catalog.records.provider import Provider, change_of
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.graph.model import Graph
from pulumi_gke_tpu.core.plan.base import Unknown
from pulumi_gke_tpu.core.text.findings import printable, without_backquotes
from pulumi_gke_tpu.core.text.formats.property_path import Steps, parse_path
from pulumi_gke_tpu.features.diff.engine.agreement import Agreement, Seen, agree
from pulumi_gke_tpu.features.diff.engine.events import EngineRun
from pulumi_gke_tpu.features.diff.engine.model import EngineRunSummary, EngineVerdict, EngineView
from pulumi_gke_tpu.features.diff.engine.steps import EngineStep, parse_urn
from pulumi_gke_tpu.features.diff.model import ItemChange, ResourceChange


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
    return PlanResources(name, _resource_keys(before), _resource_keys(after), inputs)


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


def _resource_keys(graph: Graph | None) -> frozenset[str]:
    return frozenset(key_of(resource.urn) for resource in graph.resources if resource.custom) if graph else frozenset()


def shown(plan: str) -> str:
    """The name of a plan file inside of backticks."""
    return without_backquotes(printable(plan))


MOST_VERDICTS = 50_000
_OUR_TYPES = "gke-tpu:index:"
_LONGEST_NAME = 200


def engine_view(
    runs: Sequence[EngineRun], plans: Sequence[PlanResources], items: Sequence[ItemChange], provider: Provider
) -> EngineView:
    """The engine's own view of a change. ``items`` are those of the report, of all the plans."""
    by_plan = assigned(runs, plans)
    joined = [_Joined(run, provider) for run in runs]
    by_name: dict[str, list[ItemChange]] = {}
    for item in items:
        by_name.setdefault(item.plan, []).append(item)
    verdicts: list[EngineVerdict] = []
    notes: list[str] = []
    unchanged = 0
    for plan in plans:
        own = by_name.get(plan.name, [])
        if plan.name in by_plan:
            found, confirmed = joined[by_plan[plan.name]].check(plan, own)
            verdicts += found
            unchanged += confirmed
        elif own:
            notes.append(f"No preview matches the resources of `{shown(plan.name)}`: the engine has not checked them.")
    strays = [verdict for run in joined for verdict in run.strays()]
    notes += [note for run in joined if (note := run.early_end())]
    return EngineView(
        runs=tuple(EngineRunSummary(printable(run.stack), run.result, _only_refuses(run), run.packs) for run in runs),
        verdicts=(*verdicts, *strays)[:MOST_VERDICTS],
        unchanged=unchanged,
        others=sum(run.others() for run in joined) - len(strays),
        diagnostics=tuple(said for run in runs for said in run.diagnostics),
        policies=tuple(said for run in runs for said in run.policies),
        left_out=sum(run.left_out for run in runs),
        notes=tuple(notes),
    )


class _Joined:
    """One run, by the keys of its resources."""

    def __init__(self, run: EngineRun, provider: Provider) -> None:
        self._run, self._provider = run, provider
        self.ended = run.result == "succeeded"
        self._steps: dict[str, EngineStep] = {}
        for step in run.steps:
            key = key_of(step.urn)
            # The same name below other components: a resource that stays or is created has priority over a deleted one.
            if step.custom and (key not in self._steps or self._steps[key].operation == "delete"):
                self._steps[key] = step
        self._looked_at: set[str] = set()
        self._refused = {key_of(urn) for urn in run.refused}
        self._replacing = {key_of(urn) for urn in run.replacing}
        self._failed_at = {key_of(urn) for urn in run.failed_at}

    def check(self, plan: PlanResources, items: Sequence[ItemChange]) -> tuple[list[EngineVerdict], int]:
        """The verdicts about the resources of a plan, and the number of resources that stay as they are."""
        verdicts = [self.changed(plan, item.item, change) for item in items for change in item.resources]
        touched = {key for item in items for change in item.resources for key in _keys(change)}
        same = sorted(plan.after - touched)
        found = [verdict for key in same if (verdict := self.unchanged(plan, key))]
        confirmed = len(same) - len(found) if self.ended else sum(self.is_same(key) for key in same)
        return [*verdicts, *found], confirmed

    def changed(self, plan: PlanResources, item: str, change: ResourceChange) -> EngineVerdict:
        """The verdict about a resource that we expect to change."""
        found = agree(change, self._seen(plan, *_keys(change)))
        return _verdict(plan.name, item, change.type, change.name, expected=change.operation, found=found)

    def unchanged(self, plan: PlanResources, key: str) -> EngineVerdict | None:
        """The verdict about a resource that must not change; None if the engine confirms it or does not mention it."""
        type_token, name = key.split("::", 1)
        change = ResourceChange(key, key, type_token, name, "", "same", "metadata")
        found = agree(change, self._seen(plan, key))
        if found.verdict in ("confirmed", "open"):
            return None
        return _verdict(plan.name, "", type_token, name, expected="same", found=found)

    def is_same(self, key: str) -> bool:
        """Whether the engine reports that a resource does not change."""
        return key in self._steps and self._steps[key].operation == "same"

    def strays(self) -> list[EngineVerdict]:
        """Resources of our components that are in no plan that is compared, and that something happens to."""
        found = []
        for _, step in self._others():
            parsed = parse_urn(step.urn)
            if step.operation == "same" or _OUR_TYPES not in parsed.chain:
                continue
            said = "No compared plan contains it: the stack does not match the base, or it uses more plans."
            agreement = Agreement("unexpected", step.operation, said, tuple(step.paths))
            found.append(_verdict("", "", parsed.type, parsed.name, expected="", found=agreement))
        return found

    def others(self) -> int:
        """How many resources are in no plan that is compared."""
        return sum(1 for _ in self._others())

    def early_end(self) -> str:
        """The message for an incomplete preview; empty if it stopped only at a rejected operation."""
        run, stack = self._run, f"The preview of stack `{shown(self._run.stack)}`" if self._run.stack else "The preview"
        if run.result == "succeeded" or _only_refuses(run):
            return ""
        if not self._steps:
            return f"{stack} ended before it reached any resource ({run.result}): nothing is confirmed."
        if run.result == "cut off":
            return f"{stack} is incomplete: its last events are missing, for example because the run was killed."
        if run.result == "canceled":
            return f"{stack} was canceled before its end."
        unsaid = (
            " A preview in one JSON document does not contain the results of policies." if run.form == "digest" else ""
        )
        return f"{stack} failed; see its messages.{unsaid}"

    def _others(self) -> Iterator[tuple[str, EngineStep]]:
        return ((key, step) for key, step in self._steps.items() if key not in self._looked_at)

    def _seen(self, plan: PlanResources, *keys: str) -> Seen:
        self._looked_at.update(keys)
        step = next((self._steps[key] for key in keys if key in self._steps), None)
        if step is not None:
            step = dataclasses.replace(step, paths=self._causing(step, plan.inputs.get(keys[0], {})))
        return Seen(
            step=step,
            ended=self.ended,
            tells_unchanged=self._run.form == "stream",
            refused=not self._refused.isdisjoint(keys),
            replacing=not self._replacing.isdisjoint(keys),
            failed=not self._failed_at.isdisjoint(keys),
            following=self._following(step, plan.inputs.get(keys[0], {})) if step else frozenset(),
            computed_from=self._computed_from(step) if step else {},
        )

    def _causing(self, step: EngineStep, inputs: Mapping[str, Any]) -> Mapping[str, str]:
        """The properties without those that the provider lists beside every difference before the first refresh."""
        type_token = parse_urn(step.urn).type

        def is_unread(path: str, kind: str) -> bool:
            known = change_of(self._provider, type_token, path)
            unread = known is not None and known.unread_at_creation
            return unread and kind.startswith("add") and not _is_set(inputs, parse_path(path))

        return {path: kind for path, kind in step.paths.items() if not is_unread(path, kind)}

    def _computed_from(self, step: EngineStep) -> Mapping[str, tuple[str, ...]]:
        resource = self._provider.resources.get(parse_urn(step.urn).type)
        return resource.computed_from if resource else {}

    def _following(self, step: EngineStep, inputs: Mapping[str, Any]) -> frozenset[str]:
        """Properties that the program does not set and that have no default, so that no value of its own differs.

        What is to be deleted is there in the cloud only, and so never one of them.
        """
        type_token = parse_urn(step.urn).type
        return frozenset(
            path
            for path, kind in step.paths.items()
            if not kind.startswith("delete")
            and not _is_set(inputs, parse_path(path))
            and not _has_default(self._provider, type_token, path)
        )


def _only_refuses(run: EngineRun) -> bool:
    """Whether a preview failed only because resources are protected, without other errors or mandatory policies."""
    stopped = run.errs or any(policy.level == "mandatory" for policy in run.policies)
    return run.result == "failed" and bool(run.refused) and not stopped


def _is_set(properties: object, steps: Steps) -> bool:
    """Whether the program sets a property; a value that is unknown during preview can be anything."""
    value = properties
    for step in steps:
        if isinstance(value, Mapping):
            value = value.get(str(step))
        elif isinstance(value, list) and isinstance(step, int) and step < len(value):
            value = value[step]
        else:
            return isinstance(value, Unknown)
    return value is not None


def _has_default(provider: Provider, type_token: str, path: str) -> bool:
    known = change_of(provider, type_token, path)
    return known is not None and (known.default is not None or known.reported is not None)


def _keys(change: ResourceChange) -> tuple[str, ...]:
    """By what a resource may be found: as it is called afterwards, then as it was called before."""
    return tuple(dict.fromkeys(key_of(urn) for urn in (change.urn, change.former_urn) if urn))


def _verdict(plan: str, item: str, type_token: str, name: str, *, expected: str, found: Agreement) -> EngineVerdict:
    return EngineVerdict(
        plan=plan,
        item=item,
        type=printable(type_token, _LONGEST_NAME),
        name=printable(name, _LONGEST_NAME),
        verdict=found.verdict,
        expected=expected,
        seen=found.seen,
        engine_only=_safe(found.engine_only),
        ours_only=_safe(found.ours_only),
        said=found.said,
    )


def _safe(paths: Iterable[str]) -> tuple[str, ...]:
    return tuple(printable(path) for path in paths)
