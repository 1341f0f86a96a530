"""What the engine makes of components under other types: the verdict of ``former_urns`` is the engine's own."""

import pytest
from support.engine.engine_cloud import Engine
from support.former_urns import lost
from support.recording import record
from support.retyping import retype
from support.shipped import program, shipped_plan

from pulumi_gke_tpu.core.graph import resource_types
from pulumi_gke_tpu.core.graph.declared import Alias

OTHER = "gke-tpu:index:Other"


@pytest.mark.parametrize("name", ["TPU_SLICES", "TPU_FLEET"], ids=["a component", "the one around all"])
def test_another_type(engine: Engine, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    run = program(shipped_plan("prod"))
    stack = engine.stack("prod")
    assert stack.up(run).error == ""
    state = list(stack.state())
    old = getattr(resource_types, name)

    retype(monkeypatch, name, OTHER)
    assert set(lost(state, record(run, stack="prod"))) == {urn for urn in state if f"{old}$" in urn}
    assert "protect" in stack.preview(run).error

    monkeypatch.undo()
    retype(monkeypatch, name, OTHER, (Alias(type=old),))
    assert lost(state, record(run, stack="prod")) == []
    unchanged = stack.preview(run)
    assert (unchanged.error, unchanged.ops()) == ("", {})
