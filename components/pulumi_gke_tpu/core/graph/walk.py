"""Finds values of one kind inside of property values."""

from collections.abc import Iterator, Mapping
from typing import TypeVar

Kind = TypeVar("Kind")


def instances_in(value: object, kind: type[Kind]) -> Iterator[Kind]:
    """Every instance of a class inside a value, at any depth of mappings and lists."""
    if isinstance(value, kind):
        yield value
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from instances_in(item, kind)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from instances_in(item, kind)
