"""TPU506: provisioned performance of boot disks."""

from collections.abc import Iterable, Iterator

from pulumi_gke_tpu.core.fleet.settings import node_settings
from pulumi_gke_tpu.core.plan.cpu_pools import CpuPoolSpec
from pulumi_gke_tpu.core.plan.slices import BootDisk
from pulumi_gke_tpu.core.rules.engine.context import PlanContext, configured_groups, cpu_pools
from pulumi_gke_tpu.core.rules.engine.rule import Hit, rule
from pulumi_gke_tpu.core.text.findings import Path, SetKeys


@rule(
    "TPU506",
    "disk-performance-limit",
    about=("clusters.*.cpu_pools.*.boot_disk.iops", "clusters.*.slices.*.boot_disk.iops"),
    title="IOPS or throughput of a boot disk outside the limits",
    why="Compute Engine rejects a disk with more or less than the limits of its type",
    fix="Use a number within the limits. Or remove the key: Compute Engine then uses its default.",
    references=["hyperdisk-balanced-page", "compute-class-api"],
    basis="catalog",
    on_pools=("boot_disk",),
    failing="""
tpu: v6e
topology: 4x4
boot_disk: {type: hyperdisk-balanced, iops: 1000000}
""",
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
        known = group.shape.family in context.catalog.disks.families
        kind = node_settings(group, context.catalog).boot_disk.type.value if known else None
        if group.plan.boot_disk is not None and kind is not None and not group.plan.fallback:
            yield (*group.path, "boot_disk"), kind, group.plan.boot_disk
    for _, path, pool in cpu_pools(context):
        if isinstance(pool, CpuPoolSpec) and pool.boot_disk is not None and pool.boot_disk.type is not None:
            yield (*path, "boot_disk"), pool.boot_disk.type, pool.boot_disk
