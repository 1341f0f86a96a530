"""The network that a cluster brings along: network, subnetwork with ranges, and Cloud NAT."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pulumi
import pulumi_gcp as gcp

from pulumi_gke_tpu.components.inputs import given, to_input
from pulumi_gke_tpu.components.site import former_names
from pulumi_gke_tpu.fleet import Cluster
from pulumi_gke_tpu.plan.cluster import CreateNetwork

PODS_RANGE, SERVICES_RANGE = "pods", "services"


@dataclass(frozen=True)
class ClusterNetwork:
    """What a cluster is told about its network, and what must exist before its nodes."""

    properties: dict[str, Any]
    depends_on: Sequence[pulumi.Resource] = ()


def cluster_network(cluster: Cluster, parent: pulumi.Resource) -> ClusterNetwork:
    """The cluster's network: the project's default one, an existing one, or one made for it.

    Being VPC-native is said in every case, since it cannot be changed later.
    """
    written = cluster.plan.network
    if written is None:
        return ClusterNetwork({"network": "default", "ip_allocation_policy": {"stack_type": "IPV4"}})
    if written.existing is not None:
        existing = written.existing
        ranges = given(
            cluster_secondary_range_name=existing.pods_range,
            services_secondary_range_name=existing.services_range,
        )
        return ClusterNetwork(
            {
                "network": to_input(existing.network),
                "subnetwork": to_input(existing.subnetwork),
                "ip_allocation_policy": {"stack_type": "IPV4", **ranges},
            }
        )
    assert written.create is not None
    return _created(cluster, written.create, parent)


def _created(cluster: Cluster, create: CreateNetwork, parent: pulumi.Resource) -> ClusterNetwork:
    options = pulumi.ResourceOptions(parent=parent, aliases=former_names(cluster.former_keys))
    network = gcp.compute.Network(
        cluster.key,
        name=cluster.name,
        project=cluster.project,
        auto_create_subnetworks=False,
        routing_mode="REGIONAL",
        mtu=create.mtu,
        opts=options,
    )
    subnetwork = gcp.compute.Subnetwork(
        cluster.key,
        name=cluster.name,
        project=cluster.project,
        region=cluster.region,
        network=network.id,
        ip_cidr_range=create.subnet,
        private_ip_google_access=True,
        secondary_ip_ranges=[
            {"range_name": PODS_RANGE, "ip_cidr_range": create.pods},
            {"range_name": SERVICES_RANGE, "ip_cidr_range": create.services},
        ],
        opts=options,
    )
    properties = {
        "network": network.id,
        "subnetwork": subnetwork.id,
        "ip_allocation_policy": {
            "stack_type": "IPV4",
            "cluster_secondary_range_name": PODS_RANGE,
            "services_secondary_range_name": SERVICES_RANGE,
        },
    }
    return ClusterNetwork(properties, [_nat(cluster, network, subnetwork, options)] if create.nat else ())


def _nat(
    cluster: Cluster,
    network: "gcp.compute.Network",  # in quotes: loading gcp.compute takes a second, and most plans can do without
    subnetwork: "gcp.compute.Subnetwork",
    options: pulumi.ResourceOptions,
) -> pulumi.Resource:
    """Cloud NAT for the subnetwork only, so that images outside Google can be pulled by private nodes."""
    router = gcp.compute.Router(
        cluster.key,
        name=cluster.name,
        project=cluster.project,
        region=cluster.region,
        network=network.id,
        opts=options,
    )
    return gcp.compute.RouterNat(
        cluster.key,
        name=cluster.name,
        project=cluster.project,
        region=cluster.region,
        router=router.name,
        nat_ip_allocate_option="AUTO_ONLY",
        source_subnetwork_ip_ranges_to_nat="LIST_OF_SUBNETWORKS",
        subnetworks=[{"name": subnetwork.id, "source_ip_ranges_to_nats": ["ALL_IP_RANGES"]}],
        opts=options,
    )
