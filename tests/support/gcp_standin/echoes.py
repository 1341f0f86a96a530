"""What GKE could add to a cluster or a node pool: the zero or empty value of every property that is not computed."""

import copy
import fnmatch
import functools
import pathlib
from collections.abc import Iterator, Mapping
from typing import Any

import yaml
from support.gcp_standin.knowledge import Kind, kind_of

FILE = pathlib.Path(__file__).parents[2] / "data" / "echoes.yaml"
_ZEROS: Mapping[str, Any] = {"string": "", "boolean": False, "integer": 0, "number": 0.0, "strings": [], "map": {}}
_OF_THE_PROVIDER = ("client-side", "create-only")
"""How properties change that no API answers."""
_IDENTITY = ("cluster", "location", "name", "namePrefix", "nodePools", "project")

Json = dict[str, Any]


@functools.cache
def expected(token: str) -> Json:
    """What ``tests/data/echoes.yaml`` says of a type."""
    data: Json = yaml.safe_load(FILE.read_text("utf-8"))
    return dict(data[token])


@functools.cache
def echoes(token: str) -> tuple[tuple[str, Any], ...]:
    """Path and value of everything that could be added to a resource of a type, and that the provider would store."""
    return tuple(_echoes(kind_of(token)))


def _echoes(kind: Kind) -> Iterator[tuple[str, Any]]:
    dropped = expected(kind.token)["not_stored"]
    for path, change in kind.properties.items():
        if change.computed or change.required or change.change in _OF_THE_PROVIDER or path in _IDENTITY:
            continue
        if not any(fnmatch.fnmatchcase(path, pattern) for pattern in dropped):
            yield path, zero(kind, path)


def zero(kind: Kind, path: str) -> Any:
    """The zero or empty value of a property; a block with the zeros of its members, without the blocks inside."""
    change = kind.properties[path]
    if change.type in _ZEROS:
        return copy.deepcopy(_ZEROS[change.type])
    members = {
        name.rpartition(".")[2]: zero(kind, name)
        for name, inner in kind.properties.items()
        if name.rpartition(".")[0] == path and inner.type in _ZEROS
    }
    return [members] if change.type == "blocks" else members


def put_echo(outputs: Json, path: str, value: Any) -> bool:
    """Add a value to the outputs of a resource, unless they have another one or a list around it has several items."""
    *above, name = path.split(".")
    block: Any = outputs
    for step in above:
        if block.get(step) is None:
            block[step] = {}
        block = block[step]
        if isinstance(block, list):
            if len(block) != 1:
                return False
            (block,) = block
    if block.get(name) not in (None, "", False, 0, [], {}):
        return False
    block[name] = copy.deepcopy(value)
    return True
