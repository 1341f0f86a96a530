"""Reads what a plan of Terraform contains beside its changes."""

from collections.abc import Container, Iterator, Mapping
from typing import Any

from pulumi_gke_tpu.core.resources.model import PlanOutcome
from pulumi_gke_tpu.core.text.jsonfile.scan import JsonPart

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


def plan_outcome(members: Mapping[str, JsonPart], types: Container[str]) -> PlanOutcome:
    """What the members of a plan tell about resources of some types. Older versions of Terraform write fewer."""
    deferred = {}
    for entry in _entries(members, "deferred_changes"):
        change = entry.get("resource_change")
        if _is_read(change, types):
            deferred[_text(change, "address")] = _text(entry, "reason")
    postponed = (entry.get("action_invocation") for entry in _entries(members, "deferred_action_invocations"))
    invoked = (*_entries(members, "action_invocations"), *(entry for entry in postponed if isinstance(entry, dict)))
    return PlanOutcome(
        errored=_flag(members, "errored") is True,
        complete=_flag(members, "complete") is not False,
        drifted=tuple(
            _text(entry, "address") for entry in _entries(members, "resource_drift") if _drifted(entry, types)
        ),
        deferred=deferred,
        actions=tuple(filter(None, dict.fromkeys(_text(entry, "address") for entry in invoked))),
    )


def _drifted(entry: Mapping[str, Any], types: Container[str]) -> bool:
    change = entry.get("change")
    actions = change.get("actions") if isinstance(change, dict) else None
    return _is_read(entry, types) and actions not in _UNCHANGED


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


def _text(data: Any, key: str) -> str:
    value = data.get(key) if isinstance(data, dict) else None
    return value if isinstance(value, str) else ""
