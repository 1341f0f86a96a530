"""Workload policies: their settings, and their topology beside that of the slices that use them. TPU135 to TPU138."""

from collections.abc import Iterable

from pulumi_gke_tpu.core.fleet.policy_uses import policies_of, policy_uses, topology_mismatch
from pulumi_gke_tpu.core.fleet.shapes.shape import policy_generations, takes_policies
from pulumi_gke_tpu.core.rules.engine.context import PlanContext
from pulumi_gke_tpu.core.rules.engine.rule import Hit, in_cluster, of_clusters, of_groups, rule
from pulumi_gke_tpu.core.text.findings import SetKeys, Severity, listed, quoted

_THROUGHPUT = SetKeys.of(type="high_throughput")


@rule(
    "TPU135",
    plans_only="TPU165 compares node pools with their workload policies",
    about=of_groups("placement.workload_policy"),
    title="Workload policy and slice group have different topologies",
    why="a workload policy has exactly one topology, and GKE rejects node pools with a different topology. If an "
    "update replaces node pools, Pulumi deletes the old node pools before GKE rejects the new node pools",
    fix="Use a policy with the topology of the group. Or remove `placement`: gke-tpu then creates a policy.",
    references=["gke-ironwood", "vllm-ci-547", "autoscaler-placement", "provider-resource-policy"],
    note="tpu7x-workload-policy",
    failing="""
mode: standard
location: us-central1
slices:
  large: {tpu: tpu7x, topology: 4x4x4, zone: us-central1-c}
  small: {tpu: tpu7x, topology: 2x2x2, zone: us-central1-c, placement: {workload_policy: train-large-4x4x4}}
""",
    edit=("zone: us-central1-c, placement: {workload_policy: train-large-4x4x4}", "zone: us-central1-c"),
)
def mismatched_workload_policy(context: PlanContext) -> Iterable[Hit]:
    uses = list(policy_uses(context.fleet.clusters))
    known = policies_of(uses)
    for use in uses:
        mismatch = topology_mismatch(use, known[use.policy])
        if mismatch:
            yield Hit(use.path, mismatch)


@rule(
    "TPU136",
    about=of_clusters(
        "workload_policies.*.max_topology_distance", "workload_policies.*.topology", "workload_policies.*.type"
    ),
    title="Conflicting settings of a workload policy",
    why="Compute Engine rejects the policy: a topology and a maximum topology distance exclude each other, and each of "
    "them requires the type HIGH_THROUGHPUT",
    fix="Keep either `topology` or `max_topology_distance`. Remove `type`: high_throughput is the default.",
    references=["provider-resource-policy"],
    note="workload-policy-fixed",
    otherwise={Severity.WARNING: "if only `topology_mode` has no topology"},
    failing=in_cluster(
        "workload_policies: {cubes: {topology: 4x4x4, type: high_availability}}", location="us-central1"
    ),
    edit=("topology: 4x4x4, type: high_availability", "topology: 4x4x4"),
)
def conflicting_policy_settings(context: PlanContext) -> Iterable[Hit]:
    for cluster in context.fleet.clusters:
        for item in cluster.workload_policies:
            plan = item.plan
            placed = {"topology": plan.topology, "max_topology_distance": plan.max_topology_distance}
            for key, value in placed.items():
                if value is not None and plan.type == "high_availability":
                    yield Hit.conflict((*item.path, "type"), "`type: high_availability`", f"`{key}`", fix=_THROUGHPUT)
            if plan.max_topology_distance is None:
                if plan.topology_mode is not None and plan.topology is None:
                    yield Hit(
                        (*item.path, "topology_mode"),
                        "`topology_mode` has no effect without `topology`",
                        severity=Severity.WARNING,
                    )
                continue
            for key in ("topology", "topology_mode"):
                if getattr(plan, key) is not None:
                    yield Hit.conflict((*item.path, "max_topology_distance"), "`max_topology_distance`", f"`{key}`")


@rule(
    "TPU137",
    about=(*of_groups("placement", "topology"), *of_clusters("workload_policies.*.topology")),
    title="Workload policy of a slice group has no topology",
    why="multi-host slices of this generation require a workload policy with their topology, so GKE rejects the node "
    "pool",
    fix_of_resources="Set `topology` of the policy to the topology of the node pool.",
    fix="Set the `topology` of the policy to the topology of the group. Or remove `placement`: gke-tpu then creates a "
    "policy.",
    references=["gke-ironwood", "vllm-ci-547", "autoscaler-placement"],
    note="tpu7x-workload-policy",
    failing="""
mode: standard
location: us-central1
workload_policies: {cubes: {type: high_throughput}}
slices:
  large: {tpu: tpu7x, topology: 4x4x4, zone: us-central1-c, placement: {workload_policy: cubes}}
""",
    edit=("type: high_throughput", "topology: 4x4x4"),
)
def workload_policy_without_topology(context: PlanContext) -> Iterable[Hit]:
    uses = list(policy_uses(context.fleet.clusters))
    known = policies_of(uses)
    requires = {group.key for _, group in context.fleet.groups() if group.shape.placement == "workload_policy"}
    for use in uses:
        if not use.created and use.item in requires and not known[use.policy].topology:
            yield Hit(
                known[use.policy].path,
                f"workload policy {quoted(use.policy[2])} has no topology, but {quoted(use.item)} requires topology "
                f"{use.topology}",
                fix=SetKeys.of(topology=use.topology),
            )


@rule(
    "TPU138",
    about=of_clusters("workload_policies.*.topology"),
    title="Topology of a workload policy fits no slices",
    why="Compute Engine uses the policy for multi-host slices with exactly this topology. No generation whose slices "
    "use a workload policy has such slices",
    fix="Set `topology` of the policy to that of its slice group. A single-host slice requires no workload policy.",
    references=["gke-ironwood", "autoscaler-placement"],
    basis="format",
    failing=in_cluster("workload_policies: {cubes: {topology: 4x4x5}}", location="us-central1"),
    edit=("topology: 4x4x5", "topology: 4x4x8"),
)
def unknown_policy_topology(context: PlanContext) -> Iterable[Hit]:
    catalog = context.catalog
    for cluster in context.fleet.clusters:
        for item in cluster.workload_policies:
            topology = item.plan.topology
            if topology is None or policy_generations(catalog, cluster.mode, topology):
                continue
            bound = [name for name in catalog.generation_names if takes_policies(catalog, name)]
            yield Hit.invalid(
                (*item.path, "topology"),
                "topology",
                topology,
                f"no multi-host slices of {listed(bound, 'or')} have this topology",
            )
