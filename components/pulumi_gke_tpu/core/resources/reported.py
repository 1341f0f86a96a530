"""What Google itself reports: the status of clusters and node pools, and operations and instances that failed."""

import datetime
from collections.abc import Iterable, Iterator
from typing import Any

from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.graph.resource_types import CLUSTER, NODE_POOL
from pulumi_gke_tpu.core.objects.document import items, mapping, text
from pulumi_gke_tpu.core.resources.model import INSTANCE_ERROR, OPERATION, RESIZE_REQUEST, RawResource
from pulumi_gke_tpu.core.text.findings import printable

_FAILED = ("ERROR", "RUNNING_WITH_ERROR", "DEGRADED")
_HEALTHY = ("", "RUNNING", "STOPPING")
"""States in which conditions are from the past."""
_MOST_REASONS = 3
_LONGEST_REASON = 600
_RECENT = datetime.timedelta(days=1)
"""How long before the latest entry of its kind a failure still counts."""


@frozen
class Reported:
    """The status of a cluster or node pool, or a failure, safe to print."""

    status: str
    """Empty if the answer has none."""
    reasons: tuple[str, ...]
    is_problem: bool
    says: str = ""
    """The same in words, without the reasons: ``GKE reports the status ERROR``."""


def reported(raw: RawResource) -> Reported:
    """What an answer of the API says about a cluster or node pool; nothing for resources of another kind or source."""
    if raw.type not in (CLUSTER, NODE_POOL):
        return Reported("", (), is_problem=False)
    values = raw.values.data
    status = text(values.get("status"))
    reasons = tuple(dict.fromkeys(_reasons(values)))[:_MOST_REASONS]
    is_problem = status in _FAILED or bool(reasons and status not in _HEALTHY)
    return Reported(printable(status), reasons, is_problem, f"GKE reports the status {printable(status)}")


def failures(resources: Iterable[RawResource]) -> Iterator[tuple[RawResource, Reported]]:
    """Clusters and node pools in error, and what failed last.

    An operation or a request counts until a later one about the same thing, and for one day; nothing counts that is
    about a node pool that runs.
    """
    resources = tuple(resources)
    whole, events = set(), list[tuple[RawResource, Reported, str, str]]()
    for each in resources:
        told = reported(each)
        if told.is_problem:
            yield each, told
        elif told.status == "RUNNING":
            whole.add(each.origin.address)
        if each.type in _EVENTS:
            events.append((each, *_EVENTS[each.type](each.values.data)))
    latest: dict[tuple[str, str], str] = {}
    newest: dict[str, str] = {}
    for each, _, about, time in events:
        latest[each.type, about] = max(time, latest.get((each.type, about), ""))
        newest[each.type] = max(time, newest.get(each.type, ""))
    seen: set[tuple[str, str, Reported]] = set()
    for each, told, about, time in events:
        superseded = time < latest[each.type, about] or _is_old(time, newest[each.type])
        if not told.is_problem or superseded or (each.type, about, told) in seen:
            continue
        if not any(about.endswith(f"/{link}") for link in whole):
            seen.add((each.type, about, told))
            yield each, told


def _of_operation(values: dict[str, Any]) -> tuple[Reported, str, str]:
    """An operation of GKE: what it says, the resource that it is about, and its start."""
    error = text(mapping(values.get("error")).get("message")) or text(values.get("statusMessage"))
    ended = values.get("status") in ("DONE", "ABORTING")
    name = printable(text(values.get("operationType")), _LONGEST_REASON)
    told = Reported("", tuple(_shown(error)), ended and bool(error.strip()), f"GKE reports that {name} failed")
    return told, text(values.get("targetLink")), text(values.get("startTime"))


def _of_request(values: dict[str, Any]) -> tuple[Reported, str, str]:
    """A resize request of an instance group. One that waits is as it should be."""
    status = mapping(values.get("status"))
    attempts = (status, mapping(status.get("lastAttempt")))
    errors = (mapping(error) for each in attempts for error in items(mapping(each.get("error")).get("errors")))
    reasons = tuple(dict.fromkeys(said for error in errors for said in _shown(_said(error))))[:_MOST_REASONS]
    told = Reported("", reasons, values.get("state") == "FAILED", "Compute Engine reports that a resize request failed")
    return told, text(values.get("selfLink")).rpartition("/")[0], text(values.get("creationTimestamp"))


def _of_instance(values: dict[str, Any]) -> tuple[Reported, str, str]:
    """An error of an instance that its group could not start; the same error of others is the same."""
    said, details = _said(mapping(values.get("error"))), mapping(values.get("instanceActionDetails"))
    action = printable(text(details.get("action")) or "an action", _LONGEST_REASON)
    says = f"Compute Engine reports that {action} of an instance failed"
    told = Reported("", tuple(_shown(said)), bool(said), says)
    return told, said.partition(":")[0], text(values.get("timestamp"))


_EVENTS = {OPERATION: _of_operation, RESIZE_REQUEST: _of_request, INSTANCE_ERROR: _of_instance}


def _is_old(time: str, newest: str) -> bool:
    moments = []
    for each in (time, newest):
        try:
            moments.append(datetime.datetime.fromisoformat(each[:19]))
        except ValueError:
            return False
    return moments[1] - moments[0] > _RECENT


def _reasons(values: dict[str, Any]) -> Iterator[str]:
    for item in map(mapping, items(values.get("conditions"))):
        said = (item.get(name) for name in ("code", "canonicalCode", "message"))
        yield from _shown(": ".join(dict.fromkeys(part for part in said if isinstance(part, str) and part)))
    yield from _shown(values.get("statusMessage"))


def _said(error: dict[str, Any]) -> str:
    return ": ".join(part for part in (text(error.get("code")), text(error.get("message"))) if part)


def _shown(said: Any) -> Iterator[str]:
    if isinstance(said, str) and said.strip():
        yield printable(said.strip(), _LONGEST_REASON)
