"""TPU238: the status of a node pool that exists."""

from collections.abc import Iterable, Iterator
from typing import Any

from pulumi_gke_tpu.core.resources.pools import PoolContext, at
from pulumi_gke_tpu.core.resources.values import Values
from pulumi_gke_tpu.core.rules.engine.rule import Hit, Scope, rule
from pulumi_gke_tpu.core.text.findings import Severity, printable

_FAILED = ("ERROR", "RUNNING_WITH_ERROR")
_HEALTHY = ("", "RUNNING", "STOPPING")
_MOST_REASONS = 3
_LONGEST_REASON = 300


@rule(
    "TPU238",
    "node-pool-in-error",
    scope=Scope.POOL,
    severity=Severity.WARNING,
    title="GKE reports an error of a node pool",
    why="GKE could not create or repair all nodes of the node pool, so Pods for its slices wait. Its conditions have "
    "the reason, for example no capacity or no quota",
    fix="Run `gke-tpu explain` with the message: it names the cause and the way out.",
    references=["container-api-discovery"],
    basis="format",
    failing="""
nodeConfig: {machineType: ct6e-standard-4t}
status: ERROR
conditions: [{code: GCE_STOCKOUT, message: "Instance creation failed: no capacity in us-east5-b"}]
""",
    edit=("status: ERROR", "status: RUNNING"),
)
def node_pool_in_error(context: PoolContext) -> Iterable[Hit]:
    """Conditions of a node pool that runs are from the past."""
    values = context.pool.values
    status, reasons = values.text("status"), [*dict.fromkeys(_reasons(values))][:_MOST_REASONS]
    if status in _FAILED or (reasons and status not in _HEALTHY):
        told = f": {'; '.join(reasons)}" if reasons else ", without a reason"
        yield Hit(at("status"), f"GKE reports the status {printable(status)}{told}")


def _reasons(values: Values) -> Iterator[str]:
    conditions = values.get("conditions")
    for item in conditions if isinstance(conditions, list) else []:
        said = [item.get(name) for name in ("code", "canonicalCode", "message")] if isinstance(item, dict) else []
        yield from _shown(": ".join(dict.fromkeys(part for part in said if isinstance(part, str) and part)))
    yield from _shown(values.get("statusMessage"))


def _shown(text: Any) -> Iterator[str]:
    if isinstance(text, str) and text.strip():
        yield printable(text.strip(), _LONGEST_REASON)
