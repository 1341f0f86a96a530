"""What Terraform does with a resource, and what each difference of it means to GKE.

Terraform's own plan decides whether something is replaced, updated or deleted. The catalog knows what an update does.
"""

import dataclasses
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.graph.differences import PropertyDiff, same_to_provider
from pulumi_gke_tpu.core.graph.property_values import ABSENT, plain
from pulumi_gke_tpu.core.graph.resource_types import CLUSTER, NODE_POOL
from pulumi_gke_tpu.core.graph.semantics import Semantics, plain_path
from pulumi_gke_tpu.core.plan.base import Unknown
from pulumi_gke_tpu.core.resources.model import Action, RawResource, Spelling
from pulumi_gke_tpu.core.resources.values import Values, without_reported
from pulumi_gke_tpu.core.text.findings import printable
from pulumi_gke_tpu.core.text.formats.property_path import Steps, format_steps, parse_path, value_at
from pulumi_gke_tpu.features.diff.classification.classified import (
    ClassifiedDiff,
    Classifier,
    UpdateContext,
    update_refusal,
)
from pulumi_gke_tpu.features.diff.model import CLASSES, ChangeClass, Operation, ResourceChange, WrittenChange

Fate = Literal["", "import", "forget"]
"""What happens to a resource in the state of Terraform only."""

_STATE_ONLY = frozenset({"effectiveLabels", "pulumiLabels", "terraformLabels", "timeouts"})
"""Attributes that exist only in the state."""
_SECRETIVE = ("nodeConfig.metadata", "masterAuth")
"""Properties whose values are not shown: scripts often contain secrets that no provider marks."""
_NOT_SHOWN = "(not shown)"
_DELETION_POLICY, _ABANDON = "deletionPolicy", "ABANDON"
_PROTECTED, _ABANDONED = "terraform-deletion-protected", "terraform-abandoned"
"""Notes of the catalog."""
_GOOGLES_LABELS = "goog-"
"""Labels that the provider or GKE sets."""
_POOLS = "nodePools"
_DEEPEST = 20
_LONGEST_VALUE = 120


@frozen
class PlannedResource:
    """What a plan does with one resource. ``change`` has the properties in Pulumi's spelling."""

    raw: RawResource
    change: ResourceChange | None
    """None if nothing happens in the cloud."""
    fate: Fate = ""
    same_as: str = ""
    """The address under which the plan deletes a node pool of the same name."""
    note: str = ""
    """The ID of the note in the catalog on which the fate or the refusal rests."""
    inside: str = ""
    """The address of the cluster whose configuration contains the node pool; empty for a resource of its own."""
    key: str = ""
    """The address, which differs from those of all other resources."""
    cluster: str = ""
    """The key of the cluster of a node pool; empty if no file contains it."""
    policy: ResourceChange | None = None
    """The replacement or deletion of the workload policy of a node pool, which fails while the node pool stays."""

    @property
    def action(self) -> Action:
        """Terraform's own action."""
        assert self.raw.action is not None
        return self.raw.action

    @property
    def address(self) -> str:
        """The address after the change."""
        return self.raw.origin.address

    @property
    def former_address(self) -> str:
        """The address before the change; empty if Terraform did not know the resource."""
        if self.change is not None and self.change.operation == "create":
            return ""
        return self.action.previous_address or self.address

    @property
    def moved(self) -> bool:
        """Whether the resource has another address."""
        return bool(self.action.previous_address) and self.action.previous_address != self.address

    def does(self, *operations: Operation) -> bool:
        """Whether the plan does one of these to the resource."""
        return self.change is not None and self.change.operation in operations

    @property
    def happens(self) -> bool:
        """Whether there is anything to report."""
        return self.change is not None or bool(self.fate) or self.moved


class Planner:
    """Reads actions with one catalog."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._semantics: dict[str, Semantics] = {}

    def planned(self, raw: RawResource) -> PlannedResource:
        """What a plan does with a resource of it."""
        assert raw.action is not None
        kinds = raw.action.kinds
        fate: Fate = "forget" if "forget" in kinds else "import" if raw.action.importing else ""
        operation = _operation(kinds)
        if operation == "delete" and data_of(raw.before).get(_DELETION_POLICY) == _ABANDON:
            return PlannedResource(raw, None, "forget", note=_ABANDONED)
        if operation == "same":
            return PlannedResource(raw, None, fate)
        refused = operation in ("delete", "replace") and bool(_deletion_refused(raw))
        return PlannedResource(raw, self._change(raw, operation), fate, note=_PROTECTED if refused else "")

    def _change(self, raw: RawResource, operation: Operation) -> ResourceChange:
        assert raw.action is not None
        address, kinds = raw.origin.address, raw.action.kinds
        change = ResourceChange(
            urn=address,
            former_urn="",
            type=raw.type,
            name=address,
            plan_path="",
            operation=operation,
            effect="in-place",
            delete_first=operation == "replace" and kinds[0] == "delete",
        )
        if operation == "create":
            return dataclasses.replace(change, effect="create")
        refused = _deletion_refused(raw) if operation in ("delete", "replace") else ""
        if operation == "delete":
            return _with(change, "delete", refused=refused)
        classified = tuple(self._classified(raw, operation))
        differences = tuple(item.difference for item in classified)
        if operation == "replace":
            return _with(change, "replace", differences=differences, refused=refused)
        stopped = update_refusal(classified)
        effect = "refused" if stopped.text else _effect(classified)
        by = stopped.by or ""
        return _with(change, effect, differences=differences, refused=raw.spelling.words(stopped.text), refused_by=by)

    def _classified(self, raw: RawResource, operation: Operation) -> Iterator[ClassifiedDiff]:
        """Every difference that matters; of a replacement those that cause it, and those that are known."""
        assert raw.action is not None
        semantics = self._semantics_of(raw.type)
        before = data_of(raw.before)
        after = data_of(raw.values)
        context = UpdateContext(semantics, before, after)
        classifier = Classifier(semantics, self._catalog.sources, (), context)
        causes = tuple(parse_path(path) for path in raw.action.replace_paths)
        written = data_of(self.before(raw))
        for found in _differences(semantics, before, after, causes):
            caused = _causes(found.steps, causes)
            if caused and operation == "replace":
                yield classifier.of_replacement(found)
                continue
            # The reader leaves out what the provider reports without a configuration, but only of the values after.
            left_out = found.will is ABSENT and _at(written, found.steps) is ABSENT
            if not (left_out or _is_output(semantics, found, operation)):
                yield _of_update(classifier, semantics, found, before, after)

    def before(self, raw: RawResource) -> Values | None:
        """The properties before the apply, of a node pool without what the provider adds to them."""
        if raw.before is None or raw.type != NODE_POOL or not isinstance(raw.before.data, dict):
            return raw.before
        return Values(without_reported(raw.before.data, raw.before.data, self._catalog.provider))

    def without_pools(self, planned: PlannedResource) -> PlannedResource:
        """The action on a cluster without the changes of node pools in its configuration, which have items."""
        change = planned.change
        if change is None or change.operation != "update":
            return planned
        kept = tuple(item for item in change.differences if parse_path(item.path)[0] != _POOLS)
        if len(kept) == len(change.differences):
            return planned
        if not kept:
            return dataclasses.replace(planned, change=None)
        effect = min((item.effect for item in kept), key=CLASSES.index)
        left = dataclasses.replace(change, effect=effect, differences=kept)
        if effect != "refused":
            left = dataclasses.replace(left, refused="", refused_by="")
        return dataclasses.replace(planned, change=left)

    def in_terraform(self, change: ResourceChange, planned: PlannedResource) -> ResourceChange:
        """The change with addresses, and properties as Terraform spells them."""
        spelling, semantics = planned.raw.spelling, self._semantics_of(change.type)
        differences = tuple(
            dataclasses.replace(
                item,
                path=format_steps(_written(parse_path(item.path), semantics, spelling)),
                fact=item.fact.spelled(spelling.words),
                follows=tuple(fact.spelled(spelling.words) for fact in item.follows),
            )
            for item in change.differences
        )
        found = dataclasses.replace(change, differences=differences)
        if change.name == planned.key and change.type == planned.raw.type:
            address = planned.address
            return dataclasses.replace(found, urn=address, name=address, former_urn=planned.former_address)
        former = planned.former_address if change.urn == planned.key else change.urn
        return dataclasses.replace(found, former_urn=former)

    def written(self, planned: PlannedResource) -> tuple[WrittenChange, ...]:
        """The properties that differ, the most dangerous first, as Terraform spells them."""
        if planned.change is None:
            return ()
        spelled = self.in_terraform(planned.change, planned).differences
        in_order = sorted(spelled, key=lambda item: CLASSES.index(item.effect))
        return tuple(WrittenChange(printable(item.path, 200), _shown(item.was), _shown(item.will)) for item in in_order)

    def _semantics_of(self, resource_type: str) -> Semantics:
        if resource_type not in self._semantics:
            disks = self._catalog.disks.families
            self._semantics[resource_type] = Semantics(self._catalog.provider, resource_type, disks)
        return self._semantics[resource_type]


def _shown(value: object) -> str:
    if value is ABSENT:
        return ""
    if isinstance(value, Unknown):
        return "known after apply"
    text = value if isinstance(value, str) else json.dumps(plain(value), ensure_ascii=False, default=str)
    return printable(text, _LONGEST_VALUE) or '""'


def _with(change: ResourceChange, effect: ChangeClass, **details: Any) -> ResourceChange:
    if details.get("refused") and not details.get("refused_by"):
        details["refused_by"] = "provider"
    return dataclasses.replace(change, effect=effect, **details)


def _operation(kinds: Sequence[str]) -> Operation:
    if "create" in kinds:
        return "replace" if "delete" in kinds else "create"
    if "delete" in kinds:
        return "delete"
    return "update" if "update" in kinds else "same"


def _effect(classified: Sequence[ClassifiedDiff]) -> ChangeClass:
    """The most dangerous class of the properties. Terraform sends no property alone: what has no effect is reported."""
    return min((item.difference.effect for item in classified), key=CLASSES.index, default="metadata")


def _deletion_refused(raw: RawResource) -> str:
    """Why the provider refuses to delete a resource, which the plan does not show."""
    data = data_of(raw.before)
    if raw.type == CLUSTER and data.get("deletionProtection") is True:
        return "deletion_protection is true in the state, and the provider then deletes no cluster"
    policy = data.get(_DELETION_POLICY)
    if policy == "PREVENT":
        return "deletion_policy is PREVENT in the state, and the provider then deletes nothing"
    if policy == _ABANDON and data.get("name") == data_of(raw.values).get("name"):
        return "deletion_policy is ABANDON in the state, so that the old resource stays and keeps its name"
    return ""


def data_of(values: Values | None) -> Mapping[str, Any]:
    """The properties of one side; empty if there are none, or no mapping."""
    return values.data if values is not None and isinstance(values.data, dict) else {}


def _of_update(
    classifier: Classifier,
    semantics: Semantics,
    found: PropertyDiff,
    before: Mapping[str, Any],
    after: Mapping[str, Any],
) -> ClassifiedDiff:
    """The effect of a difference; that of the whole block where only one side has the block."""
    for length in range(1, len(found.steps)):
        block = found.steps[:length]
        was, will = _at(before, block), _at(after, block)
        if (was is ABSENT) != (will is ABSENT) and semantics.change(format_steps(block)) is not None:
            whole = classifier.of_update(PropertyDiff(block, was, will))
            shown = dataclasses.replace(whole.difference, path=found.path, was=found.was, will=found.will)
            return dataclasses.replace(whole, difference=shown)
    return classifier.of_update(found)


def _causes(steps: Steps, causes: Sequence[Steps]) -> bool:
    """Whether a difference is at, in or around a path that causes the replacement."""
    names = tuple(step for step in steps if isinstance(step, str))
    for cause in causes:
        path = tuple(step for step in cause if isinstance(step, str))
        if all(one == other for one, other in zip(names, path, strict=False)):
            return True
    return False


def _is_output(semantics: Semantics, found: PropertyDiff, operation: Operation) -> bool:
    """Whether the provider, not the configuration, gives or drops the value."""
    change = semantics.change(found.path)
    if str(found.steps[-1]).startswith(_GOOGLES_LABELS) or found.steps[0] in _STATE_ONLY:
        return True
    if isinstance(found.will, Unknown):
        return operation == "replace" or change is None
    return operation == "replace" and found.will is ABSENT and (change is None or change.computed)


def _differences(
    semantics: Semantics, before: Mapping[str, Any], after: Mapping[str, Any], causes: Sequence[Steps]
) -> list[PropertyDiff]:
    found = list(_inside(semantics, (), before, after))
    seen = {item.plain_path for item in found}
    for cause in causes:
        # A cause is never left out, not even if only the provider knows the difference.
        path = plain_path(cause)
        if not any(path == other or path.startswith(f"{other}.") or other.startswith(f"{path}.") for other in seen):
            found.append(PropertyDiff(cause, _at(before, cause), _at(after, cause)))
    return [_hidden(item) for item in sorted(found, key=lambda item: item.path)]


def _inside(semantics: Semantics, steps: Steps, was: Mapping[str, Any], will: Mapping[str, Any]) -> Iterator[Any]:
    for name in sorted({*was, *will}):
        yield from _property(semantics, (*steps, name), was.get(name), will.get(name))


def _property(semantics: Semantics, steps: Steps, was: object, will: object) -> Iterator[PropertyDiff]:
    if isinstance(will, Unknown) and isinstance(was, Unknown):
        return  # a secret, or a value that depends on another resource on both sides
    change = semantics.change(format_steps(steps)) if will is None and isinstance(was, dict) else None
    if change is not None and change.kept_since:
        yield PropertyDiff(steps, was, ABSENT)  # its removal has an effect, whatever the block contains
        return
    if len(steps) < _DEEPEST and isinstance(was, dict | None) and isinstance(will, dict | None) and (was or will):
        yield from _inside(semantics, steps, was or {}, will or {})
    elif len(steps) < _DEEPEST and isinstance(was, list) and isinstance(will, list):
        yield from _list(semantics, steps, was, will)
    elif not same_to_provider(format_steps(steps), was, will):
        yield PropertyDiff(steps, ABSENT if was is None else was, ABSENT if will is None else will)


def _list(semantics: Semantics, steps: Steps, was: list[Any], will: list[Any]) -> Iterator[PropertyDiff]:
    if semantics.is_unordered(steps) and _sorted(was) == _sorted(will):
        return
    if not was or not will or not all(isinstance(item, dict) for item in (*was, *will)):
        if was != will:
            yield PropertyDiff(steps, was or ABSENT, will or ABSENT)
        return
    for index in range(max(len(was), len(will))):
        before = was[index] if index < len(was) else None
        after = will[index] if index < len(will) else None
        if before is None or after is None:
            yield PropertyDiff((*steps, index), before or ABSENT, after or ABSENT)
        else:
            yield from _property(semantics, (*steps, index), before, after)


def _sorted(items: list[Any]) -> list[str]:
    return sorted(json.dumps(item, sort_keys=True, default=str) for item in items)


def _at(value: object, steps: Steps) -> object:
    found = value_at(value, steps)
    return ABSENT if found is None else found


def _hidden(found: PropertyDiff) -> PropertyDiff:
    if not found.plain_path.startswith(_SECRETIVE):
        return found
    return dataclasses.replace(found, was=_without_value(found.was), will=_without_value(found.will))


def _without_value(value: object) -> object:
    return value if value is ABSENT or isinstance(value, Unknown) else _NOT_SHOWN


def _written(steps: Steps, semantics: Semantics, spelling: Spelling) -> Iterator[str | int]:
    """The steps as Terraform spells them. The keys of a map stay as they are."""
    names: list[str] = []
    for step in steps:
        above = semantics.properties.get(".".join(names))
        if isinstance(step, int) or (above is not None and above.type == "map"):
            yield step
        else:
            names.append(step)
            yield spelling.written(".".join(names)).rpartition(".")[2]
