"""Recorded edits of plans in the real engine with the stand-in, which has to answer as the real provider did.

Edits about which only the provider decides need no engine: ``tests/acceptance/test_provider_differences.py``.
"""

import contextlib
import functools
from collections.abc import Callable, Iterator

import pytest
from support.engine.engine_cloud import Engine, started
from support.engine.pulumi_cli import PulumiCli
from support.engine.stack_run import EngineStack, Run
from support.observed_edits import STACK, UNREAD, ObservedEdit, Step, as_arguments, observed_edits
from support.shipped import program

STOPS = {"provider": "Bridged provider panic", "protection": "protect"}
"""Whatever stops a preview, and a part of the engine's message."""
EDITS = [edit for edit in observed_edits() if edit.takes_the_engine and edit.stopped.get("by") != "validation"]


@pytest.fixture(scope="session")
def up(cli: PulumiCli, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], EngineStack]]:
    """The recorded bases, each brought up once, in a cloud of its own; tests only preview."""
    with contextlib.ExitStack() as clouds:

        @functools.cache
        def stack(base: str) -> EngineStack:
            engine: Engine = clouds.enter_context(started(cli, tmp_path_factory.mktemp(base)))
            engine.cloud.knobs.added = ()  # by the API of the recordings
            before = next(edit.before for edit in EDITS if edit.base == base)
            engine.cloud.provide(before)
            made = engine.stack(STACK)
            assert made.up(program(as_arguments(before), STACK)).error == ""
            return made

        yield stack


def steps(run: Run) -> dict[str, Step]:
    """Type and name of a resource -> its step, as in the record: a replacement is several steps of the engine."""
    ops = {name: op.partition(",")[0] for name, op in run.ops().items()}
    found: dict[str, dict[str, str]] = {}
    for step in run.changes:
        diff = {path: kind.replace("_", "-") for path, kind in step.diff.items() if path != UNREAD[0]}
        found.setdefault(f"{step.type.rsplit(':', 1)[1]} {step.name}", {}).update(diff)
    return {name: Step(op, found[name]) for name, op in ops.items() if op in ("update", "replace")}


@pytest.mark.parametrize("edit", EDITS, ids=str)
def test_the_engine_plans_what_was_recorded(up: Callable[[str], EngineStack], edit: ObservedEdit) -> None:
    """How far a preview comes until it stops is a matter of chance."""
    run = up(edit.base).preview(program(as_arguments(edit.after), STACK))
    stopped_by = next((word for word, text in STOPS.items() if text in run.error), "") if run.error else None
    assert stopped_by == edit.stopped.get("by")
    found = steps(run)
    compared = found.keys() & edit.steps.keys() if edit.stopped else found.keys() | edit.steps.keys()
    assert {name: found.get(name) for name in compared} == {name: edit.steps.get(name) for name in compared}
