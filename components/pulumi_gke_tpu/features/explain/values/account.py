"""Explains the service account of nodes, which is the same for a cluster and its slice groups."""

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.fleet import Cluster, SliceGroup
from pulumi_gke_tpu.core.fleet.settings import cluster_settings
from pulumi_gke_tpu.core.text.findings import listed
from pulumi_gke_tpu.features.explain.steps import Step, evidence

_KEYS = ("account", "node_service_account")


def group_account_step(catalog: Catalog, cluster: Cluster, group: SliceGroup) -> Step:
    """The account of a group: its own one, or that of the cluster."""
    written = group.plan.node_service_account
    if written is None:
        return account_step(catalog, cluster)
    if written != "create":
        reason = "node_service_account of the group"
        return Step("service_account", str(written), reason, keys=_KEYS, topics=("hardening",))
    hardening = catalog.platform.hardening
    reason = f"created for the group with {listed(hardening.node_roles)}; the ID has a hash of cluster and group"
    return Step("service_account", group.account_id, reason, evidence(catalog, hardening), _KEYS, ("hardening",))


def account_step(catalog: Catalog, cluster: Cluster) -> Step:
    """The account that is created or given; the default account in an existing cluster without the key."""
    derived, hardening = cluster_settings(cluster).node_service_account, catalog.platform.hardening
    account = derived.value
    if account == "create":
        account = cluster.account_id
        parts = "project, cluster, location and key" if cluster.existing else "project, cluster and location"
        reason = f"created with {listed(hardening.node_roles)}; the ID has a hash of {parts}"
        return Step("service_account", account, reason, evidence(catalog, hardening), _KEYS, ("hardening",))
    if account is None:
        return Step("service_account", "default", derived.note, keys=_KEYS, topics=("hardening",))
    return Step(
        "service_account", str(account), "node_service_account of the cluster", keys=_KEYS, topics=("hardening",)
    )
