"""The value of an unquoted scalar: the core schema of YAML 1.2, without scalars that YAML 1.1 reads differently.

Plans are read by more than this library: editors, linters, templates and Kubernetes tools follow YAML 1.1 or 1.2. A
scalar that they read as different values is rejected, as an
:class:`AmbiguousScalar`. Dates, ``.inf`` and ``.nan`` are text.
"""

from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.text.patterns import lazy_pattern

Scalar = str | int | float | bool | None

CORE_TAG = "tag:yaml.org,2002:"
CORE_TYPES = ("str", "int", "float", "bool", "null", "seq", "map")

_WORDS = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_OLD_BOOLEANS = {"yes": "true", "on": "true", "no": "false", "off": "false"}

_LARGEST = 2**63 - 1
_MOST_DIGITS = 40

_INTEGER = lazy_pattern(r"[-+]?(?:0|[1-9][0-9]*)\Z")
_OCTAL = lazy_pattern(r"0o[0-7]+\Z")
_HEXADECIMAL = lazy_pattern(r"0x[0-9a-fA-F]+\Z")
_FLOAT = lazy_pattern(r"[-+]?(?:\.[0-9]+|[0-9]+\.[0-9]*|[0-9]+(?=[eE]))(?:[eE][-+]?[0-9]+)?\Z")

_SEXAGESIMAL = lazy_pattern(r"[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?\Z")
_LEADING_ZERO = lazy_pattern(r"[-+]?0[0-9_]+\Z")
_UNDERSCORES = lazy_pattern(r"[-+]?(?:[0-9][0-9_]*(?:\.[0-9_]*)?|\.[0-9][0-9_]*)(?:[eE][-+]?[0-9]+)?\Z")
_OTHER_BASE = lazy_pattern(r"[-+]?0(?:b[01_]+|x[0-9a-fA-F_]+|o[0-7_]+)\Z")


@frozen
class AmbiguousScalar:
    """A scalar that YAML readers interpret differently: the reason, and a clear alternative."""

    why: str
    instead: str = ""


def resolve(text: str) -> Scalar | AmbiguousScalar:
    """The value of a scalar without quotes and without a tag."""
    if text in _WORDS:
        return _WORDS[text]
    meaning = _OLD_BOOLEANS.get(text.lower())
    if meaning:
        return AmbiguousScalar(f"YAML 1.1 reads the value as {meaning}, but YAML 1.2 reads it as a string", meaning)
    return _number(text) if text[0] in _NUMBER_STARTS else text


def fits(text: str, tag: str) -> Scalar | AmbiguousScalar:
    """The value of a scalar with a tag, or why it is ambiguous if the tag is unsupported or does not match."""
    if tag == CORE_TAG + "str":
        return text
    value = resolve(text)
    if tag == CORE_TAG + "float" and type(value) is int:
        return float(value)
    return value if tag == CORE_TAG + _TYPE_NAMES.get(type(value), "") else _NO_FIT


def _number(text: str) -> Scalar | AmbiguousScalar:
    if _INTEGER.match(text):
        return _integer(text, 10)
    if _OCTAL.match(text):
        return _integer(text[2:], 8)
    if _HEXADECIMAL.match(text):
        return _integer(text[2:], 16)
    if _FLOAT.match(text):
        value = float(text)
        return _TOO_LARGE if value in (_INFINITE, -_INFINITE) else value
    return _disputed(text) or text


def _disputed(text: str) -> AmbiguousScalar | None:
    """Why some YAML readers take the text for a number; None if there is none."""
    if _SEXAGESIMAL.match(text):
        return AmbiguousScalar("YAML 1.1 reads the value as a base-60 number, but YAML 1.2 reads it as a string")
    if _LEADING_ZERO.match(text):
        return AmbiguousScalar(
            "YAML 1.1 reads a number with a leading 0 as octal, but YAML 1.2 reads it as decimal", _without_zeros(text)
        )
    if _UNDERSCORES.match(text):
        return AmbiguousScalar(
            "YAML 1.1 reads the value as a number, but YAML 1.2 reads it as a string", text.replace("_", "")
        )
    if _OTHER_BASE.match(text):
        return AmbiguousScalar("YAML 1.1 and YAML 1.2 disagree on whether it is a number")
    return None


def _integer(digits: str, base: int) -> int | AmbiguousScalar:
    if len(digits) > _MOST_DIGITS:
        return _TOO_LARGE
    value = int(digits, base)
    return _TOO_LARGE if abs(value) > _LARGEST else value


def _without_zeros(text: str) -> str:
    sign = "-" if text.startswith("-") else ""
    digits = text.lstrip("+-").replace("_", "").lstrip("0")
    return sign + digits if digits else "0"


_NUMBER_STARTS = frozenset("0123456789+-.")
_TYPE_NAMES = {int: "int", float: "float", bool: "bool", type(None): "null"}
_INFINITE = float("inf")
_TOO_LARGE = AmbiguousScalar("many parsers do not support numbers this large")
_NO_FIT = AmbiguousScalar("the tag does not match")
