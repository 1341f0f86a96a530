"""TPU963 and TPU964: disabled protection, and changes at which `pulumi up` will fail."""

from collections.abc import Iterable

from pulumi_gke_tpu.core.fleet.pairs import ClusterPair, GroupPair, protected_as_written
from pulumi_gke_tpu.core.rules.engine.examples import RESERVED, RESERVED_MAIN, plan_of
from pulumi_gke_tpu.core.rules.engine.rule import Hit, rule, warning
from pulumi_gke_tpu.core.text.findings import Path, SetKeys, Severity, printable, quoted
from pulumi_gke_tpu.features.diff.effects.pools import used_networks
from pulumi_gke_tpu.features.diff.rules.transition import (
    Transition,
    identity,
    lost_pools,
    place_of_gone,
)

_PLAN = plan_of(RESERVED_MAIN)
_ACKNOWLEDGED = "acknowledge: [{change: replace, of: train/main, reason: a larger run, until: 2026-12-01}]"


@warning(
    "TPU963",
    about=("acknowledge", "clusters.*.slices.*.protect"),
    title="Change removes the protection",
    why="this change itself deletes nothing, but a later change can then delete or replace the item without an "
    "acknowledgment",
    fix="Keep the protection. To permit one deletion or replacement, add an `acknowledge` entry, which expires.",
    references=["OBSERVED_2026_11_20", "provider-cluster"],
    today="2026-11-20",
    failing=f"{RESERVED}\n--- plan\n{RESERVED}\nprotect: false",
    passing=f"{_PLAN}--- plan\n{_PLAN}{_ACKNOWLEDGED}",
)
def protection_disabled(transition: Transition) -> Iterable[Hit]:
    for cluster in transition.pairs:
        base, head = cluster.base, cluster.head
        if base is not None and head is not None:
            if base.plan.deletion_protection and not head.plan.deletion_protection:
                yield Hit(
                    (*head.path, "deletion_protection"),
                    f"this change disables the deletion protection of {quoted(head.key)}",
                    fix=SetKeys.of(deletion_protection=True),
                )
            for pair in cluster.groups:
                yield from _group_switched_off(transition, pair)


def _group_switched_off(transition: Transition, pair: GroupPair) -> Iterable[Hit]:
    """Another rule reports groups that lose hosts together with the protection."""
    base, head = pair.base, pair.head
    if base is None or head is None or not (base.pools and head.pools) or transition.hosts_gone(head.key):
        return
    if protected_as_written(base) and not protected_as_written(head):
        path: Path = (*head.path, "protect") if head.plan.written("protect") else head.path
        yield Hit(path, f"this change disables the protection of {quoted(head.key)}", fix=SetKeys.of(protect=True))


@rule(
    "TPU964",
    about=("acknowledge", "clusters.*.slices.*.topology"),
    otherwise={
        Severity.WARNING: "if the failure is only expected: a fact has low confidence, or two operations have no order"
    },
    title="`pulumi up` will fail",
    why="Pulumi does not delete or replace a protected item. The provider or GKE can also reject an update, and a "
    "new resource cannot have a name that is still in use",
    fix="Acknowledge the change (`acknowledge`), or keep the values that cannot be changed. If the message asks for "
    "two updates, first add only the acknowledgment and run `pulumi up`. Then make the change. If a name is still in "
    "use, first make the change that releases the name and run `pulumi up`.",
    references=["OBSERVED_2026_11_20"],
    basis="observed",
    today="2026-11-20",
    failing=f"{_PLAN}--- plan\n{_PLAN.replace('8x8', '8x16')}",
    passing=f"{_PLAN}--- plan\n{_PLAN.replace('8x8', '8x16')}{_ACKNOWLEDGED}",
)
def update_fails(transition: Transition) -> Iterable[Hit]:
    """Report every failure that no other rule reports; warn if it is not certain.

    Renames, removals, zone changes and replaced clusters have their own rules. Groups of a protected cluster
    follow it.
    """
    for cluster in transition.pairs:
        found = transition.planned.get(cluster.item.key)
        if found is not None and found.refused and not _cluster_is_reported(transition, cluster):
            yield _stop(transition, cluster.item.key, cluster)
        if found is not None and found.refused == "protection":
            continue
        for pair in cluster.groups:
            if transition.stops(pair.item.key) and not _group_is_reported(transition, cluster, pair):
                yield _stop(transition, pair.item.key, pair, cluster.item.key)


def _stop(transition: Transition, item: str, pair: ClusterPair | GroupPair, cluster: str = "") -> Hit:
    found = transition.planned[item]
    path = pair.head.path if pair.head is not None else place_of_gone(transition.head, cluster or item)
    if found.refused == "update":
        fails = "`pulumi up` will fail" if found.certain else "`pulumi up` is expected to fail"
        severity = None if found.certain else Severity.WARNING
        return Hit(path, f"{fails} at {quoted(item)}: {printable(found.reason, 300)}", severity=severity)
    what = "deletion" if pair.head is None else "replacement"
    change = f"the {what} of the protected {quoted(item)}"
    fails = f"at {change}: make the change in two updates" if found.updates > 1 else f"until {change} is acknowledged"
    return Hit(path, f"`pulumi up` will fail {fails}", fix=transition.way_ahead(item))


def _cluster_is_reported(transition: Transition, pair: ClusterPair) -> bool:
    """Whether another rule reports the failure at a cluster."""
    if transition.is_renamed(pair.item.key) or pair.handed_over:
        return True
    if transition.planned[pair.item.key].refused == "update":
        return any(used_networks(pair))
    if pair.base is None or not pair.base.deletion_protection:
        return False
    return pair.head is None or _becomes_another(pair)


def _group_is_reported(transition: Transition, cluster: ClusterPair, pair: GroupPair) -> bool:
    """Whether another rule reports the failure at a group."""
    if transition.is_renamed(pair.item.key):
        return True
    base, head = pair.base, pair.head
    if transition.planned[pair.item.key].refused == "update" or base is None or not base.protect:
        return False
    if head is None:
        return True
    if cluster.head is None or cluster.head.mode != "standard":
        return False
    return bool(lost_pools(pair)) or (base.zones != head.zones and bool(head.protect))


def _becomes_another(pair: ClusterPair) -> bool:
    """Whether the change replaces the cluster by one with another identity."""
    if pair.base is None or pair.head is None or pair.head.existing:
        return False
    return identity(pair.base) != identity(pair.head)
