"""Cluster API: clusters and node pools of GKE as GCPManagedControlPlane and GCPManagedMachinePool."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.graph.resource_types import CLUSTER, NODE_POOL
from pulumi_gke_tpu.core.objects.document import items, mapping, text
from pulumi_gke_tpu.core.resources.model import RawResource, SourceFormat, Spelling, Unread
from pulumi_gke_tpu.core.resources.object_sources.described import (
    Described,
    fitted,
    known,
    name_of,
    raw_resource,
    references,
    with_unknown,
)
from pulumi_gke_tpu.core.resources.pools import Machines
from pulumi_gke_tpu.core.resources.terraform_names import names_of
from pulumi_gke_tpu.core.resources.values import UNKNOWN
from pulumi_gke_tpu.core.text.findings import Path, listed
from pulumi_gke_tpu.core.text.formats.names import region_of
from pulumi_gke_tpu.core.text.formats.property_path import format_steps, parse_path, set_value, value_at

GROUPS = frozenset({"infrastructure.cluster.x-k8s.io", "cluster.x-k8s.io"})
_TEMPLATE = "Template"
_POOL, _CONTROL_PLANE = "GCPManagedMachinePool", "GCPManagedControlPlane"
_EFFECTS = {"NoSchedule": "NO_SCHEDULE", "PreferNoSchedule": "PREFER_NO_SCHEDULE", "NoExecute": "NO_EXECUTE"}


def unread(found: Sequence[Described], catalog: Catalog) -> Iterator[Unread]:
    """What node pools of TPUs may need, and what no object can say: once for a file, at its first such node pool."""
    machines, names = Machines(catalog), listed([*catalog.other_tools.cluster_api.lacks])
    pools = (each for each in read(found, catalog) if next(machines.pools(each.asked), None) is not None)
    for file, first in {each.origin.file: each for each in reversed([*pools])}.items():
        line = first.origin.locate(()).line
        yield Unread(file, f"Cluster API has no field for {names}", first.origin.address, line)


def read(found: Sequence[Described], catalog: Catalog) -> Iterator[RawResource]:
    """The resources that some objects of these groups describe."""
    facts, around, patched = catalog.other_tools.cluster_api, _Around.of(found), _patched(found)
    for described in found:
        kind = described.object.kind.removesuffix(_TEMPLATE)
        above: Path = ("spec", "template", "spec") if described.object.kind.endswith(_TEMPLATE) else ("spec",)
        spec = known(mapping(value_at(described.object.data, above)))
        for path in patched.get(described.object.kind, ()):
            spec = with_unknown(spec, path[len(above) :]) if path[: len(above)] == above else spec
        if kind == _POOL:
            values, refers_to = _pool(described, spec, around, facts.zones_of_a_region)
            table, resource_type = facts.node_pool, NODE_POOL
        elif kind == _CONTROL_PLANE:
            values, refers_to = {"name": spec.get("clusterName") or UNKNOWN}, {}
            table, resource_type = facts.cluster, CLUSTER
        else:
            continue
        types = names_of(catalog, resource_type).types
        values = _copied(spec, table, values)
        values = fitted(_finished(values, spec, resource_type), types)
        spelling = _spelling(table, spec, above)
        yield raw_resource(
            described, SourceFormat.CLUSTER_API, resource_type, values, spelling=spelling, refers_to=refers_to
        )


def _patched(found: Sequence[Described]) -> dict[str, list[Path]]:
    """Kind of a template -> the paths that the patches of cluster classes write."""
    paths: dict[str, list[Path]] = {}
    for owner in (each.object for each in found if each.object.kind == "ClusterClass"):
        for patch in map(mapping, items(owner.spec.get("patches"))):
            for definition in map(mapping, items(patch.get("definitions"))):
                kind = str(mapping(definition.get("selector")).get("kind"))
                for each in map(mapping, items(definition.get("jsonPatches"))):
                    paths.setdefault(kind, []).append(tuple(str(each.get("path")).strip("/").split("/")))
    return paths


@frozen(eq=False)
class _Around:
    """The objects that node pools belong to."""

    machine_pools: Mapping[str, Described]
    """Name of a GCPManagedMachinePool -> the MachinePool that refers to it."""
    control_planes: Mapping[str, Described]
    """Name of a Cluster -> its GCPManagedControlPlane."""

    @classmethod
    def of(cls, found: Sequence[Described]) -> "_Around":
        by_name = {(each.object.kind, each.object.name): each for each in reversed(found)}
        pools, planes = {}, {}
        for each in reversed(found):
            owner = each.object
            if owner.kind == "MachinePool":
                pools[_name_at(owner.spec, "template", "spec", "infrastructureRef")] = each
            elif owner.kind == "Cluster":
                plane = by_name.get((_CONTROL_PLANE, _name_at(owner.spec, "controlPlaneRef")))
                if plane is not None:
                    planes[owner.name] = plane
        return cls(pools, planes)


def _name_at(spec: Any, *path: str) -> str:
    return text(mapping(value_at(spec, path)).get("name"))


def _pool(
    described: Described, spec: dict[str, Any], around: _Around, zones_of_a_region: int
) -> tuple[dict[str, Any], dict[str, tuple[str, ...]]]:
    """What a node pool takes from other objects: the cluster, and the size and the version of its MachinePool."""
    values: dict[str, Any] = {"name": name_of(described, external=spec.get("nodePoolName"))}
    machine_pool = around.machine_pools.get(described.object.name)
    values |= {"cluster": UNKNOWN, "location": UNKNOWN, "version": UNKNOWN, "nodeCount": UNKNOWN}
    if machine_pool is None:
        return values, {}
    wanted = known(machine_pool.object.spec)
    version = value_at(wanted, ("template", "spec", "version"))
    values["version"] = version.removeprefix("v") if isinstance(version, str) else version
    plane = around.control_planes.get(str(wanted.get("clusterName")))
    if plane is not None:
        settings = known(plane.object.spec)
        values["cluster"] = settings.get("clusterName") or UNKNOWN
        values["location"] = location = settings.get("location")
        values["project"] = settings.get("project")
        replicas = wanted.get("replicas")
        if isinstance(replicas, int) and isinstance(location, str):
            zones = len(items(spec.get("nodeLocations"))) or zones_of_a_region
            regional = region_of(location) == location or not region_of(location)
            values["nodeCount"] = replicas // zones if regional else replicas
    if isinstance(spec.get("scaling"), dict):
        values.pop("nodeCount")
    return {name: value for name, value in values.items() if value is not None}, references(
        (("cluster", plane),), described.object.file.name
    )


def _copied(spec: dict[str, Any], table: Mapping[str, str], values: dict[str, Any]) -> dict[str, Any]:
    """The properties that a table names, added to some; the first of two names counts."""
    for own, path in reversed([*table.items()]):
        value = value_at(spec, own.split("."))
        if value is not None:
            set_value(values, tuple(path.split(".")), value)
    return values


def _finished(values: dict[str, Any], spec: dict[str, Any], resource_type: str) -> dict[str, Any]:
    """The properties in the words of Google's API."""
    if resource_type == CLUSTER:
        channel, version = spec.get("releaseChannel"), values.get("minMasterVersion")
        values["releaseChannel"] = {"channel": channel.upper()} if isinstance(channel, str) else UNKNOWN
        if isinstance(version, str):
            values["minMasterVersion"] = version.removeprefix("v")
        return values
    if mapping(spec.get("scaling")).get("enableAutoscaling") is False:
        values.pop("autoscaling", None)
    scaling, taints = values.get("autoscaling"), mapping(values.get("nodeConfig")).get("taints")
    if isinstance(scaling, dict) and isinstance(scaling.get("locationPolicy"), str):
        scaling["locationPolicy"] = scaling["locationPolicy"].upper()
    for taint in items(taints):
        if isinstance(taint, dict) and isinstance(taint.get("effect"), str):
            taint["effect"] = _EFFECTS.get(taint["effect"], taint["effect"])
    return values


def _spelling(table: Mapping[str, str], spec: dict[str, Any], above: Path) -> Spelling:
    """A property that no object has is named as Google's API does."""
    own: dict[str, str] = {}
    for name, path in table.items():
        if path not in own or (value_at(spec, own[path].split(".")) is None):
            own[path] = name

    def place(path: str) -> Path:
        steps = parse_path(path)
        for length in range(len(steps), 0, -1):
            found = own.get(".".join(map(str, steps[:length])))
            if found is not None:
                return (*above, *found.split("."), *steps[length:])
        return above

    def written(path: str) -> str:
        return format_steps(place(path)) if place(path) != above else path

    return Spelling(written=written, place=place)
