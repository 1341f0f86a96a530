"""Edits about which only the provider decides, in the stand-in: what it finds was recorded, or is foretold.

Replacements, deletions, moves and refusals take the real engine: ``tests/engine/test_corpus_engine.py``, and
``test_observed_plan_edits_engine.py`` there.
"""

import functools
from collections.abc import Mapping, Sequence
from typing import Any

from support.each import each
from support.editing import BASES, FLEETS, Edit, edited
from support.edits import EDITS
from support.foretold import expected_to_be_told, foretold, takes_the_engine, told
from support.fresh_stacks import created, program_of
from support.gcp_standin.cloud import Cloud
from support.gcp_standin.difference import Difference
from support.gcp_standin.without_engine import Stack
from support.observed_edits import STACK, UNREAD, ObservedEdit, Step, as_arguments, observed_edits
from support.plan_corpus import Source, source
from support.sampling import sample
from support.shipped import TODAY

RECORDED = [edit for edit in observed_edits() if not edit.takes_the_engine]
FORETOLD = [edit for edit in EDITS if not takes_the_engine(edit)]


def derived(plan: Mapping[str, Any]) -> Source:
    found = source("", plan, TODAY)
    assert found is not None
    return found


def up(plan: Mapping[str, Any], name: str, *added: str) -> Stack:
    cloud = Cloud()
    cloud.knobs.added = added
    return created(derived(plan), cloud, name)[0]


@functools.cache
def recorded_base(base: str) -> Stack:
    """In a cloud that adds nothing, as that of the recordings."""
    return up(as_arguments(next(dict(edit.before) for edit in RECORDED if edit.base == base)), STACK)


@functools.cache
def base_of_edits(base: str) -> Stack:
    """`diff` names the upgrade strategy of flex-start node pools from the plan, GKE reports SHORT_LIVED."""
    return up(BASES[base](), FLEETS[base], "tpu", "no_ip_endpoint", "every")


def found_by_the_provider(
    stack: Stack, plan: Mapping[str, Any], name: str
) -> dict[tuple[str, str], Sequence[Difference]]:
    """Type and name of a resource that was there before -> its differences, if it has any."""
    program = program_of(derived(plan), name)
    planned = stack.planned(program)
    return {(item.type, item.name): planned[item.key] for item in program if item.key in planned}


@each("edit", lambda: sample(RECORDED, 60, lambda edit: edit.base))
def test_the_provider_finds_what_was_recorded(edit: ObservedEdit) -> None:
    found = found_by_the_provider(recorded_base(edit.base), as_arguments(dict(edit.after)), STACK)
    diffs = {
        f"{kind.rsplit(':', 1)[1]} {name}": {
            item.path: item.how + "-replace" * item.replaces for item in differences if item.path != UNREAD[0]
        }
        for (kind, name), differences in found.items()
    }
    assert {name: Step("update", diff) for name, diff in diffs.items()} == edit.steps


@each("edit", lambda: sample(FORETOLD, 60, lambda edit: edit.base))
def test_the_provider_finds_what_was_foretold(edit: Edit) -> None:
    changes = foretold(edit)
    assert {(change.operation, change.refused) for change in changes} <= {("update", ""), ("create", ""), ("same", "")}
    found = found_by_the_provider(base_of_edits(edit.base), edited(edit), FLEETS[edit.base])
    assert not any(item.replaces for differences in found.values() for item in differences)
    paths = {key: told([item.path for item in differences], key[0]) for key, differences in found.items()}
    updated = {(change.type, change.name): change for change in changes if change.operation == "update"}
    assert paths == {key: expected_to_be_told(change, set()) for key, change in updated.items()}


def test_most_edits_need_no_engine() -> None:
    assert len(RECORDED) >= 193
    assert len(FORETOLD) >= 154
