"""From a cluster to the keys of a plan: first what it shows, then whatever the comparison still names."""

import datetime
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, get_args

from pulumi_gke_tpu.core.against_plan.live import LiveCluster
from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.graph.builders.cluster import ADDON_PROPERTIES
from pulumi_gke_tpu.core.graph.differences import PropertyDiff, without_unsaid
from pulumi_gke_tpu.core.plan.upgrades import Weekday
from pulumi_gke_tpu.core.resources.values import NotKnownError, Values
from pulumi_gke_tpu.core.text.patterns import lazy_pattern
from pulumi_gke_tpu.features.adopt.inversion import CannotAdoptError, add_keys

_PATH = lazy_pattern(r"(?:.*/)?projects/(?P<project>[^/]+)/(?:global|regions/[^/]+)/(?:sub)?networks/(?P<name>[^/]+)\Z")
_WEEKLY = lazy_pattern(r"FREQ=WEEKLY;BYDAY=([A-Z,]+)\Z")
_HOUR = datetime.timedelta(hours=1)
_POLICY = "maintenancePolicy"


@dataclass(eq=False)
class InvertedCluster:
    """A cluster with the keys that describe it, without those of its node pools."""

    live: LiveCluster
    keys: dict[str, Any]
    extra: dict[str, Any] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    """What a person should know, as sentences."""

    def cluster(self) -> dict[str, Any]:
        """The keys, with those in extra."""
        return {**self.keys, **({"extra": self.extra} if self.extra else {})}

    def drop(self, key: str, why: str) -> bool:
        """Leave out a key, so that what it sets stays as it is; False if it is left out already."""
        if key not in self.keys:
            return False
        del self.keys[key]
        self.notes.append(why)
        return True


def inverted_cluster(live: LiveCluster, catalog: Catalog) -> InvertedCluster:
    """The keys that the properties of a cluster show.

    Raises:
        CannotAdoptError: no plan describes such a cluster.
    """
    values = Values(dict(live.values))
    if not live.works:
        raise CannotAdoptError(f"its status is {live.status}")
    if not values.text("network"):
        raise CannotAdoptError("the source does not contain the network of the cluster")
    if values.text("networkingMode") == "ROUTES":
        raise CannotAdoptError("it is not VPC-native, which no key describes")
    keys: dict[str, Any] = {"mode": "autopilot" if live.autopilot else "standard", "location": live.place.location}
    keys["adopted"] = True
    keys |= facts(live)
    keys |= _network(values, live.place.project)
    keys |= {} if live.autopilot else _standard(values)
    found = InvertedCluster(live, keys)
    found.keys |= maintenance(found, values, catalog)
    words = sorted(addons(values, catalog, "autopilot" if live.autopilot else "standard"))
    if words:
        found.keys["addons"] = words
    return found


FACTS = ("version", "release_channel")
"""Keys of a cluster that stays with its tool, so that rules can use them."""


def facts(live: LiveCluster) -> dict[str, Any]:
    """Version and release channel."""
    try:
        version = live.raw.values.text("minMasterVersion")
        channel = Values(dict(live.values)).text("releaseChannel.channel")
    except NotKnownError:
        return {}
    found: dict[str, Any] = {}
    if version:
        found["version"] = version
    if channel:
        found["release_channel"] = "none" if channel == "UNSPECIFIED" else channel.lower()
    return found


def _network(values: Values, project: str) -> dict[str, Any]:
    network, subnetwork = (_named(values.text(name), project) for name in ("network", "subnetwork"))
    if network == "default" and subnetwork in ("", "default"):
        return {}
    if not subnetwork:
        raise CannotAdoptError("the source does not contain the subnetwork of the cluster")
    return {"network": {"network": network, "subnetwork": subnetwork}}


def _named(path: str, project: str) -> str:
    """The name of a network in the project of the cluster, otherwise its path."""
    match = _PATH.match(path)
    if match is None:
        return path
    return match["name"] if match["project"] == project else path[path.index("projects/") :]


def _standard(values: Values) -> dict[str, Any]:
    """The keys that only a Standard cluster has."""
    security: dict[str, Any] = {}
    if not values.flag("enableShieldedNodes"):
        security["shielded_nodes"] = False
    if not values.text("workloadIdentityConfig.workloadPool"):
        security["workload_identity"] = False
    if values.text("datapathProvider") == "LEGACY_DATAPATH":
        security["dataplane_v2"] = False
    return {
        **({"multi_networking": True} if values.flag("enableMultiNetworking") else {}),
        **({"security": security} if security else {}),
        **autoprovisioning(values),
    }


def autoprovisioning(values: Values) -> dict[str, Any]:
    """The limits of node auto-provisioning, if all of them are stated."""
    if not values.flag("clusterAutoscaling.enabled"):
        return {}
    limits = values.get("clusterAutoscaling.resourceLimits")
    most = {
        item.get("resourceType"): item.get("maximum")
        for item in (limits if isinstance(limits, list) else [])
        if isinstance(item, dict)
    }
    cpu, memory = most.pop("cpu", None), most.pop("memory", None)
    if not cpu or not memory:
        return {}
    keys: dict[str, Any] = {"cpu": cpu, "memory_gib": memory}
    return {"autoprovisioning": {**keys, "tpu": most} if most else keys}


def addons(values: Values, catalog: Catalog, mode: str) -> Iterator[str]:
    """The add-ons that the cluster has, among those that a plan can enable."""
    for word, name in ADDON_PROPERTIES.items():
        switch = values.get(f"addonsConfig.{name}")
        switches = switch if isinstance(switch, list) else [switch]
        enabled = any(isinstance(item, dict) and item.get("enabled") is True for item in switches)
        if enabled and word in catalog.platform.addons and mode not in catalog.platform.addons[word].always_on:
            yield word


def maintenance(found: InvertedCluster, values: Values, catalog: Catalog) -> dict[str, Any]:
    """The window and its exclusions. A daily window has no key, and neither has an exclusion without options."""
    daily = values.has(f"{_POLICY}.dailyMaintenanceWindow")
    if daily or not all(item.get("exclusionOptions") for item in _exclusions_of(values)):
        found.extra[_POLICY] = without_unsaid(_settable(found.live.values[_POLICY]))
        what = "daily maintenance window" if daily else "maintenance window has an exclusion without a scope, which"
        found.notes.append(f"Its {what} has no key: the calendar does not know it.")
        return {}
    if not values.has(f"{_POLICY}.recurringWindow"):
        return {}
    times = {name: _time(values.text(f"{_POLICY}.recurringWindow.{name}")) for name in ("startTime", "endTime")}
    start, end = times["startTime"], times["endTime"]
    if start is None or end is None or end <= start:
        raise CannotAdoptError("its maintenance window has times that no key describes")
    window: dict[str, Any] = {"start": _written(start), "duration": _hours(end - start)}
    recurrence = values.text(f"{_POLICY}.recurringWindow.recurrence")
    weekly = _WEEKLY.match(recurrence)
    names = {day[:2]: day for day in get_args(Weekday)}
    days = weekly[1].split(",") if weekly else []
    if days and set(days) <= names.keys():
        window["days"] = [names[day] for day in days]
    elif recurrence != "FREQ=DAILY":
        window["recurrence"] = recurrence
    exclusions = dict(_exclusions(values, catalog))
    return {"maintenance": {"window": window, **({"exclusions": exclusions} if exclusions else {})}}


def _settable(policy: Mapping[str, Any]) -> dict[str, Any]:
    """The policy with what a program can set: GKE computes the length of a daily window."""
    daily = policy.get("dailyMaintenanceWindow")
    return {**policy, "dailyMaintenanceWindow": {"startTime": daily.get("startTime")} if daily else None}


def _exclusions_of(values: Values) -> list[dict[str, Any]]:
    items = values.get(f"{_POLICY}.maintenanceExclusions")
    return [item for item in items if isinstance(item, dict)] if isinstance(items, list) else []


def _exclusions(values: Values, catalog: Catalog) -> Iterator[tuple[str, dict[str, Any]]]:
    scopes = catalog.maintenance.exclusions.scopes
    words = {scope: word for word, scope in scopes.items()}
    for item in _exclusions_of(values):
        one = Values(item)
        start, end = _time(one.text("startTime")), _time(one.text("endTime"))
        scope = words.get(one.text("exclusionOptions.scope"))
        forever = one.text("exclusionOptions.endTimeBehavior") == "UNTIL_END_OF_SUPPORT"
        if start is None or scope is None or (end is None and not forever):
            raise CannotAdoptError("a maintenance exclusion has times or a scope that no key describes")
        last = "end_of_support" if forever or end is None else _written(end)
        yield one.text("exclusionName"), {"start": _written(start), "end": last, "scope": scope}


def _time(text: str) -> datetime.datetime | None:
    try:
        time = datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))
    except ValueError:
        return None
    return time.astimezone(datetime.timezone.utc) if time.tzinfo is not None else None


def _written(time: datetime.datetime) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ")


def _hours(length: datetime.timedelta) -> str:
    minutes = int(length.total_seconds()) // 60
    return f"{minutes // 60}h" if length % _HOUR == datetime.timedelta() else f"{minutes}m"


# What the comparison still names


def repair_cluster(found: InvertedCluster, planned: tuple[PropertyDiff, ...]) -> None:
    """Add the keys for properties in which the plan still differs, or leave out keys that say them differently.

    Raises:
        CannotAdoptError: neither a key nor ``extra`` can say a property.
    """
    add_keys(found, planned, _REPAIRS, EXTRA)


def _fleet(found: InvertedCluster, values: Values) -> None:
    found.keys["fleet"] = values.text("fleet.project")


def _without(key: str, why: str) -> Callable[[InvertedCluster, Values], None]:
    def leave_out(found: InvertedCluster, values: Values) -> None:
        del values
        if not found.drop(key, why):
            raise CannotAdoptError(f"no plan leaves {key} as it is")

    return leave_out


_REPAIRS: Mapping[str, Callable[[InvertedCluster, Values], None]] = {
    "addonsConfig": _without("addons", "Its add-ons stay as they are, without a key."),
    "clusterAutoscaling": _without(
        "autoprovisioning", "Node auto-provisioning stays as it is, without a key: no key says all of its limits."
    ),
    "fleet": _fleet,
}
"""Property, or the block around it -> what adds its key, or leaves it out."""

EXTRA = (
    "allowNetAdmin",
    "binaryAuthorization",
    "description",
    "disableL4LbFirewallReconciliation",
    "dnsConfig",
    "enableCiliumClusterwideNetworkPolicy",
    "enableFqdnNetworkPolicy",
    "enableK8sBetaApis",
    "enableKubernetesAlpha",
    "enableLegacyAbac",
    "inTransitEncryptionConfig",
    "networkPerformanceConfig",
    "networkPolicy",
    "resourceUsageExportConfig",
    "secretManagerConfig",
    "secretSyncConfig",
)
"""The properties that the plan of a cluster may get as ``extra``. None of them can hold a secret."""
