"""Changes that spread from one resource to others, as observed with the real provider: programs, and the plans."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pulumi_gcp as gcp

Program = Callable[[], None]
DELETE_FIRST, CREATE_FIRST = "replace, delete first", "replace, create first"
LOCATION = "us-west4"
CLUSTER: dict[str, Any] = {
    "name": "cl",
    "initial_node_count": 1,
    "remove_default_node_pool": True,
    "deletion_protection": False,
}
POOL: dict[str, Any] = {"node_count": 1, "node_locations": ["us-west4-a"]}
MACHINE = {"machine_type": "ct5lp-hightpu-4t"}


def policy_topology(topology: str, **name: str) -> None:
    cluster = gcp.container.Cluster("cl", location=LOCATION, **CLUSTER)
    policy = gcp.compute.ResourcePolicy(
        "wp",
        region=LOCATION,
        workload_policy={"type": "HIGH_THROUGHPUT", "accelerator_topology": topology},
        **({"name": "wp"} if name else {}),
    )
    gcp.container.NodePool(
        "slice",
        cluster=cluster.id,
        node_locations=["us-west4-a"],
        node_config={"machine_type": "tpu7x-standard-4t"},
        placement_policy={"type": "", "policy_name": policy.name},
        autoscaling={"min_node_count": 0, "max_node_count": 2 if topology == "2x2x2" else 4},
        **name,
    )


def cluster_location(location: str, bound_by: Callable[[gcp.container.Cluster], Any]) -> None:
    cluster = gcp.container.Cluster("cl", location=location, **CLUSTER)
    gcp.container.NodePool(
        "pool", name="pool", cluster=bound_by(cluster), location=cluster.location, node_count=1, node_config=MACHINE
    )


def network(description: str, ip_range: str) -> None:
    net = gcp.compute.Network("net", name="net", auto_create_subnetworks=False, description=description)
    sub = gcp.compute.Subnetwork("sub", name="sub", region=LOCATION, network=net.id, ip_cidr_range=ip_range)
    cluster = gcp.container.Cluster("cl", location=LOCATION, network=net.id, subnetwork=sub.id, **CLUSTER)
    for name in ("pool", "slice"):
        gcp.container.NodePool(name, name=name, cluster=cluster.id, node_config=MACHINE, **POOL)


def account(account_id: str) -> None:
    cluster = gcp.container.Cluster("cl", location=LOCATION, **CLUSTER)
    node_account = gcp.serviceaccount.Account("sa", account_id=account_id)
    config = {**MACHINE, "service_account": node_account.email}
    gcp.container.NodePool("pool", name="pool", cluster=cluster.id, node_config=config, **POOL)


@dataclass(frozen=True)
class Cascade:
    """Before and after, and the steps in the order in which they are carried out; of equal ones any may come first."""

    what: str
    before: Program
    after: Program
    op: str
    steps: tuple[tuple[str, ...], ...]

    def __str__(self) -> str:
        return self.what


CASCADES = (
    Cascade(
        "workload policy topology",
        lambda: policy_topology("2x2x2", name="slice"),
        lambda: policy_topology("2x2x4", name="slice"),
        DELETE_FIRST,
        (("delete slice",), ("delete wp",), ("create wp",), ("create slice",)),
    ),
    Cascade(
        "workload policy topology, autonamed",
        lambda: policy_topology("2x2x2"),
        lambda: policy_topology("2x2x4"),
        CREATE_FIRST,
        (("create wp",), ("create slice",), ("delete slice",), ("delete wp",)),
    ),
    Cascade(
        "cluster location",
        lambda: cluster_location("us-west4", lambda cluster: cluster.id),
        lambda: cluster_location("us-east5", lambda cluster: cluster.id),
        DELETE_FIRST,
        (("delete pool",), ("delete cl",), ("create cl",), ("create pool",)),
    ),
    Cascade(
        "cluster location, pool bound by name",
        lambda: cluster_location("us-west4", lambda cluster: cluster.name),
        lambda: cluster_location("us-east5", lambda cluster: cluster.name),
        DELETE_FIRST,
        (("delete pool",), ("delete cl",), ("create cl",), ("create pool",)),
    ),
    Cascade(
        "network description",
        lambda: network("a", "10.1.0.0/20"),
        lambda: network("b", "10.1.0.0/20"),
        DELETE_FIRST,
        (
            ("delete pool", "delete slice"),
            ("delete cl",),
            ("delete sub",),
            ("delete net",),
            ("create net",),
            ("create sub",),
            ("create cl",),
            ("create pool", "create slice"),
        ),
    ),
    Cascade(
        "subnetwork grown",
        lambda: network("a", "10.1.0.0/20"),
        lambda: network("a", "10.1.0.0/16"),
        "update",
        (("update sub",),),
    ),
    Cascade(
        "service account id",
        lambda: account("acct-old"),
        lambda: account("acct-new"),
        DELETE_FIRST,
        (("delete pool",), ("delete sa",), ("create sa",), ("create pool",)),
    ),
)
