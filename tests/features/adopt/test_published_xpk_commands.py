"""Commands that xpk publishes, in its documentation and in the recipes of its dry-run goldens (367c838).

The answers follow xpk's code. The zones are ones that have the TPUs: the recipes use one zone for all of them.
"""

import pytest

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.plan import parse_plan
from pulumi_gke_tpu.core.rules import check_plan
from pulumi_gke_tpu.core.text.findings import Severity
from pulumi_gke_tpu.features.adopt.command_lines.xpk import plan_of

CATALOG = read_catalog()
ZONES = {"tpu7x": "us-central1-c", "v5p": "us-east5-a", "v4": "us-central2-b", "v5litepod": "us-west4-a"}

COMMANDS = {
    "Basic_cluster_create": ("cluster create --tpu-type=tpu7x-8 --spot", "2x2x1", 1, 1),
    "Cluster_create_RayCluster": (
        "cluster create-ray --tpu-type=tpu7x-8 --ray-version=2.39.0 --reservation=golden-reservation",
        "2x2x1",
        1,
        1,
    ),
    "Cluster_create_for_multi-host_nodepool": ("cluster create --tpu-type=tpu7x-16 --spot", "2x2x2", 2, 1),
    "Cluster_create_for_single-host_nodepool": ("cluster create --tpu-type=v4-8 --spot --num-slices=1", "2x2x1", 1, 1),
    "Cluster_create_private": (
        "cluster create-pathways --private --tpu-type=v5p-8 --num-slices=1 "
        "--default-pool-cpu-machine-type=n1-standard-16 --default-pool-cpu-num-nodes=4 "
        "--reservation=golden-reservation",
        "2x2x1",
        1,
        1,
    ),
    "Cluster_create_private, endpoint": (
        "cluster create --private --enable-private-endpoint --private-endpoint-subnetwork=golden-cp-subnet "
        "--authorized-networks 10.0.0.0/8 --tpu-type=v5p-8 --num-slices=1 --on-demand",
        "2x2x1",
        1,
        1,
    ),
    "Cluster_create_super-slicing": (
        "cluster create --tpu-type=tpu7x-4x4x4 --reservation=golden-reservation --super-slicing --num-cubes=5",
        "4x4x4",
        16,
        5,
    ),
    "Cluster_create_with_CPU_and_memory_limits": (
        "cluster create --tpu-type=tpu7x-8 --spot --cpu-limit=20 --memory-limit=1Gi",
        "2x2x1",
        1,
        1,
    ),
    "Cluster_create_with_Managed_Lustre_driver_and_legacy_port": (
        "cluster create --tpu-type=tpu7x-8 --enable-lustre-csi-driver --enable-legacy-lustre-port --spot",
        "2x2x1",
        1,
        1,
    ),
    "Cluster_create_with_shared_reservation": (
        "cluster create --tpu-type=tpu7x-8 --reservation=projects/reservation-project/reservations/golden-reservation",
        "2x2x1",
        1,
        1,
    ),
    "NAP_cluster-create_with_pathways": (
        "cluster create-pathways --enable-autoprovisioning --tpu-type=tpu7x-8 --on-demand",
        "2x2x1",
        1,
        1,
    ),
    "Workload_create": (
        "workload create --workload=golden-workload --command 'bash hello' --tpu-type=v5p-8 --num-slices=1 "
        "--script-dir=/tmp",
        "2x2x1",
        1,
        1,
    ),
    "Workload_create_pathways": (
        "workload create-pathways --workload=golden-workload --command 'bash hello' --tpu-type=v5p-8 --num-slices=1 "
        "--script-dir=/tmp",
        "2x2x1",
        1,
        1,
    ),
    "clusters.md, reservation": (
        "cluster create --tpu-type=v5litepod-256 --num-slices=2 --reservation=res",
        "16x16",
        64,
        2,
    ),
    "clusters.md, flex": (
        "cluster create --tpu-type=v5litepod-16 --num-slices=4 --flex",
        "4x4",
        4,
        {"min": 0, "max": 4},
    ),
    "clusters.md, Pathways": (
        "cluster create-pathways --num-slices=4 --on-demand --tpu-type=v5litepod-16",
        "4x4",
        4,
        4,
    ),
    "clusters.md, Ray": (
        "cluster create-ray --ray-version=2.39.0 --num-slices=4 --on-demand --tpu-type=v5litepod-8",
        "2x4",
        2,
        4,
    ),
    "workloads.md, sidecar": (
        "workload create --workload xpk-test-workload --command 'python3 main.py' --tpu-type=v5litepod-16 "
        "--deploy-stacktrace-sidecar",
        "4x4",
        4,
        1,
    ),
}


@pytest.mark.parametrize("origin", COMMANDS)
def test_a_published_command_becomes_a_valid_plan(origin: str) -> None:
    command, topology, hosts, count = COMMANDS[origin]
    generation = next(name for name in ZONES if f"--tpu-type={name}-" in command)
    kind, verb, rest = command.split(" ", 2)
    words = f"xpk {kind} {verb} --project=golden-project --zone={ZONES[generation]} --cluster=golden-cluster {rest}"
    translation = plan_of([(origin, words)], CATALOG)
    assert not translation.problems
    checked = check_plan(parse_plan(translation.plan), CATALOG)
    assert not [item for item in checked.findings if item.severity is Severity.ERROR]
    assert checked.fleet is not None
    (cluster,) = checked.fleet.clusters
    (group,) = cluster.groups
    assert str(group.shape.topology) == topology
    assert group.shape.hosts == hosts
    assert translation.plan["clusters"]["golden-cluster"]["slices"]["np"].get("count", 1) == count
    given = {word.split("=")[0] for word in words.split() if word.startswith("--")}
    assert given <= {row.option for row in translation.rows}
    assert not [row for row in translation.rows if row.became == "unknown"]
