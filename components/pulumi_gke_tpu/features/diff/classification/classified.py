"""The effect of one difference and its reason: replacement, update, restart of nodes, failure, or none."""

import ipaddress
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

from pulumi_gke_tpu.core.catalog.records.facts import Source
from pulumi_gke_tpu.core.catalog.records.provider import Following, PropertyChange
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.graph.differences import PropertyDiff
from pulumi_gke_tpu.core.graph.property_values import ABSENT
from pulumi_gke_tpu.core.graph.semantics import Semantics, plain_path
from pulumi_gke_tpu.core.plan.base import Unknown
from pulumi_gke_tpu.core.text.findings import listed
from pulumi_gke_tpu.core.text.formats.property_path import Steps, contains, value_at
from pulumi_gke_tpu.core.text.formats.versions import VersionRange
from pulumi_gke_tpu.features.diff.classification.match import ResourcePair
from pulumi_gke_tpu.features.diff.model import ChangeClass, Difference, Operation, SourcedReason

_TAINTS = ("nodeConfig", "taints")
_EXCLUSIONS = "maintenanceExclusions"
_SCOPES = ("NO_MINOR_UPGRADES", "NO_MINOR_OR_NODE_UPGRADES", "NO_UPGRADES")
"""Each scope prevents more upgrades than those before it; the last one is the default."""


@frozen
class UpdateContext:
    """One resource before and after a change."""

    semantics: Semantics
    base: Mapping[str, Any]
    """Its inputs before."""
    head: Mapping[str, Any]
    in_use: bool = False
    """Whether a cluster refers to it before the change."""

    @property
    def multi_host(self) -> bool:
        """Whether it is a multi-host slice: only these have a topology or a workload policy."""
        placement = self.base.get("placementPolicy")
        return isinstance(placement, Mapping) and bool(placement.get("tpuTopology") or placement.get("policyName"))

    @property
    def short_lived(self) -> bool:
        """Whether it is a flex-start or queued node pool."""
        return bool(
            value_at(self.base, ("nodeConfig", "flexStart")) or value_at(self.base, ("queuedProvisioning", "enabled"))
        )

    def fewer(self, found: PropertyDiff) -> bool:
        """Whether a number decreases; if GKE chose the old one, its largest possible value counts."""
        change = self.semantics.change(found.path)
        bounds = [value_at(self.base, path.split(".")) for path in _bounds(change)]
        was = [found.was] if is_number(found.was) else bounds
        return is_number(found.will) and any(found.will < number for number in was if is_number(number))

    def capped(self, found: PropertyDiff) -> bool:
        """Whether the new autoscaling limits can be below the current number of nodes."""
        for path, change in self.semantics.properties.items():
            for bound in change.bounded_by:
                if not (bound == found.plain_path or bound.startswith(f"{found.plain_path}.")):
                    continue
                most, was = value_at(self.head, bound.split(".")), value_at(self.base, bound.split("."))
                before = was if is_number(was) else value_at(self.base, path.split("."))
                if is_number(most) and is_number(before) and most < before:
                    return True
        return False

    def new_taints(self, found: PropertyDiff, effect: str) -> bool:
        """Whether a difference adds a taint with this effect."""
        if found.steps[:2] != _TAINTS:
            return False
        before, after = value_at(self.base, _TAINTS), value_at(self.head, _TAINTS)
        index = next(iter(found.steps[len(_TAINTS) :]), None)
        taints = after if isinstance(after, list) else []
        asked = taints if index is None else taints[index : index + 1] if isinstance(index, int) else []
        known = before if isinstance(before, list) else []
        return any(taint not in known for taint in asked if isinstance(taint, dict) and taint.get("effect") == effect)


def lifts(found: PropertyDiff) -> bool:
    """Whether maintenance exclusions are removed, or prevent fewer upgrades than before."""
    after = {str(item.get("exclusionName")): item for item in _exclusions(found.steps, found.will)}
    before = _exclusions(found.steps, found.was)
    return any(_holds_less(item, after.get(str(item.get("exclusionName")))) for item in before)


def is_number(value: Any) -> bool:
    """Whether it is a number and not a boolean."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def _bounds(change: Any) -> Sequence[str]:
    return change.bounded_by if change is not None else ()


def _exclusions(steps: Steps, value: Any) -> Iterator[Mapping[str, Any]]:
    """The exclusions in a value: of the list itself, or of the block around it."""
    inside = value if steps[-1] == _EXCLUSIONS else value_at(value, (_EXCLUSIONS,))
    if isinstance(inside, list):
        yield from (item for item in inside if isinstance(item, Mapping))


def _holds_less(was: Mapping[str, Any], will: Mapping[str, Any] | None) -> bool:
    """Times are UTC in one form, so that the earlier one is the smaller text. No end is the end of support."""
    if will is None or _scope(will) < _scope(was):
        return True
    start, end = str(was.get("startTime") or ""), str(was.get("endTime") or "")
    new_start, new_end = str(will.get("startTime") or ""), str(will.get("endTime") or "")
    return new_start > start or (bool(new_end) and (not end or new_end < end))


def _scope(exclusion: Mapping[str, Any]) -> int:
    scope = str(value_at(exclusion, ("exclusionOptions", "scope")))
    return _SCOPES.index(scope) if scope in _SCOPES else len(_SCOPES) - 1


Replacer = Literal["", "provider", "option"]

_MOST_SOURCES = 2
_WHY: dict[str, str] = {
    "replace": "The provider deletes and creates the resource to change this property.",
    "planned": "Terraform replaces the resource to change this property. The catalog expects an update in place.",
    "replace-off": "The provider replaces the resource to disable this setting.",
    "replace-shrink": "The provider replaces the resource unless the new range contains the old one.",
    "cascade": "The resource refers to a replaced resource, so the provider also replaces the referring resource.",
    "option": "gke-tpu makes Pulumi replace the resource, because the provider plans an update that has no effect.",
    "no-op": "The provider plans an update in every preview, but sends nothing to GKE.",
    "no-op-off": "If the setting is disabled, the provider plans an update, but sends nothing to GKE.",
    "no-op-lower": "If the value is lowered or removed, the provider plans an update, but sends nothing to GKE.",
    "create-only": "The property has an effect only at creation; a later update sends nothing to GKE.",
    "client-side": "Only the provider uses the property; the update sends nothing to GKE.",
    "kept": "If the property is removed from the program, Pulumi keeps the value from GKE and plans no update.",
    "broken": "The provider's update of this property fails.",
    "refused": "GKE rejects this update for a multi-host slice.",
    "emptied": "The provider is an older one that sends an empty request to remove the block, which GKE rejects.",
    "in-use": "A cluster uses this value; only a new cluster is known to accept another value.",
    "set-once": "GKE rejects another value as long as the cluster has one.",
    "restart": "GKE drains or re-creates nodes to apply the change.",
    "drain": "GKE drains and deletes the surplus nodes with everything that runs on them.",
    "evict": "GKE adds the taint to running nodes, which evicts Pods.",
    "fixed": "GKE expects the property at creation; an update in place re-creates the nodes.",
    "spared": "The provider updates the property in place; GKE does not re-create running nodes.",
    "live": "The provider updates the property in place; GKE does not re-create nodes.",
    "metadata": "The provider updates the property in place without an effect on nodes.",
    "in-place": "The provider updates the property in place; no source in the catalog mentions a node restart.",
    "unknown": "The property is not in the catalog; an update in place is assumed.",
    "engine": "The change of a Pulumi resource option, such as `protect`, sends nothing to GKE.",
}
_CLASSES: dict[str, ChangeClass] = {
    **dict.fromkeys(("replace", "planned", "replace-off", "replace-shrink", "cascade", "option"), "replace"),
    **dict.fromkeys(("no-op", "no-op-off", "no-op-lower", "create-only", "kept"), "no-op"),
    **dict.fromkeys(("broken", "refused", "emptied", "in-use", "set-once"), "refused"),
    **dict.fromkeys(("restart", "drain", "evict", "fixed"), "restart"),
    **dict.fromkeys(("client-side", "metadata", "engine"), "metadata"),
}
_OF_GKE = ("restart", "drain", "evict", "fixed", "spared", "live", "metadata", "in-use", "set-once")
"""Reasons in the behavior of GKE, which have their own sources."""
_OF_UPDATES = ("drain", "evict", "spared", "live", "in-place")
"""Reasons of updates that can have later effects."""
_EVICTS, _REPELS = "NO_EXECUTE", "NO_SCHEDULE"


@frozen
class ClassifiedDiff:
    """A difference with its reason, and the cause of a replacement: provider or option."""

    difference: Difference
    reason: str
    replacer: Replacer


@frozen
class Classifier:
    """Classifies the differences of one resource."""

    semantics: Semantics
    sources: Mapping[str, Source]
    replace_paths: Sequence[Steps]
    """The option of the resource after the change: the engine uses the new program."""
    context: UpdateContext

    def classify(self, found: PropertyDiff) -> ClassifiedDiff:
        """The effect of one difference."""
        reason, replacer = self._reason(found, self.semantics.change(found.path))
        return self._classified(found, reason, replacer)

    def of_update(self, found: PropertyDiff) -> ClassifiedDiff:
        """The effect of one difference in an update that is planned already, so that nothing is replaced."""
        return self._classified(found, self._update(found, self.semantics.change(found.path)), "")

    def of_replacement(self, found: PropertyDiff) -> ClassifiedDiff:
        """The effect of one difference that causes a replacement that is planned already."""
        change = self.semantics.change(found.path)
        expected = change is None or self._reason(found, change)[1]
        return self._classified(found, "replace" if expected else "planned", "provider")

    def _classified(self, found: PropertyDiff, reason: str, replacer: Replacer) -> ClassifiedDiff:
        fact = self._fact(reason, self.semantics.change(found.path))
        effect = _CLASSES.get(reason, "in-place")
        follows = tuple(self._follows(found, reason))
        difference = Difference(found.path, found.was, found.will, effect, fact, found.planned, follows)
        return ClassifiedDiff(difference, reason, replacer)

    def _reason(self, found: PropertyDiff, change: PropertyChange | None) -> tuple[str, Replacer]:
        if not found.planned:
            return "kept", ""
        by_provider = self._replacement(found, change)
        if by_provider:
            return by_provider, "provider"
        if any(contains(path, found.steps) for path in self.replace_paths):
            return "option", "option"
        return self._update(found, change), ""

    def _replacement(self, found: PropertyDiff, change: PropertyChange | None) -> str:
        """The reason that the provider replaces the resource; empty if it does not."""
        if change is None:
            return ""
        if isinstance(found.will, Unknown) and (change.change == "replace" or change.unknown_replaces):
            return "cascade"
        if change.change == "replace" or self._replaces_inside(found):
            return "replace"
        if change.change == "replace-off" and found.was and found.will in (ABSENT, False):
            return "replace-off"
        if change.change == "replace-shrink" and _shrinks(found.was, found.will):
            return "replace-shrink"
        return ""

    def _replaces_inside(self, found: PropertyDiff) -> bool:
        """Whether an added or removed block contains a property that causes a replacement."""
        if not self.semantics.is_block(found.steps) or (found.was is not ABSENT and found.will is not ABSENT):
            return False
        block = found.will if found.was is ABSENT else found.was
        inside = (self.semantics.change(f"{plain_path(found.steps)}.{name}") for name in _names(block))
        return any(change is not None and change.change == "replace" for change in inside)

    def _update(self, found: PropertyDiff, change: PropertyChange | None) -> str:
        """The reason for the effect of an update in place."""
        if change is None:
            return "unknown"
        if change.change in ("no-op", "create-only", "client-side", "broken"):
            return change.change
        if change.change == "no-op-off" and found.will in (ABSENT, False):
            return "no-op-off"
        if change.change == "no-op-lower" and _lowered(found.was, found.will):
            return "no-op-lower"
        return self._rejection(found, change) or self._update_by_gke(found, change)

    def _rejection(self, found: PropertyDiff, change: PropertyChange) -> str:
        """The reason that GKE rejects an update; empty if it does not."""
        if change.refused_for == "multi-host" and self.context.multi_host:
            return "refused"
        if change.kept_since and found.will is ABSENT:
            return "emptied"
        return "set-once" if change.gke == "set-once" and ABSENT not in (found.was, found.will) else ""

    def _update_by_gke(self, found: PropertyDiff, change: PropertyChange) -> str:
        """The reason for the effect in GKE of an update that GKE accepts."""
        live = "live" if change.gke_source else "in-place"
        if change.gke == "drain":
            return "drain" if self.context.fewer(found) else "in-place"
        if change.gke == "in-use":
            return "in-use" if self.context.in_use and found.was is not ABSENT else "in-place"
        if change.gke == "evict":
            return "evict" if self.context.new_taints(found, _EVICTS) else live
        if change.gke == "restart" and self.context.short_lived:
            return "spared"
        if change.gke == "fixed" and not self.context.multi_host:
            return _apart_from_slices(found, change, live)
        return live if change.gke in ("live", "set-once") else change.gke

    def _follows(self, found: PropertyDiff, reason: str) -> Iterator[SourcedReason]:
        """The later effects of an update."""
        if reason in _OF_UPDATES and found.planned:
            for item in self.semantics.following:
                if item.speaks_of(self.semantics.type, found.plain_path) and self._applies(item, found, reason):
                    yield SourcedReason(item.text, self._titles(item.source), item.confidence)

    def _applies(self, item: Following, found: PropertyDiff, reason: str) -> bool:
        if item.when == "evicting":
            return reason == "evict"
        if item.when == "repelling":
            return self.context.new_taints(found, _REPELS)
        if item.when == "lifted":
            return lifts(found)
        if item.when == "capped":
            return self.context.capped(found)
        return reason == "spared" if item.when == "spared" else reason in ("in-place", "live")

    def _fact(self, reason: str, change: PropertyChange | None) -> SourcedReason:
        text = _WHY[reason]
        if change is None or self.semantics.resource is None:
            return SourcedReason(text, "", "low")
        if reason == "emptied":
            text += f" Version {change.kept_since} and later ones keep the block: use one of these, or write the block."
            return SourcedReason(text, self._titles(change.kept_source), "high")
        if change.note and not _beside_the_point(change, reason):
            text = f"{text} {change.note}"
        resource = self.semantics.resource
        if reason in _OF_GKE and change.gke_source:
            return SourcedReason(text, self._titles(change.gke_source), change.gke_confidence)
        return SourcedReason(text, f"{self._titles(resource.source)}, as of {resource.as_of}", resource.confidence)

    def _titles(self, names: Sequence[str]) -> str:
        titles = [self.sources[name].title if name in self.sources else name for name in names]
        return listed(titles, "", most=_MOST_SOURCES, separator="; ")


def classify_option(path: str, was: Any, will: Any) -> Difference:
    """A resource option that differs."""
    return Difference(path, was, will, "metadata", SourcedReason(_WHY["engine"]), planned=False)


def _beside_the_point(change: PropertyChange, reason: str) -> bool:
    """Whether a note is about slices, but there are none, or about a restart that does not happen."""
    of_slices = change.gke == "fixed" or change.refused_for == "multi-host"
    return (of_slices and reason in ("restart", "drain", "live")) or (
        change.gke == "restart" and reason in ("kept", "spared")
    )


def _apart_from_slices(found: PropertyDiff, change: PropertyChange, live: str) -> str:
    """The reason for the effect on nodes that form no multi-host slice, of a property that is fixed for those."""
    if not change.of_zones:
        return "restart"
    return "drain" if _leaves_a_zone(found) else live


def _leaves_a_zone(found: PropertyDiff) -> bool:
    """Whether one of the zones is removed or exchanged; a difference is one zone or the whole list."""
    was, will = (value if isinstance(value, list) else [value] for value in (found.was, found.will))
    return any(zone is not ABSENT and zone not in will for zone in was)


def _names(value: Any) -> Iterator[str]:
    """The paths of all values inside a block."""
    if isinstance(value, list):
        for item in value:
            yield from _names(item)
    elif isinstance(value, dict):
        for name, inner in value.items():
            if inner not in (None, False, "", 0):
                yield name
            yield from (f"{name}.{below}" for below in _names(inner))


def _shrinks(was: Any, will: Any) -> bool:
    """Whether a range loses addresses: the provider only expands a range that the new one contains as a whole."""
    if not (isinstance(was, str) and isinstance(will, str)):
        return False
    try:
        before, after = (ipaddress.IPv4Network(text, strict=False) for text in (was, will))
    except ValueError:
        return False
    return not before.subnet_of(after)


def _lowered(was: Any, will: Any) -> bool:
    if will is ABSENT or not will:
        return True
    if not (isinstance(was, str) and isinstance(will, str)):
        return False
    try:
        return VersionRange.parse(will).lowest < VersionRange.parse(was).lowest
    except ValueError:
        return False


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
        return update_refusal(classified)
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


def update_refusal(classified: Sequence[ClassifiedDiff]) -> Refusal:
    """The first failure of an update."""
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
        if item.reason == "emptied":
            return Refusal(
                f"GKE rejects the removal of {item.difference.path}: 400, At least one of ['node_version', ...] must be"
                " specified",
                "GKE",
            )
        if item.reason == "refused":
            return Refusal(f"GKE does not update {item.difference.path} of a multi-host slice", "GKE")
    return NOTHING
