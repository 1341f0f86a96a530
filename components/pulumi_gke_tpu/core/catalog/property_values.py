"""The values of properties as the gcp provider converts them."""

import math
import re
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from pulumi_gke_tpu.core.text.patterns import lazy_pattern

if TYPE_CHECKING:
    from pulumi_gke_tpu.core.catalog.records.provider import PropertyType

ITEM_TYPES: "dict[PropertyType, PropertyType]" = {"map": "string", "strings": "string", "blocks": "block"}
"""The type of the values inside a map or a list."""

_SCALARS = ("string", "boolean", "integer", "number")
_INTEGER = lazy_pattern(r"[-+]?[0-9]{1,19}\Z")
_NUMBER = lazy_pattern(r"[-+]?[0-9]{1,19}(?:\.[0-9]{1,19})?\Z")
_LARGEST = 2**53
"""Numbers reach the provider as doubles."""


def converted(kind: "PropertyType", value: object) -> str | bool | int | float | None:
    """A value as the provider converts it to a scalar type; None where it refuses it or would lose a part of it.

    The provider turns numbers and booleans into strings, and strings that spell a number or a boolean into these.
    """
    if kind == "string":
        return _as_string(value)
    if kind == "boolean":
        return value if isinstance(value, bool) else {"true": True, "false": False}.get(str(value))
    number = _as_number(value, _INTEGER if kind == "integer" else _NUMBER)
    if number is None or kind == "number":
        return number
    return int(number) if number == int(number) and abs(number) <= _LARGEST else None


def converted_inside(kind: "PropertyType", value: object) -> Any:
    """A value with every scalar in it as the provider converts it; what the provider refuses stays as it is."""
    if kind == "map" and isinstance(value, dict):
        return {key: converted_inside("string", item) for key, item in value.items()}
    if kind == "strings" and isinstance(value, list):
        return [converted_inside("string", item) for item in value]
    found = converted(kind, value) if kind in _SCALARS else None
    return value if found is None else found


def _as_string(value: object) -> str | None:
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if not isinstance(value, float) or not math.isfinite(value):
        return None
    return str(int(value)) if value.is_integer() else format(Decimal(repr(value)), "f")


def _as_number(value: object, form: re.Pattern[str]) -> int | float | None:
    if isinstance(value, str) and form.match(value):
        return float(value) if "." in value else int(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    return value if isinstance(value, float) and math.isfinite(value) else None
