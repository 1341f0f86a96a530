"""The changes of the node pools of a slice group, in hosts and chips."""

from collections.abc import Iterable, Mapping, Sequence

from pulumi_gke_tpu.core.fleet import NodePool, Range
from pulumi_gke_tpu.core.fleet.pairs import GroupPair
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.graph.phrases import urn_name
from pulumi_gke_tpu.core.graph.types import NODE_POOL
from pulumi_gke_tpu.features.diff.model import ResourceChange

_NODE_COUNT = "nodeCount"
_TAINTS = "nodeConfig.taints"


@frozen
class BeforeAndAfter:
    """A node pool that is replaced, or that stays with a different number of hosts."""

    base: NodePool
    head: NodePool


@frozen
class PoolChanges:
    """The node pools of a group by their change. Each is in one list; resized ones can be in two."""

    deleted: tuple[NodePool, ...]
    replacing: tuple[BeforeAndAfter, ...]
    created: tuple[NodePool, ...]
    restarted: tuple[NodePool, ...]
    refused: tuple[NodePool, ...]
    """The provider or GKE rejects their update."""
    resized: tuple[BeforeAndAfter, ...]
    kept: tuple[NodePool, ...]
    """Not deleted, not replaced, not new."""
    created_first: bool
    """Whether replacements are created before the old node pools are deleted."""

    @property
    def replaced(self) -> tuple[NodePool, ...]:
        """The replaced node pools before the change."""
        return tuple(item.base for item in self.replacing)

    @property
    def replacements(self) -> tuple[NodePool, ...]:
        """The replaced node pools after the change."""
        return tuple(item.head for item in self.replacing)

    @property
    def gone(self) -> tuple[NodePool, ...]:
        """Node pools of which all hosts are deleted."""
        return (*self.deleted, *self.replaced)

    @property
    def new(self) -> tuple[NodePool, ...]:
        """Node pools of which all hosts are created."""
        return (*self.replacements, *self.created)

    @property
    def hosts_gone(self) -> Range:
        """Hosts that are deleted, or can be deleted if a node pool is autoscaled."""
        return total([hosts_of(self.gone), self.hosts_less])

    @property
    def hosts_less(self) -> Range:
        """The decrease of hosts in kept node pools."""
        return total(self.less(item) for item in self.resized)

    @property
    def hosts_new(self) -> Range:
        """Hosts that are created, or can be created."""
        return total([hosts_of(self.new), *(self._more(item) for item in self.resized)])

    @staticmethod
    def less(item: BeforeAndAfter) -> Range:
        """The number of deleted hosts, unknown for autoscaled node pools; the autoscaler deletes only idle hosts."""
        less = max(0, item.base.hosts.maximum - item.head.hosts.maximum)
        if item.head.autoscaled:
            return Range.ZERO
        return Range(max(0, item.base.hosts.minimum - item.head.hosts.maximum), less)

    @staticmethod
    def _more(item: BeforeAndAfter) -> Range:
        most = max(0, item.head.hosts.maximum - item.base.hosts.maximum)
        return Range(0 if item.head.autoscaled else most, most)


def total(ranges: Iterable[Range]) -> Range:
    """The sum of ranges."""
    summed = Range.ZERO
    for part in ranges:
        summed = summed.plus(part)
    return summed


def hosts_of(pools: Iterable[NodePool]) -> Range:
    """The hosts of several node pools."""
    return total(pool.hosts for pool in pools)


def pool_changes(pair: GroupPair, changes: Sequence[ResourceChange]) -> PoolChanges:
    """The changes of the node pools of a group, from the changes of its resources."""
    base = {pool.key: pool for pool in (pair.base.pools if pair.base else ())}
    head = {pool.key: pool for pool in (pair.head.pools if pair.head else ())}
    by_kind: dict[str, list[NodePool]] = {kind: [] for kind in _KINDS}
    replacing: list[BeforeAndAfter] = []
    resized: list[BeforeAndAfter] = []
    touched: set[str] = set()
    created_first = False
    for change in changes:
        if change.type != NODE_POOL:
            continue
        was = base.get(urn_name(change.former_urn) if change.former_urn else change.name)
        will = head.get(change.name)
        if change.operation == "delete" and was:
            by_kind["deleted"].append(was)
        elif change.operation == "create" and will:
            by_kind["created"].append(will)
            touched.add(will.key)
        elif change.operation == "replace" and was and will:
            replacing.append(BeforeAndAfter(was, will))
            touched.add(will.key)
            created_first = created_first or not change.delete_first
        elif change.operation == "update" and was and will:
            stopped = "refused" if change.effect == "refused" else "restarted" if _restarts(change) else None
            if stopped:
                by_kind[stopped].append(will)
            if (was.hosts, was.autoscaled) != (will.hosts, will.autoscaled):
                resized.append(BeforeAndAfter(was, will))
    kept = tuple(pool for key, pool in head.items() if key not in touched)
    place = {key: number for number, key in enumerate((*head, *base))}  # the plan's order, not that of the URNs

    def ordered(kind: str) -> tuple[NodePool, ...]:
        return tuple(sorted(by_kind[kind], key=lambda pool: place[pool.key]))

    return PoolChanges(
        deleted=ordered("deleted"),
        replacing=_in_order(replacing, place),
        created=ordered("created"),
        restarted=ordered("restarted"),
        refused=ordered("refused"),
        resized=_in_order(resized, place),
        kept=kept,
        created_first=created_first,
    )


def _in_order(items: Iterable[BeforeAndAfter], place: Mapping[str, int]) -> tuple[BeforeAndAfter, ...]:
    return tuple(sorted(items, key=lambda item: place[item.head.key]))


def _restarts(change: ResourceChange) -> bool:
    """Whether the kept nodes are re-created; a decrease only deletes some nodes, and taints only evict Pods."""
    return any(item.effect == "restart" and not resizes_or_repels(item.path) for item in change.differences)


def resizes_or_repels(path: str) -> bool:
    """Whether a property of a pool removes nodes or drives Pods away, and leaves the other nodes as they are."""
    return path == _NODE_COUNT or path.startswith(_TAINTS)


_KINDS = ("deleted", "created", "restarted", "refused")
