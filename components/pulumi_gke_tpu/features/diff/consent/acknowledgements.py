"""The acknowledgements of a plan that a change uses, and those that gke-tpu accepts."""

import datetime
from collections.abc import Iterable, Set
from typing import Literal

from pulumi_gke_tpu.core.fleet.pairs import ClusterPair, both_kinds
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.plan import Plan
from pulumi_gke_tpu.core.plan.model import Acknowledgement
from pulumi_gke_tpu.features.diff.model import AcknowledgementUse

Need = Literal["replace", "delete", "restart"]
"""The loss of an item: resources that are replaced, resources that are deleted, or only the running workloads."""

AckFrom = Literal["head", "base"]
"""The accepted acknowledgements: those of the plan after the change, or only those of the plan before it."""


@frozen
class _Entry:
    """An acknowledgement, and the name of its item after the change."""

    entry: Acknowledgement
    item: str
    new: bool
    accepted: bool
    in_base_only: bool


class Acknowledgements:
    """The acknowledgements of one plan, before and after a change.

    An acknowledged deletion also allows a replacement and a restart. An acknowledged replacement also allows a restart,
    but no deletion. An acknowledgement of a cluster also applies to its groups and its other resources. An entry that
    the change removes from the plan still allows a deletion, because this is the second update of a deletion; it also
    applies if gke-tpu accepts only entries of the base.
    """

    def __init__(
        self,
        plan: str,
        base: Plan | None,
        head: Plan | None,
        pairs: Iterable[ClusterPair],
        *,
        today: datetime.date | None,
        ack_from: AckFrom,
    ) -> None:
        self._plan = plan
        self._today = today
        self._ack_from = ack_from
        names = _new_names(pairs)
        before = base.acknowledge if base else []
        after = head.acknowledge if head else []
        known = {(entry.change, names.get(entry.of, entry.of), entry.until) for entry in before}
        kept = {(entry.change, entry.of, entry.until) for entry in after}
        self._entries = [
            *(self._after(entry, (entry.change, entry.of, entry.until) not in known, ack_from) for entry in after),
            *(
                _Entry(entry, names.get(entry.of, entry.of), new=False, accepted=True, in_base_only=True)
                for entry in before
                if (entry.change, names.get(entry.of, entry.of), entry.until) not in kept
            ),
        ]
        self._by_item: dict[str, list[_Entry]] = {}
        for entry in self._entries:
            self._by_item.setdefault(entry.item, []).append(entry)
        self._used: set[int] = set()
        self._lifting: set[int] = set()

    def _after(self, entry: Acknowledgement, new: bool, ack_from: AckFrom) -> _Entry:
        return _Entry(entry, entry.of, new, accepted=not new or ack_from == "head", in_base_only=False)

    @property
    def only_of_base(self) -> bool:
        """Whether new acknowledgements are not accepted."""
        return self._ack_from == "base"

    def use(self, item: str, needs: Set[Need]) -> AcknowledgementUse | None:
        """The first acknowledgement that allows every loss of an item; None if there is none.

        If the only one has no effect (expired, or new and not accepted), it is returned with that state.
        """
        if not needs:
            return None
        removal = "delete" in needs or self._ack_from == "base"
        entries = [
            entry
            for entry in self._covering(item)
            if _covers(entry.entry, needs) and (removal or not entry.in_base_only)
        ]
        chosen = next((entry for entry in entries if self._holds(entry.entry) and entry.accepted), None)
        if chosen is not None:
            self._used.add(id(chosen.entry))
            return self._as_use(chosen)
        useless = [entry for entry in entries if not entry.in_base_only]
        return self._as_use(useless[0]) if useless else None

    def lifting(self, item: str) -> AcknowledgementUse | None:
        """The acknowledgement of any kind that lifts the protection of an item that stays; None if there is none."""
        for entry in self._covering(item):
            if self._holds(entry.entry) and not entry.in_base_only:
                if entry.accepted:
                    self._lifting.add(id(entry.entry))
                return self._as_use(entry)
        return None

    def only_replacement(self, item: str) -> bool:
        """Whether the entries of an item before the change allow a replacement, but no deletion."""
        kinds = {entry.entry.change for entry in self._covering(item) if self._holds(entry.entry) and not entry.new}
        return kinds == {"replace"}

    def all(self) -> tuple[AcknowledgementUse, ...]:
        """Every acknowledgement of the new plan, and the used ones that the change removes, in their order."""
        return tuple(
            self._as_use(entry) for entry in self._entries if not entry.in_base_only or id(entry.entry) in self._used
        )

    def _covering(self, item: str) -> list[_Entry]:
        cluster, slash, _ = item.partition("/")
        return [*self._by_item.get(item, ()), *(self._by_item.get(cluster, ()) if slash else ())]

    def _holds(self, entry: Acknowledgement) -> bool:
        return self._today is not None and self._today <= entry.until

    def _as_use(self, item: _Entry) -> AcknowledgementUse:
        entry = item.entry
        state: Literal["used", "lifting", "unused", "expired", "not on base"] = "unused"
        if self._today is not None and self._today > entry.until:
            state = "expired"
        elif not item.accepted:
            state = "not on base"
        elif id(entry) in self._used:
            state = "used"
        elif id(entry) in self._lifting:
            state = "lifting"
        return AcknowledgementUse(
            plan=self._plan,
            change=entry.change,
            of=entry.of,
            reason=entry.reason,
            until=entry.until.isoformat(),
            state=state,
            new=item.new,
        )


def _covers(entry: Acknowledgement, needs: Set[Need]) -> bool:
    return entry.change == "delete" or "delete" not in needs


def _new_names(pairs: Iterable[ClusterPair]) -> dict[str, str]:
    """Old name -> new name, for renamed items."""
    names: dict[str, str] = {}
    for pair in both_kinds(pairs):
        if pair.base is not None and pair.head is not None and pair.base.key != pair.head.key:
            names[pair.base.key] = pair.head.key
    return names
