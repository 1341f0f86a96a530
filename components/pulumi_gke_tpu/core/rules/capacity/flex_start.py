"""Checks of flex-start: TPU311 to TPU314."""

import datetime
from collections.abc import Iterable, Iterator

from pulumi_gke_tpu.core.catalog.records.facts import note_by_id
from pulumi_gke_tpu.core.fleet import SliceGroup
from pulumi_gke_tpu.core.plan import SliceGroupSpec
from pulumi_gke_tpu.core.plan.base import format_duration
from pulumi_gke_tpu.core.plan.capacity import FlexStart
from pulumi_gke_tpu.core.rules.engine.context import PlanContext, documented_in, in_region, plan_groups, written_zones
from pulumi_gke_tpu.core.rules.engine.rule import Hit, in_cluster, in_group, of_groups, rule, warning
from pulumi_gke_tpu.core.text.findings import Path, SetKeys, Severity


def _flex_starts(context: PlanContext) -> Iterator[tuple[Path, SliceGroupSpec, FlexStart]]:
    for _, path, group in plan_groups(context):
        if group.capacity.flex_start is not None:
            yield (*path, "capacity", "flex_start"), group, group.capacity.flex_start


def _in_workloads(context: PlanContext) -> frozenset[Path]:
    """The queued flex-start settings whose run duration is in the ProvisioningRequests of workloads of the plan."""
    return frozenset(
        (*cluster.path, "slices", group, "capacity", "flex_start")
        for cluster in context.fleet.clusters
        if cluster.plan.kubernetes is not None
        for workload in cluster.plan.kubernetes.workloads.values()
        if workload.queue is not None
        for group in (workload.slices, *workload.fallback)
    )


def _shown(seconds: float) -> str:
    return format_duration(datetime.timedelta(seconds=seconds))


@rule(
    "TPU311",
    about=of_groups("capacity.flex_start.max_run_duration"),
    title="Run duration is outside the flex-start limits",
    why="GKE limits the run duration of flex-start nodes, and it rejects a shorter or longer duration",
    fix="Set a duration within the limits. Or remove it: the nodes then run for the longest allowed duration.",
    references=["gke-flex-start", "autoscaler-injection"],
    failing=in_group("capacity: {flex_start: {max_run_duration: 8d}}"),
    edit=("max_run_duration: 8d", "max_run_duration: 7d"),
)
def invalid_run_duration(context: PlanContext) -> Iterable[Hit]:
    limits = context.catalog.capacity.flex_start
    in_workloads = _in_workloads(context)
    for path, _, flex_start in _flex_starts(context):
        if flex_start.max_run_duration is None or (flex_start.queued and path not in in_workloads):
            continue
        seconds = flex_start.max_run_duration.total_seconds()
        if not limits.min_run_seconds <= seconds <= limits.max_run_seconds:
            nearest = limits.min_run_seconds if seconds < limits.min_run_seconds else limits.max_run_seconds
            bounds = f"{_shown(limits.min_run_seconds)} to {_shown(limits.max_run_seconds)}"
            yield Hit.invalid(
                (*path, "max_run_duration"),
                "run duration",
                _shown(seconds),
                f"flex-start nodes can run for {bounds}",
                fact=limits,
                given=f"max_run_duration: {_shown(seconds)}",
                allowed=(bounds,),
                fix=SetKeys.of(max_run_duration=_shown(nearest)),
            )


@rule(
    "TPU312",
    about=of_groups("capacity.flex_start.max_run_duration", "capacity.flex_start.queued"),
    title="Run duration is not supported with queued slices",
    why="the ProvisioningRequest of a workload determines the run duration of queued slices. The node pool cannot "
    "set it. gke-tpu writes it for the workloads of the plan that have a queue",
    fix="Add a workload with a queue to the plan. Or remove the duration from the plan, and set "
    "`maxRunDurationSeconds` in the ProvisioningRequest.",
    fix_of_resources="Remove the duration, and set `maxRunDurationSeconds` in the ProvisioningRequest.",
    references=["autoscaler-injection"],
    failing=in_group("capacity: {flex_start: {queued: true, max_run_duration: 1d}}"),
    passing=in_cluster("""
min_version: "1.35"
slices:
  batch: {tpu: v6e, topology: 4x4, zone: us-east5-b, capacity: {flex_start: {queued: true, max_run_duration: 1d}}}
kubernetes:
  queues: {research: {}}
  workloads: {train: {slices: batch, image: train, queue: research}}
"""),
)
def queued_run_duration(context: PlanContext) -> Iterable[Hit]:
    in_workloads = _in_workloads(context)
    for path, _, flex_start in _flex_starts(context):
        if flex_start.max_run_duration is not None and flex_start.queued and path not in in_workloads:
            seconds = int(flex_start.max_run_duration.total_seconds())
            yield Hit.unsupported(
                (*path, "max_run_duration"),
                "a run duration",
                "a queued node pool",
                fact=note_by_id(context.catalog.capacity.notes, "queued-run-duration"),
                given=f"max_run_duration: {_shown(seconds)}",
                allowed=(f"maxRunDurationSeconds: {seconds} in the ProvisioningRequest",),
            )


@warning(
    "TPU313",
    about=of_groups("capacity", "zone"),
    title="Zone rejects flex-start",
    why="a test showed that the API rejects flex-start for this machine type in the zone",
    fix="Use a zone with flex-start capacity, or another capacity mode.",
    references=["flex-start-measurements", "gemma-hardware", "autopilot-v5e-measurements"],
    by_family=True,
    failing="""
mode: standard
location: us-central1
slices:
  batch: {tpu: v6e, topology: 2x2, zone: us-central1-b, capacity: flex_start}
""",
    passing=in_cluster("""
slices:
  batch: {tpu: v6e, topology: 2x2, zone: us-east5-b, capacity: flex_start}
"""),
)
def flex_start_rejected_in_zone(context: PlanContext) -> Iterable[Hit]:
    flex_start = context.catalog.capacity.flex_start
    for group, zone in _flex_zones(context):
        rejecting = flex_start.refused_zones.get(group.shape.family)
        if rejecting and zone in rejecting.zones:
            yield Hit(
                _zone_path(group, zone),
                f"zone {zone} rejects flex-start for {group.shape.generation}",
                fact=rejecting,
                given=f"zone: {zone}",
                allowed=flex_start.zones[group.shape.family].zones,
            )


@warning(
    "TPU314",
    about=of_groups("capacity", "zone"),
    otherwise={Severity.NOTE: "if another source lists the zone"},
    title="Zone is not on the GKE list of flex-start zones",
    why="outside the zones on this list, GKE rejects a flex-start request, or the request waits indefinitely",
    fix="Use a zone on the list, or another capacity mode.",
    references=["gke-flex-start", "gke-provisioning-models"],
    by_family=True,
    failing="""
mode: standard
location: us-east1
slices:
  batch: {tpu: v6e, topology: 2x2, zone: us-east1-d, capacity: flex_start}
""",
    edit=("capacity: flex_start", "capacity: spot"),
)
def zone_without_flex_start(context: PlanContext) -> Iterable[Hit]:
    flex_start = context.catalog.capacity.flex_start
    for group, zone in _flex_zones(context):
        family = group.shape.family
        listed, more, rejecting = (
            zones.get(family) for zones in (flex_start.zones, flex_start.more_zones, flex_start.refused_zones)
        )
        if listed is None or zone in listed.zones or (rejecting and zone in rejecting.zones):
            continue
        others = more is not None and zone in more.zones
        yield Hit(
            _zone_path(group, zone),
            f"zone {zone} is not on the GKE list of flex-start zones for {group.shape.generation}"
            + (", although other sources list it" if others else ""),
            fact=more if others else listed,
            severity=Severity.NOTE if others else None,
            given=f"zone: {zone}",
            allowed=listed.zones,
        )
    for group, region in _flex_regions(context):
        family = group.shape.family
        listed, more = flex_start.zones.get(family), flex_start.more_zones.get(family)
        if listed is None or in_region(listed.zones, region):
            continue
        others = more is not None and bool(in_region(more.zones, region))
        yield Hit(
            (*group.path, "capacity"),
            f"no zone of {region} is on the GKE list of flex-start zones for {group.shape.generation}"
            + (", although other sources list one" if others else ""),
            fact=more if others else listed,
            severity=Severity.NOTE if others else None,
            allowed=listed.zones,
        )


def _flex_regions(context: PlanContext) -> Iterator[tuple[SliceGroup, str]]:
    """Flex-start groups that leave the zone to GKE, in regions where the family is documented."""
    for cluster, group in context.fleet.groups():
        left_to_gke = not group.zones and (cluster.mode == "autopilot" or group.compute_class is not None)
        if not left_to_gke or "flex_start" not in group.capacity_modes:
            continue
        if documented_in(context.catalog, group.shape.family, cluster.region):
            yield group, cluster.region


def _flex_zones(context: PlanContext) -> Iterator[tuple[SliceGroup, str]]:
    """Flex-start groups in zones where the family is documented, or that a flex-start list names.

    For all other zones, the rules of zones report that the family itself may not be available.
    """
    catalog = context.catalog
    flex_start = catalog.capacity.flex_start
    for _, group in context.fleet.groups():
        if "flex_start" not in group.capacity_modes:
            continue
        family = group.shape.family
        documented = catalog.zones.families[family].documented
        lists = [zones.get(family) for zones in (flex_start.zones, flex_start.more_zones, flex_start.refused_zones)]
        for zone in group.zones:
            if any(zone in known.zones for known in (documented, *lists) if known):
                yield group, zone


def _zone_path(group: SliceGroup, zone: str) -> Path:
    """The path of a zone of the group, or the location of the zonal cluster that it is in."""
    written = {found: path for path, found in written_zones(group.path, group.plan)}
    return written.get(zone, (*group.path[:2], "location"))
