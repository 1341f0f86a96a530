"""One item of a plan whose change can require an acknowledgement: before, after, and its resources."""

import datetime
from collections.abc import Iterable, Sequence
from typing import Literal

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.fleet import Range
from pulumi_gke_tpu.core.fleet.pairs import ClusterPair, GroupPair
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.graph.types import CLUSTER, NODE_POOL, RESOURCE_POLICY
from pulumi_gke_tpu.features.diff.consent.acknowledgements import Acknowledgements, Need
from pulumi_gke_tpu.features.diff.consent.fixes import Lists, Renames
from pulumi_gke_tpu.features.diff.effects.pools import PoolChanges
from pulumi_gke_tpu.features.diff.effects.uses import Uses
from pulumi_gke_tpu.features.diff.model import ChangeClass, Overlap, ResourceChange, WrittenChange


@frozen
class ChangeContext:
    """The context of all items of a plan."""

    catalog: Catalog
    uses: Uses
    acknowledgements: Acknowledgements
    lists: Lists
    renames: Renames
    today: datetime.date | None
    command: Literal["pulumi up", "pulumi destroy"] = "pulumi up"
    """What carries the change out: ``pulumi destroy`` if the change deletes the plan file of a stack."""


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
    """A slice group and its change. ``cluster_written`` are the changed keys of its cluster."""

    context: ChangeContext
    cluster: ClusterPair
    pair: GroupPair
    changes: tuple[ResourceChange, ...]
    pool_changes: PoolChanges
    effect: ChangeClass
    written: tuple[WrittenChange, ...]
    cluster_written: tuple[WrittenChange, ...]
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
