"""The effective settings of clusters and nodes, each value derived once with its origin and its reason."""

from pulumi_gke_tpu.core.fleet.settings.clusters import (
    ClusterSettings,
    SecuritySettings,
    cluster_settings,
    security_settings,
)
from pulumi_gke_tpu.core.fleet.settings.derived import FROM_PLAN, Derived, Origin
from pulumi_gke_tpu.core.fleet.settings.lifetime import node_lifetime, run_slices, surely_ends
from pulumi_gke_tpu.core.fleet.settings.nodes import BootDiskSettings, NodeSettings, boot_disk, node_settings
from pulumi_gke_tpu.core.fleet.settings.system_pool import SystemPoolSettings, keys_of_system_pool, system_pool
from pulumi_gke_tpu.core.fleet.settings.upgrades import UpgradeSettings, is_short_lived, upgrade_settings

__all__ = [
    "FROM_PLAN",
    "BootDiskSettings",
    "ClusterSettings",
    "Derived",
    "NodeSettings",
    "Origin",
    "SecuritySettings",
    "SystemPoolSettings",
    "UpgradeSettings",
    "boot_disk",
    "cluster_settings",
    "is_short_lived",
    "keys_of_system_pool",
    "node_lifetime",
    "node_settings",
    "run_slices",
    "security_settings",
    "surely_ends",
    "system_pool",
    "upgrade_settings",
]
