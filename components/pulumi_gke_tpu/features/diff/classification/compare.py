"""Compares two graphs of resources: the operations that the engine and the gcp provider plan for the change.

It does not need Pulumi. It does not know changes that were made outside of Pulumi, and values that only the cloud
has, such as the version that a cluster runs.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from pulumi_gke_tpu.core.catalog.records.facts import Source
from pulumi_gke_tpu.core.catalog.records.platform import FamilyDisks
from pulumi_gke_tpu.core.catalog.records.provider import Provider
from pulumi_gke_tpu.core.graph.differences import LaterValues, find_differences
from pulumi_gke_tpu.core.graph.model import Graph, Options, Resource
from pulumi_gke_tpu.core.graph.property_values import ABSENT
from pulumi_gke_tpu.core.graph.resource_types import ACCOUNT, CLUSTER
from pulumi_gke_tpu.core.graph.semantics import Semantics
from pulumi_gke_tpu.core.text.formats.names import service_account_email
from pulumi_gke_tpu.core.text.formats.property_path import parse_path
from pulumi_gke_tpu.features.diff.classification.classified import (
    ClassifiedDiff,
    Classifier,
    UpdateContext,
    classify_option,
    refusal,
)
from pulumi_gke_tpu.features.diff.classification.match import (
    Dependents,
    HeldNames,
    Matching,
    References,
    ResourcePair,
    in_order,
    match,
    references_of,
)
from pulumi_gke_tpu.features.diff.model import CLASSES, ChangeClass, Difference, Operation, ResourceChange


def compare(
    base: Graph,
    head: Graph,
    provider: Provider,
    *,
    sources: Mapping[str, Source] | None = None,
    disks: Mapping[str, FamilyDisks] | None = None,
) -> tuple[ResourceChange, ...]:
    """The planned operation on every resource that changes, in the order of their URNs.

    A resource with a change only in the program or in an option has the operation ``same``. Unchanged resources and
    components are omitted. ``sources`` contains the titles of the sources of facts, and ``disks`` those of TPU machine
    families.
    """
    return _Comparison(base, head, provider, sources or {}, disks or {}).changes()


class _Comparison:
    """One comparison; the result for a resource decides about those that refer to it."""

    def __init__(
        self,
        base: Graph,
        head: Graph,
        provider: Provider,
        sources: Mapping[str, Source],
        disks: Mapping[str, FamilyDisks],
    ) -> None:
        self.base = base
        self.sources = sources
        self.matching: Matching = match(base, head)
        types = {resource.type for resource in (*base.resources, *head.resources) if resource.custom}
        self.semantics = {name: Semantics(provider, name, disks) for name in types}
        self.pairs = {pair.head.urn: pair for pair in self.matching.pairs if pair.head is not None}
        self.gone = [pair.base for pair in self.matching.pairs if pair.head is None and pair.base is not None]
        self.references = {urn: references_of(pair.head) for urn, pair in self.pairs.items() if pair.head is not None}
        self.moving: set[str] = {urn for urn, pair in self.pairs.items() if pair.base is None}
        self.known = LaterValues(self.matching.after, self.moving, _stored(base))
        self.in_use = _used_by_clusters(base)
        """Old URNs of resources that clusters refer to, also deleted clusters, which are deleted after all updates."""
        self.deleted_with: dict[str, str] = {}
        """Old URN of a resource that the engine also deletes -> old URN of the replaced resource that causes it."""
        self.dependents: Dependents | None = None

    def changes(self) -> tuple[ResourceChange, ...]:
        compared = [self._compared(urn) for urn in in_order(self._ties())]
        found = [*filter(None, compared), *map(self._deleted, self.gone)]
        names = HeldNames(
            self.matching.pairs,
            self.semantics,
            self.known,
            found,
            references=self.references,
            deleted_with=self.deleted_with,
        )
        return tuple(sorted(map(names.checked, found), key=lambda item: item.urn))

    def _ties(self) -> Mapping[str, References]:
        """The old and new references of every resource: both decide if it is replaced."""
        after, ties = self.matching.after, dict(self.references)
        for urn, pair in self.pairs.items():
            if pair.base is not None and pair.base.sources != (pair.head and pair.head.sources):
                before = (source for urns in references_of(pair.base).values() for source in urns)
                ties[urn] = {**self.references[urn], "": frozenset(after.get(source, source) for source in before)}
        return ties

    def _compared(self, urn: str) -> ResourceChange | None:
        pair = self.pairs[urn]
        base, head = pair.base, pair.head
        assert head is not None
        if base is None:
            return _change(head, "", "create", "create")
        references = self.references[urn]
        deleted_with = self.deleted_with.get(base.urn, "")
        classified = self._classified(base, head, references)
        options = _option_differences(base.options, head.options)
        replacing = [item for item in classified if item.replacer]
        if not (classified or options or deleted_with):
            return None
        operation = _operation(classified, replaced=bool(replacing or deleted_with))
        delete_first, crashes_at = False, ""
        if operation == "replace":
            delete_first = bool(deleted_with) or self._delete_first(head, replacing)
            crashes_at = self._replaced(base, head, delete_first=delete_first)
        stopped = refusal(
            pair,
            operation,
            self.semantics[head.type],
            classified,
            delete_first=delete_first,
            deleted_with=self._name(deleted_with),
            crashes_at=self._name(crashes_at),
        )
        refused = bool(stopped.text) and operation == "update"
        return _change(
            head,
            base.urn,
            operation,
            "refused" if refused else _effect(operation, classified),
            delete_first=delete_first,
            differences=(*(item.difference for item in classified), *options),
            because_of=self._because_of(base, replacing, references) if operation == "replace" else (),
            refused=stopped.text,
            refused_by=stopped.by,
        )

    def _classified(self, base: Resource, head: Resource, references: References) -> tuple[ClassifiedDiff, ...]:
        semantics = self.semantics[head.type]
        moved = bool(self.moving) and any(not self.moving.isdisjoint(urns) for urns in references.values())
        alike = not moved and (
            (self.matching.same_urns and base.inputs == head.inputs)
            or self.known.equal(dict(base.inputs), dict(head.inputs))
        )
        if alike and not semantics.drops(base.inputs):
            return ()
        ignored = [parse_path(path) for path in head.options.ignore_changes]
        found = find_differences(semantics, self.known, base.inputs, head.inputs, ignored)
        replace_paths = [parse_path(path) for path in head.options.replace_on_changes]
        context = UpdateContext(semantics, base.inputs, head.inputs, base.urn in self.in_use)
        classifier = Classifier(semantics, self.sources, replace_paths, context)
        return tuple(classifier.classify(item) for item in found)

    def _delete_first(self, head: Resource, replacing: Sequence[ClassifiedDiff]) -> bool:
        """The option of the resource decides; else the provider requires it if the program sets the name."""
        if head.options.delete_before_replace is not None:
            return head.options.delete_before_replace
        explicit = self.semantics[head.type].explicit_name(head.inputs) is not None
        return explicit and any(item.replacer == "provider" for item in replacing)

    def _replaced(self, base: Resource, head: Resource, *, delete_first: bool) -> str:
        """Record the consequences: new outputs, and resources that the engine also deletes with the old one.

        The result is the old URN of a resource at which the provider crashes meanwhile; empty if there is none.
        """
        self.moving.add(head.urn)
        if not delete_first:
            return ""
        if self.dependents is None:
            self.dependents = Dependents(self.base.resources)
        deleted = self.dependents.deleted_with(base.urn, self.semantics)
        for urn in deleted:
            self.deleted_with.setdefault(urn, base.urn)
        return self.dependents.crashing_with((base.urn, *deleted), self.semantics)

    def _because_of(
        self, base: Resource, replacing: Sequence[ClassifiedDiff], references: References
    ) -> tuple[str, ...]:
        """The replaced resources that a replacement follows, by the URNs that they have afterwards."""
        names = {parse_path(item.difference.path)[0] for item in replacing if item.reason == "cascade"}
        found = {urn for name in names for urn in references.get(str(name), ())} & self.moving
        if base.urn in self.deleted_with and self.dependents is not None:
            before = self.dependents.sources_of(base.urn)
            found |= {self.matching.after.get(urn, urn) for urn in before} & self.moving
        return tuple(sorted(urn for urn in found if self.pairs[urn].base is not None))

    def _deleted(self, resource: Resource) -> ResourceChange:
        deleted_with = self._name(self.deleted_with.get(resource.urn, ""))
        semantics = self.semantics[resource.type]
        pair = ResourcePair(resource, None)
        stopped = refusal(pair, "delete", semantics, (), deleted_with=deleted_with)
        return _change(resource, resource.urn, "delete", "delete", refused=stopped.text, refused_by=stopped.by)

    def _name(self, urn: str) -> str:
        return urn.split("::", 3)[3] if urn else ""


def _change(
    resource: Resource, former_urn: str, operation: Operation, effect: ChangeClass, **details: Any
) -> ResourceChange:
    return ResourceChange(
        urn=resource.urn,
        former_urn=former_urn,
        type=resource.type,
        name=resource.name,
        plan_path=resource.plan_path,
        operation=operation,
        effect=effect,
        **details,
    )


def _operation(classified: Sequence[ClassifiedDiff], *, replaced: bool) -> Operation:
    if replaced:
        return "replace"
    return "update" if any(item.difference.planned for item in classified) else "same"


def _effect(operation: Operation, classified: Sequence[ClassifiedDiff]) -> ChangeClass:
    """The most dangerous class of the sent properties; ``no-op`` only if nothing is sent."""
    if operation == "replace":
        return "replace"
    effects = [item.difference.effect for item in classified if item.difference.planned or operation == "same"]
    sent = [effect for effect in effects if effect != "no-op"] or effects
    return min(sent, key=CLASSES.index, default="metadata")


def _stored(graph: Graph) -> Mapping[str, str]:
    """URN -> what node pools store of a cluster (its name) or of a service account (its email)."""
    names = {resource.urn: str(resource.inputs.get("name")) for resource in graph.of_type(CLUSTER)}
    emails = {
        resource.urn: service_account_email(str(resource.inputs.get("accountId")), str(resource.inputs.get("project")))
        for resource in graph.of_type(ACCOUNT)
    }
    return names | emails


def _used_by_clusters(graph: Graph) -> frozenset[str]:
    clusters = (references_of(resource) for resource in graph.resources if resource.type == CLUSTER)
    return frozenset(urn for references in clusters for urns in references.values() for urn in urns)


def _option_differences(was: Options, will: Options) -> tuple[Difference, ...]:
    """The options that a user sets; without those that gke-tpu sets for replacements."""
    before, after = _written(was), _written(will)
    return tuple(
        classify_option(path, before.get(path, ABSENT), after.get(path, ABSENT))
        for path in sorted({*before, *after})
        if before.get(path) != after.get(path)
    )


def _written(options: Options) -> dict[str, Any]:
    switches = {"protect": options.protect, "retainOnDelete": options.retain_on_delete}
    timeouts = {f"customTimeouts.{name}": time for name, time in options.custom_timeouts}
    return {name: value for name, value in {**switches, **timeouts}.items() if value}
