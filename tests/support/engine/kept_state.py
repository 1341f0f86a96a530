"""What the real engine keeps of a resource, held against the graph."""

from collections.abc import Mapping, Sequence
from typing import Any

from support.engine.stack_run import EngineStack, Run
from support.gcp_standin.checks import completed
from support.gcp_standin.knowledge import kind_of
from support.gcp_standin.planned import plain

from pulumi_gke_tpu.core.graph.model import Graph, Resource
from pulumi_gke_tpu.core.plan.base import Unknown, parse_duration

_NOT_OF_THE_PROGRAM = ("pulumi:pulumi:Stack", "::default")
"""Parts of the URNs of what the engine adds: the stack, and the provider that no program names."""


def state(stack: EngineStack) -> dict[str, dict[str, Any]]:
    """URN -> what the engine keeps of everything that the program itself registers."""
    deployment = stack.export().deployment or {}
    return {item["urn"]: item for item in deployment["resources"] if _is_of_the_program(item["urn"])}


def _is_of_the_program(urn: str) -> bool:
    return not any(part in urn for part in _NOT_OF_THE_PROGRAM)


def options(resource: Resource) -> dict[str, Any]:
    """The options of a resource of the graph, in the words of the state."""
    given = resource.options
    return {
        "parent": resource.parent,
        "protect": bool(given.protect),
        "retain": bool(given.retain_on_delete),
        "timeouts": {key: parse_duration(value).total_seconds() for key, value in given.custom_timeouts},
        "depends_on": sorted(given.depends_on),
        "provider": given.provider.rpartition("::")[0],
        "ignores": sorted(given.ignore_changes),
        "replaces": sorted(given.replace_on_changes),
    }


def kept_options(item: Mapping[str, Any]) -> dict[str, Any]:
    """The options of a resource in the state."""
    provider = item.get("provider", "").rpartition("::")[0]
    parent = item.get("parent", "")
    return {
        "parent": parent if _is_of_the_program(parent) else "",
        "protect": item.get("protect", False),
        "retain": item.get("retainOnDelete", False),
        "timeouts": {key: value for key, value in item.get("customTimeouts", {}).items() if value},
        "depends_on": sorted(item.get("dependencies", [])),
        "provider": "" if "::default" in provider else provider,
        "ignores": sorted(item.get("ignoreChanges", [])),
        "replaces": sorted(item.get("replaceOnChanges", [])),
    }


def state_differences(graph: Graph, kept: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """How the state of a stack that was brought up differs from the graph."""
    resources = {resource.urn: resource for resource in graph.resources}
    found = [f"only in one of them: {urn}" for urn in sorted(resources.keys() ^ kept.keys())]
    for urn in sorted(resources.keys() & kept.keys()):
        resource, item = resources[urn], kept[urn]
        if options(resource) != kept_options(item):
            found.append(f"{urn}: {options(resource)}, kept: {kept_options(item)}")
        found += input_differences(resource, item["inputs"])
        for name in resource.inputs:
            sources = sorted((item.get("propertyDependencies") or {}).get(name) or [])
            if sources != list(resource.sources.get(name, ())):
                found.append(f"{urn}: {name} comes from {resource.sources.get(name, ())}, kept: {sources}")
    return found


def step_differences(graph: Graph, run: Run) -> list[str]:
    """How what the engine aims at in a preview differs from the graph. Steps that delete have no aim."""
    aims = {step.urn: step.new for step in run if step.new is not None and _is_of_the_program(step.urn)}
    existing = {step.urn for step in run if step.op != "create"}
    resources = {resource.urn: resource for resource in graph.resources}
    found = [f"only in one of them: {urn}" for urn in sorted(resources.keys() ^ aims.keys())]
    for urn in sorted(resources.keys() & aims.keys()):
        resource, aim = resources[urn], aims[urn]
        parent = aim.parent if _is_of_the_program(aim.parent) else ""
        if (resource.parent, bool(resource.options.protect)) != (parent, bool(aim.protect)):
            found.append(f"{urn}: parent {parent}, protect {aim.protect}")
        # Of what exists already, the engine takes over the inputs whose changes are ignored.
        found += input_differences(resource, aim.inputs, resource.options.ignore_changes if urn in existing else ())
    return found


def input_differences(resource: Resource, kept: Mapping[str, Any], ignored: Sequence[str] = ()) -> list[str]:
    """How the inputs that the engine keeps differ, up to those that are ``ignored`` and values that are not known yet.

    The engine keeps what the provider's check makes of them, with its defaults.
    """
    filled = dict(resource.inputs)
    if resource.type.startswith("pulumi:providers:"):
        return []  # a provider adds settings of its own
    if resource.custom:
        filled = plain(completed(kind_of(resource.type), filled))
    filled, kept = ({name: block[name] for name in block.keys() - {*ignored}} for block in (filled, kept))
    names = sorted(filled.keys() ^ (kept.keys() - {"__defaults"}))
    found = [f"{resource.urn}: {name} is only in one of them" for name in names]
    return found + [
        f"{resource.urn}: {name} is {filled[name]}, kept: {kept[name]}"
        for name in sorted(filled.keys() & kept.keys())
        if not agree(filled[name], kept[name])
    ]


def agree(here: Any, there: Any) -> bool:
    """Whether two values are the same, where the first one is known."""
    if isinstance(here, Unknown):
        return there is not None
    if isinstance(here, dict) and isinstance(there, dict):
        names = set(there) - {"__defaults"}
        return set(here) == names and all(agree(here[name], there[name]) for name in names)
    if isinstance(here, list) and isinstance(there, list):
        return len(here) == len(there) and all(map(agree, here, there))
    return type(here) is type(there) and bool(here == there)
