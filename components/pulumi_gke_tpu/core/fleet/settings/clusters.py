"""The settings of a cluster: release channel, addresses of nodes and control plane, maintenance."""

from pulumi_gke_tpu.core.fleet.model import Cluster
from pulumi_gke_tpu.core.fleet.settings.derived import DEFAULT, FROM_PLAN, Derived
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.plan import Unknown
from pulumi_gke_tpu.core.plan.upgrades import Maintenance

ALWAYS_SENT = f"{DEFAULT}, which gke-tpu always sends"


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
    security: "SecuritySettings"
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
        release_channel=_release_channel(cluster),
        private_nodes=_private_nodes(cluster),
        dns_endpoint=_written(plane.dns_endpoint, written=plane.written("dns_endpoint")),
        ip_endpoint=Derived(True, "plan", FROM_PLAN) if networks else Derived(ip_endpoint, "default", ip_note),
        private_endpoint=_written(plane.private, written=plane.written("private")),
        node_service_account=_node_service_account(cluster),
        security=security_settings(cluster),
        maintenance=cluster.plan.maintenance or Maintenance(),
    )


def security_settings(cluster: Cluster) -> SecuritySettings:
    """The effective hardening of a cluster and its nodes."""
    keys = cluster.plan.security

    def derived(key: str) -> Derived[bool]:
        return _written(getattr(keys, key), written=keys.written(key))

    unknown = cluster.existing and not keys.written("dataplane_v2")
    return SecuritySettings(
        shielded_nodes=derived("shielded_nodes"),
        secure_boot=derived("secure_boot"),
        tpu_secure_boot=derived("tpu_secure_boot"),
        workload_identity=derived("workload_identity"),
        dataplane_v2=Derived(None, "fact", "the plan does not state dataplane_v2 of the existing cluster")
        if unknown
        else derived("dataplane_v2"),
    )


def _node_service_account(cluster: Cluster) -> Derived[str | Unknown | None]:
    if cluster.plan.written("node_service_account"):
        return Derived(cluster.plan.node_service_account, "plan", FROM_PLAN)
    if cluster.existing:
        reason = "the Compute Engine default service account, because the plan does not set node_service_account"
        return Derived(None, "fact", reason)
    return Derived(cluster.plan.node_service_account, "default", DEFAULT)


def _written(value: bool, *, written: bool) -> Derived[bool]:
    return Derived(value, "plan", FROM_PLAN) if written else Derived(value, "default", ALWAYS_SENT)


def _release_channel(cluster: Cluster) -> Derived[str | None]:
    channel = cluster.plan.release_channel
    if cluster.plan.written("release_channel"):
        return Derived(channel, "plan", FROM_PLAN)
    if cluster.existing:
        return Derived(None, "fact", "the plan does not state release_channel of the existing cluster")
    return Derived(channel, "default", ALWAYS_SENT)


def _private_nodes(cluster: Cluster) -> Derived[bool | None]:
    written = cluster.plan.private_nodes
    if written is not None:
        return Derived(written, "plan", FROM_PLAN)
    if cluster.existing:
        return Derived(None, "fact", "the plan does not set it, so node pools have the setting of the cluster")
    if cluster.plan.network is not None:
        return Derived(True, "default", f"{DEFAULT} if the plan sets `network`")
    return Derived(False, "default", f"{DEFAULT} if the plan does not set `network`")
