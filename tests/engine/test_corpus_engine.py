"""Edits of the corpus in the real engine: it has to plan what the comparison of two graphs foretells.

Edits about which only the provider decides need no engine: ``tests/acceptance/test_provider_differences.py``.
"""

import contextlib
import functools
import re
from collections.abc import Callable, Iterator

import pytest
from support.editing import BASES, FLEETS, Edit, edited, graph_after, graph_before
from support.edits import EDITS
from support.edits_at_once import apart, edits_at_once, together
from support.edits_of_names import RACING
from support.engine.engine_cloud import Engine, started
from support.engine.kept_state import step_differences
from support.engine.pulumi_cli import PulumiCli
from support.engine.stack_run import CREATE_FIRST, DELETE_FIRST, EngineStack, Run
from support.engine.streamed import doubts
from support.foretold import expected_to_be_told, foretold, takes_the_engine, told
from support.shipped import program

from pulumi_gke_tpu.features.diff.model import ResourceChange

SINGLE = [edit for edit in EDITS if takes_the_engine(edit)]
IN_ONE_RUN = [
    together(edits)
    for base in BASES
    for edits in apart(
        (edit for edit in SINGLE if edit.base == base and not edit.refused),
        lambda edit: (BASES[edit.base](), edited(edit)),
        3,
    )
]
"""Edits of one base that touch different parts of the plan: a run takes the same time for each number of them."""
AT_ONCE = [*((2, seed) for seed in range(12)), *((3, seed) for seed in range(12)), (4, 2058)]
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
            engine.cloud.provide(BASES[base]())
            made = engine.stack(FLEETS[base])
            assert made.up(program(BASES[base](), FLEETS[base])).error == ""
            return made

        yield stack


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


def told_of(run: Run, after: dict[str, str]) -> dict[str, set[str]]:
    """By URN the properties that the provider told of."""
    found: dict[str, set[str]] = {}
    for step in run.changes:
        found.setdefault(after.get(key(step.urn), key(step.urn)), set()).update(told(step.diff, step.type))
    return found


@pytest.mark.parametrize("edit", [*IN_ONE_RUN, *(edit for edit in SINGLE if edit.refused)], ids=str)
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
    paths = told_of(run, after)
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
