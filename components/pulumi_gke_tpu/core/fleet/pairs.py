"""Pairs the items of two fleets, before and after a change, by their keys and their former keys."""

from collections.abc import Iterable, Iterator
from typing import Literal, TypeVar

from pulumi_gke_tpu.core.fleet.model import Cluster, Fleet, SliceGroup
from pulumi_gke_tpu.core.frozen import frozen

_Item = TypeVar("_Item", Cluster, SliceGroup)


@frozen
class GroupPair:
    """A slice group before and after a change. At most one of both is None: the group did not exist."""

    base: SliceGroup | None
    head: SliceGroup | None

    @property
    def is_renamed(self) -> bool:
        """Whether the group itself has another key, not only its cluster."""
        return _own_key(self.base) != _own_key(self.head) and self.base is not None and self.head is not None

    @property
    def item(self) -> SliceGroup:
        """The group after the change, or before it if the change deletes it."""
        found = self.head or self.base
        assert found is not None
        return found


@frozen
class ClusterPair:
    """A cluster before and after a change, with its groups: those after the change, then the deleted ones."""

    base: Cluster | None
    head: Cluster | None
    groups: tuple[GroupPair, ...]

    @property
    def is_renamed(self) -> bool:
        """Whether the cluster has another key."""
        return self.base is not None and self.head is not None and self.base.key != self.head.key

    @property
    def item(self) -> Cluster:
        """The cluster after the change, or before it if the change deletes it."""
        found = self.head or self.base
        assert found is not None
        return found

    @property
    def handed_over(self) -> Literal["", "given", "taken"]:
        """Whether the plan starts (given) or stops (taken) to refer to its own cluster as an existing one."""
        base, head = self.base, self.head
        if base is None or head is None or base.existing == head.existing or _identity(base) != _identity(head):
            return ""
        return "given" if head.existing else "taken"


def _own_key(group: SliceGroup | None) -> str:
    return group.key.rpartition("/")[2] if group is not None else ""


def _identity(cluster: Cluster) -> tuple[str, ...]:
    return cluster.project, cluster.location, cluster.name


def pair_fleets(base: Fleet | None, head: Fleet | None) -> tuple[ClusterPair, ...]:
    """Every cluster and group of both fleets, once.

    As in the Pulumi engine, an item that keeps its key is the same item even if ``moved`` has an entry for the key;
    otherwise its newest former key counts. The order is that of the plan after the change; deleted items are last.
    """
    before = base.clusters if base else ()
    after = head.clusters if head else ()
    past_groups = _pasts((group for _, group in base.groups()) if base else (), _groups(after))
    past_clusters = _pasts(before, after)
    kept_groups = {past.key for past in past_groups.values()}
    kept_clusters = {past.key for past in past_clusters.values()}

    def gone(cluster: Cluster | None) -> Iterator[GroupPair]:
        for group in cluster.groups if cluster else ():
            if group.key not in kept_groups:
                yield GroupPair(group, None)

    def pairs() -> Iterator[ClusterPair]:
        for cluster in after:
            past = past_clusters.get(cluster.key)
            present = [GroupPair(past_groups.get(group.key), group) for group in cluster.groups]
            yield ClusterPair(past, cluster, (*present, *gone(past)))
        for cluster in before:
            if cluster.key not in kept_clusters:
                yield ClusterPair(cluster, None, tuple(gone(cluster)))

    return tuple(pairs())


def both_kinds(pairs: Iterable[ClusterPair]) -> Iterator[ClusterPair | GroupPair]:
    """Every cluster, each followed by its groups."""
    for pair in pairs:
        yield pair
        yield from pair.groups


def protected_as_written(group: SliceGroup) -> bool:
    """Whether the plan protects a group without acknowledgements: by ``protect``, or by reserved capacity."""
    written = group.plan.protect
    return group.plan.capacity.mode == "reservation" if written is None else written


def _groups(clusters: Iterable[Cluster]) -> Iterator[SliceGroup]:
    for cluster in clusters:
        yield from cluster.groups


def _pasts(before: Iterable[_Item], after: Iterable[_Item]) -> dict[str, _Item]:
    """The items before the change, by their keys after it."""
    old = {item.key: item for item in before}
    new = tuple(after)
    found = {item.key: old[item.key] for item in new if item.key in old}
    taken = set(found)
    for item in new:
        past = next((key for key in item.former_keys if key in old and key not in taken), None)
        if item.key not in found and past is not None:
            found[item.key] = old[past]
            taken.add(past)
    return found
