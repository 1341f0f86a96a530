"""Names that a new resource needs while another resource still has them."""

import dataclasses
from collections.abc import Iterable, Mapping, Sequence

from pulumi_gke_tpu.core.graph.model import Resource
from pulumi_gke_tpu.features.diff.classification.cascade import References
from pulumi_gke_tpu.features.diff.classification.match import ResourcePair
from pulumi_gke_tpu.features.diff.classification.semantics import Semantics
from pulumi_gke_tpu.features.diff.classification.values import LaterValues
from pulumi_gke_tpu.features.diff.model import ResourceChange

_PLACES = ("project", "region", "location", "cluster")
"""The properties that define where a name must be unique."""
_AT_THE_END = ""


class HeldNames:
    """The names of the resources before a change, and the moment at which the engine releases them."""

    def __init__(
        self,
        pairs: Sequence[ResourcePair],
        semantics: Mapping[str, Semantics],
        known: LaterValues,
        changes: Iterable[ResourceChange],
        *,
        references: Mapping[str, References],
        deleted_with: Mapping[str, str],
    ) -> None:
        """``changes`` are those of the pairs, ``references`` those after the change by new URN.

        ``deleted_with`` contains, by old URN, the replaced resource with which the engine deletes another one early.
        """
        self._semantics = semantics
        self._known = known
        self._changes = {change.urn: change for change in changes}
        self._references = references
        self._deleted_with = deleted_with
        self._heads = {pair.head.urn: pair.head for pair in pairs if pair.head is not None}
        self._holders: dict[tuple[str, str], list[ResourcePair]] = {}
        for pair in pairs:
            name = self._name(pair.base)
            if pair.base is not None and name:
                self._holders.setdefault((pair.base.type, name), []).append(pair)

    def checked(self, change: ResourceChange) -> ResourceChange:
        """The change, as refused if its new resource needs a name that another one releases too late."""
        head = self._heads.get(change.urn)
        if head is None or change.refused or change.operation not in ("create", "replace"):
            return change
        for pair in self._holders.get((head.type, self._name(head) or ""), ()):
            other = pair.base
            if other is None or other.urn == change.former_urn or not self._same_place(other, head):
                continue
            release = self._release(pair)
            if release == _AT_THE_END:
                why = f"the engine creates the new resource before it deletes {other.name}"
                return self._refused(change, head, why)
            if release is not None and release not in self._waits_for(change.urn):
                why = f"the engine does not wait until {other.name} is deleted"
                return dataclasses.replace(self._refused(change, head, why), racing=True)
        return change

    def _refused(self, change: ResourceChange, head: Resource, why: str) -> ResourceChange:
        return dataclasses.replace(change, refused=f"{self._name(head)} is still in use: {why}", refused_by="GKE")

    def _release(self, pair: ResourcePair) -> str | None:
        """When a resource releases its name: at the end, or with the replacement of a resource (its new URN).

        None if it keeps the name.
        """
        base, head = pair.base, pair.head
        assert base is not None
        if head is None:
            cause = self._deleted_with.get(base.urn)
            return _AT_THE_END if cause is None else self._known.after.get(cause, _AT_THE_END)
        change = self._changes.get(head.urn)
        if change is None or change.operation != "replace":
            return None
        return head.urn if change.delete_first else _AT_THE_END

    def _same_place(self, other: Resource, head: Resource) -> bool:
        return all(self._known.equal(other.inputs.get(key), head.inputs.get(key)) for key in _PLACES)

    def _name(self, resource: Resource | None) -> str | None:
        return None if resource is None else self._semantics[resource.type].explicit_name(resource.inputs)

    def _waits_for(self, urn: str) -> set[str]:
        """The resources that exist before the engine creates a resource."""
        found: set[str] = set()
        waiting = [urn]
        while waiting:
            head = self._heads.get(waiting.pop())
            if head is not None:
                named = (source for urns in self._references[head.urn].values() for source in urns)
                new = {*named, *head.options.depends_on} - found
                found |= new
                waiting += new
        return found
