"""Carries out `gcloud container node-pools create` against nothing: the answer of the API that GKE gives afterwards.

It knows the flags that the commands in tests/data/fleets/commands.yaml have, and what GKE reports without them.
"""

import shlex
from collections.abc import Callable
from typing import Any

_AUTH = "https://www.googleapis.com/auth/"
_USUAL = (
    "devstorage.read_only",
    "logging.write",
    "monitoring",
    "service.management.readonly",
    "servicecontrol",
    "trace.append",
)
_SCOPES = {"gke-default": _USUAL, "storage-full": ("devstorage.full_control",), "cloud-platform": ("cloud-platform",)}
"""Words of gcloud -> the scopes that they stand for."""
_RESERVATION = "compute.googleapis.com/reservation-name"
_TAINT = {"key": "google.com/tpu", "value": "present", "effect": "NO_SCHEDULE"}

Pool = dict[str, Any]


def _set(*path: str, of: Callable[[str], Any] = str) -> Callable[[Pool, str], None]:
    def flag(pool: Pool, value: str) -> None:
        target = pool
        for step in path[:-1]:
            target = target.setdefault(step, {})
        target[path[-1]] = of(value)

    return flag


def _scopes(pool: Pool, value: str) -> None:
    words = value.split(",")
    found = [scope for word in words for scope in _SCOPES.get(word, (word.removeprefix(_AUTH),))]
    pool["config"]["oauthScopes"] = [f"{_AUTH}{scope}" for scope in dict.fromkeys(found)]


def _reservation(pool: Pool, value: str) -> None:
    affinity = {"consumeReservationType": "SPECIFIC_RESERVATION", "key": _RESERVATION, "values": [value]}
    pool["config"]["reservationAffinity"] = affinity


def _affinity(pool: Pool, value: str) -> None:
    if value == "none":
        pool["config"]["reservationAffinity"] = {"consumeReservationType": "NO_RESERVATION"}


def _labels(pool: Pool, value: str) -> None:
    pool["config"]["labels"] = dict(item.split("=") for item in value.split(","))


def _ignored(pool: Pool, value: str) -> None:
    del pool, value


_FLAGS: dict[str, Callable[[Pool, str], None]] = {
    "--node-locations": _set("locations", of=lambda value: value.split(",")),
    "--machine-type": _set("config", "machineType"),
    "--host-maintenance-interval": _set("config", "hostMaintenancePolicy", "maintenanceInterval"),
    "--reservation": _reservation,
    "--reservation-affinity": _affinity,
    "--spot": _set("config", "spot", of=lambda _: True),
    "--flex-start": _set("config", "flexStart", of=lambda _: True),
    "--max-run-duration": _set("config", "maxRunDuration"),
    "--enable-queued-provisioning": _set("queuedProvisioning", "enabled", of=lambda _: True),
    "--enable-gvnic": _set("config", "gvnic", "enabled", of=lambda _: True),
    "--node-version": _ignored,
    "--num-nodes": _set("initialNodeCount", of=int),
    "--scopes": _scopes,
    "--max-pods-per-node": _set("maxPodsConstraint", "maxPodsPerNode"),
    "--placement-type": _set("placementPolicy", "type"),
    "--tpu-topology": _set("placementPolicy", "tpuTopology"),
    "--placement-policy": _set("placementPolicy", "policyName"),
    "--enable-autoscaling": _set("autoscaling", "enabled", of=lambda _: True),
    "--min-nodes": _set("autoscaling", "minNodeCount", of=int),
    "--max-nodes": _set("autoscaling", "maxNodeCount", of=int),
    "--total-min-nodes": _set("autoscaling", "totalMinNodeCount", of=int),
    "--total-max-nodes": _set("autoscaling", "totalMaxNodeCount", of=int),
    "--location-policy": _set("autoscaling", "locationPolicy"),
    "--disk-size": _set("config", "diskSizeGb", of=int),
    "--disk-type": _set("config", "diskType"),
    "--service-account": _set("config", "serviceAccount"),
    "--tags": _set("config", "tags", of=lambda value: value.split(",")),
    "--node-labels": _labels,
    "--max-surge-upgrade": _set("upgradeSettings", "maxSurge", of=int),
    "--max-unavailable-upgrade": _set("upgradeSettings", "maxUnavailable", of=int),
    "--no-enable-autorepair": _set("management", "autoRepair", of=lambda _: False),
    "--no-enable-autoupgrade": _set("management", "autoUpgrade", of=lambda _: False),
    "--shielded-secure-boot": _set("config", "shieldedInstanceConfig", "enableSecureBoot", of=lambda _: True),
    "--workload-metadata": _set("config", "workloadMetadataConfig", "mode"),
    "--image-type": _set("config", "imageType"),
}
_WITHOUT_VALUE = ("--spot", "--flex-start", "--enable", "--no-enable", "--shielded")


def cluster_of(facts: dict[str, Any]) -> dict[str, Any]:
    """The answer of `gcloud container clusters describe` for a cluster after some commands."""
    place = f"projects/{facts['project']}/locations/{facts['location']}/clusters/{facts['cluster']}"
    return {
        "name": facts["cluster"],
        "selfLink": f"https://container.googleapis.com/v1/{place}",
        "location": facts["location"],
        "currentMasterVersion": "1.34.4-gke.1047000",
        "releaseChannel": {"channel": facts.get("channel", "RAPID")},
        "nodePools": [_pool_of(command, place, facts.get("reported", {})) for command in facts["commands"]],
    }


def _pool_of(command: str, place: str, reported: dict[str, Any]) -> Pool:
    name, *words = shlex.split(command)
    pool: Pool = {
        "name": name,
        "selfLink": f"https://container.googleapis.com/v1/{place}/nodePools/{name}",
        "status": "RUNNING",
        "config": {
            "imageType": "COS_CONTAINERD",
            "metadata": {"disable-legacy-endpoints": "true"},
            "oauthScopes": [f"{_AUTH}{scope}" for scope in _USUAL],
            "serviceAccount": "default",
            "shieldedInstanceConfig": {"enableIntegrityMonitoring": True},
            "taints": [_TAINT],
        },
        "management": {"autoRepair": True, "autoUpgrade": True},
        "maxPodsConstraint": {"maxPodsPerNode": "110"},
        "upgradeSettings": {"maxSurge": 1, "strategy": "SURGE"},
    }
    words.reverse()
    while words:
        flag, given, value = words.pop().partition("=")
        if not given and not flag.startswith(_WITHOUT_VALUE):
            value = words.pop()
        _FLAGS[flag](pool, value)
    scaling = pool.get("autoscaling")
    if scaling is not None:
        scaling.setdefault("locationPolicy", "BALANCED")
    for path, found in reported.get(name, {}).items():
        _set(*path.split("."), of=lambda _, found=found: found)(pool, "")
    return pool
