"""States what a change means for a slice group that a ComputeClass serves before or after it."""

from pulumi_gke_tpu.core.fleet import SliceGroup
from pulumi_gke_tpu.core.graph.phrases import amount, bare_amount
from pulumi_gke_tpu.core.text.findings import quoted
from pulumi_gke_tpu.features.diff.consent.subject import GroupChange
from pulumi_gke_tpu.features.diff.sentences import Sentences


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
