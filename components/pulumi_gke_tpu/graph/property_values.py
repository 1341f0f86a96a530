"""The value of a property in JSON: plain data, a value known only later, or none."""

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import PlainSerializer, PlainValidator, WithJsonSchema
from pydantic_core import PydanticCustomError

from pulumi_gke_tpu.graph.model import ABSENT_KEY, UNKNOWN_KEY
from pulumi_gke_tpu.plan.base import Unknown


class Absent:
    """The value of a property that is not set; there is one, ``ABSENT``."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "ABSENT"


ABSENT = Absent()


def to_json(value: Any) -> Any:
    """The value as data that ``json.dumps`` takes."""
    if isinstance(value, Unknown):
        return {UNKNOWN_KEY: list(value.urns)}
    if isinstance(value, Absent):
        return {ABSENT_KEY: True}
    if isinstance(value, Mapping):
        return {key: to_json(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [to_json(item) for item in value]
    return value


def from_json(value: Any) -> Any:
    """The value that :func:`to_json` wrote."""
    if isinstance(value, list):
        return [from_json(item) for item in value]
    if not isinstance(value, dict):
        return value
    if value == {ABSENT_KEY: True}:
        return ABSENT
    if value.keys() == {UNKNOWN_KEY} and isinstance(value[UNKNOWN_KEY], list):
        urns = value[UNKNOWN_KEY]
        if not all(isinstance(urn, str) for urn in urns):
            raise PydanticCustomError("unknown_value", "an unknown value lists the URNs that it comes from")
        return Unknown(tuple(urns))
    return {key: from_json(item) for key, item in value.items()}


PropertyValue = Annotated[
    Any,
    PlainValidator(from_json),
    PlainSerializer(to_json),
    WithJsonSchema(
        {
            "description": 'The value of a property. {"$unknown": [URNs]} is known only when those resources exist; '
            '{"$absent": true} is not set. Secrets are never written.'
        }
    ),
]
"""The type of a field that holds the value of a property: plain data, :class:`Unknown` or ``ABSENT``."""
