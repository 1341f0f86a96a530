"""The form of a page as JSON, taken from its dataclasses: writing, strict reading, and the JSON Schema of both.

A record is an object with a key for each of its fields. Lists are bounded, a range of numbers is ``{"min", "max"}``,
an amount of money the same with texts, and the value of a property is plain data in which ``{"$unknown": [URNs]}`` is
known only later and ``{"$absent": true}`` is not there.
"""

import ast
import dataclasses
import decimal
import functools
import inspect
import re
import sys
import types
import typing
from collections.abc import Mapping
from typing import Any, Literal

from pulumi_gke_tpu.change.model import ABSENT, Absent
from pulumi_gke_tpu.estimate import Usd
from pulumi_gke_tpu.findings import printable
from pulumi_gke_tpu.fleet import Range
from pulumi_gke_tpu.graph.model import ABSENT_KEY, UNKNOWN_KEY, Unknown
from pulumi_gke_tpu.render.change.page import DEEPEST_VALUE, LONGEST_TEXT, settled_text

MOST_ENTRIES = 100_000
"""Entries of the longest list or mapping."""
LARGEST_NUMBER = 10**15
_MOST_DIGITS = 400
_MONEY = r"-?[0-9]{1,30}(\.[0-9]{1,30})?"

Schema = dict[str, Any]


class FormError(ValueError):
    """Data that is not of the form. The message says where and what is wrong, safe to print."""


def to_data(value: Any) -> Any:
    """A value of a page as data that ``json.dumps`` takes."""
    if isinstance(value, Range):
        return {"min": value.minimum, "max": value.maximum}
    if isinstance(value, Usd):
        return {"min": f"{value.minimum:f}", "max": f"{value.maximum:f}"}
    if isinstance(value, Unknown):
        return {UNKNOWN_KEY: list(value.urns)}
    if isinstance(value, Absent):
        return {ABSENT_KEY: True}
    if isinstance(value, list | tuple):
        return [to_data(item) for item in value]
    if isinstance(value, Mapping):
        return {key: to_data(item) for key, item in value.items()}
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {name: to_data(getattr(value, name)) for name in _fields(type(value))}
    return value


def from_data(kind: Any, data: Any, place: str = "") -> Any:
    """A value of the given type out of data, as :func:`to_data` writes it.

    Raises:
        FormError: the data has another form, or is larger than anything that is written.
    """
    special = _READERS.get(kind)
    if special is not None:
        return special(data, place)
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if origin is Literal:
        if not isinstance(data, str) or data not in arguments:
            raise _wrong(place, data, f"one of {', '.join(map(str, arguments))}")
        return data
    if origin in (types.UnionType, typing.Union):
        return None if data is None else from_data(_not_none(arguments), data, place)
    if origin is tuple:
        return _read_tuple(arguments, data, place)
    return _read_record(kind, data, place)


def schema_of(kind: Any) -> Schema:
    """The JSON Schema of a type; records are references into ``$defs``, which :func:`definitions` gives."""
    special = _SCHEMAS.get(kind)
    if special is not None:
        return dict(special)
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if origin is Literal:
        return {"enum": list(arguments)}
    if origin in (types.UnionType, typing.Union):
        inner = schema_of(_not_none(arguments))
        simple = set(inner) <= {"type", "maxLength", "minimum", "maximum"}
        return {**inner, "type": [inner["type"], "null"]} if simple else {"anyOf": [inner, {"type": "null"}]}
    if origin is tuple:
        return {"type": "array", "items": schema_of(arguments[0]), "maxItems": MOST_ENTRIES}
    return {"$ref": f"#/$defs/{kind.__name__}"}


def definitions(kind: type) -> dict[str, Schema]:
    """The JSON Schema of a record and of every record in it, by name; descriptions are those of the classes."""
    found: dict[str, Schema] = {}
    _define(kind, found)
    return dict(sorted(found.items()))


def properties_of(kind: type) -> dict[str, Schema]:
    """The JSON Schema of each field of a record, described."""
    said = descriptions(kind)
    return {name: {**schema_of(hint), **_described(said.get(name))} for name, hint in _fields(kind).items()}


def descriptions(kind: type) -> dict[str, str]:
    """What the class says about its fields, in one line each; fields that speak for themselves are missing."""
    (declared,) = ast.parse(inspect.getsource(kind)).body
    assert isinstance(declared, ast.ClassDef)
    found = {}
    for before, after in zip(declared.body, declared.body[1:], strict=False):
        if isinstance(before, ast.AnnAssign) and isinstance(after, ast.Expr) and isinstance(before.target, ast.Name):
            assert isinstance(after.value, ast.Constant)
            found[before.target.id] = _flat(str(after.value.value))
    return found


def _flat(documentation: str) -> str:
    """A docstring as one line of plain text; None is null in JSON."""
    return inspect.cleandoc(documentation).replace("\n", " ").replace("``", "`").replace("None ", "null ")


def _described(text: str | None) -> Schema:
    return {"description": text} if text else {}


def _define(kind: Any, found: dict[str, Schema]) -> None:
    for argument in typing.get_args(kind):
        _define(argument, found)
    if kind in _SCHEMAS or not isinstance(kind, type) or not dataclasses.is_dataclass(kind) or kind.__name__ in found:
        return
    found[kind.__name__] = {}
    properties = properties_of(kind)
    found[kind.__name__] = {
        "description": _flat((kind.__doc__ or "").split("\n\n")[0]),
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }
    for hint in _fields(kind).values():
        _define(hint, found)


@functools.cache
def _fields(kind: type) -> dict[str, Any]:
    """The fields of a record with their types."""
    hints = typing.get_type_hints(kind, vars(sys.modules[kind.__module__]))
    return {field.name: hints[field.name] for field in dataclasses.fields(kind)}


def _not_none(arguments: tuple[Any, ...]) -> Any:
    (inner,) = (argument for argument in arguments if argument is not type(None))
    return inner


def _wrong(place: str, given: Any, wanted: str) -> FormError:
    shown = printable(given, 40) if isinstance(given, str | int | float) else type(given).__name__
    return FormError(f"{printable(place, 200) or 'the document'}: {wanted} is wanted, not {shown}")


def _read_record(kind: type, data: Any, place: str) -> Any:
    fields = _fields(kind)
    _check_keys(data, tuple(fields), place)
    return kind(**{name: from_data(hint, data[name], f"{place}.{name}") for name, hint in fields.items()})


def _check_keys(data: Any, names: tuple[str, ...], place: str) -> None:
    if not isinstance(data, dict):
        raise _wrong(place, data, "an object")
    if data.keys() != set(names):
        missing, more = sorted(set(names) - data.keys()), sorted(data.keys() - set(names))
        raise FormError(
            f"{printable(place, 200) or 'the document'}: "
            + "; ".join(
                [f"{name} is missing" for name in missing[:5]]
                + [f"there is no key {printable(name, 40)}" for name in more[:5]]
            )
        )


def _read_tuple(arguments: tuple[Any, ...], data: Any, place: str) -> tuple[Any, ...]:
    if not isinstance(data, list) or len(data) > MOST_ENTRIES:
        raise _wrong(place, data, f"a list of at most {MOST_ENTRIES:,} entries")
    return tuple(from_data(arguments[0], item, f"{place}[{index}]") for index, item in enumerate(data))


def _read_text(data: Any, place: str) -> str:
    if not isinstance(data, str) or settled_text(data) != data:
        raise _wrong(place, data, f"printable text of at most {LONGEST_TEXT:,} characters")
    return data


def _read_bool(data: Any, place: str) -> bool:
    if not isinstance(data, bool):
        raise _wrong(place, data, "true or false")
    return data


def _read_number(data: Any, place: str) -> int:
    if not isinstance(data, int) or isinstance(data, bool) or not 0 <= data <= LARGEST_NUMBER:
        raise _wrong(place, data, "a whole number from 0")
    return data


def _read_range(data: Any, place: str) -> Range:
    _check_keys(data, ("min", "max"), place)
    return Range(_read_number(data["min"], f"{place}.min"), _read_number(data["max"], f"{place}.max"))


def _read_usd(data: Any, place: str) -> Usd:
    _check_keys(data, ("min", "max"), place)
    for key in ("min", "max"):
        if not isinstance(data[key], str) or not re.fullmatch(_MONEY, data[key], re.ASCII):
            raise _wrong(f"{place}.{key}", data[key], "an amount such as 691.20")
    exact = decimal.Context(prec=60)
    return Usd(exact.create_decimal(data["min"]), exact.create_decimal(data["max"]))


def _read_value(data: Any, place: str, depth: int = 0) -> Any:
    """The value of a property: plain data, of limited depth."""
    if data is None or isinstance(data, bool):
        return data
    if isinstance(data, str):
        return _read_text(data, place)
    if isinstance(data, int | float):
        if isinstance(data, int) and abs(data) >= 10**_MOST_DIGITS:
            raise _wrong(place, "a huge number", f"a number of at most {_MOST_DIGITS} digits")
        return data
    if depth > DEEPEST_VALUE or len(data) > MOST_ENTRIES:
        raise _wrong(place, data, f"at most {DEEPEST_VALUE} levels of at most {MOST_ENTRIES:,} entries")
    if isinstance(data, list):
        return [_read_value(item, place, depth + 1) for item in data]
    if data == {ABSENT_KEY: True}:
        return ABSENT
    if data.keys() == {UNKNOWN_KEY} and isinstance(data[UNKNOWN_KEY], list):
        return Unknown(tuple(_read_text(urn, place) for urn in data[UNKNOWN_KEY]))
    return {_read_text(key, place): _read_value(item, place, depth + 1) for key, item in data.items()}


_READERS: dict[Any, Any] = {
    str: _read_text,
    bool: _read_bool,
    int: _read_number,
    Range: _read_range,
    Usd: _read_usd,
    Any: _read_value,
}
_NUMBER: Schema = {"type": "integer", "minimum": 0, "maximum": LARGEST_NUMBER}
_AMOUNT: Schema = {"type": "string", "pattern": f"^{_MONEY}$"}
_SCHEMAS: dict[Any, Schema] = {
    str: {"type": "string", "maxLength": LONGEST_TEXT},
    bool: {"type": "boolean"},
    int: _NUMBER,
    Range: {"$ref": "#/$defs/Range"},
    Usd: {"$ref": "#/$defs/Usd"},
    Any: {"$ref": "#/$defs/Value"},
}
SPECIAL_DEFINITIONS: dict[str, Schema] = {
    "Range": {
        "description": "A number that is fixed, where both are equal, or lies between two bounds.",
        "type": "object",
        "properties": {"min": _NUMBER, "max": _NUMBER},
        "required": ["min", "max"],
        "additionalProperties": False,
    },
    "Usd": {
        "description": "An amount in USD, unrounded, as text; fixed where both are equal.",
        "type": "object",
        "properties": {"min": _AMOUNT, "max": _AMOUNT},
        "required": ["min", "max"],
        "additionalProperties": False,
    },
    "Value": {
        "description": 'The value of a property. {"$unknown": [URNs]} is known only when those resources exist; '
        '{"$absent": true} is not there. No secret is ever written.'
    },
}
