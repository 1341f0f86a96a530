"""Blocks of JSON that are completed, and names that are filled in."""

import copy
import pathlib
import zlib
from collections.abc import Mapping
from typing import Any

import yaml

ANSWERS: dict[str, Any] = yaml.safe_load((pathlib.Path(__file__).parent / "answers.yaml").read_text("utf-8"))


def filled(value: Any, names: Mapping[str, str]) -> Any:
    """A value with the names in its texts."""
    if isinstance(value, dict):
        return {name: filled(item, names) for name, item in value.items()}
    if isinstance(value, list):
        return [filled(item, names) for item in value]
    return value.format(**names) if isinstance(value, str) else value


def completed(given: Mapping[str, Any], defaults: Mapping[str, Any]) -> dict[str, Any]:
    """The given values, and the defaults for all others; null counts as absent."""
    result = copy.deepcopy(dict(defaults))
    for name, value in given.items():
        if isinstance(value, Mapping) and isinstance(result.get(name), dict):
            result[name] = completed(value, result[name])
        elif value is not None:
            result[name] = copy.deepcopy(value)
    return result


def put(block: dict[str, Any], path: str, value: Any) -> None:
    """Store a value at a dotted path."""
    *parents, last = path.split(".")
    for name in parents:
        block = block.setdefault(name, {})
    block[last] = value


def at(block: dict[str, Any], path: str) -> Any:
    """The value at a dotted path."""
    for name in path.split("."):
        block = block[name]
    return block


def parts(version: str) -> tuple[int, ...]:
    """The numbers of a version of Kubernetes."""
    return tuple(int(part) for part in version.partition("-")[0].split("."))


def number_of(name: str) -> str:
    """A number of an object, always the same for a name."""
    return str(10**18 + zlib.crc32(name.encode()))


def region_of(location: str) -> str:
    return "-".join(location.split("-")[:2])


def is_zone(location: str) -> bool:
    return location.count("-") == 2


def last(link: str) -> str:
    """The name at the end of a link."""
    return link.rpartition("/")[2]
