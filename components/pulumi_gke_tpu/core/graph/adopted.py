"""The resources that exist before a plan, which takes them over."""

from collections.abc import Iterator

from pulumi_gke_tpu.core.fleet import Cluster, SliceGroup
from pulumi_gke_tpu.core.graph.resource_types import CLUSTER, NODE_POOL


def adopted_with_cluster(cluster: Cluster) -> Iterator[tuple[str, str]]:
    """A cluster and its node pools without TPUs, as far as they are adopted, by type and Pulumi name."""
    if cluster.adopted:
        yield CLUSTER, cluster.key
    yield from ((NODE_POOL, pool.key) for pool in cluster.cpu_pools if pool.plan.adopted is not None)


def adopted_with_group(group: SliceGroup) -> Iterator[tuple[str, str]]:
    """The node pools of a slice group, if they are adopted."""
    if group.plan.adopted is not None:
        yield from ((NODE_POOL, pool.key) for pool in group.pools)
