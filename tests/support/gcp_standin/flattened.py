"""An answer of the API as the provider stores it: with its names and types, and without the blocks that it drops."""

from typing import Any

from support.gcp_standin.knowledge import CLUSTER, POOL, Kind

from pulumi_gke_tpu.core.catalog.property_values import converted_inside

Json = dict[str, Any]

NAMES = {
    POOL: {
        "config": "nodeConfig",
        "config.accelerators": "nodeConfig.guestAccelerators",
        "config.accelerators.acceleratorCount": "nodeConfig.guestAccelerators.count",
        "config.accelerators.acceleratorType": "nodeConfig.guestAccelerators.type",
        "config.containerdConfig.privateRegistryAccessConfig.certificateAuthorityDomainConfig": (
            "nodeConfig.containerdConfig.privateRegistryAccessConfig.certificateAuthorityDomainConfigs"
        ),
        "config.linuxNodeConfig.hugepages": "nodeConfig.linuxNodeConfig.hugepagesConfig",
        "config.loggingConfig.variantConfig.variant": "nodeConfig.loggingVariant",
        "config.nodeImageConfig": "",
        "locations": "nodeLocations",
        "maxPodsConstraint.maxPodsPerNode": "maxPodsPerNode",
    },
    CLUSTER: {
        "addonsConfig.cloudRunConfig": "addonsConfig.cloudrunConfig",
        "autopilot.enabled": "enableAutopilot",
        "autoscaling": "clusterAutoscaling",
        "autoscaling.autoprovisioningLocations": "clusterAutoscaling.autoProvisioningLocations",
        "autoscaling.autoprovisioningNodePoolDefaults": "clusterAutoscaling.autoProvisioningDefaults",
        "autoscaling.autoprovisioningNodePoolDefaults.diskSizeGb": (
            "clusterAutoscaling.autoProvisioningDefaults.diskSize"
        ),
        "autoscaling.defaultComputeClassConfig.enabled": "clusterAutoscaling.defaultComputeClassEnabled",
        "autoscaling.enableNodeAutoprovisioning": "clusterAutoscaling.enabled",
        "currentNodeVersion": "nodeVersion",
        "defaultMaxPodsConstraint.maxPodsPerNode": "defaultMaxPodsPerNode",
        "ipAllocationPolicy.useIpAliases": "",
        "legacyAbac.enabled": "enableLegacyAbac",
        "locations": "nodeLocations",
        "loggingConfig.componentConfig.enableComponents": "loggingConfig.enableComponents",
        "maintenancePolicy": "",
        "monitoringConfig.componentConfig.enableComponents": "monitoringConfig.enableComponents",
        "monitoringConfig.managedPrometheusConfig": "monitoringConfig.managedPrometheus",
        "networkConfig.datapathProvider": "datapathProvider",
        "networkConfig.defaultSnatStatus": "defaultSnatStatus",
        "networkConfig.disableL4LbFirewallReconciliation": "disableL4LbFirewallReconciliation",
        "networkConfig.dnsConfig": "dnsConfig",
        "networkConfig.enableCiliumClusterwideNetworkPolicy": "enableCiliumClusterwideNetworkPolicy",
        "networkConfig.enableFqdnNetworkPolicy": "enableFqdnNetworkPolicy",
        "networkConfig.enableIntraNodeVisibility": "enableIntranodeVisibility",
        "networkConfig.enableL4ilbSubsetting": "enableL4IlbSubsetting",
        "networkConfig.enableMultiNetworking": "enableMultiNetworking",
        "networkConfig.gatewayApiConfig": "gatewayApiConfig",
        "networkConfig.inTransitEncryptionConfig": "inTransitEncryptionConfig",
        "networkConfig.network": "network",
        "networkConfig.networkPerformanceConfig": "networkPerformanceConfig",
        "networkConfig.serviceExternalIpsConfig": "serviceExternalIpsConfig",
        "networkConfig.subnetwork": "subnetwork",
        "nodeConfig": "",
        "nodePoolDefaults.nodeConfigDefaults.loggingConfig.variantConfig.variant": (
            "nodePoolDefaults.nodeConfigDefaults.loggingVariant"
        ),
        "nodePoolDefaults.nodeConfigDefaults.nodeKubeletConfig.insecureKubeletReadonlyPortEnabled": (
            "nodePoolDefaults.nodeConfigDefaults.insecureKubeletReadonlyPortEnabled"
        ),
        "nodePools": "",
        "network": "",
        "resourceLabels": "",
        "shieldedNodes.enabled": "enableShieldedNodes",
        "subnetwork": "",
    },
}
"""Path in the API -> path in the provider where the names differ; empty for what is read from elsewhere or not."""
_DROPPED = {
    POOL: ("nodeConfig.sandboxConfig",),
    CLUSTER: ("userManagedKeysConfig", "secretManagerConfig", "authenticatorGroupsConfig", "privateClusterConfig"),
}
"""Blocks that the provider does not store if nothing inside says anything."""

ZEROS: dict[str, Json] = {
    "management": {"autoRepair": False, "autoUpgrade": False},
    "upgradeSettings": {"maxSurge": 0, "maxUnavailable": 0},
}
"""What an answer leaves out because it is false or zero."""


def flattened(kind: Kind, answer: Json) -> Json:
    """What the provider stores of an answer about a cluster or a node pool. What it makes up itself is missing."""
    state: Json = {}
    _read(kind, answer, "", "", state)
    for path in _DROPPED[kind.token]:
        *above, name = path.split(".")
        block = state
        for step in above:
            block = block.get(step, {})
        if name in block and not any(block[name].values()):
            del block[name]
    (_finish_pool if kind.token == POOL else _finish_cluster)(state, answer)
    return state


def _read(kind: Kind, block: Json, api: str, prefix: str, state: Json) -> None:
    names = NAMES[kind.token]
    for key, value in block.items():
        path = f"{api}{key}"
        new = names.get(path, f"{prefix}{key}")
        if not new or value is None:
            continue
        known = kind.properties.get(new)
        if isinstance(value, dict) and (known is None or known.type == "block"):
            if known is not None:
                _put(state, new, {})
            elif not any(name.startswith(f"{path}.") for name in names):
                continue
            _read(kind, value, f"{path}.", f"{new}.", state)
        elif known is not None and known.type == "blocks":
            _put(state, new, [_item(kind, item, path, new) for item in value])
        elif known is not None:
            texts = isinstance(value, bool) and known.type == "string"
            _put(state, new, str(value).upper() if texts else converted_inside(known.type, value))


def _item(kind: Kind, item: Json, path: str, new: str) -> Json:
    inside: Json = {}
    _read(kind, item, f"{path}.", f"{new}.", inside)
    for step in new.split("."):
        inside = inside.get(step, {})
    return inside


def _put(state: Json, path: str, value: Any) -> None:
    *above, name = path.split(".")
    for step in above:
        state = state.setdefault(step, {})
    if value != {} or name not in state:
        state[name] = value


def _finish_pool(state: Json, answer: Json) -> None:
    if not (answer.get("autoscaling") or {}).get("enabled"):
        state.pop("autoscaling", None)
    else:
        state["autoscaling"].pop("enabled", None)
    for block in ("management", "upgradeSettings"):  # an answer leaves out what is false or zero
        zeros = (
            {"autoRepair": False, "autoUpgrade": False}
            if block == "management"
            else {"maxSurge": 0, "maxUnavailable": 0}
        )
        state[block] = {**zeros, **state.get(block, {})}
    state.setdefault("initialNodeCount", 0)
    state["nodeConfig"].setdefault("loggingVariant", "DEFAULT")


def _finish_cluster(state: Json, answer: Json) -> None:
    state["enableShieldedNodes"] = (answer.get("shieldedNodes") or {}).get("enabled", False)
    state["nodeLocations"] = [zone for zone in answer.get("locations", ()) if zone != answer.get("location")]
    state["masterVersion"] = answer["currentMasterVersion"]
    state["effectiveLabels"] = answer.get("resourceLabels", {})
    state.setdefault("releaseChannel", {}).setdefault("channel", "UNSPECIFIED")
    # The provider reads the opposite of `enablePublicEndpoint`, also where the answer lacks it.
    endpoints = answer.get("controlPlaneEndpointsConfig", {}).get("ipEndpointsConfig")
    if endpoints is not None:
        private = state.setdefault("privateClusterConfig", {})
        private["enablePrivateEndpoint"] = not endpoints.get("enablePublicEndpoint", False)
        if "privateEndpointSubnetwork" in endpoints:
            private["privateEndpointSubnetwork"] = endpoints["privateEndpointSubnetwork"]
    policy = _maintenance((answer.get("maintenancePolicy") or {}).get("window") or {})
    if policy:
        state["maintenancePolicy"] = policy


def _maintenance(window: Json) -> Json:
    """Without a window the provider reads no policy, exclusions neither."""
    daily, recurring = window.get("dailyMaintenanceWindow"), window.get("recurringWindow")
    if daily is not None:
        policy: Json = {"dailyMaintenanceWindow": dict(daily)}
    elif recurring is not None:
        policy = {"recurringWindow": {**recurring["window"], "recurrence": recurring.get("recurrence", "")}}
    else:
        return {}
    exclusions = []
    for name, item in window.get("maintenanceExclusions", {}).items():
        found = {"exclusionName": name, "startTime": item["startTime"], "endTime": item["endTime"]}
        options = item.get("maintenanceExclusionOptions")
        if options is not None:
            found["exclusionOptions"] = {"scope": "NO_UPGRADES", **options}
        exclusions.append(found)
    return {**policy, "maintenanceExclusions": exclusions}
