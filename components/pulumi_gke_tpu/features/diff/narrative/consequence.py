"""The effect of a change on a slice group: which hosts are deleted and created, in which order, and running jobs."""

from collections.abc import Iterable, Sequence

from pulumi_gke_tpu.core.fleet import NodePool, Range, SliceGroup
from pulumi_gke_tpu.core.fleet.settings import upgrade_settings
from pulumi_gke_tpu.core.graph.phrases import (
    MOST_NAMES,
    amount,
    bare_amount,
    be,
    counted,
    resource_word,
    them,
    urn_words,
)
from pulumi_gke_tpu.core.graph.resource_types import CLUSTER
from pulumi_gke_tpu.core.text.findings import listed, quoted
from pulumi_gke_tpu.features.diff.consent import ClusterChange, GroupChange, describe_protection
from pulumi_gke_tpu.features.diff.effects.pools import BeforeAndAfter, PoolChanges, hosts_of, total, two_changes
from pulumi_gke_tpu.features.diff.model import Overlap, ResourceChange, Sentences, WrittenChange


def is_about_class(item: GroupChange) -> bool:
    """Whether a ComputeClass serves the group before or after the change."""
    return any(group is not None and group.compute_class is not None for group in (item.pair.base, item.pair.head))


def describe_class(item: GroupChange, sentences: Sentences) -> None:
    """The change from node pools of gke-tpu to those of GKE, the reverse, and changes of the class itself."""
    base, head = item.pair.base, item.pair.head
    before, after = _class_of(base), _class_of(head)
    if not before and not after:
        return
    if head is None:
        sentences.add(f"{_kept(before)}; they run until you delete the ComputeClass and the Pods that select it")
    elif not after:
        sentences.add(f"{_kept(before)}; delete the ComputeClass after the Pods that select it")
    elif not before:
        sentences.add(f"ComputeClass {quoted(after)} serves the group: GKE creates its node pools when Pods need them")
        sentences.add(f"workloads select it with {_selector(head)}" + (" from now on" if base is not None else ""))
    elif base is not None and (before, base.shape) != (after, head.shape):
        sentences.add(f"workloads select {_selector(head)} from now on; existing nodes stay until their Pods end")
    else:
        sentences.add("the ComputeClass changes for new nodes only: existing nodes stay until their Pods end")
    if after and head is not None and (base is None or base.chips.maximum != head.chips.maximum):
        instead = f" instead of {bare_amount(base.chips)}" if base is not None else ""
        sentences.add(f"cost and quota assume {amount(head.chips, 'chip')}{instead}")


def _class_of(group: SliceGroup | None) -> str:
    return group.compute_class or "" if group is not None else ""


def _kept(name: str) -> str:
    return f"Pulumi does not delete the node pools that GKE created for ComputeClass {quoted(name)}"


def _selector(group: SliceGroup) -> str:
    return " and ".join(quoted(f"{key}: {value}") for key, value in group.node_selector.items())


def describe_use(item: GroupChange, head: SliceGroup, sentences: Sentences) -> None:
    """How much of which reservation or quota the group uses."""
    taken = item.context.uses.of_group(head)
    if taken is None:
        return
    use, own = taken
    unit = use.unit
    what = f"{use.kind} {quoted(use.name)}" + ("" if use.kind == "reservation" else f" in {quoted(use.place)}")
    shared = f" ({bare_amount(use.will)} with other groups)" if use.will != own else ""
    if use.limit is None:
        sentences.add(f"{item.context.noun} uses {amount(own, unit)}{shared} of {what}")
        return
    limit = f"the {use.kind} has {counted(use.limit, f'available {unit}')}{_over(use.will, use.limit)}"
    sentences.add(f"{item.context.noun} uses {amount(own, unit)}{shared} of {what}; {limit}")
    _describe_overlap(item.overlap, head, sentences)


def _describe_overlap(overlap: Overlap | None, head: SliceGroup, sentences: Sentences) -> None:
    """If the reservation is too small for the new node pools and the old ones, and which two changes work."""
    if overlap is None or not overlap.exceeds:
        return
    needed, fails = amount(overlap.needed, overlap.unit), "fails" if overlap.is_certain else "may fail"
    sentences.add(
        f"until the old node pools are deleted, old and new ones together need {needed} of "
        f"reservation {quoted(overlap.reservation)}, which has {overlap.limit:,} available: the creation of the new "
        f"ones {fails}. Two changes work: {two_changes(overlap, head)}"
    )


def _over(will: Range, limit: int) -> str:
    over = will.maximum - limit
    if over <= 0:
        return ""
    return f", {over:,} too few" + ("" if will.minimum > limit else " if all groups are scaled up")


_MOST_KEYS = 2
_PROTECT, _PROTECTION = "protect", "deletion_protection"
_WAYS_OUT = {
    "node_labels": "GKE removes the last label only if you set another one",
    "collection": "only a new node pool can be outside of the collection",
    "driver_mode": "GKE keeps the last label of a node pool; to remove it, set another label",
}
"""Keys whose effect no other value reverts, and the way to revert it."""


def describe_group(item: GroupChange, sentences: Sentences) -> None:
    """Every effect of the change on one slice group."""
    if item.follows and item.cluster.handed_over:
        _describe_without_pools(item, sentences)
        return
    if item.follows and item.pair.head is not None and item.pair.head.pools:
        _describe_without_pools(item, sentences)
    if item.pool_changes.gone or item.pool_changes.new or item.pair.item.pools:
        describe_pools(item, sentences)
        describe_class(item, sentences)
        if item.pair.head is not None and item.cluster.item.mode == "autopilot":
            sentences.add("on Autopilot, GKE creates the slices when workloads request them")
    else:
        _describe_without_pools(item, sentences)
    if item.effect == "no-op":
        describe_nothing_happens(item.written, sentences, "a new node pool")
    elif item.effect == "refused":
        sentences.add("the provider or GKE rejects the update")
    elif item.effect == "in-place" and not item.pool_changes.resized:
        sentences.add("no source in the catalog mentions a node restart")
    elif item.effect == "metadata":
        describe_metadata(item.changes, sentences)
    _describe_kept_names(item, sentences)
    sentences.add_later_effects(item.changes)
    if item.effect != "no-op" and any(not change.will for change in item.written):
        describe_what_stays(item.changes, sentences)
    describe_protection(item, sentences)
    _describe_cause(item, sentences)
    describe_rename(item, sentences)


def describe_nothing_happens(written: Sequence[WrittenChange], sentences: Sentences, otherwise: str) -> None:
    """A change without effect, and the way to get the probable intention."""
    sentences.add("the change has no effect: existing resources stay as they are")
    dropped = sorted({change.key for change in written if not change.will})
    by_way: dict[str, list[str]] = {}
    for key in dropped:
        by_way.setdefault(_WAYS_OUT.get(key.partition(".")[0], ""), []).append(key)
    for way, keys in by_way.items():
        value = f"set the value that {'it' if len(keys) == 1 else 'each'} should have"
        removed = listed([quoted(key) for key in keys], most=_MOST_KEYS)
        sentences.add(f"removing {removed} from the plan is not enough: {way or value}")
    if written and not dropped:
        sentences.add(f"only {otherwise} can have the new value")


def describe_metadata(changes: Iterable[ResourceChange], sentences: Sentences) -> None:
    """Changes in GKE that affect no node, or changes only in Pulumi. The protection has its own sentence."""
    changes = tuple(changes)
    if any(change.operation == "update" for change in changes):
        sentences.add("nodes are not affected")
    elif any(item.path != _PROTECT for change in changes for item in change.differences):
        sentences.add("nothing in the cloud changes")


def describe_what_stays(changes: Iterable[ResourceChange], sentences: Sentences) -> None:
    """Properties that the plan no longer sets and GKE keeps, if other properties change. A new resource keeps none."""
    kept = (change for change in changes if change.operation in ("update", "same"))
    paths = dict.fromkeys(item.path for change in kept for item in change.differences if item.effect == "no-op")
    if paths:
        names = listed([quoted(path) for path in paths], most=_MOST_KEYS)
        verb, value = ("does", "value") if len(paths) == 1 else ("do", "values")
        sentences.add(f"{names} {verb} not change: GKE keeps the existing {value}")


def describe_pools(item: GroupChange, sentences: Sentences) -> None:
    """What happens to the node pools of a group, and to the capacity that they use."""
    pool_changes = item.pool_changes
    base, head = item.pair.base, item.pair.head
    _describe_slices_of_cubes(item, sentences)
    if pool_changes.replaced:
        _describe_replaced(item, sentences)
    if pool_changes.deleted:
        _describe_deleted(item, sentences)
    if pool_changes.created and head is not None:
        _describe_created(item, head, sentences)
    for alike in _alike(pool_changes.resized):
        _describe_resized(alike, sentences)
    if pool_changes.restarted and head is not None:
        _describe_restarted(pool_changes.restarted, head, sentences)
    if not pool_changes.gone and not pool_changes.new:
        _describe_others(item, sentences)
    if head is None:
        if base is not None and pool_changes.gone:
            _describe_given_back(base, sentences)
        return
    if pool_changes.hosts_new.maximum:
        _describe_wait(head, sentences, again=bool(pool_changes.replaced))
        describe_use(item, head, sentences)


def _describe_slices_of_cubes(item: GroupChange, sentences: Sentences) -> None:
    """What to do with slices before a group loses all of its cubes."""
    base, head = item.pair.base, item.pair.head
    if base is not None and base.dynamic and item.pool_changes.gone and not (head is not None and head.dynamic):
        sentences.add("first delete the slices on these cubes, with `kubectl delete slice`")


def _describe_replaced(item: GroupChange, sentences: Sentences) -> None:
    pool_changes = item.pool_changes
    count = len(pool_changes.replaced)
    gone = hosts_of(pool_changes.replaced)
    names = _names(pool_changes.replaced)
    base, head = item.pair.base, item.pair.head
    if base is None or head is None:
        return
    new = _with_size(hosts_of(pool_changes.replacements), head)
    if pool_changes.created_first:
        sentences.add(
            f"{names} {be(count)} replaced{new}: "
            + (
                "the new node pool is created before the old one is deleted"
                if count == 1
                else "the new node pools are created before the old ones are deleted"
            )
        )
    else:
        sentences.add(f"{names} {be(count)} deleted{_in_size(gone, base)}, then created{new}")
    if not gone.maximum:
        return
    if pool_changes.created_first:
        pools = "one" if count == 1 else "ones"
        sentences.add(f"capacity for both is needed for some time; running jobs on the old {pools} stop")
    else:
        sentences.add(f"running jobs on {names} stop; no capacity until the new nodes are ready (duration unknown)")


def _describe_deleted(item: GroupChange, sentences: Sentences) -> None:
    pool_changes = item.pool_changes
    count = len(pool_changes.deleted)
    gone = hosts_of(pool_changes.deleted)
    base = item.pair.base
    sizes = _in_size(gone, base) if base is not None else ""
    jobs = f"; running jobs on {them(count)} stop" if gone.maximum else ""
    sentences.add(f"{_names(pool_changes.deleted)} {be(count)} deleted{sizes}{jobs}")
    kept = [pool for pool in pool_changes.kept if pool not in pool_changes.restarted]
    if kept and not pool_changes.replaced:
        sentences.add(f"{_names(kept)} {'stays' if len(kept) == 1 else 'stay'}")


def _describe_created(item: GroupChange, head: SliceGroup, sentences: Sentences) -> None:
    pools = item.pool_changes.created
    hosts = hosts_of(pools)
    if item.pair.base is None:
        what = f"{amount(head.slices, 'slice')} of {head.shape.generation} {head.shape.topology}"
        sentences.add(
            f"{counted(len(pools), 'node pool')} for {what} {be(len(pools))} created{_with_size(hosts, head)}"
        )
        return
    sentences.add(f"{_names(pools)} {be(len(pools))} created{_with_size(hosts, head)}")
    gone = hosts_of(item.pool_changes.deleted)
    if gone.maximum and hosts.maximum:
        together = amount(
            total([gone, hosts_of(item.pool_changes.replacements), hosts, hosts_of(item.pool_changes.kept)]), "host"
        )
        sentences.add(
            f"new node pools are created before old ones are deleted: capacity for {together} is needed for some time"
        )


def _alike(resized: Iterable[BeforeAndAfter]) -> list[list[BeforeAndAfter]]:
    """Node pools with the same change of their size, together."""
    found: dict[tuple[Range, bool, Range, bool], list[BeforeAndAfter]] = {}
    for item in resized:
        key = (item.base.hosts, item.base.autoscaled, item.head.hosts, item.head.autoscaled)
        found.setdefault(key, []).append(item)
    return list(found.values())


def _describe_resized(alike: Sequence[BeforeAndAfter], sentences: Sentences) -> None:
    was, will = alike[0].base, alike[0].head
    count = len(alike)
    names = _names(item.head for item in alike)
    each = " each" if count > 1 else ""
    instead = f"{amount(will.hosts, 'host')}{each} instead of {bare_amount(was.hosts)}"
    if was.autoscaled and will.autoscaled:
        sentences.add(f"the limits of the autoscaler for {names} are {instead}")
        sentences.add_minimum(was.hosts, will.hosts, "host")
    elif will.autoscaled:
        sentences.add(f"{names} {be(count)} autoscaled from now on: {instead}; the autoscaler removes idle hosts")
    elif was.autoscaled:
        sentences.add(f"{names} {be(count)} no longer autoscaled: {instead}")
    else:
        direction = "shrink" if was.hosts.maximum > will.hosts.maximum else "grow"
        sentences.add(
            f"{names} {direction}{'s' if count == 1 else ''} from {was.hosts} to {amount(will.hosts, 'host')}{each}"
        )
    gone = total(PoolChanges.less(item) for item in alike)
    if gone.maximum:
        sentences.add(f"{amount(gone, 'host')} {be(gone.maximum)} deleted, and workloads on {them(gone.maximum)} stop")


def _describe_restarted(pools: Sequence[NodePool], head: SliceGroup, sentences: Sentences) -> None:
    notes = sentences.catalog.maintenance.notes
    names = _names(pools)
    hosts = hosts_of(pools)
    if not hosts.maximum:
        return
    how = _pace(head)
    if head.shape.multi_host:
        sentences.add(
            f"GKE re-creates the {amount(hosts, 'host')} of {names}, all hosts of a slice at once{how}; "
            f"running jobs on {them(len(pools))} stop",
            "slice-upgrade",
            notes,
        )
    else:
        sentences.add(f"GKE drains and re-creates the {amount(hosts, 'host')} of {names}{how}; workloads on them stop")
    if head.plan.capacity.mode != "reservation":
        sentences.add(
            "without a reservation, the capacity can be lost while GKE re-creates the hosts",
            "capacity-during-upgrade",
            notes,
        )


def _pace(head: SliceGroup) -> str:
    """How many nodes at once, or that there is a second set of nodes."""
    upgrade = upgrade_settings(head)
    if upgrade.strategy.value == "blue_green":
        return ", with a second set of nodes (blue-green)"
    if head.shape.multi_host or upgrade.strategy.value != "surge":
        return ""
    at_once = upgrade.max_surge.value + upgrade.max_unavailable.value
    return f", {at_once:,} at a time" if at_once else ""


def _describe_others(item: GroupChange, sentences: Sentences) -> None:
    """The operations on the other resources of the group, if its node pools do not change."""
    words = {"create": "created", "delete": "deleted", "replace": "replaced"}
    for change in item.changes:
        if change.operation in words:
            sentences.add(f"{resource_word(change.type)} {quoted(change.name)} is {words[change.operation]}")


def _describe_wait(head: SliceGroup, sentences: Sentences, *, again: bool) -> None:
    """When GKE creates the hosts, by capacity mode."""
    mode = head.plan.capacity.mode
    notes = sentences.catalog.capacity.notes
    if mode == "flex_start":
        sentences.add("GKE creates the hosts when flex-start capacity is available", "flex-start-pool-shape", notes)
    elif mode == "queued":
        sentences.add("GKE creates the hosts when it provisions a queued request", "queued-wait", notes)
    elif mode == "spot" and again:
        sentences.add("hosts return only if Spot capacity is available")
    elif mode == "on_demand" and again:
        sentences.add("no reservation holds the capacity in the meantime")


def _describe_given_back(base: SliceGroup, sentences: Sentences) -> None:
    reservation = base.plan.capacity.reservation
    if reservation is not None:
        sentences.add(f"the VMs are available again in reservation {quoted(reservation.name)}")
    elif base.hosts.maximum:
        sentences.add("the capacity is released; whether it will be available again is unknown")


def _describe_without_pools(item: GroupChange, sentences: Sentences) -> None:
    """The change of a group without node pools: on Autopilot, or without slices."""
    base, head = item.pair.base, item.pair.head
    cluster = item.cluster.item
    if item.follows and base is not None:
        describe_follows(item, sentences)
        return
    if is_about_class(item):
        _describe_others(item, sentences)
        describe_class(item, sentences)
        return
    if cluster.mode == "standard":
        if head is None or base is None:
            sentences.add(f"the group has no slices, so nothing is {'created' if head else 'deleted'}")
        _describe_others(item, sentences)
        return
    if head is None:
        sentences.add("Autopilot has no node pools: nothing is deleted, and running Pods keep their nodes")
        return
    _, _, *capacity = (quoted(f"{key}: {value}") for key, value in head.node_selector.items())
    accelerator, topology = quoted(head.shape.accelerator_label), quoted(head.shape.topology)
    find = f"workloads select it with {listed([f'accelerator {accelerator}', f'topology {topology}', *capacity])}"
    if base is None:
        sentences.add(f"Autopilot has no node pools: nothing is created; {find}")
    elif base.node_selector != head.node_selector:
        sentences.add(f"nothing in the cloud changes: {find} from now on, and running Pods keep their nodes")
    else:
        sentences.add("nothing in the cloud changes, and running Pods keep their nodes")
    if head.chips.maximum and (base is None or base.chips != head.chips):
        sentences.add(
            f"the totals assume {amount(head.chips, 'chip')}"
            + (f" instead of {bare_amount(base.chips)}" if base else "")
        )


def describe_follows(item: GroupChange, sentences: Sentences) -> None:
    """The loss of slices with their cluster, although Pulumi changes no node pool of them."""
    hosts = amount(item.hosts_following, "host")
    happens = "deleted" if item.follows == "delete" else "replaced"
    cluster = quoted((item.cluster.base or item.cluster.item).key)
    sentences.add(
        f"the slices ({hosts}) are deleted with cluster {cluster}, which is {happens}; running jobs on them stop"
    )
    head = item.pair.head
    if head is not None and not head.pools and item.cluster.item.mode == "autopilot":
        sentences.add("Autopilot creates them again when workloads request them; no capacity until then")


def _describe_cause(item: GroupChange, sentences: Sentences) -> None:
    """The cause of the change, if no key of the group is the only one.

    Deletion protection of the cluster changes the protection of its node pools only, which has its own sentence.
    """
    own = {urn for change in item.changes for urn in (change.urn, change.former_urn)}
    causes = list(dict.fromkeys(urn for change in item.changes for urn in change.because_of if urn not in own))
    clusters = [urn for urn in causes if f"{CLUSTER}::" in urn]
    keys = [quoted(key) for key in item.decisive_in_cluster if key != _PROTECTION]
    if causes:
        roots = listed([urn_words(urn) for urn in clusters or causes], most=1)
        sentences.add(f"the cause is the replacement of {roots}")
    elif item.pair.base is None or item.pair.head is None or _only_protection(item.changes):
        return
    elif keys:
        place = f"in cluster {quoted(item.cluster.item.key)}"
        also = "another cause" if item.decisive else "the cause"
        sentences.add(f"{also} is the change of {listed(keys, most=_MOST_KEYS)} {place}")
    elif not item.written:
        sentences.add("the plan is unchanged: the catalog or gke-tpu has changed")


def _only_protection(changes: Iterable[ResourceChange]) -> bool:
    """Whether only the protection differs, which has its own sentence."""
    return all(difference.path == _PROTECT for change in changes for difference in change.differences)


def _names(pools: Iterable[NodePool]) -> str:
    return listed([quoted(pool.name) for pool in pools], most=MOST_NAMES)


def _with_size(hosts: Range, group: SliceGroup) -> str:
    """`` with 64 hosts (256 chips)``."""
    if not hosts.maximum:
        return " without hosts"
    return f" with {amount(hosts, 'host')} ({amount(hosts.times(group.shape.chips_per_host), 'chip')})"


def _in_size(hosts: Range, group: SliceGroup) -> str:
    """`` (64 hosts, 256 chips)``."""
    if not hosts.maximum:
        return ""
    return f" ({amount(hosts, 'host')}, {amount(hosts.times(group.shape.chips_per_host), 'chip')})"


def _describe_kept_names(item: GroupChange, sentences: Sentences) -> None:
    """What a declared rename keeps, and the names in GKE."""
    base, head = item.pair.base, item.pair.head
    kept = [pool for pool in item.pool_changes.kept if pool not in item.pool_changes.restarted]
    if base is None or head is None or not item.pair.is_renamed or not kept:
        return
    names = f"{_names(kept)} {'keeps its name' if len(kept) == 1 else 'keep their names'} in GKE"
    while_moved = "" if head.plan.written("name") else " as long as the plan has the `moved` entry"
    hosts = hosts_of(kept)
    sentences.add(
        f"{quoted(base.key)} is now {quoted(head.key)} in the plan; {amount(hosts, 'host')} {be(hosts.maximum)} kept: "
        f"{names}{while_moved}"
    )


def describe_rename(item: GroupChange | ClusterChange, sentences: Sentences) -> None:
    """The probable renames of an item, and the next step. The deletion of an old item may also be intended."""
    if not item.renames:
        return
    names = listed([quoted(name) for name in item.renames], "or", most=MOST_NAMES)
    looks = "this looks like" if len(item.renames) == 1 else "this may be"
    gone = item.pair.head is None
    sentences.add(
        f"{looks} a rename {'to' if gone else 'of'} {names}: an entry in `moved` keeps the existing resources"
    )
    if gone and any(change.refused for change in item.changes):
        sentences.add("if you intend the deletion, first acknowledge it in a separate change on the base branch")
