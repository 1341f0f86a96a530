"""Notes on what a comparison of plans cannot know, and sentences that count resources."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from pulumi_gke_tpu.core.estimate.sums import shared_reservations
from pulumi_gke_tpu.core.fleet import Cluster, SliceGroup
from pulumi_gke_tpu.core.graph.phrases import RESOURCE_WORDS, amount, be, counted, resource_word, them
from pulumi_gke_tpu.core.graph.registered import PlanPreview
from pulumi_gke_tpu.core.graph.resource_types import ACCOUNT, IAM_MEMBER
from pulumi_gke_tpu.core.kinds.manifest import delete_command
from pulumi_gke_tpu.core.text.findings import listed, quoted
from pulumi_gke_tpu.features.diff.consent import GroupChange
from pulumi_gke_tpu.features.diff.model import ItemChange, ObjectChange, ResourceChange, Sentences, has_own_stack

_MOST_GROUPS = 5
_MOST_COMMANDS = 3
_BY_HELM = ("EndpointPicker", "Operator")
"""What consists of several objects."""
_WITH_STACK = "Its stack keeps all resources until `pulumi destroy`."
_IN_PROGRAM = (
    "If a program loads it together with other plans, `pulumi up` deletes its resources. A stack of its own keeps them "
    "until `pulumi destroy`."
)
_APPLIED = (
    "Both sides have Kubernetes objects as this version of gke-tpu writes them. For objects that another version "
    "applied, `gke-tpu manifests --check DIR` and `pulumi preview` show all differences."
)


def notes_of(
    plans: Iterable[tuple[PlanPreview | None, PlanPreview | None]],
    items: Sequence[ItemChange],
    objects: Sequence[ObjectChange] = (),
) -> tuple[str, ...]:
    """One sentence each: new and removed plans, unknown values, and facts of low confidence."""
    plans = list(plans)
    notes: list[str] = list(_moved_clusters(plans))
    for base, head in plans:
        if base is not None and head is None:
            own = has_own_stack(base.name)
            notes.append(f"The plan {quoted(base.name)} was removed. {_WITH_STACK if own else _IN_PROGRAM}")
        elif head is not None and base is None:
            notes.append(f"The plan {quoted(head.name)} is new.")
    for base, head in plans:
        if base is not None and head is not None:
            notes += _budget_notes(base, head)
    notes += cost_notes(*([side for side in found if side is not None] for found in zip(*plans, strict=True)))
    if any(item.hosts_gone.minimum != item.hosts_gone.maximum for item in items):
        notes.append("The current number of hosts in autoscaled node pools is unknown: the report uses their limits.")
    if items and not any(side.exists for pair in plans for side in pair if side is not None):
        notes.append("This report compares plans. It does not show changes that were made outside of Pulumi.")
    if objects:
        notes.append(_APPLIED)
    notes += _deletions(objects)
    notes += confidence_notes(items)
    return tuple(notes)


def _deletions(objects: Sequence[ObjectChange]) -> Iterator[str]:
    """The commands for objects that leave the plan: Pulumi deletes them, and ``kubectl apply`` does not."""
    clusters: dict[str, dict[str, None]] = {}
    """Command -> the clusters in which it deletes an object."""
    for item in reversed(objects):
        kind, *rest = item.object.split("/")
        command = delete_command(kind, *reversed(rest)) if item.operation == "delete" and kind not in _BY_HELM else ""
        if command:
            clusters.setdefault(command, {})[item.cluster] = None
    several = len({cluster for named in clusters.values() for cluster in named}) > 1
    commands = []
    for command, named in clusters.items():
        where = f" (in {listed([quoted(key) for key in sorted(named)], most=_MOST_COMMANDS)})" if several else ""
        commands.append(f"{quoted(command)}{where}")
    if commands:
        names = listed(commands, most=_MOST_COMMANDS)
        yield f"`kubectl apply` keeps objects that leave the plan, and workloads hold their chips. Run {names}."


def _budget_notes(base: PlanPreview, head: PlanPreview) -> Iterator[str]:
    """New slice groups in budgets that others draw from: they get no chips of their own."""
    former = {group.key for _, group in base.fleet.groups()}
    by_budget: dict[str, list[SliceGroup]] = {}
    for _, group in head.fleet.groups():
        if group.budget is not None:
            by_budget.setdefault(group.budget.name, []).append(group)
    for budget in head.fleet.budgets:
        groups = by_budget.get(budget.name, [])
        added = [group for group in groups if not {group.key, *group.former_keys} & former]
        others = [group for group in groups if {group.key, *group.former_keys} & former]
        if added and others:
            names, most = listed([quoted(group.key) for group in added]), sum(group.chips.maximum for group in added)
            yield (
                f"{names} {be(len(added))} new in budget {quoted(budget.name)}, which has {budget.size:,} chips: up to "
                f"{min(most, budget.size):,} of them are no longer free for "
                f"{listed([quoted(group.key) for group in others], most=_MOST_GROUPS)}."
            )


def cost_notes(base: Sequence[PlanPreview] = (), head: Sequence[PlanPreview] = ()) -> Iterator[str]:
    """The prices that are unknown, each with the groups that need it, and what keeps the totals afterwards low."""
    for shared in shared_reservations(cost for side in head for cost in side.cost.groups):
        yield shared.sentence
    unknown: dict[str, dict[str, None]] = {}
    for side in (*base, *head):
        for group in side.cost.groups:
            for reason in filter(None, (group.left_out, group.premium_unknown)):
                unknown.setdefault(reason, {})[group.group] = None
    for reason, groups in unknown.items():
        yield f"Cost is incomplete: {reason} ({listed([*map(quoted, groups)], most=_MOST_GROUPS)})."


def confidence_notes(items: Iterable[ItemChange]) -> Iterator[str]:
    """The facts of low confidence on which the report relies."""
    weak = {fact.text: fact.source for item in items for fact in item.facts if fact.confidence == "low"}
    yield from (f"Low confidence: {text.rstrip('.')} ({source})." for text, source in weak.items())


def _moved_clusters(plans: Sequence[tuple[PlanPreview | None, PlanPreview | None]]) -> Iterable[str]:
    """A sentence for each cluster that one plan loses and another one gets: Pulumi does not move its state."""
    lost = [(base.name, found) for base, head in plans if base for found in _created(base, but=head)]
    gained = {found: head.name for base, head in plans if head for found in _created(head, but=base)}
    for old, cluster in lost:
        if cluster in gained:
            yield (
                f"Cluster {quoted(cluster[-1])} moves from {quoted(old)} to {quoted(gained[cluster])}: GKE does not "
                "create it for the new plan while it exists. To keep it and its nodes, move its resources to the other "
                "stack with `pulumi state move` before you apply the change."
            )


def _created(preview: PlanPreview, *, but: PlanPreview | None) -> list[tuple[str, str, str]]:
    """Project, location and name of the clusters that a plan creates, without those that another one creates, too."""
    others = _created(but, but=None) if but else []
    found = ((each.project, each.location, each.name) for each in preview.fleet.clusters if not each.existing)
    return [cluster for cluster in found if cluster not in others]


DONE = {"delete": "deleted", "replace": "replaced", "create": "created"}
"""Operation -> its participle."""


def describe_counts(changes: Iterable[ResourceChange], done: str, sentences: Sentences) -> None:
    """How many resources of each kind are created, deleted or replaced."""
    changes = list(changes)
    parts = _counted_kinds(changes)
    if parts:
        sentences.add(f"{listed(parts, most=5)} {be(len(changes))} {done}")


def _counted_kinds(changes: Iterable[ResourceChange]) -> list[str]:
    counts = Counter(change.type for change in changes)
    order = list(RESOURCE_WORDS)
    kinds = sorted(counts, key=lambda kind: (order.index(kind) if kind in order else len(order), kind))
    return [counted(counts[kind], *RESOURCE_WORDS.get(kind, (resource_word(kind), ""))) for kind in kinds]


def describe_adoption(
    changes: Sequence[ResourceChange], head: Cluster | SliceGroup | None, sentences: Sentences
) -> None:
    """What Pulumi takes over, which changes nothing in the cloud if it is imported first."""
    counts = _counted_kinds(changes)
    if not counts:
        return
    size = ""
    if isinstance(head, SliceGroup) and head.hosts.maximum:
        size = f" with {amount(head.hosts, 'host')} ({amount(head.chips, 'chip')})"
    sentences.add(f"Pulumi adopts {listed(counts, most=5)}{size}: nothing changes in the cloud")
    what = them(len(changes))
    sentences.add(f"import {what} before `pulumi up`, which otherwise tries to create what exists")


def describe_account(item: GroupChange, sentences: Sentences) -> None:
    """The service account of a group that exists before and after the change."""
    if item.pair.base is None or item.pair.head is None:
        return
    for operation, done in DONE.items():
        found = [change for change in item.changes if change.type in (ACCOUNT, IAM_MEMBER)]
        describe_counts([change for change in found if change.operation == operation], done, sentences)
