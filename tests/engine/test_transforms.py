"""Transforms do the same in the embedded preview and in the real engine: order, values seen, inputs and options."""

import functools
from collections.abc import Callable
from typing import Any

import pulumi
import pytest
from engine_cloud import Engine
from gcp_standin.checks import completed
from gcp_standin.knowledge import kind_of
from gcp_standin.planned import plain
from stack_run import EngineStack
from transform_programs import PROGRAMS, Seen, network

from pulumi_gke_tpu.plan.base import parse_duration
from pulumi_gke_tpu.preview import Resource, Unknown, run_program

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
    kept = state(stack)
    assert sorted(kept) == sorted(resource.urn for resource in graph.resources)
    for resource in graph.resources:
        assert options(resource) == kept_options(kept[resource.urn]), resource.urn
    for resource in graph.resources:
        if resource.custom and not resource.type.startswith("pulumi:"):
            check_inputs(resource, kept[resource.urn])


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


def state(stack: EngineStack) -> dict[str, dict[str, Any]]:
    """What the engine keeps of everything that the program itself made."""
    deployment = stack._stack.export_stack().deployment or {}
    own = ("pulumi:pulumi:Stack", "::default")
    return {item["urn"]: item for item in deployment["resources"] if not any(word in item["urn"] for word in own)}


def options(resource: Resource) -> dict[str, Any]:
    given = resource.options
    return {
        "protect": bool(given.protect),
        "retain": bool(given.retain_on_delete),
        "timeouts": {key: parse_duration(value).total_seconds() for key, value in given.custom_timeouts},
        "depends_on": sorted(given.depends_on),
        "provider": given.provider.rpartition("::")[0],
        "ignores": sorted(given.ignore_changes),
        "replaces": sorted(given.replace_on_changes),
    }


def kept_options(item: dict[str, Any]) -> dict[str, Any]:
    provider = item.get("provider", "").rpartition("::")[0]
    return {
        "protect": item.get("protect", False),
        "retain": item.get("retainOnDelete", False),
        "timeouts": {key: value for key, value in item.get("customTimeouts", {}).items() if value},
        "depends_on": sorted(item.get("dependencies", [])),
        "provider": "" if "::default" in provider else provider,
        "ignores": sorted(item.get("ignoreChanges", [])),
        "replaces": sorted(item.get("replaceOnChanges", [])),
    }


def check_inputs(resource: Resource, item: dict[str, Any]) -> None:
    """Equal, but for values that the preview cannot know; where these come from is known to both.

    The engine keeps what the provider's check made of them, with its defaults.
    """
    filled = plain(completed(kind_of(resource.type), dict(resource.inputs)))
    assert set(filled) == set(item["inputs"]) - {"__defaults"}
    for key, value in filled.items():
        assert agree(value, item["inputs"][key]), (resource.urn, key, value, item["inputs"][key])
        if isinstance(value, Unknown):
            assert list(value.urns) == sorted(item["propertyDependencies"].get(key) or []), (resource.urn, key)


def agree(here: Any, there: Any) -> bool:
    if isinstance(here, Unknown):
        return there is not None
    if isinstance(here, dict) and isinstance(there, dict):
        names = set(there) - {"__defaults"}
        return set(here) == names and all(agree(here[name], there[name]) for name in names)
    if isinstance(here, list) and isinstance(there, list):
        return len(here) == len(there) and all(map(agree, here, there))
    return bool(here == there)
