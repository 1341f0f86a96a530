"""Which slice groups use which workload policy, and the topology of each policy.

The topology of a workload policy is fixed when the policy is created, and GKE rejects a node pool with another
topology. Pulumi gets this error during the update; in a replacement, it has already deleted the old node pool.
"""

from collections.abc import Iterable, Iterator
from typing import Literal

from pulumi_gke_tpu.core.fleet.model import Cluster, SliceGroup
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.text.findings import Path, quoted

_SHOWS = {"group": "is created for", "cluster": "is created in `workload_policies` of", "named": "is also used by"}


@frozen
class PolicyUse:
    """A workload policy that a cluster creates, or a group's use of one."""

    policy: tuple[str, str, str]
    """Project, region and name, which identify it."""
    topology: str
    """The topology of the policy or of the group; empty for a policy without a topology."""
    item: str
    """The key of the group or cluster."""
    path: Path
    """The path of what creates the policy, or of the key that names it."""
    made_for: Literal["group", "cluster", "named"]
    """Whether the policy is created for the group or in the cluster; otherwise the group only names it."""

    @property
    def created(self) -> bool:
        """Whether gke-tpu creates the policy here."""
        return self.made_for != "named"


def policy_uses(clusters: Iterable[Cluster]) -> Iterator[PolicyUse]:
    """Every creation and use of a workload policy with a known name."""
    for cluster in clusters:
        for item in cluster.workload_policies:
            identity = (cluster.project, cluster.region, item.name)
            yield PolicyUse(identity, item.plan.topology or "", cluster.key, item.path, "cluster")
        for group in cluster.groups:
            yield from _use(cluster, group)


def _use(cluster: Cluster, group: SliceGroup) -> Iterator[PolicyUse]:
    """The policy of the node pools of a group, if its name is known."""
    topology = str(group.shape.topology)
    if group.policy_name is not None:
        identity = (cluster.project, cluster.region, group.policy_name)
        yield PolicyUse(identity, topology, group.key, group.path, "group")
        return
    reaches_nodes = cluster.mode == "standard" or group.compute_class is not None
    if reaches_nodes and group.plan.placement is not None and group.shape.multi_host:
        written = group.plan.placement.workload_policy
        name = written.rpartition("/")[2] if isinstance(written, str) else ""
        if name:
            path = (*group.path, "placement", "workload_policy")
            yield PolicyUse((cluster.project, cluster.region, name), topology, group.key, path, "named")


def policies_of(uses: Iterable[PolicyUse]) -> dict[tuple[str, str, str], PolicyUse]:
    """The use that determines the topology of each policy: what creates it, else the first group that names it."""
    known: dict[tuple[str, str, str], PolicyUse] = {}
    for use in uses:
        if use.policy not in known or (use.created and not known[use.policy].created):
            known[use.policy] = use
    return known


def topology_mismatch(use: PolicyUse, known: PolicyUse, where: str = "") -> str:
    """How a group has another topology than its policy, whose topology is that of ``known``; ``where`` is its file.

    Empty if the topologies agree, or if the policy has none, which is a problem of its own.
    """
    if use.created or known.topology in ("", use.topology):
        return ""
    return (
        f"workload policy {quoted(use.policy[2])} {_SHOWS[known.made_for]} {quoted(known.item)}{where} with topology "
        f"{known.topology}, but {quoted(use.item)} has topology {use.topology}"
    )
