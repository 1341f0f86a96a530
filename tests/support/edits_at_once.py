"""Several edits of a plan in one change: drawn at random, or those that touch different parts of the plan."""

import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeVar

from support.editing import BASES, FLEETS, Edit, Plan, graph_after
from support.edits import EDITS, UNCHANGED

from pulumi_gke_tpu.core.text.findings import FindingsError

_Edit = TypeVar("_Edit")
_GROUP = ("clusters", "a cluster", "slices", "a group")


def apart(edits: Iterable[_Edit], plans: Callable[[_Edit], tuple[Plan, Plan]], most: int) -> list[list[_Edit]]:
    """Edits by those that can be made at once, since each touches other parts of the plan, ``most`` in each.

    ``plans`` gives the plan before and after an edit.
    """
    found: list[tuple[list[_Edit], list[tuple[str, ...]]]] = []
    for edit in edits:
        touched = [*differing(*plans(edit))]
        group = next((each for each in found if len(each[0]) < most and not _meet(touched, each[1])), None)
        if group is None:
            found.append(([edit], touched))
        else:
            group[0].append(edit)
            group[1].extend(touched)
    return [edits for edits, _ in found]


def differing(before: Any, after: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """The paths of what differs: a group, or a key above groups."""
    if len(path) < len(_GROUP) and isinstance(before, dict) and isinstance(after, dict):
        for key in {**before, **after}:
            yield from differing(before.get(key), after.get(key), (*path, key))
    elif before != after:
        yield path


def _meet(some: Sequence[tuple[str, ...]], others: Sequence[tuple[str, ...]]) -> bool:
    """Whether two edits touch the same group, or one of them something that groups rest on."""
    are_groups = all(len(path) == len(_GROUP) for path in (*some, *others))
    return bool({*some} & {*others}) or not are_groups


def together(edits: Sequence[Edit]) -> Edit:
    """Several edits of one base as one."""
    return edits[0] if len(edits) == 1 else _at_once(edits[0].base, edits)


def edits_at_once(seed: int, many: int) -> Edit:
    """Several edits of one base, after which the plan is still valid; the same ones for the same seed.

    Edits for other bases of the same stack are drawn too. What happens is not stated: it follows from the graphs.
    """
    draw = random.Random(seed)
    while True:
        base = draw.choice(sorted(BASES))
        fitting = [edit for edit in EDITS if FLEETS[edit.base] == FLEETS[base] and edit not in UNCHANGED]
        if len(fitting) < many:
            continue
        edit = _at_once(base, draw.sample(fitting, many))
        try:
            graph_after(edit)
        except (KeyError, FindingsError):  # one takes away what another changes, or they contradict each other
            continue
        return edit


def _at_once(base: str, edits: Sequence[Edit]) -> Edit:
    def change(plan: Plan) -> Plan:
        for edit in edits:
            changed = edit.change(plan)
            plan = changed if isinstance(changed, dict) and "clusters" in changed else plan
        return plan

    return Edit(", and ".join(edit.name for edit in edits), base, change)
