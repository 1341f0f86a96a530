"""TPU839 and TPU840: existing workload policies that plans name, against those of the inventory."""

from collections.abc import Iterable

from pulumi_gke_tpu.core.fleet.policy_uses import policy_uses
from pulumi_gke_tpu.core.rules.engine.rule import Hit, of_groups, rule, warning
from pulumi_gke_tpu.core.text.findings import SetKeys, printable, quoted
from pulumi_gke_tpu.core.text.findings.suggestions import Suggestions
from pulumi_gke_tpu.features.capacity.rules.inventory.context import InventoryContext

_EXAMPLE = """
mode: standard
location: us-central1
slices:
  pretrain:
    tpu: tpu7x
    topology: 4x4x4
    zone: us-central1-c
    capacity: {reservation: ironwood}
    placement: {workload_policy: POLICY}
--- inventory
workload_policies:
  - {name: cubes, project: acme-ml, region: us-central1, topology: TOPOLOGY}
"""


def _example(policy: str, topology: str) -> str:
    return _EXAMPLE.replace("POLICY", policy).replace("TOPOLOGY", topology)


@warning(
    "TPU839",
    about=of_groups("placement.workload_policy"),
    title="Workload policy is not in the inventory",
    why="GKE rejects a node pool if its workload policy does not exist",
    fix="Correct the name of the workload policy, or add the policy to the inventory.",
    source="the inventory",
    failing=_example("cube", "4x4x4"),
    passing=_example("cubes", "4x4x4"),
)
def unknown_workload_policy(context: InventoryContext) -> Iterable[Hit]:
    """Report only if the inventory lists other policies there: otherwise it may be incomplete."""
    known = context.policies
    uses = [(member, use) for member in context.plans for use in policy_uses(member.fleet.clusters)]
    created = {use.policy for _, use in uses if use.created}
    for member, use in uses:
        project, region, name = use.policy
        names = [policy for owner, place, policy in known if (owner, place) == (project, region)]
        if use.policy not in created and names and name not in names:
            listed = Suggestions(names)
            near = listed.nearest(name)
            yield Hit(
                use.path,
                f"the inventory has no workload policy {quoted(name)} of project {printable(project)} in "
                f"{printable(region)}",
                allowed=listed.shown,
                fix=SetKeys.of(workload_policy=near),
            ).within(member.document)


@rule(
    "TPU840",
    about=of_groups("placement.workload_policy"),
    title="Workload policy in the inventory has another topology",
    why="the topology of a workload policy is fixed at creation, and GKE rejects a node pool with another topology",
    fix="Use a workload policy with the topology of the slices.",
    references=["gke-ironwood", "vllm-ci-547", "autoscaler-placement", "provider-resource-policy"],
    note="tpu7x-workload-policy",
    failing=_example("cubes", "4x4x8"),
    passing=_example("cubes", "4x4x4"),
)
def workload_policy_has_other_topology(context: InventoryContext) -> Iterable[Hit]:
    for member in context.plans:
        for use in policy_uses(member.fleet.clusters):
            policy = context.policies.get(use.policy)
            if policy is not None and policy.topology.lower() != use.topology:
                wanted = use.topology or "no topology"
                yield Hit(
                    use.path,
                    f"workload policy {quoted(use.policy[2])} has topology {printable(policy.topology)}, but "
                    f"{'the plan creates it with' if use.made_for == 'cluster' else 'the slices have'} {wanted}",
                ).within(member.document)
