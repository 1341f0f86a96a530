"""Which keys a report names as the causes of a change, and plans in which some of them are put back."""

import copy
import dataclasses
import functools
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from support.plan_edits import TODAY, catalog
from support.shipped import Plan

from pulumi_gke_tpu.core.graph.registered import PlanPreview
from pulumi_gke_tpu.core.plan import parse_plan
from pulumi_gke_tpu.core.rules import check_plan
from pulumi_gke_tpu.core.text.yamlfile import parse_yaml
from pulumi_gke_tpu.core.workflows.preview import preview_checked
from pulumi_gke_tpu.features.diff.comparison.change_report import PlanPair, diff_pairs
from pulumi_gke_tpu.features.diff.model import ChangeReport, ItemChange

_NAMED = re.compile(r"(?:[Tt]he|[Aa]nother) cause is the change of (.*?) in cluster")
_STEP = re.compile(r'\["((?:[^"\\]|\\.)*)"\]|([^.\[]+)')
_TOGETHER = (
    ("tpu", "topology", "chips", "chips_per_host", "machine_type"),
    ("count", "min", "max", "indices"),
    ("zone", "zones"),
    ("nodes", "min_nodes", "max_nodes"),
    ("existing", "location", "name"),
)
"""Keys that state one thing together: no plan has one of them from before a change and another one from after it."""
_OF_PLAN = ("project", "resource_labels")


@dataclass(frozen=True)
class Cause:
    """A changed key below an item of the plan."""

    path: tuple[str, ...]
    key: str


def report_of(before: Plan, after: Plan) -> ChangeReport | None:
    """What a change does; None if the plan after it is invalid in form."""
    base, head = _preview(_key(before)), _preview(_key(after))
    assert base is not None
    return None if head is None else diff_pairs([PlanPair(base, head)], catalog(), today=TODAY)


def _key(plan: Plan) -> str:
    data: Mapping[str, Any] = plan
    return json.dumps({key: value for key, value in data.items() if key != "today"})


@functools.lru_cache(maxsize=16)
def _preview(plan: str) -> PlanPreview | None:
    yaml = parse_yaml(plan.encode(), "plan.yaml")
    document = dataclasses.replace(parse_plan(yaml.data), name=yaml.name, yaml=yaml)
    if document.findings:
        return None
    return preview_checked(check_plan(document, catalog(), TODAY, rules=()), ())


def causes(item: ItemChange) -> tuple[Cause, ...]:
    """The keys of the cluster that the sentences about a slice group name, then the changed keys of the item."""
    cluster, _, group = item.item.partition("/")
    above = ("clusters", cluster)
    named = _NAMED.search(item.consequence)
    inside = re.findall(r"`([^`]+)`", named[1]) if named else ()
    own = (*above, "slices", group) if group else above
    return (*(Cause(above, key) for key in inside), *(Cause(own, change.key) for change in item.written))


def decided(report: ChangeReport | None, item: ItemChange) -> set[object]:
    """What decides the class of an item in a report: differences of this class, and resources that come or go."""
    found: set[object] = set()
    for other in report.items if report is not None else ():
        if other.item == item.item:
            for resource in other.resources:
                found |= {(resource.urn, each.path) for each in resource.differences if each.effect == item.change}
                if resource.operation in ("create", "delete", "replace") and resource.effect == item.change:
                    found.add(resource.urn)
    return found


def put_back(before: Plan, after: Plan, named: Iterable[Cause]) -> Plan:
    """The plan after a change with some keys as before it."""
    result = copy.deepcopy(after)
    for cause in named:
        for path in _places(before, after, cause):
            _put(before, result, path)
    return result


def _places(before: Plan, after: Plan, cause: Cause) -> Iterator[tuple[str, ...]]:
    keys = tuple(quoted or plain for quoted, plain in _STEP.findall(cause.key))
    of_plan = keys[0] in _OF_PLAN and not any(keys[0] in _at(plan, cause.path) for plan in (before, after))
    path = (*(() if of_plan else cause.path), *keys)
    yield path
    at = len(path) - len(keys) + (2 if keys[0] == "cpu_pools" and len(keys) > 2 else 0)
    for group in _TOGETHER:
        if path[at] in group:
            yield from ((*path[:at], other) for other in group)


def _put(before: Any, result: Any, path: tuple[str, ...]) -> None:
    key, *below = path
    if below and isinstance(result.get(key), dict) and isinstance(before.get(key), dict):
        _put(before[key], result[key], tuple(below))
    elif key in before:
        result[key] = copy.deepcopy(before[key])
    else:
        result.pop(key, None)


def _at(plan: Any, path: tuple[str, ...]) -> Any:
    for key in path:
        plan = plan.get(key) or {}
    return plan
