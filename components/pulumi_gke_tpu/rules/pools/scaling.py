"""TPU461 to TPU467: the size of a node pool of any Pulumi program."""

from collections.abc import Iterable, Iterator

from pulumi_gke_tpu.catalog.records.facts import note_by_id
from pulumi_gke_tpu.findings import Severity, printable
from pulumi_gke_tpu.formats.location import is_region
from pulumi_gke_tpu.rules.engine.hit import Hit
from pulumi_gke_tpu.rules.engine.rule import Scope, rule
from pulumi_gke_tpu.rules.pools.context import PoolContext, at, ignored_paths, on_request
from pulumi_gke_tpu.rules.pools.tpu_pools import TpuPool

_SCALING = "autoscaling"
_PER_ZONE = ("minNodeCount", "maxNodeCount")
_TOTAL = ("totalMinNodeCount", "totalMaxNodeCount")


@rule(
    "TPU461",
    "total-limits-on-slice",
    scope=Scope.POOL,
    since="0.1",
    title="Slice with total autoscaling limits",
    why="GKE reads the missing per-zone limit as 0 and refuses the pool: 0 is no valid size of the slice",
    fix="Write minNodeCount and maxNodeCount, which count per zone.",
    references=["vllm-ci-545", "cluster-toolkit-pr-5111"],
    basis="catalog",
    failing="""
nodeConfig: {machineType: ct5lp-hightpu-4t}
placementPolicy: {type: COMPACT, tpuTopology: 4x4}
autoscaling: {totalMinNodeCount: 0, totalMaxNodeCount: 4, locationPolicy: ANY}
""",
    passing="""
nodeConfig: {machineType: ct5lp-hightpu-4t}
placementPolicy: {type: COMPACT, tpuTopology: 4x4}
autoscaling: {minNodeCount: 0, maxNodeCount: 4, locationPolicy: ANY}
""",
)
def total_limits(context: PoolContext) -> Iterable[Hit]:
    pool = context.pool
    if pool.multi_host and pool.values.number(f"{_SCALING}.totalMaxNodeCount"):
        fact = note_by_id(context.catalog.platform.notes, "multi-host-per-zone-limit")
        yield Hit(at(f"{_SCALING}.totalMaxNodeCount"), "total limits on a slice of several hosts", fact=fact)


@rule(
    "TPU462",
    "wrong-slice-size",
    scope=Scope.POOL,
    since="0.1",
    title="Slice of the wrong size",
    why="a slice has exactly as many hosts as its chips need; with any other number it is refused or stays empty",
    fix="Set nodeCount, or minNodeCount 0 and maxNodeCount, to chips divided by chips per host.",
    references=["plan-tpus", "cluster-toolkit-node-pool"],
    basis="catalog",
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
def wrong_size(context: PoolContext) -> Iterable[Hit]:
    pool = context.pool
    hosts = pool.hosts
    if hosts is None or hosts <= 1:
        return
    most = pool.values.number(f"{_SCALING}.maxNodeCount")
    sizes = {"nodeCount": 0, "initialNodeCount": 0, f"{_SCALING}.minNodeCount": 0}
    wrong = {name: pool.values.number(name) for name in sizes if pool.values.number(name) not in (None, 0, hosts)}
    if most not in (None, 0, hosts):
        wrong[f"{_SCALING}.maxNodeCount"] = most
    fact = note_by_id(context.catalog.platform.notes, "multi-host-one-pool")
    for name, size in wrong.items():
        message = f"{size:,} nodes, and {pool.topology} of {pool.machine_type} is {hosts:,} hosts"
        yield Hit(at(name), message, fact=fact, fix=f"{name.rsplit('.', 1)[-1]}: {0 if 'min' in name else hosts}")


@rule(
    "TPU463",
    "managed-slice-node-count",
    scope=Scope.POOL,
    since="0.1",
    title="Slice whose node count is watched",
    why="while a host is repaired the count differs, and setting it again is a manual resize: GKE answers 501",
    fix="Write ignoreNodeCountChanges: true; to resize a slice, replace it.",
    references=["terraform-resize-notes", "OBSERVED_2026_11_20"],
    basis="catalog",
    note="multi-host-no-resize",
    works_at_first=True,
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
def watched_count(context: PoolContext) -> Iterable[Hit]:
    pool = context.pool
    ignored = pool.values.flag("ignoreNodeCountChanges") or {"nodeCount", "*"} & set(ignored_paths(pool))
    if pool.multi_host and pool.values.number("nodeCount") and not ignored:
        yield Hit(at("ignoreNodeCountChanges"), "the node count of a slice is compared in every refresh")


@rule(
    "TPU464",
    "multi-zone-slice",
    scope=Scope.POOL,
    since="0.1",
    title="TPU pool over several zones, or over none in particular",
    why="the hosts of a slice are wired within one zone, and a pool without zones takes those of the cluster",
    fix="Name exactly one zone in nodeLocations.",
    references=["vllm-ci-545", "cluster-toolkit-node-pool"],
    basis="catalog",
    otherwise={Severity.WARNING: "where the cluster leaves the zones to GKE"},
    note="multi-host-one-zone",
    in_stacks=True,
    failing="""
nodeConfig: {machineType: ct6e-standard-4t}
nodeLocations: [us-east5-a, us-east5-b]
placementPolicy: {type: COMPACT, tpuTopology: 4x4}
""",
    passing="""
nodeConfig: {machineType: ct6e-standard-4t}
nodeLocations: [us-east5-b]
placementPolicy: {type: COMPACT, tpuTopology: 4x4}
""",
)
def several_zones(context: PoolContext) -> Iterable[Hit]:
    """Together with its cluster, a pool is checked only for what it leaves to the cluster."""
    pool = context.pool
    if context.stack is not None:
        yield from _zones_of_the_cluster(pool)
        return
    zones = pool.values.texts("nodeLocations")
    if len(set(zones)) > 1 and pool.multi_host:
        yield Hit(at("nodeLocations"), f"a slice in {len(set(zones))} zones")


def _zones_of_the_cluster(pool: TpuPool) -> Iterator[Hit]:
    if pool.cluster is None or not pool.multi_host or pool.values.has("nodeLocations"):
        return
    zones = pool.cluster.texts("nodeLocations")
    if len(set(zones)) > 1:
        yield Hit(at("nodeLocations"), f"the slice takes the {len(set(zones))} zones of its cluster")
    elif not zones and is_region(pool.cluster.text("location")):
        message = f"the slice takes whatever zones GKE gives a cluster in {pool.cluster.text('location')}"
        yield Hit(at("nodeLocations"), message, severity=Severity.WARNING)


@rule(
    "TPU465",
    "unsupported-location-policy",
    scope=Scope.POOL,
    since="0.1",
    title="Location policy other than ANY",
    why="BALANCED spreads nodes over zones: no slice can be put together, and Spot and flex-start find no capacity",
    fix="Write locationPolicy: ANY.",
    references=["vllm-ci-545", "autoscaler-injection"],
    basis="catalog",
    failing="""
nodeConfig: {machineType: ct5lp-hightpu-4t}
placementPolicy: {type: COMPACT, tpuTopology: 4x4}
autoscaling: {minNodeCount: 0, maxNodeCount: 4, locationPolicy: BALANCED}
""",
    passing="""
nodeConfig: {machineType: ct5lp-hightpu-4t}
placementPolicy: {type: COMPACT, tpuTopology: 4x4}
autoscaling: {minNodeCount: 0, maxNodeCount: 4, locationPolicy: ANY}
""",
)
def balanced(context: PoolContext) -> Iterable[Hit]:
    pool = context.pool
    written = pool.values.text(f"{_SCALING}.locationPolicy")
    spread = written not in ("", "ANY")
    if spread and (pool.multi_host or pool.values.flag("nodeConfig.spot") or on_request(pool)):
        fact = note_by_id(context.catalog.platform.notes, "multi-host-one-zone")
        yield Hit(at(f"{_SCALING}.locationPolicy"), f"{printable(written)} instead of ANY", fact=fact)


@rule(
    "TPU466",
    "conflicting-node-counts",
    scope=Scope.POOL,
    since="0.1",
    title="Node count together with another size",
    why="provider and autoscaler would set the size in turns, and nodeCount with initialNodeCount is refused",
    fix="Keep nodeCount for a fixed size; initialNodeCount and autoscaling for an autoscaled pool.",
    references=["OBSERVED_2026_11_20", "provider-node-pool"],
    otherwise={Severity.WARNING: "where `autoscaling` is set beside `nodeCount`"},
    basis="observed",
    failing="""
nodeCount: 2
autoscaling: {totalMinNodeCount: 0, totalMaxNodeCount: 4, locationPolicy: ANY}
""",
    passing="""
initialNodeCount: 0
autoscaling: {totalMinNodeCount: 0, totalMaxNodeCount: 4, locationPolicy: ANY}
""",
)
def two_sizes(context: PoolContext) -> Iterable[Hit]:
    pool = context.pool
    if not pool.values.number("nodeCount"):
        return
    if pool.values.number("initialNodeCount"):
        yield Hit(at("initialNodeCount"), "nodeCount and initialNodeCount are both given")
    if pool.values.has(_SCALING) and not {"nodeCount", "*"} & set(ignored_paths(pool)):
        message = "nodeCount and autoscaling are both given"
        yield Hit(at("nodeCount"), message, severity=Severity.WARNING)


@rule(
    "TPU467",
    "mixed-autoscaling-limits",
    scope=Scope.POOL,
    since="0.1",
    title="Per-zone and total limits mixed",
    why="GKE takes one kind of limit; neither the provider nor a preview notices both",
    fix="Keep the per-zone limits for a slice of several hosts, the total ones for single hosts.",
    references=["container-api-discovery", "OBSERVED_2026_11_20", "provider-node-pool"],
    basis="catalog",
    note="limits-per-zone-or-total",
    failing="autoscaling: {minNodeCount: 1, totalMaxNodeCount: 4, locationPolicy: ANY}",
    passing="autoscaling: {totalMinNodeCount: 0, totalMaxNodeCount: 4, locationPolicy: ANY}",
)
def mixed_limits(context: PoolContext) -> Iterable[Hit]:
    pool = context.pool
    per_zone = [name for name in _PER_ZONE if pool.values.number(f"{_SCALING}.{name}")]
    total = [name for name in _TOTAL if pool.values.number(f"{_SCALING}.{name}")]
    if per_zone and total:
        yield Hit(at(_SCALING), f"{per_zone[0]} and {total[0]} are both given")
