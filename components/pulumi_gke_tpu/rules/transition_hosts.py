"""TPU958 to TPU960, and TPU965: changes that take away, or ask for, more than seems to be meant."""

from collections.abc import Hashable, Iterable
from typing import Any

from pulumi_gke_tpu.findings import Path, Severity, number, printable
from pulumi_gke_tpu.fleet import Cluster, SliceGroup
from pulumi_gke_tpu.rules.examples import RESERVED, SPOT, plan_of
from pulumi_gke_tpu.rules.rule import Hit, noted
from pulumi_gke_tpu.rules.transition import Transition, TransitionRule, count_path, transition_rule


@transition_rule(
    "TPU958",
    title="Many hosts go or restart at once",
    why="what many jobs run on stops at the same time, and how long it takes to get that much capacity back is unknown",
    fix="Change one slice group after the other, or allow it: `gke-tpu diff --most-hosts N`.",
    source="Counted by `gke-tpu diff`; more than 100 hosts in one plan, unless another number is given",
    severity=Severity.WARNING,
    failing="tpu: v6e\ntopology: 16x16\ncount: 2\n--- plan\ntpu: v6e\ntopology: 8x16\ncount: 2",
    passing="tpu: v6e\ntopology: 16x16\n--- plan\ntpu: v6e\ntopology: 8x16",
)
def many_hosts(transition: Transition) -> Iterable[Hit]:
    counts = {item: found.hosts_gone + found.hosts_restarted for item, found in transition.planned.items()}
    hosts = sum(counts.values())
    if hosts <= transition.most_hosts:
        return
    first = max(sorted(counts), key=lambda item: counts[item])
    paths: dict[str, Path] = {pair.item.key: pair.item.path for _, pair in transition.groups() if pair.head is not None}
    groups = sum(bool(count) for count in counts.values())
    going = [
        "go" if any(found.hosts_gone for found in transition.planned.values()) else "",
        "be re-created" if any(found.hosts_restarted for found in transition.planned.values()) else "",
    ]
    shown = printable(first) + (f" and {number(groups - 1, 'other group')}" if groups > 1 else "")
    yield Hit(
        paths.get(first, ("clusters",)),
        f"{number(hosts, 'host')} of {shown} would {' or '.join(filter(None, going))}, and at most "
        f"{transition.most_hosts:,} may at once",
    )


_RENAMED = f"{plan_of(f'pretrain: {SPOT}')}--- plan\n{plan_of(f'main: {SPOT}')}"


@transition_rule(
    "TPU959",
    otherwise={Severity.ERROR: "where the renamed item is protected"},
    title="Rename without a move",
    why="under another name everything is created anew and the old is deleted; a move keeps what exists",
    fix="Say that the item has moved.",
    source="how this tool reads `moved`; observed that a second pool of a name fails",
    basis="observed",
    severity=Severity.WARNING,
    failing=_RENAMED,
    passing=f"{_RENAMED}moved: [{{from: train/pretrain, to: train/main}}]",
)
def rename_without_move(transition: Transition) -> Iterable[Hit]:
    before = {
        item.key: item for pair in transition.pairs for item in (pair.base, *(g.base for g in pair.groups)) if item
    }
    after = {
        item.key: item for pair in transition.pairs for item in (pair.head, *(g.head for g in pair.groups)) if item
    }
    for old, new in renamed(transition).items():
        move = f"{{from: {printable(old)}, to: {printable(new)}}}"
        yield Hit(
            after[new].path,
            f"{printable(new)} says what {printable(old)} said, which is gone",
            severity=Severity.ERROR if _is_protected(before[old]) else None,
            given=printable(new.rpartition("/")[2]),
            fix=f"- {move}" if transition.head.moved else f"moved: [{move}]",
        )


def renamed(transition: Transition) -> dict[str, str]:
    """Items that are gone -> new ones that say the same, each once. Only what exists in the cloud is looked at."""
    found = _twins(
        [pair.base for pair in transition.pairs if pair.base is not None and pair.head is None],
        [pair.head for pair in transition.pairs if pair.head is not None and pair.base is None],
    )
    for pair in transition.pairs:
        if pair.base is not None and pair.head is not None:
            found |= _twins(
                [group.base for group in pair.groups if group.head is None and group.base and group.base.pools],
                [group.head for group in pair.groups if group.base is None and group.head and group.head.pools],
            )
    return found


def _twins(
    gone: Iterable[Cluster] | Iterable[SliceGroup], new: Iterable[Cluster] | Iterable[SliceGroup]
) -> dict[str, str]:
    by_content: dict[Hashable, list[str]] = {}
    for item in new:
        by_content.setdefault(_content(item), []).append(item.key)
    found: dict[str, str] = {}
    for item in gone:
        keys = by_content.get(_content(item))
        if keys:
            found[item.key] = keys.pop(0)
    return found


def _content(item: Cluster | SliceGroup) -> Hashable:
    """What an item says, apart from its name."""
    plan: Any = item.plan
    return tuple(repr(getattr(plan, name)) for name in type(plan).model_fields if name != "name")


def _is_protected(item: Cluster | SliceGroup) -> bool:
    return item.deletion_protection if isinstance(item, Cluster) else bool(item.protect)


@transition_rule(
    "TPU960",
    title="Slice of several hosts is no longer autoscaled",
    why="its node pools are replaced: GKE does not resize a slice of several hosts by hand, and it would stay at zero",
    fix="Keep it autoscaled, or acknowledge the replacement (`change: replace`).",
    source="observed on 2026-11-20",
    severity=Severity.WARNING,
    today="2026-11-20",
    failing="tpu: v6e\ntopology: 4x4\ncount: {min: 0, max: 1}\n--- plan\ntpu: v6e\ntopology: 4x4\ncount: 1",
    passing="tpu: v6e\ntopology: 4x4\ncount: 1\n--- plan\ntpu: v6e\ntopology: 4x4\ncount: {min: 0, max: 1}",
)
def no_longer_autoscaled(transition: Transition) -> Iterable[Hit]:
    for _, pair in transition.groups():
        base, head = pair.base, pair.head
        if base is None or head is None or not (base.pools and head.pools):
            continue
        multi_host = base.shape.multi_host and head.shape.multi_host
        if multi_host and base.autoscaled and not head.autoscaled:
            if transition.acknowledged(transition.head, head.key):
                continue
            yield Hit(
                count_path(pair),
                f"{printable(head.key)} would be replaced only to have a fixed number of slices",
                fact=noted(transition.catalog.platform.notes, "multi-host-no-resize"),
                fix=f"count: {{min: 0, max: {head.slices.maximum}}}",
            )


_TWO = f"{RESERVED}\nprotect: false"
_OWNED = """
--- inventory
reservations:
  - {name: v6e-pretrain, project: acme-ml, zone: us-east5-b, machine_type: ct6e-standard-4t, vms: 32}
"""


@transition_rule(
    "TPU965",
    otherwise={Severity.WARNING: "where only the largest autoscaled size exceeds the reservation"},
    title="Reservation is too small for old and new slices together",
    why="new node pools are asked for before old ones are deleted, so for a while both hold VMs, and none are left",
    fix="Take two updates: first let the old slices go, then ask for the new ones.",
    source="Pulumi: what a program no longer has is deleted last; observed on 2026-11-20",
    basis="observed",
    today="2026-11-20",
    failing=f"{_TWO}\ncount: 2\n--- plan\n{_TWO}\nindices: [1, 2]{_OWNED}",
    passing=f"{_TWO}\ncount: 2\n--- plan\n{_TWO}\nindices: [1]{_OWNED}",
)
def reservation_overlaps(transition: Transition) -> Iterable[Hit]:
    for _, pair in transition.groups():
        found = transition.planned.get(pair.item.key)
        if pair.head is None or found is None or not found.reservation:
            continue
        certain = found.needed.minimum > found.limit
        yield Hit(
            count_path(pair),
            f"until old slices go, {found.needed} VMs of reservation {printable(found.reservation)} "
            f"{'are' if certain else 'may be'} needed, and there are {found.limit:,}",
            severity=None if certain else Severity.WARNING,
        )


CHECKS: tuple[TransitionRule, ...] = (many_hosts, rename_without_move, no_longer_autoscaled, reservation_overlaps)
