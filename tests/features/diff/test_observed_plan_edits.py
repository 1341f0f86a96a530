"""What the comparison of two plans foretells, against edits that the real engine and the real provider planned."""

import functools
import json
from collections import Counter
from typing import Any

import pytest
from support.each import each
from support.observed_edits import STACK, UNREAD, ObservedEdit, Step, as_arguments, as_text, observed_edits
from support.plan_edits import items
from support.sampling import sample

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.catalog.records.provider import change_of
from pulumi_gke_tpu.core.graph.property_values import ABSENT
from pulumi_gke_tpu.core.text.findings import FindingsError
from pulumi_gke_tpu.features.diff.classification.compare import compare
from pulumi_gke_tpu.features.diff.model import Difference, ResourceChange
from pulumi_gke_tpu.preview import Graph, preview_plan

EDITS = observed_edits()
WHOLE = [edit for edit in EDITS if not edit.stopped]
FOLLOWING = ("__meta", "effectiveLabels", "pulumiLabels", "enableIntranodeVisibility", *UNREAD)
"""What the provider names beside the properties that differ."""
ON_STANDARD = "clusterAutoscaling.autoProvisioningDefaults"
"""GKE reports this block, empty, of a Standard cluster without it: the provider names what is added in it."""
ZONES = "nodeLocations"
"""Only GKE knows the zones of a node pool whose plan names none."""
PROVIDER = read_catalog().provider


def by_stop(word: str) -> list[ObservedEdit]:
    return [edit for edit in EDITS if edit.stopped.get("by") == word]


@functools.cache
def graph(plan: str) -> Graph:
    args: Any = as_arguments(json.loads(plan))
    return preview_plan(args, name=STACK, catalog=read_catalog())


def changes(edit: ObservedEdit) -> dict[str, ResourceChange]:
    """Type and name of each resource that changes -> the change."""
    before, after = (graph(json.dumps(plan)) for plan in (edit.before, edit.after))
    return {resource(change): change for change in compare(before, after, PROVIDER)}


def resource(change: ResourceChange) -> str:
    return f"{change.type.rsplit(':', 1)[1]} {change.name}"


def foretold_steps(edit: ObservedEdit) -> dict[str, Step]:
    """The updates and replacements, with the differences as far as the provider is asked."""
    found = {name: change for name, change in changes(edit).items() if change.operation in ("update", "replace")}
    return {name: Step(change.operation, kinds(change)) for name, change in found.items()}


def kinds(change: ResourceChange) -> dict[str, str]:
    """Path -> whether a value is removed, and whether that is why the resource is replaced."""
    return {
        normal(item.path): kind("delete" if item.will is ABSENT else "set", replaces(change, item))
        for item in change.differences
        if item.planned
    }


def replaces(change: ResourceChange, item: Difference) -> bool:
    """Whether the property itself replaces the resource. For one that does so in one direction, it is ``__meta``."""
    known = change_of(PROVIDER, change.type, item.path)
    one_way = known is not None and known.change in ("replace-off", "replace-shrink")
    return item.effect == "replace" and not one_way


def kind(what: str, replacing: bool) -> str:
    return f"{what}-replace" if replacing else what


def normal(path: str) -> str:
    if path.startswith(f"{ON_STANDARD}."):
        return ON_STANDARD
    return ZONES if path.startswith(ZONES) else path


def seen_kinds(step: Step) -> dict[str, str]:
    """The same of what was recorded. A removed zone beside others does not remove the property."""
    found: dict[str, str] = {}
    for path, recorded in step.diff.items():
        if not path.startswith(FOLLOWING):
            what, _, replacing = recorded.partition("-")
            stays = what != "delete" or path.startswith(ZONES)
            found[normal(path)] = kind("set" if stays else "delete", bool(replacing))
    return found


def zones_set(found: dict[str, str]) -> dict[str, str]:
    return {path: kind("set", "-" in value) if path == ZONES else value for path, value in found.items()}


def test_the_record_is_complete() -> None:
    """Otherwise the tests below would pass with less data."""
    assert len(EDITS) == len({str(edit) for edit in EDITS}) == 288
    assert Counter(step.op for edit in EDITS for step in edit.steps.values()) == {"update": 247, "replace": 159}
    assert Counter(edit.stopped.get("by", "") for edit in EDITS) == {
        "": 271,
        "protection": 10,
        "validation": 6,
        "provider": 1,
    }
    assert not any(path in step.diff for edit in EDITS for step in edit.steps.values() for path in UNREAD[:1])


@each("edit", lambda: sample(WHOLE, 60, lambda edit: edit.base))
def test_every_operation_is_foretold(edit: ObservedEdit) -> None:
    foretold = foretold_steps(edit)
    assert {name: step.op for name, step in foretold.items()} == {name: step.op for name, step in edit.steps.items()}
    assert {change.refused_by for change in changes(edit).values()} <= {"", "GKE", "provider"}


@each("edit", lambda: sample(WHOLE, 60, lambda edit: edit.base))
def test_every_difference_is_foretold(edit: ObservedEdit) -> None:
    foretold = foretold_steps(edit)
    for name, step in edit.steps.items():
        if step.diff:  # the engine asked the provider
            assert zones_set(foretold[name].diff) == seen_kinds(step), name


@each("edit", lambda: sample(WHOLE, 60, lambda edit: edit.base))
def test_what_is_replaced_along_refers_to_what_is_replaced(edit: ObservedEdit) -> None:
    found = changes(edit)
    for name, step in edit.steps.items():
        if not step.diff:
            assert found[name].because_of, name


@each("edit", lambda: sample(WHOLE, 60, lambda edit: edit.base))
def test_no_report_belittles_a_replacement(edit: ObservedEdit) -> None:
    """What the engine replaces is reported as such: for the item of the resource, or for its cluster."""
    reported = items(as_text(edit.before), as_text(edit.after))
    shown = {resource(change): item for item in reported.values() for change in item.resources}
    for name, step in edit.steps.items():
        if step.op == "replace":
            assert shown[name].change in ("replace", "delete", "refused"), name


@pytest.mark.parametrize("edit", by_stop("validation"), ids=str)
def test_a_plan_that_the_component_refused_is_refused(edit: ObservedEdit) -> None:
    with pytest.raises(FindingsError, match=edit.stopped["rule"]):
        graph(json.dumps(edit.after))


@pytest.mark.parametrize("edit", by_stop("protection"), ids=str)
def test_protection_that_stopped_the_engine_is_foretold(edit: ObservedEdit) -> None:
    found = changes(edit)
    former = {
        f"{change.type.rsplit(':', 1)[1]} {change.former_urn.rpartition('::')[2]}"
        for change in found.values()
        if change.refused_by == "engine"
    }
    assert edit.stopped["of"] in former
    assert {name: found[name].operation for name in edit.steps} == {name: step.op for name, step in edit.steps.items()}


@pytest.mark.parametrize("edit", by_stop("provider"), ids=str)
def test_a_crash_of_the_provider_is_foretold(edit: ObservedEdit) -> None:
    found = changes(edit)
    (crash,) = [change for change in found.values() if change.refused_by == "provider"]
    assert edit.stopped["crashes_at"].split()[1] in crash.refused
    assert {name: found[name].operation for name in edit.steps} == {name: step.op for name, step in edit.steps.items()}


KEPT = (
    "clusterAutoscaling.autoProvisioningDefaults",
    "clusterAutoscaling.autoProvisioningLocations",
    "clusterAutoscaling.resourceLimits",
    "nodeConfig.bootDisk",
    "nodeConfig.bootDisk.sizeGb",
    "nodeConfig.labels",
    "nodeConfig.linuxNodeConfig",
    "nodeConfig.serviceAccount",
    "upgradeSettings.blueGreenSettings",
)
"""Computed properties in a block that stays, which some edit leaves out: the provider keeps what GKE reports."""


def test_removed_values_of_computed_properties_in_blocks_that_stay() -> None:
    """Every one that an edit left out, by what the engine did with it."""
    gone: dict[str, set[bool]] = {}
    for edit in WHOLE:
        for name, change in changes(edit).items():
            step = edit.steps.get(name)
            if step is not None and not step.diff:
                continue
            for item in change.differences:
                known = change_of(PROVIDER, change.type, item.path)
                if item.will is ABSENT and known is not None and known.computed and "." in item.path:
                    gone.setdefault(item.path, set()).add(step is not None and item.path in step.diff)
    assert gone.pop("networkConfig.additionalNodeNetworkConfigs") == {True}
    assert gone == {path: {False} for path in KEPT}
