"""An adopted cluster: only what the plan states is sent, so that everything else stays as another tool has set it."""

from collections.abc import Mapping
from typing import Any

from pulumi_gke_tpu.core.fleet import Cluster
from pulumi_gke_tpu.core.fleet.settings import cluster_settings, security_settings
from pulumi_gke_tpu.core.graph.builders.properties import without_none

DEFAULT_POOL = ("initialNodeCount", "nodeConfig")
"""Properties of a cluster that describe its default pool, which a new cluster deletes, and an adopted one keeps."""
_ALWAYS = (
    "deletionProtection",
    "enableAutopilot",
    "enableMultiNetworking",
    "enableShieldedNodes",
    "location",
    "name",
    "network",
    "project",
)
"""What identifies the cluster, and what the provider would reset if it were left out."""
_IF_SET = (
    "databaseEncryption",
    "maintenancePolicy",
    "masterAuthorizedNetworksConfig",
    "notificationConfig",
    "subnetwork",
)
"""Properties that a new cluster has only if a key of the plan sets them, too."""


def stated_properties(cluster: Cluster, properties: Mapping[str, Any]) -> dict[str, Any]:
    """Those of the properties of a new cluster that keys of the plan set."""
    plan, settings, security = cluster.plan, cluster_settings(cluster), security_settings(cluster)
    existing = plan.network.existing if plan.network is not None else None
    stated = {
        "addonsConfig": plan.written("addons") and _enabled(properties.get("addonsConfig")),
        "clusterAutoscaling": plan.autoprovisioning is not None and _limits(properties["clusterAutoscaling"]),
        "controlPlaneEndpointsConfig": _parts(
            properties["controlPlaneEndpointsConfig"],
            dnsEndpointConfig=settings.dns_endpoint.written,
            ipEndpointsConfig=settings.ip_endpoint.written,
        ),
        "datapathProvider": security.dataplane_v2.written and properties.get("datapathProvider"),
        "ipAllocationPolicy": existing is not None
        and without_none(
            clusterSecondaryRangeName=existing.pods_range, servicesSecondaryRangeName=existing.services_range
        ),
        "privateClusterConfig": _parts(
            properties["privateClusterConfig"],
            enablePrivateNodes=settings.private_nodes.written,
            enablePrivateEndpoint=settings.private_endpoint.written,
        ),
        "releaseChannel": settings.release_channel.written and properties["releaseChannel"],
        "resourceLabels": properties.get("resourceLabels"),
        "workloadIdentityConfig": security.workload_identity.written and properties.get("workloadIdentityConfig"),
    }
    kept = {name: value for name, value in properties.items() if name in (*_ALWAYS, *_IF_SET)}
    return {**kept, **{name: value for name, value in stated.items() if value}}


def _parts(block: Mapping[str, Any], **stated: bool) -> dict[str, Any]:
    return {name: block[name] for name, is_stated in stated.items() if is_stated}


def _enabled(addons: Mapping[str, Any] | None) -> dict[str, Any]:
    """The add-ons that the plan enables. Those that it does not name stay as they are."""
    return {
        name: switch
        for name, switch in (addons or {}).items()
        if any(item["enabled"] for item in (switch if isinstance(switch, list) else [switch]))
    }


def _limits(scaling: Mapping[str, Any]) -> dict[str, Any]:
    """The limits of node auto-provisioning. The profile and the defaults of new nodes stay as they are."""
    return {name: scaling[name] for name in ("enabled", "resourceLimits") if name in scaling}
