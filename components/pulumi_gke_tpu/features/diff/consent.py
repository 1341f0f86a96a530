"""What protects an item and what acknowledges its change."""

import dataclasses
import datetime
from collections.abc import Iterable, Mapping, Sequence, Set
from typing import Any, Literal

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.fleet import Range
from pulumi_gke_tpu.core.fleet.names import PossibleRename, RenameCandidate
from pulumi_gke_tpu.core.fleet.pairs import ClusterPair, GroupPair, both_kinds, protected_as_written
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.graph.resource_types import CLUSTER, NODE_POOL, RESOURCE_POLICY
from pulumi_gke_tpu.core.plan import Plan
from pulumi_gke_tpu.core.plan.entries import REASON_TO_WRITE, Acknowledgement, Move
from pulumi_gke_tpu.core.text.findings import printable, without_backquotes
from pulumi_gke_tpu.core.text.findings.emit import flow, to_add
from pulumi_gke_tpu.features.diff.effects.pools import PoolChanges, Uses
from pulumi_gke_tpu.features.diff.model import (
    AcknowledgementUse,
    ChangeClass,
    Fix,
    ItemChange,
    Overlap,
    PlanList,
    ResourceChange,
    Sentences,
    WrittenChange,
)

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


Command = Literal["pulumi up", "pulumi destroy", "terraform apply"]
"""What carries a change out: ``pulumi destroy`` if it deletes the plan file of a stack."""
GroupNoun = Literal["the group", "the node pool"]
"""What a slice group is called: Terraform has only node pools."""


@frozen
class ChangeContext:
    """The context of all items of a plan."""

    catalog: Catalog
    uses: Uses
    acknowledgements: Acknowledgements
    lists: Lists
    renames: Renames
    today: datetime.date | None
    command: Command = "pulumi up"
    noun: GroupNoun = "the group"
    refused_whole: bool = False
    """Whether the engine refuses a part of the change, and therefore changes nothing at all."""


class _Item:
    """The names of an item before and after a change."""

    __slots__ = ()
    context: ChangeContext
    pair: ClusterPair | GroupPair

    @property
    def key(self) -> str:
        """CLUSTER or CLUSTER/GROUP."""
        return self.pair.item.key

    @property
    def renames(self) -> tuple[str, ...]:
        """The possible names in the other plan; none if the item is in both plans."""
        if self.pair.base is not None and self.pair.head is not None:
            return ()
        return self.context.renames.names(self.key)


ClusterLoss = Literal["", "replace", "delete"]
"""The acknowledgement for a cluster that is deleted or replaced, and for all its groups; empty if the cluster stays."""


@frozen
class GroupChange(_Item):
    """A slice group and its change."""

    context: ChangeContext
    cluster: ClusterPair
    pair: GroupPair
    changes: tuple[ResourceChange, ...]
    pool_changes: PoolChanges
    effect: ChangeClass
    written: tuple[WrittenChange, ...]
    decisive: tuple[str, ...]
    """The changed keys of the group that decide the class of its change."""
    decisive_in_cluster: tuple[str, ...]
    """The same of the changed keys of its cluster and of the whole plan."""
    cluster_goes: ClusterLoss
    follows: Literal["", "delete", "replace"] = ""
    """The change of slices without node pools, because their cluster is deleted or replaced."""
    overlap: Overlap | None = None
    """The temporary need of the group's reservation."""

    @property
    def hosts_gone(self) -> Range:
        """The deleted hosts. The number of nodes on Autopilot is unknown: at most the number in the plan."""
        gone = self.pool_changes.hosts_gone
        return gone.plus(self.hosts_following) if self.follows and not gone.maximum else gone

    @property
    def hosts_following(self) -> Range:
        """The hosts that are deleted with their cluster. Autopilot creates as many as workloads request."""
        base = self.pair.base
        if base is None:
            return Range.ZERO
        return base.hosts if base.pools else Range(0, base.hosts.maximum)

    @property
    def loses(self) -> frozenset[Need]:
        """The required acknowledgement if the group is protected, or is deleted with its cluster."""
        return needs_of(self.changes, (NODE_POOL, RESOURCE_POLICY)) | (
            frozenset({self.follows}) if self.follows else frozenset()
        )

    @property
    def needs(self) -> frozenset[Need]:
        """The losses that an acknowledgement can allow. A smaller node pool also deletes hosts."""
        if self.loses:
            return self.loses
        if self.pool_changes.hosts_less.maximum:
            return frozenset({"delete"})
        return frozenset({"restart"} if self.effect == "restart" else ())


@frozen
class ClusterChange(_Item):
    """A cluster, and the changes of its resources other than slice groups."""

    context: ChangeContext
    pair: ClusterPair
    changes: tuple[ResourceChange, ...]
    effect: ChangeClass
    written: tuple[WrittenChange, ...]
    cluster_goes: ClusterLoss

    @property
    def loses(self) -> frozenset[Need]:
        """The required acknowledgement if the cluster is protected."""
        return needs_of(self.changes, (CLUSTER,))

    @property
    def needs(self) -> frozenset[Need]:
        """The losses that an acknowledgement can allow: of the cluster, else of its other resources."""
        kinds: dict[ChangeClass, Need] = {"delete": "delete", "replace": "replace", "restart": "restart"}
        return self.loses or frozenset({kinds[self.effect]} if self.effect in kinds else ())


def needs_of(changes: Iterable[ResourceChange], types: Sequence[str]) -> frozenset[Need]:
    """Whether resources of these types are replaced or deleted."""
    kinds: dict[str, Need] = {"replace": "replace", "delete": "delete"}
    return frozenset(
        kinds[change.operation] for change in changes if change.type in types and change.operation in kinds
    )


_TWO_UPDATES = "make two updates: first add only the `acknowledge` entry on the base branch; then make this change"


@frozen
class UpdateRefusal:
    """The reason that a change fails in ``pulumi up``, and the entries that allow it; all empty if it does not fail."""

    text: str = ""
    fixes: tuple[Fix, ...] = ()
    updates: int = 1
    """The number of updates (runs of ``pulumi up``) that the change requires."""


def refusal(item: GroupChange | ClusterChange, used: AcknowledgementUse | None) -> UpdateRefusal:
    """The failure of a change, and the entries that allow it; for a rename, its ``moved`` entry."""
    if isinstance(item, ClusterChange) and item.pair.handed_over:
        return _handed_over(item, used)
    stop = _without_rename(item, used)
    if not item.renames:
        return stop
    reason = stop.text.removesuffix(f" {_capital(_TWO_UPDATES)}.")
    return UpdateRefusal(reason, item.context.renames.fixes(item.key, item.context.lists))


def _handed_over(item: ClusterChange, used: AcknowledgementUse | None) -> UpdateRefusal:
    """The plan starts or stops to refer to its own cluster as an existing one.

    An acknowledgement in the plan after the change states that the state retains the cluster, or that the deletion is
    intended.
    """
    lists = item.context.lists
    if item.pair.handed_over == "taken":
        return UpdateRefusal("`pulumi up` will fail: the cluster exists already, so GKE does not create it.")
    if used is not None and used.state == "used":
        return UpdateRefusal()
    protected = item.pair.base is not None and item.pair.base.deletion_protection
    text = (
        "`pulumi up` will fail at the deletion protection of the cluster, after it has deleted the system pool."
        if protected and item.pair.item.mode == "standard"
        else ""
    )
    if used is not None and used.state == "not on base":
        return UpdateRefusal(text, (again(lists, used, _of_base(item, used.of)),), updates=2)
    return UpdateRefusal(text, (acknowledgement(lists, "head", "delete", item.key, item.context.today),))


def _without_rename(item: GroupChange | ClusterChange, used: AcknowledgementUse | None) -> UpdateRefusal:
    stopped = [change for change in item.changes if change.refused]
    protected = [change for change in stopped if _is_protection(item, change)]
    lists = item.context.lists
    if not stopped:
        if used is not None and used.state == "not on base" and item.loses and _is_lifted(item):
            text = "Its acknowledgement is new in this change, but gke-tpu accepts only those of the base."
            return UpdateRefusal(text, (again(lists, used, _of_base(item, used.of)),), updates=2)
        return UpdateRefusal()
    sentences = Sentences(item.context.catalog)
    if not protected:
        return UpdateRefusal(failure_text(item.changes, item.context.command))
    # The plan before the change decides the protection of deleted items, also of those deleted with another item.
    deletes = any(change.operation == "delete" for change in protected)
    before = deletes or isinstance(item, ClusterChange) or any(change.because_of for change in protected)
    sentences.add(f"`{item.context.command}` will fail: {_protected_by(item, deletes)}")
    if used is not None and used.state == "expired":
        sentences.add(f"its acknowledgement ended on {used.until}")
    of = item.cluster.item.key if isinstance(item, GroupChange) and item.cluster_goes else item.key
    if used is not None and used.state in ("used", "not on base") and not _is_too_little(item, used):
        sentences.add(_TWO_UPDATES)
        return UpdateRefusal(sentences.text, (again(lists, used, _of_base(item, used.of)),), updates=2)
    what: Literal["delete", "replace"] = item.cluster_goes or ("delete" if deletes else "replace")
    if before or item.context.acknowledgements.only_of_base:
        sentences.add(_TWO_UPDATES)
        fix = acknowledgement(lists, "base", what, _of_base(item, of), item.context.today)
        return UpdateRefusal(sentences.text, (fix,), updates=2)
    return UpdateRefusal(sentences.text, (acknowledgement(lists, "head", what, of, item.context.today),))


def failure_text(changes: Iterable[ResourceChange], command: Command) -> str:
    """The sentence about the first change at which a run fails; empty if there is none."""
    stopped = next((change for change in changes if change.refused), None)
    return f"`{command}` {stopped.fails}: {_plain(stopped.refused)}." if stopped is not None else ""


def _is_too_little(item: GroupChange | ClusterChange, used: AcknowledgementUse) -> bool:
    """Whether an acknowledgement of an item leaves a loss of its cluster without one."""
    cluster = item.cluster if isinstance(item, GroupChange) else item.pair
    if not item.cluster_goes:
        return False
    of_group = used.of not in {both.key for both in (cluster.base, cluster.head) if both is not None}
    protected = cluster.base is not None and cluster.base.deletion_protection
    return (of_group and protected) or (used.change == "replace" and item.cluster_goes == "delete")


def _of_base(item: GroupChange | ClusterChange, of: str) -> str:
    """The name of an item or its cluster in the plan before the change."""
    pairs = (item.pair, item.cluster) if isinstance(item, GroupChange) else (item.pair,)
    return next((pair.base.key for pair in pairs if pair.base is not None and pair.item.key == of), of)


def _capital(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}"


def _is_protection(item: GroupChange | ClusterChange, change: ResourceChange) -> bool:
    """Whether a resource is protected, as opposed to an update that fails for another reason."""
    if change.refused_by == "engine":
        return True
    if isinstance(item, GroupChange) or change.type != CLUSTER or change.operation not in ("delete", "replace"):
        return False
    return item.pair.base is not None and item.pair.base.deletion_protection


def _is_lifted(item: GroupChange | ClusterChange) -> bool:
    """Whether an item would be protected without acknowledgements."""
    if isinstance(item, GroupChange):
        groups = (item.pair.base, item.pair.head)
        return any(group is not None and protected_as_written(group) and not group.protect for group in groups)
    clusters = (item.pair.base, item.pair.head)
    return any(
        cluster is not None
        and not cluster.existing
        and cluster.plan.deletion_protection
        and not cluster.deletion_protection
        for cluster in clusters
    )


def _plain(text: str) -> str:
    """Our own text with names of the plan, without backticks."""
    return printable(without_backquotes(text), 300)


def describe_protection(item: GroupChange, sentences: Sentences) -> None:
    """The effect of a change on the protection of a group, if the change does not fail."""
    base, head = item.pair.base, item.pair.head
    if base is None or any(change.refused for change in item.changes):
        return
    gone = bool(item.pool_changes.gone)
    deleted = "delete" in item.loses
    if deleted and not base.protect and item.context.acknowledgements.only_replacement(item.key):
        sentences.add(
            "only a replacement is acknowledged, but this also lifts the protection against a deletion, so the "
            "deletion is not prevented"
        )
        return
    if head is None:
        return
    if item.effect == "restart" and base.protect:
        sentences.add("its protection does not prevent the restart")
    if bool(base.protect) == bool(head.protect):
        return
    if head.protect:
        sentences.add("the group is protected from now on")
        return
    lifting = item.context.acknowledgements.lifting(item.key)
    if lifting is not None:
        sentences.add("" if gone else f"the acknowledgement lifts the protection of the group until {lifting.until}")
    elif gone:
        sentences.add("the same update removes the protection, so the protection prevents nothing")
    else:
        sentences.add("the group is no longer protected")


def _protected_by(item: GroupChange | ClusterChange, deletes: bool) -> str:
    """The protection that applies: for a deletion that of the old plan, for a replacement that of the new plan."""
    if isinstance(item, ClusterChange):
        enabled = "deletion protection of the cluster is enabled"
        base = item.pair.base
        # on Autopilot, the cluster is the first that would be deleted
        if item.context.refused_whole or (base is not None and base.mode == "autopilot"):
            return enabled
        return f"{enabled}, and the update fails only after Pulumi has deleted the node pools of the cluster"
    before, head = item.pair.base, item.pair.head
    group = (before or head) if deletes else (head or before)
    by_capacity = group is not None and group.plan.protect is None and group.plan.capacity.mode == "reservation"
    return f"the group is protected{' (reserved capacity)' if by_capacity else ''}"
