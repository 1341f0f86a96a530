"""The networks that are created for a cluster: its own with Cloud NAT, and those of additional interfaces of hosts."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pulumi_gke_tpu.core.fleet import Cluster, InterfaceNetwork
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.graph.builders.properties import former_names, without_none
from pulumi_gke_tpu.core.graph.declared import Declared, DeclaredOptions, Key, Ref, key_of
from pulumi_gke_tpu.core.graph.resource_types import CLUSTER, FIREWALL, NETWORK, ROUTER, ROUTER_NAT, SUBNETWORK
from pulumi_gke_tpu.core.plan.networks import CreateNetwork
from pulumi_gke_tpu.core.text.findings import format_path

PODS_RANGE, SERVICES_RANGE = "pods", "services"


@frozen
class ClusterNetwork:
    """The network properties of a cluster, and the network resources that are created for it."""

    properties: dict[str, Any]
    resources: Sequence[Declared] = ()

    @property
    def nat(self) -> tuple[Key, ...]:
        """Cloud NAT, without which private nodes cannot pull images when they start."""
        return tuple(resource.key for resource in self.resources if resource.type == ROUTER_NAT)


def cluster_network(cluster: Cluster, parent: Key, plan_path: str) -> ClusterNetwork:
    """The cluster's network: the project's default one, an existing one, or one created for it.

    VPC-native is always written, since it cannot be changed later.
    """
    written = cluster.plan.network
    if written is None:
        return ClusterNetwork({"network": "default", "ipAllocationPolicy": {"stackType": "IPV4"}})
    if written.existing is not None:
        existing = written.existing
        ranges = without_none(
            clusterSecondaryRangeName=existing.pods_range,
            servicesSecondaryRangeName=existing.services_range,
        )
        return ClusterNetwork(
            {
                "network": existing.network,
                "subnetwork": existing.subnetwork,
                "ipAllocationPolicy": {"stackType": "IPV4", **ranges},
            }
        )
    assert written.create is not None
    return _created(cluster, written.create, parent, plan_path)


def _created(cluster: Cluster, create: CreateNetwork, parent: Key, plan_path: str) -> ClusterNetwork:
    aliases = former_names(cluster.former_keys)
    options = DeclaredOptions(aliases=aliases)

    def declared(resource_type: str, options: DeclaredOptions = options, **properties: Any) -> Declared:
        common = {"name": cluster.name, "project": cluster.project}
        return Declared(resource_type, cluster.key, parent, {**common, **properties}, options, plan_path)

    network = declared(NETWORK, autoCreateSubnetworks=False, routingMode="REGIONAL", mtu=create.mtu)
    subnetwork = declared(
        SUBNETWORK,
        region=cluster.region,
        network=network["id"],
        ipCidrRange=create.subnet,
        privateIpGoogleAccess=True,
        secondaryIpRanges=[
            {"rangeName": PODS_RANGE, "ipCidrRange": create.pods},
            {"rangeName": SERVICES_RANGE, "ipCidrRange": create.services},
        ],
    )

    def nat() -> Iterator[Declared]:
        """For the subnetwork only."""
        router = declared(ROUTER, region=cluster.region, network=network["id"])
        yield router
        yield declared(
            ROUTER_NAT,
            # Compute Engine does not delete a subnetwork that a NAT lists, so a replaced subnetwork replaces the NAT.
            DeclaredOptions(aliases=aliases, delete_before_replace=True, replace_on_changes=("subnetworks",)),
            region=cluster.region,
            router=router["name"],
            natIpAllocateOption="AUTO_ONLY",
            sourceSubnetworkIpRangesToNat="LIST_OF_SUBNETWORKS",
            subnetworks=[{"name": subnetwork["id"], "sourceIpRangesToNats": ["ALL_IP_RANGES"]}],
        )

    properties = {
        "network": network["id"],
        "subnetwork": subnetwork["id"],
        "ipAllocationPolicy": {
            "stackType": "IPV4",
            "clusterSecondaryRangeName": PODS_RANGE,
            "servicesSecondaryRangeName": SERVICES_RANGE,
        },
    }
    return ClusterNetwork(properties, (network, subnetwork, *(nat() if create.nat else ())))


def interface_networks(cluster: Cluster, parent: Key) -> Iterator[Declared]:
    """The networks, subnetworks and firewall rules in ``additional_networks``."""
    for item in cluster.additional_networks:
        yield from _interface_network(cluster, item, parent)


def _interface_network(cluster: Cluster, item: InterfaceNetwork, parent: Key) -> Iterator[Declared]:
    aliases = former_names(item.former_keys)

    def declared(resource_type: str, options: DeclaredOptions, **properties: Any) -> Declared:
        common = {"name": item.name, "project": cluster.project}
        return Declared(resource_type, item.key, parent, {**common, **properties}, options, format_path(cluster.path))

    network = declared(
        NETWORK,
        # If both are replaced, the cluster comes first: its node pools are deleted with it, and their hosts have
        # interfaces in the network.
        DeclaredOptions(aliases=aliases, depends_on=(key_of(CLUSTER, cluster.key),)),
        autoCreateSubnetworks=False,
        routingMode="REGIONAL",
        mtu=item.plan.mtu,
    )
    yield network
    # GKE creates firewall rules only in the network of the cluster, and a network without rules drops all traffic.
    firewall = declared(
        FIREWALL,
        # Compute Engine does not delete a network with firewall rules, so a replaced network replaces the rule.
        DeclaredOptions(aliases=aliases, delete_before_replace=True, replace_on_changes=("network",)),
        network=network["id"],
        direction="INGRESS",
        sourceRanges=[item.plan.subnet],
        allows=[{"protocol": protocol} for protocol in ("icmp", "tcp", "udp")],
    )
    yield firewall
    # The rule comes first, so that hosts can reach each other as soon as they have the interface.
    yield declared(
        SUBNETWORK,
        DeclaredOptions(aliases=aliases, depends_on=(firewall.key,)),
        region=cluster.region,
        network=network["id"],
        ipCidrRange=item.plan.subnet,
        privateIpGoogleAccess=True,
    )


def interfaces(cluster: Cluster) -> Mapping[str, Mapping[str, Ref]]:
    """Name in ``additional_networks`` -> the network and subnetwork of a network interface."""
    return {
        str(item.path[-1]): {
            "network": Ref(key_of(NETWORK, item.key), "name"),
            "subnetwork": Ref(key_of(SUBNETWORK, item.key), "name"),
        }
        for item in cluster.additional_networks
    }
