"""Every resource of a graph as text: type, name, inputs and options, as readable YAML."""

from typing import Any

import yaml

from pulumi_gke_tpu.core.graph.model import Graph, Options, Resource
from pulumi_gke_tpu.core.plan.base import Unknown
from pulumi_gke_tpu.core.text.findings import printable

_DUMPER: Any = getattr(yaml, "CSafeDumper", yaml.SafeDumper)


def resources_text(graph: Graph) -> str:
    """The resources in the order of their URNs, components without inputs."""
    return "\n".join(_resource(resource) for resource in graph.resources)


def _resource(resource: Resource) -> str:
    place = f"   # {resource.plan_path}" if resource.plan_path else ""
    head = f"{printable(resource.type)} {printable(resource.name)}{printable(place, 400)}"
    if resource.component:
        return head
    body = {"inputs": _shown(resource.inputs), "options": _options(resource.options)}
    text = yaml.dump(
        {name: part for name, part in body.items() if part}, Dumper=_DUMPER, sort_keys=True, allow_unicode=False
    )
    return "\n".join([head, *(f"  {line}" for line in text.splitlines())])


def _options(options: Options) -> dict[str, Any]:
    """The options that are set, with their names in Python."""
    return {
        name: list(value) if isinstance(value, tuple) else value
        for name, value in {
            "protect": options.protect,
            "delete_before_replace": options.delete_before_replace,
            "replace_on_changes": options.replace_on_changes or None,
            "ignore_changes": options.ignore_changes or None,
            "retain_on_delete": options.retain_on_delete,
            "custom_timeouts": dict(options.custom_timeouts) or None,
            "aliases": options.aliases or None,
            "depends_on": tuple(_short(urn) for urn in options.depends_on) or None,
        }.items()
        if value is not None
    }


def _short(urn: str) -> str:
    """Type and name of a URN."""
    types, name = urn.split("::", 3)[2:]
    return f"{types.rsplit('$', 1)[-1]} {name}"


def _shown(value: Any) -> Any:
    if isinstance(value, Unknown):
        return "(known later)"
    if isinstance(value, dict):
        return {key: _shown(item) for key, item in value.items()}
    return [_shown(item) for item in value] if isinstance(value, list) else value
