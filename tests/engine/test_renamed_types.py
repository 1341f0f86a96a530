"""What the engine makes of components under other types: the verdict of ``former_urns`` is the engine's own."""

import pulumi
import pytest
from engine_cloud import Engine
from support.former_urns import lost
from support.recording import record
from support.shipped import program, shipped_plan

from pulumi_gke_tpu.components import site, slices, tpu_fleet

OTHER = "gke-tpu:index:Other"
Aliases = tuple[pulumi.Alias, ...]


def _renamed(patch: pytest.MonkeyPatch, module: object, aliases: Aliases) -> None:
    def options(opts: pulumi.ResourceOptions | None, names: list[str]) -> pulumi.ResourceOptions:
        return pulumi.ResourceOptions.merge(
            site.component_options(opts, names), pulumi.ResourceOptions(aliases=list(aliases))
        )

    patch.setattr(module, "token", lambda name: OTHER)
    patch.setattr(module, "component_options", options)


@pytest.mark.parametrize(
    ("module", "old"), [(slices, "TpuSlices"), (tpu_fleet, "TpuFleet")], ids=["a component", "the one around all"]
)
def test_another_type(engine: Engine, monkeypatch: pytest.MonkeyPatch, module: object, old: str) -> None:
    run = program(shipped_plan("prod"))
    stack = engine.stack("prod")
    assert stack.up(run).error == ""
    state = list(stack.state())
    without, with_alias = (), (pulumi.Alias(type_=f"gke-tpu:index:{old}"),)

    _renamed(monkeypatch, module, without)
    assert set(lost(state, record(run, stack="prod"))) == {urn for urn in state if f"{old}$" in urn}
    assert "protect" in stack.preview(run).error

    monkeypatch.undo()
    _renamed(monkeypatch, module, with_alias)
    assert lost(state, record(run, stack="prod")) == []
    unchanged = stack.preview(run)
    assert (unchanged.error, unchanged.ops()) == ("", {})
