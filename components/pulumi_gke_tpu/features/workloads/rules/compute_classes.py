"""Checks of ComputeClasses for Pods without chips: TPU589 and TPU590."""

from collections.abc import Iterable, Iterator

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.fleet import Cluster
from pulumi_gke_tpu.core.fleet.workloads import Workload
from pulumi_gke_tpu.core.kinds.registry import has_head
from pulumi_gke_tpu.core.plan.kubernetes import ComputeClassSpec
from pulumi_gke_tpu.core.rules.engine.context import PlanContext, compute_classes
from pulumi_gke_tpu.core.rules.engine.rule import Hit, in_cluster, of_clusters, of_workloads, rule
from pulumi_gke_tpu.core.text.findings import Path, Replace, Severity, did_you_mean, listed, quoted
from pulumi_gke_tpu.core.text.formats.names import region_of
from pulumi_gke_tpu.features.workloads.rules.walk import clusters_with_objects

_KEY = "kubernetes.compute_classes"
_RENAME = "Give the class another name."


def _plan(classes: str, head: str = "compute_class: heads") -> str:
    return in_cluster(f"""
slices:
  serve: {{tpu: v6e, topology: 4x4, zone: us-east5-b}}
kubernetes:
  compute_classes: {{{classes}}}
  workloads:
    chat: {{slices: serve, image: vllm, kind: leaderworkerset, head: {{{head}}}}}
""")


@rule(
    "TPU589",
    about=of_clusters(_KEY, f"{_KEY}.*.machine_families", f"{_KEY}.*.zones"),
    title="Invalid ComputeClass for Pods without chips",
    why="GKE tries the machine families in order, each in the zones of the class, and rejects names that begin like "
    "those of its own classes. It creates no nodes of a family that does not exist there",
    fix="Use a machine family without TPUs that the zones of the class have.",
    references=["compute-class-api", "gke-compute-class-concept", "skypilot-catalog", "autoscaler-machine-types"],
    otherwise={
        Severity.WARNING: "if the catalog does not know the family, if no source lists it in the zones, or if the "
        "class has it twice"
    },
    failing=_plan("heads: {machine_families: [ct6e, n2]}"),
    passing=_plan("heads: {machine_families: [n4, n2]}"),
)
def invalid_compute_class(context: PlanContext) -> Iterable[Hit]:
    form, catalog = context.catalog.kubernetes.compute_classes.form, context.catalog
    for cluster, path, plan in compute_classes(context):
        served = {group.compute_class: group.path for group in cluster.groups if group.compute_class is not None}
        name = str(path[-1])
        if name.startswith(form.refused_prefixes):
            reason = f"it begins with {listed(form.refused_prefixes, 'or')}"
            yield Hit.invalid(path, "name of a ComputeClass", name, reason, fact=form, advice=_RENAME)
        elif name in served:
            reason = f"slice group {quoted(served[name][-1])} has it because of `fallback`"
            yield Hit.duplicate(path, "name of a ComputeClass", name, reason, fact=form, advice=_RENAME)
        for index, family in enumerate(plan.machine_families):
            place = (*path, "machine_families", index)
            if family in plan.machine_families[:index]:
                first = f"entry {plan.machine_families.index(family) + 1} has it"
                advice = "Remove the second entry."
                yield Hit.duplicate(place, "machine family", family, first, severity=Severity.WARNING, advice=advice)
            elif family in catalog.zones.families:
                yield Hit.invalid(place, "machine family", family, "it has TPUs, which slice groups use", fact=form)
            else:
                yield from _in_zones(catalog, place, family, [*_zones(cluster, plan, catalog)])
        for index, zone in enumerate(plan.zones or ()):
            if region_of(zone) != cluster.region:
                message = f"zone {quoted(zone)} is outside region {cluster.region}"
                advice = f"Use zones of region {cluster.region}."
                yield Hit((*path, "zones", index), message, fact=form, advice=advice)


def _in_zones(catalog: Catalog, place: Path, family: str, zones: list[str]) -> Iterator[Hit]:
    """A family that the catalog does not know, or that no zone of the class has."""
    known = {*catalog.disks.cpu_families, *catalog.system_pools.classes.series}
    if family not in known:
        near, fact = did_you_mean(family, sorted(known)), catalog.system_pools.classes
        fix = Replace.value(near) if near else None
        yield Hit.unknown(
            place, "machine family", family, fact=fact, severity=Severity.WARNING, allowed=tuple(sorted(known)), fix=fix
        )
        return
    facts = [catalog.system_pools.zones[zone] for zone in zones]
    if facts and all(family in fact.absent for fact in facts):
        where = listed(zones, most=4)
        message = f"no known source lists machine family {family} in {where}"
        yield Hit(place, message, fact=facts[0].for_item(family), severity=Severity.WARNING)


def _zones(cluster: Cluster, plan: ComputeClassSpec, catalog: Catalog) -> Iterator[str]:
    """The zones that a class can use and the catalog knows: its own, else those of the region."""
    for zone in sorted(catalog.system_pools.zones):
        if zone in plan.zones if plan.zones is not None else region_of(zone) == cluster.region:
            yield zone


@rule(
    "TPU590",
    about=(*of_clusters(_KEY), *of_workloads("head.compute_class", "kind")),
    severity=Severity.NOTE,
    title="Head does not use the ComputeClass of its cluster",
    why="GKE creates nodes of a ComputeClass only for Pods that select the class. No head of the plan selects a class, "
    "and one head depends on the machine family of a node pool",
    fix="Set `head.compute_class` of the workload. Or accept the note if the class is for Pods outside of the plan.",
    references=["gke-compute-class-concept"],
    source="gke-tpu: names in the key `kubernetes`",
    failing=_plan("heads: {machine_families: [n4, n2]}", "cpu: 2"),
    passing=_plan("heads: {machine_families: [n4, n2]}"),
)
def unused_compute_class(context: PlanContext) -> Iterable[Hit]:
    heads: dict[str, list[tuple[Workload, str | None]]] = {}
    for found in clusters_with_objects(context):
        for workload in filter(has_head, found.workloads):
            own = workload.plan.head.compute_class if workload.plan.head is not None else None
            for cluster in found.cluster.workers or (found.cluster,):
                heads.setdefault(cluster.key, []).append((workload, own))
    for cluster, path, _ in compute_classes(context):
        others = [workload for workload, own in heads.get(cluster.key, ()) if own is None]
        used = {own for _, own in heads.get(cluster.key, ()) if own is not None}
        if path[-1] not in used and others:
            message = f"no head of the plan uses {quoted(path[-1])}, and that of {quoted(others[0].name)} uses no class"
            yield Hit(path, message)
