"""The node pools and clusters in plans of Terraform as the items of a report."""

import dataclasses
import json
from collections.abc import Callable, Iterator, Mapping
from typing import Literal

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.estimate.cost import GroupCost
from pulumi_gke_tpu.core.fleet import Range, SliceGroup
from pulumi_gke_tpu.core.fleet.pairs import ClusterPair, GroupPair
from pulumi_gke_tpu.core.graph.property_values import ABSENT, plain
from pulumi_gke_tpu.core.graph.resource_types import CLUSTER, NODE_POOL
from pulumi_gke_tpu.core.plan.base import Unknown
from pulumi_gke_tpu.core.text.findings import printable
from pulumi_gke_tpu.features.diff.consent import (
    Acknowledgements,
    ChangeContext,
    ClusterChange,
    GroupChange,
    Lists,
    Renames,
)
from pulumi_gke_tpu.features.diff.effects.classes import class_of, facts_of, group_size
from pulumi_gke_tpu.features.diff.effects.pools import Uses, hosts_of, pool_changes
from pulumi_gke_tpu.features.diff.model import (
    CLASSES,
    ChangeClass,
    GroupSize,
    ItemChange,
    ResourceChange,
    Sentences,
    SourcedReason,
    WrittenChange,
)
from pulumi_gke_tpu.features.diff.terraform.actions import PlannedResource, Planner
from pulumi_gke_tpu.features.diff.terraform.estate import ClusterMember, Estate, PoolMember
from pulumi_gke_tpu.features.diff.terraform.groups import known
from pulumi_gke_tpu.features.diff.terraform.sentences import (
    describe_cluster,
    describe_other_pool,
    describe_pool,
    describe_state,
    describe_unsized,
)

Costs = Mapping[tuple[str, str], GroupCost]
"""File and address -> the cost of a node pool."""

_Member = PoolMember | ClusterMember

_LONGEST_VALUE = 120
_DEFAULT_POOL = "default-pool"
_REMOVES_DEFAULT = "removeDefaultNodePool"


class Items:
    """Makes the items of one estate."""

    def __init__(self, estate: Estate, catalog: Catalog, uses: Uses, costs: tuple[Costs, Costs]) -> None:
        acknowledgements = Acknowledgements("", None, None, (), today=None, ack_from="head")
        self._context = ChangeContext(
            catalog,
            uses,
            acknowledgements,
            Lists(None, None),
            Renames(()),
            None,
            command="terraform apply",
            noun="the node pool",
        )
        self._estate = estate
        self._costs = costs

    def all(self) -> Iterator[ItemChange]:
        """Every item with a change."""
        for cluster in self._estate.clusters:
            yield from self._cluster(cluster)
        for pool in self._estate.pools:
            yield from self._pool(pool)

    def _pool(self, member: PoolMember) -> Iterator[ItemChange]:
        planned = member.planned
        if not member.has_tpus:
            yield self._other_pool(member)
        elif member.follows:
            yield self._changed_pool(member, (), "replace" if member.cluster.remains else "delete")
        elif member.changes:
            yield self._changed_pool(member, member.changes, "")
        elif planned.happens:
            item = self._kept(member, planned, member.head or member.base)
            yield dataclasses.replace(item, size=self._size(member))

    def _other_pool(self, member: PoolMember) -> ItemChange:
        """A node pool without TPUs."""
        sentences = Sentences(self._context.catalog)
        if not member.changes and not member.follows:
            describe_state(member.planned, None, sentences)
            return dataclasses.replace(self._item(member, "metadata", (), sentences), in_state=member.planned.fate)
        effect: ChangeClass = "delete" if member.follows else class_of(member.changes, NODE_POOL)
        describe_other_pool(member, effect, sentences)
        return self._item(member, effect, () if member.follows else member.changes, sentences)

    def _cluster(self, member: ClusterMember) -> Iterator[ItemChange]:
        planned = member.planned
        if planned is not None and planned.change is not None:
            yield self._changed_cluster(member, planned, planned.change)
        elif planned is not None and planned.happens:
            yield self._kept(member, planned, None)

    def _changed_pool(
        self, member: PoolMember, changes: tuple[ResourceChange, ...], follows: Literal["", "delete", "replace"]
    ) -> ItemChange:
        sentences = Sentences(self._context.catalog)
        effect: ChangeClass = "delete" if follows else class_of(changes, NODE_POOL)
        pair = _group_pair(member)
        if pair is None:
            describe_unsized(effect, sentences)
            return self._item(member, effect, changes, sentences)
        pools = pool_changes(pair, changes)
        cluster = member.cluster
        before = cluster.side(cluster.before, [pair.base])
        after = cluster.side(cluster.after, [pair.head]) if cluster.remains else None
        item = GroupChange(
            context=self._context,
            cluster=ClusterPair(before, after, (pair,)),
            pair=pair,
            changes=changes,
            pool_changes=pools,
            effect=effect,
            written=(),
            decisive=(),
            decisive_in_cluster=(),
            cluster_goes="",
            follows=follows,
        )
        describe_pool(item, member.planned, sentences)
        return dataclasses.replace(
            self._item(member, effect, changes, sentences),
            hosts_gone=item.hosts_gone,
            hosts_new=pools.hosts_new,
            hosts_restarted=hosts_of(pools.restarted),
            size=self._size(member),
        )

    def _changed_cluster(self, member: ClusterMember, planned: PlannedResource, change: ResourceChange) -> ItemChange:
        changes = (change, *_default_pool(planned, change))
        sentences = Sentences(self._context.catalog)
        before = member.side(member.before, [pool.base for pool in member.pools]) if member.before else None
        after = member.side(member.after, ()) if member.remains else None
        effect = class_of(changes, CLUSTER)
        item = ClusterChange(self._context, ClusterPair(before, after, ()), changes, effect, (), "")
        describe_cluster(item, planned, sentences)
        return self._item(member, effect, changes, sentences)

    def _kept(
        self, member: PoolMember | ClusterMember, planned: PlannedResource, group: SliceGroup | None
    ) -> ItemChange:
        """A resource that only the state of Terraform treats in another way."""
        sentences = Sentences(self._context.catalog)
        describe_state(planned, group, sentences)
        return dataclasses.replace(self._item(member, "metadata", (), sentences), in_state=planned.fate)

    def _item(
        self,
        member: _Member,
        effect: ChangeClass,
        changes: tuple[ResourceChange, ...],
        sentences: Sentences,
    ) -> ItemChange:
        planned = member.planned
        assert planned is not None
        words = planned.raw.spelling.words
        refused = next((change for change in changes if change.refused), None)
        reasons = dict.fromkeys((*facts_of(filter(_has_cause, changes)), *sentences.facts))
        return ItemChange(
            plan=member.file,
            item=planned.address,
            former_item=planned.former_address,
            kind=_kind(member),
            path=planned.address,
            change=effect,
            written=_written(self._estate.planner, planned) if changes else (),
            consequence=sentences.text,
            facts=tuple(_spelled(fact, words) for fact in reasons),
            refused=_refused_text(refused) if refused is not None else "",
            fixes=(),
            acknowledged=None,
            hosts_gone=Range.ZERO,
            hosts_new=Range.ZERO,
            resources=tuple(_spelled_change(change, self._estate.planner, planned) for change in changes),
            gone=effect == "delete" and (not changes or changes[0].operation == "delete"),
        )

    def _size(self, member: PoolMember) -> GroupSize:
        key = (member.file, member.planned.address)
        was, will = self._costs
        return group_size(was.get(key), will.get(key))


def _kind(member: _Member) -> Literal["cluster", "slices", "nodes"]:
    if isinstance(member, ClusterMember):
        return "cluster"
    return "slices" if member.has_tpus else "nodes"


def _has_cause(change: ResourceChange) -> bool:
    """Whether differences tell the reason. Terraform also replaces what it is asked to, whatever the differences."""
    return change.operation != "replace" or any(item.effect == "replace" for item in change.differences)


def _group_pair(member: PoolMember) -> GroupPair | None:
    """The pool before and after; a size that is not known is that of the other side. None if neither is known."""
    base, head, change = member.base, member.head, member.planned.change
    if change is not None and change.operation == "create":
        base = None
    elif member.follows or (change is not None and change.operation == "delete"):
        head = None
    else:
        base, head = base or head, head or base
    return GroupPair(base, head) if base is not None or head is not None else None


def _default_pool(planned: PlannedResource, change: ResourceChange) -> Iterator[ResourceChange]:
    """The default pool that an update deletes, if the cluster can have it."""
    if change.operation != "update":
        return
    removes = any(item.path == _REMOVES_DEFAULT and item.will is True for item in change.differences)
    before = planned.raw.before
    pools = known(lambda: before.get("nodePools") if before is not None else None, None)
    names = [pool.get("name") for pool in pools if isinstance(pool, dict)] if isinstance(pools, list) else None
    if removes and (names is None or _DEFAULT_POOL in names):
        yield dataclasses.replace(
            change, type=NODE_POOL, name=_DEFAULT_POOL, operation="delete", effect="delete", differences=()
        )


def _written(planner: Planner, planned: PlannedResource) -> tuple[WrittenChange, ...]:
    """The properties that differ, the most dangerous first, as Terraform spells them."""
    if planned.change is None:
        return ()
    spelled = planner.in_terraform(planned.change, planned.raw.spelling).differences
    in_order = sorted(spelled, key=lambda item: CLASSES.index(item.effect))
    return tuple(WrittenChange(printable(item.path, 200), _shown(item.was), _shown(item.will)) for item in in_order)


def _shown(value: object) -> str:
    if value is ABSENT:
        return ""
    if isinstance(value, Unknown):
        return "known after apply"
    text = value if isinstance(value, str) else json.dumps(plain(value), ensure_ascii=False, default=str)
    return printable(text, _LONGEST_VALUE) or '""'


def _spelled_change(change: ResourceChange, planner: Planner, planned: PlannedResource) -> ResourceChange:
    words = planned.raw.spelling.words
    spelled = planner.in_terraform(change, planned.raw.spelling)
    differences = tuple(
        dataclasses.replace(
            item, fact=_spelled(item.fact, words), follows=tuple(_spelled(fact, words) for fact in item.follows)
        )
        for item in spelled.differences
    )
    former = planned.former_address if change.urn == planned.address else change.urn
    return dataclasses.replace(spelled, former_urn=former, differences=differences)


def _spelled(fact: SourcedReason, words: Callable[[str], str]) -> SourcedReason:
    return dataclasses.replace(fact, text=words(fact.text))


def _refused_text(change: ResourceChange) -> str:
    fails = "will fail" if change.refusal_is_certain else "is expected to fail"
    return f"`terraform apply` {fails}: {printable(change.refused, 300)}."
