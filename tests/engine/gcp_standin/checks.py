"""What the provider refuses already at preview: unknown arguments, values that no schema allows, missing ones."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from gcp_standin.knowledge import Kind


@dataclass(frozen=True)
class Problem:
    """A refused argument."""

    path: str
    reason: str


def problems(kind: Kind, inputs: dict[str, Any]) -> list[Problem]:
    """Everything that is wrong with a program's inputs."""
    return list(_unknown(kind, "", inputs))


def _unknown(kind: Kind, prefix: str, block: dict[str, Any]) -> Iterator[Problem]:
    for name, value in block.items():
        path = f"{prefix}{name}"
        if path not in kind.properties and name != "__defaults":
            yield Problem(path, f'Invalid or unknown key: "{path}"')
        elif kind.is_block(path):
            for item in value if isinstance(value, list) else [value]:
                if isinstance(item, dict):
                    yield from _unknown(kind, f"{path}.", item)
