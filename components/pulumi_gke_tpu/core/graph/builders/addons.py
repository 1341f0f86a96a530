"""Cluster add-ons: the plan's names as properties of ``addonsConfig``."""

from typing import Any

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.fleet import Cluster

_PROPERTIES = {
    "agent_sandbox": "agentSandboxConfig",
    "dns_cache": "dnsCacheConfig",
    "filestore": "gcpFilestoreCsiDriverConfig",
    "gcs_fuse": "gcsFuseCsiDriverConfig",
    "gke_backup": "gkeBackupAgentConfig",
    "high_scale_checkpointing": "highScaleCheckpointingConfig",
    "lustre": "lustreCsiDriverConfig",
    "node_readiness": "nodeReadinessConfig",
    "parallelstore": "parallelstoreCsiDriverConfig",
    "pod_snapshot": "podSnapshotConfig",
    "ray_operator": "rayOperatorConfigs",
    "slice_controller": "sliceControllerConfig",
    "stateful_ha": "statefulHaConfig",
}
_ALWAYS_SENT = ("gcs_fuse", "filestore", "parallelstore", "lustre", "ray_operator", "gke_backup")
"""Sent on Standard also when off: leaving an add-on out later would change nothing, it has to be turned off.

The others are sent only when on, because no source confirms that every cluster accepts an explicit `false` for them;
docs/stacks.md shows how to turn them off.
"""


def addons_config(cluster: Cluster, catalog: Catalog) -> dict[str, Any] | None:
    """The block for the chosen add-ons, or None if there is nothing to send."""
    chosen = {word for word in cluster.plan.addons if word in _PROPERTIES}
    addons = catalog.platform.addons
    chosen -= {word for word in chosen if cluster.mode in addons[word].always_on}
    sent = chosen | set(_ALWAYS_SENT) if cluster.mode == "standard" else chosen
    config: dict[str, Any] = {}
    for word in sorted(sent):
        switch = {"enabled": word in chosen}
        config[_PROPERTIES[word]] = [switch] if word == "ray_operator" else switch
    return config or None
