"""The settings of a cluster: release channel, addresses of nodes and control plane, maintenance."""

from typing import Any

from pulumi_gke_tpu.core.fleet.model import Cluster
from pulumi_gke_tpu.core.fleet.settings.derived import DEFAULT, FROM_PLAN, Derived
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.plan import Unknown
from pulumi_gke_tpu.core.plan.base import PlanModel
from pulumi_gke_tpu.core.plan.upgrades import Maintenance

ALWAYS_SENT = f"{DEFAULT}, which gke-tpu always sends"
_NOT_STATED = "the plan does not state {key} of the existing cluster"
_DEFAULT_ACCOUNT = "the Compute Engine default service account, because the plan does not set {key}"


@frozen
class ClusterSettings:
    """The settings of a cluster. Those of an existing cluster are what the plan states about it."""

    release_channel: Derived[str | None]
    """``none`` without a channel; None if it is unknown."""
    private_nodes: Derived[bool | None]
    """Whether nodes have no public addresses; None leaves it to an existing cluster."""
    dns_endpoint: Derived[bool]
    """Of the control plane, as ``ip_endpoint`` and ``private_endpoint``: only of a cluster that is created."""
    ip_endpoint: Derived[bool]
    private_endpoint: Derived[bool]
    """Whether the IP endpoint has only a private address."""
    node_service_account: Derived[str | Unknown | None]
    """``create``, or the email of the account; None for the default account, on an existing cluster only."""
    maintenance: Maintenance
    """The window and the exclusions, which have no defaults."""


@frozen
class SecuritySettings:
    """Hardening. On Autopilot, which rejects the keys, it has no effect."""

    shielded_nodes: Derived[bool]
    """Only of a cluster that is created."""
    secure_boot: Derived[bool]
    """Of nodes without TPUs."""
    tpu_secure_boot: Derived[bool]
    workload_identity: Derived[bool]
    dataplane_v2: Derived[bool | None]
    """None if it is unknown: only of an existing cluster."""


def cluster_settings(cluster: Cluster) -> ClusterSettings:
    """The effective settings of a cluster."""
    plane = cluster.plan.control_plane
    networks = bool(plane.authorized_networks)
    ip_note = "the plan has no authorized network"
    ip_endpoint = networks or plane.private or not plane.dns_endpoint
    if not ip_endpoint:
        ip_note += ", so the IP endpoint is disabled"
    return ClusterSettings(
        release_channel=_unless_existing(cluster, cluster.plan, "release_channel", _NOT_STATED),
        private_nodes=_private_nodes(cluster),
        dns_endpoint=_of_key(plane, "dns_endpoint"),
        ip_endpoint=Derived(True, "plan", FROM_PLAN) if networks else Derived(ip_endpoint, "default", ip_note),
        private_endpoint=_of_key(plane, "private"),
        node_service_account=_unless_existing(cluster, cluster.plan, "node_service_account", _DEFAULT_ACCOUNT),
        maintenance=cluster.plan.maintenance or Maintenance(),
    )


def security_settings(cluster: Cluster) -> SecuritySettings:
    """The effective hardening of a cluster and its nodes."""
    keys = cluster.plan.security
    return SecuritySettings(
        shielded_nodes=_of_key(keys, "shielded_nodes"),
        secure_boot=_of_key(keys, "secure_boot"),
        tpu_secure_boot=_of_key(keys, "tpu_secure_boot"),
        workload_identity=_of_key(keys, "workload_identity"),
        dataplane_v2=_unless_existing(cluster, keys, "dataplane_v2", _NOT_STATED),
    )


def _of_key(keys: PlanModel, key: str) -> Derived[Any]:
    """The value of a key that is always sent, also without the key."""
    value = getattr(keys, key)
    return Derived(value, "plan", FROM_PLAN) if keys.written(key) else Derived(value, "default", ALWAYS_SENT)


def _unless_existing(cluster: Cluster, keys: PlanModel, key: str, note: str) -> Derived[Any]:
    """The same for a key without a default on an existing cluster; ``note`` says what holds there, with ``{key}``."""
    if cluster.existing and not keys.written(key):
        return Derived(None, "fact", note.format(key=key))
    return _of_key(keys, key)


def _private_nodes(cluster: Cluster) -> Derived[bool | None]:
    written = cluster.plan.private_nodes
    if written is not None:
        return Derived(written, "plan", FROM_PLAN)
    if cluster.existing:
        return Derived(None, "fact", "the plan does not set it, so node pools have the setting of the cluster")
    if cluster.plan.network is not None:
        return Derived(True, "default", f"{DEFAULT} if the plan sets `network`")
    return Derived(False, "default", f"{DEFAULT} if the plan does not set `network`")
