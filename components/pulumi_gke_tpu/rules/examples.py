"""Expands the examples of rules into whole plans and inventories.

An example is a whole plan (it has ``version:``, or no key at all), a cluster body (it has ``mode:``), or the body of
a group: the last two stand in a Standard cluster ``train`` in us-east5, the group is called ``pretrain`` and lives in
us-east5-b unless it says otherwise. Where a rule looks at more than one file, a line ``--- plan`` begins another
plan, and a line ``--- inventory`` the inventory, whose ``version:`` and ``as_of:`` may be left out.
"""

import textwrap
from dataclasses import dataclass

_PLAN = "version: 1\nproject: acme-ml\nclusters:\n  train:\n{body}"
_CLUSTER = "mode: standard\nlocation: us-east5\nslices:\n  pretrain:\n{body}"
_INVENTORY = "version: 1\nas_of: 2026-11-20\n"


@dataclass(frozen=True)
class Files:
    """The files of an example, as YAML text."""

    plans: tuple[str, ...]
    inventory: str | None = None


def files_of(example: str) -> Files:
    """The whole files that an example stands for."""
    plans: list[list[str]] = [[]]
    inventory: list[str] | None = None
    part = plans[0]
    for line in example.splitlines():
        if line == "--- plan":
            plans.append(part := [])
        elif line == "--- inventory":
            inventory = part = []
        else:
            part.append(line)
    return Files(
        tuple(whole_plan("\n".join(lines)) for lines in plans),
        None if inventory is None else whole_inventory("\n".join(inventory)),
    )


def whole_plan(example: str) -> str:
    """The YAML text of the plan that an example stands for."""
    keys = _keys(example)
    if not keys or "version" in keys or "project" in keys:
        return example
    if "mode" not in keys:
        if "zone" not in keys:
            example += "\nzone: us-east5-b"
        example = _CLUSTER.format(body=textwrap.indent(example, "    "))
    return _PLAN.format(body=textwrap.indent(example, "    "))


def whole_inventory(example: str) -> str:
    """The YAML text of the inventory that an example stands for."""
    return example if "version" in _keys(example) else _INVENTORY + example


def _keys(example: str) -> set[str]:
    return {line.split(":")[0] for line in example.splitlines() if line[:1] not in (" ", "#", "")}
