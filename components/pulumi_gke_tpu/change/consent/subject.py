"""What the sentences about one item are made from: the item before and after, and what happens to its resources."""

import datetime
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from pulumi_gke_tpu.catalog import Catalog
from pulumi_gke_tpu.catalog.records.facts import Note
from pulumi_gke_tpu.change.consent.acknowledgements import Acknowledgements, Need
from pulumi_gke_tpu.change.consent.fixes import Lists, Renames
from pulumi_gke_tpu.change.effects.pools import NODE_POOL, PoolFates
from pulumi_gke_tpu.change.effects.uses import Uses
from pulumi_gke_tpu.change.model import CLASSES, ChangeClass, Fact, Overlap, ResourceChange, WrittenChange
from pulumi_gke_tpu.change.phrases import listed, named
from pulumi_gke_tpu.fleet import Range
from pulumi_gke_tpu.fleet.pairs import ClusterPair, GroupPair
from pulumi_gke_tpu.rules.engine.run import source_text

CLUSTER = "gcp:container/cluster:Cluster"
POLICY = "gcp:compute/resourcePolicy:ResourcePolicy"


@dataclass(frozen=True)
class Around:
    """What is the same for all items of a plan."""

    catalog: Catalog
    uses: Uses
    acknowledgements: Acknowledgements
    lists: Lists
    renames: Renames
    today: datetime.date | None


@dataclass
class Saying:
    """Sentences about an item, and the facts of the catalog that they rest on, as they are collected."""

    catalog: Catalog
    sentences: list[str] = field(default_factory=list)
    facts: list[Fact] = field(default_factory=list)

    def say(self, text: str, note: str = "", notes: Iterable[Note] = ()) -> None:
        """Add a sentence, without its full stop; ``note`` is the id of the catalog's note that tells why."""
        if text:
            self.sentences.append(f"{text[0].upper()}{text[1:]}.")
        self.facts += [note_fact(found, self.catalog) for found in notes if found.id == note]

    def say_follows(self, changes: Iterable[ResourceChange]) -> None:
        """Add what comes of updates beyond their class, each once."""
        updated = (item for change in changes if change.operation == "update" for item in change.differences)
        for fact in dict.fromkeys(fact for item in updated for fact in item.follows):
            self.sentences.append(fact.text)
            self.facts.append(fact)

    @property
    def text(self) -> str:
        """All sentences."""
        return " ".join(self.sentences)


@dataclass(frozen=True)
class GroupChange:
    """A slice group, and what happens to it. ``cluster_written`` are the keys that its cluster says differently."""

    around: Around
    cluster: ClusterPair
    pair: GroupPair
    changes: tuple[ResourceChange, ...]
    fates: PoolFates
    effect: ChangeClass
    written: tuple[WrittenChange, ...]
    cluster_written: tuple[WrittenChange, ...]
    cluster_goes: bool
    """Whether the cluster is deleted or replaced, so that an acknowledgement for the group alone would not do."""
    follows: Literal["", "delete", "replace"] = ""
    """What happens to slices without node pools since their cluster is deleted or replaced."""
    overlap: Overlap | None = None
    """What is needed of the group's reservation for a while."""

    @property
    def hosts_gone(self) -> Range:
        """Hosts that go. How many nodes Autopilot has made is unknown: at most what the plan allows."""
        gone = self.fates.hosts_gone
        return gone.plus(Range(0, self.pair.base.hosts.maximum)) if self.follows and self.pair.base else gone

    @property
    def key(self) -> str:
        """cluster/group."""
        return self.pair.item.key

    @property
    def renames(self) -> tuple[str, ...]:
        """What it may be under another name."""
        return renames_of(self.around, self.pair)

    @property
    def loses(self) -> frozenset[Need]:
        """What has to be acknowledged where the group is protected, or goes with its cluster."""
        return needs_of(self.changes, (NODE_POOL, POLICY)) | (
            frozenset({self.follows}) if self.follows else frozenset()
        )

    @property
    def needs(self) -> frozenset[Need]:
        """What somebody may allow. Hosts that a pool gives up are deleted, although the pool stays."""
        if self.loses:
            return self.loses
        if self.fates.hosts_less.maximum:
            return frozenset({"delete"})
        return frozenset({"restart"} if self.effect == "restart" else ())


@dataclass(frozen=True)
class ClusterChange:
    """A cluster, and what happens to what belongs to it beside its slice groups."""

    around: Around
    pair: ClusterPair
    changes: tuple[ResourceChange, ...]
    effect: ChangeClass
    written: tuple[WrittenChange, ...]

    @property
    def key(self) -> str:
        """The cluster's key."""
        return self.pair.item.key

    @property
    def renames(self) -> tuple[str, ...]:
        """What it may be under another name."""
        return renames_of(self.around, self.pair)

    @property
    def loses(self) -> frozenset[Need]:
        """What has to be acknowledged where the cluster is protected."""
        return needs_of(self.changes, (CLUSTER,))

    @property
    def needs(self) -> frozenset[Need]:
        """What somebody may allow: what happens to the cluster, else to what belongs to it."""
        kinds: dict[ChangeClass, Need] = {"delete": "delete", "replace": "replace", "restart": "restart"}
        return self.loses or frozenset({kinds[self.effect]} if self.effect in kinds else ())


def renames_of(around: Around, pair: ClusterPair | GroupPair) -> tuple[str, ...]:
    """The items on the other side that an item may be; none where it is on both."""
    if pair.base is not None and pair.head is not None:
        return ()
    return around.renames.names(pair.item.key)


def say_rename(item: "GroupChange | ClusterChange", said: Saying) -> None:
    """What an item may be under another name, and what to do then. What is gone may also be meant to go."""
    if not item.renames:
        return
    names = listed([named(name) for name in item.renames], 4).replace(" and ", " or ")
    looks = "this looks like" if len(item.renames) == 1 else "this may be"
    gone = item.pair.head is None
    said.say(f"{looks} a rename {'to' if gone else 'of'} {names}: an entry of `moved` keeps what exists")
    if gone and any(change.refused for change in item.changes):
        said.say("if the deletion is meant, acknowledge it first, in an earlier change on the base branch")


def needs_of(changes: Iterable[ResourceChange], types: Sequence[str]) -> frozenset[Need]:
    """Whether resources of these types are replaced or deleted."""
    kinds: dict[str, Need] = {"replace": "replace", "delete": "delete"}
    return frozenset(
        kinds[change.operation] for change in changes if change.type in types and change.operation in kinds
    )


def worst(changes: Iterable[ResourceChange], otherwise: ChangeClass) -> ChangeClass:
    """The most dangerous of what happens to resources."""
    return min((change.effect for change in changes), key=CLASSES.index, default=otherwise)


def note_fact(note: Note, catalog: Catalog) -> Fact:
    """A note of the catalog as a reason."""
    return Fact(note.text, source_text(note, catalog), note.confidence)


def facts_of(changes: Iterable[ResourceChange]) -> list[Fact]:
    """Why resources come to what they do, the most dangerous first, each reason once.

    Of a resource that is replaced, what its other differences would come to by themselves is beside the point.
    """
    reasons: dict[Fact, int] = {}
    for change in changes:
        decisive = [item for item in change.differences if item.effect == change.effect] or change.differences
        for item in decisive:
            place = CLASSES.index(item.effect)
            reasons[item.fact] = min(place, reasons.get(item.fact, place))
    return sorted(reasons, key=lambda fact: reasons[fact])
