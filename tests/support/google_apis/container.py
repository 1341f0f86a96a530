"""Clusters, node pools and their operations, as the API of GKE answers (container v1)."""

import copy
import itertools
import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Protocol

from support.gke import refusals
from support.gke.additions import ADDED, additions_to_pool, labels
from support.gke.refusals import RefusedError
from support.gke.values import (
    ANSWERS,
    completed,
    filled,
    is_zone,
    last,
    number_of,
    parts,
    put,
    region_of,
)
from support.google_apis.shown import endpoints, shown

_PATH = re.compile(
    r"projects/(?P<project>[^/]+)/(?:locations|zones)/(?P<location>[^/]+)"
    r"/(?P<kind>clusters|operations|serverConfig)(?:/(?P<name>[^/:]+))?"
    r"(?P<pools>/nodePools(?:/(?P<pool>[^/:]+))?)?(?::(?P<verb>\w+))?"
)
_OF_ANSWER = re.compile(r"projects/([^/]+)/(?:locations|zones)/([^/]+)/clusters/([^/]+)$")
_SCOPES_OF_PROVISIONING = [f"https://www.googleapis.com/auth/{name}" for name in ("userinfo.email", "cloud-platform")]
_ONLY_HYPERDISK = ("n4-", "tpu7x-")
_PULLS_SINCE, _TIERS_SINCE = (1, 33, 2), (1, 33, 5)
_OF_THE_CLUSTER = {"subnetwork": "subnetwork", "enablePrivateNodes": "defaultEnablePrivateNodes"}
"""Values of the network that node pools have from their cluster."""

Json = dict[str, Any]


@dataclass
class Cluster:
    """A cluster; ``pools`` by their names."""

    project: str
    location: str
    name: str
    state: Json
    pools: dict[str, Json] = field(default_factory=dict)
    hosts: dict[str, int] = field(default_factory=dict)
    """Name of a pool -> nodes in each of its zones."""


@dataclass
class Knobs:
    """What tests turn."""

    reservations: dict[str, int] | None = None
    """Reservation -> free hosts; None: every reservation exists and has enough."""
    out_of_capacity: set[str] = field(default_factory=set)
    """Pools whose creation ends in the status ERROR."""
    refused_once: dict[str, tuple[int, str]] = field(default_factory=dict)
    """METHOD and path -> how the next such request is answered."""
    version: str = ""
    """That of clusters whose creation does not ask for one; empty for that of the release channel."""
    echoes: dict[str, list[tuple[str, Any]]] = field(default_factory=dict)
    """Name of a cluster, or ``cluster/pool`` -> fields of its answer, each with its value if it has none."""
    added: tuple[str, ...] = ADDED
    """Which of the additions of the catalog GKE makes. ``console``: node pools are made in the console."""


class Policies(Protocol):
    """What clusters and pools ask the API of Compute Engine."""

    def check_network(self, project: str, region: str, network: str, subnetwork: str) -> None: ...
    def check_policy(self, project: str, region: str, placement: Json) -> None: ...
    def topology(self, project: str, region: str, policy: str) -> str | None: ...


class Container:
    """Every cluster of every project."""

    def __init__(self, knobs: Knobs, compute: Policies) -> None:
        self.knobs = knobs
        self.clusters: dict[tuple[str, str, str], Cluster] = {}
        self._compute = compute
        self._operations: dict[str, Json] = {}
        self._numbers = itertools.count(1)
        self._made: dict[tuple[str, str], int] = {}
        """How often a pool of this name was made in a cluster."""

    def answer(self, method: str, path: str, body: Json) -> Json:
        match = _PATH.fullmatch(path)
        if match is None:
            raise RefusedError(404, f"Not found: {path}")
        project, location, name = match["project"], match["location"], match["name"]
        if match["kind"] == "serverConfig":
            return _server_config()
        if match["kind"] == "operations":
            if name not in self._operations:
                raise RefusedError(404, f"Not found: {path}.")
            return self._operations[name]
        if name is None and method == "POST":
            return self._create(project, location, body["cluster"])
        if name is None:
            return {"clusters": [self.show(c) for c in self._in(project, location)]}
        cluster = self.clusters.get((project, location, name))
        if cluster is None:
            place = f"{'zones' if is_zone(location) else 'locations'}/{location}"
            raise RefusedError(404, f"Not found: projects/{project}/{place}/clusters/{name}.")
        if match["pools"]:
            return self._pools(method, cluster, match["pool"], match["verb"], body)
        return self._cluster(method, cluster, match["verb"], body)

    def groups(self, project: str, zone: str) -> Iterator[Json]:
        """The instance groups of all pools in a zone, in which the provider reads how many nodes a pool has."""
        base = f"https://www.googleapis.com/compute/v1/projects/{project}/zones/{zone}"
        for cluster in self.clusters.values():
            for name, pool in cluster.pools.items():
                if cluster.project == project and zone in pool["locations"]:
                    group = self._group(cluster, name, zone)
                    yield {
                        "name": group,
                        "baseInstanceName": group.removesuffix("-grp"),
                        "targetSize": cluster.hosts[name],
                        "zone": base,
                        "selfLink": f"{base}/instanceGroupManagers/{group}",
                        "instanceGroup": f"{base}/instanceGroups/{group}",
                        "status": {"isStable": True},
                    }

    def show(self, cluster: Cluster) -> Json:
        """A cluster with its pools."""
        pools = [self._show_pool(cluster, name) for name in cluster.pools]
        nodes = sum(len(pool["locations"]) * cluster.hosts[pool["name"]] for pool in pools)
        first = {"nodeConfig": pools[0]["config"], "instanceGroupUrls": pools[0]["instanceGroupUrls"]} if pools else {}
        own = shown(endpoints(copy.deepcopy(cluster.state)))
        answer = {**own, **first, "nodePools": pools, **({"currentNodeCount": nodes} if nodes else {})}
        return self._echoed(cluster.name, answer)

    # Clusters

    def put(self, answer: Json) -> None:
        """Take a cluster as an answer of the API describes it, without asking whether GKE would create it."""
        project, location, name = _OF_ANSWER.search(answer["selfLink"]).groups()  # type: ignore[union-attr]
        answer = copy.deepcopy(answer)
        pools = answer.pop("nodePools")
        version = answer.get("currentMasterVersion") or ANSWERS["versions"]["default"]
        defaults = _of_version(version, autopilot=bool(answer.get("autopilot", {}).get("enabled")))
        state = completed(answer, filled(defaults, _names(project, location, name)))
        state.setdefault("locations", _zones(location))
        state.setdefault("initialNodeCount", 1)
        state["shieldedNodes"] = answer.get("shieldedNodes", {})  # an answer leaves out what is false
        if answer.get("releaseChannel") == {}:
            state["releaseChannel"] = {"channel": "UNSPECIFIED"}
        _complete_network(state, project, location)
        cluster = Cluster(project, location, name, state)
        self.clusters[project, location, name] = cluster
        for pool in pools:
            pool.setdefault("locations", state["locations"])
            _complete_disk(pool["config"])
            cluster.pools[pool["name"]] = pool
            cluster.hosts[pool["name"]] = int(pool.get("initialNodeCount") or 0)
            self._made[name, pool["name"]] = 1

    def _in(self, project: str, location: str) -> list[Cluster]:
        return [c for c in self.clusters.values() if c.project == project and location in (c.location, "-")]

    def _create(self, project: str, location: str, body: Json) -> Json:
        name = body["name"]
        if (project, location, name) in self.clusters:
            raise RefusedError(409, f"Already exists: projects/{project}/locations/{location}/clusters/{name}.")
        region, autopilot = region_of(location), bool((body.get("autopilot") or {}).get("enabled"))
        body = {key: value for key, value in body.items() if value is not None}
        pools, count, config = (body.pop(key, None) for key in ("nodePools", "initialNodeCount", "nodeConfig"))
        refusals.of_cluster(name, pools=pools, count=count, autopilot=autopilot)
        network = last(body.get("network") or "default")
        subnetwork = last(body.get("subnetwork") or network)
        self._compute.check_network(project, region, network, subnetwork)
        channel = (body.get("releaseChannel") or ANSWERS["cluster"]["releaseChannel"]).get("channel", "")
        version = _version(body.pop("initialClusterVersion", "") or self.knobs.version, channel, self.knobs.version)
        defaults = _of_version(version, autopilot=autopilot)
        state = completed(_stored_cluster(body), filled(defaults, _names(project, location, name)))
        state |= {
            "locations": state.get("locations") or _zones(location),
            "network": network,
            "subnetwork": subnetwork,
            **dict.fromkeys(("currentMasterVersion", "currentNodeVersion", "initialClusterVersion"), version),
        }
        state["networkConfig"] |= {
            "network": f"projects/{project}/global/networks/{network}",
            "subnetwork": f"projects/{project}/regions/{region}/subnetworks/{subnetwork}",
        }
        private = (body.get("privateClusterConfig") or {}).get("enablePrivateNodes")
        if private is not None:
            state["networkConfig"]["defaultEnablePrivateNodes"] = private
        if pools is None:
            pools = [{"name": "default-pool", "initialNodeCount": count or 1, "config": config or {}}]
        if not autopilot:
            state["initialNodeCount"] = int(pools[0].get("initialNodeCount") or 0)
        cluster = Cluster(project, location, name, state)
        self.clusters[project, location, name] = cluster
        for pool in pools:
            self._add(cluster, pool)
        return self._operation("CREATE_CLUSTER", cluster)

    def _cluster(self, method: str, cluster: Cluster, verb: str | None, body: Json) -> Json:
        if method == "GET":
            return self.show(cluster)
        if method == "DELETE":
            del self.clusters[cluster.project, cluster.location, cluster.name]
            return self._operation("DELETE_CLUSTER", cluster)
        if method == "PUT":
            self._update(cluster, body["update"])
        elif verb == "setResourceLabels":
            cluster.state["resourceLabels"] = body.get("resourceLabels") or {}
        elif verb == "setMaintenancePolicy":
            cluster.state["maintenancePolicy"] = {**(body.get("maintenancePolicy") or {}), "resourceVersion": "1"}
        elif verb == "setLegacyAbac":
            cluster.state["legacyAbac"] = {"enabled": bool(body.get("enabled"))}
        else:
            raise RefusedError(404, f"Method not found: {verb}")
        return self._operation("UPDATE_CLUSTER", cluster)

    def _update(self, cluster: Cluster, update: Json) -> None:
        pool = cluster.pools.get(update.pop("desiredNodePoolId", ""))
        for member, value in update.items():
            if member == "desiredNodePoolAutoscaling" and pool is not None:
                self._autoscale(cluster, pool, value)
            elif member == "desiredNodeVersion" and pool is not None:
                pool["version"] = _version(value, "", cluster.state["currentMasterVersion"])
            elif member == "desiredImageType" and pool is not None:
                pool["config"]["imageType"] = value
            elif member in ANSWERS["merged_updates"]:
                name = _plain(member)
                cluster.state[name] = completed(value, cluster.state.get(name, {}))
            elif member == "desiredMasterVersion":
                cluster.state["currentMasterVersion"] = _version(value, cluster.state["releaseChannel"]["channel"])
            else:
                _store(cluster.state, ANSWERS["cluster_updates"], member, value, _plain(member))

    # Node pools

    def _pools(self, method: str, cluster: Cluster, name: str | None, verb: str | None, body: Json) -> Json:
        if cluster.state["autopilot"].get("enabled"):
            raise RefusedError(400, "Autopilot node pools cannot be accessed or modified.")
        path = f"projects/{cluster.project}/locations/{cluster.location}/clusters/{cluster.name}/nodePools/{name}"
        if name is None:
            if method == "GET":
                return {"nodePools": [self._show_pool(cluster, each) for each in cluster.pools]}
            failure = self._add(cluster, body["nodePool"])
            return self._operation("CREATE_NODE_POOL", cluster, body["nodePool"]["name"], failure)
        if name not in cluster.pools:
            raise RefusedError(404, f'nodePool "{path}" not found')
        if method == "GET":
            return self._show_pool(cluster, name)
        if method == "DELETE":
            del cluster.pools[name], cluster.hosts[name]
            return self._operation("DELETE_NODE_POOL", cluster, name)
        self._change_pool(method, cluster, name, verb, body)
        return self._operation("UPDATE_CLUSTER", cluster, name)

    def _change_pool(self, method: str, cluster: Cluster, name: str, verb: str | None, body: Json) -> None:
        pool = cluster.pools[name]
        if verb == "setSize":
            refusals.of_size(pool, self._slice(cluster, pool))
            cluster.hosts[name] = pool["initialNodeCount"] = int(body.get("nodeCount") or 0)
        elif verb == "setManagement":
            pool["management"] = body.get("management") or {}
            refusals.of_management(pool, cluster.state)
        elif verb == "setAutoscaling":
            self._autoscale(cluster, pool, body.get("autoscaling") or {})
        elif method == "PUT":
            _update_pool(pool, body, cluster.state["currentMasterVersion"])
        else:
            raise RefusedError(404, f"Method not found: {verb}")

    def _autoscale(self, cluster: Cluster, pool: Json, limits: Json) -> None:
        new = {**pool, "autoscaling": limits if limits.get("enabled") else None}
        refusals.of_limits(new, self._slice(cluster, pool))
        pool["autoscaling"] = new["autoscaling"]

    def _add(self, cluster: Cluster, body: Json) -> str | None:
        """Make a pool; why it ends in the status ERROR, None if it does not."""
        name = body["name"]
        if name in cluster.pools:
            path = f"projects/{cluster.project}/locations/{cluster.location}/clusters/{cluster.name}/nodePools/{name}"
            raise RefusedError(409, f"Already exists: {path}.")
        names = {"project": cluster.project, "location": cluster.location, "cluster": cluster.name, "name": name}
        absent = {key: value for key, value in ANSWERS["absent_of_pool"].items() if key not in body}
        pool = completed(body, {**filled(ANSWERS["pool"], names), **absent})
        for key in ("management", "upgradeSettings"):
            pool.setdefault(key, {})
        pool.setdefault("locations", cluster.state["locations"])
        pool.setdefault("maxPodsConstraint", cluster.state["defaultMaxPodsConstraint"])
        network = cluster.state["networkConfig"]
        pool["networkConfig"] = completed(
            pool["networkConfig"],
            {name: network[key] for name, key in _OF_THE_CLUSTER.items() if key in network},
        )
        pool["version"] = _version(pool.get("version", ""), "", cluster.state["currentMasterVersion"])
        _complete_nodes(pool, cluster.state)
        if not (pool.get("autoscaling") or {}).get("enabled"):
            pool.pop("autoscaling", None)
        else:
            pool["autoscaling"].setdefault("locationPolicy", "BALANCED")
        subnetwork = pool["networkConfig"]["subnetwork"]
        pool["networkConfig"]["subnetwork"] = subnetwork.removeprefix("https://www.googleapis.com/compute/v1/")
        if not pool.get("placementPolicy"):
            pool.pop("placementPolicy", None)
        hosts = int(pool.get("initialNodeCount") or 0)
        size = self._slice(cluster, pool)
        self._compute.check_policy(cluster.project, region_of(cluster.location), pool.get("placementPolicy") or {})
        refusals.of_pool(pool, cluster.state, size)
        refusals.of_reservation(pool, hosts, self.knobs.reservations)
        failure = refusals.failure(pool, hosts, size)
        if name in self.knobs.out_of_capacity:
            failure = f"Instance of {pool['config']['machineType']} has insufficient capacity: GCE_STOCKOUT"
        if failure is not None:
            pool |= {"status": "ERROR", "statusMessage": failure}
        cluster.pools[name], cluster.hosts[name] = pool, hosts
        self._made[cluster.name, name] = self._made.get((cluster.name, name), 0) + 1
        return failure

    def _show_pool(self, cluster: Cluster, name: str) -> Json:
        pool = shown(cluster.pools[name])
        self._add_what_gke_adds(cluster, pool)
        placement = pool.get("placementPolicy") or {}
        if placement.get("policyName"):
            placement.pop("type", None)  # a live API does not return it beside a workload policy
        groups = f"https://www.googleapis.com/compute/v1/projects/{cluster.project}/zones"
        pool["instanceGroupUrls"] = [
            f"{groups}/{zone}/instanceGroupManagers/{self._group(cluster, name, zone)}" for zone in pool["locations"]
        ]
        return self._echoed(f"{cluster.name}/{name}", pool)

    def _echoed(self, name: str, answer: Json) -> Json:
        """An answer with the values that a test has GKE add. ``a[].b`` is a field of each item of a list."""
        for path, value in self.knobs.echoes.get(name, ()):
            _put_if_absent(answer, path.split("."), value)
        return answer

    def _add_what_gke_adds(self, cluster: Cluster, pool: Json) -> None:
        queued = bool((pool.get("queuedProvisioning") or {}).get("enabled"))
        multi_host = self._slice(cluster, pool) is not None
        pool["config"]["resourceLabels"] = {
            **labels(pool["config"], multi_host=multi_host, added=self.knobs.added),
            **pool["config"].get("resourceLabels", {}),
        }
        if "queued" in self.knobs.added and (queued or pool["config"].get("flexStart")):
            pool["upgradeSettings"] = {"strategy": "SHORT_LIVED"}
        for addition in additions_to_pool(pool["config"], queued=queued, added=self.knobs.added):
            *blocks, last_name = addition.field.split(".")
            block = pool
            for step in blocks:
                block = block.setdefault(step, {})
            if isinstance(addition.answer, list):
                ours = [item["key"] for item in addition.answer]
                own = [item for item in block.get(last_name, []) if item["key"] not in ours]
                block[last_name] = [*own, *copy.deepcopy(addition.answer)]
            else:
                block.setdefault(last_name, copy.deepcopy(addition.answer))

    def _group(self, cluster: Cluster, pool: str, zone: str) -> str:
        """The name of an instance group, another one for a pool that was deleted and made again."""
        seed = f"{cluster.project}{cluster.location}{cluster.name}{pool}{zone}{self._made[cluster.name, pool]}"
        return f"gke-{cluster.name[:16]}-{pool[:16]}-{zlib.crc32(seed.encode()):08x}-grp"

    def _slice(self, cluster: Cluster, pool: Json) -> int | None:
        policy = (pool.get("placementPolicy") or {}).get("policyName", "")
        topology = self._compute.topology(cluster.project, region_of(cluster.location), last(policy))
        return refusals.size(pool, topology)

    def _operation(self, kind: str, cluster: Cluster, pool: str = "", failure: str | None = None) -> Json:
        name = f"operation-{next(self._numbers)}"
        base = f"https://container.googleapis.com/v1/projects/{cluster.project}/locations/{cluster.location}"
        done = {
            "name": name,
            "operationType": kind,
            "status": "DONE",
            "location": cluster.location,
            "zone": cluster.location,
            "selfLink": f"{base}/operations/{name}",
            "targetLink": f"{base}/clusters/{cluster.name}" + (f"/nodePools/{pool}" if pool else ""),
        }
        self._operations[name] = done
        if failure is None:
            return done
        # The provider asks again about an operation that runs, and not about one that is done.
        self._operations[name] = {**done, "statusMessage": failure, "error": {"code": 8, "message": failure}}
        return {**done, "status": "RUNNING"}


def _server_config() -> Json:
    versions = ANSWERS["versions"]
    return {
        "defaultClusterVersion": versions["default"],
        "validMasterVersions": versions["known"],
        "validNodeVersions": versions["known"],
        "defaultImageType": "COS_CONTAINERD",
        "validImageTypes": ["COS_CONTAINERD", "UBUNTU_CONTAINERD"],
        "channels": [
            {"channel": channel, "defaultVersion": version, "validVersions": [version]}
            for channel, version in versions["channels"].items()
        ],
    }


def _zones(location: str) -> list[str]:
    return [location] if is_zone(location) else [f"{location}-{zone}" for zone in "abc"]


def _names(project: str, location: str, name: str) -> dict[str, str]:
    place = f"{'zones' if is_zone(location) else 'locations'}/{location}"
    return {"project": project, "location": location, "place": place, "name": name, "id": number_of(name)}


def _of_version(version: str, *, autopilot: bool) -> Json:
    """The defaults of clusters of a version."""
    defaults: Json = copy.deepcopy(ANSWERS["cluster"])
    for item in ANSWERS["since_versions"]:
        if parts(item["version"]) <= parts(version):
            put(defaults, item["path"], copy.deepcopy(item["value"]))
    provisioning = ANSWERS["auto_provisioning"]
    if parts(provisioning["since"]) <= parts(version):
        values = {**provisioning["values"], "oauthScopes": ANSWERS["scopes"]}
        defaults["autoscaling"]["autoprovisioningNodePoolDefaults"] = copy.deepcopy(values)
    return completed(ANSWERS["autopilot"], defaults) if autopilot else defaults


def _version(wanted: str, channel: str, default: str = "") -> str:
    if wanted and default.startswith(wanted):
        return default
    if wanted in ("", "-", "latest"):
        return default or str(ANSWERS["versions"]["channels"].get(channel, ANSWERS["versions"]["default"]))
    for known in ANSWERS["versions"]["known"]:
        if known == wanted or known.startswith((f"{wanted}.", f"{wanted}-")):
            return str(known)
    raise RefusedError(400, f'Node version "{wanted}" is unsupported.')


def _plain(member: str) -> str:
    """``desiredAddonsConfig`` -> ``addonsConfig``; a few members have no such prefix."""
    name = member.removeprefix("desired")
    return name[0].lower() + name[1:]


def _store(block: Json, places: dict[str, str], member: str, value: Any, default: str) -> None:
    """Store a member of an update request where it belongs; ``labels.labels`` is the inner block of ``labels``."""
    for place, path in places.items():
        outer, _, inner = place.partition(".")
        if outer == member:
            put(block, path, (value or {}).get(inner, False if inner == "enabled" else None) if inner else value)
            return
    put(block, default, value)


def _stored_cluster(body: Json) -> Json:
    """A request to create a cluster as GKE stores it: what it takes for something else, and what it adds inside."""
    body = _with_confidential_type(copy.deepcopy(body))
    ranges = body["ipAllocationPolicy"] = {**(body.get("ipAllocationPolicy") or {}), "useIpAliases": True}
    for name in ("clusterIpv4CidrBlock", "servicesIpv4CidrBlock"):
        if ranges.get(name, "").startswith("/"):
            del ranges[name]  # the size of a range that GKE chooses
    window = (body.get("maintenancePolicy") or {}).get("window") or {}
    if window.get("dailyMaintenanceWindow"):
        window["dailyMaintenanceWindow"]["duration"] = "PT4H0M0S"
    for exclusion in (window.get("maintenanceExclusions") or {}).values():
        options = exclusion.get("maintenanceExclusionOptions") or {}
        if options.get("scope") == "NO_UPGRADES":  # the first of the words, which an answer leaves out
            del options["scope"]
    state = "ALL_OBJECTS_ENCRYPTION_ENABLED"
    if (body.get("databaseEncryption") or {}).get("state") in ("ENCRYPTED", state):
        body["databaseEncryption"] |= {"state": state, "currentState": f"CURRENT_STATE_{state}"}
    addons = body.get("addonsConfig") or {}
    addons.pop("gcePersistentDiskCsiDriverConfig", None)  # GKE keeps it on
    if addons.get("cloudRunConfig"):
        addons["cloudRunConfig"].setdefault("loadBalancerType", "LOAD_BALANCER_TYPE_EXTERNAL")
    defaults = (body.get("autoscaling") or {}).get("autoprovisioningNodePoolDefaults")
    if defaults:
        _complete_provisioning(defaults)
    return body


def _complete_provisioning(defaults: Json) -> None:
    if defaults.get("minCpuPlatform") == "automatic":
        del defaults["minCpuPlatform"]
    defaults.setdefault("management", {"autoRepair": True, "autoUpgrade": True})
    defaults.setdefault("oauthScopes", _SCOPES_OF_PROVISIONING)
    upgrade = defaults.get("upgradeSettings")
    if upgrade is not None and upgrade.setdefault("strategy", "SURGE") == "SURGE":
        upgrade.pop("blueGreenSettings", None)


def _with_confidential_type(block: Json) -> Json:
    if (block.get("confidentialNodes") or {}).get("enabled"):
        block["confidentialNodes"].setdefault("confidentialInstanceType", "SEV")
    return block


def _put_if_absent(block: Json, steps: list[str], value: Any) -> None:
    step, *inside = steps
    key, is_list = step.removesuffix("[]"), step.endswith("[]")
    if not inside:
        block.setdefault(key, [copy.deepcopy(value)] if is_list else copy.deepcopy(value))
    elif isinstance(items := block.setdefault(key, [{}] if is_list else {}), list):
        for item in items:
            _put_if_absent(item, inside, value)
    else:
        _put_if_absent(items, inside, value)


def _complete_network(state: Json, project: str, location: str) -> None:
    """The network and the subnetwork, which are in two places of an answer."""
    places = {"network": "global/networks", "subnetwork": f"regions/{region_of(location)}/subnetworks"}
    config = state.setdefault("networkConfig", {})
    for name, place in places.items():
        given = state.get(name) or "default"
        config.setdefault(name, given if "/" in given else f"projects/{project}/{place}/{given}")


def _complete_disk(config: Json) -> None:
    """The boot disk, which is in two places of an answer."""
    boot = config.get("bootDisk") or {}
    usual = "hyperdisk-balanced" if config["machineType"].startswith(_ONLY_HYPERDISK) else "pd-balanced"
    config["diskType"] = config.get("diskType") or boot.get("diskType") or usual
    config["diskSizeGb"] = int(config.get("diskSizeGb") or boot.get("sizeGb") or 100)
    config["bootDisk"] = {**boot, "diskType": config["diskType"], "sizeGb": str(config["diskSizeGb"])}


def _complete_nodes(pool: Json, cluster: Json) -> None:
    """The defaults of nodes that depend on other values."""
    config = pool["config"]
    config["oauthScopes"] = config.get("oauthScopes") or ANSWERS["scopes"]
    _complete_disk(config)
    _with_confidential_type(config)
    if parts(pool["version"]) >= _PULLS_SINCE:
        config["kubeletConfig"].setdefault("maxParallelImagePulls", 3 if _has_local_disks(config) else 2)
    if parts(pool["version"]) >= _TIERS_SINCE:
        pool["networkConfig"].setdefault("networkTierConfig", {"networkTier": "NETWORK_TIER_DEFAULT"})
    if "workloadPool" in cluster.get("workloadIdentityConfig", {}):
        config.setdefault("workloadMetadataConfig", {"mode": "GKE_METADATA"})


def _has_local_disks(config: Json) -> bool:
    return bool((config.get("ephemeralStorageLocalSsdConfig") or {}).get("localSsdCount"))


def _update_pool(pool: Json, body: Json, version: str) -> None:
    """What the live API refuses here is not published: everything is stored."""
    config = pool["config"]
    for member, value in body.items():
        if member in ("nodePoolId", "name", "etag"):
            continue
        if member == "nodeVersion":
            pool["version"] = _version(value, "", version)
        elif member == "nodeNetworkConfig":
            pool["networkConfig"] = completed(value, pool["networkConfig"])
        elif member == "bootDisk":
            config["bootDisk"] = completed(value, config["bootDisk"])
        else:
            _store(pool, ANSWERS["pool_updates"], member, value, f"config.{member}")
    config["diskSizeGb"] = int(config["diskSizeGb"])
    config["bootDisk"] |= {"diskType": config["diskType"], "sizeGb": str(config["diskSizeGb"])}
