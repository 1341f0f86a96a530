"""Cluster add-ons: the plan's words as properties of ``addons_config``."""

from typing import Any

from pulumi_gke_tpu.catalog import Catalog
from pulumi_gke_tpu.fleet import Cluster

_PROPERTIES = {
    "agent_sandbox": "agent_sandbox_config",
    "dns_cache": "dns_cache_config",
    "filestore": "gcp_filestore_csi_driver_config",
    "gcs_fuse": "gcs_fuse_csi_driver_config",
    "gke_backup": "gke_backup_agent_config",
    "high_scale_checkpointing": "high_scale_checkpointing_config",
    "lustre": "lustre_csi_driver_config",
    "node_readiness": "node_readiness_config",
    "parallelstore": "parallelstore_csi_driver_config",
    "pod_snapshot": "pod_snapshot_config",
    "ray_operator": "ray_operator_configs",
    "slice_controller": "slice_controller_config",
    "stateful_ha": "stateful_ha_config",
}
_ALWAYS_SENT = ("gcs_fuse", "filestore", "parallelstore", "lustre", "ray_operator", "gke_backup")
"""Sent on Standard also when off: leaving an add-on out later would change nothing, it has to be turned off.

The others are sent only when on, since no source says that every cluster takes an explicit no for them; docs/stacks.md
tells how to turn them off.
"""


def addons_config(cluster: Cluster, catalog: Catalog) -> dict[str, Any] | None:
    """The block for the chosen add-ons, or None where there is nothing to say."""
    chosen = {word for word in cluster.plan.addons if word in _PROPERTIES}
    addons = catalog.platform.addons
    chosen -= {word for word in chosen if cluster.mode in addons[word].always_on}
    sent = chosen | set(_ALWAYS_SENT) if cluster.mode == "standard" else chosen
    config: dict[str, Any] = {}
    for word in sorted(sent):
        switch = {"enabled": word in chosen}
        config[_PROPERTIES[word]] = [switch] if word == "ray_operator" else switch
    return config or None
