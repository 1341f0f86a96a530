"""Checks of access to the control plane and from the nodes: TPU271 to TPU274."""

import ipaddress
from collections.abc import Iterable

from pulumi_gke_tpu.core.fleet.settings import ClusterSettings
from pulumi_gke_tpu.core.rules.engine.context import PlanContext
from pulumi_gke_tpu.core.rules.engine.rule import Hit, in_cluster, of_clusters, rule, warning
from pulumi_gke_tpu.core.text.findings import SetKeys, Severity, quoted

_LONGEST_SPECIAL = 4
"""Every block with a shorter prefix contains public addresses: no block for special use is larger than 240.0.0.0/4."""


@warning(
    "TPU271",
    about=of_clusters("control_plane.authorized_networks", "control_plane.dns_endpoint"),
    title="Control plane is open to all addresses",
    why="without authorized networks, or with an authorized network that contains every address, anyone on the "
    "internet can reach the IP endpoint",
    fix="List the networks that may access the control plane (`authorized_networks`). Or keep the DNS endpoint and "
    "disable the IP endpoint.",
    references=["gke-hardening", "google-skills-security"],
    failing=in_cluster("control_plane: {dns_endpoint: false}"),
    edit=("dns_endpoint: false", "dns_endpoint: false, authorized_networks: {office: 203.0.113.0/24}"),
)
def public_control_plane(context: PlanContext) -> Iterable[Hit]:
    for cluster in context.fleet.clusters:
        control, path = cluster.plan.control_plane, (*cluster.path, "control_plane")
        if control.private:
            continue
        if not control.dns_endpoint and not control.authorized_networks:
            yield Hit(
                (*path, "dns_endpoint"),
                "every address on the internet can reach the IP endpoint of the control plane, its only endpoint",
                fix=SetKeys.of(authorized_networks={"office": "203.0.113.0/24"}),
            )
        for name, block in control.authorized_networks.items():
            if isinstance(block, str) and _covers_every_address(block):
                yield Hit(
                    (*path, "authorized_networks", name),
                    f"authorized network {quoted(name)} contains every address",
                )


def _covers_every_address(block: str) -> bool:
    try:
        return ipaddress.ip_network(block).prefixlen == 0
    except ValueError:
        return False


@rule(
    "TPU273",
    about=of_clusters("control_plane.authorized_networks", "control_plane.private"),
    title="Private endpoint without authorized networks",
    why="GKE creates such a cluster, but neither your computer nor a CI job outside the subnetwork of the cluster can "
    "access its control plane. `pulumi up` cannot create Kubernetes objects from there",
    fix="List the internal networks that may access the control plane (`authorized_networks`), or use the DNS-based "
    "endpoint (`dns_endpoint: true`).",
    references=["private-cluster-page", "magic-modules-8338"],
    severity=Severity.NOTE,
    note="private-endpoint-networks",
    failing=in_cluster("control_plane: {private: true, dns_endpoint: false}"),
    edit=("dns_endpoint: false", "dns_endpoint: true"),
)
def private_endpoint_without_networks(context: PlanContext) -> Iterable[Hit]:
    for cluster in context.fleet.clusters:
        settings = ClusterSettings(cluster)
        endpoints = settings.private_endpoint.value and not settings.dns_endpoint.value
        if endpoints and not cluster.plan.control_plane.authorized_networks and not cluster.existing:
            yield Hit(
                (*cluster.path, "control_plane", "private"),
                "only the nodes and Pods of the cluster can access its control plane",
            )


@rule(
    "TPU274",
    about=of_clusters("control_plane.authorized_networks", "control_plane.private"),
    title="Public authorized network on a private endpoint",
    why="a private endpoint is reachable only from internal addresses, and GKE rejects an authorized network of other "
    "addresses",
    fix="List only internal networks, or remove `private`.",
    references=["terraform-gke-module-153", "cluster-toolkit-3364"],
    note="private-endpoint-ranges",
    failing=in_cluster("control_plane: {private: true, authorized_networks: {office: 8.8.8.0/24}}"),
    edit=("office: 8.8.8.0/24", "office: 10.20.0.0/16"),
)
def public_network_on_private_endpoint(context: PlanContext) -> Iterable[Hit]:
    for cluster in context.fleet.clusters:
        control = cluster.plan.control_plane
        for name, block in control.authorized_networks.items() if control.private and not cluster.existing else ():
            if isinstance(block, str) and _has_public_addresses(block):
                yield Hit(
                    (*cluster.path, "control_plane", "authorized_networks", name),
                    f"authorized network {quoted(name)} contains public addresses, but the endpoint is private",
                    given=block,
                    allowed=("internal ranges such as 10.0.0.0/8, 172.16.0.0/12 and 192.168.0.0/16",),
                )


def _has_public_addresses(block: str) -> bool:
    try:
        network = ipaddress.IPv4Network(block)
    except ValueError:
        return False
    return network.is_global or network.prefixlen < _LONGEST_SPECIAL


@warning(
    "TPU272",
    plans_only="another program can create Cloud NAT in the network",
    about=of_clusters("network.create.nat"),
    title="Private nodes without Cloud NAT",
    why="private nodes have no public addresses. Without Cloud NAT, they reach only Google services and cannot pull "
    "images from other registries",
    fix="Keep `nat` enabled, or mirror every image in Artifact Registry.",
    references=["gke-hardening", "google-skills-networking"],
    failing=in_cluster("""
network:
  create: {nat: false}
"""),
    edit=("location: us-east5", "location: us-east5\nprivate_nodes: false"),
)
def private_nodes_without_nat(context: PlanContext) -> Iterable[Hit]:
    for cluster in context.fleet.clusters:
        network = cluster.plan.network
        create = network.create if network is not None else None
        if create is not None and not create.nat and cluster.plan.private_nodes is not False:
            yield Hit(
                (*cluster.path, "network", "create", "nat"),
                "the nodes are private, and the network has no Cloud NAT",
                fix=SetKeys.of(nat=True),
            )
