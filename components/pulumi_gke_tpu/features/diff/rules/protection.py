"""TPU951 to TPU954, TPU961 and TPU962: changes of what a plan protects."""

from collections.abc import Iterable, Iterator, Sequence

from pulumi_gke_tpu.core.fleet import SliceGroup
from pulumi_gke_tpu.core.fleet.pairs import ClusterPair, GroupPair, protected_as_written
from pulumi_gke_tpu.core.rules.engine.examples import OTHER, RESERVED, RESERVED_MAIN, plan_of
from pulumi_gke_tpu.core.rules.engine.rule import Hit, rule, warning
from pulumi_gke_tpu.core.text.findings import Fix, Path, SetKeys, Severity, listed, number, printable, quoted
from pulumi_gke_tpu.features.diff.rules.transition import (
    Transition,
    count_path,
    identity,
    lost_pools,
    place_of_gone,
)

_TWO_UPDATES = (
    "Make two updates. First, acknowledge the deletion (`change: delete`) and run `pulumi up` without other changes. "
    "Then make this change."
)
_MOST_NAMES = 4
_BOTH = plan_of(RESERVED_MAIN, OTHER)
_WITHOUT_MAIN = plan_of(OTHER)


def _acknowledge(change: str) -> str:
    return f"acknowledge: [{{change: {change}, of: train/main, reason: no longer used, until: 2026-12-01}}]"


def _shown(names: Sequence[str]) -> str:
    """``node pool main-1``, or the first few of several."""
    shown = listed([printable(name) for name in names], most=_MOST_NAMES)
    return f"node pool{'' if len(names) == 1 else 's'} {shown}"


def _with_pools(transition: Transition) -> Iterator[tuple[ClusterPair, GroupPair, SliceGroup, SliceGroup]]:
    """Groups that have node pools before the change and exist after it."""
    for cluster, pair in transition.groups():
        both = pair.base is not None and pair.head is not None
        if both and cluster.head is not None and cluster.head.mode == "standard" and pair.base and pair.base.pools:
            assert pair.head is not None
            yield cluster, pair, pair.base, pair.head


@rule(
    "TPU951",
    about=("acknowledge[].change", "clusters.*.slices.*.count"),
    otherwise={Severity.WARNING: "if the change deletes hosts of a node pool, which its protection does not prevent"},
    title="Change deletes slices of a protected group",
    why="node pools stay protected after you remove them from the plan, so `pulumi up` will fail. Protection applies "
    "to node pools, not to their hosts: it does not prevent GKE from deleting hosts of a single-host node pool",
    fix=_TWO_UPDATES,
    references=["OBSERVED_2026_11_20"],
    basis="observed",
    today="2026-11-20",
    failing=f"{RESERVED}\ncount: 2\n--- plan\n{RESERVED}\ncount: 1",
    passing=f"{RESERVED}\ncount: 1\n--- plan\n{RESERVED}\ncount: 2",
)
def protected_slices_deleted(transition: Transition) -> Iterable[Hit]:
    for _, pair, base, head in _with_pools(transition):
        if not base.protect:
            continue
        lost = lost_pools(pair)
        if lost:
            yield Hit(
                count_path(pair),
                f"this change deletes {_shown(lost)} of {quoted(head.key)}, which is protected",
            )
            continue
        less = base.slices.maximum - head.slices.maximum
        fixed = not (base.autoscaled or head.autoscaled)
        if fixed and less > 0 and "delete" not in transition.acknowledged(transition.head, head.key):
            yield Hit(
                count_path(pair),
                f"this change deletes {number(less, 'host')} of {quoted(head.key)}; the protection of "
                "a node pool does not prevent that",
                severity=Severity.WARNING,
                fix=SetKeys.of(count=base.slices.maximum) if head.plan.written("count") else None,
            )


@rule(
    "TPU952",
    about=("acknowledge[].change", "clusters.*.slices.*.zone"),
    basis="observed",
    title="Change moves protected slices to another zone",
    why="the provider would change the zones in place, and protection does not prevent that GKE deletes the nodes. "
    "gke-tpu therefore makes Pulumi replace the node pool, also for an added zone. `pulumi up` will fail, because the "
    "node pool is protected",
    fix="Acknowledge the replacement (`change: replace`). Or keep this group, and add a second group in the other "
    "zone.",
    references=["OBSERVED_2026_11_20"],
    today="2026-11-20",
    failing=f"{_BOTH}--- plan\n{_BOTH.replace('-b, cap', '-a, cap')}",
    passing=f"{_BOTH}--- plan\n{_BOTH.replace('-b, cap', '-a, cap')}{_acknowledge('replace')}",
)
def protected_zone_change(transition: Transition) -> Iterable[Hit]:
    for cluster, _, base, head in _with_pools(transition):
        if base.zones != head.zones and base.protect and head.protect:
            key = next((key for key in ("zone", "zones") if head.plan.written(key)), None)
            path: Path = (*head.path, key) if key else head.path
            same_region = cluster.base is not None and cluster.base.region == cluster.item.region
            yield Hit(
                path,
                f"this change moves the protected group {quoted(head.key)} from {_zones(base)} to {_zones(head)}",
                fix=transition.way_ahead(head.key) or (_zone_fix(base) if same_region else None),
            )


def _zones(group: SliceGroup) -> str:
    return listed([printable(zone) for zone in group.zones])


def _zone_fix(group: SliceGroup) -> Fix | None:
    return SetKeys.of(zone=group.zones[0]) if len(group.zones) == 1 else None


@rule(
    "TPU953",
    about=("acknowledge[].change", "clusters.*.slices"),
    title="Change removes a protected item in one update",
    why="the plan no longer contains the item, so the plan cannot lift its protection. `pulumi up` will fail, and it "
    "may delete other resources before it fails",
    fix="Make two updates. First, keep the item, add an acknowledgment of its deletion (`change: delete`) and run "
    "`pulumi up`. Then remove the item and the acknowledgment.",
    references=["OBSERVED_2026_11_20"],
    basis="observed",
    today="2026-11-20",
    failing=f"{_BOTH}--- plan\n{_WITHOUT_MAIN}",
    passing=f"{_BOTH}{_acknowledge('delete')}\n--- plan\n{_WITHOUT_MAIN}",
)
def protected_item_removed(transition: Transition) -> Iterable[Hit]:
    for cluster in transition.pairs:
        base = cluster.base
        if (
            cluster.head is None
            and base is not None
            and base.deletion_protection
            and not transition.is_renamed(base.key)
        ):
            message = f"{quoted(base.key)} is removed from the plan, but its deletion protection is enabled"
            yield Hit(place_of_gone(transition.head, base.key), message)
            continue
        for pair in cluster.groups:
            if (
                pair.head is None
                and pair.base is not None
                and pair.base.protect
                and not transition.is_renamed(pair.base.key)
            ):
                place = place_of_gone(transition.head, cluster.item.key)
                yield Hit(place, f"{quoted(pair.base.key)} is removed from the plan, but it is protected")


@rule(
    "TPU954",
    about=("acknowledge[].change", "clusters.*.slices"),
    title="Deletion is acknowledged only as a replacement",
    why="an acknowledgment lifts the protection against both replacement and deletion. If a plan acknowledges only a "
    "replacement, `pulumi up` can therefore also delete the item",
    fix="First, add an acknowledgment of the deletion (`change: delete`) and run `pulumi up`. Then make this change.",
    source="gke-tpu: documentation of `acknowledge`",
    today="2026-11-20",
    failing=f"{_BOTH}{_acknowledge('replace')}\n--- plan\n{_WITHOUT_MAIN}",
    passing=f"{_BOTH}{_acknowledge('delete')}\n--- plan\n{_WITHOUT_MAIN}",
)
def deletion_acknowledged_as_replacement(transition: Transition) -> Iterable[Hit]:
    for cluster in transition.pairs:
        base = cluster.base
        if cluster.head is None and base is not None and not transition.is_renamed(base.key):
            lifted = base.plan.deletion_protection and not base.deletion_protection
            if lifted and _only_replacement(transition, base.key):
                message = f"{quoted(base.key)} is removed, but the plan acknowledges only its replacement"
                yield Hit(place_of_gone(transition.head, base.key), message)
        for pair in cluster.groups:
            yield from _group_deleted_as_replaced(transition, cluster.item.key, pair)


def _group_deleted_as_replaced(transition: Transition, cluster: str, pair: GroupPair) -> Iterator[Hit]:
    base, head = pair.base, pair.head
    if (
        base is None
        or base.protect
        or not protected_as_written(base)
        or transition.is_renamed(base.key)
        or not base.pools
    ):
        return
    if not _only_replacement(transition, base.key):
        return
    if head is None:
        message = f"{quoted(base.key)} is removed, but the plan acknowledges only its replacement"
        yield Hit(place_of_gone(transition.head, cluster), message)
    elif lost := lost_pools(pair):
        yield Hit(
            count_path(pair),
            f"this change deletes {_shown(lost)} of {quoted(head.key)}, but the plan acknowledges only a replacement",
        )


def _only_replacement(transition: Transition, item: str) -> bool:
    return transition.acknowledged(transition.base, item) == {"replace"}


@warning(
    "TPU961",
    about=("acknowledge[].change", "clusters.*.slices.*.capacity", "clusters.*.slices.*.protect"),
    title="Change removes the protection and replaces the item",
    why="Pulumi reads the protection from the new plan, so one update can remove the protection and replace the item",
    fix="If you intend the replacement, acknowledge it (`change: replace`). Otherwise, keep the protection "
    "(`protect: true`).",
    references=["OBSERVED_2026_11_20"],
    basis="observed",
    today="2026-11-20",
    failing=f"{RESERVED}\n--- plan\n{RESERVED.replace('{reservation: v6e-pretrain}', 'spot')}",
    passing=f"{RESERVED}\nprotect: false\n--- plan\n{RESERVED.replace('{reservation: v6e-pretrain}', 'spot')}",
)
def protection_removed_with_replacement(transition: Transition) -> Iterable[Hit]:
    for _, _, base, head in _with_pools(transition):
        hosts = transition.hosts_gone(head.key)
        if not base.protect or head.protect or not hosts or transition.acknowledged(transition.head, head.key):
            continue
        key = next((key for key in ("protect", "capacity") if head.plan.written(key)), None)
        yield Hit(
            (*head.path, key) if key else head.path,
            f"this change removes the protection of {quoted(head.key)} and deletes or replaces "
            f"{number(hosts, 'host')} of it",
            fix=transition.acknowledgement("replace", head.key),
        )


@rule(
    "TPU962",
    about=("acknowledge[].change", "clusters.*.location"),
    otherwise={Severity.WARNING: "if the cluster has no deletion protection"},
    title="Change replaces a cluster",
    why="GKE cannot change the project, location, name or mode of a cluster. Pulumi replaces the cluster, which "
    "deletes all its nodes and the data stored in the cluster",
    fix="Add a second cluster, and move the workloads there. If you intend the replacement, first acknowledge it "
    "(`change: replace`) and run `pulumi up`. Then make this change.",
    references=["container-api-discovery", "OBSERVED_2026_11_20"],
    basis="observed",
    today="2026-11-20",
    failing="mode: standard\nlocation: us-east5\n--- plan\nmode: standard\nlocation: us-east1",
    passing="""
version: 1
project: acme-ml
clusters:
  train: {mode: standard, location: us-east5}
acknowledge: [{change: replace, of: train, reason: nearer to the data, until: 2026-12-01}]
--- plan
version: 1
project: acme-ml
clusters:
  train: {mode: standard, location: us-east1}
acknowledge: [{change: replace, of: train, reason: nearer to the data, until: 2026-12-01}]
""",
)
def cluster_replacement(transition: Transition) -> Iterable[Hit]:
    for pair in transition.pairs:
        base, head = pair.base, pair.head
        if base is None or head is None or base.existing or head.existing:
            continue
        after = identity(head)
        for key, was in identity(base).items():
            will = after[key]
            if was == will:
                continue
            if base.deletion_protection:
                stopped, severity = (
                    ". `pulumi up` will fail, because the deletion protection of the cluster is enabled",
                    Severity.ERROR,
                )
            elif transition.acknowledged(transition.head, head.key):
                continue
            else:
                stopped, severity = "", Severity.WARNING
            path: Path = ("project",) if key == "project" else (*head.path, key)
            written = key == "project" or head.plan.written(key)
            yield Hit(
                path if written else head.path,
                f"`{key}` of {quoted(head.key)} changes from {printable(was)} to {printable(will)}, "
                f"which replaces the cluster{stopped}",
                severity=severity,
                fix=SetKeys.of({key: was}) if _goes_back(transition, pair, key) else None,
            )


def _goes_back(transition: Transition, pair: ClusterPair, key: str) -> bool:
    """Whether restoring one key restores the cluster.

    Groups that moved with it have keys of their own, and another cluster can have the name before or after.
    """
    assert pair.base is not None
    assert pair.head is not None
    same = (group.base and group.head and group.base.zones == group.head.zones for group in pair.groups)
    restored = {**identity(pair.head), key: identity(pair.base)[key]}
    others = [cluster for other in transition.pairs if other is not pair for cluster in (other.base, other.head)]
    taken = any(other is not None and {**identity(other), "mode": restored["mode"]} == restored for other in others)
    return not taken and (key not in ("location", "mode") or all(same))
