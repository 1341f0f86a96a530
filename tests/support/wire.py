"""What the SDK must send for declared resources: whole requests, made without the SDK, to be compared with its own."""

import dataclasses
import importlib.metadata
import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from google.protobuf import struct_pb2, text_format
from pulumi.runtime.proto import alias_pb2, resource_pb2
from support.recording import STACK, UNKNOWN, Registration

from pulumi_gke_tpu.core.graph.declared import Composed, Declarations, Declared, Ref
from pulumi_gke_tpu.core.graph.model import Graph, Resource
from pulumi_gke_tpu.core.plan.base import Unknown

VERSION = importlib.metadata.version("pulumi-gcp")
"""Sent with every resource of the provider, so that the engine loads the plugin that belongs to the package."""
_OF_THE_PROGRAM = ("sourcePosition", "stackTrace")
"""Fields with the place in the program that registers a resource."""


def differences(declared: Declarations, graph: Graph, recording: Iterable[Registration], hook: str) -> list[str]:
    """How the requests of a recording differ from what the graph says, one entry for each resource."""
    found = []
    resources = {resource.urn: resource for resource in graph.resources}
    by_place = {(item.type, item.name): item for item in declared}
    requests = {item.urn: item for item in recording}
    found += [f"not registered: {urn}" for urn in resources.keys() - requests.keys()]
    found += [f"not in the graph: {urn}" for urn in requests.keys() - resources.keys()]
    for urn in sorted(resources.keys() & requests.keys()):
        resource = resources[urn]
        source = by_place[resource.type, resource.name]
        wanted, sent = request_of(source, resource, hook), comparable(requests[urn].request)
        if wanted != sent:
            found.append(f"{urn}:\n{_text_difference(wanted, sent)}")
        if source.outputs is not None:
            outputs = _outputs(source, declared, graph)
            wanted_text, sent_text = _exact(outputs), _exact(requests[urn].outputs)
            if wanted_text != sent_text:
                found.append(f"{urn}: outputs {wanted_text}, sent: {sent_text}")
    return found


def request_of(declared: Declared, resource: Resource, hook: str) -> Any:
    """The request for one resource."""
    options = resource.options
    hooks = resource_pb2.RegisterResourceRequest.ResourceHooksBinding(
        before_update=[hook] if declared.options.checked_update else []
    )
    timeouts = dict(options.custom_timeouts)
    return resource_pb2.RegisterResourceRequest(
        type=resource.type,
        name=resource.name,
        parent=resource.parent,
        custom=resource.custom,
        object=struct_pb2.Struct(fields={name: _value(value) for name, value in resource.inputs.items()}),
        protect=options.protect,
        dependencies=options.depends_on,
        propertyDependencies={
            name: resource_pb2.RegisterResourceRequest.PropertyDependencies(urns=resource.sources.get(name, ()))
            for name in resource.inputs
        },
        deleteBeforeReplace=bool(options.delete_before_replace),
        deleteBeforeReplaceDefined=options.delete_before_replace is not None,
        ignoreChanges=options.ignore_changes,
        replaceOnChanges=options.replace_on_changes,
        additionalSecretOutputs=declared.options.secret_outputs,
        version=VERSION if resource.custom else "",
        customTimeouts=resource_pb2.RegisterResourceRequest.CustomTimeouts(**timeouts) if timeouts else None,
        aliases=[
            alias_pb2.Alias(spec=alias_pb2.Alias.Spec(name=alias.name, type=alias.type, parentUrn=""))
            for alias in declared.options.aliases
        ],
        hooks=hooks,
        acceptSecrets=True,
        acceptResources=True,
        supportsPartialValues=True,
        supportsResultReporting=True,
    )


def comparable(request: Any) -> Any:
    """A request of the SDK without the place in the program, and with sets in one order."""
    result = resource_pb2.RegisterResourceRequest()
    result.CopyFrom(request)
    for name in _OF_THE_PROGRAM:
        result.ClearField(name)
    if STACK in request.parent:
        result.ClearField("parent")  # as in the graph, which has no stack
    result.dependencies[:] = sorted(request.dependencies)
    for item in result.propertyDependencies.values():
        item.urns[:] = sorted(item.urns)
    return result


_SCALARS = {bool: "bool_value", int: "number_value", float: "number_value", str: "string_value"}


def _value(value: Any) -> Any:
    if isinstance(value, Unknown):
        return struct_pb2.Value(string_value=UNKNOWN)
    if value is None:
        return struct_pb2.Value(null_value=struct_pb2.NULL_VALUE)
    if type(value) in _SCALARS:
        return struct_pb2.Value(**{_SCALARS[type(value)]: value})
    if isinstance(value, list):
        return struct_pb2.Value(list_value=struct_pb2.ListValue(values=map(_value, value)))
    assert isinstance(value, dict), value
    fields = {name: _value(item) for name, item in value.items()}
    return struct_pb2.Value(struct_value=struct_pb2.Struct(fields=fields))


def _outputs(component: Declared, declared: Declarations, graph: Graph) -> dict[str, Any]:
    inputs = {f"{resource.type}::{resource.name}": resource.inputs for resource in graph.resources}
    outputs = {item.key: item.outputs for item in declared if item.outputs is not None}

    def known(value: Any) -> Any:
        if isinstance(value, Ref):
            found = known(outputs.get(value.resource, inputs[value.resource]).get(value.property, Unknown()))
            found = value.read(found) if value.read and found != UNKNOWN else found
            return {"secret": found} if value.secret else found
        if isinstance(value, Composed):
            parts = [known(dataclasses.replace(ref, secret=False)) for ref in value.refs]
            made = UNKNOWN if UNKNOWN in parts else value.make(*parts)
            return {"secret": made} if value.secret else made
        if isinstance(value, Unknown):
            return UNKNOWN
        if isinstance(value, Mapping):
            return {name: known(item) for name, item in value.items()}
        return [known(item) for item in value] if isinstance(value, list | tuple) else value

    found = {name: known(value) for name, value in (component.outputs or {}).items()}
    return {name: value for name, value in found.items() if value is not None}


def _exact(outputs: Mapping[str, Any]) -> str:
    """As text, in which ``true`` and 1 differ."""
    return json.dumps(outputs, sort_keys=True)


def _text_difference(wanted: Any, sent: Any) -> str:
    def lines(message: Any) -> Iterator[str]:
        yield from text_format.MessageToString(message).splitlines()

    one, other = list(lines(wanted)), list(lines(sent))
    missing = [f"  graph: {line.strip()}" for line in one if line not in other]
    return "\n".join([*missing, *(f"  sent:  {line.strip()}" for line in other if line not in one)]) or "  order"
