"""Which slice groups use which workload policy, and the topology of each policy.

The topology of a workload policy is fixed when the policy is created, and GKE rejects a node pool with another
topology. Pulumi gets this error during the update; in a replacement, it has already deleted the old node pool.
"""

from collections.abc import Iterable, Iterator

from pulumi_gke_tpu.findings import Path, quoted
from pulumi_gke_tpu.fleet.model import Cluster, SliceGroup
from pulumi_gke_tpu.frozen import frozen


@frozen
class PolicyUse:
    """A group's use of a workload policy."""

    policy: tuple[str, str, str]
    """Project, region and name, which identify it."""
    topology: str
    group: SliceGroup
    created: bool
    """Whether the component creates the policy; otherwise the group names an existing one."""

    @property
    def path(self) -> Path:
        """The path of the key that names an existing policy."""
        return (*self.group.path, "placement", "workload_policy")


def policy_uses(groups: Iterable[tuple[Cluster, SliceGroup]]) -> Iterator[PolicyUse]:
    """Every use of a workload policy with a known name."""
    for cluster, group in groups:
        name, created = _policy(cluster, group)
        if name:
            yield PolicyUse((cluster.project, cluster.region, name), str(group.shape.topology), group, created)


def _policy(cluster: Cluster, group: SliceGroup) -> tuple[str, bool]:
    """The policy name of the node pools of a group (empty if none), and whether the component creates the policy."""
    if group.policy_name is not None:
        return group.policy_name, True
    if cluster.mode != "standard" or group.plan.placement is None or not group.shape.multi_host:
        return "", False
    name = group.plan.placement.workload_policy
    return (name.rpartition("/")[2], False) if isinstance(name, str) else ("", False)


def policies_of(uses: Iterable[PolicyUse]) -> dict[tuple[str, str, str], PolicyUse]:
    """The use that determines the topology of each policy: the group that creates it, else the first that names it."""
    known: dict[tuple[str, str, str], PolicyUse] = {}
    for use in uses:
        if use.policy not in known or (use.created and not known[use.policy].created):
            known[use.policy] = use
    return known


def topology_mismatch(use: PolicyUse, known: PolicyUse, where: str = "") -> str:
    """How a group has another topology than its policy, whose topology is that of ``known``; ``where`` is its file."""
    shows = "is created for" if known.created else "is also used by"
    return (
        f"workload policy {quoted(use.policy[2])} {shows} {quoted(known.group.key)}{where} with topology "
        f"{known.topology}, but {quoted(use.group.key)} has topology {use.topology}"
    )
