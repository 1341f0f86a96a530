"""Clusters, node pools and their operations, as the API of GKE answers (container v1)."""

import copy
import itertools
import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from support.gcp_standin.slices import chips_per_host
from support.google_apis import refusals
from support.google_apis.values import (
    ANSWERS,
    RefusedError,
    completed,
    filled,
    is_zone,
    last,
    number_of,
    put,
    region_of,
)

_PATH = re.compile(
    r"projects/(?P<project>[^/]+)/(?:locations|zones)/(?P<location>[^/]+)"
    r"/(?P<kind>clusters|operations|serverConfig)(?:/(?P<name>[^/:]+))?"
    r"(?P<pools>/nodePools(?:/(?P<pool>[^/:]+))?)?(?::(?P<verb>\w+))?"
)
_OF_ANSWER = re.compile(r"projects/([^/]+)/(?:locations|zones)/([^/]+)/clusters/([^/]+)$")
_TPU_TAINT = {"key": "google.com/tpu", "value": "present", "effect": "NO_SCHEDULE"}

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


class Container:
    """Every cluster of every project."""

    def __init__(self, knobs: Knobs, compute: refusals.Policies) -> None:
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
        return {**copy.deepcopy(cluster.state), **first, "nodePools": pools, "currentNodeCount": nodes}

    # Clusters

    def put(self, answer: Json) -> None:
        """Take a cluster as an answer of the API describes it, without asking whether GKE would create it."""
        project, location, name = _OF_ANSWER.search(answer["selfLink"]).groups()  # type: ignore[union-attr]
        answer = copy.deepcopy(answer)
        pools = answer.pop("nodePools")
        names = {"project": project, "location": location, "region": region_of(location), "name": name}
        state = completed(answer, filled(ANSWERS["cluster"], {**names, "id": number_of(name)}))
        state.setdefault("locations", _zones(location))
        state.setdefault("initialNodeCount", 1)
        state["shieldedNodes"] = answer.get("shieldedNodes", {})  # an answer leaves out what is false
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
        names = {"project": project, "location": location, "region": region, "name": name, "id": number_of(name)}
        defaults = ANSWERS["cluster"]
        if autopilot:
            defaults = completed(ANSWERS["autopilot"], defaults)
        state = completed(body, filled(defaults, names))
        network = last(body.get("network") or "default")
        subnetwork = last(body.get("subnetwork") or network)
        self._compute.check_network(project, region, network, subnetwork)
        version = _version(state.pop("initialClusterVersion", ""), state["releaseChannel"]["channel"])
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
            if self._slice(cluster, pool) is not None:
                raise RefusedError(501, f"Multi-host TPU pool ({name}) manual resize is not supported.")
            cluster.hosts[name] = int(body.get("nodeCount") or 0)
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
            {"subnetwork": network["subnetwork"], "enablePrivateNodes": bool(network["defaultEnablePrivateNodes"])},
        )
        _complete_nodes(pool["config"])
        if not (pool.get("autoscaling") or {}).get("enabled"):
            pool.pop("autoscaling", None)
        if not pool.get("placementPolicy"):
            pool.pop("placementPolicy", None)
        pool["version"] = _version(pool.get("version", ""), "", cluster.state["currentMasterVersion"])
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
        pool = copy.deepcopy(cluster.pools[name])
        if chips_per_host(pool["config"]["machineType"]) is not None:
            own = [taint for taint in pool["config"].get("taints") or [] if taint.get("key") != _TPU_TAINT["key"]]
            pool["config"]["taints"] = [*own, _TPU_TAINT]
        placement = pool.get("placementPolicy") or {}
        if placement.get("policyName"):
            placement.pop("type", None)  # a live API does not return it beside a workload policy
        groups = f"https://www.googleapis.com/compute/v1/projects/{cluster.project}/zones"
        pool["instanceGroupUrls"] = [
            f"{groups}/{zone}/instanceGroupManagers/{self._group(cluster, name, zone)}" for zone in pool["locations"]
        ]
        return pool

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


def _version(wanted: str, channel: str, default: str = "") -> str:
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
    usual = "hyperdisk-balanced" if config["machineType"].startswith("tpu7x") else "pd-balanced"
    config["diskType"] = config.get("diskType") or boot.get("diskType") or usual
    config["diskSizeGb"] = int(config.get("diskSizeGb") or boot.get("sizeGb") or 100)
    config["bootDisk"] = {**boot, "diskType": config["diskType"], "sizeGb": str(config["diskSizeGb"])}


def _complete_nodes(config: Json) -> None:
    """The defaults of nodes that depend on other values."""
    config["oauthScopes"] = config.get("oauthScopes") or ANSWERS["scopes"]
    _complete_disk(config)
    model = "spot" if config.get("spot") else "flex-start" if config.get("flexStart") else "on-demand"
    config["resourceLabels"].setdefault("goog-gke-node-pool-provisioning-model", model)


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
