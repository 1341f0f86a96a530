"""Quantities of Kubernetes such as ``4``, ``500m``, ``1Gi`` and ``1e3``."""

import re
from fractions import Fraction

_FORM = re.compile(r"([+-]?(?:\d+(?:\.\d*)?|\.\d+))(?:([eE])([+-]?\d{1,3})|([numkMGTPE]|[KMGTPE]i)?)\Z", re.ASCII)
_DECIMAL = {"n": -9, "u": -6, "m": -3, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_BINARY = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}
_LONGEST = 60
_LARGEST_EXPONENT = 30


def parse_quantity(value: object) -> Fraction | None:
    """The number that a quantity stands for; None if it is not a quantity."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    text = str(value)
    match = _FORM.match(text) if len(text) <= _LONGEST else None
    if match is None:
        return None
    number, exponential, exponent, suffix = match.groups()
    if suffix in _BINARY:
        return Fraction(number) * (1 << _BINARY[suffix])
    power = int(exponent) if exponential else _DECIMAL.get(suffix, 0)
    if abs(power) > _LARGEST_EXPONENT:
        return None
    factor = Fraction(int("1" + "0" * abs(power)))
    return Fraction(number) * factor if power >= 0 else Fraction(number) / factor
