"""Checks that workload policies have the topology of the slices that use them: TPU135.

The topology of a workload policy is fixed when the policy is created, and GKE rejects a node pool with another
topology. Pulumi gets this error during the update; in a replacement, it has already deleted the old node pool.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from pulumi_gke_tpu.findings import Path, quoted
from pulumi_gke_tpu.fleet import Cluster, SliceGroup
from pulumi_gke_tpu.rules.engine.context import PlanContext
from pulumi_gke_tpu.rules.engine.hit import Hit
from pulumi_gke_tpu.rules.engine.rule import Scope, rule

WHY = (
    "a policy has one topology, so GKE rejects the node pools; in a replacement, Pulumi has already deleted "
    "the old ones by then"
)
NOTE = "tpu7x-workload-policy"
FIX = "Use a policy with the topology of the group, or remove placement so that the component creates one."


@dataclass(frozen=True)
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


def topology_hit(use: PolicyUse, known: PolicyUse, where: str = "") -> Hit:
    """The hit for a group with another topology than its policy, whose topology is that of ``known``."""
    name = quoted(use.policy[2])
    shows = "is created for" if known.created else "is also used by"
    return Hit(
        use.path,
        f"workload policy {name} {shows} {quoted(known.group.key)}{where} with topology "
        f"{known.topology}; {quoted(use.group.key)} has {use.topology}",
    )


@rule(
    "TPU135",
    "mismatched-workload-policy",
    scope=Scope.PLAN,
    since="0.1",
    title="Workload policy with another topology",
    why=WHY,
    fix=FIX,
    references=["gke-ironwood", "vllm-ci-547", "autoscaler-placement", "provider-resource-policy"],
    basis="catalog",
    note=NOTE,
    failing="""
mode: standard
location: us-central1
slices:
  large: {tpu: tpu7x, topology: 4x4x4, zone: us-central1-c}
  small: {tpu: tpu7x, topology: 2x2x2, zone: us-central1-c, placement: {workload_policy: train-large-4x4x4}}
""",
    passing="""
mode: standard
location: us-central1
slices:
  large: {tpu: tpu7x, topology: 4x4x4, zone: us-central1-c}
  small: {tpu: tpu7x, topology: 2x2x2, zone: us-central1-c}
""",
)
def mismatched_workload_policy(context: PlanContext) -> Iterable[Hit]:
    uses = list(policy_uses(context.fleet.groups()))
    known = policies_of(uses)
    for use in uses:
        if not use.created and use.topology != known[use.policy].topology:
            yield topology_hit(use, known[use.policy])
