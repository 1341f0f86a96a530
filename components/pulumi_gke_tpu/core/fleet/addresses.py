"""The subnetwork of a cluster, and the addresses that its nodes and Pods use."""

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.catalog.records.platform import AddressRanges
from pulumi_gke_tpu.core.fleet.model import Cluster
from pulumi_gke_tpu.core.fleet.settings import node_settings, system_pool
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.plan.networks import ExistingNetwork
from pulumi_gke_tpu.core.text.formats.names import parse_network, parse_subnetwork

DEFAULT_NETWORK = ExistingNetwork(network="default", subnetwork="default")
"""The network of a cluster of which the plan names none."""


@frozen
class Subnetwork:
    """A subnetwork that a cluster is created in."""

    project: str
    region: str
    name: str


def subnetwork_of(cluster: Cluster) -> tuple[Subnetwork, ExistingNetwork] | None:
    """The subnetwork that must exist before a cluster; None if the cluster exists, or the plan creates or hides it."""
    network = cluster.plan.network
    if cluster.predates_plan or (network is not None and network.existing is None):
        return None
    existing = network.existing if network is not None and network.existing is not None else DEFAULT_NETWORK
    if not isinstance(existing.subnetwork, str) or not isinstance(existing.network, str):
        return None
    found, around = parse_subnetwork(existing.subnetwork), parse_network(existing.network)
    if found is None or around is None:
        return None
    project = found.project or around.project or cluster.project
    return Subnetwork(project, found.region or cluster.region, found.name), existing


def node_count(cluster: Cluster) -> int:
    """The largest number of nodes in the node pools of the plan, without those that GKE provisions itself."""
    hosts = sum(group.hosts.maximum for group in cluster.groups)
    return hosts + (_cpu_nodes(cluster) if cluster.mode == "standard" else 0)


def _cpu_nodes(cluster: Cluster) -> int:
    """The largest number of nodes in the system pool and the CPU pools."""
    system = system_pool(cluster)
    of_system = system.max_nodes.value if system is not None else 0
    return of_system + sum(pool.nodes.maximum for pool in cluster.cpu_pools)


def pod_block(facts: AddressRanges, pods: int) -> int:
    """The number of addresses of the Pod range that one node uses."""
    return 1 << (facts.per_pod * pods - 1).bit_length()


def pod_addresses(cluster: Cluster, catalog: Catalog) -> int:
    """The number of addresses of the Pod range that the nodes of the plan use at most."""
    facts = catalog.platform.addresses
    blocks = [
        (group.hosts.maximum, pod_block(facts, node_settings(group, catalog).max_pods_per_node.value))
        for group in cluster.groups
    ]
    blocks.append((_cpu_nodes(cluster), pod_block(facts, catalog.platform.nodes.default_pods_per_node)))
    return sum(nodes * block for nodes, block in blocks)
