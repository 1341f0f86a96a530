"""The effective settings of clusters and nodes, each value derived once with its origin and its reason."""

from pulumi_gke_tpu.fleet.settings.derived import FROM_PLAN, Derived, Origin
from pulumi_gke_tpu.fleet.settings.upgrades import UpgradeSettings, is_short_lived, upgrade_settings

__all__ = ["FROM_PLAN", "Derived", "Origin", "UpgradeSettings", "is_short_lived", "upgrade_settings"]
