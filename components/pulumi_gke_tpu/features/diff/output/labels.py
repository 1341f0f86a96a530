"""What happens to an item, in a word or two, and to all items, counted; and the words for the tool that does it."""

from collections import Counter
from collections.abc import Iterable, Sequence

from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.graph.resource_types import NODE_POOL
from pulumi_gke_tpu.core.text.findings import number
from pulumi_gke_tpu.features.diff.effects.classes import CLUSTERS, OTHER_POOLS, affected, subject
from pulumi_gke_tpu.features.diff.model import CLASSES, ChangeClass, ChangeReport, ItemChange, Operation, has_own_stack

LABELS: dict[ChangeClass, str] = {
    "delete": "DELETE",
    "replace": "REPLACE",
    "refused": "REFUSED",
    "no-op": "NO-OP",
    "restart": "RESTART",
    "in-place": "IN PLACE",
    "create": "CREATE",
    "metadata": "METADATA",
}
_HAPPENED: dict[ChangeClass, str] = {
    "delete": "deleted",
    "replace": "replaced",
    "refused": "refused",
    "no-op": "changed without effect",
    "restart": "restarted",
    "in-place": "changed in place",
    "create": "created",
    "metadata": "changed in metadata only",
}
_STATE = {"import": ("IMPORT", "imported"), "forget": ("FORGET", "forgotten")}


def label(item: ItemChange) -> str:
    """The change of an item in a word. A group that stays and only gets or loses slices is scaled."""
    if is_renamed(item):
        return "RENAME"
    if item.in_state and item.change == "metadata":
        return _STATE[item.in_state][0]
    return {"up": "SCALE UP", "down": "SCALE DOWN"}.get(_scaled(item), LABELS[shown_class(item)])


def is_renamed(item: ItemChange) -> bool:
    """Whether an item only has another key in the plan, which ``moved`` declares, so that its resources stay."""
    return item.change == "metadata" and item.former_item not in ("", item.item) and not item.in_state


def shown_class(item: ItemChange) -> ChangeClass:
    """The class for readers: a group that stays and loses slices while others are replaced or created is replaced."""
    stays = item.kind == "slices" and item.change == "delete" and not item.gone and item.former_item
    return "replace" if stays and {"replace", "create"} & _operations_on_pools(item) else item.change


def _operations_on_pools(item: ItemChange) -> set[Operation]:
    return {resource.operation for resource in item.resources if resource.type == NODE_POOL}


def title(item: ItemChange, report: ChangeReport) -> str:
    """The plan and the item, without the plan if there is only one, and the part of a cluster that changes."""
    name = item.item if len(report.plans) == 1 else f"{plan_label(item.plan)} · {item.item}"
    part = subject(item)
    return f"{name} ({part})" if part else name


def without_groups_of(items: Sequence[ItemChange]) -> list[ItemChange]:
    """The items without the groups of their clusters: a rename or an acknowledgement of a cluster includes these."""
    clusters = {(item.plan, item.item) for item in items if item.kind == "cluster"}
    return [item for item in items if (item.plan, item.item.rpartition("/")[0]) not in clusters]


def plan_label(plan: str) -> str:
    """A short name of a plan file: its folder if the file name is plan.yaml or gke-tpu.yaml."""
    return plan.rpartition("/")[0] if plan.count("/") and has_own_stack(plan) else plan


def effects(items: Iterable[ItemChange], groups: tuple[str, str]) -> list[str]:
    """The changed things by class: clusters, slice groups, then the resources of clusters, each type by its name.

    ``groups`` is what slice groups are called.
    """
    words = {"cluster": CLUSTERS, "slices": groups, "nodes": OTHER_POOLS}
    counts: Counter[tuple[ChangeClass, tuple[str, str], str]] = Counter()
    for item in items:
        scaled = _scaled(item)
        if scaled:
            counts[item.change, groups, f"scaled {scaled}"] += 1
        elif item.change == "metadata" and (is_renamed(item) or item.in_state):
            happened = _STATE[item.in_state][1] if item.in_state else "renamed"
            counts[item.change, words[item.kind], happened] += 1
        elif item.kind == "cluster":
            for thing in affected(item):
                counts[thing.change, thing.words, _HAPPENED[thing.change]] += thing.count
        else:
            change = shown_class(item)
            counts[change, words[item.kind], _HAPPENED[change]] += 1
    kinds = [*words.values()]
    found = sorted(
        counts.items(),
        key=lambda entry: (
            CLASSES.index(entry[0][0]),
            kinds.index(entry[0][1]) if entry[0][1] in kinds else len(kinds),
            entry[0][1],
            entry[0][2],
        ),
    )
    return [f"{number(count, *things)} {happened}" for (_, things, happened), count in found]


def _scaled(item: ItemChange) -> str:
    """``up`` if a group that stays only gets slices, ``down`` if it only loses some; otherwise nothing."""
    if item.kind != "slices" or item.gone or not item.former_item:
        return ""
    done = _operations_on_pools(item)
    if item.change == "create" and "create" in done:
        return "up"
    if item.change == "delete" and "delete" in done:
        return "down" if shown_class(item) == "delete" else ""
    shrinks = item.change == "restart" and item.hosts_gone.maximum and not item.hosts_restarted.maximum
    return "down" if shrinks and not done & {"create", "replace", "delete"} else ""


@frozen
class Words:
    """How a report speaks of one tool."""

    tool: str
    apply: str
    """The command that carries the change out, in backticks."""
    destroy: str
    """The command that deletes everything, in backticks."""
    groups: tuple[str, str]
    """What a slice group is called, in the singular and in the plural."""
    removed: str
    """What happened to an item that the change deletes."""
    nothing: str
    """That nothing changes."""
    renamed: str
    """What a rename is."""
    metadata: str
    """What changes that affect no node are."""


PULUMI = Words(
    tool="Pulumi",
    apply="`pulumi up`",
    destroy="`pulumi destroy`",
    groups=("slice group", "slice groups"),
    removed="removed from the plan",
    nothing="no changes",
    renamed="Only the key in the plan changes; Pulumi keeps the resources.",
    metadata="Labels, timeouts, Pulumi options, or on Autopilot what Pods can request: no node changes now.",
)
_TERRAFORM = Words(
    tool="Terraform",
    apply="`terraform apply`",
    destroy="`terraform destroy`",
    groups=("TPU node pool", "TPU node pools"),
    removed="removed from the configuration",
    nothing="no changes of TPU node pools or clusters",
    renamed="Only the address changes; Terraform keeps the resource.",
    metadata="Labels, timeouts and other properties that affect no node.",
)
_GKE = Words(
    tool="GKE",
    apply="this change",
    destroy="the deletion",
    groups=("slice group", "slice groups"),
    removed="exists no longer",
    nothing="no changes of node pools or clusters",
    renamed="Only the name changes; the resources stay.",
    metadata="Labels, timeouts and other properties that affect no node.",
)
_WORDS = {"": PULUMI, "Terraform": _TERRAFORM, "GKE": _GKE}


def words_of(report: ChangeReport) -> Words:
    """The words for the tool of a report."""
    return _WORDS[report.tool]
