"""Reads the type of every property of a resource from the installed ``pulumi_gcp`` package."""

import collections.abc
import importlib
import typing
from typing import Any

import pulumi._types

SCALARS = {str: "string", bool: "boolean", int: "integer", float: "number"}


def property_types(token: str) -> dict[str, str]:
    """CamelCase path -> type, as ``catalog/provider.yaml`` names it, of every property that a program can set.

    Raises:
        ImportError, AttributeError: the package has no such resource.
        TypeError: a property has a type that the catalog has no name for.
    """
    _, path, name = token.split(":")
    package = importlib.import_module(f"pulumi_gcp.{path.partition('/')[0]}")
    return dict(_inside(getattr(package, f"{name}Args"), ""))


def _inside(block: type, prefix: str) -> collections.abc.Iterator[tuple[str, str]]:
    for name, annotation in pulumi._types.input_type_types(block).items():
        path = f"{prefix}{name}"
        kind, inner = _type_of(annotation, path)
        yield path, kind
        if inner is not None:
            yield from _inside(inner, f"{path}.")


def _type_of(annotation: Any, path: str) -> tuple[str, type | None]:
    """The catalog's name for a type, and the block whose properties it holds."""
    plain = pulumi._types.unwrap_type(annotation)
    if plain in SCALARS:
        return SCALARS[plain], None
    origin, arguments = typing.get_origin(plain), typing.get_args(plain)
    if origin is collections.abc.Mapping and pulumi._types.unwrap_type(arguments[1]) is str:
        return "map", None
    if origin is collections.abc.Sequence:
        item = pulumi._types.unwrap_type(arguments[0])
        return ("strings", None) if item is str else ("blocks", item)
    if isinstance(plain, type) and plain.__name__.endswith("Args"):
        return "block", plain
    raise TypeError(f"{path}: no name for the type {plain}")
