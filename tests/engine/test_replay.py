"""Repeats the observed changes through the real engine and the stand-in: it has to answer as the real provider did."""

import dataclasses
from typing import Any

import pytest
from support.engine.engine_cloud import Engine
from support.engine.stack_run import Run, Step
from support.replayed import NOISE, Change, observed_changes, program

CHANGES = observed_changes()
SUCCEEDING = [change for change in CHANGES if not change.fails]
BATCH = 48
"""Resources in one stack: with hundreds the SDK gets slow."""
DELETION_FAILS = "c145"
"""After a failed deletion the engine never comes back from ``--continue-on-error``, so this one runs alone."""


@dataclasses.dataclass(frozen=True)
class Outcome:
    """What is compared."""

    op: str
    diff: dict[str, str]
    writes: tuple[str, ...]
    again: str


def expected(change: Change) -> Outcome:
    return Outcome(change.op, change.diff, change.writes, change.again)


def op_of(run: Run, change: Change) -> str:
    ops = [op for name, op in run.ops().items() if name.endswith(f" {change.id}")]
    return ops[0] if ops else "same"


def diff_of(steps: list[Step]) -> dict[str, str]:
    """The detailed difference of one resource, without the irrelevant entries of the real provider."""
    return {path: kind for step in steps for path, kind in step.diff.items() if not path.startswith(NOISE)}


def outcomes(engine: Engine, changes: list[Change], **options: Any) -> tuple[dict[str, Outcome], Run]:
    """Before, after, and once more after."""
    stack = engine.stack("replay")
    assert stack.up(program(changes, "before")).error == ""
    engine.cloud.requests.clear()
    plan = stack.preview(program(changes, "after"))
    assert plan.error == ""
    update = stack.up(program(changes, "after"), **options)
    again = stack.preview(program(changes, "after"))
    assert again.error == ""
    found = {
        change.id: Outcome(
            op_of(plan, change),
            diff_of(plan.of(change.id)),
            tuple(engine.cloud.sent(change.id)),
            op_of(again, change),
        )
        for change in changes
    }
    return found, update


def differing(found: dict[str, Outcome], changes: list[Change]) -> str:
    """Every change that came out differently, one line for each word that differs; empty if all is as observed."""
    lines = []
    for change in changes:
        should, was = dataclasses.asdict(expected(change)), dataclasses.asdict(found[change.id])
        lines += [
            f"{change.id} {word}: observed {should[word]}, here {was[word]}"
            for word in should
            if should[word] != was[word]
        ]
    return "\n".join(lines)


@pytest.fixture(autouse=True)
def _observed_api(engine: Engine) -> None:
    """The emulated API of the observations was milder than the live one in two points."""
    engine.cloud.knobs.added = ()  # by the API of the recordings
    engine.cloud.knobs.reports_policy_topology = False
    engine.cloud.knobs.needs_initial_node_count = False


@pytest.mark.parametrize("first", range(0, len(SUCCEEDING), BATCH))
def test_changes_that_succeed(engine: Engine, first: int) -> None:
    changes = SUCCEEDING[first : first + BATCH]
    found, update = outcomes(engine, changes)
    assert update.error == ""
    assert differing(found, changes) == ""


def test_changes_that_fail(engine: Engine) -> None:
    changes = [change for change in CHANGES if change.fails and change.id != DELETION_FAILS]
    found, update = outcomes(engine, changes, continue_on_error=True)
    assert update.error != ""
    assert differing(found, changes) == ""


def test_a_replacement_that_deletion_protection_stops(engine: Engine) -> None:
    changes = [change for change in CHANGES if change.id == DELETION_FAILS]
    found, update = outcomes(engine, changes)
    assert "deletion_protection" in update.error
    assert differing(found, changes) == ""
