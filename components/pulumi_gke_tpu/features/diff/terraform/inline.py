"""Node pools in the configuration of a cluster, as resources of their own."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.graph.model import NODE_POOL
from pulumi_gke_tpu.core.resources.model import Action, Origin, RawResource
from pulumi_gke_tpu.core.resources.terraform_names import names_of
from pulumi_gke_tpu.core.resources.values import Values
from pulumi_gke_tpu.core.text.findings import Path, Position

_POOLS, _BLOCK = "nodePools", "node_pool"
_OF_CLUSTER = ("location", "project")


def inline_pools(cluster: RawResource, catalog: Catalog) -> Iterator[RawResource]:
    """The node pools of a cluster with their part of its action.

    After a refresh, a cluster also has the node pools of other resources. Those that the plan does not know yet stay.
    """
    assert cluster.action is not None
    spelling = names_of(catalog, NODE_POOL).spelling
    before, after = _by_name(cluster.before), _by_name(cluster.values)
    if "delete" in cluster.action.kinds and "create" not in cluster.action.kinds:
        after = {}
    elif after is None:
        after = before
    for name in dict.fromkeys((*(before or ()), *(after or ()))):
        was, will = (before or {}).get(name), (after or {}).get(name)
        index, data = will or was or (0, {})
        yield RawResource(
            type=NODE_POOL,
            name=name,
            values=Values(_in_cluster(data, cluster.values)),
            before=Values(_in_cluster(was[1], cluster.before)) if was is not None and cluster.before else None,
            origin=Origin(
                cluster.origin.source,
                cluster.origin.file,
                f"{cluster.origin.address}.{_BLOCK}[{index}]",
                _locator(cluster, index),
            ),
            project=cluster.project,
            action=Action(_kinds(cluster.action, was and was[1], will and will[1])),
            spelling=spelling,
        )


def _by_name(values: Values | None) -> dict[str, tuple[int, dict[str, Any]]] | None:
    """The node pools of one side with their places; None if it does not know them."""
    found = values.data.get(_POOLS) if values is not None and isinstance(values.data, dict) else None
    if not isinstance(found, list):
        return None
    pools = [(index, pool) for index, pool in enumerate(found) if isinstance(pool, dict)]
    return {pool["name"]: (index, pool) for index, pool in pools if isinstance(pool.get("name"), str)}


def _in_cluster(pool: Mapping[str, Any], cluster: Values) -> dict[str, Any]:
    data = cluster.data if isinstance(cluster.data, dict) else {}
    return {**pool, "cluster": data.get("name"), **{name: data.get(name) for name in _OF_CLUSTER}}


def _locator(cluster: RawResource, index: int) -> Callable[[Path], Position]:
    def locate(path: Path) -> Position:
        return cluster.origin.locate((_BLOCK, index, *path))

    return locate


def _kinds(action: Action, was: Mapping[str, Any] | None, will: Mapping[str, Any] | None) -> tuple[str, ...]:
    """What the action on a cluster does to one of its node pools."""
    if "forget" in action.kinds:
        return ("forget",)
    if was is None or will is None:
        return ("create",) if was is None else ("delete",)
    if "delete" in action.kinds and will is not was:
        return action.kinds
    return ("no-op",) if was == will else ("update",)
