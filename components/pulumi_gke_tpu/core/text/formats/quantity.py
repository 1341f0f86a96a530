"""Quantities of Kubernetes such as ``4``, ``500m``, ``1Gi`` and ``1e3``: their numbers, and their canonical form."""

import functools
import math
import re
from collections.abc import Mapping
from fractions import Fraction

from pulumi_gke_tpu.core.text.patterns import lazy_pattern

_FORM = lazy_pattern(r"([+-]?(?:\d+(?:\.\d*)?|\.\d+))(?:([eE])([+-]?\d{1,3})|([numkMGTPE]|[KMGTPE]i)?)\Z", re.ASCII)
_DECIMAL = {"n": -9, "u": -6, "m": -3, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_BINARY = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}
_LONGEST = 60
_LARGEST_EXPONENT = 30
_IN_THOUSANDTHS = ("m", "", "k", "M", "G", "T", "P", "E")
_IN_BYTES = ("", *_BINARY)


def parse_quantity(value: object) -> Fraction | None:
    """The number that a quantity stands for; None if it is not a quantity."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    return _number(value)


@functools.lru_cache(typed=True)
def _number(value: str | float) -> Fraction | None:
    """The number, computed once: the containers of many Pods have equal requests."""
    match = _match(value)
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


def memory_without_unit(value: object) -> tuple[str, ...]:
    """The amounts that memory of less than a mebibyte can mean, in which no program runs; empty for any other value.

    ``200`` is 200 bytes, and ``400m`` is less than one: m is the suffix of thousandths.
    """
    number, match = parse_quantity(value), _match(value)
    if match is None or not number or not 0 < number < 1 << 20 or match[4] not in (None, "m"):
        return ()
    return (f"{match[1]}Mi", f"{match[1]}Gi") if match[4] is None else (f"{match[1]}Mi",)


def quantities(amounts: Mapping[str, str | int | None]) -> dict[str, str]:
    """Resource -> amount, each in canonical form; without those that are None."""
    return {name: canonical_quantity(amount) for name, amount in amounts.items() if amount is not None}


def canonical_quantity(value: str | int, parts: int = 1) -> str:
    """The text that Kubernetes stores for a quantity, divided by ``parts``.

    The API server and the webhooks of the operators read a quantity in any form and write it in this one. If an object
    is sent in another form, the stored object differs from it, and Pulumi plans a change at every run.

    The text has no fraction and the largest suffix that needs none, in the family of the suffix of ``value``: ``0.5``
    is ``500m``, ``1024Mi`` is ``1Gi``, ``1000`` is ``1k``. Less than a thousandth is rounded up. A value that is not a
    quantity is returned as it is: the rule TPU702 reports it.
    """
    number, match = parse_quantity(value), _match(value)
    if number is None or match is None:
        return str(value)
    _, exponential, _, suffix = match.groups()
    thousandths = math.ceil(abs(number) / parts * 1000)
    sign = "-" if number < 0 and thousandths else ""
    size, rest = divmod(thousandths, 1000)
    if suffix in _BINARY and size >= 1 << 10 and not rest:
        return sign + _with_suffix(size, 1 << 10, _IN_BYTES)
    if exponential:
        return sign + _with_suffix(thousandths, 1000, ("e-3", "", *(f"e{power}" for power in range(3, 60, 3))))
    return sign + _with_suffix(thousandths, 1000, _IN_THOUSANDTHS)


def _match(value: object) -> re.Match[str] | None:
    text = str(value)
    return _FORM.match(text) if len(text) <= _LONGEST else None


def _with_suffix(amount: int, base: int, suffixes: tuple[str, ...]) -> str:
    """The amount with the largest suffix that needs no fraction; each stands for ``base`` of the one before."""
    if amount == 0:
        return "0"
    power = 0
    while power + 1 < len(suffixes) and amount % base == 0:
        amount, power = amount // base, power + 1
    return f"{amount}{suffixes[power]}"
