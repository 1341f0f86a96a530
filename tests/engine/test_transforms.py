"""Transforms do the same in the embedded preview and in the real engine: order, values seen, inputs and options."""

import functools
from collections.abc import Callable

import pulumi
import pytest
from support.engine.engine_cloud import Engine
from support.engine.kept_state import state, state_differences
from support.engine.transform_programs import PROGRAMS, Seen, network

from pulumi_gke_tpu.preview import run_program

every_program = pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)


@every_program
def test_the_embedded_preview_runs_transforms_as_the_engine_does(
    engine: Engine, program: Callable[[Seen], None]
) -> None:
    here: Seen = []
    there: Seen = []
    graph = run_program(functools.partial(program, here), stack="change")
    stack = engine.stack("change")
    assert stack.preview(functools.partial(program, there)).error == ""
    assert sorted(here) == sorted(there) != []
    assert stack.up(functools.partial(program, [])).error == ""
    assert state_differences(graph, state(stack)) == []


def test_an_alias_given_by_a_transform_keeps_what_exists(engine: Engine) -> None:
    def alias(args: pulumi.ResourceTransformArgs) -> pulumi.ResourceTransformResult:
        options = pulumi.ResourceOptions.merge(args.opts, pulumi.ResourceOptions(aliases=[pulumi.Alias(name="before")]))
        return pulumi.ResourceTransformResult({**args.props, "name": "before"}, options)

    def renamed() -> None:
        network("after", transforms=[alias])

    stack = engine.stack("change")
    assert stack.up(lambda: network("before") and None).error == ""
    assert stack.preview(renamed).ops() == {}
    (resource,) = run_program(renamed).resources
    assert resource.options.aliases == ("name=before",)


def test_what_a_transform_raises_ends_the_program(engine: Engine) -> None:
    def refuse(args: pulumi.ResourceTransformArgs) -> None:
        raise LookupError("no such label")

    def program() -> None:
        network("refused", transforms=[refuse])

    assert "no such label" in engine.stack("change").preview(program).error
    with pytest.raises(LookupError, match=r"^no such label$"):
        run_program(program)
