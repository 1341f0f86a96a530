"""TPU968: subnetworks of additional interfaces that a change replaces although node pools refer to them."""

from collections.abc import Iterable

from pulumi_gke_tpu.core.rules.engine.rule import Hit, rule
from pulumi_gke_tpu.core.text.findings import listed, quoted
from pulumi_gke_tpu.features.diff.effects.pools import used_networks
from pulumi_gke_tpu.features.diff.rules.transition import Transition

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
    about=("clusters.*.additional_networks.*.subnet",),
    title="Change replaces a subnetwork in which hosts have an interface",
    why="the preview of a replaced subnetwork makes the gcp provider crash if node pools have interfaces in it: "
    "`Bridged provider panic (method=Diff): can't use ElementIterator on unknown value`. Compute Engine also does not "
    "delete a subnetwork in which hosts have interfaces",
    fix="To change the range, add a network under another key and use it in the groups: Pulumi then replaces the node "
    "pools before it deletes the old network.",
    references=["compute-multiple-interfaces", "subnetwork-in-use-report", "subnetwork-in-use-leftovers"],
    basis="catalog",
    note="subnetwork-in-use",
    failing=f"{_BEFORE.strip()}\n--- plan\n{_BEFORE.replace('0.0/20', '0.0/21').strip()}",
    passing=f"{_BEFORE.strip()}\n--- plan\n{_RENAMED.strip()}",
)
def network_in_use(transition: Transition) -> Iterable[Hit]:
    for pair in transition.pairs:
        for used in used_networks(pair):
            groups = listed([quoted(group.item.key) for group in used.groups], most=3)
            of = f"{quoted(used.key)} of {quoted(pair.item.key)}"
            yield Hit(
                (*used.head.path, "subnet"),
                f"this change replaces the subnetwork of {of}, in which node pools of {groups} have interfaces:"
                " `pulumi up` will fail",
            )
