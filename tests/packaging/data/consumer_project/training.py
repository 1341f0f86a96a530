"""The platform of a research team: a network, a cluster, and TPU slices in the cluster."""

from typing import Any

import pulumi
import pulumi_gcp as gcp

from pulumi_gke_tpu import TpuSlices

PROJECT = "acme-research"
REGION = "us-east5"


def existing_cluster(provider: gcp.Provider) -> gcp.container.Cluster:
    """The cluster of the team, created without pulumi-gke-tpu."""
    options = pulumi.ResourceOptions(provider=provider)
    vpc = gcp.compute.Network("research", project=PROJECT, auto_create_subnetworks=False, mtu=8896, opts=options)
    nodes = gcp.compute.Subnetwork(
        "nodes", project=PROJECT, region=REGION, network=vpc.id, ip_cidr_range="10.0.0.0/20", opts=options
    )
    return gcp.container.Cluster(
        "shared",
        project=PROJECT,
        location=REGION,
        network=vpc.id,
        subnetwork=nodes.id,
        initial_node_count=1,
        deletion_protection=False,
        opts=options,
    )


def owned_by(team: str) -> pulumi.ResourceTransform:
    """Add a resource label with the team to the nodes of every node pool."""

    def transform(args: pulumi.ResourceTransformArgs) -> pulumi.ResourceTransformResult | None:
        if args.type_ != "gcp:container/nodePool:NodePool":
            return None
        node: Any = args.props["nodeConfig"]
        labels = {**node.get("resourceLabels", {}), "team": team}
        props = {**args.props, "nodeConfig": {**node, "resourceLabels": labels}}
        return pulumi.ResourceTransformResult(props, args.opts)

    return transform


def main(topology: str = "4x4") -> None:
    """The whole program."""
    provider = gcp.Provider("research", project=PROJECT)
    cluster = existing_cluster(provider)
    platform = pulumi.ComponentResource("acme:index:Platform", "platform")
    reader = gcp.projects.IAMMember(
        "reader",
        project=PROJECT,
        role="roles/storage.objectViewer",
        member="group:research@acme.example",
        opts=pulumi.ResourceOptions(provider=provider),
    )
    slices = TpuSlices(
        "shared/pretrain",
        {
            "project": PROJECT,
            "cluster": cluster.id,
            "location": REGION,
            "tpu": "v6e",
            "topology": topology,
            "count": 2,
            "zone": "us-east5-b",
            "capacity": {"reservation": "v6e-research"},
            "node_service_account": f"tpu-nodes@{PROJECT}.iam.gserviceaccount.com",
        },
        pulumi.ResourceOptions(
            provider=provider,
            parent=platform,
            protect=True,
            transforms=[owned_by("research")],
            depends_on=[reader],
        ),
    )
    pulumi.export("node_selector", slices.node_selector)
    pulumi.export("pools", slices.pool_names)


if __name__ == "__main__":
    main()
