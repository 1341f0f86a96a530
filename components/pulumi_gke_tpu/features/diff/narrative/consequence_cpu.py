"""The effect of a change on the node pools without TPUs: the system pool and the CPU pools."""

from collections.abc import Iterable, Mapping

from pulumi_gke_tpu.core.fleet import Cluster, CpuPool, Range
from pulumi_gke_tpu.core.fleet.settings import system_pool
from pulumi_gke_tpu.core.graph.phrases import amount, urn_name
from pulumi_gke_tpu.core.graph.types import NODE_POOL
from pulumi_gke_tpu.core.text.findings import quoted
from pulumi_gke_tpu.features.diff.consent.subject import ClusterChange
from pulumi_gke_tpu.features.diff.effects.pools import resizes_or_repels
from pulumi_gke_tpu.features.diff.model import ResourceChange
from pulumi_gke_tpu.features.diff.sentences import Sentences


def describe_cpu_pools(item: ClusterChange, changes: Iterable[ResourceChange], sentences: Sentences) -> None:
    """The effect on each node pool without TPUs, the system pool first."""
    before, after = _cpu_pools(item.pair.base), _cpu_pools(item.pair.head)
    pools = [change for change in changes if change.type == NODE_POOL]
    for change in sorted(pools, key=lambda change: _old_name(change) in before or change.name in after):
        was, will = before.get(_old_name(change)), after.get(change.name)
        pool = was or will
        if pool is None:
            found = [system_pool(cluster) for cluster in (item.pair.base, item.pair.head) if cluster]
            system = [pool.nodes for pool in found if pool is not None]
            if system:
                _say(change, "the system pool", system[0], sentences, system[-1])
            continue
        _say(change, f"CPU pool {quoted(pool.name)}", pool.nodes, sentences, (will or pool).nodes)
        if was and will and change.operation == "update" and was.nodes != will.nodes:
            sentences.add(f"CPU pool {quoted(pool.name)} has {amount(will.nodes, 'node')} instead of {was.nodes}")


def _say(change: ResourceChange, pool: str, size: Range, sentences: Sentences, new_size: Range | None = None) -> None:
    nodes = amount(size, "node")
    resized = f" with {amount(new_size, 'node')}" if new_size is not None and new_size != size else ""
    if change.operation == "create":
        sentences.add(f"{pool} is created ({nodes})")
    elif change.operation in ("replace", "delete"):
        again = f", then created{resized}" if change.operation == "replace" else ""
        sentences.add(f"{pool} is deleted ({nodes}){again}; workloads on it stop")
    elif any(found.effect == "restart" and not resizes_or_repels(found.path) for found in change.differences):
        sentences.add(f"GKE drains and re-creates the nodes of {pool} ({nodes}); workloads on them move or stop")


def _cpu_pools(cluster: Cluster | None) -> Mapping[str, CpuPool]:
    return {pool.key: pool for pool in cluster.cpu_pools} if cluster else {}


def _old_name(change: ResourceChange) -> str:
    return urn_name(change.former_urn) if change.former_urn else change.name
