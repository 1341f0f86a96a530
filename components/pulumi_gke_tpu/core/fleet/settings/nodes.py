"""The nodes of a slice group or a CPU pool: boot disk and Pods."""

from typing import Literal

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.fleet.model import SliceGroup
from pulumi_gke_tpu.core.fleet.settings.derived import Derived, written_or
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.plan.slices import BootDisk

_NOT_IN_PLAN = "not in the plan"
_UNKNOWN: Derived[None] = Derived(None, "fact", _NOT_IN_PLAN)


@frozen
class BootDiskSettings:
    """The boot disk of each node."""

    type: Derived[str | None]
    """None if it is unknown, as ``size_gib``."""
    size_gib: Derived[int | None]
    iops: Derived[int | None]
    """None: that of the disk type, as ``throughput_mbps``."""
    throughput_mbps: Derived[int | None]

    @property
    def any_sent(self) -> bool:
        """Whether the plan decides anything about the disk."""
        return any(item.sent is not None for item in (self.type, self.size_gib, self.iops, self.throughput_mbps))

    @property
    def performance(self) -> tuple[str, ...]:
        """What the plan sets in addition to type and size: ``5,000 IOPS``, ``300 MiB/s``."""
        shown = ((self.iops.sent, "IOPS"), (self.throughput_mbps.sent, "MiB/s"))
        return tuple(f"{number:,} {unit}" for number, unit in shown if number is not None)


@frozen
class NodeSettings:
    """The settings of the hosts of a slice group."""

    boot_disk: BootDiskSettings
    max_pods_per_node: Derived[int]


def node_settings(
    group: SliceGroup, catalog: Catalog, mode: Literal["standard", "autopilot"] = "standard"
) -> NodeSettings:
    """The effective settings of a group in a cluster of this mode."""
    disks = catalog.disks
    family, sizes = disks.families.get(group.shape.family), disks.defaults
    return NodeSettings(
        boot_disk=boot_disk(
            group.plan.boot_disk,
            usual_type=family.default_boot if family else None,
            usual_size=sizes.standard_gib if mode == "standard" else sizes.autopilot_gib,
        ),
        max_pods_per_node=written_or(
            group.plan.max_pods_per_node,
            Derived(catalog.platform.nodes.default_pods_per_node, "fact", _NOT_IN_PLAN),
        ),
    )


def boot_disk(
    written: BootDisk | None, *, usual_type: str | None = None, usual_size: int | None = None
) -> BootDiskSettings:
    """The boot disk of nodes for which GKE usually chooses this type and size."""
    keys = written or BootDisk()
    return BootDiskSettings(
        type=written_or(keys.type, Derived(usual_type, "fact", _NOT_IN_PLAN)),
        size_gib=written_or(keys.size_gib, Derived(usual_size, "fact", _NOT_IN_PLAN)),
        iops=written_or(keys.iops, _UNKNOWN),
        throughput_mbps=written_or(keys.throughput_mbps, _UNKNOWN),
    )
