"""The nodes' service account: created with the least roles, or given."""

from collections.abc import Sequence
from typing import Any

from pulumi_gke_tpu.catalog import Catalog
from pulumi_gke_tpu.fleet import Cluster
from pulumi_gke_tpu.frozen import frozen
from pulumi_gke_tpu.graph.builders.properties import former_names
from pulumi_gke_tpu.graph.declared import Alias, Declared, DeclaredOptions, Key
from pulumi_gke_tpu.graph.types import ACCOUNT, FORMER_TYPES, IAM_MEMBER


@frozen
class NodeAccount:
    """The email of the service account, and its resources; node pools depend on the grants."""

    email: Any
    resources: Sequence[Declared] = ()

    @property
    def grants(self) -> tuple[Key, ...]:
        """The roles that nodes need before they start."""
        return tuple(resource.key for resource in self.resources if resource.type == IAM_MEMBER)


def node_account(cluster: Cluster, catalog: Catalog, parent: Key, plan_path: str) -> NodeAccount:
    """The account that the cluster's nodes run as, or only the nodes of its slices if it exists already."""
    if cluster.node_service_account != "create":
        return NodeAccount(cluster.node_service_account)
    account = Declared(
        ACCOUNT,
        cluster.key,
        parent,
        {
            "accountId": cluster.account_id,
            "project": cluster.project,
            "displayName": f"Nodes of GKE cluster {cluster.name}"[:100],
        },
        DeclaredOptions(
            aliases=(*former_names(cluster.former_keys), *(Alias(type=former) for former in FORMER_TYPES[ACCOUNT]))
        ),
        plan_path,
    )
    grants = [
        Declared(
            IAM_MEMBER,
            f"{cluster.key}/{role}",
            parent,
            {"project": cluster.project, "role": role, "member": account["member"]},
            DeclaredOptions(aliases=former_names(f"{key}/{role}" for key in cluster.former_keys)),
            plan_path,
        )
        for role in catalog.platform.hardening.node_roles
    ]
    return NodeAccount(account["email"], (account, *grants))
