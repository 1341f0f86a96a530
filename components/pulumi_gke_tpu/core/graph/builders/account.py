"""Service accounts of nodes and workloads: how they are created, who may act as them, and their roles.

The pool of Kubernetes identities has the ID of the project in its name. A Kubernetes service account that gets roles
itself is named by the number of the project, which a plan usually does not have, so it acts as a Google service
account. That of multi-tier checkpointing belongs to GKE and cannot, so the plan states the number for it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.fleet import Autoprovisioning, Cluster, CpuPool, SliceGroup
from pulumi_gke_tpu.core.fleet.checkpoints import checkpointing
from pulumi_gke_tpu.core.fleet.service_accounts import CREATE, ServiceAccount, service_accounts
from pulumi_gke_tpu.core.fleet.settings import ClusterSettings
from pulumi_gke_tpu.core.fleet.workloads import kubernetes_objects
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.graph.builders.properties import ClusterContext, former_names, former_types, workload_pool
from pulumi_gke_tpu.core.graph.declared import Declared, DeclaredOptions, Key, key_of
from pulumi_gke_tpu.core.graph.resource_types import ACCOUNT, ACCOUNT_MEMBER, BUCKET_MEMBER, CLUSTER, IAM_MEMBER
from pulumi_gke_tpu.core.text.findings import format_path


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
    email = ClusterSettings(cluster).node_service_account.value
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


def workload_accounts(cluster: Cluster, catalog: Catalog, parent: Key) -> Iterator[Declared]:
    """The accounts that the plan asks to create, with their grants. Existing accounts keep the roles that they have."""
    yield from _checkpoints(cluster, catalog, parent)
    objects = kubernetes_objects(cluster)
    for item in service_accounts(objects) if objects is not None else ():
        if item.plan.google == CREATE:
            yield from _created_accounts(item, catalog, parent)


def _created_accounts(item: ServiceAccount, catalog: Catalog, parent: Key) -> Iterator[Declared]:
    facts, cluster, path = catalog.kubernetes.storage.identity, item.cluster, format_path(item.path)
    purpose = f"Workloads of GKE cluster {cluster.name}"
    account = Declared(
        ACCOUNT,
        item.key,
        parent,
        {"accountId": item.account_id, "project": cluster.project, "displayName": purpose[:100]},
        DeclaredOptions(aliases=(*former_names(item.former_keys), *former_types(ACCOUNT))),
        path,
    )
    yield account
    pool = _identity_pool(cluster)
    for namespace in item.namespaces:
        properties = {
            "serviceAccountId": f"projects/{cluster.project}/serviceAccounts/{item.email}",
            "role": facts.role,
            "member": f"serviceAccount:{workload_pool(cluster.project)}[{namespace}/{item.name}]",
        }
        former = former_names(f"{key}/{namespace}" for key in item.former_keys)
        options = DeclaredOptions(aliases=(*former, *former_types(ACCOUNT_MEMBER)), depends_on=(account.key, *pool))
        yield Declared(ACCOUNT_MEMBER, f"{item.key}/{namespace}", parent, properties, options, path)
    for use in item.buckets:
        role = facts.write_role if use.writes else facts.read_role
        grant: dict[str, Any] = {"bucket": use.bucket, "role": role, "member": account["member"]}
        options = DeclaredOptions(aliases=former_names(f"{key}/{use.bucket}" for key in item.former_keys))
        yield Declared(BUCKET_MEMBER, f"{item.key}/{use.bucket}", parent, grant, options, path)


def _checkpoints(cluster: Cluster, catalog: Catalog, parent: Key) -> Iterator[Declared]:
    """The role of the account that copies checkpoints to their bucket, if the plan has the number of its project."""
    item = checkpointing(cluster)
    member = item.account(catalog) if item is not None else None
    if item is None or member is None:
        return
    role = catalog.kubernetes.storage.identity.write_role
    grant = {"bucket": item.plan.bucket, "role": role, "member": member}
    options = DeclaredOptions(aliases=former_names(item.former_keys), depends_on=_identity_pool(cluster))
    yield Declared(BUCKET_MEMBER, item.key, parent, grant, options, format_path(item.path))


def _identity_pool(cluster: Cluster) -> tuple[Key, ...]:
    """What has to exist before a grant to a Kubernetes identity: the project has a pool of them from then on."""
    return () if cluster.existing else (key_of(CLUSTER, cluster.key),)
