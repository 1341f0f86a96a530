"""Values in the syntax of Terraform: every text stays a text."""

import math
from collections.abc import Mapping
from decimal import Decimal

from pulumi_gke_tpu.core.text.patterns import lazy_pattern

_PLAIN = lazy_pattern(r"[A-Za-z0-9 ()*,./:;@_=+-]*\Z")
_ESCAPED = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
_BEFORE_A_BRACE = lazy_pattern(r"[$%]+(?={)")
_FOUR_DIGITS = 0xFFFF
_OPENING = ("$", "%")
"""Before a brace, they begin code in a text. Doubled, they are the characters themselves."""


def quoted_text(text: str) -> str:
    """A text in HCL. Other characters than printable ASCII are escaped, so that a line is as wide as it looks."""
    if _PLAIN.match(text):
        return f'"{text}"'
    characters = []
    for position, character in enumerate(text):
        if character in _OPENING and text[position + 1 : position + 2] == "{":
            # After the same character, doubling is ambiguous.
            before = text[position - 1 : position] == character
            characters.append(f"\\u{ord(character):04x}" if before else character * 2)
        else:
            characters.append(_ESCAPED.get(character) or _printable(character))
    return f'"{"".join(characters)}"'


def _printable(character: str) -> str:
    code = ord(character)
    if " " <= character <= "~":
        return character
    return f"\\u{code:04x}" if code <= _FOUR_DIGITS else f"\\U{code:08x}"


def template_text(text: str) -> str:
    """A text in the JSON syntax of Terraform, in which every text is a template."""
    # Doubling one of several would be ambiguous, and so would be a dollar sign before an expression.
    return _BEFORE_A_BRACE.sub(lambda run: run[0] * 2 if len(run[0]) == 1 else f'${{"{run[0]}"}}', text)


def number(value: float) -> str:
    """A number, without an exponent."""
    if isinstance(value, int):
        return str(value)
    if not math.isfinite(value):
        return quoted_text(str(value))
    return str(int(value)) if value.is_integer() else format(Decimal(repr(value)), "f")


def scalar(value: object) -> str:
    """A value without parts in HCL."""
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case int() | float():
            return number(value)
        case _:
            return quoted_text(str(value))


def value_text(value: object) -> str:
    """A value in HCL on one line."""
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{quoted_text(str(key))} = {value_text(item)}' for key, item in value.items())}}}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(value_text, value))}]"
    return scalar(value)
