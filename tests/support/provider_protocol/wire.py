"""Properties on the wire: protocol buffer structs as plain data and back, values that are known later, failures."""

import re
from collections.abc import Iterable
from typing import Any, NoReturn

import grpc
from google.protobuf import any_pb2, struct_pb2
from pulumi.runtime.proto import provider_pb2, status_pb2

Step = str | int
UNKNOWN_TEXT = "04da6b54-80e4-46f7-96ec-b56ff0331ba9"
_UNKNOWNS = {
    UNKNOWN_TEXT,
    "1c4a061d-8072-4f0a-a4cb-0ff528b18fe7",
    "3eeb2bf0-c639-47a8-9e75-3b44932eb421",
    "6a19a0b0-7e62-4c92-b797-7f8e31da9cc2",
    "dd056dcd-154b-4c76-9bd3-c8f88648b5ff",
}
"""What the engine writes for a string, boolean, number, list or object that is known later."""


SIGNATURE, _SECRET = "4dabf18193072939515e22adb298388d", "1b47061264138c4ac30d75fd1eb44270"
"""The key and the value that mark an object as a secret."""


class Unknown:
    """A value that is known only after the update."""

    def __repr__(self) -> str:
        return "unknown"


UNKNOWN = Unknown()


def read(struct: struct_pb2.Struct) -> dict[str, Any]:
    """Properties as plain data. Whole numbers become ints again; absent values are left out."""
    return {name: _read(value) for name, value in struct.fields.items() if value.WhichOneof("kind") != "null_value"}


def _read(value: struct_pb2.Value) -> Any:
    kind = value.WhichOneof("kind")
    if kind == "string_value":
        return UNKNOWN if value.string_value in _UNKNOWNS else value.string_value
    if kind == "number_value":
        return int(value.number_value) if value.number_value.is_integer() else value.number_value
    if kind == "bool_value":
        return value.bool_value
    if kind == "list_value":
        return [_read(item) for item in value.list_value.values]
    if kind == "struct_value":
        return read(value.struct_value)
    return None


def write(properties: dict[str, Any], secret: Iterable[str] = ()) -> struct_pb2.Struct:
    """The inverse of :func:`read`; None is null. ``secret`` are paths to values that are marked as secret."""
    known = _known(properties)
    for path in secret:
        *blocks, name = path.split(".")
        block: Any = known
        for step in blocks:
            block = block.get(step) if isinstance(block, dict) else None
        if isinstance(block, dict) and block.get(name) is not None:
            block[name] = {SIGNATURE: _SECRET, "value": block[name]}
    struct = struct_pb2.Struct()
    struct.update(known)
    return struct


def _known(value: Any) -> Any:
    if isinstance(value, Unknown):
        return UNKNOWN_TEXT
    if isinstance(value, dict):
        return {name: _known(item) for name, item in value.items()}
    if isinstance(value, list):
        return [_known(item) for item in value]
    return value


def has_unknown(value: Any) -> bool:
    """Whether anything in a value is known later."""
    if isinstance(value, dict):
        return any(has_unknown(item) for item in value.values())
    if isinstance(value, list):
        return any(has_unknown(item) for item in value)
    return isinstance(value, Unknown)


def fail(context: grpc.ServicerContext, message: str) -> NoReturn:
    """The call failed and nothing happened."""
    context.abort(grpc.StatusCode.UNKNOWN, message)
    raise AssertionError("abort raises")


def fail_partly(context: grpc.ServicerContext, message: str, resource_id: str, outputs: struct_pb2.Struct) -> NoReturn:
    """The call failed and left something behind: the engine keeps ``outputs`` with the error."""
    left = provider_pb2.ErrorResourceInitFailed(id=resource_id, properties=outputs, reasons=[message])
    detail = any_pb2.Any()
    detail.Pack(left)
    status = status_pb2.Status(code=grpc.StatusCode.UNKNOWN.value[0], message=message, details=[detail])
    context.set_trailing_metadata((("grpc-status-details-bin", status.SerializeToString()),))
    context.abort(grpc.StatusCode.UNKNOWN, message)
    raise AssertionError("abort raises")


def format_path(steps: tuple[Step, ...]) -> str:
    """``nodeConfig.taints[0].value``; keys with other characters are in brackets."""
    text = ""
    for step in steps:
        if isinstance(step, int):
            text += f"[{step}]"
        elif re.fullmatch(r"\w+", step):
            text += f".{step}" if text else step
        else:
            text += f'["{step}"]'
    return text
