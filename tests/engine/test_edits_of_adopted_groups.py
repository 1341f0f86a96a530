"""Edits of the key ``adopted``, and of groups that have it: what ``diff`` says, and what the real engine plans.

The node pools of the base are as gke-tpu creates them. ``test_life_of_an_adoption.py`` has those of other tools.
"""

import copy
from collections.abc import Iterator
from typing import Any

import pytest
from support.editing import CHAT, DELETE_FIRST, EAST, PAIR, SCORE, SWEEP, Edit, full, group, pools
from support.engine.engine_cloud import started
from support.engine.pulumi_cli import PulumiCli
from support.engine.stack_run import EngineStack
from support.shipped import Plan, program

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.graph.model import Graph
from pulumi_gke_tpu.features.diff.classification.compare import compare
from pulumi_gke_tpu.features.diff.model import CLASSES, ChangeClass, ResourceChange
from pulumi_gke_tpu.preview import preview_plan

BASE = "adopted"
FOLLOWING = {"nodeConfig.resourceManagerTags"}
"""What the provider lists beside the properties that differ."""
_SCOPES = "https://www.googleapis.com/auth/"


def base() -> Plan:
    """The full plan, with groups whose node pools another tool created."""
    plan = full()
    slices = plan["clusters"][EAST]["slices"]
    slices["pair"]["adopted"] = {"pools": ["blue", "red"]}
    slices["chat"]["adopted"] = True
    slices["score"]["adopted"] = {"oauth_scopes": ["devstorage.full_control", "logging.write"]}
    slices["sweep"]["adopted"] = {"limits": "per_zone", "location_policy": "balanced"}
    return plan


EDITS = (
    Edit("adopted group as one of its own", BASE, group(CHAT, adopted=None)),
    Edit("group as an adopted one", BASE, group("train-east/trial", adopted=True)),
    Edit("adopted without keys, as a mapping", BASE, group(CHAT, adopted={})),
    Edit(
        "scopes",
        BASE,
        group(SCORE, adopted={"oauth_scopes": ["cloud-platform", "devstorage.full_control"]}),
        {SCORE: "replace"},
        pools(DELETE_FIRST, f"{SCORE}/score"),
    ),
    Edit("scopes left out", BASE, group(SCORE, adopted=True), {SCORE: "replace"}),
    Edit(
        "scopes with the whole address",
        BASE,
        group(SCORE, adopted={"oauth_scopes": [f"{_SCOPES}devstorage.full_control", "logging.write"]}),
    ),
    Edit(
        "scopes in another order",
        BASE,
        group(SCORE, adopted={"oauth_scopes": ["logging.write", "devstorage.full_control"]}),
    ),
    Edit("location policy left out", BASE, group(SWEEP, adopted={"limits": "per_zone"})),
    Edit(
        "location policy",
        BASE,
        group(SWEEP, adopted={"limits": "per_zone", "location_policy": "any"}),
        {SWEEP: "in-place"},
    ),
    Edit(
        "limits",
        BASE,
        group(SWEEP, adopted={"location_policy": "balanced"}),
        {SWEEP: "in-place"},
    ),
    Edit("larger maximum for each zone", BASE, group(SWEEP, count={"min": 0, "max": 12}), {SWEEP: "in-place"}),
    Edit(
        "name of an adopted node pool",
        BASE,
        group(PAIR, adopted={"pools": ["blue", "green"]}),
        {PAIR: "delete"},
        {**pools("delete", f"{PAIR}/red"), **pools("create", f"{PAIR}/green")},
    ),
    Edit("names in another order", BASE, group(PAIR, adopted={"pools": ["red", "blue"]})),
    Edit(
        "names left out",
        BASE,
        group(PAIR, adopted=True),
        {PAIR: "delete"},
        {**pools("delete", f"{PAIR}/red", f"{PAIR}/blue"), **pools("create", f"{PAIR}/pair-0", f"{PAIR}/pair-1")},
    ),
    Edit(
        "one adopted node pool less",
        BASE,
        group(PAIR, count=1, adopted={"pools": ["blue"]}),
        {PAIR: "delete"},
        pools("delete", f"{PAIR}/red"),
    ),
    Edit(
        "one adopted node pool more",
        BASE,
        group(PAIR, count=3, adopted={"pools": ["blue", "red", "green"]}),
        {PAIR: "create"},
        pools("create", f"{PAIR}/green"),
    ),
    Edit("topology of adopted slices", BASE, group(PAIR, topology="4x8"), {PAIR: "replace"}),
)


@pytest.fixture(scope="module")
def up(cli: PulumiCli, tmp_path_factory: pytest.TempPathFactory) -> Iterator[EngineStack]:
    """The base in a cloud of its own; tests only preview."""
    with started(cli, tmp_path_factory.mktemp(BASE)) as engine:
        stack = engine.stack("prod")
        assert stack.up(program(base())).error == ""
        yield stack


def edited(edit: Edit) -> Plan:
    plan = copy.deepcopy(base())
    edit.change(plan)
    return plan


def graph(plan: Any) -> Graph:
    return preview_plan(plan, name="prod", catalog=read_catalog())


def classes(found: tuple[ResourceChange, ...]) -> dict[str, ChangeClass]:
    """The most dangerous of what happens to the resources of each item."""
    result: dict[str, ChangeClass] = {}
    for change in found:
        item = "/".join(change.name.split("/")[:2])
        result[item] = min(change.effect, result.get(item, "metadata"), key=CLASSES.index)
    return result


@pytest.mark.parametrize("edit", EDITS, ids=lambda edit: edit.name)
def test_diff_says_what_the_engine_plans(edit: Edit, up: EngineStack) -> None:
    catalog = read_catalog()
    found = compare(graph(base()), graph(edited(edit)), catalog.provider, disks=catalog.disks.families)
    assert classes(found) == edit.classes
    run = up.preview(program(edited(edit)))
    assert run.error == ""
    assert {name: op.partition(",")[0] for name, op in run.ops().items()} == {
        f"NodePool {change.name}": change.operation for change in found
    }
    assert edit.ops.items() <= run.ops().items()
    paths = {step.name: set(step.diff) - FOLLOWING for step in run.changes if step.op == "update"}
    assert paths == {
        change.name: {item.path for item in change.differences} for change in found if change.operation == "update"
    }
