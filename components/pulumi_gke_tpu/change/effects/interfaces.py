"""Networks of additional interfaces that hosts still use when the change deletes them."""

from collections.abc import Callable, Iterator

from pulumi_gke_tpu.fleet import InterfaceNetwork, SliceGroup
from pulumi_gke_tpu.fleet.pairs import ClusterPair, GroupPair
from pulumi_gke_tpu.formats.address_range import address_range
from pulumi_gke_tpu.frozen import frozen


@frozen
class UsedNetwork:
    """A network that the change deletes, or whose subnetwork it replaces, while groups have interfaces in it."""

    key: str
    head: InterfaceNetwork | None
    """The network after the change; None if the change deletes it."""
    groups: tuple[GroupPair, ...]
    certain: bool
    """Whether hosts certainly exist at that time, so that ``pulumi up`` fails."""


def used_networks(pair: ClusterPair, is_replaced: Callable[[str], bool]) -> Iterator[UsedNetwork]:
    """The deleted networks and replaced subnetworks of a cluster that hosts use, one entry per group for the former.

    ``is_replaced`` tells whether the change replaces a cluster, or the node pools of a group, because of its own
    properties.
    """
    if pair.base is None or pair.head is None or pair.head.mode != "standard" or pair.head.existing:
        return
    after = {network.path[-1]: network for network in pair.head.additional_networks}
    stays = not is_replaced(pair.item.key)
    for network in pair.base.additional_networks:
        key = str(network.path[-1])
        kept = after.get(key)
        users = [group for group in pair.groups if group.base is not None and key in _names(group.base)]
        if kept is None:
            for group in users:
                if group.head is None or group.head.plan.additional_networks or is_replaced(group.head.key):
                    continue
                yield UsedNetwork(key, None, (group,), stays and _has_hosts(group))
        elif users and not _contains(kept, network):
            certain = stays and any(_has_hosts(group, key) for group in users)
            yield UsedNetwork(key, kept, tuple(users), certain)


def _has_hosts(group: GroupPair, key: str = "") -> bool:
    """Whether a group certainly has hosts when Pulumi deletes the network: it has a minimum, and keeps its node pools.

    Pulumi replaces node pools that use the network after the network, and deletes those of a removed group last.
    """
    base, head = group.base, group.head
    if base is None or not base.pools or not base.slices.minimum:
        return False
    return head is None or not key or key in _names(head)


def _contains(kept: InterfaceNetwork, before: InterfaceNetwork) -> bool:
    """Whether the subnetwork keeps its addresses, so that the provider enlarges it in place."""
    mine, theirs = address_range(kept.plan.subnet), address_range(before.plan.subnet)
    return mine is None or theirs is None or theirs.subnet_of(mine)


def _names(group: SliceGroup) -> set[str | None]:
    """The networks of the cluster in which hosts of a group have interfaces."""
    return {item.name for item in group.plan.additional_networks}
