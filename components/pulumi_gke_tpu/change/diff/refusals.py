"""The reasons that a change fails: protection in Pulumi or of a cluster, failing updates, names still in use."""

from collections.abc import Sequence
from typing import Literal

from pulumi_gke_tpu.change.diff.classified import ClassifiedDiff
from pulumi_gke_tpu.change.diff.match import ResourcePair
from pulumi_gke_tpu.change.diff.semantics import Semantics
from pulumi_gke_tpu.change.diff.values import LaterValues
from pulumi_gke_tpu.change.model import Operation
from pulumi_gke_tpu.frozen import frozen
from pulumi_gke_tpu.graph.model import Resource

_DELETION_PROTECTION = "deletionProtection"
_PLACES = ("project", "region", "location", "cluster")
"""The properties that define where a name must be unique."""


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
) -> Refusal:
    """The first failure of the change of a resource.

    ``delete_first`` is about a replacement: whether the old resource is deleted before the new one is created.
    ``deleted_with`` is the name of the resource whose replacement deletes this one before; empty where none does.
    """
    if operation in ("delete", "replace"):
        return _protection(pair, operation, semantics, delete_first=delete_first, deleted_with=deleted_with)
    if operation == "update":
        return _update(classified)
    return NOTHING


def name_taken(head: Resource, name: str | None, namesakes: Sequence[Resource], known: LaterValues) -> Refusal:
    """The failure of a creation: the engine deletes the old resource with the same name only at the end of the run."""
    for other in namesakes if name else ():
        if all(known.equal(other.inputs.get(key), head.inputs.get(key)) for key in _PLACES):
            return Refusal(
                f"{name} is still in use: the engine creates the new resource before it deletes {other.name}", "GKE"
            )
    return NOTHING


def _protection(
    pair: ResourcePair, operation: Operation, semantics: Semantics, *, delete_first: bool, deleted_with: str
) -> Refusal:
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
        if item.reason == "refused":
            return Refusal(f"GKE does not update {item.difference.path} of a multi-host slice", "GKE")
    return NOTHING
