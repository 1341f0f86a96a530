"""Checks that zones and regions have the generation: TPU207 to TPU211, and TPU227 for auto-provisioning."""

from collections.abc import Iterable, Sequence

from pulumi_gke_tpu.core.catalog import Catalog, Topology
from pulumi_gke_tpu.core.catalog.naming import hardware
from pulumi_gke_tpu.core.catalog.records.platform import FamilyZones, ZoneList
from pulumi_gke_tpu.core.fleet import Cluster, SliceGroup
from pulumi_gke_tpu.core.plan.cpu_pools import AutoprovisioningSpec
from pulumi_gke_tpu.core.rules.cluster.autoprovisioning import autoprovisioned, limited_labels
from pulumi_gke_tpu.core.rules.engine.context import (
    PlanContext,
    documented_in,
    in_region,
    is_placed,
    written_zones,
    zone_fix,
)
from pulumi_gke_tpu.core.rules.engine.rule import Hit, in_cluster, in_group, of_clusters, of_groups, rule, warning
from pulumi_gke_tpu.core.text.findings import Path, SetKeys, Severity, listed, quoted
from pulumi_gke_tpu.core.text.formats.names import is_ai_zone, is_region, is_zone, region_of


def _placed_groups(context: PlanContext) -> Iterable[tuple[Cluster, SliceGroup, str, FamilyZones]]:
    """Groups with a zone in the region of their cluster, and the zones that the catalog has for their family."""
    for cluster, group in context.fleet.groups():
        known = context.catalog.zones.families.get(group.shape.family)
        if known is None or (cluster.mode == "autopilot" and group.plan.zone is None):
            continue
        for zone in group.zones:
            if is_zone(zone) and region_of(zone) == cluster.region:
                yield cluster, group, zone, known


def _weaker_lists(known: FamilyZones) -> list[ZoneList]:
    """The lists of other sources than GKE, the most specific one first."""
    return [listed for listed in (known.single_tenant, known.hardware, known.single_host) if listed is not None]


def _weaker_list(known: FamilyZones, zone: str) -> ZoneList | None:
    return next((listed for listed in _weaker_lists(known) if zone in listed.zones), None)


def _listed(known: FamilyZones, group: SliceGroup, zone: str) -> bool:
    """Whether GKE documents the family in a zone for slices such as those of the group."""
    if zone in known.documented.zones:
        return True
    if known.single_host is None or group.shape.multi_host or zone not in known.single_host.zones:
        return False
    return known.single_host.confidence_in(zone) != "low"


def _disputed(known: FamilyZones, group: SliceGroup, zone: str) -> ZoneList | None:
    """The list that has a zone for single-host slices although sources disagree; None if there is none."""
    exception = known.single_host
    if exception is None or group.shape.multi_host or zone not in exception.zones:
        return None
    return exception.for_item(zone)


def _single_host_zone(known: FamilyZones, group: SliceGroup, region: str) -> bool:
    """Whether a region has a zone for single-host slices of this size."""
    if known.single_host is None or group.shape.multi_host or not in_region(known.single_host.zones, region):
        return False
    smallest = known.single_host.minimum_topology.get(group.shape.machine_type)
    return smallest is None or group.shape.chips >= Topology.parse(smallest).chips


def _severity(group: SliceGroup) -> Severity:
    """The severity of an unconfirmed zone: a reservation in the zone shows that the hardware exists."""
    return Severity.NOTE if group.plan.capacity.mode == "reservation" else Severity.WARNING


EXISTS = (
    "the node pool exists, so the zone has the hardware. New node pools there may be refused, for example if the zone "
    "is closed to most projects"
)
"""Why an adopted node pool in an unknown place is only a warning."""


def _is_non_ai_zone(zone: str) -> bool:
    return not is_ai_zone(zone)


def _zone_path(cluster: Cluster, group: SliceGroup, zone: str) -> Path:
    written = {found: path for path, found in written_zones(group.path, group.plan)}
    return written.get(zone, (*cluster.path, "location"))


def _others(context: PlanContext, cluster: Cluster, group: SliceGroup) -> list[str]:
    """The documented zones of the region that the group does not name."""
    found = documented_in(context.catalog, group.shape.family, cluster.region)
    return [zone for zone in found if zone not in (group.plan.zones or ())]


@rule(
    "TPU207",
    about=of_groups("zone", "zones"),
    needs=("clusters.*.slices.*.capacity",),
    otherwise={Severity.WARNING: "if the node pool is adopted, and therefore exists there"},
    title="Generation is not available in the zone",
    why="according to all known sources, the zone does not have this generation. GKE rejects the node pool, or the "
    "node pool stays empty",
    fix="Use a zone that has the generation. `gke-tpu catalog zones` lists the zones.",
    references=["tpu-regions-zones", "tpu-types-zones"],
    by_family=True,
    failing=in_group(tpu="v5p", topology="4x4x4", zone="us-east5-d"),
    edit=("zone: us-east5-d", "zone: us-east5-a"),
)
def generation_not_in_zone(context: PlanContext) -> Iterable[Hit]:
    for cluster, group, zone, known in _placed_groups(context):
        if _listed(known, group, zone) or _weaker_list(known, zone) is not None:
            continue
        path, what = _zone_path(cluster, group, zone), hardware(group.shape.generation, group.shape.family)
        fact, given = known.documented.for_item(zone), f"zone: {zone}"
        if group.plan.adopted is not None:
            text = f"no known source lists {what} in zone {zone}"
            yield Hit(path, text, fact=fact, given=given, why=EXISTS, severity=Severity.WARNING)
            continue
        near = _others(context, cluster, group)
        yield Hit(
            path,
            f"{what} is not available in zone {zone}",
            fact=fact,
            given=given,
            allowed=known.documented.zones,
            fix=zone_fix(path, near[0]) if near else None,
        )


@warning(
    "TPU208",
    about=of_groups("zone", "zones"),
    needs=("clusters.*.slices.*.capacity",),
    otherwise={Severity.NOTE: "if the group has reserved capacity"},
    title="Zone is not documented for the generation",
    why="the GKE documentation does not list the generation in this zone. The hardware may be closed to your "
    "project, for example because it was built for one customer",
    fix="Use a documented zone, or confirm with Google that your project gets capacity in this zone.",
    references=["tpu-regions-zones", "tpu-types-zones", "skypilot-catalog", "tpu-types-zones-single-tenant"],
    by_family=True,
    failing=in_group(tpu="v5p", topology="4x4x4", zone="us-east5-c"),
    edit=("zone: us-east5-c", "zone: us-east5-a"),
)
def undocumented_zone(context: PlanContext) -> Iterable[Hit]:
    for cluster, group, zone, known in _placed_groups(context):
        weaker = None if _listed(known, group, zone) else _weaker_list(known, zone)
        if weaker is None:
            continue
        disputed = _disputed(known, group, zone)
        if disputed is not None:
            reason, weaker = "the GKE pages disagree on single-host slices in this zone", disputed
        elif weaker is known.single_tenant:
            reason = "its hardware was built for one customer"
        elif weaker is known.single_host:
            reason = "the zone has single-host slices only"
        else:
            reason = "only other sources list the hardware in this zone"
        near = _others(context, cluster, group) if group.plan.adopted is None else None
        yield Hit(
            _zone_path(cluster, group, zone),
            f"zone {zone} is not on the GKE list for {group.shape.generation}: {reason}",
            fact=weaker,
            severity=_severity(group),
            given=f"zone: {zone}",
            allowed=known.documented.zones,
            fix=zone_fix(_zone_path(cluster, group, zone), near[0]) if near else None,
        )


@warning(
    "TPU209",
    about=of_groups("zone", "zones"),
    title="Single-host slice is smaller than the minimum size in the zone",
    why="according to the GKE documentation, single-host slices in this zone have a minimum size, so GKE may reject "
    "a smaller slice",
    fix="Use another zone or a larger topology.",
    references=["plan-tpus"],
    failing=in_group(tpu="v5e", topology="2x2", zone="us-east5-b"),
    edit=("topology: 2x2", "topology: 1x1"),
)
def slice_below_zone_minimum(context: PlanContext) -> Iterable[Hit]:
    for cluster, group, zone, known in _placed_groups(context):
        exception = known.single_host
        if exception is None or zone not in exception.zones or group.shape.multi_host:
            continue
        smallest = exception.minimum_topology.get(group.shape.machine_type)
        if smallest is not None and group.shape.chips < Topology.parse(smallest).chips:
            yield Hit(
                _zone_path(cluster, group, zone),
                f"in zone {zone}, {group.shape.machine_type} is available only for slices of at least {smallest}",
                fact=exception,
                given=f"zone: {zone}",
                allowed=known.documented.zones,
            )


@warning(
    "TPU210",
    about=of_groups("zone"),
    needs=("clusters.*.slices.*.capacity",),
    otherwise={Severity.NOTE: "if the group uses a reservation of another project"},
    title="AI zone may not be enabled",
    why="a project can use AI zones only after it has enabled the preview feature ai-zones-visibility of Compute "
    "Engine. Until then, GKE cannot create nodes there",
    fix="Enable AI zones for the project, and then accept this warning in the plan. Or use a non-AI zone.",
    references=["ai-zones-news", "ai-zones-page"],
    failing="""
mode: standard
location: us-central1
slices:
  pretrain: {tpu: tpu7x, topology: 4x4x4, zone: us-central1-ai1a}
""",
    edit=("zone: us-central1-ai1a", "zone: us-central1-c"),
)
def ai_zone_not_enabled(context: PlanContext) -> Iterable[Hit]:
    for cluster, group, zone, known in _placed_groups(context):
        if not is_ai_zone(zone) or not (_listed(known, group, zone) or _weaker_list(known, zone)):
            continue
        reservation = group.plan.capacity.reservation
        if reservation is not None and reservation.project in (None, cluster.project):
            continue  # the project has AI zones enabled, because its reservation is in one
        near = _others(context, cluster, group)
        yield Hit(
            _zone_path(cluster, group, zone),
            f"{zone} is an AI zone, and the project may not have AI zones enabled",
            fact=context.catalog.zones.ai_zones.get(zone),
            severity=Severity.NOTE if reservation is not None else Severity.WARNING,
            given=f"zone: {zone}",
            fix=zone_fix(_zone_path(cluster, group, zone), near[0]) if near and not is_ai_zone(near[0]) else None,
        )


@rule(
    "TPU211",
    plans_only="a cluster in Autopilot mode has no node pools of its own",
    about=of_groups("tpu"),
    otherwise={
        Severity.WARNING: "if an AI zone or a weaker source has the generation in the region",
        Severity.NOTE: "if an AI zone or a weaker source has it and the group has reserved capacity",
    },
    title="Generation is not available in the region",
    why="Autopilot creates TPU nodes only in zones that have the generation. No zone of this region has it, so the "
    "Pods would stay Pending",
    fix="Use a region that has the generation. `gke-tpu catalog zones` lists the zones.",
    references=["tpu-regions-zones", "tpu-types-zones", "gke-autopilot-tpus"],
    by_family=True,
    failing="""
mode: autopilot
location: europe-west4
slices:
  notebook: {tpu: tpu7x, topology: 2x2x1}
""",
    edit=("location: europe-west4", "location: us-central1"),
)
def generation_not_in_region(context: PlanContext) -> Iterable[Hit]:
    for cluster, group in context.fleet.groups():
        known = context.catalog.zones.families.get(group.shape.family)
        left_to_gke = not group.zones and (cluster.mode == "autopilot" or group.compute_class is not None)
        if not left_to_gke or known is None or not is_region(cluster.location):
            continue
        documented = documented_in(context.catalog, group.shape.family, cluster.region)
        if any(map(_is_non_ai_zone, documented)) or _single_host_zone(known, group, cluster.region):
            continue
        weaker = sorted({zone for listed in _weaker_lists(known) for zone in in_region(listed.zones, cluster.region)})
        what = hardware(group.shape.generation, group.shape.family)
        if documented:
            text = (
                f"{what} is documented in {cluster.region} only for AI zone {documented[0]}, and Autopilot "
                "never selects an AI zone"
            )
        elif weaker:
            text = (
                f"the GKE documentation lists no zone of {cluster.region} for {what}; other sources list "
                f"{', '.join(weaker)}"
            )
        else:
            text = f"{what} is not available in any zone of region {cluster.region}"
        yield Hit(
            (*group.path, "tpu"),
            text,
            fact=known.documented.for_item("zones"),
            severity=_severity(group) if documented or weaker else None,
            allowed=tuple(dict.fromkeys(map(region_of, filter(_is_non_ai_zone, known.documented.zones)))),
            fix=SetKeys.of(zone=documented[0]) if documented else None,
        )


@rule(
    "TPU227",
    about=of_clusters("autoprovisioning.tpu"),
    otherwise={Severity.WARNING: "if an AI zone or a weaker source has the generation there"},
    title="Generation of a resource limit is not available",
    why="auto-provisioning creates TPU nodes only in zones that have the generation. No zone of the cluster has it, so "
    "the Pods would stay Pending",
    fix="Remove the limit, or use zones or a region that have the generation. `gke-tpu catalog zones` lists the zones.",
    references=["tpu-regions-zones", "tpu-types-zones"],
    by_family=True,
    failing="""
mode: standard
location: europe-west4
autoprovisioning: {cpu: 1000, memory_gib: 4000, tpu: {v5p: 64, tpu7x: 64}}
workload_policies: {cubes: {topology: 4x4x4}}
""",
    passing=in_cluster("autoprovisioning: {cpu: 1000, memory_gib: 4000, tpu: {v5p: 64}}", location="europe-west4"),
)
def limit_not_in_region(context: PlanContext) -> Iterable[Hit]:
    catalog = context.catalog
    for cluster, written, path in autoprovisioned(context):
        zones = written.zones or ()
        # A zone outside of the region is the only mistake (TPU226).
        for word in written.tpu if is_placed(cluster) and len(in_region(zones, cluster.region)) == len(zones) else ():
            known = _limited_zones(catalog, word)
            here = [zone for item in known for zone in _within(cluster, written, item.documented.zones)]
            if not known or not all(map(is_ai_zone, here)) or (here and written.zones is not None):
                continue
            if any(item.single_host and _within(cluster, written, item.single_host.zones) for item in known):
                continue
            lists = [found for item in known for found in _weaker_lists(item)]
            weaker = sorted({zone for item in lists for zone in _within(cluster, written, item.zones)})
            documented = dict.fromkeys(zone for item in known for zone in item.documented.zones)
            where = _where(cluster, written)
            if here:
                text = f"{quoted(word)} is documented in {where} only for {listed(here)}, which is an AI zone"
            elif weaker:
                others = f"other sources list {listed(weaker)}"
                text = f"the GKE documentation does not list {quoted(word)} in {where}; {others}"
            else:
                text = f"{quoted(word)} is not available in {where}"
            yield Hit(
                (*path, "tpu", word),
                text,
                fact=known[0].documented.for_item("zones"),
                severity=Severity.WARNING if here or weaker else None,
                allowed=tuple(in_region(documented, cluster.region) or dict.fromkeys(map(region_of, documented))),
            )


def _limited_zones(catalog: Catalog, word: str) -> list[FamilyZones]:
    """The zones of the machine families that a limit covers; none for an unknown word (TPU221)."""
    labels = limited_labels(catalog, word)
    families = [
        name
        for generation in catalog.generation_names
        for name, family in catalog.generation(generation).families.items()
        if family.accelerator_label in labels
    ]
    return [catalog.zones.families[name] for name in families if name in catalog.zones.families]


def _within(cluster: Cluster, written: AutoprovisioningSpec, zones: Iterable[str]) -> list[str]:
    """Those zones in which auto-provisioning creates nodes: as written, else that or those of the cluster."""
    found = in_region(zones, cluster.region)
    chosen: Sequence[str] = written.zones or ([cluster.location] if cluster.zonal else found)
    return [zone for zone in found if zone in chosen]


def _where(cluster: Cluster, written: AutoprovisioningSpec) -> str:
    if written.zones is not None:
        return f"zone {listed(list(map(quoted, written.zones)), 'or')}"
    return f"zone {cluster.location}" if cluster.zonal else f"region {cluster.region}"
