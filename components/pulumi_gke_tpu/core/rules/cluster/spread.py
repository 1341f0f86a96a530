"""Checks of nodes in several zones: TPU276 to TPU279, and TPU213 of every list of zones."""

from collections.abc import Iterable, Iterator

from pulumi_gke_tpu.core.catalog.records.facts import note_by_id
from pulumi_gke_tpu.core.fleet import SliceGroup
from pulumi_gke_tpu.core.rules.engine.context import (
    PlanContext,
    cpu_pools,
    is_placed,
    plan_groups,
    reaches_nodes,
    standard_groups,
)
from pulumi_gke_tpu.core.rules.engine.rule import Hit, in_cluster, in_group, of_clusters, of_groups, rule, warning
from pulumi_gke_tpu.core.text.findings import Path, SetKeys, listed, number, printable


@rule(
    "TPU276",
    plans_only="a node pool has a number of nodes for each zone",
    about=of_clusters("cpu_pools.*.nodes"),
    title="Nodes cannot be divided evenly among zones",
    why="GKE requires a number of nodes per zone, so gke-tpu divides `nodes` or `count` by the number of zones",
    fix="Set `nodes` or `count` to a multiple of the number of zones. Or set limits, between which GKE scales the "
    "node pool.",
    references=["provider-node-pool", "container-api-discovery"],
    note="node-count-per-zone",
    failing=in_cluster("""
cpu_pools:
  loaders: {machine_type: n2-standard-16, nodes: 3, zones: [us-east5-a, us-east5-b]}
"""),
    edit=("nodes: 3", "nodes: 4"),
)
def uneven_nodes(context: PlanContext) -> Iterable[Hit]:
    for cluster in context.fleet.clusters:
        for pool in cluster.cpu_pools:
            nodes = pool.plan.nodes
            limits = f"min_nodes: {nodes} with max_nodes: {nodes}"
            if nodes and not pool.zones and is_placed(cluster):
                yield Hit.missing(
                    pool.path,
                    "key `zones`",
                    f"{cluster.location} is a region, and GKE would create {nodes:,} in each zone that it selects",
                    allowed=(f"either zones or {limits}",),
                )
            elif nodes:
                yield from _uneven((*pool.path, "nodes"), nodes, "node", len(pool.zones), limits)
    for group, _ in _spread(context):
        count = group.slices.maximum
        if not group.shape.multi_host and not group.autoscaled:
            limits = f"count: {{min: {count}, max: {count}}}"
            yield from _uneven((*group.path, "count"), count, "slice", len(group.zones), limits)


def _uneven(path: Path, count: int, what: str, zones: int, limits: str) -> Iterator[Hit]:
    if zones and count % zones:
        yield Hit(
            path,
            f"{number(count, what)} cannot be divided evenly among {number(zones, 'zone')}",
            allowed=(f"either a multiple of {zones} or {limits}",),
            fix=SetKeys.of({path[-1]: -(-count // zones) * zones}),
        )


def _spread(context: PlanContext) -> Iterator[tuple[SliceGroup, Path]]:
    """The groups in several zones that become node pools, with the path of these zones."""
    for _, group in standard_groups(context):
        if len(group.zones) > 1:
            yield group, (*group.path, "zones")


@rule(
    "TPU277",
    plans_only="TPU464 reports it for node pools",
    about=of_groups("zone", "zones"),
    title="Multi-host slices in several zones",
    why="all hosts of a multi-host slice are in one zone",
    fix="Set `zone`. For slices in several zones, add a group for each zone.",
    references=["vllm-ci-545", "cluster-toolkit-node-pool"],
    note="multi-host-one-zone",
    failing=in_group("zones: [us-east5-a, us-east5-b]"),
    edit=("topology: 4x4", "topology: 2x2\ncount: {min: 0, max: 4}"),
)
def multi_host_in_several_zones(context: PlanContext) -> Iterable[Hit]:
    for group, path in _spread(context):
        if group.shape.multi_host:
            yield Hit.unsupported(path, f"`zones` with {number(len(group.zones), 'zone')}", "multi-host slices")


@rule(
    "TPU278",
    plans_only="a node pool has one list of zones",
    about=of_groups("zone", "zones"),
    title="Both `zone` and `zones`",
    why="a group has either one zone or several zones",
    fix="Remove one of the two keys.",
    source="gke-tpu: format of a plan",
    failing=in_group("zones: [us-east5-a, us-east5-b]", topology="2x2", zone="us-east5-b"),
    edit=("\nzones: [us-east5-a, us-east5-b]", ""),
)
def zone_and_zones(context: PlanContext) -> Iterable[Hit]:
    for cluster, path, group in plan_groups(context):
        if reaches_nodes(cluster, group) and group.zone is not None and group.zones is not None:
            yield Hit.conflict((*path, "zones"), "`zones`", "`zone`", "use only one of the two keys")


@warning(
    "TPU279",
    about=of_groups("capacity", "zone", "zones"),
    title="Reservation with slices in several zones",
    why="a reservation is in one zone, so nodes in the other zones cannot use it and their creation fails",
    fix="Set `zone` to the zone of the reservation. For another reservation, add a group.",
    references=["compute-api-client"],
    failing="""
tpu: v6e
topology: 2x2
count: {min: 0, max: 4}
zones: [us-east5-a, us-east5-b]
capacity: {reservation: v6e-serve}
""",
    edit=("zones: [us-east5-a, us-east5-b]", "zone: us-east5-b"),
)
def reservation_in_several_zones(context: PlanContext) -> Iterable[Hit]:
    fact = note_by_id(context.catalog.capacity.notes, "reservation-one-zone")
    for group, path in _spread(context):
        reservation = group.plan.capacity.reservation
        if reservation is not None and not group.shape.multi_host:
            zones = listed([printable(zone) for zone in group.zones])
            yield Hit(path, f"reservation `{printable(reservation.name)}` cannot be in {zones}", fact=fact)


@warning(
    "TPU213",
    about=of_clusters("autoprovisioning.zones", "cpu_pools.*.zones", "slices.*.zones", "system_pool.zones"),
    title="Duplicate zone",
    why="a node pool has each zone once, so the second entry has no effect. It is probably meant to be another zone",
    fix="Remove the duplicate, or replace it by the zone that you mean.",
    source="gke-tpu: format of a plan",
    failing="""
tpu: v6e
topology: 2x2
count: 2
zones: [us-east5-a, us-east5-a]
""",
    edit=("zones: [us-east5-a, us-east5-a]", "zones: [us-east5-a, us-east5-b]"),
)
def duplicate_zone(context: PlanContext) -> Iterable[Hit]:
    for path, zones in _zone_lists(context):
        for index, zone in enumerate(zones):
            if zone in zones[:index]:
                rest = list(dict.fromkeys(zones))
                yield Hit.duplicate(
                    (*path, index),
                    "zone",
                    zone,
                    f"entry {zones.index(zone) + 1} is the same",
                    fix=SetKeys.of(zones=rest),
                )


def _zone_lists(context: PlanContext) -> Iterator[tuple[Path, list[str]]]:
    """Every list of zones in the plan, with its path."""
    for _, path, group in plan_groups(context):
        yield (*path, "zones"), group.zones or []
    for _, path, pool in cpu_pools(context):
        yield (*path, "zones"), pool.zones or []
    for cluster in context.fleet.clusters:
        if cluster.plan.autoprovisioning is not None:
            yield (*cluster.path, "autoprovisioning", "zones"), cluster.plan.autoprovisioning.zones or []
