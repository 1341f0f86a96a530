"""The expressions of HCL as values. What has no class here is unknown where it is read."""

from typing import Any

from pulumi_gke_tpu.core.frozen import frozen


@frozen
class HclReference:
    """A name and what is below it: ``each.value.topology`` and ``var.zones[0]``."""

    steps: tuple[str | int, ...]


@frozen
class HclTemplate:
    """A text into which expressions are filled in."""

    parts: tuple[Any, ...]


@frozen
class HclAccess:
    """What is below a value: ``local.machines[var.size]``, ``f(x).name``."""

    of: Any
    keys: tuple[Any, ...]


@frozen
class HclSplat:
    """``[*]`` among the keys of an access: what follows is read of each item."""


@frozen
class HclCall:
    """A call of a function; ``expands`` if the last argument is a list of them."""

    name: str
    arguments: tuple[Any, ...]
    expands: bool = False


@frozen
class HclOperation:
    """An operator with one or two operands."""

    operator: str
    operands: tuple[Any, ...]


@frozen
class HclConditional:
    """``test ? one : other``."""

    test: Any
    one: Any
    other: Any


@frozen
class HclFor:
    """``[for key, value in items : result if condition]``; with a ``key``, the result is a mapping."""

    names: tuple[str, ...]
    items: Any
    key: Any
    result: Any
    condition: Any
    has_key: bool
    has_condition: bool
    grouped: bool


@frozen
class HclObject:
    """A mapping with keys that are expressions."""

    items: tuple[tuple[Any, Any], ...]
