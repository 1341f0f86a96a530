"""What happens to what: the class of an item's change, and what of a cluster it is that goes, restarts or changes."""

import dataclasses
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pulumi_gke_tpu.change.model import CLASSES, DANGEROUS, ChangeClass, Fact, ItemChange, ResourceChange
from pulumi_gke_tpu.change.phrases import RESOURCE_WORDS, resource_word
from pulumi_gke_tpu.fleet.derive import CPU_POOLS
from pulumi_gke_tpu.graph.types import ACCOUNT, CLUSTER, IAM_MEMBER, NETWORK, NODE_POOL, ROUTER, ROUTER_NAT, SUBNETWORK

CLUSTERS = ("cluster", "clusters")
_SYSTEM_POOL = ("system pool", "system pools")
_CPU_POOL = ("CPU pool", "CPU pools")
_ORDER = (
    CLUSTER,
    NODE_POOL,
    NETWORK,
    SUBNETWORK,
    ROUTER_NAT,
    ROUTER,
    ACCOUNT,
    IAM_MEMBER,
)
"""What belongs to a cluster, by what it means to lose it."""
_WHOLE: frozenset[ChangeClass] = frozenset({"delete", "replace", "create"})


@dataclass(frozen=True, slots=True)
class Affected:
    """How many things of one kind something happens to."""

    change: ChangeClass
    words: tuple[str, str]
    """What people call one and many."""
    count: int


def class_of(changes: Sequence[ResourceChange], main: str) -> ChangeClass:
    """The class of an item. What becomes of the rest is beside the point where ``main`` is deleted or replaced.

    ``main`` is the type of the resource that the item is about: the cluster, or the node pools of a group.
    """
    own = worst((change for change in changes if change.type == main), "metadata")
    return own if own in ("delete", "replace") else worst(_paired(changes, main), "metadata")


def affected(item: ItemChange) -> tuple[Affected, ...]:
    """What a change of a cluster happens to, by class: the cluster, or of what belongs to it the most important.

    A cluster that comes, goes or is replaced is all there is to say. Else everything is told that needs a second
    look, so that the loss of a network does not hide that of the system pool.
    """
    changes = _paired(item.resources, CLUSTER)
    if item.change in _WHOLE and any(change.type == CLUSTER and change.effect == item.change for change in changes):
        return (Affected(item.change, CLUSTERS, 1),)
    told = [name for name in CLASSES if name == item.change or (name in DANGEROUS and item.change in DANGEROUS)]
    found = [_first(name, [change for change in changes if change.effect == name]) for name in told]
    return tuple(filter(None, found)) or (Affected(item.change, CLUSTERS, 1),)


def subject(item: ItemChange) -> str:
    """What of a cluster it is that the class of its change is about; empty where it is the item itself."""
    if item.kind != "cluster":
        return ""
    first = next((found for found in affected(item) if found.change == item.change), None)
    if first is None or first.words == CLUSTERS:
        return ""
    return first.words[0] if first.count == 1 else f"{first.count:,} {first.words[1]}"


def _first(change: ChangeClass, changes: Sequence[ResourceChange]) -> Affected | None:
    types = {found.type for found in changes}
    if not types:
        return None
    kind = min(types, key=lambda name: (_ORDER.index(name) if name in _ORDER else len(_ORDER), name))
    words = RESOURCE_WORDS.get(kind, (resource_word(kind), resource_word(kind)))
    found = [item for item in changes if item.type == kind]
    if kind == NODE_POOL:
        words = _CPU_POOL if any(CPU_POOLS in item.name.split("/") for item in found) else _SYSTEM_POOL
    return Affected(change, words, len(found))


def _paired(changes: Iterable[ResourceChange], main: str) -> list[ResourceChange]:
    """The changes, in which a deletion and a creation of one type beside ``main`` are one replacement."""
    changes = list(changes)
    made = Counter(change.type for change in changes if change.operation == "create" and change.type != main)
    gone = Counter(change.type for change in changes if change.operation == "delete")
    pairs = made & gone
    to_replace, to_leave_out = Counter(pairs), Counter(pairs)
    found = []
    for change in changes:
        if change.operation == "delete" and to_replace[change.type]:
            to_replace[change.type] -= 1
            found.append(dataclasses.replace(change, effect="replace"))
        elif change.operation == "create" and to_leave_out[change.type]:
            to_leave_out[change.type] -= 1
        else:
            found.append(change)
    return found


def worst(changes: Iterable[ResourceChange], otherwise: ChangeClass) -> ChangeClass:
    """The most dangerous of what happens to resources."""
    return min((change.effect for change in changes), key=CLASSES.index, default=otherwise)


def facts_of(changes: Iterable[ResourceChange]) -> list[Fact]:
    """Why resources come to what they do, the most dangerous first, each reason once.

    Of a resource that is replaced, what its other differences would come to by themselves is beside the point.
    """
    reasons: dict[Fact, int] = {}
    for change in changes:
        decisive = [item for item in change.differences if item.effect == change.effect] or change.differences
        for item in decisive:
            place = CLASSES.index(item.effect)
            reasons[item.fact] = min(place, reasons.get(item.fact, place))
    return sorted(reasons, key=lambda fact: reasons[fact])
