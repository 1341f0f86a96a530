"""What protects an item, what lifts that, and what to write to go ahead."""

import datetime
import json
import re
from dataclasses import dataclass
from typing import Literal

from pulumi_gke_tpu.change.model import AcknowledgementUse, ResourceChange
from pulumi_gke_tpu.change.subject import CLUSTER, Around, ClusterChange, GroupChange, Saying
from pulumi_gke_tpu.findings import printable
from pulumi_gke_tpu.fleet.pairs import protected_as_written

_DAYS_TO_GO_AHEAD = 14
_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9_-]*(/[A-Za-z0-9_-]+)?\Z")


@dataclass(frozen=True, slots=True)
class Stop:
    """Why a change stops, and what to write to go ahead; both empty where it goes on."""

    text: str = ""
    fix: str = ""
    updates: int = 1
    """How many runs of ``pulumi up`` it takes to go ahead."""


def refusal(item: GroupChange | ClusterChange, used: AcknowledgementUse | None) -> Stop:
    """Whether and why a change stops."""
    stopped = [change for change in item.changes if change.refused]
    protected = [change for change in stopped if _is_protection(item, change)]
    if not stopped:
        if used is not None and used.state == "not on base" and item.loses and _is_lifted(item):
            return Stop("Its acknowledgement is new with this change, and only those of the base count.")
        return Stop()
    said = Saying(item.around.catalog)
    if not protected:
        said.say(f"`pulumi up` fails: {_plain(stopped[0].refused)}")
        return Stop(said.text)
    # What is deleted, or deleted along with something else, is judged by what was before.
    deletes = any(change.operation == "delete" for change in protected)
    before = deletes or isinstance(item, ClusterChange) or any(change.because_of for change in protected)
    said.say(f"`pulumi up` stops: {_protected_by(item, deletes)}")
    if used is not None and used.state == "expired":
        said.say(f"its acknowledgement ended on {used.until}")
    first = "two updates are needed: first apply the plan as it was before this change"
    if used is not None and used.state in ("used", "not on base"):
        said.say(f"{first}, with the acknowledgement; then this change")
        return Stop(said.text, updates=2)
    if deletes:
        said.say(
            f"what the plan no longer has cannot say that it may go, so {first}, with this entry; then this change"
        )
    elif before:
        said.say(f"{first}, with this entry; then this change")
    of = item.cluster.item.key if isinstance(item, GroupChange) and item.cluster_goes else item.key
    fix = entry(of, "delete" if deletes else "replace", item.around)
    return Stop(said.text, fix, updates=2 if before else 1)


def _is_protection(item: GroupChange | ClusterChange, change: ResourceChange) -> bool:
    """Whether a resource is protected, as opposed to an update that fails by itself."""
    if change.refused_by == "engine":
        return True
    if isinstance(item, GroupChange) or change.type != CLUSTER or change.operation not in ("delete", "replace"):
        return False
    return item.pair.base is not None and item.pair.base.deletion_protection


def _is_lifted(item: GroupChange | ClusterChange) -> bool:
    """Whether an item would be protected if nothing were acknowledged."""
    if isinstance(item, GroupChange):
        groups = (item.pair.base, item.pair.head)
        return any(group is not None and protected_as_written(group) and not group.protect for group in groups)
    clusters = (item.pair.base, item.pair.head)
    return any(
        cluster is not None and cluster.plan.deletion_protection and not cluster.deletion_protection
        for cluster in clusters
    )


def _plain(text: str) -> str:
    """Words of ours around names of the plan, without backticks."""
    return printable(text.replace("`", "'"), 300)


def entry(of: str, change: Literal["replace", "delete"], around: Around) -> str:
    """The acknowledgement to paste: the whole key, or an entry of it where the plan has some already."""
    until = "YYYY-MM-DD"
    if around.today is not None:
        last = datetime.date.max - around.today
        until = (around.today + min(datetime.timedelta(days=_DAYS_TO_GO_AHEAD), last)).isoformat()
    name = of if _PLAIN.match(of) else json.dumps(of)
    text = f'{{change: {change}, of: {name}, reason: "...", until: {until}}}'
    return f"- {text}" if around.has_acknowledge else f"acknowledge: [{text}]"


def say_protection(item: GroupChange, said: Saying) -> None:
    """What becomes of a group's protection where nothing stops the change."""
    base, head = item.pair.base, item.pair.head
    if base is None or any(change.refused for change in item.changes):
        return
    gone = bool(item.fates.gone)
    deleted = "delete" in item.loses
    if deleted and not base.protect and item.around.acknowledgements.only_replacement(item.key):
        said.say("only a replacement is acknowledged, which lifts the protection as a whole: nothing stops this")
        return
    if head is None:
        return
    if item.effect == "restart" and base.protect:
        said.say("its protection does not stop this")
    if bool(base.protect) == bool(head.protect):
        return
    if head.protect:
        said.say("it is protected from now on")
        return
    lifting = item.around.acknowledgements.lifting(item.key)
    if lifting is not None:
        said.say("" if gone else f"its protection is lifted until {lifting.until}, as acknowledged")
    elif gone:
        said.say("its protection falls away in the same update: nothing stops this")
    else:
        said.say("it is no longer protected")


def _protected_by(item: GroupChange | ClusterChange, deletes: bool) -> str:
    """A deletion is judged by what was before, a replacement by what comes."""
    if isinstance(item, ClusterChange):
        return "the cluster's deletion protection is on, which shows only after its node pools are deleted"
    base, head = item.pair.base, item.pair.head
    group = (base or head) if deletes else (head or base)
    by_capacity = group is not None and group.plan.protect is None and group.plan.capacity.mode == "reservation"
    return f"the group is protected{' (reserved capacity)' if by_capacity else ''}"
