"""TPU968: networks of additional interfaces that hosts still use when the change deletes them."""

from collections.abc import Iterable, Iterator

from pulumi_gke_tpu.change.rules.transition import Transition
from pulumi_gke_tpu.findings import Severity, listed, quoted
from pulumi_gke_tpu.fleet import InterfaceNetwork, SliceGroup
from pulumi_gke_tpu.fleet.pairs import ClusterPair
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
    references=["compute-multiple-interfaces"],
    severity=Severity.WARNING,
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
                yield from _deleted(pair, key)
            elif not _contains(kept, network):
                users = [group.key for group in pair.base.groups if key in _names(group)]
                if users:
                    yield Hit(
                        (*kept.path, "subnet"),
                        f"this change replaces the subnetwork of {quoted(key)}, and hosts of {listed(users, most=3)} "
                        "have interfaces in it",
                    )


def _deleted(pair: ClusterPair, key: str) -> Iterator[Hit]:
    """The groups that keep their node pools, although the plan no longer has their interfaces."""
    for group in pair.groups:
        if group.base is None or group.head is None or group.head.plan.additional_networks:
            continue
        if key in _names(group.base):
            yield Hit(
                group.head.path,
                f"this change deletes network {quoted(key)}, but hosts of {quoted(group.head.key)} keep "
                "their interfaces in it",
            )


def _contains(kept: InterfaceNetwork, before: InterfaceNetwork) -> bool:
    """Whether the subnetwork keeps its addresses, so that the provider enlarges it in place."""
    mine, theirs = address_range(kept.plan.subnet), address_range(before.plan.subnet)
    return mine is None or theirs is None or theirs.subnet_of(mine)


def _names(group: SliceGroup) -> set[str | None]:
    """The networks of the cluster in which hosts of a group have interfaces."""
    return {item.name for item in group.plan.additional_networks}
