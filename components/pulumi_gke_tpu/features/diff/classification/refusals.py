"""The reasons that a change of one resource fails: protection in Pulumi or of a cluster, and failing updates."""

from collections.abc import Sequence
from typing import Literal

from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.features.diff.classification.classified import ClassifiedDiff
from pulumi_gke_tpu.features.diff.classification.match import ResourcePair
from pulumi_gke_tpu.features.diff.classification.semantics import Semantics
from pulumi_gke_tpu.features.diff.model import Operation

_DELETION_PROTECTION = "deletionProtection"


@frozen
class Refusal:
    """The reason that a run fails, and the cause: engine, provider or GKE."""

    text: str
    by: Literal["", "engine", "provider", "GKE"]


NOTHING = Refusal("", "")


def refusal(
    pair: ResourcePair,
    operation: Operation,
    semantics: Semantics,
    classified: Sequence[ClassifiedDiff],
    *,
    delete_first: bool = False,
    deleted_with: str,
    crashes_at: str = "",
) -> Refusal:
    """The first failure of the change of a resource.

    ``delete_first`` is about a replacement: whether the old resource is deleted before the new one is created.
    ``deleted_with`` is the name of the resource whose replacement deletes this one before; empty where none does.
    ``crashes_at`` is the name of the resource at which the provider crashes before; empty if it does not crash.
    """
    if operation in ("delete", "replace"):
        protected = _protection(pair, deleted_with=deleted_with)
        if protected.text:
            return protected
        if crashes_at:
            why = "it does not know the interfaces in the replaced network yet"
            return Refusal(f"the provider crashes when it compares node pool {crashes_at}: {why}", "provider")
        return _deletion(pair, operation, semantics, delete_first=delete_first)
    if operation == "update":
        return _update(classified)
    return NOTHING


def _protection(pair: ResourcePair, *, deleted_with: str) -> Refusal:
    base, head = pair.base, pair.head
    assert base is not None
    if base.options.protect:
        # For deleted resources, the engine reads the protection from the state; for replaced ones, also the new one.
        if deleted_with:
            return Refusal(f"it is protected, and replacing {deleted_with} would delete it first", "engine")
        if head is None:
            return Refusal("it is protected, and Pulumi does not delete protected resources", "engine")
        if head.options.protect:
            return Refusal("it is protected, and Pulumi does not replace protected resources", "engine")
    return NOTHING


def _deletion(pair: ResourcePair, operation: Operation, semantics: Semantics, *, delete_first: bool) -> Refusal:
    base, head = pair.base, pair.head
    assert base is not None
    if _DELETION_PROTECTION in semantics.properties and semantics.filled(base.inputs).get(_DELETION_PROTECTION):
        after = "" if base.inputs.get("enableAutopilot") else ", after the deletion of its node pools"
        return Refusal(
            f"deletionProtection is enabled, which a preview does not check: the update fails at the deletion of the"
            f" cluster{after}",
            "provider",
        )
    if operation == "replace" and head is not None and not delete_first:
        name = semantics.explicit_name(head.inputs)
        if name and name == semantics.explicit_name(base.inputs):
            return Refusal(
                f"the new resource is created before the old one is deleted, and {name} is still in use", "provider"
            )
    return NOTHING


def _update(classified: Sequence[ClassifiedDiff]) -> Refusal:
    for item in classified:
        if item.reason == "broken":
            return Refusal(f"the provider's update of {item.difference.path} fails", "provider")
    for item in classified:
        if item.reason == "in-use":
            why = "a cluster uses it, and only a new cluster is known to accept another value"
            return Refusal(f"{item.difference.path} is not expected to change: {why}", "GKE")
        if item.reason == "set-once":
            return Refusal(
                f"GKE does not change {item.difference.path}: remove it in an update of its own first", "GKE"
            )
        if item.reason == "refused":
            return Refusal(f"GKE does not update {item.difference.path} of a multi-host slice", "GKE")
    return NOTHING
