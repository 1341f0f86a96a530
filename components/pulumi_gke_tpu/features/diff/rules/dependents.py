"""TPU966 to TPU968 and TPU975: changes of clusters, subnetworks and workload policies that something still uses."""

from collections.abc import Iterable

from pulumi_gke_tpu.core.fleet.policy_uses import policies_of, policy_uses
from pulumi_gke_tpu.core.rules.engine.rule import Hit, in_cluster, of_clusters, of_groups, rule, warning
from pulumi_gke_tpu.core.text.findings import Severity, listed, printable, quoted
from pulumi_gke_tpu.features.diff.effects.pools import total, used_networks
from pulumi_gke_tpu.features.diff.rules.transition import Transition

_CREATED = """
version: 1
project: acme-ml
clusters:
  train:
    mode: standard
    location: us-east5
    slices:
      main: {tpu: v6e, topology: 4x4, zone: us-east5-b}
"""
_EXISTING = """
version: 1
project: acme-ml
clusters:
  train:
    mode: standard
    existing: projects/acme-ml/locations/us-east5/clusters/train
    node_service_account: nodes@acme-ml.iam.gserviceaccount.com
    slices:
      main: {tpu: v6e, topology: 4x4, zone: us-east5-b}
"""
_RENAMED = _CREATED.replace("    slices:", "    name: train-2\n    slices:")
_ACKNOWLEDGED = "acknowledge: [{change: delete, of: train, reason: the state retains it, until: 2026-12-01}]\n"


@rule(
    "TPU966",
    about=("acknowledge[].change", "clusters.*.existing", "clusters.*.location", "clusters.*.node_service_account"),
    title="Change deletes the cluster that `existing` refers to",
    why="the plan no longer creates the cluster, so Pulumi deletes it, with all its node pools and the data stored in "
    "it. A preview of Pulumi shows the node pools of the slices as unchanged",
    fix="Keep the cluster in two updates. First, give `TpuFleet` the option `retain_on_delete=True` and run "
    "`pulumi up`. Then set `existing`, remove the option, and acknowledge the change (`change: delete`).",
    references=["OBSERVED_2026_11_20"],
    basis="observed",
    today="2026-11-20",
    failing=f"{_CREATED}--- plan{_EXISTING}",
    passing=f"{_CREATED}--- plan{_EXISTING}{_ACKNOWLEDGED}",
)
def own_cluster_becomes_existing(transition: Transition) -> Iterable[Hit]:
    for pair in transition.pairs:
        base, head = pair.base, pair.head
        if base is None or head is None or pair.handed_over != "given":
            continue
        if "delete" in transition.acknowledged(transition.head, head.key):
            continue
        hosts = total(group.hosts for group in base.groups)
        lost = f" with its node pools ({hosts.counted('TPU host')})" if hosts.maximum else ""
        yield Hit(
            (*head.path, "existing"),
            f"this change deletes the existing cluster {quoted(head.name)}{lost}, because the plan created the cluster",
        )


@rule(
    "TPU967",
    about=of_clusters("existing", "location", "name", "node_service_account"),
    title="Change creates a cluster that exists already",
    why="Pulumi does not manage the existing cluster, so `pulumi up` creates a cluster with the same name, and GKE "
    "rejects the cluster",
    fix="Keep `existing`, or set another `name`: gke-tpu then creates a second cluster and replaces the node pools.",
    references=["OBSERVED_2026_11_20"],
    basis="observed",
    failing=f"{_EXISTING}--- plan{_CREATED}",
    passing=f"{_EXISTING}--- plan{_RENAMED}",
)
def existing_cluster_becomes_own(transition: Transition) -> Iterable[Hit]:
    for pair in transition.pairs:
        if pair.head is not None and pair.handed_over == "taken":
            yield Hit(
                pair.head.path,
                f"`pulumi up` will fail at the creation of cluster {quoted(pair.head.name)}: it exists already",
            )


_WITH_NETWORK = in_cluster("""
additional_networks: {data: {subnet: 10.64.0.0/20}}
slices:
  pretrain: {tpu: v6e, topology: 4x4, zone: us-east5-b, additional_networks: [data]}
""")
_OTHER_NETWORK = _WITH_NETWORK.replace("data", "storage").replace("10.64", "10.65")


@rule(
    "TPU968",
    about=of_clusters("additional_networks.*.subnet"),
    title="Change replaces a subnetwork in which hosts have an interface",
    why="the preview of a replaced subnetwork makes the gcp provider crash if node pools have interfaces in it: "
    "`Bridged provider panic (method=Diff): can't use ElementIterator on unknown value`. Compute Engine also does not "
    "delete a subnetwork in which hosts have interfaces",
    fix="To change the range, add a network under another key and use it in the groups: Pulumi then replaces the node "
    "pools before it deletes the old network.",
    references=["compute-multiple-interfaces", "subnetwork-in-use-report", "subnetwork-in-use-leftovers"],
    note="subnetwork-in-use",
    failing=f"{_WITH_NETWORK.strip()}\n--- plan\n{_WITH_NETWORK.replace('0.0/20', '0.0/21').strip()}",
    passing=f"{_WITH_NETWORK.strip()}\n--- plan\n{_OTHER_NETWORK.strip()}",
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


_WITH_POLICY = """
mode: standard
location: us-central1
slices:
  large: {tpu: tpu7x, topology: 4x4x4, zone: us-central1-c, placement: {workload_policy: cube}}
"""
_OTHER_POLICY = _WITH_POLICY.replace("4x4x4", "2x2x2").replace("cube", "small-cube")


@warning(
    "TPU975",
    about=(*of_groups("placement", "topology"), *of_clusters("workload_policies")),
    otherwise={Severity.ERROR: "if the change deletes the policy"},
    title="Change deletes the workload policy of a group, or changes the topology of the policy",
    why="the topology of a workload policy cannot change. If gke-tpu created the policy, Pulumi deletes the policy "
    "with its group or its entry in `workload_policies`. GKE then rejects the new node pools, after Pulumi has deleted "
    "the old node pools",
    fix="Use a policy with the topology of the group. Or remove `placement`: gke-tpu then creates a policy.",
    references=["gke-ironwood", "vllm-ci-547", "autoscaler-placement", "provider-resource-policy"],
    basis="format",
    failing=f"{_WITH_POLICY.strip()}\n--- plan\n{_WITH_POLICY.replace('4x4x4', '2x2x2').strip()}",
    passing=f"{_WITH_POLICY.strip()}\n--- plan\n{_OTHER_POLICY.strip()}",
)
def reused_workload_policy(transition: Transition) -> Iterable[Hit]:
    """Warn about a topology that only the previous plan shows: that plan can have been wrong.

    The deletion of a policy is certain, because the same change deletes it.
    """
    before = policies_of(policy_uses(pair.base for pair in transition.pairs if pair.base is not None))
    after = list(policy_uses(pair.head for pair in transition.pairs if pair.head is not None))
    now = policies_of(after)
    for use in after:
        shown = before.get(use.policy)
        if use.created or shown is None or now[use.policy].made_for == "cluster":
            continue
        name = printable(use.policy[2])
        if shown.created and not now[use.policy].created:
            whose = "created for" if shown.made_for == "group" else "created in `workload_policies` of"
            yield Hit(
                use.path,
                f"this change deletes workload policy `{name}`, which was {whose} {printable(shown.item)}",
                severity=Severity.ERROR,
            )
        elif shown.topology != use.topology:
            yield Hit(
                use.path,
                f"workload policy `{name}` had topology {shown.topology} for {printable(shown.item)}, "
                f"and {printable(use.item)} now has topology {use.topology}",
            )
