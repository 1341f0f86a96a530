"""The parts of a Terraform file as values, which the writers of HCL and JSON take."""

from collections.abc import Mapping
from typing import Any

from pulumi_gke_tpu.core.frozen import frozen


@frozen
class Expression:
    """Code that Terraform evaluates, such as a reference to an attribute."""

    text: str


@frozen
class StaticReference:
    """An address or a keyword where Terraform takes no expression, such as in ``depends_on``."""

    text: str


@frozen
class TextTemplate:
    """A text with expressions in it."""

    parts: tuple[str | Expression, ...]


@frozen
class Attribute:
    """A name and its value: plain data, in which there can be the classes above at any depth."""

    name: str
    value: Any


@frozen
class Comment:
    """A comment of one or more lines, each in printable characters."""

    text: str


@frozen
class Gap:
    """An empty line."""


@frozen
class Block:
    """A block: its type, its labels and what is inside."""

    type: str
    labels: tuple[str, ...] = ()
    body: "tuple[Attribute | Comment | Gap | Block, ...]" = ()


Item = Attribute | Comment | Gap | Block


def attributes(values: Mapping[str, Any]) -> tuple[Attribute, ...]:
    """An attribute for each value that there is, in the order of the mapping."""
    return tuple(Attribute(name, value) for name, value in values.items() if value is not None)
