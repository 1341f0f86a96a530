"""Types of fields whose JSON form has limits of its own."""

import datetime
import decimal
import re
from collections.abc import Callable
from decimal import Decimal
from typing import Annotated, Any, TypeVar

from pydantic import Field, GetCoreSchemaHandler, GetJsonSchemaHandler, PlainSerializer, PlainValidator, WithJsonSchema
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.text.findings import Path, format_path

LARGEST_NUMBER = 10**15
Count = Annotated[int, Field(ge=0, le=LARGEST_NUMBER)]
"""A number of things."""

_AMOUNT = r"-?[0-9]{1,30}(\.[0-9]{1,30})?"
_EXACT = decimal.Context(prec=60)


def _read_amount(text: object) -> Decimal:
    # Without the pattern, 1e9999999 would be written with ten million digits.
    if not isinstance(text, str) or not re.fullmatch(_AMOUNT, text, re.ASCII):
        raise PydanticCustomError("amount", "an amount such as 691.20 is expected")
    return _EXACT.create_decimal(text)


def _write_amount(amount: Decimal) -> str:
    return f"{amount:f}"


Amount = Annotated[
    Decimal,
    PlainValidator(_read_amount),
    PlainSerializer(_write_amount, return_type=str),
    WithJsonSchema({"type": "string", "pattern": f"^{_AMOUNT}$"}),
]
"""An exact amount of money, as text without exponent."""


@frozen
class _Optional:
    """Annotation of a text that is null in JSON where it is empty."""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        inner = handler(source)
        read = core_schema.no_info_wrap_validator_function(_read_optional, inner)
        write = core_schema.plain_serializer_function_ser_schema(lambda text: text or None)
        return {**read, "serialization": write}

    def __get_pydantic_json_schema__(self, core: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        return {"type": ["string", "null"]}


def _read_optional(data: Any, read: Callable[[Any], str]) -> str:
    return "" if data is None else read(data)


OPTIONAL = _Optional()
OptionalText = Annotated[str, OPTIONAL]
"""A text that is null in JSON where it is empty."""


@frozen
class _Any:
    """Annotation of a field of any type, for which no schema is made."""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.any_schema()


_T = TypeVar("_T")
Opaque = Annotated[_T, _Any()]
"""A value that JSON does not have as it is: what contains it writes something of it."""
Hidden = Annotated[_T, _Any(), Field(exclude=True)]
"""A field that JSON does not have."""

Moment = Annotated[
    datetime.datetime,
    PlainSerializer("{:%Y-%m-%dT%H:%M:%SZ}".format, return_type=str),
]
"""A time in UTC, as text with seconds."""
Day = Annotated[datetime.date, PlainSerializer(str, return_type=str)]
"""A day, as text."""
Seconds = Annotated[
    datetime.timedelta, PlainSerializer(lambda length: length // datetime.timedelta(seconds=1), return_type=Count)
]
"""A length of time, in whole seconds."""
PathText = Annotated[Path, PlainSerializer(format_path, return_type=str)]
"""A path in a plan, as text."""
