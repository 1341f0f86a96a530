"""Turns parsed YAML into catalog records, without checking it.

Tests check the shipped files, and :mod:`pulumi_gke_tpu.core.catalog.document` checks overlays before they come here.
"""

import dataclasses
import functools
import types
from collections.abc import Callable
from typing import Annotated, Any, TypeVar, Union, get_args, get_origin

T = TypeVar("T")


def build(kind: type[T], data: object) -> T:
    """The record of class ``kind`` that a mapping describes."""
    wanted: Any = kind
    made: T = _builder(wanted)(data)
    return made


def _same(data: object) -> Any:
    return data


@functools.cache
def _builder(kind: object) -> Callable[[Any], Any]:
    """How a value of an annotated type is made; each type is looked at once."""
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is Annotated:
        return _builder(arguments[0])
    if dataclasses.is_dataclass(kind):
        return _record_builder(kind)
    if origin is tuple:
        item = _builder(arguments[0])
        return tuple if item is _same else lambda data: tuple(map(item, data))
    if origin is dict:
        value = _builder(arguments[1])
        return _same if value is _same else lambda data: {key: value(entry) for key, entry in data.items()}
    if origin in (Union, types.UnionType):
        inner = _builder(next(argument for argument in arguments if argument is not type(None)))
        return _same if inner is _same else lambda data: None if data is None else inner(data)
    return _same


def _hashable(kind: object) -> Any:
    return kind


def _record_builder(kind: Any) -> Callable[[Any], Any]:
    found = {field.name: _builder(_hashable(field.type)) for field in dataclasses.fields(kind)}
    builders = {name: builder for name, builder in found.items() if builder is not _same}

    def make(data: dict[str, Any]) -> Any:
        return kind(**{key: builders[key](value) if key in builders else value for key, value in data.items()})

    return make
