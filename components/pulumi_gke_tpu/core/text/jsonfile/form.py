"""The JSON form of a dataclass: writing it, reading it strictly, and its JSON Schema.

A field is a key of the object, under its alias where it has one. Its docstring becomes the description in the schema.
"""

import functools
import inspect
import json
from collections.abc import Collection
from typing import Any, TypeVar, cast

from pydantic import ConfigDict, TypeAdapter, ValidationError

from pulumi_gke_tpu.core.text.findings import Path
from pulumi_gke_tpu.core.text.jsonfile.parsing import JsonError

_T = TypeVar("_T")

Schema = dict[str, Any]

_PROBLEMS = {
    "missing": "missing key",
    "missing_argument": "missing key",
    # The only text that Python reads from JSON and pydantic does not.
    "json_invalid": "a text contains half of a surrogate pair",
}
"""Errors of pydantic in our own words."""


def to_data(value: object, context: object = None) -> dict[str, Any]:
    """A dataclass as data that ``json.dumps`` takes; the writers of fields get ``context``."""
    data: dict[str, Any]
    (data,) = _adapter(cast("Any", type(value))).dump_python([value], mode="json", by_alias=True, context=context)
    return data


def from_data(kind: type[_T], data: object) -> _T:
    """A dataclass from parsed JSON. Keys without a field are ignored, and fields with a default may be absent.

    Raises:
        JsonError: a value has another type than its field. Nothing is converted.
    """
    adapter = _adapter(cast("Any", kind))
    try:
        (value,) = adapter.validate_json(json.dumps([data]))
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        problem = _PROBLEMS.get(first["type"], f"{first['msg'][:1].lower()}{first['msg'][1:]}")
        raise JsonError(first["loc"][1:], problem) from None
    return value  # type: ignore[no-any-return]


def check_same(written: object, given: object, path: Path = ()) -> None:
    """Check that a document is what would be written for the value that was read from it.

    Raises:
        JsonError: a key is missing, unknown, or has another value.
    """
    if isinstance(written, dict) and isinstance(given, dict):
        missing, unknown = sorted(written.keys() - given.keys()), sorted(given.keys() - written.keys())
        if missing or unknown:
            raise JsonError((*path, (missing or unknown)[0]), "missing key" if missing else "unknown key")
        for key, value in written.items():
            check_same(value, given[key], (*path, key))
    elif isinstance(written, list) and isinstance(given, list) and len(written) == len(given):
        for number, value in enumerate(written):
            check_same(value, given[number], (*path, number))
    elif type(written) is not type(given) or written != given:
        raise JsonError(path, "the value does not agree with the rest of the document")


def schema_of(
    kind: type,
    *,
    title: str,
    description: str,
    optional: Collection[str] = (),
    longest_text: int | None = None,
    most_entries: int | None = None,
) -> Schema:
    """The complete JSON Schema of the JSON form of a dataclass.

    ``optional`` keys of the document may be absent. Texts without another limit are no longer than
    ``longest_text``, lists no longer than ``most_entries``.
    """
    schema = _adapter(cast("Any", kind), described=True).json_schema(mode="serialization")
    records = {name: _record(record, longest_text, most_entries) for name, record in schema["$defs"].items()}
    document = records.pop(kind.__name__)
    document["required"] = [name for name in document["properties"] if name not in optional]
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": title,
        **document,
        "description": description,
        "$defs": dict(sorted(records.items())),
    }


@functools.cache
def _adapter(kind: Any, *, described: bool = False) -> TypeAdapter[Any]:
    """Pydantic's reader and writer of a list of records: what is around records passes its settings on to them.

    Docstrings are found in the source of the classes, which takes as long as all the rest.
    """
    settings = ConfigDict(strict=True, extra="ignore", use_attribute_docstrings=described)
    return TypeAdapter(list[kind], config=settings)


def _record(schema: Schema, longest_text: int | None, most_entries: int | None) -> Schema:
    """A record with all its keys, and no others."""
    bounded = functools.partial(_bounded, longest_text=longest_text, most_entries=most_entries)
    properties = {name: bounded(part) for name, part in schema.get("properties", {}).items()}
    keys = {"properties": properties, "required": list(properties), "additionalProperties": False}
    return {**bounded(schema), **(keys if properties else {})}


def _bounded(schema: Schema, longest_text: int | None, most_entries: int | None) -> Schema:
    """A schema with limits and plain descriptions, without titles and defaults, which only repeat the class."""
    bounded = functools.partial(_bounded, longest_text=longest_text, most_entries=most_entries)
    found: Schema = {
        key: bounded(value) if key in ("items", "additionalProperties") and isinstance(value, dict) else value
        for key, value in schema.items()
        if key not in ("title", "default")
    }
    if "anyOf" in found:
        found["anyOf"] = [bounded(part) for part in found["anyOf"]]
    if "description" in found:
        found["description"] = _plain(found["description"])
    if longest_text is not None and found.get("type") == "string" and "enum" not in found and "const" not in found:
        found["maxLength"] = longest_text
    if most_entries is not None and found.get("type") == "array":
        found["maxItems"] = most_entries
    return found


def _plain(documentation: str) -> str:
    """The first paragraph of a docstring as one line of plain text; None is null in JSON."""
    paragraph = inspect.cleandoc(documentation).split("\n\n")[0]
    return paragraph.replace("\n", " ").replace("``", "`").replace("None ", "null ")
