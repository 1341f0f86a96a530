"""The value of a property in JSON: plain data, a value known only later, or none."""

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import PlainSerializer, PlainValidator, WithJsonSchema
from pydantic_core import PydanticCustomError

from pulumi_gke_tpu.core.plan.base import Unknown

_UNKNOWN_KEY = "$unknown"
_ABSENT_KEY = "$absent"
"""Keys of the objects that represent an unknown value, and none."""


class Absent:
    """The value of a property that is not set; there is one, ``ABSENT``."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "ABSENT"


ABSENT = Absent()


def plain(value: Any) -> Any:
    """The value as data that ``json.dumps`` takes."""
    if isinstance(value, Unknown):
        return {_UNKNOWN_KEY: list(value.urns)}
    if isinstance(value, Absent):
        return {_ABSENT_KEY: True}
    if isinstance(value, Mapping):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return value


def from_json(value: Any) -> Any:
    """The value that :func:`plain` wrote."""
    if isinstance(value, list):
        return [from_json(item) for item in value]
    if not isinstance(value, dict):
        return value
    if value == {_ABSENT_KEY: True}:
        return ABSENT
    if value.keys() == {_UNKNOWN_KEY} and isinstance(value[_UNKNOWN_KEY], list):
        urns = value[_UNKNOWN_KEY]
        if not all(isinstance(urn, str) for urn in urns):
            raise PydanticCustomError("unknown_value", "an unknown value lists the URNs that it comes from")
        return Unknown(tuple(urns))
    return {key: from_json(item) for key, item in value.items()}


PropertyValue = Annotated[
    Any,
    PlainValidator(from_json),
    PlainSerializer(plain),
    WithJsonSchema(
        {
            "description": 'The value of a property. {"$unknown": [URNs]} is known only when those resources exist; '
            '{"$absent": true} is not set. Secrets are never written.'
        }
    ),
]
"""The type of a field that holds the value of a property: plain data, :class:`Unknown` or ``ABSENT``."""


def _set_from_json(value: Any) -> Any:
    read = from_json(value)
    if _holds_absent(read):
        raise PydanticCustomError("absent_value", "a property that is set has a value")
    return read


def _holds_absent(value: Any) -> bool:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return value is ABSENT or any(map(_holds_absent, inner))


SetValue = Annotated[Any, PlainValidator(_set_from_json), PlainSerializer(plain)]
"""The type of a field that holds the value of a property that is set."""
