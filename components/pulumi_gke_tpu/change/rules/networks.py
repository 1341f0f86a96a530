"""TPU968: networks of additional interfaces that hosts still use when the change deletes them."""

from collections.abc import Iterable, Iterator

from pulumi_gke_tpu.change.rules.transition import Transition
from pulumi_gke_tpu.findings import Severity, listed, quoted
from pulumi_gke_tpu.fleet import InterfaceNetwork, SliceGroup
from pulumi_gke_tpu.fleet.pairs import ClusterPair, GroupPair
from pulumi_gke_tpu.formats.address_range import address_range
from pulumi_gke_tpu.rules.engine.hit import Hit
from pulumi_gke_tpu.rules.engine.rule import Scope, rule

_BEFORE = """
mode: standard
location: us-east5
additional_networks: {data: {subnet: 10.64.0.0/20}}
slices:
  pretrain: {tpu: v6e, topology: 4x4, zone: us-east5-b, additional_networks: [data]}
"""
_RENAMED = _BEFORE.replace("data", "storage").replace("10.64", "10.65")


@rule(
    "TPU968",
    "network-in-use",
    scope=Scope.CHANGE,
    since="0.1",
    title="Change deletes a network or subnetwork in which hosts have an interface",
    why="a network interface lasts as long as its VM, and Compute Engine does not delete a subnetwork or network with "
    "interfaces. Pulumi deletes a replaced subnetwork before the node pools, and the removal of `additional_networks` "
    "from a group does not change its node pools",
    fix="To change the range, add a network under another key and use it in the groups: Pulumi then replaces the node "
    "pools before it deletes the old network. To remove the interfaces, also change the key of the group.",
    references=["compute-multiple-interfaces", "subnetwork-in-use-report", "subnetwork-in-use-leftovers"],
    basis="catalog",
    note="subnetwork-in-use",
    otherwise={
        Severity.WARNING: "if the groups may have no hosts at that time: they are autoscaled from 0, the change "
        "replaces their cluster, or other node pools replace theirs"
    },
    failing=f"{_BEFORE.strip()}\n--- plan\n{_BEFORE.replace('0.0/20', '0.0/21').strip()}",
    passing=f"{_BEFORE.strip()}\n--- plan\n{_RENAMED.strip()}",
)
def network_in_use(transition: Transition) -> Iterable[Hit]:
    for pair in transition.pairs:
        if pair.base is None or pair.head is None or pair.head.mode != "standard" or pair.head.existing:
            continue
        after = {network.path[-1]: network for network in pair.head.additional_networks}
        for network in pair.base.additional_networks:
            key = str(network.path[-1])
            kept = after.get(key)
            if kept is None:
                yield from _deleted(transition, pair, key)
            elif not _contains(kept, network):
                users = [group for group in pair.groups if group.base is not None and key in _names(group.base)]
                if users:
                    keys = [group.item.key for group in users]
                    certain = any(_has_hosts(transition, pair, group, key) for group in users)
                    yield Hit(
                        (*kept.path, "subnet"),
                        f"this change replaces the subnetwork of {quoted(key)}, and hosts of {listed(keys, most=3)} "
                        "have interfaces in it: `pulumi up` will fail at its deletion",
                        severity=None if certain else Severity.WARNING,
                    )


def _deleted(transition: Transition, pair: ClusterPair, key: str) -> Iterator[Hit]:
    """The groups that keep their node pools, although the plan no longer has their interfaces."""
    for group in pair.groups:
        if group.base is None or group.head is None or group.head.plan.additional_networks:
            continue
        if key in _names(group.base) and not transition.replaced_for(group.head.key):
            yield Hit(
                group.head.path,
                f"this change deletes network {quoted(key)}, but hosts of {quoted(group.head.key)} keep "
                "their interfaces in it: `pulumi up` will fail at its deletion",
                severity=None if _has_hosts(transition, pair, group) else Severity.WARNING,
            )


def _has_hosts(transition: Transition, cluster: ClusterPair, group: GroupPair, key: str = "") -> bool:
    """Whether a group certainly has hosts when Pulumi deletes the network: it has a minimum, and keeps its node pools.

    Pulumi replaces node pools that use the network after the network, and deletes those of a removed group last.
    """
    base, head = group.base, group.head
    if base is None or not base.pools or not base.slices.minimum or transition.replaced_for(cluster.item.key):
        return False
    return head is None or not key or key in _names(head)


def _contains(kept: InterfaceNetwork, before: InterfaceNetwork) -> bool:
    """Whether the subnetwork keeps its addresses, so that the provider enlarges it in place."""
    mine, theirs = address_range(kept.plan.subnet), address_range(before.plan.subnet)
    return mine is None or theirs is None or theirs.subnet_of(mine)


def _names(group: SliceGroup) -> set[str | None]:
    """The networks of the cluster in which hosts of a group have interfaces."""
    return {item.name for item in group.plan.additional_networks}
