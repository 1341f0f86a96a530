"""A value that GKE may add to an answer replaces nothing, unless ``tests/data/echoes.yaml`` lists it.

The stand-in of the provider stores the zero or empty value of every property that is optional and not computed, one at
a time and in random pairs. What GKE is known to add is in ``test_second_preview.py`` and ``test_adopted_previews.py``.
"""

import copy
import functools
import random
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from support.documents import ROOT
from support.fleets import adoptions, fleets, put_into, taken
from support.fresh_stacks import created
from support.gcp_standin.cloud import Cloud
from support.gcp_standin.echoes import echoes, expected, put_echo
from support.gcp_standin.knowledge import CLUSTER, POOL
from support.gcp_standin.without_engine import Stack
from support.plan_corpus import sources
from support.sampling import SELECTION
from support.terraform.echoed import differences

from pulumi_gke_tpu.core.graph.declared import Declarations, Declared

PAIRS = 5_000 if SELECTION.everything else 200
FRESH = ("stack prod", "stack dev", "stack ironwood", "base flexible")
ADOPTED = ("gcloud_v6e", "gcloud_queued", "gcloud_flex_start", "xpk_v6e_reserved", "module_default_pool", "autopilot")
SEED = 41
HOW = ("replaces", "updates")


@dataclass(frozen=True)
class Outcome:
    """What one value does to one resource."""

    resource: str
    token: str
    path: str
    replaces: frozenset[str]
    updates: frozenset[str]


def fresh() -> Iterator[tuple[Stack, Declarations]]:
    for plan in sources("stacks"):
        if plan.name in FRESH:
            stack, program = created(plan, Cloud())
            stack.refresh()
            yield stack, program


def adopted() -> Iterator[tuple[Stack, Declarations]]:
    for fleet in fleets():
        for adoption in adoptions(fleet) if fleet.name in ADOPTED else ():
            cloud = Cloud()
            put_into(cloud, fleet)
            yield taken(adoption, cloud)


SOURCES = {"fresh": fresh, "adopted": adopted}


def resources(source: str) -> Iterator[tuple[Stack, Declared]]:
    """The clusters and node pools; of node pools that differ only in a number, the first."""
    for stack, program in SOURCES[source]():
        seen = set()
        for declared in program:
            group = declared.key.rpartition("-")[0] or declared.key
            if declared.type in (CLUSTER, POOL) and group not in seen:
                seen.add(group)
                yield stack, declared


@functools.cache
def outcomes(source: str) -> tuple[Outcome, ...]:
    """What each value does to each resource that has no other value there."""
    found = []
    for stack, declared in resources(source):
        inputs, _ = stack.checked(declared)
        for value in echoes(declared.type):
            reported = echoed(stack, declared, value)
            if reported is not None:
                changes = stack.compared(declared, inputs, reported)
                kinds = (frozenset(blocks(changes, how)) for how in HOW)
                found.append(Outcome(declared.name, declared.type, value[0], *kinds))
    return tuple(found)


def echoed(stack: Stack, declared: Declared, *values: tuple[str, Any]) -> Any:
    """The outputs of a resource with more values; None if it has one of them already."""
    outputs = copy.deepcopy(stack.resources[declared.key].outputs)
    return outputs if all(put_echo(outputs, path, value) for path, value in values) else None


def blocks(changes: list[str], how: str) -> set[str]:
    """The paths of the changes of a kind, without those of a map that is listed beside every other change."""
    found = {change.partition(" ")[2] for change in changes if change.startswith("replace ") == (how == "replaces")}
    return found - {"nodeConfig.resourceManagerTags", "nodeConfig.linuxNodeConfig.sysctls"}


@pytest.mark.parametrize("source", SOURCES)
def test_a_value_that_gke_adds_does_what_is_listed(source: str, record_property: Callable[[str, object], None]) -> None:
    tried = outcomes(source)
    record_property("values", len(tried))
    for how in HOW:
        changing = [item for item in tried if getattr(item, how)]
        record_property(how, len(changing))
        unlisted = [item for item in changing if not getattr(item, how) <= set(expected(item.token)[how])]
        assert unlisted == []
    assert len(tried) > 1_500
    assert len({(item.token, item.path) for item in tried}) > 340


@pytest.mark.parametrize("token", [CLUSTER, POOL], ids=["clusters", "node pools"])
def test_what_is_listed_happens_to_something_that_gke_tpu_makes(token: str) -> None:
    every = [item for source in SOURCES for item in outcomes(source) if item.token == token]
    for how in HOW:
        assert {block for item in every for block in getattr(item, how)} == set(expected(token)[how])


@pytest.mark.parametrize("source", SOURCES)
def test_two_values_replace_what_one_of_them_replaces(source: str) -> None:
    chance = random.Random(SEED)
    every = [(stack, declared, stack.checked(declared)[0]) for stack, declared in resources(source)]
    for _ in range(PAIRS):
        stack, declared, inputs = chance.choice(every)
        both = echoed(stack, declared, *chance.sample(echoes(declared.type), 2))
        changes = [] if both is None else stack.compared(declared, inputs, both)
        assert blocks(changes, "replaces") <= set(expected(declared.type)["replaces"]), declared.key


def test_the_page_has_every_replacement() -> None:
    page = (ROOT / "docs" / "gke-adds.md").read_text("utf-8")
    table = page.partition("## What else would change something")[2].partition("## In programs")[0]
    listed = {path for row in table.splitlines() if "| REPLACE |" in row for path in re.findall(r"`([^`]+)`", row)}
    known = (blocks for token in (CLUSTER, POOL) for blocks in (expected(token), differences(token)))
    assert listed - {"cpu_pools"} == {path for blocks in known for path in blocks["replaces"]}
