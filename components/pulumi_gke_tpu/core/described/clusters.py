"""From a cluster to the keys of a cluster in a plan, without those of its node pools."""

import datetime
from collections.abc import Iterator
from typing import Any, get_args

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.described.part import Part, account_of, entries, strings
from pulumi_gke_tpu.core.graph.builders.cluster import ADDON_PROPERTIES
from pulumi_gke_tpu.core.graph.resource_types import CLUSTER
from pulumi_gke_tpu.core.plan.cluster import ClusterSpec
from pulumi_gke_tpu.core.plan.upgrades import Weekday
from pulumi_gke_tpu.core.resources.values import NotKnownError, Values
from pulumi_gke_tpu.core.text.formats.names import region_of
from pulumi_gke_tpu.core.text.patterns import lazy_pattern

_PATH = lazy_pattern(
    r"(?:.*/)?projects/(?P<project>[^/]+)/(?:global|regions/(?P<region>[^/]+))/(?:sub)?networks/(?P<name>[^/]+)\Z"
)
_WEEKLY = lazy_pattern(r"FREQ=WEEKLY;BYDAY=([A-Z,]+)\Z")
_HOUR = datetime.timedelta(hours=1)
_NONE = datetime.timedelta()
_POLICY = "maintenancePolicy"
WORDS = ("latest", "-")
"""What GKE takes instead of a version."""
_NO_LIMIT = 10**9
_WINDOW = f"{_POLICY}.recurringWindow"
_DAILY = f"{_POLICY}.dailyMaintenanceWindow"
_EXCLUSIONS = f"{_POLICY}.maintenanceExclusions"


def cluster_keys(values: Values, project: str, catalog: Catalog, *, reported: bool) -> Part:
    """The keys of a cluster that exists or that a program creates.

    Settings without a key are what the program, the provider or GKE chose, so the cluster is one that the plan has
    taken over.
    """
    part = Part(values)
    modes = {True: "autopilot", False: "standard"}
    mode = part.read("mode", "enableAutopilot", lambda: modes[values.flag("enableAutopilot")])
    part.keys.setdefault("mode", "standard")
    part.read("location", "location", lambda: values.text("location"))
    part.keys.setdefault("location", "")
    if not part.keys["location"]:
        part.unknown.add("location")
    part.keys["adopted"] = True
    _version(part, reported=reported)
    part.read("release_channel", "releaseChannel.channel", lambda: _channel(values, reported=reported))
    _network(part, project)
    provisions = mode == "standard" and _provisions(values)
    part.copied(ClusterSpec, "min_version", *([] if provisions else ["autoprovisioning"]))
    if mode == "standard":
        part.read("multi_networking", "enableMultiNetworking", lambda: values.flag("enableMultiNetworking") or None)
        _security(part)
        _autoprovisioning(part, reported=reported)
        _usual_disk(part, catalog, reported=reported)
        _without_keys(part)
    elif not reported:
        part.read("extra.nodeConfig", "nodeConfig")
    _access(part)
    _maintenance(part, catalog)
    if part.keys["mode"] == "standard" or not reported:  # GKE enables some itself on Autopilot
        _addons(part, catalog)
    part.read("resource_labels", "resourceLabels", lambda: _labels(values))
    part.read("kms_key", "databaseEncryption.keyName", lambda: values.text("databaseEncryption.keyName"))
    part.read("notifications", "notificationConfig.pubsub.topic", lambda: _topic(values))
    return part


def _channel(values: Values, *, reported: bool) -> str:
    """The release channel: GKE uses one unless the program asks for none. An answer leaves out the channel "none"."""
    channel = values.text("releaseChannel.channel")
    if channel == "UNSPECIFIED" or (reported and not channel):
        return "none"
    return channel.lower() or "regular"


def _version(part: Part, *, reported: bool) -> None:
    """What an existing cluster runs, or the minimum that a program asks for."""
    key = "version" if reported else "min_version"
    part.keys.pop("min_version", None)
    part.note("min_version", "minMasterVersion")
    part.note("version", "minMasterVersion")
    text = part.read(key, "minMasterVersion", lambda: part.values.text("minMasterVersion"))
    if not text or text in WORDS:
        part.keys.pop(key, None)
        part.unknown |= {"version", "min_version"}


def _network(part: Part, project: str) -> None:
    values = part.values
    try:
        region = region_of(str(part.keys["location"]))
        network, subnetwork = (_named(values.text(name), project, region) for name in ("network", "subnetwork"))
    except NotKnownError:
        part.unknown.add("network")
        return
    if not subnetwork:
        return
    found = {"network": network or "default", "subnetwork": subnetwork}
    part.keys["network"] = {"existing": found}
    for key, source in (
        ("pods_range", "ipAllocationPolicy.clusterSecondaryRangeName"),
        ("services_range", "ipAllocationPolicy.servicesSecondaryRangeName"),
    ):
        part.read(f"network.existing.{key}", source, lambda source=source: values.text(source))  # type: ignore[misc]
    for key in ("network", "subnetwork"):
        part.note(f"network.existing.{key}", key)


def _named(path: str, project: str, region: str) -> str:
    """The name of a network in the project and region of the cluster, otherwise its path."""
    match = _PATH.match(path)
    if match is None:
        return path
    own = match["project"] == project and match["region"] in (None, region)
    return match["name"] if own else path[path.index("projects/") :]


def _security(part: Part) -> None:
    values = part.values
    switches = {
        "security.shielded_nodes": ("enableShieldedNodes", lambda: values.get("enableShieldedNodes") is not False),
        "security.workload_identity": (
            "workloadIdentityConfig.workloadPool",
            lambda: values.get("workloadIdentityConfig") is not None,
        ),
        "security.dataplane_v2": ("datapathProvider", lambda: values.text("datapathProvider") == "ADVANCED_DATAPATH"),
    }
    for key, (source, read) in switches.items():
        part.read(key, source, read)


def _without_keys(part: Part) -> None:
    """Properties without a key that conflict with one. Without a channel, it is not known which one GKE chooses."""
    values = part.values
    policy, alpha, access = "networkPolicy.enabled", "enableKubernetesAlpha", "privateIpv6GoogleAccess"
    part.read(f"extra.{policy}", policy, lambda: values.flag(policy) or None)
    part.read(f"extra.{access}", access, lambda: values.text(access))
    if part.keys.get("extra", {}).get(access):
        part.read("extra.ipAllocationPolicy.stackType", "ipAllocationPolicy.stackType")
    part.read(f"extra.{alpha}", alpha, lambda: (values.flag(alpha) and values.sets("releaseChannel.channel")) or None)


def _provisions(values: Values) -> bool:
    """Whether GKE may create node pools; also without that, a cluster can have their defaults."""
    try:
        return values.flag("clusterAutoscaling.enabled")
    except NotKnownError:
        return True


def _autoprovisioning(part: Part, *, reported: bool) -> None:
    values = part.values
    base = "clusterAutoscaling"
    try:
        if not values.flag(f"{base}.enabled"):
            return
        most, indices = {}, {}
        for index, item in entries(values.get(f"{base}.resourceLimits")):
            one = Values(item)
            kind, number = one.text("resourceType"), _number(one)
            if kind and number is not None:
                most[kind], indices[kind] = number, index
    except NotKnownError:
        part.unknown.add("autoprovisioning")
        return
    limits = f"{base}.resourceLimits"
    part.note("autoprovisioning", limits)
    account = f"{base}.autoProvisioningDefaults.serviceAccount"
    part.read("autoprovisioning.node_service_account", account, lambda: account_of(values, account))
    for key, kind in (("cpu", "cpu"), ("memory_gib", "memory")):
        if kind in most:
            part.set(f"autoprovisioning.{key}", most.pop(kind), f"{limits}[{indices[kind]}].maximum")
        elif reported:
            part.set(f"autoprovisioning.{key}", _NO_LIMIT, limits)
            part.unknown.add(f"autoprovisioning.{key}")
    for kind, number in most.items():
        if kind.startswith("nvidia-"):  # a limit of GPUs, which no plan has
            continue
        part.keys.setdefault("autoprovisioning", {}).setdefault("tpu", {})[kind] = number
        part.properties["autoprovisioning", "tpu", kind] = f"{limits}[{indices[kind]}].maximum"
    part.note("autoprovisioning.tpu", limits)


def _usual_disk(part: Part, catalog: Catalog, *, reported: bool) -> None:
    """Leave out the boot disk type that GKE or the provider sets where a program sets nothing.

    Only adoption keeps a type that GKE reports and the provider would not set.
    """
    source = "clusterAutoscaling.autoProvisioningDefaults.diskType"
    usual = catalog.provider.resources[CLUSTER].properties[source].default
    written = part.keys.get("autoprovisioning", {})
    kind = written.get("boot_disk_type")
    if kind is not None and (reported or kind == usual):
        del written["boot_disk_type"]
        part.keep("autoprovisioning.boot_disk_type", source, lambda: None if kind == usual else kind)


def _number(limit: Values) -> int | None:
    """The maximum of a limit, which an answer has as text."""
    text = limit.text("maximum")
    return int(text) if text.isdecimal() else limit.number("maximum")


def _access(part: Part) -> None:
    values = part.values
    base = "controlPlaneEndpointsConfig"
    dns = f"{base}.dnsEndpointConfig.allowExternalTraffic"
    part.read("control_plane.dns_endpoint", dns, lambda: values.get(dns) is True or None)
    private = "privateClusterConfig.enablePrivateEndpoint"
    part.read("control_plane.private", private, lambda: values.flag(private) or None)
    blocks = "masterAuthorizedNetworksConfig.cidrBlocks"
    try:
        found = {}
        for index, item in entries(values.get(blocks)):
            name = str(item.get("displayName") or f"range-{index + 1}")
            found[name] = item.get("cidrBlock")
            part.properties["control_plane", "authorized_networks", name] = f"{blocks}[{index}].cidrBlock"
        part.set("control_plane.authorized_networks", found, blocks)
    except NotKnownError:
        part.unknown.add("control_plane.authorized_networks")
    for source in ("privateClusterConfig.enablePrivateNodes", "networkConfig.defaultEnablePrivateNodes"):
        part.read("private_nodes", source, lambda source=source: values.flag(source) or None)  # type: ignore[misc]
    if "private_nodes" not in part.keys:
        part.set("private_nodes", False, "privateClusterConfig.enablePrivateNodes")


def _addons(part: Part, catalog: Catalog) -> None:
    """The add-ons that the cluster has, among those that a plan can enable."""
    mode: str = part.keys["mode"]
    found: list[str] = []
    for word, name in sorted(ADDON_PROPERTIES.items()):
        try:
            switch = part.values.get(f"addonsConfig.{name}")
        except NotKnownError:
            part.unknown.add("addons")
            continue
        switches = switch if isinstance(switch, list) else [switch]
        enabled = any(isinstance(item, dict) and item.get("enabled") is True for item in switches)
        if enabled and word in catalog.platform.addons and mode not in catalog.platform.addons[word].always_on:
            block = f"{name}[0]" if isinstance(switch, list) else name
            part.properties["addons", len(found)] = f"addonsConfig.{block}.enabled"
            found.append(word)
    part.set("addons", found, "addonsConfig")


def _labels(values: Values) -> dict[str, Any]:
    found = strings(values.get("resourceLabels"))
    return {key: value for key, value in found.items() if not key.startswith("goog-")}


def _topic(values: Values) -> str:
    return values.text("notificationConfig.pubsub.topic") if values.flag("notificationConfig.pubsub.enabled") else ""


def _maintenance(part: Part, catalog: Catalog) -> None:
    """The window and its exclusions. A daily window has no key: it is four hours long, on every day."""
    values = part.values
    try:
        exclusions = dict(_exclusions(part, catalog))
        window = _window(values)
        without_key = policy_without_key(values)
        every = [*entries(values.get(_EXCLUSIONS))]
    except NotKnownError:
        part.unknown.add("maintenance")
        return
    part.set("maintenance.window", window, _WINDOW)
    part.set("maintenance.exclusions", exclusions, _EXCLUSIONS)
    if values.has(_DAILY) or (values.has(_WINDOW) and not window):
        part.unknown.add("maintenance.window")
    if not without_key and values.has(_WINDOW) and not window:
        part.reason = "its maintenance window has times that no key describes"
    elif not without_key and len(exclusions) < len(every):
        part.reason = "a maintenance exclusion has times or a scope that no key describes"
    for name, keys in {"startTime": ("start",), "endTime": ("duration",), "recurrence": ("days", "recurrence")}.items():
        for key in keys:
            part.note(f"maintenance.window.{key}", f"{_WINDOW}.{name}")


def policy_without_key(values: Values) -> str:
    """What of a maintenance policy no key says, as the subject of a sentence; empty if keys may say all of it."""
    if values.has(_DAILY):
        return "daily maintenance window"
    if not all(item.get("exclusionOptions") for _, item in entries(values.get(_EXCLUSIONS))):
        return "maintenance window has an exclusion without a scope, which"
    return ""


def _window(values: Values) -> dict[str, Any]:
    start, end = (time_of(values.text(f"{_WINDOW}.{name}")) for name in ("startTime", "endTime"))
    if start is None or end is None:
        return {}
    window: dict[str, Any] = {"start": written_time(start), "duration": _hours(max(end - start, _NONE))}
    recurrence = values.text(f"{_WINDOW}.recurrence")
    weekly = _WEEKLY.match(recurrence)
    names = {day[:2]: day for day in get_args(Weekday)}
    days = weekly[1].split(",") if weekly else []
    if days and set(days) <= names.keys():
        window["days"] = [names[day] for day in days]
    elif recurrence and recurrence != "FREQ=DAILY":
        window["recurrence"] = recurrence
    return window


def _exclusions(part: Part, catalog: Catalog) -> Iterator[tuple[str, dict[str, Any]]]:
    words = {scope: word for word, scope in catalog.maintenance.exclusions.scopes.items()}
    for index, item in entries(part.values.get(_EXCLUSIONS)):
        one = Values(item)
        start, end = time_of(one.text("startTime")), time_of(one.text("endTime"))
        scope = words.get(one.text("exclusionOptions.scope") or "NO_UPGRADES")
        forever = one.text("exclusionOptions.endTimeBehavior") == "UNTIL_END_OF_SUPPORT"
        name = one.text("exclusionName")
        if start is None or scope is None or not name or (end is None and not forever):
            continue
        at = ("maintenance", "exclusions", name)
        part.properties[at] = f"{_EXCLUSIONS}[{index}]"
        last = "exclusionOptions.endTimeBehavior" if forever else "endTime"
        for key, source in (("start", "startTime"), ("end", last), ("scope", "exclusionOptions.scope")):
            inner = (*at, key)
            part.properties[inner] = f"{_EXCLUSIONS}[{index}].{source}"
        until = "end_of_support" if forever or end is None else written_time(end)
        yield name, {"start": written_time(start), "end": until, "scope": scope}


def time_of(text: str) -> datetime.datetime | None:
    """A time with a time zone, in UTC; None if the text is none."""
    try:
        time = datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))
    except ValueError:
        return None
    return time.astimezone(datetime.timezone.utc) if time.tzinfo is not None else None


def written_time(time: datetime.datetime) -> str:
    """A time as a plan has it."""
    return time.replace(microsecond=0, tzinfo=None).isoformat() + "Z"


def _hours(length: datetime.timedelta) -> str:
    minutes = int(length.total_seconds()) // 60
    return f"{minutes // 60}h" if length % _HOUR == _NONE else f"{minutes}m"
