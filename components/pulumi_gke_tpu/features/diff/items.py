"""Groups the changes of resources by the items of a plan: clusters with their resources, and slice groups.

In plans of Terraform, each cluster and node pool is an item of its own.
"""

import dataclasses
import datetime
import functools
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import Literal

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.estimate.cost import GroupCost
from pulumi_gke_tpu.core.fleet import Range
from pulumi_gke_tpu.core.fleet.names import find_renames
from pulumi_gke_tpu.core.fleet.pairs import ClusterPair, GroupPair, both_kinds, pair_fleets
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.graph.adopted import adopted_with_cluster, adopted_with_group
from pulumi_gke_tpu.core.graph.keys import CLUSTER_KEYS, GROUP_KEYS
from pulumi_gke_tpu.core.graph.registered import PlanPreview
from pulumi_gke_tpu.core.graph.resource_types import CLUSTER, NODE_POOL
from pulumi_gke_tpu.core.text.findings import format_path
from pulumi_gke_tpu.features.diff.consent import (
    AckFrom,
    Acknowledgements,
    ChangeContext,
    ClusterChange,
    ClusterLoss,
    Command,
    GroupChange,
    GroupNoun,
    Lists,
    Renames,
    failure_text,
    refusal,
)
from pulumi_gke_tpu.features.diff.effects.classes import class_of, facts_of, group_size
from pulumi_gke_tpu.features.diff.effects.pools import ChangedGroup, Uses, hosts_of, overlaps, pool_changes
from pulumi_gke_tpu.features.diff.model import (
    CLASSES,
    AcknowledgementUse,
    ChangeClass,
    GroupSize,
    ItemChange,
    PlanList,
    ResourceChange,
    Sentences,
    WrittenChange,
    has_own_stack,
)
from pulumi_gke_tpu.features.diff.narrative.consequence import describe_group
from pulumi_gke_tpu.features.diff.narrative.consequence_cluster import describe_cluster
from pulumi_gke_tpu.features.diff.narrative.notes import describe_account, describe_adoption
from pulumi_gke_tpu.features.diff.narrative.terraform import (
    describe_other_pool,
    describe_planned_cluster,
    describe_planned_group,
    describe_state,
    describe_unsized,
)
from pulumi_gke_tpu.features.diff.narrative.written import Causes, written_in_cluster, written_in_group
from pulumi_gke_tpu.features.diff.terraform.actions import PlannedResource
from pulumi_gke_tpu.features.diff.terraform.plans import DescribedSides


@frozen
class PlanItems:
    """The changes of the items of one plan."""

    items: tuple[ItemChange, ...]
    unchanged_items: int
    unchanged_resources: int
    acknowledgements: tuple[AcknowledgementUse, ...]
    lists: tuple[PlanList, ...]


def items_of(
    base: PlanPreview | None,
    head: PlanPreview | None,
    changes: Iterable[ResourceChange],
    catalog: Catalog,
    uses: Uses,
    *,
    today: datetime.date | None,
    ack_from: AckFrom,
) -> PlanItems:
    """The change of every item of one plan, in the order of the plan. At least one of the previews exists."""
    grouping = _Grouping(base, head, tuple(changes), catalog, uses, today=today, ack_from=ack_from)
    found = [item for pair in grouping.pairs for item in grouping.of_cluster(pair)]
    items = sum(1 + len(pair.groups) for pair in grouping.pairs)
    return PlanItems(
        items=tuple(found),
        unchanged_items=items - len(found),
        unchanged_resources=grouping.unchanged_resources(),
        acknowledgements=grouping.context.acknowledgements.all(),
        lists=grouping.lists.of_fixes(grouping.name, found),
    )


def by_danger(items: Iterable[ItemChange]) -> tuple[ItemChange, ...]:
    """The most dangerous first; in one class: failing items, then clusters, then the most deleted hosts."""
    return tuple(
        sorted(
            items,
            key=lambda item: (
                CLASSES.index(item.change),
                not item.refused,
                item.kind != "cluster",
                -item.hosts_gone.maximum,
            ),
        )
    )


class _Grouping:
    """One plan before and after."""

    command: Command | None = None
    noun: GroupNoun = "the group"

    def __init__(
        self,
        base: PlanPreview | None,
        head: PlanPreview | None,
        changes: tuple[ResourceChange, ...],
        catalog: Catalog,
        uses: Uses,
        *,
        today: datetime.date | None,
        ack_from: AckFrom,
    ) -> None:
        shown = head or base
        assert shown is not None
        self.name = shown.name
        self.base, self.head = base, head
        self.pairs = pair_fleets(base.fleet if base else None, head.fleet if head else None)
        plans = (base.plan if base else None, head.plan if head else None)
        acknowledgements = Acknowledgements(self.name, *plans, self.pairs, today=today, ack_from=ack_from)
        self.lists = Lists(*plans)
        moved = head.plan.moved if head else ()
        renames = Renames(() if shown.exists else find_renames(self.pairs, moved))  # no plan declares the former names
        removed = head is None and has_own_stack(self.name)
        command = self.command or ("pulumi destroy" if removed else "pulumi up")
        self._before, self._after = _custom(base), _custom(head)
        self._costs = (_costs(base), _costs(head))
        counted = [change for change in changes if self._counts(change)]
        refused = any(change.refused_by == "engine" for change in counted)
        self.context = ChangeContext(
            catalog, uses, acknowledgements, self.lists, renames, today, command, self.noun, refused_whole=refused
        )
        adopted = set(self._newly_adopted())
        self._changed = [change for change in counted if not _is_adoption(change, adopted)]
        self._adopted = self._grouped(change for change in counted if _is_adoption(change, adopted))
        self._by_item = self._grouped(self._changed)
        self._changed_groups = {
            group.item.key: ChangedGroup(pair, group, pool_changes(group, self._by_item.get(group.item.key, ())))
            for pair in self.pairs
            for group in pair.groups
        }
        self._overlaps = overlaps(self._changed_groups.values(), uses)

    def unchanged_resources(self) -> int:
        """Resources that exist before and after without a change."""
        adopted = (change for changes in self._adopted.values() for change in changes)
        touched = {change.urn for change in (*self._changed, *adopted)}
        return len(self._after - touched)

    def of_cluster(self, pair: ClusterPair) -> list[ItemChange]:
        """The changes of a cluster and of its groups."""
        written = self._cluster_written(pair)
        changes = self._changes_of(pair)
        found = [] if changes is None else [self._cluster_item(pair, changes, written)]
        for group in pair.groups:
            item = self._of_group(pair, group, written)
            if item is not None:
                found.append(item)
        return found

    def _of_group(
        self, cluster: ClusterPair, pair: GroupPair, cluster_written: tuple[WrittenChange, ...]
    ) -> ItemChange | None:
        written = written_in_group(pair.base, pair.head) if pair.base and pair.head else ()
        follows = self._follows(cluster, pair)
        changes = self._changes_of(pair)
        if changes is None and not follows:
            return None
        changes = changes or ()
        effect = follows or class_of(changes, NODE_POOL)
        causes = Causes(changes, effect, of_group=True)
        item = GroupChange(
            context=self.context,
            cluster=cluster,
            pair=pair,
            changes=changes,
            pool_changes=self._changed_groups[pair.item.key].pool_changes,
            effect=effect,
            written=causes.most_dangerous_first(written, GROUP_KEYS),
            decisive=causes.decisive(written, GROUP_KEYS),
            decisive_in_cluster=causes.decisive(cluster_written, CLUSTER_KEYS),
            cluster_goes=self._cluster_loss(cluster),
            follows=follows,
            overlap=self._overlaps.get(pair.item.key),
        )
        return self._group_item(item)

    def _group_item(self, item: GroupChange) -> ItemChange:
        def describe(sentences: Sentences) -> None:
            describe_group(item, sentences)
            describe_account(item, sentences)

        return self._with_hosts(item, self._item(item, "slices", describe))

    def _with_hosts(self, item: GroupChange, found: ItemChange) -> ItemChange:
        return dataclasses.replace(
            found,
            hosts_gone=item.hosts_gone,
            hosts_new=item.pool_changes.hosts_new,
            hosts_restarted=hosts_of(item.pool_changes.restarted),
            overlap=item.overlap,
            size=self._size(item.pair),
        )

    def _size(self, pair: GroupPair) -> GroupSize:
        was, will = self._costs
        return group_size(was.get(pair.base.key) if pair.base else None, will.get(pair.head.key) if pair.head else None)

    def _cluster_item(
        self, pair: ClusterPair, changes: tuple[ResourceChange, ...], written: tuple[WrittenChange, ...]
    ) -> ItemChange:
        effect = class_of(changes, CLUSTER)
        written = Causes(changes, effect, of_group=False).most_dangerous_first(written, CLUSTER_KEYS)
        item = ClusterChange(self.context, pair, changes, effect, written, self._cluster_loss(pair))
        return self._item(item, "cluster", functools.partial(describe_cluster, item))

    def _item(
        self,
        item: GroupChange | ClusterChange,
        kind: Literal["slices", "cluster"],
        describe: Callable[[Sentences], None],
    ) -> ItemChange:
        """What is reported of every item; ``describe`` adds the sentences about its consequence."""
        sentences = Sentences(self.context.catalog)
        used = self.context.acknowledgements.use(item.key, item.needs)
        adopted = self._adopted.get(item.key, ())
        describe_adoption(adopted, item.pair.head, sentences)
        describe(sentences)
        stop = refusal(item, used)
        return ItemChange(
            plan=self.name,
            item=item.key,
            former_item=item.pair.base.key if item.pair.base else "",
            kind=kind,
            path=format_path(item.pair.item.path),
            change=item.effect,
            written=item.written,
            consequence=sentences.text,
            facts=tuple(dict.fromkeys((*facts_of(item.changes), *sentences.facts))),
            refused=stop.text,
            fixes=stop.fixes,
            acknowledged=used,
            hosts_gone=Range.ZERO,
            hosts_new=Range.ZERO,
            resources=item.changes,
            gone=item.pair.head is None,
            updates=stop.updates,
            renames=item.renames,
            in_state="import" if adopted else "",
        )

    def _goes(self, cluster: ClusterPair) -> bool:
        """Whether a cluster is deleted or replaced."""
        changes = self._by_item.get(cluster.item.key, ())
        return any(change.type == CLUSTER and change.operation in ("delete", "replace") for change in changes)

    def _cluster_loss(self, cluster: ClusterPair) -> ClusterLoss:
        """The deletion of a protected group requires that of its cluster is acknowledged, which allows both."""
        if not self._goes(cluster):
            return ""
        changes = (change for group in cluster.groups for change in self._by_item.get(group.item.key, ()))
        loses_group = any(change.operation == "delete" and change.refused_by == "engine" for change in changes)
        return "delete" if cluster.head is None or loses_group else "replace"

    def _follows(self, cluster: ClusterPair, pair: GroupPair) -> Literal["", "delete", "replace"]:
        """The fate of slices that nothing in Pulumi changes, since their cluster is deleted or replaced.

        They have no node pools, as on Autopilot, or the plan already calls their cluster an existing one.
        """
        if pair.base is None or not pair.base.slices.maximum or not self._goes(cluster):
            return ""
        if cluster.handed_over == "given":
            return "delete"
        if pair.base.pools:
            return ""
        return "delete" if pair.head is None else "replace"

    def _cluster_written(self, pair: ClusterPair) -> tuple[WrittenChange, ...]:
        if pair.base is None or pair.head is None or self.base is None or self.head is None:
            return ()
        return written_in_cluster(pair.base, pair.head, self.base.plan, self.head.plan)

    def _changes_of(self, pair: ClusterPair | GroupPair) -> tuple[ResourceChange, ...] | None:
        """The changes of the resources of an item; None if there is nothing to report."""
        changes = tuple(self._by_item.get(pair.item.key, ()))
        if changes or pair.item.key in self._adopted or pair.base is None or pair.head is None:
            return changes
        return changes if _reckoning_differs(pair) or pair.is_renamed else None

    def _counts(self, change: ResourceChange) -> bool:
        """Whether it is a cloud resource; components exist only in Pulumi."""
        return change.urn in self._after or change.urn in self._before

    def _newly_adopted(self) -> Iterator[tuple[str, str]]:
        """The resources that the plan takes over: another slice of an adopted group is a new one."""
        for pair in self.pairs if self.head is not None and not self.head.exists else ():
            if pair.head is not None:
                yield from adopted_with_cluster(pair.head)
            for group in pair.groups:
                if group.head is not None and group.base is None:
                    yield from adopted_with_group(group.head)

    def _grouped(self, changes: Iterable[ResourceChange]) -> dict[str, list[ResourceChange]]:
        """New name of an item -> the changes of its resources."""
        before: dict[str, str] = {}
        after: dict[str, str] = {}
        for pair in both_kinds(self.pairs):
            if pair.base is not None:
                before[format_path(pair.base.path)] = pair.item.key
            if pair.head is not None:
                after[format_path(pair.head.path)] = pair.item.key
        keys = {pair.item.key: None for pair in both_kinds(self.pairs)}
        grouped: dict[str, list[ResourceChange]] = {}
        for change in changes:
            first, second = (before, after) if change.operation == "delete" else (after, before)
            key = first.get(change.plan_path) or second.get(change.plan_path) or _by_name(change.name, keys)
            grouped.setdefault(key, []).append(change)
        return grouped


class _TerraformGrouping(_Grouping):
    """The clusters and node pools of one project in plans of Terraform, which has no acknowledgements."""

    command = "terraform apply"
    noun = "the node pool"

    def __init__(
        self, base: PlanPreview, head: PlanPreview, sides: DescribedSides, catalog: Catalog, uses: Uses
    ) -> None:
        self._actions, self._keys = sides.actions, sides.keys
        changes = tuple(change for key in self._keys for change in self._actions.changes(key))
        super().__init__(base, head, changes, catalog, uses, today=None, ack_from="head")
        self._clusters = {pair.item.key: pair for pair in self.pairs}
        self._groups = {group.item.key: (pair, group) for pair in self.pairs for group in pair.groups}
        self._cpu_pools = {
            pool.key: pair for pair in self.pairs for side in (pair.base, pair.head) if side for pool in side.cpu_pools
        }

    def items(self) -> Iterator[ItemChange]:
        """The changes of clusters and node pools, in their order."""
        for key in self._keys:
            planned, changes, follows = (
                self._actions.planned[key],
                self._actions.changes(key),
                self._actions.follows(key),
            )
            if follows and planned.inside and key in self._cpu_pools:
                continue  # the configuration of the cluster contains it
            if not (changes or follows):
                if planned.happens:
                    yield self._in_state(planned)
            elif self._actions.kind(key) == "cluster":
                yield self._cluster(planned, changes)
            elif key in self._groups:
                yield self._pool(planned, changes, follows)
            else:
                yield self._other_pool(planned, changes, follows)

    def _in_state(self, planned: PlannedResource) -> ItemChange:
        """What only the state of Terraform treats in another way."""
        sentences = Sentences(self.context.catalog)
        _, pair = self._groups.get(planned.key, (None, None))
        describe_state(planned, pair.item if pair is not None else None, sentences)
        found = self._planned_item(planned, "metadata", (), sentences)
        size = self._size(pair) if pair is not None else None
        return dataclasses.replace(found, in_state=planned.fate, size=size)

    def _cluster(self, planned: PlannedResource, changes: tuple[ResourceChange, ...]) -> ItemChange:
        effect = class_of(changes, CLUSTER)
        sentences = Sentences(self.context.catalog)
        pair = self._clusters[planned.key]
        describe_planned_cluster(ClusterChange(self.context, pair, changes, effect, (), ""), planned, sentences)
        return self._planned_item(planned, effect, changes, sentences)

    def _pool(
        self, planned: PlannedResource, changes: tuple[ResourceChange, ...], follows: Literal["", "delete", "replace"]
    ) -> ItemChange:
        cluster, pair = self._groups[planned.key]
        overlap = self._overlaps.get(planned.key)
        item = GroupChange(
            context=self.context,
            cluster=cluster,
            pair=pair,
            changes=changes,
            pool_changes=self._changed_groups[planned.key].pool_changes,
            effect="delete" if follows else class_of(changes, NODE_POOL),
            written=(),
            decisive=(),
            decisive_in_cluster=(),
            cluster_goes="",
            follows=follows,
            overlap=overlap and overlap.in_any_order(),
        )
        sentences = Sentences(self.context.catalog)
        describe_planned_group(item, planned, sentences)
        return self._with_hosts(item, self._planned_item(planned, item.effect, changes, sentences))

    def _other_pool(
        self, planned: PlannedResource, changes: tuple[ResourceChange, ...], follows: Literal["", "delete", "replace"]
    ) -> ItemChange:
        """A node pool without TPUs, or one of which no size is known."""
        effect: ChangeClass = "delete" if follows else class_of(changes, NODE_POOL)
        sentences = Sentences(self.context.catalog)
        pair = self._cpu_pools.get(planned.key)
        if pair is None:
            describe_unsized(effect, planned, changes, sentences)
        else:
            item = ClusterChange(self.context, pair, changes, effect, (), "")
            describe_other_pool(item, planned, sentences, follows=bool(follows))
        return self._planned_item(planned, effect, changes, sentences)

    def _planned_item(
        self, planned: PlannedResource, effect: ChangeClass, changes: tuple[ResourceChange, ...], sentences: Sentences
    ) -> ItemChange:
        words = planned.raw.spelling.words
        reasons = dict.fromkeys((*facts_of(change for change in changes if change.has_cause), *sentences.facts))
        spelled = tuple(self._actions.planner.in_terraform(change, planned) for change in changes)
        return ItemChange(
            plan=planned.raw.origin.file,
            item=planned.address,
            former_item=planned.former_address,
            kind=self._actions.kind(planned.key),
            path=planned.address,
            change=effect,
            written=self._actions.planner.written(planned) if changes else (),
            consequence=sentences.text,
            facts=tuple(fact.spelled(words) for fact in reasons),
            refused=words(failure_text(changes, self.command)),
            fixes=(),
            acknowledged=None,
            hosts_gone=Range.ZERO,
            hosts_new=Range.ZERO,
            resources=spelled,
            gone=effect == "delete" and (not changes or changes[0].operation == "delete"),
        )

    def _counts(self, change: ResourceChange) -> bool:
        return True

    def _grouped(self, changes: Iterable[ResourceChange]) -> dict[str, list[ResourceChange]]:
        grouped: dict[str, list[ResourceChange]] = {}
        for change in changes:
            grouped.setdefault(change.name, []).append(change)
        return grouped


def items_in_terraform(
    base: PlanPreview, head: PlanPreview, sides: DescribedSides, catalog: Catalog, uses: Uses
) -> PlanItems:
    """What plans of Terraform do with the clusters and node pools of a project, which both previews describe."""
    found = tuple(_TerraformGrouping(base, head, sides, catalog, uses).items())
    unchanged = len(sides.keys) - len(found)
    return PlanItems(found, unchanged, unchanged, (), ())


def _is_adoption(change: ResourceChange, adopted: Collection[tuple[str, str]]) -> bool:
    return change.operation == "create" and (change.type, change.name) in adopted


def _custom(preview: PlanPreview | None) -> frozenset[str]:
    """The URNs of the cloud resources."""
    return (
        frozenset(resource.urn for resource in preview.graph.resources if resource.custom) if preview else frozenset()
    )


def _costs(preview: PlanPreview | None) -> dict[str, GroupCost]:
    """The cost of each slice group."""
    return {cost.group: cost for cost in preview.cost.groups} if preview else {}


def _by_name(name: str, keys: Mapping[str, None]) -> str:
    """The item whose name a resource has; the first one if there is none, so that no resource is lost."""
    while name and name not in keys:
        name = name.rpartition("/")[0]
    return name or next(iter(keys))


def _reckoning_differs(pair: ClusterPair | GroupPair) -> bool:
    """Whether the slices of a group without resources, as on Autopilot, change."""
    if isinstance(pair, ClusterPair) or pair.base is None or pair.head is None:
        return False
    if pair.base.pools or pair.head.pools:
        return False
    before, after = pair.base, pair.head
    return (before.node_selector, before.slices, before.plan.capacity, before.plan.fallback) != (
        after.node_selector,
        after.slices,
        after.plan.capacity,
        after.plan.fallback,
    )
