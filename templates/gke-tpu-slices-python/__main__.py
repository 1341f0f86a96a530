"""A slice group in a cluster that exists."""

import pulumi

from pulumi_gke_tpu import TpuSlices

config = pulumi.Config()
cluster = config.require("cluster")
_, project, _, location, _, name = cluster.split("/")
slices = TpuSlices(
    f"{name}/pretrain",
    project=project,
    cluster=cluster,
    location=location,
    tpu="v6e",
    topology="4x4",
    zone=config.require("zone"),
    capacity="spot",
    node_service_account=config.require("nodeServiceAccount"),
)

pulumi.export("node_selector", slices.node_selector)
