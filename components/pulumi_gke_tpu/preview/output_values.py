"""Serializes unknown, secret and referenced values for transforms and for the monitor.

The SDK sends an unknown value as a marker and a secret in an envelope. Transforms get both as output values, which
also name the resources they come from.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping

from google.protobuf.struct_pb2 import ListValue, Struct, Value
from pulumi.runtime import rpc

_KIND = "4dabf18193072939515e22adb298388d"
_SECRET = "1b47061264138c4ac30d75fd1eb44270"
_OUTPUT = "d0e6a833031e9bbcd3f4e8bde6ca49a4"
UNKNOWN = Value(string_value=rpc.UNKNOWN)


def secret_content(value: Value) -> Value | None:
    """What is in the envelope of a secret; None for everything else."""
    return _fields(value)["value"] if _kind(value) == _SECRET else None


def to_output_values(properties: Struct, sources: Mapping[str, Iterable[str]]) -> Struct:
    """Properties as a transform gets them. ``sources`` are URNs by property, which become part of the values."""
    upgraded = {name: _upgraded(value) for name, value in properties.fields.items()}
    return Struct(fields={name: _with_sources(value, set(sources.get(name, ()))) for name, value in upgraded.items()})


def from_output_values(properties: Struct) -> Struct:
    """Properties as the monitor gets them."""
    return Struct(fields={name: _downgraded(value) for name, value in properties.fields.items()})


def sources_of(value: Value) -> set[str]:
    """The URNs that the output values in a value name."""
    return _own_sources(value).union(*(sources_of(item) for item in _children(value)))


def _upgraded(value: Value) -> Value:
    if value == UNKNOWN:
        return _output(None)
    if _kind(value) == _SECRET:
        return _output(_upgraded(_fields(value)["value"]), secret=True)
    return _mapped(_upgraded, value)


def _downgraded(value: Value) -> Value:
    if _kind(value) != _OUTPUT:
        return _mapped(_downgraded, value)
    fields = _fields(value)
    content = _downgraded(fields["value"]) if "value" in fields else UNKNOWN
    return _special(_SECRET, value=content) if "secret" in fields and fields["secret"].bool_value else content


def _with_sources(value: Value, urns: set[str]) -> Value:
    if sources_of(value) >= urns:
        return value
    if _kind(value) != _OUTPUT:
        return _output(value, urns)
    fields = _fields(value)
    return _output(fields.get("value"), urns | _own_sources(value), "secret" in fields)


def _output(content: Value | None, urns: Iterable[str] = (), secret: bool = False) -> Value:
    parts: dict[str, Value] = {}
    if content is not None:
        parts["value"] = content
    if secret:
        parts["secret"] = Value(bool_value=True)
    if urns:
        listed = [Value(string_value=urn) for urn in sorted(urns)]
        parts["dependencies"] = Value(list_value=ListValue(values=listed))
    return _special(_OUTPUT, **parts)


def _special(kind: str, **parts: Value) -> Value:
    return Value(struct_value=Struct(fields={_KIND: Value(string_value=kind), **parts}))


def _fields(value: Value) -> dict[str, Value]:
    return dict(value.struct_value.fields) if value.HasField("struct_value") else {}


def _kind(value: Value) -> str:
    """The marker of a value that is not plain JSON: secret, output value, asset, reference to a resource."""
    fields = _fields(value)
    return fields[_KIND].string_value if _KIND in fields else ""


def _own_sources(value: Value) -> set[str]:
    listed = _fields(value).get("dependencies") if _kind(value) == _OUTPUT else None
    return {item.string_value for item in listed.list_value.values} if listed else set()


def _children(value: Value) -> Iterator[Value]:
    yield from _fields(value).values()
    yield from value.list_value.values


def _mapped(change: Callable[[Value], Value], value: Value) -> Value:
    """A list or mapping with every item changed. Secrets keep their envelope, assets and references are left alone."""
    if value.HasField("list_value"):
        return Value(list_value=ListValue(values=[change(item) for item in value.list_value.values]))
    if value.HasField("struct_value") and _kind(value) in ("", _SECRET):
        return Value(struct_value=Struct(fields={name: change(item) for name, item in _fields(value).items()}))
    return value
