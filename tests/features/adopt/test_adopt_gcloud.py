"""``gke-tpu adopt --from gcloud``: the plan that makes what the script makes, and what becomes of each option."""

import pathlib
from typing import Any

import pytest
import yaml

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.graph.keys import plan_keys
from pulumi_gke_tpu.features.adopt.command_lines.gcloud_fleet import plan_of
from pulumi_gke_tpu.features.adopt.command_lines.table import Translation
from pulumi_gke_tpu.features.adopt.command_lines.translation import translated

CATALOG = read_catalog()
CLUSTER = "gcloud container clusters create c --project=acme-ml --location=us-east5 --machine-type=e2-standard-8"
POOL = "gcloud container node-pools create tpu --cluster=c --project=acme-ml --location=us-east5"
V6E = f"{POOL} --node-locations=us-east5-b --machine-type=ct6e-standard-4t --tpu-topology=4x4 --num-nodes=4"


def plan(script: str, **options: str) -> Any:
    found = plan_of([("s.sh", script)], CATALOG, **options)
    assert not found.problems, found.problems
    return found.plan


def cluster(script: str, **options: str) -> Any:
    return plan(f"{CLUSTER} {script}", **options)["clusters"]["c"]


def group(flags: str) -> Any:
    return plan(f"{V6E} {flags}")["clusters"]["c"]["slices"]["tpu"]


def became(found: Translation, option: str) -> tuple[str, str, str]:
    (row,) = [row for row in found.rows if row.option == option]
    return row.became, row.key, row.reason


@pytest.mark.parametrize(
    ("flags", "key", "value"),
    [
        ("--spot", "capacity", "spot"),
        ("--reservation-affinity=specific --reservation=r", "capacity", {"reservation": "r"}),
        (
            "--reservation-affinity=specific --reservation=projects/acme-res/reservations/r/reservationBlocks/b",
            "capacity",
            {"reservation": {"name": "r", "project": "acme-res", "block": "b"}},
        ),
        ("--flex-start --max-run-duration=86400s", "capacity", {"flex_start": {"max_run_duration": "1d"}}),
        ("--disk-size=200GB", "boot_disk", {"size_gib": 200}),
        ("--disk-type=hyperdisk-balanced", "boot_disk", {"type": "hyperdisk-balanced"}),
        ("--node-labels=a=b,c=d", "node_labels", {"a": "b", "c": "d"}),
        ("--node-taints=a=b:NoExecute", "taints", [{"key": "a", "value": "b", "effect": "NO_EXECUTE"}]),
        ("--max-pods-per-node=16", "max_pods_per_node", 16),
        ("--no-enable-autoupgrade", "upgrade", {"auto_upgrade": False}),
        ("--enable-image-streaming", "image_streaming", True),
        ("--host-maintenance-interval=PERIODIC", "host_maintenance", {"interval": "periodic"}),
        (
            "--service-account=a@acme-ml.iam.gserviceaccount.com",
            "node_service_account",
            "a@acme-ml.iam.gserviceaccount.com",
        ),
        (
            "--additional-node-network=network=n,subnetwork=s --additional-node-network=network=m,subnetwork=t",
            "additional_networks",
            [{"network": "n", "subnetwork": "s"}, {"network": "m", "subnetwork": "t"}],
        ),
        ("--tags=a,b", "extra", {"nodeConfig": {"tags": ["a", "b"]}}),
    ],
)
def test_options_of_node_pools_become_keys(flags: str, key: str, value: object) -> None:
    found = group(flags)
    assert found[key] == value
    assert (found["tpu"], found["topology"], found["zone"]) == ("v6e", "4x4", "us-east5-b")
    assert "adopted" not in found


@pytest.mark.parametrize(
    ("flags", "key", "value"),
    [
        ("--release-channel=rapid", "release_channel", "rapid"),
        ("--cluster-version=1.33.4-gke.1245000", "min_version", "1.33.4-gke.1245000"),
        ("--network=n --subnetwork=s", "network", {"existing": {"network": "n", "subnetwork": "s"}}),
        ("--no-enable-private-nodes", "private_nodes", False),
        (
            "--master-authorized-networks=10.0.0.0/8",
            "control_plane",
            {"authorized_networks": {"range-1": "10.0.0.0/8"}},
        ),
        ("--addons=GcsFuseCsiDriver,RayOperator", "addons", ["gcs_fuse", "ray_operator"]),
        ("--labels=a=b", "resource_labels", {"a": "b"}),
        ("--no-enable-shielded-nodes", "security", {"shielded_nodes": False}),
        (
            "--enable-autoprovisioning --max-cpu=10 --max-memory=20 --max-accelerator=type=tpu-v6e-slice,count=64"
            " --autoprovisioning-locations=us-east5-b",
            "autoprovisioning",
            {"cpu": 10, "memory_gib": 20, "tpu": {"tpu-v6e-slice": 64}, "zones": ["us-east5-b"]},
        ),
        (
            "--maintenance-window-start=2026-12-05T00:00:00Z --maintenance-window-end=2026-12-05T06:00:00Z"
            " --maintenance-window-recurrence='FREQ=WEEKLY;BYDAY=SA'",
            "maintenance",
            {"window": {"start": "2026-12-05T00:00:00Z", "duration": "6h", "days": ["SAT"]}},
        ),
        ("", "system_pool", {"machine_type": "e2-standard-8"}),
    ],
)
def test_options_of_clusters_become_keys(flags: str, key: str, value: object) -> None:
    assert cluster(flags)[key] == value


def test_equal_node_pools_of_a_loop_are_one_group() -> None:
    script = f"for i in {{0..3}}; do\n{V6E.replace('create tpu', 'create tpu-$i')}\ndone"
    ((name, found),) = plan(script)["clusters"]["c"]["slices"].items()
    assert (name, found["count"]) == ("tpu", 4)


def test_a_cluster_that_no_command_creates_exists() -> None:
    found = plan(V6E)["clusters"]["c"]
    assert found["existing"] == "projects/acme-ml/locations/us-east5/clusters/c"


def test_pools_without_tpus_are_cpu_pools() -> None:
    pool = POOL.replace(" tpu ", " head ")
    script = f"{CLUSTER}\n{pool} --machine-type=n2-standard-64 --node-locations=us-east5-b --num-nodes=2"
    assert plan(script)["clusters"]["c"]["cpu_pools"] == {
        "head": {"machine_type": "n2-standard-64", "nodes": 2, "zones": ["us-east5-b"]}
    }


def test_a_workload_policy_is_one_of_the_cluster() -> None:
    script = (
        f"{CLUSTER}\ngcloud compute resource-policies create workload-policy cube --region=us-central1 "
        "--type=HIGH_THROUGHPUT --accelerator-topology=4x4x4 --project=acme-ml\n"
        f"{POOL} --node-locations=us-central1-c --machine-type=tpu7x-standard-4t "
        "--tpu-topology=4x4x4 --placement-policy=cube"
    )
    found = plan(script)["clusters"]["c"]
    assert found["workload_policies"] == {"cube": {"type": "high_throughput", "topology": "4x4x4"}}
    assert found["slices"]["tpu"]["placement"] == {"workload_policy": "cube"}


def test_project_and_zone_stand_for_what_the_script_does_not_tell() -> None:
    script = V6E.replace("acme-ml", "$PROJECT").replace("us-east5-b", "$ZONE").replace("--location=us-east5", "")
    script = script.replace("--node-locations=$ZONE ", "")
    found = plan(script, project="acme-ml", zone="us-east5-b")
    assert found["project"] == "acme-ml"
    assert found["clusters"]["c"]["slices"]["tpu"]["zone"] == "us-east5-b"


@pytest.mark.parametrize(
    ("flags", "option", "expected"),
    [
        ("--spot", "--tpu-topology", ("key", "clusters.c.slices.tpu.topology", "")),
        ("--spot", "--spot", ("key", "clusters.c.slices.tpu.capacity", "")),
        ("--enable-gvnic", "--enable-gvnic", ("derived", "", "gke-tpu sets it for every TPU node pool")),
        ("--scopes=gke-default", "--scopes", ("derived", "", "gke-tpu uses cloud-platform and limits access with IAM")),
        ("--quiet", "--quiet", ("left out", "", "it only controls how the command runs")),
        ("--tags=a", "--tags", ("extra", "clusters.c.slices.tpu.extra.nodeConfig.tags", "")),
        ("--disk-type=$D", "--disk-type", ("left out", "", "the script does not set $D")),
        ("$MORE", "further flags", ("left out", "", "the script does not set $MORE")),
        ("--sandbox=type=gvisor", "--sandbox", ("left out", "", "no key of a plan says it")),
    ],
)
def test_the_table_says_what_became_of_each_option(flags: str, option: str, expected: tuple[str, str, str]) -> None:
    assert became(plan_of([("s.sh", f"{V6E} {flags}")], CATALOG), option) == expected


VALUES = {
    "addons": "GcsFuseCsiDriver",
    "blocks": "10.0.0.0/8",
    "gib": "200",
    "limit": "10",
    "list": "us-east5-b",
    "map": "a=b",
    "number": "5",
    "scopes": "cloud-platform",
    "taints": "a=b:NoExecute",
    "time": "2026-12-05T00:00:00Z",
    "upper": "PERIODIC",
}
"""Kind of a flag -> a value that gcloud takes; of every other kind a text."""
_LIMITS = "--max-cpu=10 --max-memory=10 --enable-autoprovisioning"
_WINDOW = (
    "--maintenance-window-start=2026-12-05T00:00:00Z --maintenance-window-end=2026-12-05T06:00:00Z"
    " --maintenance-window-recurrence=FREQ=DAILY"
)
_EXCLUSION = (
    f"{_WINDOW} --add-maintenance-exclusion-name=e --add-maintenance-exclusion-scope=no_upgrades"
    " --add-maintenance-exclusion-start=2026-12-20T00:00:00Z --add-maintenance-exclusion-end=2026-12-24T00:00:00Z"
)
WITH = {
    "--accelerator-network-profile": "--accelerator-network-profile=auto",
    "--additional-node-network": "--additional-node-network=network=n,subnetwork=s",
    "--autoprovisioning-locations": f"--autoprovisioning-locations=us-east5-b {_LIMITS}",
    "--autoprovisioning-service-account": f"--autoprovisioning-service-account=a@b.iam.gserviceaccount.com {_LIMITS}",
    "--enable-autoprovisioning": _LIMITS,
    "--enable-autoscaling": "--enable-autoscaling --min-nodes=1 --max-nodes=5",
    "--max-accelerator": f"--max-accelerator=type=tpu-v6e-slice,count=64 {_LIMITS}",
    "--max-nodes": "--max-nodes=5 --enable-autoscaling",
    "--max-run-duration": "--max-run-duration=86400s --flex-start",
    "--min-nodes": "--min-nodes=1 --max-nodes=5 --enable-autoscaling",
    "--min-provision-nodes": "--min-provision-nodes=1 --enable-best-effort-provision",
    "--node-pool-soak-duration": "--node-pool-soak-duration=10s --enable-blue-green-upgrade",
    "--placement-type": "--placement-type=COMPACT",
    "--reservation": "--reservation=r --reservation-affinity=specific",
    "--reservation-affinity": "--reservation-affinity=specific --reservation=r",
    "--secondary-boot-disk": "--secondary-boot-disk=disk-image=global/images/i",
    "--standard-rollout-policy": "--standard-rollout-policy=batch-node-count=1 --enable-blue-green-upgrade",
    "--total-max-nodes": "--total-max-nodes=5 --enable-autoscaling",
    "--total-min-nodes": "--total-min-nodes=1 --total-max-nodes=5 --enable-autoscaling",
    **{f"--maintenance-window-{name}": _WINDOW for name in ("start", "end", "recurrence")},
    **{f"--add-maintenance-exclusion-{name}": _EXCLUSION for name in ("name", "scope", "start", "end")},
}
"""Flags that say something only with others, or with other values."""
WITHOUT_KEYS = {
    "--accelerator": "GPUs",
    "--additional-zones": "an old name, also of the zones of the cluster",
    "--cluster-ipv4-cidr": "only a network that the plan creates has ranges",
    "--enable-ip-access": "the plan derives it from the authorized networks",
    "--location-policy": "only adopted node pools keep one",
    "--preemptible": "the older kind of Spot VMs",
    **dict.fromkeys(("--region", "--zone"), "the commands have --location, which gcloud accepts alone only"),
}
"""Flags of a property with a key that no created cluster or node pool can have -> why."""
BASES = {
    "TPU node pool": f"{POOL} --node-locations=us-east5-b --machine-type=ct6e-standard-8t",
    "CPU pool": f"{POOL} --node-locations=us-east5-b --machine-type=n2-standard-64",
    "cluster": CLUSTER,
    "system pool": CLUSTER,
}


def has_key(path: str, kind: Any) -> bool:
    """Whether a key of a plan, not only of the block around, sets a property."""
    modeled = plan_keys().modeled(kind)
    return bool(modeled.get(path)) and modeled[path].rpartition(".")[2] not in ("system_pool", "autoprovisioning")


@pytest.mark.parametrize("kind", BASES)
def test_a_flag_of_a_property_with_a_key_is_not_left_out(kind: str) -> None:
    left_out = []
    for flag, fact in ((flag, fact) for group in CATALOG.gcloud.groups.values() for flag, fact in group.sets.items()):
        if flag in WITHOUT_KEYS or not has_key(fact.path, kind):
            continue
        text = next(iter(fact.words), VALUES.get(fact.kind, "x"))
        usual = flag if fact.kind in ("flag", "constant") else f"{flag}={text}"
        found = plan_of([("s.sh", f"{BASES[kind]} {WITH.get(flag, usual)}")], CATALOG)
        left_out += [row.option for row in found.rows if row.option == flag and row.became == "left out"]
    assert left_out == []


@pytest.mark.parametrize(
    ("script", "message"),
    [
        (V6E.replace("--project=acme-ml", ""), "no project"),
        (V6E.replace("--cluster=c", "--cluster=$C"), "the cluster of the node pool is not known"),
        (f"{V6E} --tpu-topolgy=2x2", "gcloud container node-pools create has no flag `--tpu-topolgy`"),
        (f"{V6E} 'open", "this quote is not closed"),
        ("kubectl get pods", "no gcloud command creates a cluster or a node pool"),
        (
            V6E.replace("--node-locations=us-east5-b", ""),
            "node pool tpu: its zone is not known: add --node-locations to the command",
        ),
    ],
)
def test_what_prevents_a_plan_is_an_error(script: str, message: str) -> None:
    assert message in [problem.message for problem in plan_of([("s.sh", script)], CATALOG).problems]


def test_faults_of_the_script_are_findings_of_the_plan(gke_tpu: Any, tmp_path: pathlib.Path) -> None:
    script = tmp_path / "s.sh"
    script.write_text(f"{CLUSTER}\n{V6E.replace('4x4', '4x3')}\n")
    done = gke_tpu("adopt", "--from", "gcloud", script, "-o", tmp_path / "out")
    assert done.code == 1, done.out + done.err
    written = yaml.safe_load((tmp_path / "out" / "plan.yaml").read_text())
    assert written["clusters"]["c"]["slices"]["tpu"]["topology"] == "4x3"
    assert "TPU112" in done.out


def test_a_right_script_is_a_plan_without_errors() -> None:
    found = translated("gcloud", [("s.sh", f"{CLUSTER}\n{V6E} --spot")], CATALOG)
    assert not found.translation.problems
    assert not found.has_errors


@pytest.mark.parametrize(
    ("mode", "shape"),
    [
        ("provision_only", {"slicing": "dynamic"}),
        ("PROVISION_ONLY", {"slicing": "dynamic"}),
        ("auto_connect", {"topology": "4x4x4"}),
    ],
)
def test_a_workload_policy_of_the_script_decides_between_cubes_and_slices(mode: str, shape: dict[str, str]) -> None:
    common = "--project=acme-ml --cluster=c --location=us-central1 --node-locations=us-central1-c"
    pool = f"{common} --machine-type=tpu7x-standard-4t --placement-policy=cube --num-nodes=16"
    script = (
        "gcloud compute resource-policies create workload-policy cube --project=acme-ml --region=us-central1"
        f" --type=HIGH_THROUGHPUT --accelerator-topology=4x4x4 --accelerator-topology-mode={mode}\n"
        f"gcloud container node-pools create cubes-0 {pool} --reservation-affinity=specific --reservation=r\n"
        f"gcloud container node-pools create cubes-1 {pool} --reservation-affinity=specific --reservation=r"
    )
    cluster = plan(script)["clusters"]["c"]
    assert cluster["slices"]["cubes"] == {
        "tpu": "tpu7x",
        **shape,
        "zone": "us-central1-c",
        "count": 2,
        "capacity": {"reservation": "r"},
        "placement": {"workload_policy": "cube"},
    }
    assert cluster["workload_policies"]["cube"]["topology_mode"] == mode.lower()
