"""Subnetworks of additional interfaces that a change replaces although node pools refer to them."""

from collections.abc import Iterator

from pulumi_gke_tpu.core.fleet import InterfaceNetwork
from pulumi_gke_tpu.core.fleet.pairs import ClusterPair, GroupPair
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.text.formats.address_range import address_range


@frozen
class UsedNetwork:
    """A network whose subnetwork the change replaces, and the groups whose node pools refer to it before."""

    key: str
    head: InterfaceNetwork
    """The network after the change."""
    groups: tuple[GroupPair, ...]


def used_networks(pair: ClusterPair) -> Iterator[UsedNetwork]:
    """The replaced subnetworks of a cluster, as far as node pools refer to them before the change.

    It does not matter whether the change also replaces or deletes these node pools: Pulumi asks about them first. A
    network that the change deletes cannot fail so, because its node pools are replaced without the interface before.
    """
    if pair.base is None or pair.head is None or pair.head.mode != "standard" or pair.head.existing:
        return
    after = {network.path[-1]: network for network in pair.head.additional_networks}
    for network in pair.base.additional_networks:
        key = str(network.path[-1])
        kept = after.get(key)
        users = tuple(group for group in pair.groups if _refers(group, key))
        if kept is not None and users and not _contains(kept, network):
            yield UsedNetwork(key, kept, users)


def _refers(group: GroupPair, key: str) -> bool:
    """Whether node pools of a group have an interface in a network of the cluster before the change."""
    base = group.base
    return base is not None and bool(base.pools) and key in {item.name for item in base.plan.additional_networks}


def _contains(kept: InterfaceNetwork, before: InterfaceNetwork) -> bool:
    """Whether the subnetwork keeps its addresses, so that the provider enlarges it in place."""
    mine, theirs = address_range(kept.plan.subnet), address_range(before.plan.subnet)
    return mine is None or theirs is None or theirs.subnet_of(mine)
