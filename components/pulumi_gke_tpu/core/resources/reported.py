"""What GKE itself reports about clusters and node pools: their status, and the reason if something is wrong."""

from collections.abc import Iterator
from typing import Any

from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.graph.resource_types import CLUSTER, NODE_POOL
from pulumi_gke_tpu.core.resources.model import RawResource
from pulumi_gke_tpu.core.text.findings import printable

_FAILED = ("ERROR", "RUNNING_WITH_ERROR", "DEGRADED")
_HEALTHY = ("", "RUNNING", "STOPPING")
"""States in which conditions are from the past."""
_MOST_REASONS = 3
_LONGEST_REASON = 300


@frozen
class Reported:
    """The status of a cluster or node pool, safe to print."""

    status: str
    """Empty if the answer has none."""
    reasons: tuple[str, ...]
    is_problem: bool


def reported(raw: RawResource) -> Reported:
    """What an answer of the API says about a cluster or node pool; nothing for resources of another kind or source."""
    if raw.type not in (CLUSTER, NODE_POOL):
        return Reported("", (), is_problem=False)
    values = raw.values.data
    status = text if isinstance(text := values.get("status"), str) else ""
    reasons = tuple(dict.fromkeys(_reasons(values)))[:_MOST_REASONS]
    return Reported(printable(status), reasons, status in _FAILED or bool(reasons and status not in _HEALTHY))


def _reasons(values: dict[str, Any]) -> Iterator[str]:
    conditions = values.get("conditions")
    for item in conditions if isinstance(conditions, list) else []:
        said = [item.get(name) for name in ("code", "canonicalCode", "message")] if isinstance(item, dict) else []
        yield from _shown(": ".join(dict.fromkeys(part for part in said if isinstance(part, str) and part)))
    yield from _shown(values.get("statusMessage"))


def _shown(text: Any) -> Iterator[str]:
    if isinstance(text, str) and text.strip():
        yield printable(text.strip(), _LONGEST_REASON)
