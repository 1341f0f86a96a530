"""The nodes' service account: created with the least roles, or given."""

from collections.abc import Sequence
from dataclasses import dataclass

import pulumi
import pulumi_gcp as gcp

from pulumi_gke_tpu.catalog import Catalog
from pulumi_gke_tpu.components.inputs import to_input
from pulumi_gke_tpu.components.site import former_names
from pulumi_gke_tpu.fleet import Cluster


@dataclass(frozen=True)
class NodeAccount:
    """E-mail of the account, and the grants that nodes need before they start."""

    email: pulumi.Input[str]
    grants: Sequence[pulumi.Resource] = ()


def node_account(cluster: Cluster, catalog: Catalog, parent: pulumi.Resource) -> NodeAccount:
    """The account that the cluster's nodes run as."""
    if cluster.plan.node_service_account != "create":
        return NodeAccount(to_input(cluster.plan.node_service_account))
    account = gcp.serviceaccount.Account(
        cluster.key,
        account_id=cluster.account_id,
        project=cluster.project,
        display_name=f"Nodes of GKE cluster {cluster.name}"[:100],
        opts=pulumi.ResourceOptions(parent=parent, aliases=former_names(cluster.former_keys)),
    )
    grants = [
        gcp.projects.IAMMember(
            f"{cluster.key}/{role}",
            project=cluster.project,
            role=role,
            member=account.member,
            opts=pulumi.ResourceOptions(
                parent=parent, aliases=former_names([f"{key}/{role}" for key in cluster.former_keys])
            ),
        )
        for role in catalog.platform.hardening.node_roles
    ]
    return NodeAccount(account.email, grants)
