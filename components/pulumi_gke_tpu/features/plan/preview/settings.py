"""The settings of clusters and slice groups that differ from the default, one short text each."""

from collections.abc import Iterator
from dataclasses import field

from pulumi_gke_tpu.core.fleet import Cluster, SliceGroup
from pulumi_gke_tpu.core.fleet.settings import BootDiskSettings, boot_disk
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.plan.slices import Taint
from pulumi_gke_tpu.core.text.findings import listed, printable

_LIFTED = "protection lifted by an acknowledge entry"


@frozen
class ItemSettings:
    """Settings of a cluster or a slice group that differ from the default."""

    protection_lifted: bool = False
    """An acknowledgement lifts the protection that the plan gives to the item."""
    former_keys: tuple[str, ...] = ()
    """The keys of the item before its renames."""
    private_nodes: bool | None = None
    node_labels: dict[str, str] = field(default_factory=dict)
    taints: tuple[str, ...] = ()
    """In the form key=value:EFFECT."""
    boot_disk: str = ""
    """Type, size, IOPS and throughput, as far as the plan sets them."""
    additional_networks: tuple[str, ...] = ()


def settings_of_cluster(cluster: Cluster) -> ItemSettings:
    """The settings of a cluster."""
    return ItemSettings(
        protection_lifted=is_lifted(cluster),
        former_keys=cluster.former_keys,
        private_nodes=cluster.plan.private_nodes,
        additional_networks=tuple(str(network.path[-1]) for network in cluster.additional_networks),
    )


def settings_of_group(group: SliceGroup) -> ItemSettings:
    """The settings of a slice group."""
    plan = group.plan
    return ItemSettings(
        protection_lifted=is_lifted(group),
        former_keys=group.former_keys,
        node_labels={key: str(value) for key, value in plan.node_labels.items()},
        taints=tuple(map(_taint, plan.taints)),
        boot_disk=_disk(boot_disk(plan.boot_disk)),
        additional_networks=tuple(str(network.name or network.network) for network in plan.additional_networks),
    )


def settings_texts(settings: ItemSettings) -> list[str]:
    """One short text for each setting."""
    return list(_texts(settings))


def _texts(settings: ItemSettings) -> Iterator[str]:
    if settings.protection_lifted:
        yield _LIFTED
    if settings.former_keys:
        yield f"moved from {listed([*map(printable, settings.former_keys)])}"
    if settings.private_nodes is not None:
        yield "private nodes" if settings.private_nodes else "nodes with external IP addresses"
    for name, values in (
        ("labels", [f"{key}={value}" for key, value in settings.node_labels.items()]),
        ("taints", settings.taints),
        ("boot disk", [settings.boot_disk] if settings.boot_disk else []),
        ("additional networks", settings.additional_networks),
    ):
        if values:
            yield f"{name} {listed([*map(printable, values)], '')}"


def is_lifted(item: Cluster | SliceGroup) -> bool:
    """Whether an acknowledgement lifts the protection that the plan gives to an item."""
    if isinstance(item, Cluster):
        return item.plan.deletion_protection and not item.deletion_protection and not item.existing
    return item.protect is False and item.plan.protect is not False and bool(item.pools)


def _taint(taint: Taint) -> str:
    return f"{taint.key}{f'={taint.value}' if taint.value else ''}:{taint.written_effect}"


def _disk(disk: BootDiskSettings) -> str:
    size = f"{disk.size_gib.sent} GiB" if disk.size_gib.sent else ""
    return ", ".join(part for part in (disk.type.sent or "", size, *disk.performance) if part)
