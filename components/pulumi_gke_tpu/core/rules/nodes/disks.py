"""TPU50x: boot disks and their provisioned performance."""

import itertools
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.catalog.records.platform import FamilyDisks
from pulumi_gke_tpu.core.catalog.spelling import camel_case
from pulumi_gke_tpu.core.fleet import SliceGroup
from pulumi_gke_tpu.core.fleet.settings import node_settings
from pulumi_gke_tpu.core.plan.cpu_pools import CpuPoolSpec, SystemPool
from pulumi_gke_tpu.core.plan.slices import BootDisk
from pulumi_gke_tpu.core.rules.engine.context import PlanContext, compute_classes, configured_groups, cpu_pools
from pulumi_gke_tpu.core.rules.engine.rule import Hit, in_cluster, in_group, of_clusters, of_groups, rule, warning
from pulumi_gke_tpu.core.text.findings import Path, SetKeys, Severity, did_you_mean, quoted

_PERSISTENT = "pd-"


def _boot_disks(context: PlanContext) -> Iterator[tuple[SliceGroup, BootDisk, FamilyDisks]]:
    for _, group in configured_groups(context):
        if group.plan.boot_disk is not None:
            disks = context.catalog.disks.families.get(group.shape.family)
            if disks is not None:
                yield group, group.plan.boot_disk, disks


def _chosen_types(context: PlanContext) -> Iterator[tuple[SliceGroup, str, FamilyDisks]]:
    for group, disk, disks in _boot_disks(context):
        if disk.type is not None:
            yield group, disk.type, disks


def _is_confidential(group: SliceGroup) -> bool:
    """Whether ``extra`` enables Confidential Computing for the nodes."""
    return bool(_inside(_inside(group.plan.extra, "nodeConfig"), "confidentialNodes"))


def _inside(values: Any, name: str) -> Any:
    if not isinstance(values, Mapping):
        return None
    return next((value for key, value in values.items() if camel_case(str(key)) == name), None)


@rule(
    "TPU501",
    about=of_groups("boot_disk.type"),
    title="Boot disk type is not supported with the machine family",
    why="Compute Engine rejects a VM that has this machine family and this type of boot disk",
    fix="Use a disk type that the machine family supports. Or remove `type`: GKE then uses its default.",
    references=["autoscaler-machine-types", "pd-csi-labels", "gce-tpu-machines"],
    by_family=True,
    failing=in_group("boot_disk: {type: pd-ssd}"),
    edit=("type: pd-ssd", "type: hyperdisk-balanced"),
)
def unsupported_boot_disk_type(context: PlanContext) -> Iterable[Hit]:
    for group, kind, disks in _chosen_types(context):
        if kind in (*disks.boot, *disks.confidential_only):
            continue
        near = did_you_mean(kind, disks.boot) or disks.default_boot
        yield Hit.unsupported(
            (*group.path, "boot_disk", "type"),
            f"boot disk type {quoted(kind)}",
            f"{group.shape.family} machines",
            fact=disks.for_item("boot"),
            allowed=disks.boot,
            fix=SetKeys.of(type=near),
        )


@warning(
    "TPU502",
    about=of_groups("boot_disk.type"),
    needs=("clusters.*.slices.*.extra",),
    title="Disk type requires confidential nodes",
    why="with this machine family, the disk type works only on confidential nodes (Confidential Computing)",
    fix="Use another disk type.",
    references=["autoscaler-machine-types", "pd-csi-labels"],
    by_family=True,
    failing=in_group("boot_disk: {type: hyperdisk-balanced}", tpu="v5p", topology="2x2x1", zone="us-east5-a"),
    edit=("type: hyperdisk-balanced", "type: pd-balanced"),
)
def confidential_only_disk_type(context: PlanContext) -> Iterable[Hit]:
    for group, kind, disks in _chosen_types(context):
        if kind in disks.confidential_only and not _is_confidential(group):
            yield Hit(
                (*group.path, "boot_disk", "type"),
                f"boot disk type `{kind}` requires confidential nodes on {group.shape.family} machines",
                fact=disks,
                allowed=tuple(item for item in disks.boot if item not in disks.confidential_only),
                fix=SetKeys.of(type=disks.default_boot),
            )


@warning(
    "TPU503",
    about=of_groups("boot_disk.type"),
    title="Disk type may not be supported",
    why="one Google source lists the disk type for this machine family, but another Google source does not. Compute "
    "Engine may reject the disk",
    fix="Use a disk type that both sources list.",
    references=["autoscaler-machine-types", "pd-csi-labels"],
    by_family=True,
    failing=in_group("boot_disk: {type: pd-ssd}", tpu="v5p", topology="2x2x1", zone="us-east5-a"),
    edit=("type: pd-ssd", "type: pd-balanced"),
)
def disputed_disk_type(context: PlanContext) -> Iterable[Hit]:
    for group, kind, disks in _chosen_types(context):
        if kind in disks.doubtful and kind in disks.boot and kind not in disks.confidential_only:
            yield Hit(
                (*group.path, "boot_disk", "type"),
                f"sources disagree on whether {group.shape.family} machines support boot disk type `{kind}`",
                fact=disks,
                allowed=tuple(item for item in disks.boot if item not in (*disks.doubtful, *disks.confidential_only)),
                fix=SetKeys.of(type=disks.default_boot),
            )


@rule(
    "TPU504",
    about=(*of_clusters("cpu_pools.*.boot_disk.iops"), *of_groups("boot_disk.iops", "boot_disk.throughput_mbps")),
    otherwise={Severity.WARNING: "if the plan sets no disk type"},
    title="Performance settings are not supported with persistent disks",
    why="only Hyperdisk has settings for IOPS and throughput. On a persistent disk, the size determines both",
    fix="Remove `iops` and `throughput_mbps`, or use a Hyperdisk type.",
    references=["container-api-discovery"],
    note="boot-disk-performance",
    failing="""
tpu: v5p
topology: 2x2x1
zone: us-east5-a
boot_disk: {type: pd-balanced, iops: 5000}
""",
    passing=in_group("boot_disk: {type: hyperdisk-balanced, iops: 5000}", topology="2x2"),
)
def persistent_disk_performance(context: PlanContext) -> Iterable[Hit]:
    groups = (
        ((*group.path, "boot_disk"), disk, node_settings(group, context.catalog).boot_disk.type.value or "")
        for group, disk, _ in _boot_disks(context)
    )
    pools = (
        ((*path, "boot_disk"), pool.boot_disk, pool.boot_disk.type or "")
        for _, path, pool in cpu_pools(context)
        if isinstance(pool, CpuPoolSpec) and pool.boot_disk is not None
    )
    for path, disk, kind in itertools.chain(groups, pools):
        for key in ("iops", "throughput_mbps") if kind.startswith(_PERSISTENT) else ():
            if getattr(disk, key) is not None:
                default = "" if disk.type else ", the default of GKE"
                yield Hit.unsupported(
                    (*path, key),
                    f"`{key}`",
                    f"disk type {kind}{default}",
                    severity=None if disk.type else Severity.WARNING,
                )


@warning(
    "TPU505",
    about=of_clusters(
        "cpu_pools.*.boot_disk.type", "kubernetes.compute_classes.*.boot_disk_type", "system_pool.boot_disk_type"
    ),
    title="Unknown disk type of a node pool without TPUs",
    why="Compute Engine rejects a disk type that does not exist, and neither the provider nor a preview checks the "
    "type",
    fix="Use a disk type of Compute Engine.",
    references=["pd-csi-labels", "autoscaler-disks"],
    failing=in_cluster("system_pool: {boot_disk_type: pd-balnced}"),
    edit=("boot_disk_type: pd-balnced", "boot_disk_type: pd-balanced"),
)
def unknown_disk_type(context: PlanContext) -> Iterable[Hit]:
    known = _known_types(context.catalog)
    for path, kind, _ in _types_of_cpu_pools(context):
        if kind not in known:
            near = did_you_mean(kind, known)
            fix = SetKeys.of({str(path[-1]): near})
            yield Hit.unknown(path, "disk type", kind, allowed=tuple(known), fix=fix)


def _types_of_cpu_pools(context: PlanContext) -> Iterator[tuple[Path, str, str]]:
    """The boot disk types of pools without TPUs with their places, and the machine families of the pools."""
    for _, path, pool in cpu_pools(context):
        if isinstance(pool, SystemPool):
            steps: Path = ("boot_disk_type",)
            written = pool.boot_disk_type
        else:
            steps = ("boot_disk", "type")
            written = pool.boot_disk.type if pool.boot_disk else None
        if written is not None:
            yield (*path, *steps), written, pool.machine_type.partition("-")[0]
    for _, path, plan in compute_classes(context):
        if plan.boot_disk_type is not None:
            for family in plan.machine_families:
                yield (*path, "boot_disk_type"), plan.boot_disk_type, family


@rule(
    "TPU507",
    silent_in=dict.fromkeys(("gcloud", "pulumi"), "GKE reports pd-balanced where a program sets nothing"),
    about=of_clusters(
        "cpu_pools.*.boot_disk.type", "kubernetes.compute_classes.*.boot_disk_type", "system_pool.boot_disk_type"
    ),
    otherwise={Severity.WARNING: "if sources disagree on the disk type"},
    title="Boot disk type is not supported with the machine family of a node pool without TPUs",
    why="Compute Engine rejects a VM that has this machine family and this type of boot disk: newer families have only "
    "Hyperdisk, older ones only Persistent Disk",
    fix="Use a disk type that the machine family supports. Or remove the type: GKE then uses its default.",
    references=["autoscaler-machine-types", "pd-csi-labels"],
    failing=in_cluster("system_pool: {machine_type: c4-standard-4, boot_disk_type: pd-balanced}"),
    edit=("boot_disk_type: pd-balanced", "boot_disk_type: hyperdisk-balanced"),
)
def unsupported_boot_disk_of_cpu_pool(context: PlanContext) -> Iterable[Hit]:
    known = _known_types(context.catalog)
    for path, kind, family in _types_of_cpu_pools(context):
        disks = context.catalog.disks.cpu_families.get(family)
        if disks is None or kind in disks.boot or kind not in known:
            continue
        yield Hit.unsupported(
            path,
            f"boot disk type {quoted(kind)}",
            f"{family} machines",
            severity=Severity.WARNING if kind in disks.doubtful else None,
            fact=disks.for_item("boot"),
            allowed=disks.boot,
            fix=SetKeys.of({str(path[-1]): disks.default_boot}),
        )


def _known_types(catalog: Catalog) -> list[str]:
    families = catalog.disks.families.values()
    return sorted({kind for item in families for kind in (*item.boot, *item.attach, *item.confidential_only)})


@rule(
    "TPU506",
    about=of_clusters("cpu_pools.*.boot_disk.iops", "slices.*.boot_disk.iops"),
    title="IOPS or throughput of a boot disk outside the limits",
    why="Compute Engine rejects a disk with more or less than the limits of its type",
    fix="Use a number within the limits. Or remove the key: Compute Engine then uses its default.",
    references=["hyperdisk-balanced-page", "compute-class-api"],
    failing=in_group("boot_disk: {type: hyperdisk-balanced, iops: 1000000}"),
    edit=("iops: 1000000", "iops: 100000"),
)
def disk_performance_limit(context: PlanContext) -> Iterable[Hit]:
    for path, kind, disk in _disks(context):
        limits = context.catalog.disks.limits.get(kind)
        if limits is None:
            continue
        for key, number, (least, most) in (
            ("iops", disk.iops, limits.iops),
            ("throughput_mbps", disk.throughput_mbps, limits.throughput_mbps),
        ):
            if number is not None and not least <= number <= most:
                yield Hit.invalid(
                    (*path, key),
                    f"`{key}`",
                    number,
                    f"disk type {kind} limits it",
                    fact=limits.for_item(key),
                    allowed=(f"{least:,} to {most:,}",),
                    fix=SetKeys.of({key: min(max(number, least), most)}),
                )


def _disks(context: PlanContext) -> Iterator[tuple[Path, str, BootDisk]]:
    """Boot disks with their types; a ComputeClass has limits of its own, which another rule checks."""
    for _, group in configured_groups(context):
        disk, known = group.plan.boot_disk, group.shape.family in context.catalog.disks.families
        if disk is not None and known and not group.plan.fallback:
            kind = node_settings(group, context.catalog).boot_disk.type.value
            if kind is not None:
                yield (*group.path, "boot_disk"), kind, disk
    for _, path, pool in cpu_pools(context):
        if isinstance(pool, CpuPoolSpec) and pool.boot_disk is not None and pool.boot_disk.type is not None:
            yield (*path, "boot_disk"), pool.boot_disk.type, pool.boot_disk
