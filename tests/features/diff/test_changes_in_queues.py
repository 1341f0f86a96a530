"""Changes of workloads that Kueue has admitted: what the real webhooks refuse, the object is replaced for.

``tests/data/changes_in_queues.yaml`` has what the webhooks of Kueue and JobSet and the API server did with each change.
"""

import copy
import pathlib
from typing import Any

import pytest
import yaml
from support.kubernetes_standin.server import Objects, RefusedError, id_of
from support.workload_plans import HEADS, TRAIN, checked, objects_of, workload_plan

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.graph.builders.kubernetes import tpu_workloads
from pulumi_gke_tpu.core.text.formats.property_path import parse_path, values_at
from pulumi_gke_tpu.features.diff.effects.objects import object_changes
from pulumi_gke_tpu.features.diff.model import ObjectChange

CATALOG = read_catalog()
RECORDED = yaml.safe_load((pathlib.Path(__file__).parents[2] / "data" / "changes_in_queues.yaml").read_text("utf-8"))
CASES = [(kind, edit) for kind, edits in RECORDED["outcomes"].items() for edit in edits]


def plans(kind: str, edit: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """The plan before and after an edit."""
    group = {**TRAIN, "topology": RECORDED["topologies"].get(kind, "4x4"), "count": 3}
    slices = {name: {**group, "node_labels": {"pool": name}} for name in ("g", "h")}
    slices["spot"] = {**group, "capacity": "spot", "count": {"max": 3}}
    kubernetes = {"queues": {"q": {}, "q2": {}}, "priority_classes": {"high": {"value": 10}, "low": {"value": 1}}}
    work = {"slices": "g", "queue": "q", "kind": kind, **RECORDED["kinds"][kind], **RECORDED["first"].get(edit, {})}
    changed = {**work, **RECORDED["edits"][edit]}
    before, after = (
        workload_plan(
            slices,
            {"w": {key: value for key, value in keys.items() if value is not None}},
            kubernetes=copy.deepcopy(kubernetes),
            cpu_pools={"heads": HEADS},
            addons=["ray_operator"],
        )
        for keys in (work, changed)
    )
    return before, after


def change_of(before: dict[str, Any], after: dict[str, Any]) -> ObjectChange:
    fleets = [checked(plan).fleet for plan in (before, after)]
    assert fleets[0] is not None
    assert fleets[1] is not None
    found = object_changes("plan.yaml", fleets[0], fleets[1], CATALOG)
    (change,) = (item for item in found if item.object.endswith("/default/w"))
    return change


@pytest.mark.parametrize(("kind", "edit"), CASES)
def test_exactly_what_is_refused_is_replaced(kind: str, edit: str) -> None:
    """Except for the kinds whose controller ignores the change, or would not count it: ``replaced`` has the reason."""
    outcome, change = RECORDED["outcomes"][kind][edit], change_of(*plans(kind, edit))
    expected = outcome == "refused" or edit in RECORDED["replaced"].get(kind, {}).get("edits", ())
    assert (change.operation == "replace") is expected, change.means


@pytest.mark.parametrize(("kind", "edit"), CASES)
def test_the_component_tells_the_engine_the_same(kind: str, edit: str) -> None:
    before, after = plans(kind, edit)
    resources = []
    for plan in (before, after):
        fleet = checked(plan).fleet
        assert fleet is not None
        resources += [item for item in tpu_workloads(fleet.clusters[0], CATALOG, "c") if item.name == "c/w"][:1]
    was, will = resources
    paths = map(parse_path, will.options.replace_on_changes)
    replaced = any(values_at(was.properties, path) != values_at(will.properties, path) for path in paths)
    assert replaced is (change_of(before, after).operation == "replace")


@pytest.mark.parametrize(("kind", "edit"), CASES)
def test_the_simulated_server_refuses_the_same(kind: str, edit: str) -> None:
    was, will = (
        next(item for item in objects_of(plan) if item["metadata"]["name"] == "w" and item["kind"] != "Service")
        for plan in plans(kind, edit)
    )
    server, refused = Objects(), False
    server.create(was)
    try:
        server.update(id_of(was), will)
    except RefusedError:
        refused = True
    assert refused is (RECORDED["outcomes"][kind][edit] == "refused")
