"""Every edit of the corpus in the real engine: it has to plan what the comparison of two graphs foretells."""

import contextlib
import functools
import re
from collections.abc import Callable, Iterator

import pytest
from support.editing import BASES, FLEETS, Edit, edited, graph_after, graph_before
from support.edits import EDITS
from support.edits_at_once import edits_at_once
from support.edits_of_names import RACING
from support.engine.engine_cloud import Engine, started
from support.engine.kept_state import step_differences
from support.engine.pulumi_cli import PulumiCli
from support.engine.stack_run import CREATE_FIRST, DELETE_FIRST, EngineStack, Run
from support.engine.streamed import doubts
from support.shipped import program

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.features.diff.classification.compare import compare
from pulumi_gke_tpu.features.diff.model import ResourceChange

FOLLOWING = ("__meta", "effectiveLabels", "pulumiLabels", "enableIntranodeVisibility", "nodeConfig.resourceManagerTags")
"""What the provider lists beside the properties that differ: outputs that follow, and a reason without a name."""
OF_ACCOUNTS = ("email", "member")
ON_STANDARD = "clusterAutoscaling.autoProvisioningDefaults"
"""A block that GKE reports of every Standard cluster, and of an Autopilot cluster only if it was sent. The comparison
names the block, and the provider what is inside of it."""

AT_ONCE = [*((2, seed) for seed in range(24)), *((3, seed) for seed in range(12)), (4, 2058)]
"""How many edits are previewed at once, and the seed of their draw. In the last one, the engine reports a protected
node pool of a moved cluster under its former name.
"""


@pytest.fixture(scope="session")
def up(cli: PulumiCli, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], EngineStack]]:
    """Bases of the corpus, each brought up once, in a cloud of its own; tests only preview."""
    with contextlib.ExitStack() as clouds:

        @functools.cache
        def stack(base: str) -> EngineStack:
            engine = clouds.enter_context(started(cli, tmp_path_factory.mktemp(base)))
            # `diff` names the upgrade strategy of flex-start node pools from the plan, GKE reports SHORT_LIVED.
            engine.cloud.knobs.added = ("tpu", "no_ip_endpoint", "every")
            engine.provide(BASES[base]())
            made = engine.stack(FLEETS[base])
            assert made.up(program(BASES[base](), FLEETS[base])).error == ""
            return made

        yield stack


def foretold(edit: Edit) -> tuple[ResourceChange, ...]:
    catalog = read_catalog()
    return compare(graph_before(edit.base), graph_after(edit), catalog.provider, disks=catalog.disks.families)


def key(urn: str) -> str:
    """A URN without stack and project."""
    return urn.split("::", 2)[2]


def names_after(changes: tuple[ResourceChange, ...]) -> dict[str, str]:
    """URN before -> URN after: what moves is deleted under the one, and created under the other."""
    return {key(change.former_urn): key(change.urn) for change in changes if change.former_urn}


def planned_ops(run: Run, after: dict[str, str]) -> dict[str, str]:
    """By URN what the engine does; what it deletes along and does not create again is deleted."""
    found: dict[str, list[str]] = {}
    for step in run.changes:
        found.setdefault(after.get(key(step.urn), key(step.urn)), []).append(step.op)
    return {urn: _one_op(ops) for urn, ops in found.items()}


def _one_op(ops: list[str]) -> str:
    if "create-replacement" in ops:
        return DELETE_FIRST if ops[0] == "delete-replaced" else CREATE_FIRST
    return "delete" if ops[0] == "delete-replaced" else ops[0]


def foretold_op(change: ResourceChange) -> str:
    if change.operation == "replace":
        return DELETE_FIRST if change.delete_first else CREATE_FIRST
    return change.operation


def told(run: Run, after: dict[str, str]) -> dict[str, set[str]]:
    """By URN the properties that the provider told of."""
    found: dict[str, set[str]] = {}
    for step in run.changes:
        follows = (*FOLLOWING, *OF_ACCOUNTS) if step.type.endswith(":Account") else FOLLOWING
        paths = {path for path in step.diff if not path.startswith(follows)}
        paths = {ON_STANDARD if path.startswith(f"{ON_STANDARD}.") else path for path in paths}
        found.setdefault(after.get(key(step.urn), key(step.urn)), set()).update(paths)
    return found


def expected_to_be_told(change: ResourceChange, found: set[str]) -> set[str]:
    """The provider gets no request for a resource that is deleted with another one."""
    if change.operation not in ("update", "replace") or (change.because_of and not found):
        return set()
    paths = {item.path for item in change.differences if item.planned}
    return {ON_STANDARD if path.startswith(f"{ON_STANDARD}.") else path for path in paths}


@pytest.mark.parametrize("edit", EDITS, ids=str)
def test_the_engine_plans_what_was_foretold(up: Callable[[str], EngineStack], edit: Edit) -> None:
    engine_plans_what_was_foretold(up, edit)


@pytest.mark.parametrize(("many", "seed"), AT_ONCE)
def test_the_engine_plans_what_was_foretold_of_edits_at_once(
    up: Callable[[str], EngineStack], many: int, seed: int
) -> None:
    engine_plans_what_was_foretold(up, edits_at_once(seed, many))


def engine_plans_what_was_foretold(up: Callable[[str], EngineStack], edit: Edit) -> None:
    changes = foretold(edit)
    run = up(edit.base).preview(program(edited(edit), FLEETS[edit.base]))
    if any("crashes" in change.refused for change in changes):
        assert "Bridged provider panic" in run.error
        return
    assert doubts(graph_before(edit.base), graph_after(edit), changes, run) == []
    stopped = [change.name for change in changes if change.refused_by == "engine"]
    if stopped:
        assert re.search("it is (?:protected|currently marked for protection)", run.error)
        former = [change.former_urn.rpartition("::")[2] for change in changes if change.refused_by == "engine"]
        assert any(f'::{name}"' in run.error for name in (*stopped, *filter(None, former)))
        return
    assert run.error == ""
    assert step_differences(graph_after(edit), run) == []
    after = names_after(changes)
    planned = {key(change.urn): change for change in changes if change.operation != "same"}
    assert planned_ops(run, after) == {urn: foretold_op(change) for urn, change in planned.items()}
    paths = told(run, after)
    assert paths == {urn: expected_to_be_told(change, paths[urn]) for urn, change in planned.items()}


SILENT = ("last node label gone", "version lowered", "upgrades of a group until the end of support")
IN_USE = ("smaller subnetwork", "subnetwork in another range", "name of the cluster", "existing network", "project")
"""Edits that delete or replace networks with what is in them, in an order that Compute Engine accepts."""
CARRIED_OUT = [
    edit
    for edit in EDITS
    if (edit.refused in ("provider", "GKE") and edit.name != RACING) or edit.name in (*SILENT, *IN_USE)
]


@pytest.mark.parametrize("edit", CARRIED_OUT, ids=str)
def test_carried_out(engine: Engine, edit: Edit) -> None:
    """What no preview shows: refusals in the update, and updates that send nothing."""
    stack = engine.stack(FLEETS[edit.base])
    assert stack.up(program(BASES[edit.base](), FLEETS[edit.base])).error == ""
    engine.cloud.requests.clear()
    run = stack.up(program(edited(edit), FLEETS[edit.base]))
    assert bool(run.error) == bool(edit.refused)
    assert engine.cloud.requests == [] or edit.name not in SILENT
