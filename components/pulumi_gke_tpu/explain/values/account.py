"""Explains the service account of nodes, which is the same for a cluster and its slice groups."""

from pulumi_gke_tpu.catalog import Catalog
from pulumi_gke_tpu.explain.steps import Step, evidence
from pulumi_gke_tpu.findings import listed
from pulumi_gke_tpu.fleet import Cluster

_KEYS = ("account", "node_service_account")


def account_step(catalog: Catalog, cluster: Cluster) -> Step:
    """The account that is created or given; the default account in an existing cluster without the key."""
    account, hardening = cluster.node_service_account, catalog.platform.hardening
    if account == "create":
        account = cluster.account_id
        parts = "project, cluster, location and key" if cluster.existing else "project, cluster and location"
        reason = f"created with {listed(hardening.node_roles)}; the ID has a hash of {parts}"
        return Step("service_account", account, reason, evidence(catalog, hardening), _KEYS, ("hardening",))
    if account is None:
        reason = "the Compute Engine default service account, because the plan does not set node_service_account"
        return Step("service_account", "default", reason, keys=_KEYS, topics=("hardening",))
    return Step(
        "service_account", str(account), "node_service_account of the cluster", keys=_KEYS, topics=("hardening",)
    )
