"""Evaluates expressions of HCL whose parts are known. Everything else is unknown."""

import math
import posixpath
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from pulumi_gke_tpu.core.resources.hcl_expressions import (
    HclAccess,
    HclCall,
    HclConditional,
    HclFor,
    HclObject,
    HclOperation,
    HclReference,
    HclSplat,
    HclTemplate,
)
from pulumi_gke_tpu.core.resources.hcl_functions import HclRefusedError, HclSet, called, is_unknown, text_of
from pulumi_gke_tpu.core.resources.values import UNKNOWN

Names = Mapping[str, Any]
_DEEPEST = 30
_LONGEST = 10_000
_LARGEST_NUMBER = 2**63


class Evaluation:
    """Evaluates for a limited number of steps, behind which everything is unknown."""

    def __init__(
        self, referred: Callable[[tuple[str | int, ...], Names], Any], decoded: Callable[[str], Any], steps: int
    ) -> None:
        self._referred = referred
        self._decoded = decoded
        self.steps = steps
        self.undecided: set[str] = set()
        """The tests of conditional expressions whose values are not known."""
        self.assumed: bool | None = None
        """What each of them is taken to be."""

    def value(self, written: Any, names: Names, depth: int = 0) -> Any:
        """The value of an expression, unknown where Terraform would refuse it."""
        try:
            return self._value(written, names, depth)
        except HclRefusedError:
            return UNKNOWN

    def _value(self, written: Any, names: Names, depth: int) -> Any:
        if isinstance(written, str | int | float) or written is None or written is UNKNOWN:
            return written
        self.steps -= 1
        if depth > _DEEPEST or self.steps < 0:
            return UNKNOWN
        if isinstance(written, HclSet):
            return written
        if isinstance(written, list):
            return [self.value(item, names, depth + 1) for item in written]
        if isinstance(written, dict):
            return {key: self.value(item, names, depth + 1) for key, item in written.items()}
        evaluate = _KINDS.get(type(written))
        return evaluate(self, written, names, depth + 1) if evaluate is not None else written

    def _reference(self, written: HclReference, names: Names, _depth: int) -> Any:
        return self._referred(written.steps, names)

    def _template(self, written: HclTemplate, names: Names, depth: int) -> Any:
        parts = [self._value(part, names, depth) for part in written.parts]
        if any(part is UNKNOWN for part in parts):
            return UNKNOWN
        text = "".join(map(_text, parts))
        return text if len(text) <= _LONGEST else UNKNOWN

    def _access(self, written: HclAccess, names: Names, depth: int) -> Any:
        return self._below(self._value(written.of, names, depth), written.keys, names, depth)

    def _below(self, found: Any, keys: tuple[Any, ...], names: Names, depth: int) -> Any:
        for index, key in enumerate(keys):
            if isinstance(key, HclSplat):
                items = found if isinstance(found, list) else [] if found is None else [found]
                if found is UNKNOWN:
                    return UNKNOWN
                self.steps -= len(items)
                return [self._below(item, keys[index + 1 :], names, depth) for item in items]
            found = below(found, self._value(key, names, depth))
        return found

    def _call(self, written: HclCall, names: Names, depth: int) -> Any:
        if written.name in ("try", "can"):
            return self._tried(written, names, depth)
        if written.name in ("yamldecode", "jsondecode"):
            return self._file(written.arguments, names, depth)
        arguments = [self._value(argument, names, depth) for argument in written.arguments]
        if written.expands:
            last = arguments.pop() if arguments else UNKNOWN
            if not isinstance(last, list):
                return UNKNOWN
            arguments += last
        self.steps -= sum(len(each) for each in arguments if isinstance(each, dict | list))
        return called(written.name, arguments) if self.steps >= 0 else UNKNOWN

    def _file(self, arguments: tuple[Any, ...], names: Names, depth: int) -> Any:
        """The data in a file, of ``yamldecode(file(PATH))``."""
        inner = arguments[0] if arguments else None
        if not isinstance(inner, HclCall) or inner.name != "file" or len(inner.arguments) != 1:
            return UNKNOWN
        path = self._value(inner.arguments[0], names, depth)
        return self._decoded(posixpath.normpath(path)) if isinstance(path, str) else UNKNOWN

    def _tried(self, written: HclCall, names: Names, depth: int) -> Any:
        for argument in written.arguments:
            try:
                found = self._value(argument, names, depth)
            except HclRefusedError:
                continue
            return found if written.name == "try" or found is UNKNOWN else True
        if written.name == "can":
            return False
        raise HclRefusedError

    def _conditional(self, written: HclConditional, names: Names, depth: int) -> Any:
        test = self._value(written.test, names, depth)
        if test in (True, "true"):
            return self._value(written.one, names, depth)
        if test in (False, "false"):
            return self._value(written.other, names, depth)
        self.undecided.add(repr(written.test))
        if self.assumed is not None:
            return self._value(written.one if self.assumed else written.other, names, depth)
        one, other = (self.value(each, names, depth) for each in (written.one, written.other))
        return one if type(one) is type(other) and one == other and not is_unknown(one) else UNKNOWN

    def _operation(self, written: HclOperation, names: Names, depth: int) -> Any:
        first, *rest = (self._value(each, names, depth) for each in written.operands)
        if not rest:
            return UNKNOWN if first is UNKNOWN else _signed(written.operator, first)
        return _computed(written.operator, first, rest[0])

    def _object(self, written: HclObject, names: Names, depth: int) -> Any:
        found = {}
        for key, item in written.items:
            name = self._value(key, names, depth)
            if name is UNKNOWN:
                return UNKNOWN
            found[_text(name)] = self.value(item, names, depth)
        return found

    def _for(self, written: HclFor, names: Names, depth: int) -> Any:
        items = self._value(written.items, names, depth)
        if not isinstance(items, dict | list):
            return UNKNOWN
        made: list[Any] = []
        mapped: dict[str, Any] = {}
        for key, item in pairs(items):
            own = (key, item) if len(written.names) > 1 else (item,)
            inner = {**names, **dict(zip(written.names, own, strict=True))}
            keep = self._value(written.condition, inner, depth) if written.has_condition else True
            if keep is UNKNOWN or self.steps < 0:
                return UNKNOWN
            if keep not in (True, "true"):
                continue
            result = self.value(written.result, inner, depth)
            if not written.has_key:
                made.append(result)
                continue
            name = self._value(written.key, inner, depth)
            if name is UNKNOWN:
                return UNKNOWN
            if written.grouped:
                mapped.setdefault(_text(name), []).append(result)
            else:
                mapped[_text(name)] = result
        return mapped if written.has_key else made


_KINDS: Mapping[type, Callable[[Evaluation, Any, Names, int], Any]] = {
    HclReference: Evaluation._reference,  # noqa: SLF001 - the table of the class above
    HclTemplate: Evaluation._template,  # noqa: SLF001
    HclAccess: Evaluation._access,  # noqa: SLF001
    HclCall: Evaluation._call,  # noqa: SLF001
    HclConditional: Evaluation._conditional,  # noqa: SLF001
    HclOperation: Evaluation._operation,  # noqa: SLF001
    HclObject: Evaluation._object,  # noqa: SLF001
    HclFor: Evaluation._for,  # noqa: SLF001
}


def pairs(items: Any) -> Iterator[tuple[Any, Any]]:
    """The keys and values over which Terraform repeats something."""
    if isinstance(items, dict):
        yield from items.items()
    elif isinstance(items, HclSet):
        yield from ((item, item) for item in items)
    else:
        yield from enumerate(items)


def below(found: Any, key: Any) -> Any:
    """What is below a value.

    Raises:
        HclRefusedError: it has no such key.
    """
    if found is UNKNOWN or key is UNKNOWN:
        return UNKNOWN
    if isinstance(found, dict) and _text(key) in found:
        return found[_text(key)]
    if isinstance(found, list) and not isinstance(key, bool):
        index = int(key) if isinstance(key, str) and key.isdecimal() else key
        if isinstance(index, int) and 0 <= index < len(found):
            return found[index]
    raise HclRefusedError


def _text(value: Any) -> str:
    try:
        return text_of(value)
    except ValueError:
        raise HclRefusedError from None


def _signed(operator: str, value: Any) -> Any:
    if operator == "!" and (isinstance(value, bool) or value in ("true", "false")):
        return value in (False, "false")
    if operator == "-" and isinstance(value, int | float) and not isinstance(value, bool):
        return -value
    raise HclRefusedError


def _computed(operator: str, one: Any, other: Any) -> Any:
    if operator in ("&&", "||"):
        deciding = operator == "||"
        one, other = (each if each is UNKNOWN else not _signed("!", each) for each in (one, other))
        if one is deciding or other is deciding:
            return deciding
        return UNKNOWN if one is UNKNOWN or other is UNKNOWN else not deciding
    if operator in ("==", "!="):
        same = _equal(one, other)
        return same if same is UNKNOWN else same == (operator == "==")
    if one is UNKNOWN or other is UNKNOWN:
        return UNKNOWN
    numbers = [_numeric(each) for each in (one, other)]
    return _calculated(operator, *numbers)


def _equal(one: Any, other: Any) -> Any:
    if one is UNKNOWN or other is UNKNOWN:
        return UNKNOWN
    if one is None or other is None:
        return one is other
    if is_unknown(one) or is_unknown(other):
        return UNKNOWN
    if isinstance(one, bool) != isinstance(other, bool):
        return False
    return one == other


def _numeric(value: Any) -> int | float:
    if isinstance(value, str):
        try:
            return int(value) if value.lstrip("-").isdecimal() else float(value)
        except ValueError:
            raise HclRefusedError from None
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise HclRefusedError
    return value


def _calculated(operator: str, one: float, other: float) -> Any:
    if operator in _COMPARED:
        return _COMPARED[operator](one, other)
    if abs(one) > _LARGEST_NUMBER or abs(other) > _LARGEST_NUMBER:
        return UNKNOWN
    if operator in ("/", "%"):
        if not other:
            raise HclRefusedError
        exact = math.fmod(one, other) if operator == "%" else one / other
        return int(exact) if exact.is_integer() else exact
    return {"+": one + other, "-": one - other, "*": one * other}[operator]


_COMPARED: Mapping[str, Callable[[float, float], bool]] = {
    "<": lambda one, other: one < other,
    "<=": lambda one, other: one <= other,
    ">": lambda one, other: one > other,
    ">=": lambda one, other: one >= other,
}
