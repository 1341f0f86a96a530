"""Checks of node pools without TPUs, the system pool and those in `cpu_pools`: TPU254 to TPU258, TPU275, TPU298."""

import re
from collections.abc import Iterable, Iterator

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.catalog.records.facts import note_by_id
from pulumi_gke_tpu.core.fleet import Cluster
from pulumi_gke_tpu.core.plan import CpuPoolSpec
from pulumi_gke_tpu.core.plan.cpu_pools import SystemPool
from pulumi_gke_tpu.core.rules.cluster.zones import EXISTS
from pulumi_gke_tpu.core.rules.engine.context import PlanContext, cpu_pools, in_region, is_placed
from pulumi_gke_tpu.core.rules.engine.rule import Hit, in_cluster, of_clusters, rule, warning
from pulumi_gke_tpu.core.text.findings import Fix, Path, SetKeys, Severity, did_you_mean, printable, quoted
from pulumi_gke_tpu.core.text.formats.names import is_ai_zone, is_zone, region_of
from pulumi_gke_tpu.core.text.patterns import lazy_pattern

_MACHINE = lazy_pattern(r"(?:custom-[0-9]+-[0-9]+|[a-z][a-z0-9]{1,5}-[a-z][a-z0-9-]*[a-z0-9])\Z", re.ASCII)
_AI_ZONE_NOTE = "ai-zone-cpu"


def _zones(cluster: Cluster, pool: SystemPool | CpuPoolSpec) -> list[str]:
    """The zones of the pool that the plan determines; none if GKE selects them in a region."""
    zones = pool.zones if pool.zones is not None else [cluster.location]
    return [zone for zone in zones if is_zone(zone) and region_of(zone) == cluster.region]


def _called(pool: SystemPool | CpuPoolSpec) -> str:
    return "system pool" if isinstance(pool, SystemPool) else "CPU pool"


def _default_machine(pool: SystemPool | CpuPoolSpec) -> Fix | None:
    """The default machine type as a fix; a CPU pool has none, because its workloads determine the size."""
    default: str = SystemPool.model_fields["machine_type"].default
    return SetKeys.of(machine_type=default) if isinstance(pool, SystemPool) else None


def _other_machine(catalog: Catalog, pool: SystemPool | CpuPoolSpec) -> Fix | None:
    """The machine type in its usual spelling, or the default."""
    respelled = pool.machine_type.strip().rpartition("/")[2].lower().replace("_", "-")
    if respelled != pool.machine_type and _is_cpu_machine(catalog, respelled):
        return SetKeys.of(machine_type=respelled)
    return _default_machine(pool)


def _cpu_pools(context: PlanContext) -> Iterator[tuple[Path, CpuPoolSpec]]:
    for _, path, pool in cpu_pools(context):
        if isinstance(pool, CpuPoolSpec):
            yield path, pool


def _is_tpu_machine(catalog: Catalog, machine_type: str) -> bool:
    return machine_type.partition("-")[0] in catalog.zones.families


def _is_cpu_machine(catalog: Catalog, machine_type: str) -> bool:
    return bool(_MACHINE.match(machine_type)) and not _is_tpu_machine(catalog, machine_type)


@rule(
    "TPU254",
    about=of_clusters("cpu_pools.*.machine_type", "system_pool.machine_type"),
    title="Invalid machine type for a node pool without TPUs",
    why="the system pool and CPU pools run the workloads that do not use TPUs, so they require a machine type "
    "without TPUs",
    fix="Set a machine type such as n2-standard-4. For TPU nodes, add a slice group.",
    references=["container-api-discovery"],
    note="compute-name-form",
    otherwise={
        Severity.WARNING: "if the series is known but not the rest of the name, or if only the series or a topology is "
        "that of TPUs"
    },
    failing=in_cluster("system_pool: {machine_type: ct6e-standard-4t}"),
    edit=("machine_type: ct6e-standard-4t", "machine_type: n2-standard-8"),
)
def invalid_system_machine_type(context: PlanContext) -> Iterable[Hit]:
    for _, path, pool in cpu_pools(context):
        if not _is_cpu_machine(context.catalog, pool.machine_type):
            tpu = _is_tpu_machine(context.catalog, pool.machine_type)
            yield Hit.invalid(
                (*path, "machine_type"),
                "machine type",
                pool.machine_type,
                f"it is {'a TPU machine type' if tpu else 'not a machine type of Compute Engine'}",
                fix=_other_machine(context.catalog, pool),
            )
        else:
            yield from _misnamed(context.catalog, path, pool)
            yield from _like_tpus(context.catalog, path, pool)


_LIKE_A_FAMILY = lazy_pattern(r"(?:ct|tpu|v)\d[a-z]*\Z", re.ASCII)
_TOPOLOGY = ("placementPolicy", "tpuTopology")


def _like_tpus(catalog: Catalog, path: Path, pool: SystemPool | CpuPoolSpec) -> Iterator[Hit]:
    """A machine type that looks like one with TPUs, and a TPU topology of machines without TPUs."""
    family = pool.machine_type.partition("-")[0]
    if _LIKE_A_FAMILY.match(family):
        yield Hit.invalid(
            (*path, "machine_type"),
            "machine type",
            pool.machine_type,
            f"no known TPU machine family is named {family}",
            severity=Severity.WARNING,
            allowed=tuple(sorted(catalog.zones.families)),
        )
        return
    holder = pool.extra.get(_TOPOLOGY[0]) if isinstance(pool, CpuPoolSpec) else None
    topology = holder.get(_TOPOLOGY[1]) if isinstance(holder, dict) else None
    if topology:
        message = (
            f"machine type {pool.machine_type} has no TPUs, but the node pool has the TPU topology {quoted(topology)}"
        )
        yield Hit((*path, "extra", *_TOPOLOGY), message, severity=Severity.WARNING)


def _misnamed(catalog: Catalog, path: Path, pool: SystemPool | CpuPoolSpec) -> Iterator[Hit]:
    """A class that no machine type of the series has, or one without its number of vCPUs."""
    classes = catalog.system_pools.classes
    series, name, *rest = (*pool.machine_type.split("-"), "")
    if series not in classes.series or (name in classes.names and name not in classes.sized):
        return
    near = None if name in classes.names else did_you_mean(name, classes.names)
    if name in classes.sized and not rest[0].isdecimal():
        problem, fix = f"the number of vCPUs is missing, as in {series}-{name}-4", ""
    elif near:
        problem, fix = f"{series} has no class {quoted(name)}", "-".join([series, near, *rest[:-1]])
    else:
        return
    yield Hit.invalid(
        (*path, "machine_type"),
        "machine type",
        pool.machine_type,
        problem,
        fact=classes,
        severity=Severity.WARNING,
        fix=SetKeys.of(machine_type=fix),
    )


@rule(
    "TPU255",
    at_creation=True,
    about=of_clusters("system_pool.machine_type"),
    otherwise={Severity.WARNING: "if GKE selects the zones of the node pool, or the node pool is adopted"},
    title="Machine family is not available in the zone",
    why="a zone has only some machine families. Compute Engine rejects a machine type of any other family, so GKE "
    "does not create the node pool",
    fix="Use another machine family, or other zones.",
    references=["skypilot-catalog", "machine-type-zones"],
    failing=in_cluster("system_pool: {machine_type: e2-standard-4}", location="us-central2-b"),
    edit=("machine_type: e2-standard-4", "machine_type: n2-standard-4"),
)
def machine_family_not_in_zone(context: PlanContext) -> Iterable[Hit]:
    for cluster, path, pool in cpu_pools(context):
        if not is_placed(cluster) or not _is_cpu_machine(context.catalog, pool.machine_type):
            continue
        known = context.catalog.system_pools.zones
        first = pool.machine_type.split("-")[0]
        family = "n1" if first == "custom" else first
        zones = _zones(cluster, pool)
        certain = bool(zones)
        for zone in zones or [zone for zone in in_region(sorted(known), cluster.region) if not is_ai_zone(zone)]:
            if zone in known and family in known[zone].absent and not is_ai_zone(zone):
                at, fact = (*path, "machine_type"), known[zone].for_item(family)
                if _exists(pool):
                    text = f"no known source lists machine family {family} in zone {zone}"
                    yield Hit(at, text, fact=fact, why=EXISTS, severity=Severity.WARNING)
                    break
                yield Hit(
                    at,
                    f"machine family {family} is not available in zone {zone}"
                    + ("" if certain else f", one of the zones in {cluster.region} that GKE may select"),
                    fact=fact,
                    severity=None if certain else Severity.WARNING,
                    allowed=tuple(known[zone].families),
                    fix=_default_machine(pool),
                )
                break


def _exists(pool: SystemPool | CpuPoolSpec) -> bool:
    return isinstance(pool, CpuPoolSpec) and pool.adopted is not None


@rule(
    "TPU256",
    about=of_clusters(
        "cpu_pools.*.max_nodes", "cpu_pools.*.min_nodes", "system_pool.max_nodes", "system_pool.min_nodes"
    ),
    title="`min_nodes` exceeds `max_nodes`",
    why="the lower limit of autoscaling must not exceed the upper limit, and the provider does not report the mistake",
    fix="Raise `max_nodes` or lower `min_nodes`. Both are totals over all zones.",
    source="GKE: autoscaling limits of a node pool",
    failing=in_cluster("system_pool: {min_nodes: 5}"),
    edit=("5}", "5, max_nodes: 5}\ncpu_pools: {loaders: {machine_type: n2-standard-8, min_nodes: 2, max_nodes: 4}}"),
)
def min_nodes_above_max(context: PlanContext) -> Iterable[Hit]:
    for _, path, pool in cpu_pools(context):
        least, most = pool.min_nodes or 0, pool.max_nodes
        if most is not None and least > most:
            yield Hit.exceeds(
                (*path, "max_nodes" if pool.written("max_nodes") else "min_nodes"),
                "`min_nodes`",
                f"`max_nodes`: {least:,} > {most:,}",
                fix=SetKeys.either("max_nodes", least, f"or min_nodes: {most}"),
            )


@rule(
    "TPU257",
    about=of_clusters("cpu_pools.*.zones", "system_pool.zones"),
    title="Zone of a node pool without TPUs is outside the region of the cluster",
    why="GKE creates the nodes of a cluster only in the region of the cluster",
    fix="Use zones of the region, or remove `zones`.",
    references=["provider-cluster", "provider-node-pool"],
    note="nodes-in-region",
    failing=in_cluster("system_pool: {zones: [us-central1-a]}"),
    edit=("zones: [us-central1-a]", "zones: [us-east5-a, us-east5-b]"),
)
def system_zone_outside_region(context: PlanContext) -> Iterable[Hit]:
    for cluster, path, pool in cpu_pools(context):
        known = tuple(in_region(sorted(context.catalog.system_pools.zones), cluster.region))
        for index, zone in enumerate(pool.zones or () if is_placed(cluster) else ()):
            if not is_zone(zone) or region_of(zone) != cluster.region:
                yield Hit(
                    (*path, "zones", index),
                    f"zone {quoted(zone)} is outside region {cluster.region}",
                    given=f"zones: {printable(zone)}",
                    allowed=tuple(zone for zone in known if not is_ai_zone(zone)),
                )


@rule(
    "TPU258",
    about=of_clusters("system_pool.zones"),
    otherwise={Severity.WARNING: "if the node pool is adopted"},
    title="Node pool without TPUs in an AI zone",
    why="in an AI zone, GKE creates nodes without TPUs only while a TPU workload runs in that zone",
    fix="Set `zones` of the node pool to non-AI zones of the region.",
    references=["ai-zones-news", "ai-zones-page"],
    failing=in_cluster("system_pool: {zones: [us-central1-ai1a]}", location="us-central1"),
    edit=("zones: [us-central1-ai1a]", "zones: [us-central1-a]"),
)
def system_pool_in_ai_zone(context: PlanContext) -> Iterable[Hit]:
    note = note_by_id(context.catalog.zones.notes, _AI_ZONE_NOTE)
    for cluster, path, pool in cpu_pools(context):
        known = in_region(sorted(context.catalog.system_pools.zones), cluster.region)
        ordinary = [zone for zone in known if not is_ai_zone(zone)]
        for zone in filter(is_ai_zone, _zones(cluster, pool)):
            yield Hit(
                (*path, "zones") if pool.zones is not None else (*cluster.path, "location"),
                f"zone {zone} is an AI zone, and the {_called(pool)} has no TPUs",
                fact=note,
                severity=Severity.WARNING if _exists(pool) else None,
                given=f"zones: {zone}" if pool.zones is not None else "",
                allowed=tuple(ordinary),
                fix=SetKeys.of(zones=[ordinary[0]])
                if ordinary and pool.zones is not None and not _exists(pool)
                else None,
            )


@rule(
    "TPU275",
    plans_only="a node pool has limits or a size",
    about=of_clusters("cpu_pools.*.max_nodes", "cpu_pools.*.min_nodes", "cpu_pools.*.nodes"),
    title="Missing or conflicting size of a CPU pool",
    why="a CPU pool requires either a fixed number of nodes or the limits between which GKE scales it",
    fix="Set `nodes`. Or set `max_nodes` and, if you need a minimum, also `min_nodes`.",
    source="gke-tpu: format of a plan",
    failing=in_cluster("""
cpu_pools:
  head: {machine_type: n2-standard-64, nodes: 1, max_nodes: 3, zones: [us-east5-b]}
"""),
    edit=("nodes: 1, max_nodes: 3", "max_nodes: 3"),
)
def cpu_pool_size(context: PlanContext) -> Iterable[Hit]:
    for path, pool in _cpu_pools(context):
        limits = [key for key in ("min_nodes", "max_nodes") if getattr(pool, key) is not None]
        if pool.nodes is not None and limits:
            yield Hit.conflict((*path, limits[0]), f"`{limits[0]}`", "`nodes`", "use only one of the two keys")
        elif pool.fixed_nodes is None and pool.max_nodes is None:
            if pool.min_nodes is None:
                yield Hit.missing(path, "key `nodes`", "or `max_nodes` to autoscale", fix=SetKeys.of(nodes=1))
            else:
                fix = SetKeys.of(max_nodes=max(pool.min_nodes, 1))
                yield Hit.missing(path, "key `max_nodes`", "the node pool has `min_nodes`", fix=fix)


@warning(
    "TPU298",
    at_creation=True,
    about=of_clusters(
        "location", "cpu_pools.*.zones", "cpu_pools.*.machine_type", "system_pool.zones", "system_pool.machine_type"
    ),
    title="All nodes without TPUs depend on one machine family in one zone",
    why="while Compute Engine has no machines of this family in this zone, no node without TPUs starts, and the Pods "
    "that reserved slices wait for have no place. The reservation is paid meanwhile",
    fix="Add zones to the node pool, or a CPU pool of another machine family.",
    references=["aicr-2764", "cluster-toolkit-6278", "vllm-ci-544"],
    failing=in_cluster("""
system_pool: {zones: [us-east5-b]}
slices:
  pretrain: {tpu: v6e, topology: 16x16, zone: us-east5-b, capacity: {reservation: v6e-pretrain}}
"""),
    edit=("zones: [us-east5-b]", "zones: [us-east5-a, us-east5-b]"),
)
def one_zone_and_family_beside_reserved_slices(context: PlanContext) -> Iterable[Hit]:
    """Check new clusters without auto-provisioning, which creates node pools of other families in other zones."""
    pools: dict[str, list[tuple[Path, SystemPool | CpuPoolSpec, list[str]]]] = {}
    for cluster, path, pool in cpu_pools(context):
        pools.setdefault(cluster.key, []).append((path, pool, _zones(cluster, pool)))
    for cluster in context.fleet.clusters:
        found = pools.get(cluster.key, [])
        reserved = [group for group in cluster.groups if "reservation" in group.capacity_modes]
        if not found or not reserved or cluster.existing or cluster.autoprovisioning is not None:
            continue
        zones = {zone for _, _, where in found for zone in where}
        families = {pool.machine_type.partition("-")[0] for _, pool, _ in found}
        if len(zones) == len(families) == 1 and all(where for _, _, where in found):
            path, pool, _ = next((item for item in found if item[1].zones is not None), found[0])
            message = (
                f"all nodes without TPUs are {printable(families.pop())} machines in {zones.pop()}, beside reserved "
                f"slices of {quoted(reserved[0].name)}"
            )
            yield Hit((*path, "zones") if pool.zones is not None else (*cluster.path, "location"), message)
