"""Frozen dataclasses whose methods are written once, so that loading such a class costs little.

``dataclasses`` writes and compiles up to six methods for each frozen class, which takes 0.4 ms. A command loads 50 to
150 of these classes.
"""

import functools
import inspect
from collections.abc import Callable
from dataclasses import MISSING, Field, FrozenInstanceError, dataclass, field, fields
from operator import attrgetter
from types import FunctionType
from typing import Any, NoReturn, TypeVar, overload

from typing_extensions import dataclass_transform

_T = TypeVar("_T")
_set = object.__setattr__


@overload
@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def frozen(cls: type[_T], /) -> type[_T]: ...


@overload
@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def frozen(*, eq: bool = True, slots: bool = True, kw_only: bool = False) -> Callable[[type[_T]], type[_T]]: ...


def frozen(cls: Any = None, /, *, eq: bool = True, slots: bool = True, kw_only: bool = False) -> Any:
    """Make a class a frozen dataclass, also to ``dataclasses``, pydantic and type checkers.

    Making an instance takes up to 1 µs longer than with ``dataclass(frozen=True)`` or a ``NamedTuple``, so use one
    of those for a class of which a command makes tens of thousands.

    Args:
        cls: the class.
        eq: whether instances with equal fields are equal; if not, an instance equals only itself.
        slots: whether instances have no ``__dict__``, which ``functools.cached_property`` needs.
        kw_only: whether all fields are given by name.
    """

    def make(kind: Any) -> Any:
        methods = _METHODS | _EQUALITY if eq else _METHODS
        for name in methods.keys() - vars(kind).keys():
            setattr(kind, name, methods[name])
        return dataclass(init=False, repr=False, eq=False, slots=slots, kw_only=kw_only)(kind)

    return make if cls is None else make(cls)


class _Form:
    """What the methods have to know about a class; found when they are first called."""

    def __init__(self, kind: Any) -> None:
        items = fields(kind)
        self.kind = kind
        self.names = tuple(item.name for item in items)
        self.known = frozenset(self.names)
        self.positional: tuple[str, ...] = kind.__match_args__
        self.count = len(items) if len(items) == len(self.positional) else None
        """The number of arguments that give every field by position; None if some fields are given by name only."""
        self.defaults = {item.name: item.default for item in items if item.default is not MISSING}
        self.factories = {item.name: item.default_factory for item in items if item.default_factory is not MISSING}
        self.shown = tuple(item.name for item in items if item.repr)
        self.compared = _values_of([item.name for item in items if item.compare])
        self.hashed = _values_of([item.name for item in items if (item.compare if item.hash is None else item.hash)])
        self.finish: Callable[[Any], None] | None = getattr(kind, "__post_init__", None)

    def complete(self, given: tuple[Any, ...], named: dict[str, Any]) -> dict[str, Any]:
        """The values of all fields by name.

        Raises:
            TypeError: the arguments do not match the fields.
        """
        values = (
            self.defaults | dict(zip(self.positional, given, strict=False)) | named
            if given
            else {
                **self.defaults,
                **named,
            }
        )
        for name, make in self.factories.items():
            if name not in values:
                values[name] = make()
        repeated = named.keys() & self.positional[: len(given)]
        if values.keys() != self.known or repeated or len(given) > len(self.positional):
            wrong = ", ".join(sorted((self.known ^ values.keys()) | repeated)) or f"{len(given)} positional arguments"
            raise TypeError(f"{self.kind.__qualname__}: missing, unknown or repeated: {wrong}")
        return values


_form: Callable[[Any], _Form] = functools.cache(_Form)


def _values_of(names: list[str]) -> Callable[[Any], Any]:
    return attrgetter(*names) if names else lambda _: ()


class _Signature:
    """The parameters of a class, for ``inspect.signature``, ``help`` and the documentation site."""

    def __get__(self, instance: object, kind: Any) -> inspect.Signature:
        items = sorted(fields(kind), key=lambda item: item.kw_only is True)
        return inspect.Signature([_parameter(item) for item in items])


def _parameter(item: Field[Any]) -> inspect.Parameter:
    kind = inspect.Parameter.KEYWORD_ONLY if item.kw_only else inspect.Parameter.POSITIONAL_OR_KEYWORD
    default = inspect.Parameter.empty if item.default is MISSING else item.default
    if item.default_factory is not MISSING:
        default = item.default_factory()
    return inspect.Parameter(item.name, kind, default=default, annotation=item.type)


class _Methods:
    """What a class has that does not define it itself."""

    __signature__ = _Signature()

    def __init__(self, *given: Any, **named: Any) -> None:
        form = _form(self.__class__)
        if named or len(given) != form.count:
            for name, value in form.complete(given, named).items():
                _set(self, name, value)
        else:
            for name, value in zip(form.names, given, strict=True):
                _set(self, name, value)
        if form.finish is not None:
            form.finish(self)

    def __repr__(self) -> str:
        shown = (f"{name}={getattr(self, name)!r}" for name in _form(self.__class__).shown)
        return f"{self.__class__.__qualname__}({', '.join(shown)})"

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise FrozenInstanceError(f"cannot assign to field {name!r}")

    def __delattr__(self, name: str) -> NoReturn:
        raise FrozenInstanceError(f"cannot delete field {name!r}")

    def __reduce__(self) -> tuple[Any, ...]:
        form = _form(self.__class__)
        return _again, (self.__class__, {name: getattr(self, name) for name in form.names})


class _Equality:
    """The methods of a class whose instances are equal if their fields are."""

    def __eq__(self, other: object) -> bool:
        if other.__class__ is not self.__class__:
            return NotImplemented
        values = _form(self.__class__).compared
        return bool(values(self) == values(other))

    def __hash__(self) -> int:
        return hash(_form(self.__class__).hashed(self))


def _again(kind: Any, values: dict[str, Any]) -> Any:
    """Build a copy, or an object from its pickle."""
    return kind(**values)


_METHODS: dict[str, Any] = {
    name: item for name, item in vars(_Methods).items() if isinstance(item, FunctionType | _Signature)
}
_EQUALITY: dict[str, Any] = {name: item for name, item in vars(_Equality).items() if isinstance(item, FunctionType)}
