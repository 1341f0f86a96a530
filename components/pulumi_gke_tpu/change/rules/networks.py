"""TPU968: networks of additional interfaces that hosts still use when the change deletes them."""

from collections.abc import Iterable

from pulumi_gke_tpu.change.effects.interfaces import used_networks
from pulumi_gke_tpu.change.rules.transition import Transition
from pulumi_gke_tpu.findings import Path, Severity, listed, quoted
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
        for used in used_networks(pair, lambda item: bool(transition.replaced_for(item))):
            groups = listed([quoted(group.item.key) for group in used.groups], most=3)
            of = f"{quoted(used.key)} of {quoted(pair.item.key)}"
            if used.head is not None:
                path: Path = (*used.head.path, "subnet")
                message = f"this change replaces the subnetwork of {of}, and hosts of {groups} have interfaces in it"
            else:
                path = used.groups[0].item.path
                message = f"this change deletes network {of}, but hosts of {groups} keep their interfaces in it"
            severity = None if used.certain else Severity.WARNING
            yield Hit(path, f"{message}: `pulumi up` will fail at its deletion", severity=severity)
