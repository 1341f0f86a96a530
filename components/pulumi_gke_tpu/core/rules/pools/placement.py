"""TPU161 to TPU165: how the hosts of a slice are placed in a node pool of any Pulumi program."""

from collections.abc import Iterable

from pulumi_gke_tpu.core.catalog.records.facts import note_by_id
from pulumi_gke_tpu.core.resources.pools import PoolContext, at
from pulumi_gke_tpu.core.rules.engine.rule import Hit, Scope, rule
from pulumi_gke_tpu.core.text.findings import number, printable, quoted

_PLACEMENT = "placementPolicy"
_TOPOLOGY = f"{_PLACEMENT}.tpuTopology"
_POLICY_NAME = f"{_PLACEMENT}.policyName"


@rule(
    "TPU161",
    title="Missing workload policy",
    why="without a workload policy, GKE creates the node pool, but the node pool then gets the status ERROR. The "
    "next update no longer reports the error",
    fix="Create a workload policy with the topology of the slice. Set `policyName` to the name of the policy, and "
    "leave the placement type empty.",
    references=["vllm-ci-547", "gke-ironwood"],
    failing="""
nodeConfig: {machineType: tpu7x-standard-4t}
nodeCount: 16
placementPolicy: {type: COMPACT, tpuTopology: 4x4x4}
""",
    edit=("type: COMPACT", 'type: "", policyName: train-4x4x4'),
)
def missing_workload_policy(context: PoolContext) -> Iterable[Hit]:
    pool = context.pool
    needed = pool.generation.multi_host_placement == "workload_policy"
    if needed and pool.multi_host and not pool.values.text(_POLICY_NAME):
        message = (
            f"missing workload policy: a {pool.generation_name} slice of {number(pool.hosts or 0, 'host')} requires a "
            "policy"
        )
        fact = note_by_id(context.catalog.platform.notes, "tpu7x-workload-policy")
        yield Hit(at(_POLICY_NAME), message, fact=fact)


@rule(
    "TPU162",
    title="Placement type conflicts with policy name",
    why="GKE stores the policy without the type, so every later preview shows a difference",
    fix="Leave the placement type empty if you set `policyName`.",
    references=["vllm-ci-547", "autoscaler-gke-client", "OBSERVED_2026_11_20"],
    advisory_in_policy_pack=True,
    failing="""
nodeConfig: {machineType: tpu7x-standard-4t}
nodeCount: 16
placementPolicy: {type: COMPACT, policyName: train-4x4x4, tpuTopology: 4x4x4}
""",
    edit=("type: COMPACT", 'type: ""'),
)
def placement_type_with_policy(context: PoolContext) -> Iterable[Hit]:
    pool = context.pool
    kind = pool.values.text(f"{_PLACEMENT}.type")
    by_policy = pool.generation.multi_host_placement == "workload_policy"
    if by_policy and kind and pool.values.text(_POLICY_NAME):
        fact = note_by_id(context.catalog.platform.notes, "tpu7x-stored-placement")
        yield Hit.conflict(at(f"{_PLACEMENT}.type"), f"placement type {quoted(kind)}", "`policyName`", fact=fact)


@rule(
    "TPU163",
    title="Placement topology is not supported with single-host node pools",
    why="in a single-host node pool, each node is a separate slice, so GKE rejects a placement topology",
    fix="Remove `placementPolicy`.",
    references=["xpk-pr-825", "plan-tpus"],
    failing="""
nodeConfig: {machineType: ct6e-standard-4t}
nodeCount: 1
placementPolicy: {type: COMPACT, tpuTopology: 2x2}
""",
    edit=("\nplacementPolicy: {type: COMPACT, tpuTopology: 2x2}", ""),
)
def single_host_topology(context: PoolContext) -> Iterable[Hit]:
    pool = context.pool
    topology = pool.topology
    if topology is not None and pool.values.has(_PLACEMENT) and pool.hosts == 1:
        message = (
            f"{topology} is a single host ({pool.machine_type}), and single-host node pools have no placement topology"
        )
        note = note_by_id(context.catalog.platform.notes, "single-host-no-topology")
        fact = note.for_item(pool.machine_type.partition("-")[0]) if note else None
        yield Hit(at(_TOPOLOGY), message, fact=fact)


@rule(
    "TPU164",
    scope=Scope.STACK,
    silent_in={"gcloud": "an answer has the number of nodes at creation only"},
    title="Missing slice topology",
    why="GKE returns the topology of a slice even if the program does not set it. Every later plan has an update that "
    "never takes effect. If a new topology replaces the node pool, it replaces a healthy slice",
    fix="If you set `policyName`, also set `tpuTopology`. Only cubes for dynamic slicing have none: their workload "
    "policy has the mode PROVISION_ONLY.",
    references=["OBSERVED_2026_11_20"],
    basis="observed",
    advisory_in_policy_pack=True,
    failing="""
pool:
  nodeConfig: {machineType: tpu7x-standard-4t}
  nodeCount: 16
  placementPolicy: {type: "", policyName: train-4x4x4}
""",
    edit=("policyName: train-4x4x4", "policyName: train-4x4x4, tpuTopology: 4x4x4"),
)
def missing_slice_topology(context: PoolContext) -> Iterable[Hit]:
    """Skip a single node, whose topology TPU163 reports, and a cube, whose chips are connected later."""
    pool = context.pool
    policy = context.stack.policy if context.stack is not None else None
    if pool.values.number("nodeCount") == 1:
        return
    if policy is not None and policy.values.text("workloadPolicy.acceleratorTopologyMode") == "PROVISION_ONLY":
        return
    if pool.values.text(_POLICY_NAME) and not pool.values.has(_TOPOLOGY):
        yield Hit.missing(at(_TOPOLOGY), "`tpuTopology`", "`policyName` is set")


@rule(
    "TPU165",
    scope=Scope.STACK,
    title="Placement policy conflicts with the slice",
    why="the placement policy of a node pool names a workload policy, which determines where GKE places the hosts of "
    "a slice. If the topology or the type of the workload policy is wrong, the node pool gets an error or stays "
    "empty",
    fix="Set the type of the workload policy to HIGH_THROUGHPUT, and its topology to that of the slice.",
    references=["gke-ironwood", "vllm-ci-547", "autoscaler-placement"],
    note="tpu7x-workload-policy",
    failing="""
pool:
  nodeConfig: {machineType: tpu7x-standard-4t}
  nodeCount: 16
  placementPolicy: {type: "", policyName: train, tpuTopology: 4x4x4}
policy: {name: train, workloadPolicy: {type: HIGH_THROUGHPUT, acceleratorTopology: 4x4x8}}
""",
    edit=("acceleratorTopology: 4x4x8", "acceleratorTopology: 4x4x4"),
)
def mismatched_placement_policy(context: PoolContext) -> Iterable[Hit]:
    pool = context.pool
    policy = context.stack.policy if context.stack is not None else None
    if policy is None:
        return
    topology = pool.values.text(_TOPOLOGY)
    kind = policy.values.text("workloadPolicy.type")
    placed = policy.values.text("workloadPolicy.acceleratorTopology")
    if not topology or not kind:
        return
    name, fact = printable(policy.name), note_by_id(context.catalog.platform.notes, "tpu7x-workload-policy")
    if placed and placed != topology:
        yield Hit.conflict(
            at(_TOPOLOGY),
            f"topology {printable(topology)}",
            f"workload policy {name}, whose topology is {printable(placed)}",
            fact=fact,
        )
    elif kind == "HIGH_AVAILABILITY" and pool.generation.multi_host_placement == "workload_policy":
        yield Hit(at(_POLICY_NAME), f"unsupported type {kind} of workload policy {name}", fact=fact)
