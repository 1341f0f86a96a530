"""The argument of the check of a rule, and the parts of a plan that several rules check."""

import datetime
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from pydantic.fields import FieldInfo

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.fleet import Cluster, Fleet, SliceGroup
from pulumi_gke_tpu.core.fleet.settings import keys_of_system_pool
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.plan import CpuPoolSpec, Plan, SliceGroupSpec
from pulumi_gke_tpu.core.plan.base import Form, PlanModel
from pulumi_gke_tpu.core.plan.cpu_pools import SystemPool
from pulumi_gke_tpu.core.plan.keys import form_of
from pulumi_gke_tpu.core.text.findings import Finding, Fix, Path, Replace, SetKeys
from pulumi_gke_tpu.core.text.formats.names import is_ai_zone, is_region, is_zone, region_of

if TYPE_CHECKING:
    from pulumi_gke_tpu.core.plan.kubernetes import ComputeClassSpec


@frozen(eq=False)
class PlanContext:
    """One plan and what was derived from it. Rules can keep by its identity what several of them compute from it.

    ``today`` is the date that dates are compared with; without it, rules that need a clock report nothing.
    ``of_resources``: the plan describes resources of other tools, which use the names of GKE only.
    """

    plan: Plan
    catalog: Catalog
    fleet: Fleet
    today: datetime.date | None = None
    of_resources: bool = False


@frozen
class PlanFindings:
    """One plan, and what the rules about plans found in it."""

    context: PlanContext
    findings: tuple[Finding, ...]


def plan_groups(context: PlanContext) -> Iterator[tuple[Cluster, Path, SliceGroupSpec]]:
    """Every group of the plan with its cluster and path, including groups without a valid shape."""
    for cluster in context.fleet.clusters:
        for key, group in cluster.plan.slices.items():
            yield cluster, (*cluster.path, "slices", key), group


def standard_groups(context: PlanContext) -> Iterator[tuple[Cluster, SliceGroup]]:
    """Every group that becomes node pools, with its cluster: groups of Standard clusters with a valid shape.

    Not those that a ComputeClass serves.
    """
    for cluster, group in configured_groups(context):
        if group.compute_class is None:
            yield cluster, group


def reaches_nodes(cluster: Cluster, group: SliceGroupSpec) -> bool:
    """Whether the plan's settings of the nodes of a group reach GKE, through node pools or a ComputeClass."""
    return cluster.mode == "standard" or bool(group.fallback)


def configured_groups(context: PlanContext) -> Iterator[tuple[Cluster, SliceGroup]]:
    """Every group with a valid shape whose settings of nodes reach GKE, with its cluster."""
    for cluster, group in context.fleet.groups():
        if reaches_nodes(cluster, group.plan):
            yield cluster, group


def written_keys(
    part: PlanModel, path: Path, meaning_of: Callable[[FieldInfo], str], meaning: str
) -> Iterator[tuple[Path, PlanModel]]:
    """Every key that a plan sets and that has a certain meaning, with its path and mapping.

    Nothing below a key that is refused or has no effect is visited.
    """
    for name, field in type(part).model_fields.items():
        value = getattr(part, name)
        if not part.written(name) or value is None or value in ({}, []):
            continue
        here, found = (*path, field.alias or name), meaning_of(field)
        if found == meaning:
            yield here, part
        if found in ("refused", "noted", "only"):
            continue
        for step, below in value.items() if isinstance(value, dict) else ():
            if isinstance(below, PlanModel):
                yield from written_keys(below, (*here, step), meaning_of, meaning)
        if isinstance(value, PlanModel):
            yield from written_keys(value, here, meaning_of, meaning)


def texts_of_form(part: PlanModel, path: Path, form: Form) -> Iterator[tuple[Path, str]]:
    """Every text of a form that a plan contains, with its path."""
    for name in sorted(part.model_fields_set):
        value, here = getattr(part, name), (*path, name)
        if isinstance(value, str) and form_of(type(part).model_fields[name]) == form:
            yield here, value
        for step, below in value.items() if isinstance(value, dict) else [(None, value)]:
            if isinstance(below, PlanModel):
                yield from texts_of_form(below, here if step is None else (*here, step), form)


def cpu_pools(context: PlanContext) -> Iterator[tuple[Cluster, Path, SystemPool | CpuPoolSpec]]:
    """Every node pool without TPUs with its cluster and path: first the system pool, also if the plan has no key."""
    for cluster in context.fleet.clusters:
        if cluster.mode == "standard":
            if cluster.has_system_pool:
                yield cluster, (*cluster.path, "system_pool"), keys_of_system_pool(cluster)
            for pool in cluster.cpu_pools:
                yield cluster, pool.path, pool.plan


def compute_classes(context: PlanContext) -> "Iterator[tuple[Cluster, Path, ComputeClassSpec]]":
    """Every ComputeClass for Pods without chips, with its cluster and path."""
    for cluster in context.fleet.clusters:
        for name, plan in cluster.compute_classes.items():
            yield cluster, (*cluster.path, "kubernetes", "compute_classes", name), plan


def written_zones(path: Path, group: SliceGroupSpec) -> Iterator[tuple[Path, str]]:
    """Every zone that a group in the plan names, with its path."""
    if group.zone is not None:
        yield (*path, "zone"), group.zone
    for index, zone in enumerate(group.zones or ()):
        yield (*path, "zones", index), zone


def zone_fix(path: Path, zone: str | None) -> Fix | None:
    """The fix that sets a zone at a path: an entry of `zones`, `zone`, or the `location` of a zonal cluster."""
    return Replace.value(zone) if isinstance(path[-1], int) else SetKeys.of({path[-1]: zone})


def is_moved(one: Cluster | SliceGroup, other: Cluster | SliceGroup) -> bool:
    """Whether one item is the other under a former key. If both are in the plan, the rules about `moved` report it."""
    return other.key in one.former_keys or one.key in other.former_keys


def is_placed(cluster: Cluster) -> bool:
    """Whether the cluster's location is written like a region or a zone."""
    return is_region(cluster.location) or is_zone(cluster.location)


def in_region(zones: Iterable[str], region: str) -> list[str]:
    """Those zones that lie in a region, in their order."""
    return [zone for zone in zones if region_of(zone) == region]


def documented_in(catalog: Catalog, family: str, region: str) -> list[str]:
    """The zones of a region in which GKE documents a machine family; AI zones, which must be enabled, are last."""
    known = catalog.zones.families.get(family)
    return sorted(in_region(known.documented.zones, region), key=is_ai_zone) if known else []
