"""Data of plans, edits of data by JSON pointer, and the lines in which two results differ."""

import copy
import difflib
import pathlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pulumi_gke_tpu.core.text.yamlfile import parse_yaml

_ROOT = pathlib.Path(__file__).parents[2]
GONE = "GONE"
"""The value of an edit that removes the value."""


def plan_data(name: str) -> Any:
    """The data of a plan of this repository, by the path of its file."""
    return parse_yaml((_ROOT / name).read_bytes(), name).data


def edited(data: Any, edits: Mapping[str, Any]) -> Any:
    """A copy of the data with each edit: JSON pointer -> new value."""
    changed = copy.deepcopy(data)
    for pointer, value in edits.items():
        *above, last = (_step(step) for step in pointer.split("/")[1:])
        holder = changed
        for step in above:
            holder = holder[int(step) if isinstance(holder, list) else step]
        key: Any = int(last) if isinstance(holder, list) else last
        if value == GONE:
            del holder[key]
        elif isinstance(holder, list) and key == len(holder):
            holder.append(value)
        else:
            holder[key] = value
    return changed


def _step(text: str) -> str:
    return text.replace("~1", "/").replace("~0", "~")


def flat_lines(value: Any, path: str = "") -> Iterator[str]:
    """One line for each innermost value of data."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    if not inner:
        yield f"{path}: {value!r}"
    for key, each in inner:
        yield from flat_lines(each, f"{path}/{key}")


def changed_lines(before: Sequence[str], after: Sequence[str]) -> str:
    """The lines that are gone and those that are new."""
    lines = difflib.ndiff([*before], [*after])
    return "".join(f"{line.rstrip()}\n" for line in lines if line.startswith(("- ", "+ ")))
