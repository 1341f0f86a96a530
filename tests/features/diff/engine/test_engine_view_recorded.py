"""Edits of plans with the recorded answers of the real provider: the view confirms them, and shows no drift."""

from collections.abc import Mapping
from typing import Any

import pytest
from support.editing import graph_after, graph_before
from support.edits import EDITS
from support.engine_samples import Event, step, stream

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.fleet import Range
from pulumi_gke_tpu.features.diff.classification.compare import compare
from pulumi_gke_tpu.features.diff.engine.events import read_engine_events
from pulumi_gke_tpu.features.diff.engine.model import EngineVerdict
from pulumi_gke_tpu.features.diff.engine.plans import resources_of
from pulumi_gke_tpu.features.diff.engine.view import engine_view
from pulumi_gke_tpu.features.diff.model import ItemChange, ResourceChange

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


def events(change: ResourceChange, told: Told) -> list[Event]:
    """The events of one resource."""
    if change.operation == "delete":
        return [step(change.name, "delete", of=change.urn)]
    found = step(change.name, change.operation, of=change.urn)
    paths = told.get(change.name) or told["*"]
    details: dict[str, Any] = {path: {"diffKind": kind, "inputDiff": False} for path, kind in paths.items()}
    found["resourcePreEvent"]["metadata"]["detailedDiff"] = details
    return [found]


def verdicts(name: str, more: Mapping[str, str] | None = None) -> tuple[EngineVerdict, ...]:
    """The verdicts about an edit; ``more`` are further differences of the cluster."""
    edit = EDITS_BY_NAME[name]
    before, after = graph_before(edit.base), graph_after(edit)
    changes = compare(before, after, read_catalog().provider)
    told = dict(RECORDED[name])
    told[CLUSTER] = {**told.get(CLUSTER, {}), **(more or {})}
    touched = {change.urn for change in changes}
    rest = [step(item.name, "same", of=item.urn) for item in after.resources if item.custom and item.urn not in touched]
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
