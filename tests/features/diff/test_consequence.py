"""What a change means, in sentences: hosts, order, capacity, jobs, protection; right for none, one and many."""

import dataclasses
import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.plan_edits import TODAY, catalog, items, only_item, pairs_of, preview, report

from pulumi_gke_tpu.core.fleet import Range
from pulumi_gke_tpu.core.graph.model import Graph
from pulumi_gke_tpu.core.graph.phrases import amount, counted, urn_words
from pulumi_gke_tpu.core.text.findings import quoted
from pulumi_gke_tpu.features.diff.comparison.change_report import diff_pairs

HEAD = "cpu_pools: {head: {machine_type: n2-standard-64, nodes: 4, zones: [us-east5-a, us-east5-b]}}\n"
MULTI = "tpu: v6e\ntopology: 4x4\n"
SINGLE = "tpu: v6e\ntopology: 2x2\n"
RESERVED = f"{MULTI}capacity: {{reservation: pool}}\n"
QUOTA = "The group uses {} chips of quota `tpus_per_tpu_family (CT6E)` in `us-east5`."
MINIMUM = (
    "GKE adds no host to reach the higher minimum until a Pod waits for one; `gcloud container clusters resize` with "
    "`--node-pool` and `--num-nodes` adds them now. "
)
LOST = "Without a reservation, the capacity can be lost while GKE re-creates the hosts."

GROUPS = [
    pytest.param(
        MULTI,
        f"{MULTI}node_service_account: create\n",
        (
            "`pretrain-0` is deleted (4 hosts, 16 chips), then created with 4 hosts (16 chips). Running jobs on "
            "`pretrain-0` stop; no capacity until the new nodes are ready (duration unknown). No reservation holds "
            "the capacity in the meantime. "
        )
        + QUOTA.format(16)
        + " 1 service account and 2 IAM grants are created.",
        id="account",
    ),
    pytest.param(
        MULTI,
        "tpu: v6e\ntopology: 4x8\n",
        (
            "`pretrain-0` is deleted (4 hosts, 16 chips), then created with 8 hosts (32 chips). Running jobs on "
            "`pretrain-0` stop; no capacity until the new nodes are ready (duration unknown). No reservation holds "
            "the capacity in the meantime. "
        )
        + QUOTA.format(32),
        id="replaced",
    ),
    pytest.param(
        f"{MULTI}count: 2\n",
        "tpu: v6e\ntopology: 4x8\ncount: 3\n",
        (
            "`pretrain-0` and `pretrain-1` are deleted (8 hosts, 32 chips), then created with 16 hosts (64 chips). "
            "Running jobs on `pretrain-0` and `pretrain-1` stop; no capacity until the new nodes are ready "
            "(duration unknown). `pretrain-2` is created with 8 hosts (32 chips). No reservation holds the capacity "
            "in the meantime. "
        )
        + QUOTA.format(96),
        id="replaced and more",
    ),
    pytest.param(
        f"{MULTI}count: {{max: 1}}\n",
        f"{MULTI}count: {{max: 1}}\ncapacity: flex_start\n",
        (
            "`pretrain-0` is deleted (up to 4 hosts, up to 16 chips), then created with up to 4 hosts (up to 16 "
            "chips). Running jobs on `pretrain-0` stop; no capacity until the new nodes are ready (duration "
            "unknown). GKE creates the hosts when flex-start capacity is available. The group uses up to 16 chips "
            "of quota `preemptible_tpu_v6e` in `us-east5`."
        ),
        id="flex-start",
    ),
    pytest.param(
        f"{MULTI}capacity: flex_start\n",
        f"{MULTI}capacity: queued\n",
        (
            "`pretrain-0` is deleted (up to 4 hosts, up to 16 chips), then created with up to 4 hosts (up to 16 "
            "chips). Running jobs on `pretrain-0` stop; no capacity until the new nodes are ready (duration "
            "unknown). GKE creates the hosts when it provisions a queued request. The group uses up to 16 chips of "
            "quota `preemptible_tpu_v6e` in `us-east5`."
        ),
        id="queued",
    ),
    pytest.param(
        SINGLE,
        f"{SINGLE}capacity: spot\n",
        (
            "`pretrain` is deleted (1 host, 4 chips), then created with 1 host (4 chips). Running jobs on "
            "`pretrain` stop; no capacity until the new nodes are ready (duration unknown). Hosts return only if "
            "Spot capacity is available. The group uses 4 chips of quota `preemptible_tpu_v6e` in `us-east5`."
        ),
        id="spot",
    ),
    pytest.param(
        f"{SINGLE}count: 0\n",
        f"{SINGLE}count: 0\ncapacity: spot\n",
        "`pretrain` is deleted, then created without hosts.",
        id="nothing to lose",
    ),
    pytest.param(
        RESERVED,
        RESERVED.replace("{reservation: pool}", "spot"),
        (
            "`pretrain-0` is deleted (4 hosts, 16 chips), then created with 4 hosts (16 chips). Running jobs on "
            "`pretrain-0` stop; no capacity until the new nodes are ready (duration unknown). Hosts return only if "
            "Spot capacity is available. The group uses 16 chips of quota `preemptible_tpu_v6e` in `us-east5`. The "
            "same update removes the protection, so the protection prevents nothing."
        ),
        id="protection falls away with the reservation",
    ),
    pytest.param(
        RESERVED,
        f"{RESERVED.replace('4x4', '4x8')}protect: false\n",
        (
            "`pretrain-0` is deleted (4 hosts, 16 chips), then created with 8 hosts (32 chips). Running jobs on "
            "`pretrain-0` stop; no capacity until the new nodes are ready (duration unknown). The group uses 8 VMs "
            "of reservation `pool`. The same update removes the protection, so the protection prevents nothing."
        ),
        id="protection is written off",
    ),
    pytest.param(
        f"{MULTI}count: 3\n",
        f"{MULTI}count: 1\n",
        "`pretrain-1` and `pretrain-2` are deleted (8 hosts, 32 chips); running jobs on them stop. `pretrain-0` stays.",
        id="fewer slices",
    ),
    pytest.param(
        f"{MULTI}count: 7\n",
        f"{MULTI}count: 1\n",
        "`pretrain-1`, `pretrain-2`, `pretrain-3` and 3 more are deleted (24 hosts, 96 chips); running jobs on them "
        "stop. `pretrain-0` stays.",
        id="many fewer slices",
    ),
    pytest.param(
        f"{MULTI}count: 2\n",
        f"{MULTI}count: 0\n",
        "`pretrain-0` and `pretrain-1` are deleted (8 hosts, 32 chips); running jobs on them stop.",
        id="no slices",
    ),
    pytest.param(
        MULTI,
        f"{MULTI}count: 2\n",
        "`pretrain-1` is created with 4 hosts (16 chips). " + QUOTA.format(32),
        id="one slice more",
    ),
    pytest.param(
        MULTI,
        f"{MULTI}name: other\n",
        "`pretrain-0` is deleted (4 hosts, 16 chips); running jobs on it stop. `other-0` is created with 4 hosts (16 "
        "chips). New node pools are created before old ones are deleted: capacity for 8 hosts is needed for some time. "
        + QUOTA.format(16),
        id="another name",
    ),
    pytest.param(
        f"{SINGLE}count: 6\n",
        f"{SINGLE}count: 5\n",
        "`pretrain` shrinks from 6 to 5 hosts. 1 host is deleted, and workloads on it stop.",
        id="shrinks",
    ),
    pytest.param(
        f"{SINGLE}count: 2\n",
        f"{SINGLE}count: 0\n",
        "`pretrain` shrinks from 2 to no hosts. 2 hosts are deleted, and workloads on them stop.",
        id="shrinks to nothing",
    ),
    pytest.param(
        f"{SINGLE}count: 0\n",
        f"{SINGLE}count: 1\n",
        "`pretrain` grows from 0 to 1 host. " + QUOTA.format(4),
        id="grows",
    ),
    pytest.param(
        f"{SINGLE}count: {{min: 0, max: 8}}\n",
        f"{SINGLE}count: {{min: 2, max: 4}}\n",
        f"The limits of the autoscaler for `pretrain` are 2 to 4 hosts instead of up to 8. {MINIMUM}"
        "The autoscaler removes only idle nodes: nodes in use can stay above the limit and cause cost.",
        id="other bounds",
    ),
    pytest.param(
        f"{SINGLE}count: {{min: 0, max: 8}}\n",
        f"{SINGLE}count: {{min: 4, max: 8}}\n",
        f"The limits of the autoscaler for `pretrain` are 4 to 8 hosts instead of up to 8. {MINIMUM.rstrip()}",
        id="higher minimum",
    ),
    pytest.param(
        f"{SINGLE}count: {{min: 4, max: 8}}\n",
        f"{SINGLE}count: {{min: 2, max: 8}}\n",
        "The limits of the autoscaler for `pretrain` are 2 to 8 hosts instead of 4 to 8.",
        id="lower minimum",
    ),
    pytest.param(
        f"{MULTI}count: 2\n",
        f"{MULTI}count: {{max: 2}}\n",
        "`pretrain-0` and `pretrain-1` are autoscaled from now on: up to 4 hosts each instead of 4; the autoscaler "
        "removes idle hosts.",
        id="autoscaled from now on",
    ),
    pytest.param(
        f"{SINGLE}count: {{min: 1, max: 2}}\n",
        f"{SINGLE}count: 2\n",
        "`pretrain` is no longer autoscaled: 2 hosts instead of 1 to 2.",
        id="no longer autoscaled",
    ),
    pytest.param(
        f"{MULTI}count: 2\n",
        f"{MULTI}count: 2\nboot_disk: {{size_gib: 200}}\n",
        "GKE re-creates the 8 hosts of `pretrain-0` and `pretrain-1`, all hosts of a slice at once; running jobs on "
        f"them stop. {LOST}",
        id="restart of slices",
    ),
    pytest.param(
        f"{SINGLE}count: 6\n",
        f"{SINGLE}count: 6\nboot_disk: {{size_gib: 200}}\nupgrade: {{max_surge: 2, max_unavailable: 1}}\n",
        "GKE drains and re-creates the 6 hosts of `pretrain`, 3 at a time; workloads on them stop. " + LOST,
        id="restart by surge",
    ),
    pytest.param(
        f"{SINGLE}upgrade: blue_green\n",
        f"{SINGLE}boot_disk: {{size_gib: 200}}\nupgrade: blue_green\n",
        (
            "GKE drains and re-creates the 1 host of `pretrain`, with a second set of nodes (blue-green); "
            "workloads on them stop. "
        )
        + LOST,
        id="restart by blue-green",
    ),
    pytest.param(
        f"{MULTI}capacity: flex_start\n",
        f"{MULTI}capacity: flex_start\nboot_disk: {{size_gib: 200}}\n",
        "No source in the catalog mentions a node restart. Running nodes of a flex-start or queued node pool do "
        "not change; new nodes get the new configuration.",
        id="restart of short-lived nodes",
    ),
    pytest.param(
        f"{SINGLE}boot_disk: {{size_gib: 200}}\n",
        SINGLE,
        (
            "The change has no effect: existing resources stay as they are. Removing `boot_disk.size_gib` from the "
            "plan is not enough: set the value that it should have."
        ),
        id="left out",
    ),
    pytest.param(
        f"{SINGLE}boot_disk: {{size_gib: 200, type: hyperdisk-balanced}}\n",
        SINGLE,
        (
            "The change has no effect: existing resources stay as they are. Removing `boot_disk.size_gib` and "
            "`boot_disk.type` from the plan is not enough: set the value that each should have."
        ),
        id="two left out",
    ),
    pytest.param(
        f"{SINGLE}boot_disk: {{size_gib: 200}}\nresource_labels: {{a: b}}\n",
        SINGLE,
        "Nodes are not affected. `nodeConfig.bootDisk` does not change: GKE keeps the existing value.",
        id="left out beside another key that is left out",
    ),
    pytest.param(
        f"{SINGLE}boot_disk: {{size_gib: 200}}\n",
        f"{SINGLE}capacity: spot\n",
        (
            "`pretrain` is deleted (1 host, 4 chips), then created with 1 host (4 chips). Running jobs on `pretrain` "
            "stop; no capacity until the new nodes are ready (duration unknown). Hosts return only if Spot capacity "
            "is available. The group uses 4 chips of quota `preemptible_tpu_v6e` in `us-east5`."
        ),
        id="left out beside a replacement, which keeps nothing",
    ),
    pytest.param(
        SINGLE,
        f"{SINGLE}maintenance: {{end_of_support: true}}\n",
        "The change has no effect: existing resources stay as they are. Only a new node pool can have the new value.",
        id="too late",
    ),
    pytest.param(
        SINGLE, f"{SINGLE}node_labels: {{a: b}}\n", "No source in the catalog mentions a node restart.", id="in place"
    ),
    pytest.param(SINGLE, f"{SINGLE}resource_labels: {{a: b}}\n", "Nodes are not affected.", id="metadata"),
    pytest.param(SINGLE, f"{SINGLE}timeouts: {{create: 3h}}\n", "Nothing in the cloud changes.", id="for Pulumi only"),
    pytest.param(SINGLE, f"{SINGLE}protect: true\n", "The group is protected from now on.", id="protected"),
    pytest.param(f"{SINGLE}protect: true\n", SINGLE, "The group is no longer protected.", id="unprotected"),
]


@pytest.mark.parametrize(("before", "after", "expected"), GROUPS)
def test_a_group(before: str, after: str, expected: str) -> None:
    assert only_item(before, after).consequence == expected


CLUSTER = "mode: standard\nlocation: us-east5\n"
WITH_SLICES = f"{CLUSTER}slices:\n  main: {{tpu: v6e, topology: 4x4, zone: us-east5-b, count: 2}}\n"
GONE = "workloads in it stop, and data stored in it is lost"

CLUSTERS = [
    pytest.param(
        WITH_SLICES,
        WITH_SLICES.replace("standard\n", "standard\nname: other\n"),
        f"The cluster is deleted with its node pools (8 TPU hosts), then created; {GONE}.",
        id="replaced",
    ),
    pytest.param(
        WITH_SLICES,
        WITH_SLICES.replace("standard", "autopilot").replace(", count: 2", ""),
        f"The cluster is deleted with its node pools (8 TPU hosts), then created; {GONE}.",
        id="other mode",
    ),
    pytest.param("", CLUSTER, "1 cluster, 1 node pool, 1 service account and 2 IAM grants are created.", id="new"),
    pytest.param(CLUSTER, "", f"The cluster is deleted; {GONE}.", id="gone"),
    pytest.param(
        f"{CLUSTER}system_pool: {{machine_type: n2-standard-4}}\n",
        f"{CLUSTER}system_pool: {{machine_type: n2-standard-8}}\n",
        "GKE drains and re-creates the nodes of the system pool (1 to 3 nodes); workloads on them move or stop.",
        id="system pool",
    ),
    pytest.param(CLUSTER, f"{CLUSTER}{HEAD}", "CPU pool `head` is created (4 nodes).", id="CPU pool new"),
    pytest.param(
        f"{CLUSTER}{HEAD}", CLUSTER, "CPU pool `head` is deleted (4 nodes); workloads on it stop.", id="CPU pool gone"
    ),
    pytest.param(
        f"{CLUSTER}{HEAD}",
        f"{CLUSTER}{HEAD}".replace("}}", ", spot: true}}"),
        "CPU pool `head` is deleted (4 nodes), then created; workloads on it stop.",
        id="CPU pool replaced",
    ),
    pytest.param(
        f"{CLUSTER}{HEAD}",
        f"{CLUSTER}{HEAD}".replace("}}", ", spot: true}}").replace("nodes: 4", "nodes: 2"),
        "CPU pool `head` is deleted (4 nodes), then created with 2 nodes; workloads on it stop.",
        id="CPU pool replaced and resized",
    ),
    pytest.param(
        f"{CLUSTER}{HEAD}",
        f"{CLUSTER}{HEAD}".replace("-64", "-80"),
        "GKE drains and re-creates the nodes of CPU pool `head` (4 nodes); workloads on them move or stop.",
        id="CPU pool restarted",
    ),
    pytest.param(
        f"{CLUSTER}{HEAD}",
        f"{CLUSTER}{HEAD}".replace("nodes: 4", "nodes: 8"),
        "CPU pool `head` has 8 nodes instead of 4. No source in the catalog mentions a node restart.",
        id="CPU pool larger",
    ),
    pytest.param(
        f"{CLUSTER}{HEAD}system_pool: {{min_nodes: 1, max_nodes: 5}}\n",
        f"{CLUSTER}{HEAD}system_pool: {{min_nodes: 3, max_nodes: 5}}\n".replace(
            "nodes: 4", "min_nodes: 2, max_nodes: 4"
        ),
        "The system pool has 3 to 5 nodes instead of 1 to 5. GKE adds no node to reach the higher minimum until a Pod "
        "waits for one; `gcloud container clusters resize` with `--node-pool` and `--num-nodes` adds them now. CPU "
        "pool `head` has 2 to 4 nodes instead of 4. No source in the catalog mentions a node restart.",
        id="higher minimum of the system pool",
    ),
    pytest.param(
        f"{CLUSTER}{HEAD}",
        f"{CLUSTER}{HEAD}".replace("nodes: 4", "nodes: 2"),
        "CPU pool `head` has 2 nodes instead of 4.",
        id="CPU pool smaller",
    ),
    pytest.param(
        f"{CLUSTER}{HEAD}system_pool: {{machine_type: n2-standard-4}}\n",
        f"{CLUSTER}system_pool: {{machine_type: n2-standard-8}}\n",
        (
            "GKE drains and re-creates the nodes of the system pool (1 to 3 nodes); workloads on them move or stop. "
            "CPU pool `head` is deleted (4 nodes); workloads on it stop."
        ),
        id="system pool and CPU pool",
    ),
    pytest.param(
        f'{CLUSTER}min_version: "1.34"\n',
        f'{CLUSTER}min_version: "1.35"\n',
        (
            "The control plane is upgraded during the update, regardless of maintenance window and exclusions. "
            "No source in the catalog mentions a node restart. GKE may re-create nodes later: with auto-upgrade, it "
            "upgrades them "
            "to the version of the control plane."
        ),
        id="version",
    ),
    pytest.param(
        CLUSTER,
        f"{CLUSTER}deletion_protection: false\n",
        "Nodes are not affected. Deletion protection is disabled from now on.",
        id="deletion protection off",
    ),
    pytest.param(
        f"{CLUSTER}deletion_protection: false\n",
        CLUSTER,
        "Nodes are not affected. Deletion protection is enabled from now on.",
        id="deletion protection on",
    ),
    pytest.param(
        CLUSTER,
        f"{CLUSTER}release_channel: rapid\n",
        "No source in the catalog mentions a node restart. Later, GKE may upgrade the control plane and the nodes to "
        "a version of the "
        "new channel, which re-creates nodes.",
        id="channel",
    ),
]


@pytest.mark.parametrize(("before", "after", "expected"), CLUSTERS)
def test_a_cluster(before: str, after: str, expected: str) -> None:
    assert items(before, after)["train"].consequence == expected


def test_a_cascade_names_its_root() -> None:
    found = items(WITH_SLICES, WITH_SLICES.replace("standard\n", "standard\nname: other\n"))
    assert found["train/main"].consequence.endswith("The cause is the replacement of cluster `train`.")
    network = "network: {create: {pods: 10.16.0.0/14}}\n"
    project = (
        f"version: 1\nproject: acme-ml\nclusters:\n  train: {{mode: standard, location: us-east5, {network.strip()}}}\n"
    )
    (cluster,) = report(project, project.replace("acme-ml", "acme-mx")).items
    roots = "network `train` and service account `train`"
    assert cluster.consequence.endswith(f"The cluster depends on {roots}, which are replaced.")


def test_only_hosts_that_existed_return_when_spot_capacity_is_available() -> None:
    group = WITH_SLICES.replace("count: 2", "capacity: spot")
    assert "return" not in items(CLUSTER, group)["train/main"].consequence


def test_a_restart_of_the_system_pool_names_its_own_limits() -> None:
    before = f"{CLUSTER}system_pool: {{min_nodes: 2, max_nodes: 5}}\n"
    after = f"{CLUSTER}system_pool: {{min_nodes: 2, max_nodes: 5, machine_type: e2-standard-8}}\n"
    assert "the system pool (2 to 5 nodes)" in items(before, after)["train"].consequence


def test_a_replacement_has_no_later_effects_of_an_update() -> None:
    raised = WITH_SLICES.replace("standard\n", 'standard\nmin_version: "1.34"\n')
    later = "GKE may re-create nodes later"
    assert later in items(WITH_SLICES, raised)["train"].consequence
    assert later not in items(WITH_SLICES, raised.replace("standard\n", "standard\nname: other\n"))["train"].consequence


UNWRITTEN = "The plan is unchanged: the catalog or gke-tpu has changed."


def unwritten(before: str, after: str, resource: str, **inputs: Any) -> dict[str, str]:
    """Consequences of a change with which another version of this library gives one resource other inputs."""
    head = preview(after)
    resources = tuple(
        dataclasses.replace(item, inputs={**item.inputs, **inputs}) if item.urn.endswith(resource) else item
        for item in head.graph.resources
    )
    assert resources != head.graph.resources
    head = dataclasses.replace(head, graph=Graph(resources))
    found = diff_pairs(pairs_of([preview(before)], [head]), catalog(), today=TODAY)
    return {item.item: item.consequence for item in found.items}


def test_a_difference_that_no_key_explains_comes_from_the_catalog_or_the_library() -> None:
    labels = {"resourceLabels": {"a": "b"}}
    found = unwritten(WITH_SLICES, WITH_SLICES, "cluster:Cluster::train", **labels)
    assert found == {"train": f"Nodes are not affected. {UNWRITTEN}"}
    pool = "nodePool:NodePool::train/main/main-0"
    found = unwritten(WITH_SLICES, WITH_SLICES, pool, maxPodsPerNode=64)
    assert list(found) == ["train/main"]
    assert found["train/main"].endswith(UNWRITTEN)


def test_a_property_of_the_cluster_that_a_slice_group_sets_comes_from_the_groups() -> None:
    networks = "additional_networks: [{network: net1, subnetwork: sub1}]"
    group = "slices: {main: {tpu: v6e, topology: 4x4, zone: us-east5-b"
    before = f"mode: standard\nlocation: us-east5\nnetwork: create\n{group}, {networks}}}}}\n"
    after = before.replace(f", {networks}", "")
    for one, other in ((before, after), (after, before)):
        cluster = items(one, other)["train"].consequence
        assert cluster.endswith("The slice groups of the cluster require it.")
        assert UNWRITTEN not in cluster


def test_the_catalog_or_the_library_is_named_beside_a_lifted_protection() -> None:
    group = "{tpu: v6e, topology: 4x4, zone: us-east5-b, capacity: {reservation: pool}}"
    cluster = f"train: {{mode: standard, location: us-east5, slices: {{main: {group}}}}}"
    before = f"version: 1\nproject: acme-ml\nclusters:\n  {cluster}\n"
    after = f"{before}acknowledge: [{{change: replace, of: train/main, reason: r, until: 2026-12-01}}]\n"
    lifted = "The acknowledgement lifts the protection of the group until 2026-12-01."
    assert items(before, after)["train/main"].consequence == lifted
    upgrade = {"strategy": "SURGE", "maxSurge": 1, "maxUnavailable": 0}
    found = unwritten(before, after, "nodePool:NodePool::train/main/main-0", upgradeSettings=upgrade)
    assert found["train/main"].endswith(f"{lifted} {UNWRITTEN}")


AUTOPILOT = "mode: autopilot\nlocation: us-central1\nslices:\n  a: {tpu: v5e, topology: 2x2}\n"
FIND = "workloads select it with accelerator `tpu-v5-lite-podslice` and topology `2x2`"


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (
            f"{AUTOPILOT}  b: {{tpu: v5e, topology: 1x1}}\n",
            AUTOPILOT,
            "Autopilot has no node pools: nothing is deleted, and running Pods keep their nodes.",
        ),
        (
            AUTOPILOT.replace("  a: {tpu: v5e, topology: 2x2}\n", "  b: {tpu: v5e, topology: 2x2}\n"),
            AUTOPILOT,
            f"Autopilot has no node pools: nothing is created; {FIND}. The totals assume 4 chips.",
        ),
        (
            AUTOPILOT.replace("2x2", "1x1"),
            AUTOPILOT,
            f"Nothing in the cloud changes: {FIND} from now on, and running Pods keep their nodes. The totals assume 4 "
            "chips instead of 1.",
        ),
        (
            AUTOPILOT.replace("2x2", "2x2, count: 3"),
            AUTOPILOT,
            "Nothing in the cloud changes, and running Pods keep their nodes. The totals assume 4 chips instead of 12.",
        ),
    ],
)
def test_autopilot_has_no_node_pools(before: str, after: str, expected: str) -> None:
    item = report(before, after).items[-1 if "b:" in before else 0]
    found = {item.item: item for item in report(before, after).items}
    name = "train/b" if "nothing is deleted" in expected else "train/a"
    assert (found[name].change, found[name].consequence) == ("metadata", expected)
    assert item.hosts_gone == item.hosts_new == Range(0, 0)


OWNED = """
reservations:
  - {{name: pool, project: acme-ml, zone: us-east5-b, machine_type: ct6e-standard-4t, vms: {vms}}}
quotas:
  - {{project: acme-ml, metric: tpus_per_tpu_family, family: CT6E, region: us-east5, limit: {limit}}}
"""


@pytest.mark.parametrize(
    ("after", "vms", "limit", "expected"),
    [
        (
            f"{RESERVED}count: 2\n",
            8,
            0,
            "The group uses 8 VMs of reservation `pool`; the reservation has 8 available VMs.",
        ),
        (
            f"{RESERVED}count: 2\n",
            1,
            0,
            "The group uses 8 VMs of reservation `pool`; the reservation has 1 available VM, 7 too few.",
        ),
        (
            f"{RESERVED}count: 2\n",
            7,
            0,
            "The group uses 8 VMs of reservation `pool`; the reservation has 7 available VMs, 1 too few.",
        ),
        (
            f"{RESERVED}count: 2\n",
            0,
            0,
            "The group uses 8 VMs of reservation `pool`; the reservation has no available VMs, 8 too few.",
        ),
        (
            f"{RESERVED}count: {{max: 2}}\n",
            6,
            0,
            "The group uses up to 8 VMs of reservation `pool`; the reservation has 6 available VMs, 2 too few if all "
            "groups are scaled up.",
        ),
        (
            f"{RESERVED}count: {{min: 1, max: 2}}\n",
            6,
            0,
            "The group uses 4 to 8 VMs of reservation `pool`; the reservation has 6 available VMs, 2 too few if all "
            "groups are scaled up.",
        ),
        (
            f"{RESERVED}count: {{min: 1, max: 2}}\n",
            4,
            0,
            "The group uses 4 to 8 VMs of reservation `pool`; the reservation has 4 available VMs, 4 too few if all "
            "groups are scaled up.",
        ),
        (
            f"{RESERVED}count: {{min: 1, max: 2}}\n",
            3,
            0,
            "The group uses 4 to 8 VMs of reservation `pool`; the reservation has 3 available VMs, 5 too few.",
        ),
        (
            f"{MULTI}count: 2\n",
            0,
            512,
            "The group uses 32 chips of quota `tpus_per_tpu_family (CT6E)` in `us-east5`; the quota has 512 "
            "available chips.",
        ),
    ],
)
def test_the_use_is_compared_with_the_inventory(after: str, vms: int, limit: int, expected: str) -> None:
    before = CLUSTER
    head = f"{CLUSTER}slices:\n  pretrain:\n    zone: us-east5-b\n" + "".join(
        f"    {line}\n" for line in after.splitlines()
    )
    found = items(before, head, owned=OWNED.format(vms=vms, limit=limit))
    assert found["train/pretrain"].consequence.endswith(expected)


def test_the_use_by_other_groups_is_reported() -> None:
    group = "{{tpu: v6e, topology: {}, zone: us-east5-b, capacity: {{reservation: pool}}}}"
    before = f"{CLUSTER}slices:\n  a: {group.format('4x4')}\n"
    after = f"{before}  b: {group.format('4x8')}\n"
    found = items(before, after, owned=OWNED.format(vms=16, limit=0))
    assert found["train/b"].consequence.endswith(
        "The group uses 8 VMs (12 with other groups) of reservation `pool`; the reservation has 16 available VMs."
    )


def test_facts_are_the_reasons_of_the_differences_and_of_the_sentences() -> None:
    item = only_item(f"{MULTI}count: 2\n", f"{MULTI}count: 2\nboot_disk: {{size_gib: 200}}\n")
    texts = [fact.text for fact in item.facts]
    assert len(texts) == len(set(texts))
    assert any("re-creates all hosts of a multi-host slice at once" in text for text in texts)
    assert all(fact.source for fact in item.facts)


def test_facts_of_a_replacement_are_about_the_replacement() -> None:
    item = only_item(MULTI, "tpu: v6e\ntopology: 4x8\nnode_labels: {a: b}\n")
    effects = {difference.effect for change in item.resources for difference in change.differences}
    assert {"replace", "in-place"} <= effects
    reasons = {
        difference.fact
        for change in item.resources
        for difference in change.differences
        if difference.effect == "replace"
    }
    assert set(item.facts) == reasons


HOSTILE = st.text(st.characters(codec="utf-8"), min_size=1, max_size=30)


@given(HOSTILE)
def test_a_name_stays_one_piece_of_code(name: str) -> None:
    assert re.fullmatch(r"`[^`\n\r]*`", quoted(name))
    assert urn_words(f"urn:pulumi:preview::p::a$gcp:compute/network:Network::{name}") == f"network {quoted(name)}"


@pytest.mark.parametrize("name", ["a|b `c` @all", "</details>", "a::b", "http://x", "x" * 200, "$&*#"])
def test_hostile_names_change_nothing_around_them(name: str) -> None:
    key = json.dumps(name)
    before = f"{CLUSTER}slices:\n  {key}: {{tpu: v6e, topology: 4x4, zone: us-east5-b, name: main}}\n"
    found = report(before, before.replace("4x4", "4x8").replace("standard\n", "standard\nname: other\n"))
    assert {item.item for item in found.items} == {"train", f"train/{name}"}
    for item in found.items:
        for text in (item.consequence, item.refused, *(fix.text for fix in item.fixes)):
            assert text.isprintable()
            assert text.count("`") % 2 == 0


@given(st.integers(0, 3), st.integers(0, 3))
def test_numbers_and_nouns_agree(low: int, more: int) -> None:
    text = amount(Range(low, low + more), "host")
    assert text.endswith(" host") == (low + more == 1)
    assert not re.search(r"\b0 ", text)


def test_words_of_counts() -> None:
    assert [counted(number, "policy", "policies") for number in (0, 1, 2000)] == [
        "no policies",
        "1 policy",
        "2,000 policies",
    ]


def test_auto_provisioning_that_is_disabled_is_named() -> None:
    limits = "autoprovisioning: {cpu: 100, memory_gib: 400}\n"
    cluster = only_item(CLUSTER + limits, CLUSTER)
    assert "Node auto-provisioning is disabled: GKE creates no more node pools" in cluster.consequence
    smaller = only_item(CLUSTER + limits, CLUSTER + limits.replace("100", "50"))
    assert "Node auto-provisioning" not in smaller.consequence
    enabled = only_item(CLUSTER, CLUSTER + limits)
    assert "is disabled" not in enabled.consequence


def test_a_replaced_system_pool_names_both_sizes() -> None:
    before = f"{CLUSTER}deletion_protection: false\nsystem_pool: {{min_nodes: 2}}\n"
    after = before.replace("system_pool: {min_nodes: 2}", "system_pool: {min_nodes: 4, max_nodes: 9}")
    after += "security: {secure_boot: false}\n"
    wanted = "The system pool is deleted (2 to 3 nodes), then created with 4 to 9 nodes"
    assert wanted in items(before, after)["train"].consequence
