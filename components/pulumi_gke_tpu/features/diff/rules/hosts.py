"""TPU958 to TPU960, TPU965 and TPU976: changes of hosts, names and reservations that may be unintended."""

from collections.abc import Iterable

from pulumi_gke_tpu.core.catalog.records.facts import note_by_id
from pulumi_gke_tpu.core.fleet import Cluster, SliceGroup
from pulumi_gke_tpu.core.fleet.names import RenameCandidate
from pulumi_gke_tpu.core.fleet.pairs import both_kinds
from pulumi_gke_tpu.core.rules.engine.examples import RESERVED, SPOT, plan_of
from pulumi_gke_tpu.core.rules.engine.rule import Hit, of_groups, rule, warning
from pulumi_gke_tpu.core.text.findings import Fix, Path, SetKeys, Severity, number, printable, quoted
from pulumi_gke_tpu.core.text.findings.emit import flow
from pulumi_gke_tpu.features.diff.effects.pools import two_changes
from pulumi_gke_tpu.features.diff.rules.transition import Transition, count_path


@warning(
    "TPU958",
    about=("accept", "acknowledge", "clusters.*.slices.*.topology"),
    title="Change stops more hosts than the limit allows",
    why="many jobs stop at the same time, and it is unknown when so much capacity is available again. An "
    "`acknowledge` entry is about one item, so it does not change the limit of the whole change",
    fix="Change one slice group at a time. If the change is intended, the owner of the plan accepts the warning "
    "with an `accept` entry, its reason and an end date. Whoever runs `gke-tpu diff` can raise the limit with "
    "`--most-hosts N`; in a workflow, this is the input `most-hosts` of the GitHub action.",
    source="gke-tpu: limit of hosts per change, 100 or the value of `--most-hosts`",
    failing="tpu: v6e\ntopology: 16x16\ncount: 2\n--- plan\ntpu: v6e\ntopology: 8x16\ncount: 2",
    passing="tpu: v6e\ntopology: 16x16\n--- plan\ntpu: v6e\ntopology: 8x16",
)
def too_many_hosts_affected(transition: Transition) -> Iterable[Hit]:
    counts = {item: found.hosts_gone + found.hosts_restarted for item, found in transition.planned.items()}
    hosts = sum(counts.values())
    if hosts <= transition.most_hosts:
        return
    first = max(sorted(counts), key=lambda item: counts[item])
    paths: dict[str, Path] = {pair.item.key: pair.item.path for _, pair in transition.groups() if pair.head is not None}
    groups = sum(bool(count) for count in counts.values())
    going = [
        "deletes" if any(found.hosts_gone for found in transition.planned.values()) else "",
        "re-creates" if any(found.hosts_restarted for found in transition.planned.values()) else "",
    ]
    shown = printable(first) + (f" and {number(groups - 1, 'other group')}" if groups > 1 else "")
    yield Hit(
        paths.get(first, ("clusters",)),
        f"this change {' or '.join(filter(None, going))} {number(hosts, 'host')} of {shown}; the limit per change is "
        f"{transition.most_hosts:,}. An `accept` entry of the plan accepts this, or "
        f"`gke-tpu diff --most-hosts {hosts}` raises the limit; an `acknowledge` entry does neither",
    )


_AUTOSCALING = "autoscaling"
_RENAMED = f"{plan_of(f'pretrain: {SPOT}')}--- plan\n{plan_of(f'main: {SPOT}')}"


@warning(
    "TPU959",
    about=("acknowledge[].change", "clusters.*.slices", "moved"),
    otherwise={Severity.ERROR: "if the old item is protected, or the new one has the same name in GKE"},
    title="Item is renamed without a `moved` entry",
    why="Pulumi deletes all resources with the old name and creates resources with the new name. With a `moved` "
    "entry, Pulumi keeps the existing resources",
    fix="Add a `moved` entry. If you want to delete the old item, acknowledge the deletion first (`change: delete`), "
    "in a separate update.",
    references=["OBSERVED_2026_11_20"],
    source="observed in tests: a second node pool with the same name cannot be created",
    basis="observed",
    failing=_RENAMED,
    passing=f"{_RENAMED}moved: [{{from: train/pretrain, to: train/main}}]",
)
def undeclared_rename(transition: Transition) -> Iterable[Hit]:
    """Report an error where `pulumi up` fails: the old item is protected, or the new one has its name.

    Groups follow their cluster.
    """
    before = {item.key: item for pair in both_kinds(transition.pairs) if (item := pair.base)}
    after = {item.key: item for pair in both_kinds(transition.pairs) if (item := pair.head)}
    for rename in transition.renames:
        if any(candidate.moves[0][0] != rename.before for candidate in rename.candidates):
            continue
        names = [candidate.after for candidate in rename.candidates]
        stops = any(map(transition.stops, (rename.before, *names))) or _is_protected(before[rename.before])
        ways = [_moved(transition, candidate) for candidate in rename.candidates]
        yield Hit(
            after[names[0]].path,
            f"{quoted(rename.before)} is probably renamed to {' or '.join(map(printable, names))}, "
            "and `moved` does not declare it",
            severity=Severity.ERROR if stops else None,
            given=printable(names[0].rpartition("/")[2]),
            allowed=() if rename.certain else tuple(way.text for way in ways),
            fix=ways[0] if rename.certain else None,
        )


def _moved(transition: Transition, candidate: RenameCandidate) -> Fix:
    return transition.adding("moved", *(flow({"from": before, "to": after}) for before, after in candidate.moves))


def _is_protected(item: Cluster | SliceGroup) -> bool:
    return item.deletion_protection if isinstance(item, Cluster) else bool(item.protect)


_MOVED = f"{plan_of(f'main: {SPOT}')}moved: [{{from: train/pretrain, to: train/main}}]\n"
_NAMED = plan_of(f"main: {SPOT}").replace("main: {", "main: {name: pretrain, ")


@warning(
    "TPU976",
    about=("acknowledge[].change", "clusters.*.slices.*.name", "moved"),
    title="Change gives node pools another name in GKE",
    why="GKE cannot rename a node pool, so Pulumi creates node pools with the new name and deletes the existing node "
    "pools. A `moved` entry keeps the old name only while the plan contains the entry, unless the plan sets `name`",
    fix="Set `name` to the name that the node pools have. If you intend the new name, acknowledge the deletion "
    "(`change: delete`).",
    references=["container-api-discovery", "OBSERVED_2026_11_20"],
    today="2026-11-20",
    failing=f"{_MOVED}--- plan\n{_MOVED.partition('moved')[0]}",
    passing=f"{_MOVED}--- plan\n{_NAMED}",
)
def node_pools_renamed(transition: Transition) -> Iterable[Hit]:
    """Skip groups whose node pools a replaced cluster takes with it."""
    for cluster, pair in transition.groups():
        base, head = pair.base, pair.head
        if base is None or head is None or not (base.pools and head.pools) or base.name == head.name:
            continue
        if transition.replaced_for(cluster.item.key) or transition.acknowledged(transition.head, head.key):
            continue
        yield Hit(
            (*head.path, "name") if head.plan.written("name") else head.path,
            f"the name of {quoted(head.key)} in GKE changes from {printable(base.name)} to {printable(head.name)}, "
            "which deletes its node pools and creates new ones",
            fix=SetKeys.of(name=base.name),
        )


@warning(
    "TPU960",
    about=("acknowledge[].change", "clusters.*.slices.*.count"),
    title="Change removes the autoscaling of a multi-host slice",
    why="GKE cannot resize the node pool of a multi-host slice. If the autoscaler has scaled the slice to 0, the "
    "slice would stay at 0, so gke-tpu replaces the node pool",
    fix="Keep the autoscaling of the group, or acknowledge the replacement (`change: replace`).",
    references=["terraform-resize-notes", "OBSERVED_2026_11_20"],
    today="2026-11-20",
    failing="tpu: v6e\ntopology: 4x4\ncount: {min: 0, max: 1}\n--- plan\ntpu: v6e\ntopology: 4x4\ncount: 1",
    passing="tpu: v6e\ntopology: 4x4\ncount: 1\n--- plan\ntpu: v6e\ntopology: 4x4\ncount: {min: 0, max: 1}",
)
def autoscaling_removed(transition: Transition) -> Iterable[Hit]:
    """Report groups that are replaced for nothing else."""
    for _, pair in transition.groups():
        base, head = pair.base, pair.head
        if base is None or head is None or not (base.pools and head.pools):
            continue
        multi_host = base.shape.multi_host and head.shape.multi_host
        if multi_host and base.autoscaled and not head.autoscaled:
            if transition.acknowledged(transition.head, head.key) or transition.replaced_for(head.key) - {_AUTOSCALING}:
                continue
            yield Hit(
                count_path(pair),
                f"this change replaces the node pools of {quoted(head.key)} only to set a fixed number of slices",
                fact=note_by_id(transition.catalog.platform.notes, "multi-host-no-resize"),
                fix=SetKeys.of(count={"min": 0, "max": head.slices.maximum}),
            )


_TWO = f"{RESERVED}\nprotect: false"
_OWNED = """
--- inventory
reservations:
  - {name: v6e-pretrain, project: acme-ml, zone: us-east5-b, machine_type: ct6e-standard-4t, vms: 32}
"""


@rule(
    "TPU965",
    about=of_groups("count", "indices"),
    otherwise={
        Severity.WARNING: "if only the largest autoscaled size exceeds the reservation, or if Pulumi can delete the "
        "old slices in time"
    },
    title="Old and new slices together exceed the reservation",
    why="Pulumi creates new node pools before it deletes those that the plan no longer has, and without waiting for "
    "the replacement of others. The reservation does not have enough capacity for old and new ones at the same time",
    fix="Make two updates. First, delete or replace the old slices. Then, add the new slices.",
    references=["OBSERVED_2026_11_20"],
    basis="observed",
    today="2026-11-20",
    failing=f"{_TWO}\ncount: 2\n--- plan\n{_TWO}\nindices: [1, 2]{_OWNED}",
    passing=f"{_TWO}\ncount: 2\n--- plan\n{_TWO}\nindices: [1]{_OWNED}",
)
def reservation_overlap(transition: Transition) -> Iterable[Hit]:
    """Skip probable renames: their `moved` entry keeps the node pools."""
    for _, pair in transition.groups():
        found = transition.planned.get(pair.item.key)
        overlap = found.overlap if found is not None else None
        if pair.head is None or overlap is None or transition.is_renamed(pair.item.key):
            continue
        yield Hit(
            count_path(pair),
            f"until the old slices are deleted, {overlap.needed.counted(overlap.unit)} of reservation "
            f"{quoted(overlap.reservation)} {'are' if overlap.is_certain else 'may be'} needed; the reservation has "
            f"{number(overlap.limit or 0, f'available {overlap.unit}')}. Two changes work: "
            f"{two_changes(overlap, pair.head)}",
            severity=None if overlap.is_certain else Severity.WARNING,
        )
