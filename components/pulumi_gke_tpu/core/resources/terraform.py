"""Reads what ``terraform show -json`` and ``tofu show -json`` write of a plan or a state."""

import dataclasses
import functools
import itertools
from collections import Counter
from collections.abc import Container, Iterator, Mapping, Sequence
from typing import Any

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.catalog.records.provider import PropertyChange
from pulumi_gke_tpu.core.graph.differences import says_something
from pulumi_gke_tpu.core.graph.resource_types import NODE_POOL
from pulumi_gke_tpu.core.objects.document import items, mapping, text
from pulumi_gke_tpu.core.resources.hcl_values import google_provider
from pulumi_gke_tpu.core.resources.model import Action, Origin, PlanOutcome, RawResource, Resources, SourceFormat
from pulumi_gke_tpu.core.resources.terraform_configuration import (
    Configuration,
    is_managed,
    module_of,
    read_configuration,
    without_indexes,
    without_unwritten,
)
from pulumi_gke_tpu.core.resources.terraform_names import TerraformNames, names_of, types_of
from pulumi_gke_tpu.core.resources.values import UNKNOWN, Values, without_reported
from pulumi_gke_tpu.core.text.jsonfile.scan import JsonPart

_DEEPEST_MODULES = 50
_NAMES = "displayName", "name", "accountId"


class TerraformReader:
    """Reads the documents of some files with one catalog."""

    def __init__(self, catalog: Catalog) -> None:
        self._provider = catalog.provider
        self._catalog = catalog

    @functools.cached_property
    def _types(self) -> Mapping[str, str]:
        return types_of(self._catalog)

    def plan(self, changes: JsonPart, configuration: JsonPart | None, file: str) -> Resources:
        """The resources of a plan: those that it wants, and those that it deletes with their present values."""
        written = read_configuration(configuration, self._types) if configuration is not None else Configuration()
        references = functools.cache(written.references)  # many resources are instances of one block
        found, skipped = [], Counter[str]()
        for part in changes.elements():
            data = part.value()
            change = data.get("change") if is_managed(data) else None
            if isinstance(change, dict) and data["type"] in self._types:
                deposed = _text(data, "deposed")
                address = _address(data) + (f" (deposed object {deposed})" if deposed else "")
                origin = Origin(SourceFormat.TERRAFORM_PLAN, file, address, part.locator(file, "change", "after"))
                planned = self._planned(data, change, written, origin)
                referred = references(_text(data, "module_address"), data["type"], _text(data, "name"))
                names = names_of(self._catalog, self._types[data["type"]])
                refers_to = {names.of(name): addresses for name, addresses in referred.items()}
                found.append(dataclasses.replace(planned, refers_to=refers_to))
            elif isinstance(change, dict) and data["type"].startswith("google_"):
                skipped[data["type"]] += 1
        return Resources(_with_instances(found), skipped)

    def state(self, values: JsonPart, file: str) -> Resources:
        """The resources of a state."""
        found, skipped = [], Counter[str]()
        for part in _in_modules(values):
            data = part.value()
            if not is_managed(data):
                continue
            attributes = data.get("values")
            if data["type"] in self._types and isinstance(attributes, dict):
                known = _without(attributes, data.get("sensitive_values"))
                origin = Origin(SourceFormat.TERRAFORM_STATE, file, _address(data), part.locator(file, "values"))
                found.append(self._resource(data, known, known, origin))
            elif data["type"].startswith("google_"):
                skipped[data["type"]] += 1
        return Resources(tuple(found), skipped)

    def _planned(
        self, data: dict[str, Any], change: dict[str, Any], configuration: Configuration, origin: Origin
    ) -> RawResource:
        names, module = names_of(self._catalog, self._types[data["type"]]), _text(data, "module_address")
        written = configuration.written(module, data["type"], _text(data, "name"))
        unknown = change.get("after_unknown")
        if change.get("before") is None and written is not None:
            unknown = without_unwritten(unknown, written, names.is_block)
        before = _known(change.get("before"), change.get("before_sensitive"))
        after = _known(change.get("after"), unknown, change.get("after_sensitive"))
        importing, kinds = change.get("importing"), change.get("actions")
        action = Action(
            kinds=tuple(kind for kind in kinds if isinstance(kind, str)) if isinstance(kinds, list) else (),
            reason=_text(data, "action_reason"),
            replace_paths=tuple(sorted(_paths(change.get("replace_paths"), names))),
            importing=_text(importing, "id"),
            previous_address=_text(data, "previous_address"),
        )
        found = self._resource(data, after if after is not None else before or {}, before, origin, action)
        return dataclasses.replace(
            found,
            written=frozenset(map(names.of, _certain(change, written))),
            google_provider=google_provider(_text(data, "provider_name").rpartition("/")[2], {}),
        )

    def _resource(
        self,
        data: dict[str, Any],
        attributes: dict[str, Any],
        before: dict[str, Any] | None,
        origin: Origin,
        action: Action | None = None,
    ) -> RawResource:
        resource_type = self._types[data["type"]]
        names = names_of(self._catalog, resource_type)
        values = _without_zeros(names.properties(attributes))
        existing = _without_zeros(names.properties(before)) if before is not None else None
        if existing is not None and resource_type == NODE_POOL:
            values = without_reported(values, existing, self._provider)
        return RawResource(
            type=resource_type,
            name=next((values[key] for key in _NAMES if isinstance(values.get(key), str)), _text(data, "name")),
            values=Values(values),
            origin=origin,
            project=values["project"] if isinstance(values.get("project"), str) else "",
            before=Values(existing) if existing is not None else None,
            action=action,
            spelling=names.spelling,
        )


def _with_instances(found: Sequence[RawResource]) -> tuple[RawResource, ...]:
    """The resources, where a reference to a block is one to its only instance, first of all in the same module."""
    instances: dict[tuple[str | None, str], list[str]] = {}
    for each in found:
        address = each.origin.address
        block = without_indexes(address)
        instances.setdefault((module_of(address), block), []).append(address)
        instances.setdefault((None, block), []).append(address)

    def of(module: str, block: str) -> list[str]:
        every = instances.get((module, block)) or instances.get((None, block), [])
        return every if len(every) == 1 else []

    def referred(each: RawResource) -> dict[str, tuple[str, ...]]:
        module = module_of(each.origin.address)
        return {
            name: tuple(one for block in blocks for one in of(module, block)) for name, blocks in each.refers_to.items()
        }

    return tuple(dataclasses.replace(each, refers_to=referred(each)) for each in found)


def _in_modules(module: JsonPart, depth: int = 0) -> Iterator[JsonPart]:
    """The resources of a module and of those that it calls."""
    for key, value in module.members():
        if key == "resources":
            yield from value.elements()
        elif key == "root_module":
            yield from _in_modules(value, depth + 1)
        elif key == "child_modules" and depth < _DEEPEST_MODULES:
            yield from itertools.chain.from_iterable(_in_modules(child, depth + 1) for child in value.elements())


def _certain(change: Mapping[str, Any], written: Mapping[str, Any] | None) -> Iterator[str]:
    """The attributes that the configuration certainly sets.

    Before a resource exists, the provider knows no value that it does not set itself. Later, a plan has the
    present value where an expression yields none; a constant always yields one.
    """
    after = change.get("after")
    for name, value in mapping(after).items():
        expression = (written or {}).get(name)
        constant = isinstance(expression, dict) and expression.get("constant_value") is not None
        if value is not None and (change.get("before") is None or constant):
            yield name


def _without_zeros(values: dict[str, Any]) -> dict[str, Any]:
    """The values without limits of zero that stand for absent ones: a pool has those per zone, or the total ones."""
    scaling = values.get("autoscaling")
    if not isinstance(scaling, dict):
        return values
    total = {key for key in scaling if key.startswith("total")}
    zonal = scaling.keys() & {"minNodeCount", "maxNodeCount"}
    has_zonal = any(scaling[key] is not None for key in zonal)
    unset = total if has_zonal and not any(scaling[key] for key in total) else zonal
    if any(scaling[key] for key in unset):
        return values
    return {**values, "autoscaling": {key: value for key, value in scaling.items() if key not in unset}}


def _known(attributes: Any, *hidden: Any) -> dict[str, Any] | None:
    """The attributes of one side of a change, unknown where they are hidden; None if the side does not exist."""
    found = functools.reduce(_without, hidden, attributes) if isinstance(attributes, dict) else None
    return found if isinstance(found, dict) else None


def _without(value: Any, hidden: Any) -> Any:
    """A value, unknown where ``hidden`` has true: values that are not known yet, or that are secret."""
    if hidden is True:
        return UNKNOWN
    if isinstance(hidden, dict) and isinstance(value, dict):
        keys = value.keys() | {key for key, inner in hidden.items() if inner}
        return {key: _without(value.get(key), hidden.get(key)) for key in sorted(keys)}
    if isinstance(hidden, list) and isinstance(value, list):
        return [_without(item, inner) for item, inner in itertools.zip_longest(value, hidden[: len(value)])]
    if isinstance(hidden, list) and value is None and _any(hidden):
        return UNKNOWN
    return value


def _any(hidden: Any) -> bool:
    if isinstance(hidden, dict | list):
        return any(map(_any, hidden.values() if isinstance(hidden, dict) else hidden))
    return hidden is True


def _paths(written: Any, names: TerraformNames) -> Iterator[str]:
    """The paths that cause a replacement, in Pulumi's spelling."""
    for path in items(written):
        at = ""
        for step in items(path):
            if isinstance(step, str):
                at += f"{'.' if at else ''}{names.of(step, f'{at}.' if at else '')}"
        if at:
            yield at


def _address(data: Mapping[str, Any]) -> str:
    """The address of a resource: its type and name where a document has none."""
    return _text(data, "address") or f"{data['type']}.{_text(data, 'name')}"


def _text(data: Any, key: str) -> str:
    return text(mapping(data).get(key))


MEMBERS = (
    "errored",
    "complete",
    "resource_drift",
    "deferred_changes",
    "action_invocations",
    "deferred_action_invocations",
)
"""The members of the document that are read."""
_UNCHANGED = (["no-op"], ["read"])


def plan_outcome(members: Mapping[str, JsonPart], catalog: Catalog) -> PlanOutcome:
    """What the members of a plan tell about resources that are read. Older versions of Terraform write fewer."""
    types = types_of(catalog)
    deferred = {}
    for entry in _entries(members, "deferred_changes"):
        change = entry.get("resource_change")
        if _is_read(change, types):
            deferred[_text(change, "address")] = _text(entry, "reason")
    postponed = (entry.get("action_invocation") for entry in _entries(members, "deferred_action_invocations"))
    drifts = _entries(members, "resource_drift")
    invoked = (*_entries(members, "action_invocations"), *(entry for entry in postponed if isinstance(entry, dict)))
    return PlanOutcome(
        errored=_flag(members, "errored") is True,
        complete=_flag(members, "complete") is not False,
        drifted=tuple(_text(entry, "address") for entry in drifts if _drifted(entry, types, catalog)),
        deferred=deferred,
        actions=tuple(filter(None, dict.fromkeys(_text(entry, "address") for entry in invoked))),
    )


def _drifted(entry: Mapping[str, Any], types: Mapping[str, str], catalog: Catalog) -> bool:
    """Whether a resource changed. Values that a refresh reads for the first time do not count."""
    change = entry.get("change")
    if not _is_read(entry, types) or not isinstance(change, dict) or change.get("actions") in _UNCHANGED:
        return False
    before, after = change.get("before"), change.get("after")
    if not isinstance(before, dict) or not isinstance(after, dict):
        return True
    kind = types[entry["type"]]
    names, known = names_of(catalog, kind), catalog.provider.resources.get(kind)
    facts = known.properties if known is not None else {}
    return _differs("", names.properties(before), names.properties(after), facts)


def _differs(path: str, was: Any, will: Any, facts: Mapping[str, PropertyChange]) -> bool:
    """Whether a value changed. One that the provider computes is read for the first time if there was none."""
    fact = facts.get(path)
    if was is None and fact is not None and not fact.computed:
        return says_something(will)
    if isinstance(will, dict) and isinstance(was, dict) and fact is not None and fact.type == "map":
        return was != will
    if isinstance(will, dict) and isinstance(was, dict | None):
        was, above = was or {}, f"{path}." if path else ""
        return any(_differs(f"{above}{name}", was.get(name), will.get(name), facts) for name in {*was, *will})
    if isinstance(was, list) and isinstance(will, list) and len(was) == len(will):
        return any(_differs(path, one, other, facts) for one, other in zip(was, will, strict=True))
    return was is not None and was != will and (says_something(was) or says_something(will))


def _is_read(entry: Any, types: Container[str]) -> bool:
    """Whether an entry is about a resource with an address, of a type that is read."""
    if not isinstance(entry, dict) or entry.get("mode") != "managed" or not _text(entry, "address"):
        return False
    return isinstance(entry.get("type"), str) and entry["type"] in types


def _entries(members: Mapping[str, JsonPart], name: str) -> Iterator[dict[str, Any]]:
    if name in members:
        yield from (data for part in members[name].elements() if isinstance(data := part.value(), dict))


def _flag(members: Mapping[str, JsonPart], name: str) -> Any:
    part = members.get(name)
    return part.value() if part is not None and part.first in ("t", "f") else None
