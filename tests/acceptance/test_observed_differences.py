"""Recorded edits of plans whose resources are only updated: the stand-in has to answer as the real provider did.

The others take the real engine: ``tests/engine/test_observed_plan_edits_engine.py``.
"""

import functools
from collections.abc import Mapping
from typing import Any

from support.each import each
from support.fresh_stacks import created
from support.gcp_standin.cloud import Cloud
from support.gcp_standin.without_engine import Stack
from support.observed_edits import STACK, UNREAD, ObservedEdit, Step, as_arguments, observed_edits
from support.plan_corpus import Source, catalog, source
from support.sampling import sample
from support.shipped import TODAY

from pulumi_gke_tpu.core.graph.builders.standard import tpu_fleet
from pulumi_gke_tpu.core.graph.declared import Declarations

UPDATES = [edit for edit in observed_edits() if not edit.takes_the_engine]


def derived(name: str, plan: Mapping[str, Any]) -> Source:
    found = source(name, as_arguments({**plan}), TODAY)
    assert found is not None
    return found


@functools.cache
def up(base: str) -> Stack:
    """A recorded base, in a cloud that adds nothing, as that of the recordings."""
    before = next(edit.before for edit in UPDATES if edit.base == base)
    cloud = Cloud()
    cloud.knobs.added = ()
    return created(derived(base, before), cloud)[0]


@each("edit", lambda: sample(UPDATES, 60, lambda edit: edit.base), str)
def test_the_provider_finds_what_was_recorded(edit: ObservedEdit) -> None:
    after = derived(edit.name, edit.after)
    program = Declarations(tpu_fleet(after.fleet, catalog(), after.data, STACK))
    planned, found = up(edit.base).planned(program), {}
    for declared in program:
        if differences := planned.get(declared.key):
            diff = {item.path: item.how + "-replace" * item.replaces for item in differences if item.path != UNREAD[0]}
            found[f"{declared.type.rsplit(':', 1)[1]} {declared.name}"] = Step("update", diff)
    assert found == edit.steps


def test_most_edits_need_no_engine() -> None:
    assert len(UPDATES) == 193
