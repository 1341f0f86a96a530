"""Carries out `gcloud container clusters create` and `node-pools create` against nothing: what GKE reports afterwards.

It knows the flags that the commands in tests/data/fleets/commands.yaml have, and what GKE reports without them.
"""

import shlex
from collections.abc import Callable, Iterator
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


def _accelerators(cluster: Pool, value: str) -> None:
    facts = dict(item.split("=") for item in value.split(","))
    _limit(facts["type"])(cluster, facts["count"])


def _limit(name: str) -> Callable[[Pool, str], None]:
    def add(cluster: Pool, value: str) -> None:
        limits = cluster["autoscaling"].setdefault("resourceLimits", [])
        limits.append({"resourceType": name, "maximum": value})

    return add


def _addons(cluster: Pool, value: str) -> None:
    cluster["addonsConfig"] |= {_ADDONS[name]: {"enabled": True} for name in value.split(",")}


def _network(cluster: Pool, value: str) -> None:
    cluster["network"] = value.rpartition("/")[2]
    place = value if "/" in value else f"projects/{cluster['selfLink'].split('/')[5]}/global/networks/{value}"
    cluster["networkConfig"]["network"] = place


def _subnetwork(cluster: Pool, value: str) -> None:
    cluster["subnetwork"] = value.rpartition("/")[2]
    _, _, _, _, _, project, _, location, *_ = cluster["selfLink"].split("/")
    short = f"projects/{project}/regions/{location}/subnetworks/{value}"
    cluster["networkConfig"]["subnetwork"] = value if "/" in value else short


def _cluster_labels(cluster: Pool, value: str) -> None:
    cluster["resourceLabels"] = dict(item.split("=") for item in value.split(","))


_ADDONS = {"GcsFuseCsiDriver": "gcsFuseCsiDriverConfig", "GcpFilestoreCsiDriver": "gcpFilestoreCsiDriverConfig"}
_WINDOW = ("maintenancePolicy", "window")
_RECURRING = (*_WINDOW, "recurringWindow")
_OF_CLUSTER: dict[str, Callable[[Pool, str], None]] = {
    "--addons": _addons,
    "--autoscaling-profile": _set(
        "autoscaling", "autoscalingProfile", of=lambda value: value.upper().replace("-", "_")
    ),
    "--cluster-dns": _set("networkConfig", "dnsConfig", "clusterDns", of=lambda value: f"{value.upper()}_DNS"),
    "--description": _set("description"),
    "--enable-autoprovisioning": _set("autoscaling", "enableNodeAutoprovisioning", of=lambda _: True),
    "--enable-dataplane-v2": _set("networkConfig", "datapathProvider", of=lambda _: "ADVANCED_DATAPATH"),
    "--enable-fqdn-network-policy": _set("networkConfig", "enableFqdnNetworkPolicy", of=lambda _: True),
    "--enable-intra-node-visibility": _set("networkConfig", "enableIntraNodeVisibility", of=lambda _: True),
    "--enable-ip-alias": _set("ipAllocationPolicy", "useIpAliases", of=lambda _: True),
    "--enable-multi-networking": _set("networkConfig", "enableMultiNetworking", of=lambda _: True),
    "--enable-private-nodes": _set("privateClusterConfig", "enablePrivateNodes", of=lambda _: True),
    "--fleet-project": _set("fleet", "project"),
    "--labels": _cluster_labels,
    "--maintenance-window": _set(*_WINDOW, "dailyMaintenanceWindow", "startTime"),
    "--maintenance-window-end": _set(*_RECURRING, "window", "endTime"),
    "--maintenance-window-recurrence": _set(*_RECURRING, "recurrence"),
    "--maintenance-window-start": _set(*_RECURRING, "window", "startTime"),
    "--master-ipv4-cidr": _set("privateClusterConfig", "masterIpv4CidrBlock"),
    "--max-accelerator": _accelerators,
    "--max-cpu": _limit("cpu"),
    "--max-memory": _limit("memory"),
    "--network": _network,
    "--no-enable-shielded-nodes": lambda cluster, _: cluster.update(shieldedNodes={}),
    "--release-channel": _set("releaseChannel", "channel", of=str.upper),
    "--subnetwork": _subnetwork,
    "--workload-pool": _set("workloadIdentityConfig", "workloadPool"),
}
"""Flags of `gcloud container clusters create`; the others are those of its default pool."""
_WITHOUT_VALUE = ("--spot", "--flex-start", "--enable", "--no-enable", "--shielded")


def cluster_of(facts: dict[str, Any]) -> dict[str, Any]:
    """The answer of `gcloud container clusters describe` for a cluster after some commands.

    Without a command that creates the cluster, the answer has only its node pools and its version.
    """
    place = f"projects/{facts['project']}/locations/{facts['location']}/clusters/{facts['cluster']}"
    cluster = {
        "name": facts["cluster"],
        "selfLink": f"https://container.googleapis.com/v1/{place}",
        "location": facts["location"],
        "currentMasterVersion": "1.34.4-gke.1047000",
        "releaseChannel": {"channel": facts.get("channel", "RAPID")},
    }
    reported = facts.get("reported", {})
    pools = [_pool_of(command, place, reported) for command in facts.get("commands", [])]
    if "create" in facts or "create_auto" in facts:
        flags = _created(cluster, facts.get("create", facts.get("create_auto", "")), autopilot="create_auto" in facts)
        if facts.get("default_pool", "create" in facts):
            pools.insert(0, _pool_of(f"default-pool {shlex.join(flags)}", place, reported))
    return {**cluster, "nodePools": pools}


def _created(cluster: dict[str, Any], command: str, *, autopilot: bool) -> list[str]:
    """Adds what GKE reports of a new cluster, and returns the flags of its default pool."""
    cluster |= {
        "status": "RUNNING",
        "network": "default",
        "subnetwork": "default",
        "addonsConfig": {
            "gcePersistentDiskCsiDriverConfig": {"enabled": True},
            "networkPolicyConfig": {"disabled": True},
        },
        "autoscaling": {"autoscalingProfile": "BALANCED"},
        "databaseEncryption": {"state": "DECRYPTED"},
        "defaultMaxPodsConstraint": {"maxPodsPerNode": "110"},
        "initialNodeCount": 1,
        "ipAllocationPolicy": {"clusterIpv4CidrBlock": "10.8.0.0/14", "stackType": "IPV4", "useIpAliases": True},
        "legacyAbac": {},
        "loggingService": "logging.googleapis.com/kubernetes",
        "masterAuth": {"clientCertificateConfig": {}, "clusterCaCertificate": "c2VjcmV0LWxpa2U="},
        "maintenancePolicy": {"resourceVersion": "e3b0c442"},
        "monitoringService": "monitoring.googleapis.com/kubernetes",
        "networkConfig": {"datapathProvider": "LEGACY_DATAPATH", "defaultSnatStatus": {}},
        "nodePoolDefaults": {"nodeConfigDefaults": {"loggingConfig": {"variantConfig": {"variant": "DEFAULT"}}}},
        "notificationConfig": {"pubsub": {}},
        "shieldedNodes": {"enabled": True},
    }
    if autopilot:
        project = cluster["selfLink"].split("/")[5]
        cluster["autopilot"] = {"enabled": True}
        cluster["autoscaling"] = {"autoscalingProfile": "OPTIMIZE_UTILIZATION", "enableNodeAutoprovisioning": True}
        cluster["networkConfig"] |= {"datapathProvider": "ADVANCED_DATAPATH", "dnsConfig": {"clusterDns": "CLOUD_DNS"}}
        cluster["workloadIdentityConfig"] = {"workloadPool": f"{project}.svc.id.goog"}
    rest: list[str] = []
    for flag, value in _words(shlex.split(command)):
        if flag in _OF_CLUSTER:
            _OF_CLUSTER[flag](cluster, value)
        else:
            rest.append(f"{flag}={value}" if value else flag)
    return rest


def _words(words: list[str]) -> Iterator[tuple[str, str]]:
    """Each flag with its value; empty for a flag without one."""
    words = words[::-1]
    while words:
        flag, given, value = words.pop().partition("=")
        if not given and not flag.startswith(_WITHOUT_VALUE):
            value = words.pop()
        yield flag, value


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
    for flag, value in _words(words):
        _FLAGS[flag](pool, value)
    scaling = pool.get("autoscaling")
    if scaling is not None:
        scaling.setdefault("locationPolicy", "BALANCED")
    for path, found in reported.get(name, {}).items():
        _set(*path.split("."), of=lambda _, found=found: found)(pool, "")
    return pool
