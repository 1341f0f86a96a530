"""Checks of Filestore, Managed Lustre and Parallelstore as volumes: TPU694 to TPU697."""

import ipaddress
import re
from collections.abc import Iterable, Iterator

from pulumi_gke_tpu.core.fleet.file_systems import MountedFileSystem, file_systems
from pulumi_gke_tpu.core.fleet.workloads import KubernetesObjects
from pulumi_gke_tpu.core.plan.volumes import Filestore, Lustre, Parallelstore
from pulumi_gke_tpu.core.rules.engine.context import PlanContext
from pulumi_gke_tpu.core.rules.engine.rule import Hit, in_cluster, rule, warning
from pulumi_gke_tpu.core.text.findings import Path, SetKeys, Severity, quoted
from pulumi_gke_tpu.core.text.formats.names import is_location, is_zone, region_of
from pulumi_gke_tpu.core.text.patterns import lazy_pattern
from pulumi_gke_tpu.features.workloads.rules.walk import clusters_with_objects

_PLAN = in_cluster("""
addons: [lustre, parallelstore]
slices: {pretrain: {tpu: v6e, topology: 4x4, zone: us-east5-b}}
""")
_LUSTRE = "instance: scratch,\n    location: us-east5-b, ip: 10.1.0.2, filesystem: scratch, size_gib: 9000"
_FAR = "instance: scratch,\n    location: us-central1-a, ip: 10.1.0.2, filesystem: scratch, size_gib: 9000"
_OTHER = "instance: other,\n    location: us-east5-b, ip: 10.1.0.3, filesystem: {}, size_gib: 9000"
_NAME = lazy_pattern(r"[a-z](?:[a-z0-9-]{0,62}[a-z0-9])?\Z", re.ASCII)
_KEYS = "clusters.*.kubernetes.workloads.*.volumes.*"


def _run(**volumes: str) -> str:
    sources = ", ".join(f"{name}: {{mount: /{name}, lustre: {{{keys}}}}}" for name, keys in volumes.items())
    return f"{_PLAN}kubernetes: {{workloads: {{run: {{slices: pretrain, image: train, volumes: {{{sources}}}}}}}}}"


def _mounted(context: PlanContext) -> Iterator[tuple[KubernetesObjects, list[MountedFileSystem]]]:
    for objects in clusters_with_objects(context):
        yield objects, list(file_systems(objects, context.catalog))


@warning(
    "TPU694",
    about=(f"{_KEYS}.filestore.location", f"{_KEYS}.lustre.location", f"{_KEYS}.parallelstore"),
    otherwise={Severity.NOTE: "if only the zone is another one"},
    title="File system in another place than the slices",
    why="the Pods reach a file system through the VPC network of their cluster, and from another zone or region, all "
    "of its traffic crosses zones or regions",
    fix="Use a file system in the zone of the slices and in the VPC network of the cluster.",
    references=["lustre-csi-volume", "parallelstore-csi-reference"],
    failing=_run(a=_FAR),
    passing=_run(a=_LUSTRE),
)
def distant_file_system(context: PlanContext) -> Iterable[Hit]:
    for objects, mounted in _mounted(context):
        cluster = objects.cluster
        for item in mounted:
            location, zones = item.plan.location, item.workload.zones
            place = (*item.path, "location")
            if not is_location(location):
                continue
            if region_of(location) != cluster.region:
                yield Hit(
                    place,
                    f"{item.facts.title} instance {quoted(item.plan.instance)} is in {region_of(location)}, and "
                    f"cluster {quoted(cluster.key)} in {cluster.region}",
                )
            elif is_zone(location) and zones and location not in zones:
                yield Hit(
                    place,
                    f"{item.facts.title} instance {quoted(item.plan.instance)} is in {location}, and the slices in "
                    f"{', '.join(zones)}",
                    severity=Severity.NOTE,
                )
            yield from _other_network(item)


def _other_network(item: MountedFileSystem) -> Iterator[Hit]:
    network = item.workload.cluster.plan.network
    own = network.existing.network if network is not None and network.existing is not None else None
    stated = item.plan.network if isinstance(item.plan, Parallelstore) else None
    if isinstance(own, str) and stated is not None and stated.rpartition("/")[2] != own.rpartition("/")[2]:
        message = f"the instance is in network {quoted(stated)}, and the cluster in {quoted(own)}"
        yield Hit((*item.path, "network"), message, fact=item.facts)


@rule(
    "TPU695",
    about=(
        f"{_KEYS}.filestore",
        f"{_KEYS}.lustre",
        f"{_KEYS}.lustre.size_gib",
        f"{_KEYS}.lustre.size_gib",
        f"{_KEYS}.parallelstore",
    ),
    title="Two descriptions of one file system",
    why="all volumes of one instance in a cluster mean the same file system, so they have the same address and size",
    fix="Use the same values of the instance everywhere.",
    source="gke-tpu: volumes of file systems",
    failing=_run(a=_LUSTRE, b=_LUSTRE.replace("9000", "18000")),
    passing=_run(a=_LUSTRE, b=_LUSTRE),
)
def conflicting_file_system(context: PlanContext) -> Iterable[Hit]:
    for _, mounted in _mounted(context):
        first: dict[tuple[str, str], MountedFileSystem] = {}
        for item in mounted:
            other = first.setdefault((item.kind, item.handle), item)
            for key in type(item.plan).model_fields if other.plan != item.plan else ():
                one, two = getattr(other.plan, key), getattr(item.plan, key)
                if one != two:
                    where = f"volume {quoted(other.path[-2])} of workload {quoted(other.workload.name)}"
                    message = (
                        f"`{key}` of {item.facts.title} instance {quoted(item.plan.instance)} differs from {where}"
                    )
                    yield Hit((*item.path, key), message, fix=SetKeys.of({key: one}))


@rule(
    "TPU696",
    about=(f"{_KEYS}.lustre.filesystem",),
    title="Two Lustre instances whose file systems have the same name",
    why="the client of Lustre on a node tells file systems apart by their names, so one Pod cannot mount both",
    fix="Use an instance whose file system has another name.",
    references=["lustre-csi-troubleshooting"],
    failing=_run(a=_LUSTRE, b=_OTHER.format("scratch")),
    passing=_run(a=_LUSTRE, b=_OTHER.format("data")),
)
def same_file_system_name(context: PlanContext) -> Iterable[Hit]:
    for _, mounted in _mounted(context):
        first: dict[tuple[str, str], MountedFileSystem] = {}
        for item in mounted:
            if isinstance(item.plan, Lustre):
                other = first.setdefault((item.workload.name, item.plan.filesystem), item)
                if other.handle != item.handle:
                    message = (
                        f"the file systems of instances {quoted(other.plan.instance)} and {quoted(item.plan.instance)} "
                        f"have the same name"
                    )
                    yield Hit((*item.path, "filesystem"), message, fact=item.facts.for_item("handle"))


@rule(
    "TPU697",
    about=(
        f"{_KEYS}.filestore",
        f"{_KEYS}.lustre",
        f"{_KEYS}.lustre.ip",
        f"{_KEYS}.lustre.ip",
        f"{_KEYS}.parallelstore",
    ),
    title="Invalid file system",
    why="the driver finds an instance by its name and location, and mounts it from its IP addresses",
    fix="Use the values that `gcloud` shows for the instance.",
    source="Google Cloud: names and locations of instances",
    failing=_run(a=_LUSTRE.replace("ip: 10.1.0.2", "ip: scratch.example.com")),
    passing=_run(a=_LUSTRE),
)
def invalid_file_system(context: PlanContext) -> Iterable[Hit]:
    for _, mounted in _mounted(context):
        for item in mounted:
            yield from _forms(item.path, item.plan)


def _forms(path: Path, plan: Filestore | Lustre | Parallelstore) -> Iterator[Hit]:
    if not _NAME.match(plan.instance):
        form = "use lower-case letters, digits and hyphens, with a letter first"
        yield Hit.invalid((*path, "instance"), "instance name", plan.instance, form)
    zonal = not isinstance(plan, Filestore)
    if not is_location(plan.location) or (zonal and not is_zone(plan.location)):
        form = "use a zone" if zonal else "use a zone or a region"
        yield Hit.invalid((*path, "location"), "location", plan.location, form)
    if isinstance(plan, Parallelstore):
        addresses = [((*path, "access_points", index), text) for index, text in enumerate(plan.access_points)]
    else:
        addresses = [((*path, "ip"), plan.ip)]
    for place, text in addresses:
        if not _is_address(text):
            yield Hit.invalid(place, "IP address", text, "use an address such as 10.1.0.2")
    if isinstance(plan, Parallelstore):
        return
    key = "share" if isinstance(plan, Filestore) else "filesystem"
    name = getattr(plan, key)
    if not re.fullmatch(r"[A-Za-z0-9_-]+", name, re.ASCII):
        yield Hit.invalid((*path, key), "name", name, "use letters, digits, `_` and `-`")


def _is_address(text: str) -> bool:
    try:
        return bool(ipaddress.IPv4Address(text))
    except ValueError:
        return False
