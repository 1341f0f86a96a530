"""TPU135: workload policies with another topology than the slices that use them."""

from collections.abc import Iterable

from pulumi_gke_tpu.fleet.policy_uses import policies_of, policy_uses, topology_mismatch
from pulumi_gke_tpu.rules.engine.context import PlanContext
from pulumi_gke_tpu.rules.engine.hit import Hit
from pulumi_gke_tpu.rules.engine.rule import Scope, rule


@rule(
    "TPU135",
    "mismatched-workload-policy",
    scope=Scope.PLAN,
    since="0.1",
    title="Workload policy and slice group have different topologies",
    why="a workload policy has exactly one topology, and GKE rejects node pools with a different topology. If an "
    "update replaces node pools, Pulumi deletes the old node pools before GKE rejects the new node pools",
    fix="Use a policy with the topology of the group. Or remove `placement`: gke-tpu then creates a policy.",
    references=["gke-ironwood", "vllm-ci-547", "autoscaler-placement", "provider-resource-policy"],
    basis="catalog",
    note="tpu7x-workload-policy",
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
            yield Hit(use.path, topology_mismatch(use, known[use.policy]))
