"""The names of properties in the APIs of Google Cloud, and what an answer means in the provider's terms.

Most names are the same in both. ``_POOL`` and ``_CLUSTER`` have the others, as read in the provider's source.
"""

import functools
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from pulumi_gke_tpu.core.graph import resource_types
from pulumi_gke_tpu.core.objects.document import mapping
from pulumi_gke_tpu.core.resources.values import UNKNOWN

_POOL: Mapping[str, str] = {
    "config": "nodeConfig",
    "config.accelerators": "nodeConfig.guestAccelerators",
    "config.accelerators.acceleratorCount": "nodeConfig.guestAccelerators.count",
    "config.accelerators.acceleratorType": "nodeConfig.guestAccelerators.type",
    "config.gpuDirectConfig.gpuDirectStrategy": "nodeConfig.gpudirectStrategy",
    "config.linuxNodeConfig.hugepages": "nodeConfig.linuxNodeConfig.hugepagesConfig",
    "config.loggingConfig.variantConfig.variant": "nodeConfig.loggingVariant",
    "config.nodeImageConfig": "nodeConfig.nodeImageConfigs",
    "locations": "nodeLocations",
    "maxPodsConstraint.maxPodsPerNode": "maxPodsPerNode",
}
"""Path of a node pool in the API -> path in Pulumi, where the names differ."""

_WINDOW = "maintenancePolicy.recurringWindow"
_CLUSTER: Mapping[str, str] = {
    "addonsConfig.rayOperatorConfig": "addonsConfig.rayOperatorConfigs",
    "autopilot.enabled": "enableAutopilot",
    "autopilot.workloadPolicyConfig.allowNetAdmin": "allowNetAdmin",
    "autoscaling": "clusterAutoscaling",
    "autoscaling.autoprovisioningLocations": "clusterAutoscaling.autoProvisioningLocations",
    "autoscaling.autoprovisioningNodePoolDefaults": "clusterAutoscaling.autoProvisioningDefaults",
    "autoscaling.autoprovisioningNodePoolDefaults.diskSizeGb": "clusterAutoscaling.autoProvisioningDefaults.diskSize",
    "autoscaling.defaultComputeClassConfig.enabled": "clusterAutoscaling.defaultComputeClassEnabled",
    "autoscaling.enableNodeAutoprovisioning": "clusterAutoscaling.enabled",
    "defaultMaxPodsConstraint.maxPodsPerNode": "defaultMaxPodsPerNode",
    "ipAllocationPolicy.useIpAliases": "",
    "legacyAbac.enabled": "enableLegacyAbac",
    "locations": "nodeLocations",
    "loggingConfig.componentConfig.enableComponents": "loggingConfig.enableComponents",
    "maintenancePolicy.window.dailyMaintenanceWindow": "maintenancePolicy.dailyMaintenanceWindow",
    "maintenancePolicy.window.maintenanceExclusions": "maintenancePolicy.maintenanceExclusions",
    "maintenancePolicy.window.recurringWindow.recurrence": f"{_WINDOW}.recurrence",
    "maintenancePolicy.window.recurringWindow.window.endTime": f"{_WINDOW}.endTime",
    "maintenancePolicy.window.recurringWindow.window.startTime": f"{_WINDOW}.startTime",
    "monitoringConfig.componentConfig.enableComponents": "monitoringConfig.enableComponents",
    "monitoringConfig.managedPrometheusConfig": "monitoringConfig.managedPrometheus",
    "networkConfig.datapathProvider": "datapathProvider",
    "networkConfig.disableL4LbFirewallReconciliation": "disableL4LbFirewallReconciliation",
    "networkConfig.enableCiliumClusterwideNetworkPolicy": "enableCiliumClusterwideNetworkPolicy",
    "networkConfig.enableFqdnNetworkPolicy": "enableFqdnNetworkPolicy",
    "networkConfig.enableIntraNodeVisibility": "enableIntranodeVisibility",
    "networkConfig.enableL4ilbSubsetting": "enableL4IlbSubsetting",
    "networkConfig.enableMultiNetworking": "enableMultiNetworking",
    "networkConfig.gatewayApiConfig": "gatewayApiConfig",
    "networkConfig.dnsConfig": "dnsConfig",
    "networkConfig.inTransitEncryptionConfig": "inTransitEncryptionConfig",
    "networkConfig.networkPerformanceConfig": "networkPerformanceConfig",
    "networkConfig.defaultSnatStatus": "defaultSnatStatus",
    "networkConfig.network": "network",
    "networkConfig.privateIpv6GoogleAccess": "privateIpv6GoogleAccess",
    "networkConfig.serviceExternalIpsConfig": "serviceExternalIpsConfig",
    "networkConfig.subnetwork": "subnetwork",
    "notificationConfig.pubsub.filter.eventType": "notificationConfig.pubsub.filter.eventTypes",
    "currentMasterVersion": "minMasterVersion",
    "shieldedNodes.enabled": "enableShieldedNodes",
}
"""Path of a cluster in the API -> path in Pulumi, where the names differ."""

_RENAMED = {resource_types.NODE_POOL: _POOL, resource_types.CLUSTER: _CLUSTER}
_AUTOSCALED = ("minNodeCount", "maxNodeCount", "totalMinNodeCount", "totalMaxNodeCount")


def properties_of(resource_type: str, answer: Mapping[str, Any]) -> dict[str, Any]:
    """The properties of a resource in Pulumi's spelling. ``networkConfig`` of a cluster stays beside what it holds.

    What has another name in the API wins: ``networkConfig.network`` is a path, ``network`` a name without its project.
    """
    found: dict[str, Any] = {}
    placed = [(_placed(resource_type, path), value) for path, value in _flat(answer, resource_type)]
    for named in (False, True):
        for (is_renamed, steps), value in placed:
            if steps and is_renamed is named:
                _set(found, steps, value)
    finish = _FINISH.get(resource_type)
    if finish is not None:
        finish(found)
    return found


def api_name(resource_type: str, path: str) -> str:
    """The path in the API of a property in Pulumi's spelling: ``config.machineType``."""
    known = _api_names(resource_type)
    steps = path.split(".")
    for length in range(len(steps), 0, -1):
        old = known.get(".".join(step.partition("[")[0] for step in steps[:length]))
        if old is not None:
            index = "".join(steps[length - 1].partition("[")[1:])
            return ".".join([f"{old}{index}", *steps[length:]])
    return path


@functools.cache
def _api_names(resource_type: str) -> Mapping[str, str]:
    return {new: old for old, new in _RENAMED.get(resource_type, {}).items()}


@functools.cache
def _around(resource_type: str) -> frozenset[str]:
    """The paths of everything around the properties that are renamed."""
    paths = (path.split(".") for path in _RENAMED.get(resource_type, {}))
    return frozenset(".".join(steps[:end]) for steps in paths for end in range(1, len(steps)))


def _flat(answer: Any, resource_type: str, path: str = "") -> Iterator[tuple[str, Any]]:
    """The parts of an answer that have a name in Pulumi: a mapping as a whole, unless a part of it is renamed."""
    around = _around(resource_type)
    for key, value in answer.items():
        here = f"{path}{key}"
        if isinstance(value, dict) and here in around:
            yield from _flat(value, resource_type, f"{here}.")
        elif isinstance(value, list) and here in around:
            parts = [dict(_flat(item, resource_type, f"{here}.")) if isinstance(item, dict) else item for item in value]
            yield here, [_renamed_in(part, _RENAMED[resource_type]) for part in parts]
        else:
            yield here, value


def _renamed_in(part: Any, renamed: Mapping[str, str]) -> Any:
    if not isinstance(part, dict):
        return part
    return {renamed.get(path, path).rpartition(".")[2]: value for path, value in part.items()}


@functools.lru_cache(maxsize=10_000)
def _placed(resource_type: str, path: str) -> tuple[bool, tuple[str, ...]]:
    """Whether a property has another name in the API, and where Pulumi has it; nowhere if it has no steps."""
    renamed = _RENAMED.get(resource_type, {})
    new = renamed.get(path, _moved(path, renamed))
    return path in renamed, tuple(new.split(".")) if new else ()


def _moved(path: str, renamed: Mapping[str, str]) -> str:
    """The path where something around it has another name."""
    above, _, last = path.rpartition(".")
    while above:
        if above in renamed:
            return f"{renamed[above]}.{last}"
        above, _, step = above.rpartition(".")
        last = f"{step}.{last}"
    return path


def _set(tree: dict[str, Any], steps: tuple[str, ...], value: Any) -> None:
    *above, last = steps
    for step in above:
        inner = tree.setdefault(step, {})
        if not isinstance(inner, dict):
            return
        tree = inner
    tree[last] = value


def _finish_pool(found: dict[str, Any]) -> None:
    scaling = found.get("autoscaling")
    if isinstance(scaling, dict):
        if scaling.pop("enabled", None) is not True:
            found.pop("autoscaling")
        elif not any(name in scaling for name in _AUTOSCALED):
            scaling["minNodeCount"] = 0
    # An answer has the size at creation only; instance groups have the present one.
    found["nodeCount"] = UNKNOWN
    policy = found.pop("maintenancePolicy", None)
    if isinstance(policy, dict):
        enabled = _is_enabled(policy.get("exclusionUntilEndOfSupport"))
        found["maintenancePolicies"] = [{"exclusionUntilEndOfSupports": [{"enabled": True}]} if enabled else {}]


def _is_enabled(switch: Any) -> bool:
    return isinstance(switch, dict) and switch.get("enabled") is True


def _finish_cluster(found: dict[str, Any]) -> None:
    found.pop("nodePools", None)
    if found.get("enableAutopilot") is not True:
        found.pop("enableAutopilot", None)
    addons = found.get("addonsConfig")
    if isinstance(addons, dict) and isinstance(addons.get("rayOperatorConfigs"), dict):
        addons["rayOperatorConfigs"] = [addons["rayOperatorConfigs"]]
    policy = found.pop("maintenancePolicy", None)
    written = _maintenance(policy) if isinstance(policy, dict) else None
    if written:
        found["maintenancePolicy"] = written


def _maintenance(policy: Mapping[str, Any]) -> dict[str, Any]:
    """A maintenance window with its exclusions; nothing without a window, since the provider then reads nothing."""
    for name, times in _WINDOWS.items():
        window = policy.get(name)
        if isinstance(window, dict):
            written: dict[str, Any] = {name: {time: window.get(time) for time in times}}
            exclusions = policy.get("maintenanceExclusions")
            items = mapping(exclusions).items()
            found = [_exclusion(name, item) for name, item in items if isinstance(item, dict)]
            return {**written, "maintenanceExclusions": found} if found else written
    return {}


_WINDOWS = {"dailyMaintenanceWindow": ("startTime",), "recurringWindow": ("startTime", "endTime", "recurrence")}


def _exclusion(name: str, item: Mapping[str, Any]) -> dict[str, Any]:
    """An exclusion as the provider reads it.

    GKE leaves out the scope of all upgrades. With a behavior at its end, the end itself has no meaning.
    """
    options = item.get("maintenanceExclusionOptions")
    times = {"startTime": item.get("startTime"), "endTime": item.get("endTime")}
    if isinstance(options, dict):
        times = {"startTime": times["startTime"]} if options.get("endTimeBehavior") else times
        options = {"scope": "NO_UPGRADES", **options}
    return {"exclusionName": name, **times, "exclusionOptions": options}


_FINISH: Mapping[str, Callable[[dict[str, Any]], None]] = {
    resource_types.NODE_POOL: _finish_pool,
    resource_types.CLUSTER: _finish_cluster,
}
