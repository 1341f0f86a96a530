"""One item of a plan whose change may need consent: before, after, and what happens to its resources."""

import datetime
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from pulumi_gke_tpu.catalog import Catalog
from pulumi_gke_tpu.change.consent.acknowledgements import Acknowledgements, Need
from pulumi_gke_tpu.change.consent.fixes import Lists, Renames
from pulumi_gke_tpu.change.effects.pools import PoolFates
from pulumi_gke_tpu.change.effects.uses import Uses
from pulumi_gke_tpu.change.model import ChangeClass, Overlap, ResourceChange, WrittenChange
from pulumi_gke_tpu.fleet import Range
from pulumi_gke_tpu.fleet.pairs import ClusterPair, GroupPair
from pulumi_gke_tpu.graph.types import CLUSTER, NODE_POOL, RESOURCE_POLICY


@dataclass(frozen=True)
class ChangeContext:
    """What is the same for all items of a plan."""

    catalog: Catalog
    uses: Uses
    acknowledgements: Acknowledgements
    lists: Lists
    renames: Renames
    today: datetime.date | None


@dataclass(frozen=True)
class GroupChange:
    """A slice group, and what happens to it. ``cluster_written`` are the keys that its cluster says differently."""

    context: ChangeContext
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
        return renames_of(self.context, self.pair)

    @property
    def loses(self) -> frozenset[Need]:
        """What has to be acknowledged where the group is protected, or goes with its cluster."""
        return needs_of(self.changes, (NODE_POOL, RESOURCE_POLICY)) | (
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

    context: ChangeContext
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
        return renames_of(self.context, self.pair)

    @property
    def loses(self) -> frozenset[Need]:
        """What has to be acknowledged where the cluster is protected."""
        return needs_of(self.changes, (CLUSTER,))

    @property
    def needs(self) -> frozenset[Need]:
        """What somebody may allow: what happens to the cluster, else to what belongs to it."""
        kinds: dict[ChangeClass, Need] = {"delete": "delete", "replace": "replace", "restart": "restart"}
        return self.loses or frozenset({kinds[self.effect]} if self.effect in kinds else ())


def renames_of(context: ChangeContext, pair: ClusterPair | GroupPair) -> tuple[str, ...]:
    """The items on the other side that an item may be; none where it is on both."""
    if pair.base is not None and pair.head is not None:
        return ()
    return context.renames.names(pair.item.key)


def needs_of(changes: Iterable[ResourceChange], types: Sequence[str]) -> frozenset[Need]:
    """Whether resources of these types are replaced or deleted."""
    kinds: dict[str, Need] = {"replace": "replace", "delete": "delete"}
    return frozenset(
        kinds[change.operation] for change in changes if change.type in types and change.operation in kinds
    )
