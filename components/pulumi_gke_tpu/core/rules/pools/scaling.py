"""TPU461 to TPU467: the size of a node pool of any Pulumi program."""

from collections.abc import Iterable, Iterator

from pulumi_gke_tpu.core.catalog.records.facts import note_by_id
from pulumi_gke_tpu.core.resources.pools import PoolContext, TpuPool, at, ignored_paths, on_request
from pulumi_gke_tpu.core.resources.values import NotKnownError
from pulumi_gke_tpu.core.rules.engine.rule import Hit, rule
from pulumi_gke_tpu.core.text.findings import SetKeys, Severity, number, quoted
from pulumi_gke_tpu.core.text.formats.names import is_region

_SCALING = "autoscaling"
_PER_ZONE = ("minNodeCount", "maxNodeCount")
_TOTAL = ("totalMinNodeCount", "totalMaxNodeCount")


@rule(
    "TPU461",
    title="Total autoscaling limits are not supported with multi-host slices",
    why="if only total limits are set, GKE reads the maximum per zone as 0. GKE then rejects the node pool, because "
    "a multi-host slice always has a fixed number of hosts",
    fix="Replace the total limits by `minNodeCount` and `maxNodeCount`, which are limits per zone.",
    references=["vllm-ci-545", "cluster-toolkit-pr-5111"],
    failing="""
nodeConfig: {machineType: ct5lp-hightpu-4t}
placementPolicy: {type: COMPACT, tpuTopology: 4x4}
autoscaling: {totalMinNodeCount: 0, totalMaxNodeCount: 4, locationPolicy: ANY}
""",
    edit=("totalMinNodeCount: 0, totalMaxNodeCount: 4", "minNodeCount: 0, maxNodeCount: 4"),
)
def total_limits_on_slice(context: PoolContext) -> Iterable[Hit]:
    pool = context.pool
    if pool.multi_host and pool.values.number(f"{_SCALING}.totalMaxNodeCount"):
        fact = note_by_id(context.catalog.platform.notes, "multi-host-per-zone-limit")
        yield Hit(
            at(f"{_SCALING}.totalMaxNodeCount"),
            "total autoscaling limits are not supported with multi-host slices",
            fact=fact,
        )


@rule(
    "TPU462",
    silent_in={"gcloud": "an answer has the number of nodes at creation only"},
    title="Wrong number of nodes for the slice",
    why="a slice has a fixed number of hosts. With any other number of nodes, GKE rejects the node pool, or the node "
    "pool stays empty",
    fix="Divide the chips of the slice by the chips per host. Set `nodeCount` to the result, or set `minNodeCount` "
    "to 0 and `maxNodeCount` to the result.",
    references=["plan-tpus", "cluster-toolkit-node-pool"],
    failing="""
nodeConfig: {machineType: ct5lp-hightpu-4t}
nodeCount: 16
placementPolicy: {type: COMPACT, tpuTopology: 16x16}
""",
    passing="""
nodeConfig: {machineType: ct5lp-hightpu-4t}
nodeCount: 64
placementPolicy: {type: COMPACT, tpuTopology: 16x16}
ignoreNodeCountChanges: true
""",
)
def wrong_slice_size(context: PoolContext) -> Iterable[Hit]:
    pool = context.pool
    hosts = pool.hosts
    if hosts is None or hosts <= 1:
        return
    names = ("nodeCount", "initialNodeCount", f"{_SCALING}.minNodeCount", f"{_SCALING}.maxNodeCount")
    # Terraform plans a new node pool with an unknown size beside the one that is written.
    found = {name: pool.values.known_number(name) for name in names}
    wrong = {name: size for name, size in found.items() if size not in (None, 0, hosts)}
    fact = note_by_id(context.catalog.platform.notes, "multi-host-one-pool")
    for name, size in wrong.items():
        message = f"invalid size of {number(size, 'node')}: {pool.topology} of {pool.machine_type} has {hosts:,} hosts"
        yield Hit(
            at(name), message, fact=fact, fix=SetKeys.of({name.rsplit(".", 1)[-1]: 0 if "min" in name else hosts})
        )


@rule(
    "TPU463",
    silent_in=dict.fromkeys(("objects", "terraform"), "it is about options of a Pulumi program"),
    title="Pulumi manages the node count of a slice",
    why="while GKE repairs a host, the slice has fewer nodes. `pulumi up` would then set the node count again, and "
    "GKE rejects such a manual resize with error 501",
    fix="Set `ignoreNodeCountChanges: true`. To change the size of a slice, replace its node pool.",
    references=["terraform-resize-notes", "OBSERVED_2026_11_20"],
    note="multi-host-no-resize",
    advisory_in_policy_pack=True,
    of_programs=True,
    failing="""
nodeConfig: {machineType: ct5lp-hightpu-4t}
nodeCount: 4
placementPolicy: {type: COMPACT, tpuTopology: 4x4}
""",
    passing="""
nodeConfig: {machineType: ct5lp-hightpu-4t}
nodeCount: 4
placementPolicy: {type: COMPACT, tpuTopology: 4x4}
ignoreNodeCountChanges: true
""",
)
def managed_slice_node_count(context: PoolContext) -> Iterable[Hit]:
    pool = context.pool
    ignored = pool.values.flag("ignoreNodeCountChanges") or {"nodeCount", "*"} & set(ignored_paths(pool))
    if pool.multi_host and pool.values.number("nodeCount") and not ignored:
        yield Hit(at("ignoreNodeCountChanges"), "every refresh compares the node count of the slice")


@rule(
    "TPU464",
    title="Multi-host slice spans several zones",
    why="all hosts of a slice must be in one zone. If a node pool sets no zone, GKE uses all zones of the cluster",
    fix="Set exactly one zone in `nodeLocations`.",
    references=["vllm-ci-545", "cluster-toolkit-node-pool"],
    otherwise={Severity.WARNING: "if GKE selects the zones of the cluster"},
    note="multi-host-one-zone",
    in_stacks=True,
    failing="""
nodeConfig: {machineType: ct6e-standard-4t}
nodeLocations: [us-east5-a, us-east5-b]
placementPolicy: {type: COMPACT, tpuTopology: 4x4}
""",
    edit=("nodeLocations: [us-east5-a, us-east5-b]", "nodeLocations: [us-east5-b]"),
)
def multi_zone_slice(context: PoolContext) -> Iterable[Hit]:
    """In a stack, check only node pools that take their zones from the cluster."""
    pool = context.pool
    if context.stack is not None:
        yield from _zones_of_the_cluster(pool)
        return
    zones = pool.values.texts("nodeLocations")
    if len(set(zones)) > 1 and pool.multi_host:
        yield Hit(at("nodeLocations"), f"the slice has {len(set(zones))} zones")


def _zones_of_the_cluster(pool: TpuPool) -> Iterator[Hit]:
    if pool.cluster is None or not pool.multi_host or pool.values.has("nodeLocations"):
        return
    zones = pool.cluster.texts("nodeLocations")
    if len(set(zones)) > 1:
        yield Hit(at("nodeLocations"), f"the slice uses the {len(set(zones))} zones of its cluster")
    elif not zones and is_region(pool.cluster.text("location")):
        message = f"the slice uses the zones that GKE selects for a cluster in {pool.cluster.text('location')}"
        yield Hit(at("nodeLocations"), message, severity=Severity.WARNING)


@rule(
    "TPU465",
    silent_in=dict.fromkeys(("gcloud", "pulumi"), "GKE reports BALANCED where a program sets nothing"),
    title="Location policy is not ANY",
    why="BALANCED spreads nodes over several zones. GKE then cannot create a multi-host slice, and for Spot VMs and "
    "flex-start, GKE cannot use the zone that has capacity",
    fix="Set `locationPolicy: ANY`.",
    references=["vllm-ci-545", "autoscaler-injection"],
    failing="""
nodeConfig: {machineType: ct5lp-hightpu-4t}
placementPolicy: {type: COMPACT, tpuTopology: 4x4}
autoscaling: {minNodeCount: 0, maxNodeCount: 4, locationPolicy: BALANCED}
""",
    edit=("locationPolicy: BALANCED", "locationPolicy: ANY"),
)
def unsupported_location_policy(context: PoolContext) -> Iterable[Hit]:
    pool = context.pool
    written = pool.values.text(f"{_SCALING}.locationPolicy")
    spread = written not in ("", "ANY")
    if spread and (pool.multi_host or pool.values.flag("nodeConfig.spot") or on_request(pool)):
        fact = note_by_id(context.catalog.platform.notes, "multi-host-one-zone")
        yield Hit(
            at(f"{_SCALING}.locationPolicy"), f"unsupported location policy {quoted(written)}: use ANY", fact=fact
        )


@rule(
    "TPU466",
    title="Node count conflicts with another size setting",
    why="with `nodeCount` and autoscaling, the provider and the autoscaler would alternately change the size. The "
    "provider rejects `nodeCount` together with `initialNodeCount`",
    fix="For a fixed size, set only `nodeCount`. For an autoscaled node pool, set `initialNodeCount` and "
    "`autoscaling`.",
    fix_in_terraform="For a fixed size, set only `node_count`. For an autoscaled node pool, set `initial_node_count` "
    "and `autoscaling`. If `lifecycle` ignores changes of `node_count`, nothing is wrong.",
    references=["OBSERVED_2026_11_20", "provider-node-pool"],
    otherwise={Severity.WARNING: "if `autoscaling` is set as well as `nodeCount`"},
    basis="observed",
    of_programs=True,
    failing="""
nodeCount: 2
autoscaling: {totalMinNodeCount: 0, totalMaxNodeCount: 4, locationPolicy: ANY}
""",
    edit=("nodeCount: 2", "initialNodeCount: 0"),
)
def conflicting_node_counts(context: PoolContext) -> Iterable[Hit]:
    pool = context.pool
    if not pool.values.number("nodeCount"):
        return
    if pool.values.number("initialNodeCount"):
        yield Hit.conflict(at("initialNodeCount"), "`nodeCount`", "`initialNodeCount`")
    if pool.values.sets(_SCALING) and not _ignores_node_count(pool):
        message = "`nodeCount` conflicts with `autoscaling`"
        yield Hit(at("nodeCount"), message, severity=Severity.WARNING)


def _ignores_node_count(pool: TpuPool) -> bool:
    """Whether the program ignores changes of the node count. A Terraform plan shows only what it sets."""
    try:
        return bool({"nodeCount", "*"} & set(ignored_paths(pool)))
    except NotKnownError:
        return "nodeCount" not in pool.resource.written


@rule(
    "TPU467",
    title="Per-zone limits conflict with total limits",
    why="GKE accepts either per-zone limits or total limits. Neither the provider nor a preview reports an error if "
    "both are set",
    fix="For a multi-host slice, keep the per-zone limits. For single-host slices, keep the total limits.",
    references=["container-api-discovery", "OBSERVED_2026_11_20", "provider-node-pool"],
    note="limits-per-zone-or-total",
    failing="autoscaling: {minNodeCount: 1, totalMaxNodeCount: 4, locationPolicy: ANY}",
    edit=("minNodeCount: 1", "totalMinNodeCount: 0"),
)
def mixed_autoscaling_limits(context: PoolContext) -> Iterable[Hit]:
    pool = context.pool
    per_zone = [name for name in _PER_ZONE if pool.values.number(f"{_SCALING}.{name}")]
    total = [name for name in _TOTAL if pool.values.number(f"{_SCALING}.{name}")]
    if per_zone and total:
        yield Hit.conflict(at(_SCALING), f"`{per_zone[0]}`", f"`{total[0]}`")
