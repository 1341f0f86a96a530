"""Types of fields whose JSON form has limits of its own."""

import decimal
import re
from decimal import Decimal
from typing import Annotated

from pydantic import Field, PlainSerializer, PlainValidator, WithJsonSchema
from pydantic_core import PydanticCustomError

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
