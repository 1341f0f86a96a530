"""The protection of an item, the way to lift it, and the reason that `pulumi up` fails."""

from typing import Literal

from pulumi_gke_tpu.core.fleet.pairs import protected_as_written
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.graph.types import CLUSTER
from pulumi_gke_tpu.core.text.findings import printable, without_backquotes
from pulumi_gke_tpu.features.diff.consent.fixes import acknowledgement, again
from pulumi_gke_tpu.features.diff.consent.subject import ClusterChange, GroupChange
from pulumi_gke_tpu.features.diff.model import AcknowledgementUse, Fix, ResourceChange
from pulumi_gke_tpu.features.diff.sentences import Sentences

_TWO_UPDATES = "make two updates: first add only the `acknowledge` entry on the base branch; then make this change"


@frozen
class UpdateRefusal:
    """The reason that a change fails in ``pulumi up``, and the entries that allow it; all empty if it does not fail."""

    text: str = ""
    fixes: tuple[Fix, ...] = ()
    updates: int = 1
    """The number of updates (runs of ``pulumi up``) that the change requires."""


def refusal(item: GroupChange | ClusterChange, used: AcknowledgementUse | None) -> UpdateRefusal:
    """The failure of a change, and the entries that allow it; for a rename, its ``moved`` entry."""
    if isinstance(item, ClusterChange) and item.pair.handed_over:
        return _handed_over(item, used)
    stop = _without_rename(item, used)
    if not item.renames:
        return stop
    reason = stop.text.removesuffix(f" {_capital(_TWO_UPDATES)}.")
    return UpdateRefusal(reason, item.context.renames.fixes(item.key, item.context.lists))


def _handed_over(item: ClusterChange, used: AcknowledgementUse | None) -> UpdateRefusal:
    """The plan starts or stops to refer to its own cluster as an existing one.

    An acknowledgement in the plan after the change states that the state retains the cluster, or that the deletion is
    intended.
    """
    lists = item.context.lists
    if item.pair.handed_over == "taken":
        return UpdateRefusal("`pulumi up` will fail: the cluster exists already, so GKE does not create it.")
    if used is not None and used.state == "used":
        return UpdateRefusal()
    protected = item.pair.base is not None and item.pair.base.deletion_protection
    text = (
        "`pulumi up` will fail at the deletion protection of the cluster, after it has deleted the system pool."
        if protected and item.pair.item.mode == "standard"
        else ""
    )
    if used is not None and used.state == "not on base":
        return UpdateRefusal(text, (again(lists, used, _of_base(item, used.of)),), updates=2)
    return UpdateRefusal(text, (acknowledgement(lists, "head", "delete", item.key, item.context.today),))


def _without_rename(item: GroupChange | ClusterChange, used: AcknowledgementUse | None) -> UpdateRefusal:
    stopped = [change for change in item.changes if change.refused]
    protected = [change for change in stopped if _is_protection(item, change)]
    lists = item.context.lists
    if not stopped:
        if used is not None and used.state == "not on base" and item.loses and _is_lifted(item):
            text = "Its acknowledgement is new in this change, but gke-tpu accepts only those of the base."
            return UpdateRefusal(text, (again(lists, used, _of_base(item, used.of)),), updates=2)
        return UpdateRefusal()
    sentences = Sentences(item.context.catalog)
    if not protected:
        fails = "fails" if stopped[0].refusal_is_certain else "is expected to fail"
        sentences.add(f"`{item.context.command}` {fails}: {_plain(stopped[0].refused)}")
        return UpdateRefusal(sentences.text)
    # The plan before the change decides the protection of deleted items, also of those deleted with another item.
    deletes = any(change.operation == "delete" for change in protected)
    before = deletes or isinstance(item, ClusterChange) or any(change.because_of for change in protected)
    sentences.add(f"`{item.context.command}` will fail: {_protected_by(item, deletes)}")
    if used is not None and used.state == "expired":
        sentences.add(f"its acknowledgement ended on {used.until}")
    of = item.cluster.item.key if isinstance(item, GroupChange) and item.cluster_goes else item.key
    if used is not None and used.state in ("used", "not on base") and not _is_too_little(item, used):
        sentences.add(_TWO_UPDATES)
        return UpdateRefusal(sentences.text, (again(lists, used, _of_base(item, used.of)),), updates=2)
    what: Literal["delete", "replace"] = item.cluster_goes or ("delete" if deletes else "replace")
    if before or item.context.acknowledgements.only_of_base:
        sentences.add(_TWO_UPDATES)
        fix = acknowledgement(lists, "base", what, _of_base(item, of), item.context.today)
        return UpdateRefusal(sentences.text, (fix,), updates=2)
    return UpdateRefusal(sentences.text, (acknowledgement(lists, "head", what, of, item.context.today),))


def _is_too_little(item: GroupChange | ClusterChange, used: AcknowledgementUse) -> bool:
    """Whether an acknowledgement of an item leaves a loss of its cluster without one."""
    cluster = item.cluster if isinstance(item, GroupChange) else item.pair
    if not item.cluster_goes:
        return False
    of_group = used.of not in {both.key for both in (cluster.base, cluster.head) if both is not None}
    protected = cluster.base is not None and cluster.base.deletion_protection
    return (of_group and protected) or (used.change == "replace" and item.cluster_goes == "delete")


def _of_base(item: GroupChange | ClusterChange, of: str) -> str:
    """The name of an item or its cluster in the plan before the change."""
    pairs = (item.pair, item.cluster) if isinstance(item, GroupChange) else (item.pair,)
    return next((pair.base.key for pair in pairs if pair.base is not None and pair.item.key == of), of)


def _capital(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}"


def _is_protection(item: GroupChange | ClusterChange, change: ResourceChange) -> bool:
    """Whether a resource is protected, as opposed to an update that fails for another reason."""
    if change.refused_by == "engine":
        return True
    if isinstance(item, GroupChange) or change.type != CLUSTER or change.operation not in ("delete", "replace"):
        return False
    return item.pair.base is not None and item.pair.base.deletion_protection


def _is_lifted(item: GroupChange | ClusterChange) -> bool:
    """Whether an item would be protected without acknowledgements."""
    if isinstance(item, GroupChange):
        groups = (item.pair.base, item.pair.head)
        return any(group is not None and protected_as_written(group) and not group.protect for group in groups)
    clusters = (item.pair.base, item.pair.head)
    return any(
        cluster is not None
        and not cluster.existing
        and cluster.plan.deletion_protection
        and not cluster.deletion_protection
        for cluster in clusters
    )


def _plain(text: str) -> str:
    """Our own text with names of the plan, without backticks."""
    return printable(without_backquotes(text), 300)


def describe_protection(item: GroupChange, sentences: Sentences) -> None:
    """The effect of a change on the protection of a group, if the change does not fail."""
    base, head = item.pair.base, item.pair.head
    if base is None or any(change.refused for change in item.changes):
        return
    gone = bool(item.pool_changes.gone)
    deleted = "delete" in item.loses
    if deleted and not base.protect and item.context.acknowledgements.only_replacement(item.key):
        sentences.add(
            "only a replacement is acknowledged, but this also lifts the protection against a deletion, so the "
            "deletion is not prevented"
        )
        return
    if head is None:
        return
    if item.effect == "restart" and base.protect:
        sentences.add("its protection does not prevent the restart")
    if bool(base.protect) == bool(head.protect):
        return
    if head.protect:
        sentences.add("the group is protected from now on")
        return
    lifting = item.context.acknowledgements.lifting(item.key)
    if lifting is not None:
        sentences.add("" if gone else f"the acknowledgement lifts the protection of the group until {lifting.until}")
    elif gone:
        sentences.add("the same update removes the protection, so the protection prevents nothing")
    else:
        sentences.add("the group is no longer protected")


def _protected_by(item: GroupChange | ClusterChange, deletes: bool) -> str:
    """The protection that applies: for a deletion that of the old plan, for a replacement that of the new plan."""
    if isinstance(item, ClusterChange):
        enabled = "deletion protection of the cluster is enabled"
        base = item.pair.base
        if base is not None and base.mode == "autopilot":  # the cluster is the first that would be deleted
            return enabled
        return f"{enabled}, and the update fails only after Pulumi has deleted the node pools of the cluster"
    before, head = item.pair.base, item.pair.head
    group = (before or head) if deletes else (head or before)
    by_capacity = group is not None and group.plan.protect is None and group.plan.capacity.mode == "reservation"
    return f"the group is protected{' (reserved capacity)' if by_capacity else ''}"
