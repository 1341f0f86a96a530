"""What a change does to node pools: hosts and chips, reservations and quotas meanwhile, and their interfaces."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.estimate.holdings import Holding, quota_holdings, reservation_holdings, total_of
from pulumi_gke_tpu.core.estimate.reservations import OwnedReservations
from pulumi_gke_tpu.core.fleet import InterfaceNetwork, NodePool, Range, SliceGroup
from pulumi_gke_tpu.core.fleet.checked import PlanInFleet
from pulumi_gke_tpu.core.fleet.pairs import ClusterPair, GroupPair
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.graph.phrases import urn_name
from pulumi_gke_tpu.core.graph.registered import PlanPreview
from pulumi_gke_tpu.core.graph.resource_types import NODE_POOL
from pulumi_gke_tpu.core.plan import Document
from pulumi_gke_tpu.core.plan.inventory import Inventory
from pulumi_gke_tpu.core.text.findings import listed, quoted
from pulumi_gke_tpu.core.text.formats.names import address_range
from pulumi_gke_tpu.features.diff.model import ApplyOrder, Overlap, PlanUse, ResourceChange, UseChange

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


UseKey = tuple[str, str, str, str]
"""Kind, project, place, name. The name of a block contains that of its reservation."""


class Uses:
    """Reservations and quotas by their users, and the use by a slice group. Without auto-provisioned chips."""

    def __init__(
        self,
        base: Sequence[PlanPreview],
        head: Sequence[PlanPreview],
        catalog: Catalog,
        inventory: Inventory | None,
    ) -> None:
        self._catalog = catalog
        self._inventory = inventory
        self._owned = OwnedReservations(tuple(inventory.reservations if inventory else ()))
        self._key_of: dict[int, UseKey] = {}
        self._sides = was, will = dict(self._holdings(base)), dict(self._holdings(head))
        self.by_key: dict[UseKey, UseChange] = {}
        for key in sorted(was.keys() | will.keys(), key=lambda key: (key[0] != "reservation", key)):
            kind, project, place, name = key
            self.by_key[key] = UseChange(
                kind="reservation" if kind == "reservation" else "quota",
                name=name,
                place=place,
                was=_use(was.get(key)),
                will=_use(will.get(key)),
                limit=_limit(was.get(key), will.get(key)),
                project=project,
                in_chips=kind == "reservation" and any(_counts_chips(side.get(key)) for side in (was, will)),
            )

    def of_group(self, group: SliceGroup) -> tuple[UseChange, Range] | None:
        """The use by a group: VMs or chips of a reservation or chips of a quota; None if unknown."""
        key = self._key_of.get(id(group))
        if key is None:
            return None
        use = self.by_key[key]
        return use, group.chips if use.unit == "chip" else group.hosts

    def by_plan(self, key: UseKey) -> tuple[dict[str, int], dict[str, int]]:
        """What each plan uses at most, before and after."""
        was, will = (_by_plan(side.get(key)) for side in self._sides)
        return was, will

    def reservation_of(self, group: SliceGroup | None) -> UseKey | None:
        """The reservation of a group, as a key of ``by_key``; None if there is none."""
        if group is None or group.plan.capacity.reservation is None:
            return None
        return self._key_of[id(group)]

    def _holdings(self, previews: Sequence[PlanPreview]) -> Iterator[tuple[UseKey, Holding]]:
        """What the plans use, by key; also a reservation whose machines the slices cannot use."""
        plans = [PlanInFleet(Document(item.plan, name=item.name), item.plan, item.fleet) for item in previews]
        for quota in quota_holdings(plans, self._inventory, self._catalog):
            groups = [part.group for part in quota.chips.parts if part.group is not None]
            key = ("quota", quota.project, quota.location, quota.metric.label)
            for group in groups:
                if quota.entry is not None or id(group) not in self._key_of:
                    self._key_of[id(group)] = key
            if groups:
                yield key, quota.chips
        uses = self._owned.uses(plans)
        named = {(use.project, use.place, use.name) for use in uses}
        for use in uses:
            self._key_of[id(use.group)] = ("reservation", use.project, use.place, use.name)
        for item in reservation_holdings(uses, self._owned):
            if item.vms.parts or (item.block is None and (item.project, item.zone, item.name) in named):
                name = "/".join(part for part in (item.name, item.block, item.sub_block) if part is not None)
                yield ("reservation", item.project, item.zone, name), item.counted


def _use(holding: Holding | None) -> Range:
    return total_of(part for part in holding.parts if part.group is not None) if holding is not None else Range.ZERO


def _counts_chips(holding: Holding | None) -> bool:
    return holding is not None and holding.unit == "chip"


def _by_plan(holding: Holding | None) -> dict[str, int]:
    found: dict[str, int] = {}
    for part in holding.parts if holding is not None else ():
        if part.group is not None:
            found[part.member.name] = found.get(part.member.name, 0) + part.amount.maximum
    return found


def _limit(*sides: Holding | None) -> int | None:
    """What others leave of a limit; None if it is unknown."""
    available = next((side.available for side in sides if side is not None), None)
    return None if available is None else max(available, 0)


@frozen
class ChangedGroup:
    """A group of a plan, and the changes of its node pools."""

    cluster: ClusterPair
    group: GroupPair
    pool_changes: PoolChanges


@dataclass
class _Held:
    """What old node pools hold of a reservation while new ones are created."""

    until_the_end: Range = Range.ZERO
    """Of deleted node pools, and of replaced ones whose replacements are created first."""
    meanwhile: dict[str, int] = field(default_factory=dict)
    """By group: what replaced node pools hold until they are deleted, beyond the need of their replacements."""


def overlaps(groups: Iterable[ChangedGroup], uses: Uses) -> Mapping[str, Overlap]:
    """Groups of one plan that need capacity of a reservation while old node pools still use some."""
    held: dict[UseKey, _Held] = {}
    asking: dict[str, tuple[UseKey, PoolChanges]] = {}
    for item in groups:
        was, will, changes = item.group.base, item.group.head, item.pool_changes
        key = uses.reservation_of(was)
        if was is not None and key is not None:
            chips, into = uses.by_key[key].in_chips, held.setdefault(key, _Held())
            each = was.shape.chips_per_host if chips else 1
            leaving = (*changes.deleted, *(changes.replaced if changes.created_first else ()))
            into.until_the_end = into.until_the_end.plus(hosts_of(leaving).times(each))
            if will is not None and not changes.created_first:
                stays = uses.reservation_of(will) == key
                again = (will.shape.chips_per_host if chips else 1) if stays else 0
                spare = (
                    pools.base.hosts.maximum * each - pools.head.hosts.maximum * again for pools in changes.replacing
                )
                into.meanwhile[will.key] = sum(max(amount, 0) for amount in spare)
        key = uses.reservation_of(will)
        if key is not None and will is not None and hosts_of(changes.new).maximum:
            asking[will.key] = (key, changes)
    found = {group: _overlap(group, key, changes, held.get(key), uses) for group, (key, changes) in asking.items()}
    return {group: overlap for group, overlap in found.items() if overlap is not None}


def _overlap(group: str, key: UseKey, changes: PoolChanges, held: _Held | None, uses: Uses) -> Overlap | None:
    if held is None:
        return None
    # A node pool that replaces another one waits for its deletion; a group with only such ones needs no spare of them.
    own = held.meanwhile.get(group, 0) if changes.created else 0
    others = {name: spare for name, spare in held.meanwhile.items() if spare and name != group}
    meanwhile = own + sum(others.values())
    if not held.until_the_end.maximum and not meanwhile:
        return None
    use, end = uses.by_key[key], held.until_the_end
    return Overlap(
        use.name,
        use.place,
        use.will.plus(Range(end.minimum, end.maximum + meanwhile)),
        use.limit,
        in_chips=use.in_chips,
        kept_slices=len(changes.replaced) if own else 0,
        after=tuple(sorted(others)),
    )


def two_changes(overlap: Overlap, group: SliceGroup) -> str:
    """Two changes instead of one, in the order in which the reservation suffices: ``first ..., then ...``."""
    first = []
    if overlap.kept_slices:
        key = "max" if group.autoscaled else "count"
        kept = group.plan.indices is None
        first.append(f"`{key}: {overlap.kept_slices}`" if kept else f"only the {overlap.kept_slices} replaced slices")
    if overlap.after:
        first.append(f"the change of {listed([quoted(name) for name in overlap.after])}")
    return f"first {listed(first)}, then the rest" if first else "first delete the old slices, then add the new ones"


@frozen
class UsedNetwork:
    """A network whose subnetwork the change replaces, and the groups whose node pools refer to it before."""

    key: str
    head: InterfaceNetwork
    """The network after the change."""
    groups: tuple[GroupPair, ...]


def used_networks(pair: ClusterPair) -> Iterator[UsedNetwork]:
    """The replaced subnetworks of a cluster, as far as node pools refer to them before the change.

    It does not matter whether the change also replaces or deletes these node pools: Pulumi asks about them first. A
    network that the change deletes cannot fail so, because its node pools are replaced without the interface before.
    """
    if pair.base is None or pair.head is None or pair.head.mode != "standard" or pair.head.existing:
        return
    after = {network.path[-1]: network for network in pair.head.additional_networks}
    for network in pair.base.additional_networks:
        key = str(network.path[-1])
        kept = after.get(key)
        users = tuple(group for group in pair.groups if _refers(group, key))
        if kept is not None and users and not _contains(kept, network):
            yield UsedNetwork(key, kept, users)


def _refers(group: GroupPair, key: str) -> bool:
    """Whether node pools of a group have an interface in a network of the cluster before the change."""
    base = group.base
    return base is not None and bool(base.pools) and key in {item.name for item in base.plan.additional_networks}


def _contains(kept: InterfaceNetwork, before: InterfaceNetwork) -> bool:
    """Whether the subnetwork keeps its addresses, so that the provider enlarges it in place."""
    mine, theirs = address_range(kept.plan.subnet), address_range(before.plan.subnet)
    return mine is None or theirs is None or theirs.subnet_of(mine)


def apply_orders(uses: Uses) -> tuple[ApplyOrder, ...]:
    """For each reservation and quota that suffices after the change, but not if the plans that take more go first."""
    return tuple(_orders(uses))


def _orders(uses: Uses) -> Iterator[ApplyOrder]:
    for key, use in uses.by_key.items():
        was, will = uses.by_plan(key)
        change = {plan: will.get(plan, 0) - was.get(plan, 0) for plan in sorted(was.keys() | will.keys())}
        frees = tuple(PlanUse(plan, -more) for plan, more in change.items() if more < 0)
        takes = tuple(PlanUse(plan, more) for plan, more in change.items() if more > 0)
        at_worst = use.was.maximum + sum(plan.amount for plan in takes)
        if use.limit is not None and frees and use.will.maximum <= use.limit < at_worst:
            yield ApplyOrder(use.kind, use.name, use.place, use.limit, frees, takes, in_chips=use.in_chips)


def contradict(orders: Sequence[ApplyOrder]) -> bool:
    """Whether no order of the plans suits every limit, so that a plan has to change in two steps."""
    before: dict[str, set[str]] = {}
    for order in orders:
        for use in order.takes:
            before.setdefault(use.plan, set()).update(other.plan for other in order.frees)
    while free := [plan for plan, others in before.items() if not others & before.keys()]:
        for plan in free:
            del before[plan]
    return bool(before)
