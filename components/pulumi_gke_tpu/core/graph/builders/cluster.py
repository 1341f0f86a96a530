"""The common part of Standard and Autopilot clusters: properties, add-ons, the component, and its outputs.

Of an adopted cluster, only what the plan states is sent, so that everything else stays as another tool has set it.
"""

import datetime
import functools
import json
import shlex
from collections.abc import Mapping
from typing import Any

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.fleet import Cluster
from pulumi_gke_tpu.core.fleet.settings import ClusterSettings, security_settings
from pulumi_gke_tpu.core.fleet.workloads import resource_labels
from pulumi_gke_tpu.core.graph.builders.account import NodeAccount
from pulumi_gke_tpu.core.graph.builders.ignored import ignored_of_cluster
from pulumi_gke_tpu.core.graph.builders.network import ClusterNetwork, interfaces
from pulumi_gke_tpu.core.graph.builders.properties import (
    ClusterContext,
    component_properties,
    former_names,
    merge_extra,
    timeouts,
    without_none,
)
from pulumi_gke_tpu.core.graph.builders.slices import policy_names
from pulumi_gke_tpu.core.graph.declared import Alias, Composed, Declared, DeclaredOptions, Key, Ref, key_of
from pulumi_gke_tpu.core.graph.resource_types import (
    AUTOPILOT_CLUSTER,
    CLUSTER,
    EXISTING_CLUSTER,
    SECRET_OUTPUTS,
    STANDARD_CLUSTER,
)
from pulumi_gke_tpu.core.plan.copied import with_copied
from pulumi_gke_tpu.core.plan.upgrades import Maintenance, Window
from pulumi_gke_tpu.core.text.findings import format_path
from pulumi_gke_tpu.core.text.formats.names import bare_name

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
    plan, settings, security = cluster.plan, ClusterSettings(cluster), security_settings(cluster)
    stated = {
        "addonsConfig": plan.written("addons") and _enabled(properties.get("addonsConfig")),
        "clusterAutoscaling": plan.autoprovisioning is not None and _limits(properties["clusterAutoscaling"]),
        "controlPlaneEndpointsConfig": _parts(
            properties["controlPlaneEndpointsConfig"],
            dnsEndpointConfig=settings.dns_endpoint.written,
            ipEndpointsConfig=settings.ip_endpoint.written,
        ),
        "datapathProvider": security.dataplane_v2.written and properties.get("datapathProvider"),
        "ipAllocationPolicy": plan.network is not None
        and {name: value for name, value in properties["ipAllocationPolicy"].items() if name != "stackType"},
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


COMPONENTS = {"standard": STANDARD_CLUSTER, "autopilot": AUTOPILOT_CLUSTER}
"""Mode -> component of a cluster that is created."""
SECRET_COMPONENT_OUTPUTS = ("ca_certificate", "kubeconfig")
"""Outputs of a cluster component that Pulumi encrypts in the state, and shows only on request.

The provider marks ``masterAuth.clientKey`` as a secret, so to Pulumi everything taken from ``masterAuth`` is secret.
"""


def cluster_component(cluster: Cluster, args: Mapping[str, Any], account: NodeAccount, parent: Key) -> Declared:
    """The component around everything of a cluster that is created."""
    return Declared(
        component_type(cluster),
        cluster.key,
        parent,
        component_properties(args),
        DeclaredOptions(aliases=component_aliases(cluster)),
        format_path(cluster.path),
        _outputs(cluster, account),
    )


def component_type(cluster: Cluster) -> str:
    """The type of the component around everything of a cluster."""
    return EXISTING_CLUSTER if cluster.existing else COMPONENTS[cluster.mode]


def component_aliases(cluster: Cluster) -> tuple[Alias, ...]:
    """The former names of a cluster's component, and the types that it has in another mode, or as an existing cluster.

    A cluster that changes its mode is replaced: without the other type, it would be a new one to Pulumi, whose name is
    still taken. Node pools stay if their cluster becomes an existing one.
    """
    names = former_names(cluster.former_keys)
    others = [kind for kind in (*COMPONENTS.values(), EXISTING_CLUSTER) if kind != component_type(cluster)]
    return (
        *names,
        *(Alias(type=other) for other in others),
        *(Alias(name=alias.name, type=other) for alias in names for other in others),
    )


def cluster_resource(
    cluster: Cluster,
    catalog: Catalog,
    network: ClusterNetwork,
    properties: Mapping[str, Any],
    *,
    grants: tuple[Key, ...],
) -> Declared:
    """The cluster itself, with the ``properties`` of its mode, and the ``grants`` that its nodes need."""
    shared = {**_shared_properties(cluster, catalog, network), **properties}
    if cluster.adopted:
        shared = stated_properties(cluster, shared)
    merged = merge_extra(with_copied(shared, cluster.plan), cluster.plan.extra, catalog.provider, CLUSTER)
    return Declared(
        CLUSTER,
        cluster.key,
        key_of(COMPONENTS[cluster.mode], cluster.key),
        merged,
        DeclaredOptions(
            ignore_changes=tuple(ignored_of_cluster(cluster, merged, catalog)),
            custom_timeouts=timeouts(cluster.plan.timeouts),
            adopted=cluster.adopted,
            aliases=former_names(cluster.former_keys),
            depends_on=(*network.nat, *grants),
            secret_outputs=SECRET_OUTPUTS[CLUSTER],
        ),
        format_path(cluster.path),
    )


def context_of(cluster: Cluster, catalog: Catalog, account: NodeAccount) -> ClusterContext:
    """The values of a cluster that its node pools depend on.

    They refer to it by its bare name, taken from its id if it is created: that is unknown as long as the cluster
    does not exist, so a replaced cluster replaces its pools.
    """
    security = security_settings(cluster)
    return ClusterContext(
        catalog=catalog,
        project=cluster.project,
        location=cluster.location,
        region=cluster.region,
        cluster_name=cluster.name if cluster.existing else Ref(key_of(CLUSTER, cluster.key), "id", bare_name),
        service_account=account.email,
        private_nodes=ClusterSettings(cluster).private_nodes.sent,
        workload_identity=security.workload_identity.value,
        secure_boot=security.tpu_secure_boot.value,
        # Adopted node pools have labels of their own: those of the cluster would be a difference.
        resource_labels={} if cluster.adopted else cluster.resource_labels,
        interfaces=interfaces(cluster),
        policies=policy_names(cluster),
        # The cluster itself waits for the grants if it is created.
        depends_on=account.grants if cluster.existing else (),
    )


def _shared_properties(cluster: Cluster, catalog: Catalog, network: ClusterNetwork) -> dict[str, Any]:
    plan, settings = cluster.plan, ClusterSettings(cluster)
    networks, channel = plan.control_plane.authorized_networks, settings.release_channel.value
    return {
        "name": cluster.name,
        "project": cluster.project,
        "location": cluster.location,
        "deletionProtection": cluster.deletion_protection,
        "releaseChannel": {"channel": channel.upper() if channel and channel != "none" else "UNSPECIFIED"},
        "networkingMode": "VPC_NATIVE",
        **network.properties,
        "privateClusterConfig": {
            "enablePrivateNodes": settings.private_nodes.value,
            "enablePrivateEndpoint": settings.private_endpoint.value,
        },
        "controlPlaneEndpointsConfig": {
            "dnsEndpointConfig": {"allowExternalTraffic": settings.dns_endpoint.value},
            "ipEndpointsConfig": {"enabled": settings.ip_endpoint.value},
        },
        **without_none(
            resourceLabels=resource_labels(cluster, catalog) or None,
            maintenancePolicy=_maintenance_policy(settings.maintenance, catalog),
            databaseEncryption={"state": "ENCRYPTED", "keyName": plan.kms_key} if plan.kms_key is not None else None,
            notificationConfig={"pubsub": {"enabled": True, "topic": plan.notifications}}
            if plan.notifications is not None
            else None,
            masterAuthorizedNetworksConfig={
                "cidrBlocks": [{"displayName": name, "cidrBlock": block} for name, block in sorted(networks.items())]
            }
            if networks or settings.private_endpoint.value  # GKE requires the feature, but no entry
            else None,
        ),
    }


def _maintenance_policy(maintenance: Maintenance, catalog: Catalog) -> dict[str, Any] | None:
    """The whole policy or nothing: with the block present, exclusions that it does not name are removed."""
    if maintenance.window is None:
        return None
    scopes = catalog.maintenance.exclusions.scopes
    exclusions = [
        {
            "exclusionName": name,
            "startTime": _zulu(exclusion.start),
            **({"endTime": _zulu(exclusion.end)} if exclusion.end else {}),
            "exclusionOptions": {
                "scope": scopes[exclusion.scope],
                **({"endTimeBehavior": "UNTIL_END_OF_SUPPORT"} if exclusion.end_of_support else {}),
            },
        }
        for name, exclusion in sorted(maintenance.exclusions.items())
    ]
    policy: dict[str, Any] = {"recurringWindow": _recurring_window(maintenance.window)}
    return {**policy, "maintenanceExclusions": exclusions} if exclusions else policy


def _recurring_window(window: Window) -> dict[str, str]:
    return {
        "startTime": _zulu(window.start),
        "endTime": _zulu(window.start + window.duration),
        "recurrence": _recurrence(window),
    }


def _recurrence(window: Window) -> str:
    """The window's RFC 5545 rule."""
    if window.recurrence is not None:
        return window.recurrence
    if window.days is None:
        return "FREQ=DAILY"
    return f"FREQ=WEEKLY;BYDAY={','.join(day[:2] for day in window.days)}"


def _zulu(time: datetime.datetime) -> str:
    """The one spelling of a time that GKE gives back as it was sent."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ")


def auto_provisioning_defaults(account: NodeAccount, catalog: Catalog) -> dict[str, Any]:
    """Account and scope of the nodes that node auto-provisioning creates."""
    return {"serviceAccount": account.email, "oauthScopes": [catalog.platform.hardening.oauth_scope]}


def _outputs(cluster: Cluster, account: NodeAccount) -> dict[str, Any]:
    """What other programs need: name, ID, endpoint, credentials, network, and the node service account.

    The certificate is also a secret in mocks and previews, where no provider marks it.
    """
    resource = key_of(CLUSTER, cluster.key)
    dns = ClusterSettings(cluster).dns_endpoint.value
    command = kubeconfig_command(cluster)
    endpoint = Ref(resource, "controlPlaneEndpointsConfig", _dns_endpoint) if dns else Ref(resource, "endpoint")
    certificate = Ref(resource, "masterAuth", _certificate, secret=True)
    # The certificate of the DNS-based endpoint is a public one.
    parts = (endpoint,) if dns else (endpoint, certificate)
    return {
        "cluster_name": Ref(resource, "name"),
        "cluster_id": Ref(resource, "id"),
        "endpoint": endpoint,
        "ca_certificate": certificate,
        "kubeconfig": Composed(parts, functools.partial(kubeconfig, cluster.name), secret=True),
        "network": Ref(resource, "network"),
        "subnetwork": Ref(resource, "subnetwork"),
        "kubeconfig_command": f"{command} --dns-endpoint" if dns else command,
        "node_service_account": account.email,
    }


def kubeconfig_command(cluster: Cluster) -> str:
    """The gcloud command that writes credentials for the IP endpoint of a cluster."""
    return (
        f"gcloud container clusters get-credentials {shlex.quote(cluster.name)}"
        f" --location {shlex.quote(cluster.location)} --project {shlex.quote(cluster.project)}"
    )


def kubeconfig(name: str, endpoint: str | None, certificate: str | None = None) -> str | None:
    """A kubeconfig in JSON, which is YAML; None as long as the cluster has no endpoint.

    It contains no credentials: kubectl gets them from the plugin of gcloud.
    """
    if endpoint is None:
        return None
    authority = {"certificate-authority-data": certificate} if certificate else {}
    plugin = {
        "apiVersion": "client.authentication.k8s.io/v1beta1",
        "command": "gke-gcloud-auth-plugin",
        "installHint": "Install it with: gcloud components install gke-gcloud-auth-plugin",
        "provideClusterInfo": True,
        "interactiveMode": "IfAvailable",
    }
    return json.dumps(
        {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [{"name": name, "cluster": {"server": f"https://{endpoint}", **authority}}],
            "users": [{"name": name, "user": {"exec": plugin}}],
            "contexts": [{"name": name, "context": {"cluster": name, "user": name}}],
            "current-context": name,
        }
    )


def _certificate(auth: Mapping[str, Any] | None) -> Any:
    return auth.get("clusterCaCertificate") if auth else None


def _dns_endpoint(config: Mapping[str, Any] | None) -> Any:
    return ((config or {}).get("dnsEndpointConfig") or {}).get("endpoint")


ADDON_PROPERTIES = {
    "agent_sandbox": "agentSandboxConfig",
    "dns_cache": "dnsCacheConfig",
    "filestore": "gcpFilestoreCsiDriverConfig",
    "gcs_fuse": "gcsFuseCsiDriverConfig",
    "gke_backup": "gkeBackupAgentConfig",
    "high_scale_checkpointing": "highScaleCheckpointingConfig",
    "lustre": "lustreCsiDriverConfig",
    "node_readiness": "nodeReadinessConfig",
    "parallelstore": "parallelstoreCsiDriverConfig",
    "pod_snapshot": "podSnapshotConfig",
    "ray_operator": "rayOperatorConfigs",
    "slice_controller": "sliceControllerConfig",
    "stateful_ha": "statefulHaConfig",
}
"""Word of a plan -> the block in ``addonsConfig``."""
_ALWAYS_SENT = ("gcs_fuse", "filestore", "parallelstore", "lustre", "ray_operator", "gke_backup")
"""Sent on Standard also when off: leaving an add-on out later would change nothing, it has to be turned off.

The others are sent only when on, because no source confirms that every cluster accepts an explicit `false` for them;
docs/stacks.md shows how to turn them off.
"""


def addons_config(cluster: Cluster, catalog: Catalog) -> dict[str, Any] | None:
    """The block for the chosen add-ons, or None if there is nothing to send."""
    chosen = {word for word in ClusterSettings(cluster).addons if word in ADDON_PROPERTIES}
    addons = catalog.platform.addons
    chosen -= {word for word in chosen if cluster.mode in addons[word].always_on}
    sent = chosen | set(_ALWAYS_SENT) if cluster.mode == "standard" else chosen
    config: dict[str, Any] = {}
    for word in sorted(sent):
        switch = {"enabled": word in chosen}
        config[ADDON_PROPERTIES[word]] = [switch] if word == "ray_operator" else switch
    return config or None
