"""The nodes' service account: created with the least roles, or given."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.fleet import Autoprovisioning, Cluster, CpuPool, SliceGroup
from pulumi_gke_tpu.core.fleet.settings import cluster_settings
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.graph.builders.properties import ClusterContext, former_names, former_types
from pulumi_gke_tpu.core.graph.declared import Declared, DeclaredOptions, Key
from pulumi_gke_tpu.core.graph.model import ACCOUNT, IAM_MEMBER


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
    email = cluster_settings(cluster).node_service_account.value
    if email != "create":
        return NodeAccount(email)
    purpose = f"Nodes of GKE cluster {cluster.name}"
    return _created(cluster, catalog, parent, plan_path, project=cluster.project, purpose=purpose)


def provisioned_account(
    cluster: Cluster, account: NodeAccount, catalog: Catalog, parent: Key, plan_path: str
) -> NodeAccount:
    """The account of auto-provisioned nodes: its own one, or that of the cluster, whose resources are not repeated."""
    item = cluster.autoprovisioning
    written = item.plan.node_service_account if item is not None else None
    if item is None or written is None:
        return NodeAccount(account.email)
    if written != "create":
        return NodeAccount(written)
    purpose = f"Auto-provisioned nodes of GKE cluster {cluster.name}"
    return _created(item, catalog, parent, plan_path, project=cluster.project, purpose=purpose)


def own_account(
    item: SliceGroup | CpuPool, context: ClusterContext, parent: Key, plan_path: str
) -> tuple[ClusterContext, Sequence[Declared]]:
    """The context of a group or CPU pool, and the resources of its account if it has an account of its own."""
    written = item.plan.node_service_account
    if written is None:
        return context, ()
    if written != "create":
        return replace(context, service_account=written, depends_on=()), ()
    purpose = f"GKE nodes of {item.key}"
    account = _created(item, context.catalog, parent, plan_path, project=context.project, purpose=purpose)
    return replace(context, service_account=account.email, depends_on=account.grants), account.resources


def _created(
    item: Cluster | Autoprovisioning | SliceGroup | CpuPool,
    catalog: Catalog,
    parent: Key,
    plan_path: str,
    *,
    project: str,
    purpose: str,
) -> NodeAccount:
    """A new account with the roles that nodes require."""
    account = Declared(
        ACCOUNT,
        item.key,
        parent,
        {"accountId": item.account_id, "project": project, "displayName": purpose[:100]},
        DeclaredOptions(aliases=(*former_names(item.former_keys), *former_types(ACCOUNT))),
        plan_path,
    )
    grants = [
        Declared(
            IAM_MEMBER,
            f"{item.key}/{role}",
            parent,
            {"project": project, "role": role, "member": account["member"]},
            DeclaredOptions(aliases=former_names(f"{key}/{role}" for key in item.former_keys)),
            plan_path,
        )
        for role in catalog.platform.hardening.node_roles
    ]
    return NodeAccount(account["email"], (account, *grants))
