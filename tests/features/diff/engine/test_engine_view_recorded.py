"""Edits of plans with the recorded answers of the real provider: the view confirms them, and shows no drift."""

from collections.abc import Mapping
from typing import Any

import pytest
from support.editing import graph_after, graph_before
from support.edits import EDITS
from support.engine_samples import Event, step, stream

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.fleet import Range
from pulumi_gke_tpu.core.graph.model import Graph, Resource
from pulumi_gke_tpu.core.graph.property_values import ABSENT
from pulumi_gke_tpu.features.diff.classification.compare import compare
from pulumi_gke_tpu.features.diff.engine.events import read_engine_events
from pulumi_gke_tpu.features.diff.engine.model import EngineVerdict
from pulumi_gke_tpu.features.diff.engine.view import engine_view, resources_of
from pulumi_gke_tpu.features.diff.model import Difference, ItemChange, Operation, ResourceChange, SourcedReason

EDITS_BY_NAME = {str(edit): edit for edit in EDITS}
PLAN = "plan.yaml"
CLUSTER, POOL = "train-east", "train-east/score/score"

Told = Mapping[str, Mapping[str, str]]
"""Name of a resource -> path -> kind of difference, as in the answers of the provider."""

BY_KEY = {"effectiveLabels.stage": "delete", "pulumiLabels.stage": "delete", "resourceLabels.stage": "delete"}
TAGS = {"nodeConfig.resourceManagerTags": "add"}
"""What every pool's difference has before the first refresh."""

RECORDED: Mapping[str, Told] = {
    "full: last resource label of a group gone": {POOL: {"nodeConfig.resourceLabels.budget": "delete", **TAGS}},
    "full: one label of everything gone": {
        CLUSTER: BY_KEY,
        "*": {"nodeConfig.resourceLabels.stage": "delete", **TAGS},
    },
    "full: no labels of everything any more": {
        CLUSTER: {
            "resourceLabels": "delete",
            "effectiveLabels.stage": "delete",
            "effectiveLabels.team": "delete",
            "pulumiLabels.stage": "delete",
            "pulumiLabels.team": "delete",
        },
        "*": {"nodeConfig.resourceLabels.stage": "delete", "nodeConfig.resourceLabels.team": "delete", **TAGS},
    },
    "lifted: no labels of a cluster any more": {
        CLUSTER: {"effectiveLabels.cost": "delete", "pulumiLabels.cost": "delete", "resourceLabels.cost": "delete"},
        "*": {"nodeConfig.resourceLabels.cost": "delete", **TAGS},
    },
    "blue-green: surge upgrades again": {
        "train-east/chat/chat": {"upgradeSettings.maxUnavailable": "update", "upgradeSettings.strategy": "update"}
    },
    "blue-green: two nodes of surge again": {
        "train-east/chat/chat": {"upgradeSettings.maxSurge": "update", "upgradeSettings.strategy": "update"}
    },
    "blue-green: Standard without auto-provisioning to Autopilot": {
        CLUSTER: {
            "clusterAutoscaling.autoProvisioningDefaults.oauthScopes": "add",
            "clusterAutoscaling.autoProvisioningDefaults.serviceAccount": "update",
            "enableAutopilot": "add-replace",
            "enableIntranodeVisibility": "update",
            "initialNodeCount": "delete-replace",
            "removeDefaultNodePool": "delete",
        }
    },
}
"""By edit, the answers of the real provider for the resources; "*" stands for every other one that is updated."""


def _unchanged(item: Resource, told: Told) -> ResourceChange:
    """What the engine plans for a resource that the edit does not change: an update if there is an answer."""
    operation: Operation = "update" if told.get(item.name) and item.type.endswith(":NodePool") else "same"
    return ResourceChange(item.urn, item.urn, item.type, item.name, "", operation, "metadata")


def events(change: ResourceChange, told: Told) -> list[Event]:
    """The events of one resource."""
    if change.operation == "delete":
        return [step(change.name, "delete", of=change.urn)]
    found = step(change.name, change.operation, of=change.urn)
    paths = told.get(change.name) or told.get("*", {}) if change.operation != "same" else {}
    details: dict[str, Any] = {path: {"diffKind": kind, "inputDiff": False} for path, kind in paths.items()}
    found["resourcePreEvent"]["metadata"]["detailedDiff"] = details
    return [found]


def verdicts(
    name: str, more: Mapping[str, str] | None = None, *, answers: Told | None = None
) -> tuple[EngineVerdict, ...]:
    """The verdicts about an edit; ``more`` are differences that the cluster has besides.

    ``answers`` replace the recorded ones; they can also be about resources that the edit does not change.
    """
    edit = EDITS_BY_NAME[name]
    before, after = graph_before(edit.base), graph_after(edit)
    changes = compare(before, after, read_catalog().provider)
    told = dict(RECORDED[name] if answers is None else answers)
    told[CLUSTER] = {**told.get(CLUSTER, {}), **(more or {})}
    touched = {change.urn for change in changes}
    others = [item for item in after.resources if item.custom and item.urn not in touched]
    rest = [event for item in others for event in events(_unchanged(item, told), told)]
    run = read_engine_events(stream(*rest, *(event for change in changes for event in events(change, told))))
    none = Range(0, 0)
    item = ItemChange(PLAN, "east", "east", "cluster", "", "in-place", (), "", (), "", (), None, none, none, changes)
    return engine_view([run], [resources_of(PLAN, before, after)], [item], read_catalog().provider).verdicts


@pytest.mark.parametrize("name", RECORDED)
def test_what_the_real_provider_tells_is_confirmed(name: str) -> None:
    found = verdicts(name)
    assert found
    assert [(verdict.name, verdict.said) for verdict in found if verdict.verdict != "confirmed"] == []


def test_what_the_plans_do_not_explain_is_drift_beside_it() -> None:
    name = "full: one label of everything gone"
    found = {verdict.name: verdict for verdict in verdicts(name, {"effectiveLabels.owner": "delete"})}
    assert found[CLUSTER].engine_only == ("effectiveLabels.owner",)


HUGEPAGES = "full: transparent hugepages always enabled"
POOL_TYPE = "gcp:container/nodePool:NodePool"
POOL_URN = f"urn:pulumi:prod::gke-tpu::{POOL_TYPE}::pool"
WHY = SourcedReason("a reason")
SYSCTLS = {"nodeConfig.linuxNodeConfig.sysctls": "add"}
"""What the difference of a pool with settings of the kernel also has before the first refresh."""


@pytest.mark.parametrize("unread", [TAGS, SYSCTLS, {**TAGS, **SYSCTLS}], ids=["tags", "sysctls", "both"])
def test_maps_that_the_provider_has_not_read_yet_are_never_a_cause(unread: Mapping[str, str]) -> None:
    """Neither beside the expected difference, nor beside one that the plans do not explain, nor alone."""
    expected = {"nodeConfig.linuxNodeConfig.transparentHugepageEnabled": "update"}
    assert verdict_on_pool({**expected, **unread}) == ("confirmed", "", ())
    drifted = {**expected, **unread, "nodeConfig.resourceLabels.team": "update"}
    verdict, said, engine_only = verdict_on_pool(drifted)
    assert (verdict, engine_only) == ("different", ("nodeConfig.resourceLabels.team",))
    assert "resourceManagerTags" not in said
    assert "catalog is wrong" not in said


def test_an_unexpected_update_names_its_cause_without_maps_that_were_not_read() -> None:
    found = verdict_on_pool({**TAGS, "nodeConfig.labels.team": "update"}, expected=False)
    assert found[0] == "unexpected"
    assert found[1].endswith(
        "The cause is `nodeConfig.labels.team`, which the plans do not explain: it was changed outside of Pulumi "
        "(drift), or the stack does not match the base."
    )


def test_sysctls_beside_removed_hugepages_do_not_contradict_the_catalog() -> None:
    """GKE keeps the hugepages, which the provider does not list; it lists only the map beside them."""
    kept = Difference(
        "nodeConfig.linuxNodeConfig", {"transparentHugepageEnabled": "x"}, ABSENT, "no-op", WHY, planned=False
    )
    label = Difference("nodeConfig.resourceLabels.team", "a", "b", "in-place", WHY)
    change = ResourceChange(POOL_URN, POOL_URN, POOL_TYPE, "pool", "", "update", "in-place", differences=(label, kept))
    told = {**SYSCTLS, **TAGS, "nodeConfig.resourceLabels.team": "update"}
    run = read_engine_events(stream(*events(change, {"pool": told})))
    none = Range(0, 0)
    item = ItemChange(PLAN, "east", "east", "cluster", "", "in-place", (), "", (), "", (), None, none, none, (change,))
    graph = Graph((Resource(urn=POOL_URN, type=POOL_TYPE, name="pool", parent="", custom=True, inputs={}),))
    (found,) = engine_view([run], [resources_of(PLAN, graph, graph)], [item], read_catalog().provider).verdicts
    assert (found.verdict, found.said) == ("confirmed", "")


def verdict_on_pool(told: Mapping[str, str], *, expected: bool = True) -> tuple[str, str, tuple[str, ...]]:
    """The verdict about a node pool: of an edit that changes it, or of one that does not."""
    name = HUGEPAGES if expected else "full: protection off"
    (found,) = [item for item in verdicts(name, answers={POOL: told}) if item.name == POOL]
    return found.verdict, found.said, found.engine_only
