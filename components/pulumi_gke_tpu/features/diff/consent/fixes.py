"""The entries to add to a plan so that a change succeeds: acknowledgements and renames, as YAML to paste."""

import dataclasses
import datetime
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

from pulumi_gke_tpu.core.fleet.renames import PossibleRename, RenameCandidate
from pulumi_gke_tpu.core.plan import Plan
from pulumi_gke_tpu.core.plan.model import REASON_TO_WRITE, Acknowledgement, Move
from pulumi_gke_tpu.core.text.findings.emit import flow, to_add
from pulumi_gke_tpu.features.diff.model import AcknowledgementUse, Fix, ItemChange, PlanList

Side = Literal["head", "base"]
Key = Literal["acknowledge", "moved"]

_DAYS_TO_GO_AHEAD = 14
_LONGEST_ENTRY = 1_000
"""Characters of the longest entry that is repeated."""


class Lists:
    """The lists of a plan, before and after a change, to which entries can be added."""

    def __init__(self, base: Plan | None, head: Plan | None) -> None:
        self._entries: dict[tuple[Side, Key], Sequence[Acknowledgement | Move]] = {}
        """The entries of each list that the plan has, also of an empty one."""
        plans: tuple[tuple[Side, Plan | None], ...] = (("base", base), ("head", head))
        for side, plan in plans:
            if plan is not None:
                if plan.written("acknowledge"):
                    self._entries[side, "acknowledge"] = plan.acknowledge
                if plan.written("moved"):
                    self._entries[side, "moved"] = plan.moved

    def of_fixes(self, plan: str, items: Iterable[ItemChange]) -> tuple[PlanList, ...]:
        """The lists to which the fixes of some items add entries, without those with an entry too long to repeat."""
        wanted = dict.fromkeys((fix.side, fix.key) for item in items for fix in item.fixes)
        found = []
        for side, key in wanted:
            if (side, key) in self._entries:
                texts = tuple(flow(entry.model_dump(by_alias=True)) for entry in self._entries[side, key])
                if all(len(text) <= _LONGEST_ENTRY for text in texts):
                    found.append(PlanList(plan, side, key, texts))
        return tuple(found)

    def fix(self, side: Side, key: Key, *entries: Mapping[str, Any]) -> Fix:
        """Entries to add."""
        texts = tuple(map(flow, entries))
        return Fix(side, key, texts, to_add(key, texts, listed=bool(self._entries.get((side, key)))))


class Renames:
    """The renames of a plan that no ``moved`` declares, by the items of both sides."""

    def __init__(self, found: Iterable[PossibleRename]) -> None:
        self._by_item: dict[str, list[tuple[str, RenameCandidate, bool]]] = {}
        for rename in found:
            for candidate in rename.candidates:
                for item, other in ((rename.before, candidate.after), (candidate.after, rename.before)):
                    self._by_item.setdefault(item, []).append((other, candidate, rename.certain))

    def names(self, item: str) -> tuple[str, ...]:
        """The candidates on the other side for a deleted or new item."""
        return tuple(other for other, _, _ in self._by_item.get(item, ()))

    def fixes(self, item: str, lists: Lists) -> tuple[Fix, ...]:
        """The entries of ``moved`` that declare the rename of an item, or each of its candidates."""
        found = []
        for _, candidate, certain in self._by_item.get(item, ()):
            entries = ({"from": before, "to": after} for before, after in candidate.moves)
            found.append(dataclasses.replace(lists.fix("head", "moved", *entries), alone=not certain))
        return tuple(found)


def acknowledgement(
    lists: Lists, side: Side, change: Literal["replace", "delete"], of: str, today: datetime.date | None
) -> Fix:
    """A new entry of ``acknowledge``, with a placeholder for its reason."""
    until: datetime.date | str = "YYYY-MM-DD" if today is None else days_to_go_ahead(today)
    return lists.fix(side, "acknowledge", {"change": change, "of": of, "reason": REASON_TO_WRITE, "until": until})


def again(lists: Lists, used: AcknowledgementUse, of: str) -> Fix:
    """An entry that this change adds, for the plan before it."""
    until = datetime.date.fromisoformat(used.until)
    return lists.fix("base", "acknowledge", {"change": used.change, "of": of, "reason": used.reason, "until": until})


def days_to_go_ahead(today: datetime.date) -> datetime.date:
    """The end date of an acknowledgement that starts today."""
    return today + min(datetime.timedelta(days=_DAYS_TO_GO_AHEAD), datetime.date.max - today)
