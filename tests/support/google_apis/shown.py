"""Values as GKE answers them: without most of what is false, zero or empty, and what it makes of others."""

from collections.abc import Iterator
from typing import Any

Json = dict[str, Any]

_SHOWN_WHEN_FALSE = (
    "allowExternalTraffic",
    "enableK8sCertsViaDns",
    "enableK8sTokensViaDns",
    "enableNestedVirtualization",
    "enablePrivateNodes",
    "enablePublicEndpoint",
    "insecureKubeletReadonlyPortEnabled",
    "ipEndpointsConfig.enabled",
    "swapConfig.enabled",
)
_NOT_SHOWN_WHEN_EMPTY = (
    "authorizedNetworksConfig",
    "loggingConfig",
    "masterAuthorizedNetworksConfig",
    "networkPolicy",
    "privateClusterConfig",
    "resourceLabels",
    "window",
)


def shown(block: Json, name: str = "") -> Json:
    """A block of that name without what an answer leaves out."""
    return dict(_shown(block, name))


def _shown(block: Json, name: str) -> Iterator[tuple[str, Any]]:
    for key, value in block.items():
        if isinstance(value, dict):
            inside = shown(value, key)
            if inside or key not in _NOT_SHOWN_WHEN_EMPTY:
                yield key, inside
        elif isinstance(value, list):
            if value:
                yield key, [shown(item) if isinstance(item, dict) else item for item in value]
        elif key == "channel" and value == "UNSPECIFIED":
            continue
        elif value or (value is False and (key in _SHOWN_WHEN_FALSE or f"{name}.{key}" in _SHOWN_WHEN_FALSE)):
            yield key, value


def endpoints(cluster: Json) -> Json:
    """What GKE answers about the endpoints of a control plane, which is in three places of an answer."""
    config = cluster["controlPlaneEndpointsConfig"]
    given, private = config["ipEndpointsConfig"], cluster.get("privateClusterConfig") or {}
    nodes = cluster["networkConfig"].get("defaultEnablePrivateNodes") or private.get("enablePrivateNodes")
    cluster["privateClusterConfig"] = {"publicEndpoint": cluster["endpoint"], "enablePrivateNodes": nodes}
    cluster.pop("masterAuthorizedNetworksConfig", None)
    if not given.get("enabled", True):
        config["ipEndpointsConfig"] = {"enabled": False}
        cluster["endpoint"] = config["dnsEndpointConfig"]["endpoint"]
        return cluster
    authorized = dict(given.get("authorizedNetworksConfig") or {})
    if nodes:
        authorized.setdefault("privateEndpointEnforcementEnabled", True)
    else:
        authorized.setdefault("gcpPublicCidrsAccessEnabled", True)
    chosen = given.get("privateEndpointSubnetwork") or private.get("privateEndpointSubnetwork") or ""
    chosen = chosen.removeprefix("https://www.googleapis.com/compute/v1/")
    block = private.get("masterIpv4CidrBlock")
    made = f"{cluster['networkConfig']['subnetwork'].rpartition('/')[0]}/gke-{cluster['name']}-1a2b3c4d-pe-subnet"
    config["ipEndpointsConfig"] = {
        "enablePublicEndpoint": not private.get("enablePrivateEndpoint"),
        "publicEndpoint": cluster["endpoint"],
        "privateEndpoint": "10.128.0.2",
        **given,
        "authorizedNetworksConfig": authorized,
        "privateEndpointSubnetwork": chosen or (made if block else ""),
    }
    cluster["masterAuthorizedNetworksConfig"] = authorized
    cluster["privateClusterConfig"] |= {
        "privateEndpoint": "10.128.0.2",
        "masterIpv4CidrBlock": block,
        "privateEndpointSubnetwork": chosen,
        "enablePrivateEndpoint": not config["ipEndpointsConfig"]["enablePublicEndpoint"],
        "masterGlobalAccessConfig": {"enabled": True} if given.get("globalAccess") else None,
    }
    return cluster
