"""TPU975: workload policies that were created for another topology."""

from collections.abc import Iterable

from pulumi_gke_tpu.core.fleet.policy_uses import policies_of, policy_uses
from pulumi_gke_tpu.core.rules.engine.rule import Hit, rule
from pulumi_gke_tpu.core.text.findings import Severity, printable
from pulumi_gke_tpu.features.diff.rules.transition import Transition

_BEFORE = """
mode: standard
location: us-central1
slices:
  large: {tpu: tpu7x, topology: 4x4x4, zone: us-central1-c, placement: {workload_policy: cube}}
"""


@rule(
    "TPU975",
    "reused-workload-policy",
    about=("clusters.*.slices.*.placement", "clusters.*.slices.*.topology", "clusters.*.workload_policies"),
    otherwise={Severity.ERROR: "if the change deletes the policy"},
    title="Change deletes the workload policy of a group, or changes the topology of the policy",
    why="the topology of a workload policy cannot change. If gke-tpu created the policy, Pulumi deletes the policy "
    "with its group or its entry in `workload_policies`. GKE then rejects the new node pools, after Pulumi has deleted "
    "the old node pools",
    fix="Use a policy with the topology of the group. Or remove `placement`: gke-tpu then creates a policy.",
    references=["gke-ironwood", "vllm-ci-547", "autoscaler-placement", "provider-resource-policy"],
    severity=Severity.WARNING,
    basis="format",
    failing=f"{_BEFORE.strip()}\n--- plan\n{_BEFORE.replace('4x4x4', '2x2x2').strip()}",
    passing=f"{_BEFORE.strip()}\n--- plan\n{_BEFORE.replace('4x4x4', '2x2x2').replace('cube', 'small-cube').strip()}",
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
