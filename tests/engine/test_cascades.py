"""Changes that spread from one resource to others, as observed with the real provider: what, and in which order."""

import pytest
from support.cascades import CASCADES, Cascade
from support.engine.engine_cloud import Engine

WORDS = {"delete-replaced": "delete", "create-replacement": "create", "update": "update"}


@pytest.mark.parametrize("cascade", CASCADES, ids=str)
def test_cascade(engine: Engine, cascade: Cascade) -> None:
    # Nor did the API of the observations.
    engine.cloud.knobs.reports_policy_topology, engine.cloud.knobs.added = False, ()
    stack = engine.stack("cascade")
    assert stack.up(cascade.before).error == ""
    touched = {step.split()[1] for group in cascade.steps for step in group}
    assert {name.split()[1]: op for name, op in stack.preview(cascade.after).ops().items()} == dict.fromkeys(
        touched, cascade.op
    )
    run = stack.up(cascade.after)
    assert run.error == ""
    done = [f"{WORDS[step.op]} {step.name}" for step in run.changes if step.op in WORDS]
    assert in_groups(done, cascade.steps) == cascade.steps
    assert stack.preview(cascade.after).ops() == {}


def in_groups(steps: list[str], groups: tuple[tuple[str, ...], ...]) -> tuple[tuple[str, ...], ...]:
    """The steps cut into pieces as long as the groups, each sorted."""
    pieces, rest = [], list(steps)
    for group in groups:
        pieces.append(tuple(sorted(rest[: len(group)])))
        rest = rest[len(group) :]
    return tuple(pieces) + ((tuple(rest),) if rest else ())
