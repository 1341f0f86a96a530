"""The shipped stacks in the real engine: its state of each resource equals the graph.

``test_corpus_engine`` compares the same for every edit, with what the engine aims at in its preview.
"""

import dataclasses
from typing import Any

import pytest
from support.engine.engine_cloud import Engine
from support.engine.kept_state import state, state_differences
from support.gcp_standin.knowledge import POOL
from support.shipped import NAMES, program, shipped_plan

from pulumi_gke_tpu.core.graph.model import Graph, Options
from pulumi_gke_tpu.preview import preview_plan


@pytest.mark.parametrize("name", NAMES)
def test_the_engine_keeps_what_the_graph_says(engine: Engine, name: str) -> None:
    plan: Any = shipped_plan(name)
    engine.cloud.provide(plan)
    stack = engine.stack(name)
    assert stack.up(program(plan, name)).error == ""
    kept, graph = state(stack), preview_plan(plan, name=name)
    assert state_differences(graph, kept) == []
    if name == "prod":
        assert [change for change in CHANGES if not state_differences(changed(graph, change), kept)] == []


CHANGES: dict[str, dict[str, Any]] = {
    "an input": {"inputs": {"nodeCount": 1}},
    "a parent": {"parent": ""},
    "protection": {"options": {"protect": False}},
    "a dependency": {"options": {"depends_on": ()}},
    "timeouts": {"options": {"custom_timeouts": ()}},
    "ignored changes": {"options": {"ignore_changes": ("nodeCount",)}},
    "replacing changes": {"options": {"replace_on_changes": ()}},
    "sources": {"sources": {}},
    "the name": {"urn": "urn:pulumi:prod::gke-tpu::other::other"},
}
"""What is changed in one node pool, to show that it is found."""


def changed(graph: Graph, change: str) -> Graph:
    """The graph with one change of a protected node pool."""
    (pool,) = (item for item in graph.of_type(POOL) if item.name.endswith("pretrain-0"))
    fields = dict(CHANGES[change])
    if "inputs" in fields:
        fields["inputs"] = {**pool.inputs, **fields["inputs"]}
    if "options" in fields:
        options: Options = dataclasses.replace(pool.options, **fields["options"])
        fields["options"] = options
    others = (item for item in graph.resources if item is not pool)
    return Graph((*others, dataclasses.replace(pool, **fields)))
