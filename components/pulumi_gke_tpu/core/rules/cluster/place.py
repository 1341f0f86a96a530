"""Checks of the locations of clusters and the zones of groups: TPU201 to TPU206."""

from collections.abc import Iterable, Sequence

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.fleet import Cluster
from pulumi_gke_tpu.core.plan import SliceGroupSpec
from pulumi_gke_tpu.core.rules.engine.context import (
    PlanContext,
    documented_in,
    is_placed,
    plan_groups,
    written_zones,
    zone_fix,
)
from pulumi_gke_tpu.core.rules.engine.rule import Hit, in_cluster, in_group, of_clusters, of_groups, rule, warning
from pulumi_gke_tpu.core.text.findings import Fix, Path, SetKeys, as_only, did_you_mean
from pulumi_gke_tpu.core.text.formats.names import is_region, is_zone, region_of

_NAMES = "Compute Engine: names of regions and zones"


class _ZoneChoices:
    """The documented zones for the TPUs of a group in the region of its cluster."""

    def __init__(self, context: PlanContext) -> None:
        self.catalog = context.catalog
        self.families = {group.path: group.shape.family for _, group in context.fleet.groups()}

    def __call__(self, path: Path, group: SliceGroupSpec, region: str) -> list[str]:
        return [zone for zone in self._documented(path, group, region) if zone not in (group.zones or ())]

    def usable(self, path: Path, group: SliceGroupSpec, cluster: Cluster) -> list[str]:
        """The zones in the location of the cluster, without those that do not offer the capacity mode of the group."""
        found = [zone for zone in self(path, group, cluster.region) if cluster.location in (zone, region_of(zone))]
        family = self.families.get(path)
        offered = self.catalog.capacity.flex_start.zones.get(family) if family else None
        if group.capacity.flex_start is None or offered is None:
            return found
        return [zone for zone in found if zone in offered.zones]

    def _documented(self, path: Path, group: SliceGroupSpec, region: str) -> list[str]:
        if path in self.families:
            return documented_in(self.catalog, self.families[path], region)
        if group.tpu not in self.catalog.generation_names:
            return []
        families = self.catalog.generation(group.tpu).families
        return sorted({zone for family in families for zone in documented_in(self.catalog, family, region)})


def _known_zones(catalog: Catalog) -> set[str]:
    zones = set(catalog.system_pools.zones) | set(catalog.zones.ai_zones)
    for family in catalog.zones.families.values():
        zones.update(family.documented.zones)
    return zones


@rule(
    "TPU201",
    about=of_clusters("location"),
    title="Location is neither a region nor a zone",
    why="Google Cloud has no such location, so GKE cannot create the cluster",
    fix="Set a region such as us-east5. A Standard cluster can also be in a zone such as us-east5-b.",
    source=_NAMES,
    failing="""
mode: standard
location: us-east
""",
    edit=("location: us-east", "location: us-east5"),
)
def invalid_location(context: PlanContext) -> Iterable[Hit]:
    for cluster in context.fleet.clusters:
        if not is_placed(cluster) and not cluster.existing:
            zones = _known_zones(context.catalog)
            written = (zone for group in cluster.plan.slices.values() for _, zone in written_zones((), group))
            named = {region_of(zone) for zone in written if is_zone(zone)}
            places = named or zones | set(map(region_of, zones))
            bare = cluster.location.rpartition("/")[2].lower()
            near = bare if bare in places else did_you_mean(bare, sorted(places))
            near = next(iter(named)) if len(named) == 1 else near  # the only region that has all zones of the groups
            yield Hit.invalid(
                (*cluster.path, "location"),
                "location",
                cluster.location,
                "it is neither a region nor a zone",
                allowed=("a region such as us-east5", "on Standard also a zone such as us-east5-b"),
                fix=SetKeys.of(location=near),
            )


@rule(
    "TPU202",
    about=of_clusters("location"),
    title="Autopilot is not supported in a zone",
    why="Autopilot clusters are regional. The provider accepts a zone, but GKE rejects it",
    fix="Set `location` to the region. Each group sets its own zone.",
    fix_of_resources="Set `location` to the region.",
    source="observed in tests: the provider accepts a zone for an Autopilot cluster, and GKE rejects it",
    failing="""
mode: autopilot
location: us-east5-b
""",
    edit=("location: us-east5-b", "location: us-east5"),
)
def zonal_autopilot_cluster(context: PlanContext) -> Iterable[Hit]:
    for cluster in context.fleet.clusters:
        if cluster.mode == "autopilot" and is_zone(cluster.location):
            yield Hit(
                (*cluster.path, "existing" if cluster.existing else "location"),
                f"Autopilot requires a region: {cluster.location} is a zone",
                fix=None if cluster.existing else as_only(SetKeys.of(location=cluster.region)),
            )


@rule(
    "TPU203",
    about=of_groups("zone", "zones"),
    title="Malformed zone",
    why="Google Cloud has no such zone, so GKE cannot create the nodes",
    fix="Set a zone such as us-east5-b: a region, a hyphen and a letter.",
    source=_NAMES,
    failing=in_group(zone="us-east5"),
    edit=("zone: us-east5", "zone: us-east5-b"),
)
def malformed_zone(context: PlanContext) -> Iterable[Hit]:
    choices_for = _ZoneChoices(context)
    known = _known_zones(context.catalog)
    for cluster, path, group in plan_groups(context):
        for place, zone in written_zones(path, group):
            if is_zone(zone):
                continue
            choices = choices_for(path, group, cluster.region)
            name = zone.strip().lower().rpartition("/")[2]
            ending = name if is_zone(name) else f"{cluster.region}-{name}"
            is_elsewhere = ending in known and ending not in choices
            reason = "it is a region" if is_region(zone) else f"{ending} has no {group.tpu}" if is_elsewhere else ""
            near = did_you_mean(zone, choices or sorted(known)) or next(iter(choices), None)
            fix = ending if ending in choices else None if is_elsewhere else near
            yield Hit.invalid(
                place,
                "zone",
                zone,
                reason,
                allowed=tuple(choices),
                fix=as_only(zone_fix(place, fix), ending in choices),
            )


@rule(
    "TPU204",
    plans_only="the zones of a node pool without any are those of its cluster",
    about=of_groups("zone"),
    title="Missing zone",
    why="all hosts of a slice are in one zone, and a regional cluster has no default zone for them",
    fix="Set `zone`.",
    references=["vllm-ci-545", "cluster-toolkit-node-pool"],
    basis="format",
    failing=in_cluster("""
slices:
  pretrain: {tpu: v6e, topology: 4x4}
"""),
    edit=("location: us-east5", "location: us-east5-b"),
)
def missing_zone(context: PlanContext) -> Iterable[Hit]:
    choices_for = _ZoneChoices(context)
    for cluster, path, group in plan_groups(context):
        lacking = group.zone is None and group.zones is None
        if cluster.mode == "standard" and lacking and not group.fallback and is_region(cluster.location):
            choices = choices_for(path, group, cluster.region)
            yield Hit.missing(
                path,
                "key `zone`",
                f"{cluster.location} is a region",
                allowed=tuple(choices),
                fix=SetKeys.of(zone=choices[0]) if choices else None,
            )


@rule(
    "TPU205",
    about=of_groups("zone", "zones"),
    needs=("clusters.*.location",),
    title="Zone is outside the region of the cluster",
    why="GKE creates the nodes of a cluster only in the region of the cluster",
    fix="Use a zone of the region, or move the group to another cluster.",
    references=["provider-cluster", "provider-node-pool"],
    note="nodes-in-region",
    failing=in_group(zone="europe-west4-a"),
    edit=("zone: europe-west4-a", "zone: us-east5-a"),
)
def zone_outside_region(context: PlanContext) -> Iterable[Hit]:
    choices_for = _ZoneChoices(context)
    for cluster, path, group in plan_groups(context):
        for place, zone in written_zones(path, group) if is_placed(cluster) else ():
            if not is_zone(zone) or region_of(zone) == cluster.region:
                continue
            choices = choices_for(path, group, cluster.region)
            yield Hit(
                place,
                f"zone {zone} is outside region {cluster.region}, the region of the cluster",
                allowed=tuple(choices),
                fix=_zone_or_location(cluster, place, region_of(zone), choices_for.usable(path, group, cluster)),
            )


def _zone_or_location(cluster: Cluster, place: Path, location: str, zones: Sequence[str]) -> Fix | None:
    """The first of the zones; a comment names the other way to agree, the location of the cluster for its own zone."""
    fix = zone_fix(place, next(iter(zones), None))
    if cluster.existing or not isinstance(fix, SetKeys) or place[-1] != "zone":
        return fix
    return fix.with_remark("zone", f"or `location: {location}` of the cluster, to keep the zone")


@warning(
    "TPU206",
    about=of_groups("zone", "zones"),
    needs=("clusters.*.location",),
    title="Zone differs from the zone of the cluster",
    why="the control plane of a zonal cluster is in one zone. If that zone fails, nodes in other zones lose their "
    "control plane, and their traffic to the control plane always crosses zones",
    fix="Remove `zone`, or make the cluster regional.",
    source="GKE: zonal clusters have their control plane in one zone",
    failing="""
mode: standard
location: us-east5-a
slices:
  pretrain: {tpu: v6e, topology: 4x4, zone: us-east5-b}
""",
    edit=("location: us-east5-a", "location: us-east5-b"),
)
def zone_outside_zonal_cluster(context: PlanContext) -> Iterable[Hit]:
    choices_for = _ZoneChoices(context)
    for cluster, path, group in plan_groups(context):
        if cluster.mode != "standard" or not is_zone(cluster.location):
            continue
        for place, zone in written_zones(path, group):
            if zone != cluster.location and region_of(zone) == cluster.region and is_zone(zone):
                yield Hit(
                    place,
                    f"zone {zone} differs from {cluster.location}, the zone of the cluster",
                    fix=_zone_or_location(cluster, place, cluster.region, choices_for.usable(path, group, cluster)),
                )
