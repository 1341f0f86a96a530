"""Checks of access to the control plane and from the nodes: TPU271 and TPU272."""

import ipaddress
from collections.abc import Iterable

from pulumi_gke_tpu.findings import Severity, quoted
from pulumi_gke_tpu.rules.engine.context import PlanContext
from pulumi_gke_tpu.rules.engine.hit import Hit
from pulumi_gke_tpu.rules.engine.rule import Scope, rule


@rule(
    "TPU271",
    "public-control-plane",
    scope=Scope.PLAN,
    since="0.1",
    title="Control plane is open to all addresses",
    why="without authorized networks, or with an authorized network that contains every address, anyone on the "
    "internet can reach the IP endpoint",
    fix="List the networks that may access the control plane (`authorized_networks`). Or keep the DNS endpoint and "
    "disable the IP endpoint.",
    references=["gke-hardening", "google-skills-security"],
    severity=Severity.WARNING,
    failing="""
mode: standard
location: us-east5
control_plane: {dns_endpoint: false}
""",
    passing="""
mode: standard
location: us-east5
control_plane: {dns_endpoint: false, authorized_networks: {office: 203.0.113.0/24}}
""",
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
                fix="authorized_networks: {office: 203.0.113.0/24}",
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
    "TPU272",
    "private-nodes-without-nat",
    scope=Scope.PLAN,
    since="0.1",
    title="Private nodes without Cloud NAT",
    why="private nodes have no public addresses. Without Cloud NAT, they reach only Google services and cannot pull "
    "images from other registries",
    fix="Keep `nat` enabled, or mirror every image in Artifact Registry.",
    references=["gke-hardening", "google-skills-networking"],
    severity=Severity.WARNING,
    failing="""
mode: standard
location: us-east5
network:
  create: {nat: false}
""",
    passing="""
mode: standard
location: us-east5
private_nodes: false
network:
  create: {nat: false}
""",
)
def private_nodes_without_nat(context: PlanContext) -> Iterable[Hit]:
    for cluster in context.fleet.clusters:
        network = cluster.plan.network
        create = network.create if network is not None else None
        if create is not None and not create.nat and cluster.plan.private_nodes is not False:
            yield Hit(
                (*cluster.path, "network", "create", "nat"),
                "the nodes are private, and the network has no Cloud NAT",
                fix="nat: true",
            )
