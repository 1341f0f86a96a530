"""Checks of volumes of a plan's workloads, TPU325, TPU716 and TPU717, and of claims of chips, TPU328 and TPU329."""

from collections.abc import Iterable, Iterator

from pulumi_gke_tpu.core.fleet.operators import operators_of
from pulumi_gke_tpu.core.fleet.scheduling import claims_chips
from pulumi_gke_tpu.core.fleet.workloads import Workload, is_queued
from pulumi_gke_tpu.core.kinds import head_has_volumes
from pulumi_gke_tpu.core.plan.volumes import Volume
from pulumi_gke_tpu.core.rules.engine.context import PlanContext
from pulumi_gke_tpu.core.rules.engine.rule import Hit, in_cluster, of_groups, of_workloads, rule, warning
from pulumi_gke_tpu.core.text.findings import Path, SetKeys, did_you_mean, listed, number, quoted
from pulumi_gke_tpu.features.workloads.rules.walk import workloads

_SOURCES = ("disk", "claim", "empty_dir", "bucket", "filestore", "lustre", "parallelstore", "checkpoints", "host_path")

_CLUSTER = "mode: standard\nlocation: us-east5\nslices:\n  pretrain: {tpu: v6e, topology: 4x4, zone: us-east5-b}\n"
_ZONES = in_cluster("""
slices: {serve: {tpu: v6e, topology: 2x2, zones: [ZONES], count: 4}}
kubernetes:
  workloads:
    chat:
      slices: serve
      kind: deployment
      count: 4
      image: vllm
      volumes: {data: {mount: /data, disk: {type: hyperdisk-ml, size_gib: 100, access: read_only_many}}}
""")


def _volume(keys: str) -> str:
    run = f"{{slices: pretrain, image: train, volumes: {{data: {{{keys}}}}}}}"
    return f"{_CLUSTER}kubernetes: {{workloads: {{run: {run}}}}}"


def _volumes(context: PlanContext) -> Iterator[tuple[Workload, Path, Volume]]:
    for workload in workloads(context):
        for name, volume in workload.plan.volumes.items():
            yield workload, (*workload.path, "volumes", name), volume


@rule(
    "TPU716",
    about=tuple(f"clusters.*.kubernetes.workloads.*.volumes.*.{name}" for name in (*_SOURCES, "mount", "read_only")),
    title="Invalid volume",
    why="each volume has one source, and each is mounted at its own absolute path",
    fix="Set exactly one source, such as `bucket`, `disk` or `claim`, and a mount path that begins with `/`.",
    references=["kubernetes-api-server"],
    source="Kubernetes: volumes of a Pod",
    failing=_volume("mount: /data"),
    passing=_volume("mount: /data, empty_dir: true"),
)
def invalid_volume(context: PlanContext) -> Iterable[Hit]:
    mounted: dict[tuple[Path, str], str] = {}
    for workload, path, volume in _volumes(context):
        sources = [name for name in _SOURCES if getattr(volume, name) not in (None, False)]
        if not sources:
            yield Hit.missing(
                path, "source of the volume", "set exactly one", allowed=_SOURCES, fix=SetKeys.of(empty_dir=True)
            )
        elif len(sources) > 1:
            one, other = sources[:2]
            yield Hit.conflict(path, f"`{one}`", f"`{other}`", "a volume has one source")
        if volume.empty_dir and volume.read_only:
            yield Hit.conflict((*path, "read_only"), "`read_only`", "`empty_dir`", "the folder would stay empty")
        for key in ("mount", "host_path"):
            where = getattr(volume, key)
            if where is not None and (not where.startswith("/") or ":" in where or ".." in where.split("/")):
                fix = SetKeys.of({key: f"/{where}"}) if ":" not in where and not where.startswith(("/", ".")) else None
                form = "use an absolute path without `:` and `..`"
                yield Hit.invalid((*path, key), "mount path" if key == "mount" else "host path", where, form, fix=fix)
        first = mounted.setdefault((workload.path, volume.mount.rstrip("/")), str(path[-1]))
        if first != path[-1]:
            yield Hit.duplicate((*path, "mount"), "mount path", volume.mount, f"volume {quoted(first)} has it")


@rule(
    "TPU717",
    about=of_workloads("head", "volumes.*.disk.access", "volumes.*.disk.type"),
    title="Disk is not supported on these TPU hosts",
    why="a machine family attaches only some types of disks, and only some types can be attached to several nodes; a "
    "head is on a node of its own. Otherwise the Pods wait for their volume",
    fix="Use a disk type that the message allows. On many nodes, use hyperdisk-ml with `access: read_only_many`, "
    "written once before.",
    references=["autoscaler-machine-types", "pd-csi-labels", "gke-hyperdisk"],
    failing=_volume("mount: /data, disk: {type: pd-balanced, size_gib: 100, access: read_only_many}"),
    passing=_volume("mount: /data, disk: {type: hyperdisk-ml, size_gib: 100, access: read_only_many}"),
)
def unsupported_disk(context: PlanContext) -> Iterable[Hit]:
    shared = context.catalog.kubernetes.storage.shared
    for workload, path, volume in _volumes(context):
        disk, group = volume.disk, workload.group
        disks = context.catalog.disks.families.get(group.shape.family)
        if disk is None or disks is None:
            continue
        place = (*path, "disk")
        fitting = tuple(kind for kind in disks.attach if disk.access != "read_only_many" or kind in shared.types)
        if disk.type not in disks.attach:
            near = did_you_mean(disk.type, fitting) or (fitting[0] if fitting else "")
            yield Hit.unsupported(
                (*place, "type"),
                f"disk type {quoted(disk.type)}",
                f"{group.shape.family} machines",
                fact=disks.for_item("attach"),
                allowed=fitting,
                fix=SetKeys.of(type=near),
            )
        elif disk.type in disks.doubtful:
            yield Hit.unsupported(
                (*place, "type"),
                f"disk type {quoted(disk.type)}",
                f"{group.shape.family} machines, according to some sources",
                fact=disks.for_item(disk.type),
                allowed=tuple(kind for kind in fitting if kind not in disks.doubtful),
            )
        elif disk.access == "read_only_many" and disk.type not in shared.types:
            yield Hit.unsupported(
                (*place, "access"),
                "`access: read_only_many`",
                f"disk type {quoted(disk.type)}",
                fact=shared.for_item("types"),
                allowed=tuple(f"type: {kind}" for kind in fitting),
            )
        elif disk.access == "read_write_once" and workload.hosts + head_has_volumes(workload) > 1:
            pods = number(workload.hosts, "Pod") + (" and the head" if head_has_volumes(workload) else "")
            yield Hit(
                (*place, "access"),
                f"{pods} cannot share a disk that one node reads and writes",
                fact=shared,
                allowed=tuple(f"type: {kind} with access: read_only_many" for kind in fitting if kind in shared.types),
            )


@rule(
    "TPU325",
    about=(*of_workloads("volumes.*.disk"), *of_groups("zones")),
    title="Disk in one zone, Pods in several",
    why="a disk attaches only to nodes of its zone, which is that of the first Pod that uses it. Pods that only fit on "
    "nodes of other zones stay Pending",
    fix="Use a slice group with one zone, or a group for each zone, each with a workload of its own. A `claim` of "
    "storage that every zone reaches, such as Filestore, works too.",
    references=["gke-hyperdisk", "gke-volume-populator"],
    failing=_ZONES.replace("ZONES", "us-east5-a, us-east5-b"),
    passing=_ZONES.replace("ZONES", "us-east5-b"),
)
def disk_in_one_of_several_zones(context: PlanContext) -> Iterable[Hit]:
    """The autoscaler adds nodes in the zone of the disk, so the number of nodes in a zone is only fixed without it."""
    fact = context.catalog.kubernetes.storage.classes
    for workload, path, volume in _volumes(context):
        group = workload.group
        zones = group.zones
        if volume.disk is None or len(zones) < 2 or group.autoscaled or not group.pools:  # noqa: PLR2004
            continue
        in_one = group.slices.maximum // len(zones)
        if workload.hosts > in_one:
            yield Hit(
                (*path, "disk"),
                f"the disk is in one zone, where {quoted(group.key)} has {number(in_one, 'host')}, but the workload "
                f"has {number(workload.hosts, 'Pod')} in {listed(zones)}",
                fact=fact,
            )


_WITH_DRIVER = in_cluster("""
min_version: "1.35"
slices:
  serve: {tpu: v6e, topology: TOPOLOGY, zone: us-east5-b, driver_mode: dynamic_resource_allocation}
kubernetes:
""")
_SINGLE, _MULTI = (_WITH_DRIVER.replace("TOPOLOGY", topology) for topology in ("2x2", "4x4"))
_QUEUED = "  queues: {team: {}}\n  workloads: {run: {slices: serve, image: train, queue: team}}\n"
_RUN = "  workloads: {run: {slices: serve, image: train}}\n"


def _claiming(context: PlanContext) -> Iterator[Workload]:
    """The workloads whose Pods claim their chips."""
    return (item for item in workloads(context) if claims_chips(item.group, context.catalog))


@warning(
    "TPU328",
    about=(*of_workloads("queue"), *of_groups("driver_mode")),
    title="Kueue counts claimed chips only with a mapping",
    why="with dynamic resource allocation, Pods claim devices and do not request google.com/tpu. Kueue counts claims "
    "from 0.18 on, if its Configuration maps their device class to a resource. Without the mapping it admits no such "
    "workload; 0.17 admits them without counting the chips. Queued capacity is requested for google.com/tpu only",
    fix="Add `resources: {deviceClassMappings: [{name: google.com/tpu, deviceClassNames: [tpu.google.com]}]}` to the "
    "Configuration of Kueue, and accept this warning; `operators: {kueue: {}}` writes it. Or use `driver_mode: "
    "device_plugin`.",
    references=["kueue-dra", "dra-tpu-tutorial"],
    failing=f"{_SINGLE}{_QUEUED}",
    passing=f"{_SINGLE}{_RUN}",
)
def queue_counts_claims(context: PlanContext) -> Iterable[Hit]:
    facts = context.catalog.kubernetes.kueue.claims
    for workload in _claiming(context):
        if not is_queued(workload, context.catalog):
            continue
        operators = operators_of(workload.cluster)
        if workload.group.plan.capacity.is_queued:
            message = f"Kueue does not request the queued capacity of {quoted(workload.group.key)} for Pods with claims"
        elif operators is not None and operators.kueue is not None:
            continue
        else:
            message = (
                f"Kueue counts the chips of {quoted(workload.name)} only with `{facts.mapping}` in its Configuration"
            )
        path = (*workload.path, "queue") if workload.plan.queue is not None else workload.path
        yield Hit(path, message, fact=facts)


@warning(
    "TPU329",
    about=(*of_workloads("kind", "slices"), *of_groups("driver_mode")),
    title="Resource claims on a multi-host slice are not documented",
    why="Google's tutorial claims the chips of single hosts. GKE numbers the hosts of a slice for Pods that request "
    "google.com/tpu. No source states this for Pods with claims",
    fix="Use single-host slices, or `driver_mode: device_plugin`. Otherwise try the workload before you depend on it.",
    references=["dra-tpu-tutorial", "about-tpus"],
    failing=f"{_MULTI}{_RUN}",
    passing=f"{_SINGLE}{_RUN}",
)
def claims_on_several_hosts(context: PlanContext) -> Iterable[Hit]:
    fact = context.catalog.kubernetes.pods.resource_claims
    for workload in _claiming(context):
        shape = workload.group.shape
        if shape.multi_host:
            message = (
                f"the slices of {quoted(workload.group.key)} have {number(shape.hosts, 'host')}, whose Pods claim chips"
            )
            yield Hit((*workload.path, "slices"), message, fact=fact)
