"""Transforms in the embedded engine. That they do what they do in the real one is shown in ``tests/engine``."""

import asyncio
from collections.abc import Callable
from typing import Any

import pulumi
import pulumi_gcp as gcp
import pytest
from pulumi.runtime._callbacks import _CallbackServicer

from pulumi_gke_tpu.preview import Graph, Unknown, run_program

Args = pulumi.ResourceTransformArgs
Result = pulumi.ResourceTransformResult


class Group(pulumi.ComponentResource):
    def __init__(self, name: str, opts: pulumi.ResourceOptions) -> None:
        super().__init__("acme:index:Group", name, {}, opts)


def address(key: str, **options: Any) -> gcp.compute.Address:
    return gcp.compute.Address(key, project="acme-ml", description="", opts=pulumi.ResourceOptions(**options))


def with_mark(mark: str) -> Callable[[Args], Result | None]:
    def transform(args: Args) -> Result | None:
        if not args.custom:
            return None
        return Result({**args.props, "description": f"{args.props['description']}{mark}"}, args.opts)

    return transform


def one(graph: Graph, name: str) -> Any:
    (found,) = (resource for resource in graph.resources if resource.name == name)
    return found


def test_the_nearest_transform_runs_first_and_the_stacks_last() -> None:
    def program() -> None:
        pulumi.runtime.register_resource_transform(with_mark("d"))
        outer = Group("outer", pulumi.ResourceOptions(transforms=[with_mark("c")]))
        inner = Group("inner", pulumi.ResourceOptions(parent=outer))
        address("deep", parent=inner, transforms=[with_mark("a"), with_mark("b")])
        address("flat")

    graph = run_program(program)
    assert (one(graph, "deep").inputs["description"], one(graph, "flat").inputs["description"]) == ("abcd", "d")


def test_what_a_transform_changed_comes_back_to_the_program() -> None:
    def program() -> None:
        first = address("first", transforms=[with_mark("known")])
        gcp.compute.Address("second", description=first.description)

    assert one(run_program(program), "second").inputs["description"] == "known"


def test_a_transform_may_wait_for_other_resources() -> None:
    """More of them than there could be at once without help."""

    def program() -> None:
        def wait(args: Args) -> Any:
            other = address(f"for-{args.name}")
            return asyncio.wait_for(_changed(args, other), 30)

        for number in range(20):
            address(f"a{number}", transforms=[wait])

    graph = run_program(program)
    assert len(graph.resources) == 40
    assert one(graph, "a7").options.depends_on == (one(graph, "for-a7").urn,)


async def _changed(args: Args, other: pulumi.Resource) -> Result:
    await other.urn.future()
    return Result(args.props, pulumi.ResourceOptions.merge(args.opts, pulumi.ResourceOptions(depends_on=[other])))


def test_children_take_over_what_a_transform_gave_their_parent() -> None:
    def protect(args: Args) -> Result | None:
        options = pulumi.ResourceOptions.merge(args.opts, pulumi.ResourceOptions(protect=True))
        return None if args.custom else Result(args.props, options)

    def program() -> None:
        group = Group("group", pulumi.ResourceOptions(transforms=[protect]))
        address("child", parent=group)
        address("own", parent=group, protect=False)

    protected = {resource.name: resource.options.protect for resource in run_program(program).resources}
    assert protected == {"group": True, "child": True, "own": False}


@pytest.mark.parametrize("label", ["changed", "looked at"])
def test_secrets_and_unknowns_stay_what_they_are(label: str) -> None:
    def program() -> None:
        def transform(args: Args) -> Result | None:
            return Result({**args.props, "region": "us-east5"}, args.opts) if label == "changed" else None

        first = address("first")
        gcp.compute.Address(
            "second",
            address=first.address,
            labels={"password": pulumi.Output.secret("hunter2"), "plain": "text"},
            opts=pulumi.ResourceOptions(transforms=[transform]),
        )

    graph = run_program(program)
    inputs = one(graph, "second").inputs
    assert "hunter2" not in repr(graph)
    assert isinstance(inputs["address"], Unknown)
    assert inputs["labels"]["plain"] == "text"
    assert isinstance(inputs["labels"]["password"], Unknown)


def test_transforms_of_functions_run_one_after_the_other() -> None:
    seen: list[Any] = []

    def add(args: pulumi.InvokeTransformArgs) -> pulumi.InvokeTransformResult:
        return pulumi.InvokeTransformResult({**args.args, "project": "acme-ml"}, args.opts)

    def look(args: pulumi.InvokeTransformArgs) -> None:
        seen.append((args.token, dict(args.args)))

    def program() -> None:
        pulumi.runtime.register_invoke_transform(add)
        pulumi.runtime.register_invoke_transform(look)
        gcp.compute.get_network_output(name="theirs")

    run_program(program)
    assert seen == [("gcp:compute/getNetwork:getNetwork", {"name": "theirs", "project": "acme-ml"})]


@pytest.mark.parametrize("where", ["of a resource", "of the stack", "later"])
def test_what_a_transform_raises_comes_out(where: str) -> None:
    def fail(args: Args) -> Any:
        async def later() -> None:
            raise LookupError("in the transform")

        if where == "later":
            return later()
        raise LookupError("in the transform")

    def program() -> None:
        if where == "of the stack":
            pulumi.runtime.register_resource_transform(fail)
            address("a")
        else:
            address("a", transforms=[fail])

    with pytest.raises(LookupError, match="in the transform"):
        run_program(program)


def test_no_server_is_started_and_nothing_is_left() -> None:
    before = list(_CallbackServicer._servicers)
    for _ in range(2):
        graph = run_program(lambda: address("a", transforms=[with_mark("x")]))
        assert one(graph, "a").inputs["description"] == "x"
    assert before == _CallbackServicer._servicers
    assert run_program(lambda: address("a")).resources[0].inputs["description"] == ""


def test_a_transform_can_preview_another_program() -> None:
    names: list[str] = []

    def nested(args: Args) -> None:
        names.extend(resource.name for resource in run_program(lambda: address("inner")).resources)

    run_program(lambda: address("outer", transforms=[nested]))
    assert names == ["inner"]
