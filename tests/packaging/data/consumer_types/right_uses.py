"""A program of a user, as a type checker sees it: everything here is correct."""

import pulumi

from pulumi_gke_tpu import AutopilotCluster, SliceGroupArgs, StandardCluster, TpuFleet, TpuSlices, load_plan


def cluster_of_another_team() -> pulumi.Output[str]:
    """An id that is known only when their stack is read."""
    return pulumi.StackReference("acme/platform/prod").get_output("cluster_id").apply(str)


serve: SliceGroupArgs = {"tpu": "v6e", "topology": "2x2", "min": 2, "max": 6, "zone": "us-east5-b"}

east = StandardCluster(
    "train-east",
    {
        "project": "acme-ml",
        "location": "us-east5",
        "network": {"create": {"mtu": 8896, "nat": True}},
        "resource_labels": {"stack": pulumi.get_stack()},
        "slices": {
            "pretrain": {
                "tpu": "v6e",
                "topology": "16x16",
                "count": 2,
                "zone": "us-east5-b",
                "capacity": {"reservation": {"name": "v6e-pretrain"}},
                "node_labels": {"cluster": cluster_of_another_team()},
            },
            "serve": serve,
        },
    },
    pulumi.ResourceOptions(protect=True),
)

dev = AutopilotCluster("dev", {"project": "acme-ml", "location": "us-central1", "release_channel": "rapid"})

cubes = TpuSlices(
    "ironwood/cubes",
    {
        "project": "acme-ml",
        "cluster": cluster_of_another_team(),
        "location": "us-central1",
        "tpu": "tpu7x",
        "topology": "4x4x8",
        "zone": "us-central1-c",
        "capacity": {"flex_start": {"max_run_duration": "3d"}},
    },
)

sweep = TpuSlices(
    "ironwood/sweep",
    project="acme-ml",
    cluster=cluster_of_another_team(),
    location="us-central1",
    tpu="v6e",
    topology="2x2",
    zone="us-central1-c",
    count={"min": 0, "max": 4},
    capacity="spot",
    taints=[{"key": "team", "value": "research", "effect": "NoSchedule"}],
    opts=pulumi.ResourceOptions(protect=True),
)
shared = StandardCluster("shared", project="acme-ml", location="us-east5", network="create", addons=["gcs_fuse"])

fleet = TpuFleet("prod", load_plan("plan.yaml"))

name: pulumi.Output[str] = east.cluster_name
hosts: pulumi.Output[int] = east.slices["pretrain"].hosts
pulumi.export("selector", cubes.node_selector.apply(lambda labels: labels["cloud.google.com/gke-tpu-topology"]))
pulumi.export("commands", fleet.kubeconfig_commands)
pulumi.export("dev", dev.kubeconfig_command)
