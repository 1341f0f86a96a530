"""A Pulumi program as one writes it by hand: the node pools of a file, under Pulumi's own mocks, in one process.

usage: bare_program.py POOLS.json [INPUTS.json]

It is what ``gke-tpu preview`` is measured against, so it registers the same pools with the same properties and
options, with typed arguments. With a second file it writes what it registered, and ``run.py`` compares that with what
the components register.
"""

import json
import pathlib
import sys
from typing import Any

import pulumi
import pulumi_gcp as gcp


class Mocks(pulumi.runtime.Mocks):
    """Inputs come back as outputs. ``registered`` is filled only where it will be looked at."""

    def __init__(self, keep: bool) -> None:
        self.keep = keep
        self.registered: dict[str, Any] = {}

    def new_resource(self, args: pulumi.runtime.MockResourceArgs) -> tuple[str | None, dict[Any, Any]]:
        """Answer a registration."""
        if self.keep and args.typ == "gcp:container/nodePool:NodePool":
            self.registered[args.name] = args.inputs
        computed = {"email": f"{args.name}@acme-ml.iam.gserviceaccount.com"} if "account:Account" in args.typ else {}
        return f"{args.name}-id", {**args.inputs, **computed}

    def call(self, args: pulumi.runtime.MockCallArgs) -> dict[Any, Any]:
        """Answer a provider function: the program calls none."""
        return {}


def node_pool(
    pool: dict[str, Any], fixed: list[str], cluster: gcp.container.Cluster, account: gcp.serviceaccount.Account
) -> None:
    """One pool: a slice of several hosts, or an autoscaled pool of single hosts."""
    multi_host = pool["topology"] is not None
    gcp.container.NodePool(
        pool["key"],
        gcp.container.NodePoolArgs(
            name=pool["name"],
            cluster=cluster.id,
            project="acme-ml",
            location="us-east5",
            node_locations=["us-east5-b"],
            node_count=pool["hosts"] if multi_host else None,
            ignore_node_count_changes=True if multi_host else None,
            initial_node_count=None if multi_host else 0,
            autoscaling=None
            if multi_host
            else gcp.container.NodePoolAutoscalingArgs(
                total_min_node_count=0, total_max_node_count=pool["hosts"], location_policy="ANY"
            ),
            node_config=gcp.container.NodePoolNodeConfigArgs(
                machine_type="ct6e-standard-4t",
                service_account=account.email,
                oauth_scopes=["https://www.googleapis.com/auth/cloud-platform"],
                spot=False,
                reservation_affinity=gcp.container.NodePoolNodeConfigReservationAffinityArgs(
                    consume_reservation_type="NO_RESERVATION"
                ),
                gvnic=gcp.container.NodePoolNodeConfigGvnicArgs(enabled=True),
                shielded_instance_config=gcp.container.NodePoolNodeConfigShieldedInstanceConfigArgs(
                    enable_secure_boot=False, enable_integrity_monitoring=True
                ),
                workload_metadata_config=gcp.container.NodePoolNodeConfigWorkloadMetadataConfigArgs(
                    mode="GKE_METADATA"
                ),
                kubelet_config=gcp.container.NodePoolNodeConfigKubeletConfigArgs(
                    insecure_kubelet_readonly_port_enabled="FALSE"
                ),
            ),
            placement_policy=gcp.container.NodePoolPlacementPolicyArgs(type="COMPACT", tpu_topology=pool["topology"])
            if multi_host
            else None,
            network_config=gcp.container.NodePoolNetworkConfigArgs(enable_private_nodes=True),
            management=gcp.container.NodePoolManagementArgs(auto_repair=True, auto_upgrade=True),
            upgrade_settings=gcp.container.NodePoolUpgradeSettingsArgs(
                strategy="SURGE", max_surge=0, max_unavailable=1
            ),
        ),
        pulumi.ResourceOptions(
            delete_before_replace=True,
            replace_on_changes=[*fixed, "autoscaling"] if multi_host else fixed,
            ignore_changes=None if multi_host else ["initialNodeCount", "nodeCount"],
            custom_timeouts=pulumi.CustomTimeouts(create="2h", update="2h", delete="2h"),
        ),
    )


def main(pools: pathlib.Path, inputs: pathlib.Path | None) -> None:
    """Register everything and wait until it is registered."""
    content = json.loads(pools.read_text(encoding="utf-8"))
    mocks = Mocks(keep=inputs is not None)
    pulumi.runtime.set_mocks(mocks, preview=False)

    @pulumi.runtime.test
    def program() -> None:
        account = gcp.serviceaccount.Account("nodes", account_id="nodes", project="acme-ml")
        cluster = gcp.container.Cluster("train", name="train", location="us-east5", project="acme-ml")
        for pool in content["pools"]:
            node_pool(pool, content["replace_on_changes"], cluster, account)

    program()
    if inputs is not None:
        inputs.write_text(json.dumps(mocks.registered), encoding="utf-8")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else None)
