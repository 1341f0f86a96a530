"""Stops the update that would only hide that the creation of a node pool failed.

GKE can make a pool and leave it in the state ERROR, for example out of capacity. Pulumi then keeps the pool and the
error; its next update has nothing to send, succeeds, and the error is forgotten. ``replace_on_changes=["#initerror"]``
would end that as well, but Pulumi keeps the same kind of error after a failed update of a healthy pool, and such a
slice must not be replaced for it.
"""

from collections.abc import Mapping
from typing import Any

import pulumi
from pulumi.runtime.mocks import MockMonitor
from pulumi.runtime.proto import resource_pb2
from pulumi.runtime.settings import get_monitor

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.catalog.records.provider import change_of
from pulumi_gke_tpu.core.graph.resource_types import NODE_POOL
from pulumi_gke_tpu.core.text.formats.property_path import Steps, format_steps

_GOOGLES_PREFIX = "goog-"
_NEVER_SENT = ("client-side", "create-only", "no-op")
"""Changes that the provider may plan as an update, and for which it sends nothing."""


def creation_hooks(owner: str, catalog: Catalog) -> pulumi.ResourceHookBinding | None:
    """Hooks for node pools that refuse such an update, in preview and in ``up``; None where nothing would call them.

    ``owner`` is the component that all the pools belong to, by its unique name: names of hooks are unique in a run. One
    hook serves all of them, since the SDK can start a server for each hook that is registered at the same time.
    """
    if not _engine_calls_hooks():
        return None

    def refuse(args: pulumi.ResourceHookArgs) -> None:
        found = args.old_outputs or {}
        if hides_a_failure(catalog, args.old_inputs or {}, args.new_inputs or {}, found):
            raise RuntimeError(_reason(args.urn, found))

    hook = pulumi.ResourceHook(f"node pools of {owner}", refuse, pulumi.ResourceHookOptions(on_dry_run=True))
    return pulumi.ResourceHookBinding(before_update=[hook])


def _engine_calls_hooks() -> bool:
    """Mocks and the embedded preview would take hooks, start a server for them, and never call one."""
    monitor = get_monitor()
    if monitor is None or isinstance(monitor, MockMonitor):
        return False
    return bool(monitor.SupportsFeature(resource_pb2.SupportsFeatureRequest(id="resourceHooks")).hasSupport)


def hides_a_failure(
    catalog: Catalog, before: Mapping[str, Any], now: Mapping[str, Any], found: Mapping[str, Any]
) -> bool:
    """Whether an update of a node pool is planned only because the last one failed, and would send nothing.

    This holds if the inputs are the same as ``before`` and the stored outputs (``found``) already have their values.
    """
    return before == now and not _differs(catalog, (), now, found)


def _differs(catalog: Catalog, steps: Steps, wanted: Any, found: Any) -> bool:
    """Whether the provider may send an update for this property. Then it repeats a failed update, and hides nothing.

    When in doubt, it does: the update of a healthy slice must not be refused.
    """
    wanted, found = _without_googles(wanted), _without_googles(found)
    if isinstance(wanted, Mapping) and isinstance(found, Mapping) and wanted and found:
        return any(_differs(catalog, (*steps, name), wanted.get(name), found.get(name)) for name in {*wanted, *found})
    if isinstance(wanted, list) and isinstance(found, list) and len(wanted) == len(found):
        pairs = enumerate(zip(wanted, found, strict=True))
        return any(_differs(catalog, (*steps, number), *pair) for number, pair in pairs)
    path = format_steps(steps)
    change = change_of(catalog.provider, NODE_POOL, path)
    if change is not None and change.change in _NEVER_SENT:
        return False
    if not wanted and found:
        added = any(item.path == path and item.effect != "none" for item in catalog.gke_adds[NODE_POOL])
        return change is not None and not change.computed and not added
    return bool(wanted) and bool(wanted != found)


def _without_googles(value: Any) -> Any:
    """A value without what only GKE and the provider write into it."""
    if not isinstance(value, Mapping):
        return value
    return {name: item for name, item in value.items() if not name.startswith(("__", _GOOGLES_PREFIX))}


def _reason(urn: str, pool: Mapping[str, Any]) -> str:
    name, cluster = pool.get("name"), str(pool.get("cluster")).rpartition("/")[2]
    place = f"--cluster {cluster} --location {pool.get('location')} --project {pool.get('project')}"
    return (
        f"GKE reported an error when node pool {name} was created or last changed. This update would send nothing,"
        " succeed, and hide that. Look at the status of the pool:\n"
        f"    gcloud container node-pools describe {name} {place} --format='value(status,statusMessage)'\n"
        "  ERROR: replace the pool. If it is protected, acknowledge its replacement in the plan first:\n"
        f"    pulumi up --replace '{urn}'\n"
        "  RUNNING: refresh the state:\n"
        "    pulumi refresh"
    )
