"""Properties that Standard and Autopilot clusters share, and the outputs of both."""

import datetime
import shlex
from collections.abc import Mapping
from typing import Any

import pulumi
import pulumi_gcp as gcp

from pulumi_gke_tpu.catalog import Catalog
from pulumi_gke_tpu.components.account import NodeAccount
from pulumi_gke_tpu.components.inputs import given, to_input
from pulumi_gke_tpu.components.network import ClusterNetwork
from pulumi_gke_tpu.fleet import Cluster
from pulumi_gke_tpu.plan.cluster import Maintenance, Window

CLUSTER = "gcp:container/cluster:Cluster"


def shared_properties(cluster: Cluster, catalog: Catalog, network: ClusterNetwork) -> dict[str, Any]:
    """What both modes send, in Python names."""
    plan = cluster.plan
    networks = plan.control_plane.authorized_networks
    ip_endpoint = bool(networks) or plan.control_plane.private or not plan.control_plane.dns_endpoint
    channel = "UNSPECIFIED" if plan.release_channel == "none" else plan.release_channel.upper()
    return {
        "name": cluster.name,
        "project": cluster.project,
        "location": cluster.location,
        "deletion_protection": cluster.deletion_protection,
        "release_channel": {"channel": channel},
        "networking_mode": "VPC_NATIVE",
        **network.properties,
        "private_cluster_config": {
            "enable_private_nodes": has_private_nodes(cluster),
            "enable_private_endpoint": plan.control_plane.private,
        },
        "control_plane_endpoints_config": {
            "dns_endpoint_config": {"allow_external_traffic": plan.control_plane.dns_endpoint},
            "ip_endpoints_config": {"enabled": ip_endpoint},
        },
        **given(
            min_master_version=plan.min_version,
            resource_labels=cluster.resource_labels or None,
            maintenance_policy=maintenance_policy(plan.maintenance, catalog),
            fleet={"project": to_input(plan.fleet)} if plan.fleet is not None else None,
            database_encryption={"state": "ENCRYPTED", "key_name": to_input(plan.kms_key)}
            if plan.kms_key is not None
            else None,
            notification_config={"pubsub": {"enabled": True, "topic": to_input(plan.notifications)}}
            if plan.notifications is not None
            else None,
            master_authorized_networks_config={
                "cidr_blocks": [
                    {"display_name": name, "cidr_block": to_input(block)} for name, block in sorted(networks.items())
                ]
            }
            if networks
            else None,
        ),
    }


def has_private_nodes(cluster: Cluster) -> bool:
    """Whether nodes have no public addresses: as written, else where the plan writes a network."""
    written = cluster.plan.private_nodes
    return cluster.plan.network is not None if written is None else written


def maintenance_policy(maintenance: Maintenance | None, catalog: Catalog) -> dict[str, Any] | None:
    """The whole policy or nothing: with the block present, exclusions that it does not name are removed."""
    if maintenance is None or maintenance.window is None:
        return None
    scopes = catalog.maintenance.exclusions.scopes
    exclusions = [
        {
            "exclusion_name": name,
            "start_time": _zulu(exclusion.start),
            **({"end_time": _zulu(exclusion.end)} if exclusion.end else {}),
            "exclusion_options": {
                "scope": scopes[exclusion.scope],
                **({"end_time_behavior": "UNTIL_END_OF_SUPPORT"} if exclusion.end_of_support else {}),
            },
        }
        for name, exclusion in sorted(maintenance.exclusions.items())
    ]
    policy: dict[str, Any] = {"recurring_window": _recurring_window(maintenance.window)}
    return {**policy, "maintenance_exclusions": exclusions} if exclusions else policy


def _recurring_window(window: Window) -> dict[str, str]:
    return {
        "start_time": _zulu(window.start),
        "end_time": _zulu(window.start + window.duration),
        "recurrence": recurrence(window),
    }


def recurrence(window: Window) -> str:
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
    """Account and scope of nodes that GKE makes by itself."""
    return {"service_account": account.email, "oauth_scopes": [catalog.platform.hardening.oauth_scope]}


SECRET_OUTPUTS = ("ca_certificate",)
"""Outputs of a cluster component that Pulumi encrypts in the state, and shows only on request.

The provider marks ``masterAuth.clientKey`` as a secret, so to Pulumi everything taken from ``masterAuth`` is secret.
"""


def cluster_outputs(cluster: Cluster, resource: gcp.container.Cluster) -> Mapping[str, pulumi.Output[Any]]:
    """Name, id, endpoint, certificate and the command that fetches credentials.

    The certificate is a secret in mocks and previews too, where no provider says so.
    """
    dns = cluster.plan.control_plane.dns_endpoint
    command = (
        f"gcloud container clusters get-credentials {shlex.quote(cluster.name)}"
        f" --location {shlex.quote(cluster.location)} --project {shlex.quote(cluster.project)}"
    )
    endpoint: pulumi.Output[Any] = resource.endpoint
    if dns:
        endpoint = resource.control_plane_endpoints_config.apply(_dns_endpoint)
    return {
        "cluster_name": resource.name,
        "cluster_id": resource.id,
        "endpoint": endpoint,
        "ca_certificate": pulumi.Output.secret(resource.master_auth.apply(_certificate)),
        "kubeconfig_command": pulumi.Output.from_input(f"{command} --dns-endpoint" if dns else command),
    }


def _certificate(auth: Any) -> str | None:
    return auth.cluster_ca_certificate if auth else None


def _dns_endpoint(config: Any) -> str | None:
    return config.dns_endpoint_config.endpoint if config and config.dns_endpoint_config else None
