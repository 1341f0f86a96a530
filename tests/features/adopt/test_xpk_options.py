"""Each option of xpk is a row of the table: the key that must come out of it, or why none does."""

from typing import Any

import pytest

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.plan import parse_plan
from pulumi_gke_tpu.core.rules import check_plan
from pulumi_gke_tpu.core.text.findings import Severity
from pulumi_gke_tpu.features.adopt.command_lines import xpk_clusters, xpk_storages, xpk_workloads
from pulumi_gke_tpu.features.adopt.command_lines.plan_text import written_plan
from pulumi_gke_tpu.features.adopt.command_lines.table import OptionRow, Translation
from pulumi_gke_tpu.features.adopt.command_lines.xpk import plan_of

CATALOG = read_catalog()
CLUSTER = "xpk cluster create --cluster c --project acme-ml --zone us-east5-a --tpu-type v5p-64"
WORKLOAD = "xpk workload create --workload w --cluster c --tpu-type v5p-64 --command 'python3 train.py'"
PATHWAYS = "xpk workload create-pathways --workload w --cluster c --tpu-type v5p-64 --docker-image i --command run"
GONE = "left out"


def read(*commands: str) -> Translation:
    """The plan of these commands."""
    return plan_of([("script.sh", "\n".join(commands))], CATALOG)


def value(plan: dict[str, Any], path: str) -> Any:
    """The value at a path below the cluster."""
    found: Any = plan["clusters"]["c"]
    for part in path.split("."):
        found = found[part]
    return found


def rows(translation: Translation, option: str) -> list[OptionRow]:
    """What became of an option."""
    return [row for row in translation.rows if row.option == option]


def is_valid(translation: Translation) -> bool:
    """Whether there is a plan without errors."""
    assert not translation.problems, translation.problems
    findings = check_plan(parse_plan(translation.plan), CATALOG).findings
    errors = [item for item in findings if item.severity is Severity.ERROR]
    assert not errors, errors
    return True


CLUSTER_OPTIONS: dict[str, tuple[str, str, Any]] = {
    "--cluster": ("--on-demand", "mode", "standard"),
    "--zone": ("--on-demand", "slices.np.zone", "us-east5-a"),
    "--tpu-type": ("--on-demand", "slices.np.topology", "2x4x4"),
    "--num-slices": ("--num-slices 3 --on-demand", "slices.np.count", 3),
    "--num-cubes": ("--num-cubes=3 --on-demand", "slices.np.count", 3),
    "--num-nodes": ("--num-nodes=3 --on-demand", "derived", None),
    "--reservation": ("--reservation=cubes", "slices.np.capacity", {"reservation": "cubes"}),
    "--spot": ("--spot", "slices.np.capacity", "spot"),
    "--flex": ("--flex", "slices.np.capacity", "flex_start"),
    "--on-demand": ("--on-demand", "slices.np.capacity", "on_demand"),
    "--gke-version": ("--gke-version=1.35.1-gke.100 --spot", "min_version", "1.35.1-gke.100"),
    "--host-maintenance-interval": (
        "--host-maintenance-interval=PERIODIC --on-demand",
        "slices.np.host_maintenance",
        {"interval": "periodic"},
    ),
    "--private": ("--private --spot", "private_nodes", True),
    "--enable-private-endpoint": ("--private --enable-private-endpoint --spot", "control_plane.private", True),
    "--private-endpoint-subnetwork": (
        "--private --enable-private-endpoint --private-endpoint-subnetwork=cp --spot",
        "extra.private_cluster_config.private_endpoint_subnetwork",
        "cp",
    ),
    "--enable-master-global-access": (
        "--private --enable-master-global-access --spot",
        "extra.private_cluster_config.master_global_access_config.enabled",
        True,
    ),
    "--authorized-networks": (
        "--authorized-networks 1.2.3.0/24 1.2.4.5/32 --spot",
        "control_plane.authorized_networks",
        {"range-1": "1.2.3.0/24", "range-2": "1.2.4.5/32"},
    ),
    "--default-pool-cpu-machine-type": (
        "--default-pool-cpu-machine-type=n2-standard-16 --spot",
        "system_pool.machine_type",
        "n2-standard-16",
    ),
    "--cluster-cpu-machine-type": (
        "--cluster-cpu-machine-type=n2-standard-16 --spot",
        "system_pool.machine_type",
        "n2-standard-16",
    ),
    "--default-pool-cpu-num-nodes": ("--default-pool-cpu-num-nodes=4 --spot", "system_pool.max_nodes", 4),
    "--enable-pathways": ("--enable-pathways --spot", "cpu_pools.cpu-np.machine_type", "n2-standard-64"),
    "--pathways-gce-machine-type": (
        "--enable-pathways --pathways-gce-machine-type=n2-standard-32 --spot",
        "cpu_pools.cpu-np.machine_type",
        "n2-standard-32",
    ),
    "--enable-autoprovisioning": ("--enable-autoprovisioning --on-demand", "autoprovisioning.tpu", {"v5p": 32}),
    "--autoprovisioning-max-chips": (
        "--enable-autoprovisioning --autoprovisioning-max-chips=64 --on-demand",
        "autoprovisioning.tpu",
        {"v5p": 64},
    ),
    "--autoprovisioning-min-chips": ("--autoprovisioning-min-chips=4 --on-demand", GONE, None),
    "--enable-gcsfuse-csi-driver": ("--enable-gcsfuse-csi-driver --spot", "addons", ["gcs_fuse"]),
    "--enable-gcpfilestore-csi-driver": ("--enable-gcpfilestore-csi-driver --spot", "addons", ["filestore"]),
    "--enable-parallelstore-csi-driver": ("--enable-parallelstore-csi-driver --spot", "addons", ["parallelstore"]),
    "--enable-pd-csi-driver": ("--enable-pd-csi-driver --spot", "derived", None),
    "--enable-lustre-csi-driver": ("--enable-lustre-csi-driver --spot", "addons", ["lustre"]),
    "--enable-legacy-lustre-port": (
        "--enable-lustre-csi-driver --enable-legacy-lustre-port --spot",
        "extra.addons_config.lustre_csi_driver_config.enable_legacy_lustre_port",
        True,
    ),
    "--enable-workload-identity": ("--enable-workload-identity --spot", "security.workload_identity", True),
    "--enable-mtc": (
        "--enable-mtc --mtc-ramdisk-size=64Gi --mtc-gcs-bucket=gs://acme-ckpt --project-number=123456789012 --spot",
        "addons",
        ["gcs_fuse", "high_scale_checkpointing"],
    ),
    "--mtc-ramdisk-size": (
        "--enable-mtc --mtc-ramdisk-size=64Gi --mtc-gcs-bucket=acme-ckpt --project-number=123456789012 --spot",
        "kubernetes.checkpoints.memory",
        "64Gi",
    ),
    "--mtc-gcs-bucket": (
        "--enable-mtc --mtc-ramdisk-size=64Gi --mtc-gcs-bucket=gs://acme-ckpt/ --project-number=123456789012 --spot",
        "kubernetes.checkpoints.bucket",
        "acme-ckpt",
    ),
    "--project-number": (
        "--enable-mtc --mtc-ramdisk-size=64Gi --mtc-gcs-bucket=acme-ckpt --project-number=123456789012 --spot",
        "kubernetes.checkpoints.project_number",
        123456789012,
    ),
    "--mtc-toleration-key": ("--mtc-toleration-key=google.com/tpu --spot", GONE, None),
    "--managed-mldiagnostics": ("--managed-mldiagnostics --spot", "ml_diagnostics", True),
    "--sub-slicing": ("--sub-slicing --spot", GONE, None),
    "--create-vertex-tensorboard": ("--create-vertex-tensorboard --spot", GONE, None),
    "--tensorboard-region": ("--tensorboard-region=us-west1 --spot", GONE, None),
    "--tensorboard-name": ("--tensorboard-name=t --spot", GONE, None),
    "--custom-nodepool-arguments --disk-size": (
        "--custom-nodepool-arguments='--disk-size=300 --enable-gvnic' --spot",
        "slices.np.boot_disk.size_gib",
        300,
    ),
    "--custom-tpu-nodepool-arguments --enable-ip-alias": (
        '--custom-tpu-nodepool-arguments="--enable-ip-alias" --spot',
        "derived",
        None,
    ),
    "--custom-cluster-arguments --network": (
        "--custom-cluster-arguments='--network=mtu9k --subnetwork=mtu9k' --spot",
        "network.existing",
        {"network": "mtu9k", "subnetwork": "mtu9k"},
    ),
    **{
        f"--custom-nodepool-arguments {words.split('=')[0].split()[0]}": (
            f"--custom-nodepool-arguments='{words}' --spot",
            f"slices.np.{path}",
            expected,
        )
        for words, path, expected in (
            (
                "--additional-node-network network=n2,subnetwork=s2 --additional-node-network=network=n3,subnetwork=s3",
                "additional_networks",
                [{"network": "n2", "subnetwork": "s2"}, {"network": "n3", "subnetwork": "s3"}],
            ),
            (
                "--node-taints=team=a:NoSchedule,bare:NoExecute",
                "taints",
                [{"key": "team", "value": "a", "effect": "NO_SCHEDULE"}, {"key": "bare", "effect": "NO_EXECUTE"}],
            ),
            ("--host-maintenance-interval=PERIODIC", "host_maintenance.interval", "periodic"),
            ("--enable-autoupgrade", "upgrade.auto_upgrade", True),
            ("--enable-autorepair", "upgrade.auto_repair", True),
            ("--labels=team=a,cost=b", "resource_labels", {"team": "a", "cost": "b"}),
            ("--tags=a,b", "extra.nodeConfig.tags", ["a", "b"]),
            ("--max-pods-per-node=64", "max_pods_per_node", 64),
            ("--disk-type=hyperdisk-balanced", "boot_disk.type", "hyperdisk-balanced"),
            ("--secondary-boot-disk=disk-image=global/images/i", "secondary_boot_disk.image", "global/images/i"),
        )
    },
    **{
        f"--custom-cluster-arguments {words.split('=')[0].split()[0]}": (
            f"--custom-cluster-arguments='{words}' --spot",
            path,
            expected,
        )
        for words, path, expected in (
            ("--addons=GcsFuseCsiDriver,LustreCsiDriver,HttpLoadBalancing,Istio", "addons", ["gcs_fuse", "lustre"]),
            (
                "--cluster-secondary-range-name=pods",
                "network.existing",
                {"network": "default", "subnetwork": "default", "pods_range": "pods"},
            ),
            (
                "--services-secondary-range-name=svc --network=vpc",
                "network.existing",
                {"network": "vpc", "subnetwork": "vpc", "services_range": "svc"},
            ),
            ("--master-authorized-networks=10.0.0.0/8", "control_plane.authorized_networks", {"range-1": "10.0.0.0/8"}),
            ("--enable-dataplane-v2", "derived", None),
            ("--enable-multi-networking", "multi_networking", True),
            ("--enable-dns-access", "control_plane.dns_endpoint", True),
            ("--machine-type=e2-standard-8", "system_pool.machine_type", "e2-standard-8"),
            ("--workload-pool=p.svc.id.goog", "derived", None),
        )
    },
    "--custom-cluster-arguments --enable-cost-allocation": (
        "--custom-cluster-arguments=--enable-cost-allocation --spot",
        GONE,
        None,
    ),
    **{
        option: (f"{option} --spot", GONE, None)
        for option in (
            "--force",
            "--quiet",
            "--dry-run",
            "--skip-validation",
            "--sandbox-kubeconfig",
            "--dependency-auto-download",
            "--adapt-from-ct",
            "--ignore-nodepool-creation-errors",
        )
    },
    "--cluster-state-gcs-bucket": ("--cluster-state-gcs-bucket=b --spot", GONE, None),
    "--cpu-limit": ("--cpu-limit=112 --spot", GONE, None),
    "--memory-limit": ("--memory-limit=192Gi --spot", GONE, None),
    "--ray-version": ("--ray-version=2.39.0 --spot", "addons", ["ray_operator"]),
}


@pytest.mark.parametrize("option", CLUSTER_OPTIONS)
def test_an_option_of_a_cluster(option: str) -> None:
    words, path, expected = CLUSTER_OPTIONS[option]
    translation = read(f"{CLUSTER} {words}")
    row = rows(translation, option)[-1]
    if expected is None:
        assert row.became == path
        assert row.reason
    else:
        assert value(translation.plan, path) == expected
        assert row.became == ("extra" if "extra" in path.split(".") else "key")
        assert row.key.startswith("clusters.c")
    assert is_valid(translation)


WORKLOAD_OPTIONS: dict[str, tuple[str, str, Any]] = {
    "--workload": ("", "kind", "jobset"),
    "--cluster": ("", "kind", "jobset"),
    "--tpu-type": ("", "slices", "np"),
    "--command": ("", "args", ["python3 train.py"]),
    "--docker-image": ("--docker-image=gcr.io/a/b", "image", "gcr.io/a/b"),
    "--base-docker-image": ("--base-docker-image=gcr.io/a/base", "image", "gcr.io/a/base"),
    "--script-dir": ("--script-dir=/tmp", GONE, None),
    "--docker-name": ("--docker-name=jax", GONE, None),
    "--env": ("--env A=b --env C=d=e", "env", {"A": "b", "C": "d=e"}),
    "--env-file": ("--env-file=secrets.env", GONE, None),
    "--num-slices": ("--num-slices=2", "count", 2),
    "--num-nodes": ("--num-nodes=2", "derived", None),
    "--priority": ("--priority=high", "priority", "high"),
    "--max-restarts": ("--max-restarts=3", "max_restarts", 3),
    "--restart-on-exit-codes": (
        "--max-restarts=3 --restart-on-exit-codes=1,3",
        "exit_codes.restart",
        [1, 3, 42, *range(127, 256)],
    ),
    "--ttl-seconds-after-finished": ("--ttl-seconds-after-finished=3600", "ttl", "3600s"),
    "--termination-grace-period-seconds": ("--termination-grace-period-seconds=300", "grace_period", "300s"),
    "--timeout": ("--timeout=300", GONE, None),
    "--wait-for-job-completion": ("--wait-for-job-completion=w", GONE, None),
    "--storage": ("--storage data", "volumes.data", {"mount": "/data", "read_only": True, "bucket": {"name": "acme"}}),
    "--use-parallel-containers": ("--no-use-parallel-containers", "derived", None),
    "--service-account": ("--service-account=trainer", "service_account", "trainer"),
    "--docker-image-pull-secret": ("--docker-image-pull-secret=reg", "pull_secrets", ["reg"]),
    "--scheduler": (
        "--scheduler=gke.io/high-throughput-scheduler",
        "pod_template.spec.schedulerName",
        "gke.io/high-throughput-scheduler",
    ),
    "--spot": ("--spot", "derived", None),
    "--on-demand": ("--on-demand", "derived", None),
    "--flex": ("--flex", "derived", None),
    "--reservation": ("--reservation=r", "derived", None),
    "--ramdisk-directory": ("--ramdisk-directory=ram", GONE, None),
    "--mtc-enabled": ("--mtc-enabled", "derived", None),
    "--deploy-stacktrace-sidecar": ("--deploy-stacktrace-sidecar", GONE, None),
    "--enable-debug-logs": ("--enable-debug-logs", "env.TPU_MIN_LOG_LEVEL", "0"),
    "--use-vertex-tensorboard": ("--use-vertex-tensorboard", GONE, None),
    "--experiment-name": ("--experiment-name=e", GONE, None),
    "--debug-dump-gcs": ("--debug-dump-gcs=gs://b/d", GONE, None),
    "--output-manifest-file": ("--output-manifest-file=m.yaml", GONE, None),
}


@pytest.mark.parametrize("option", WORKLOAD_OPTIONS)
def test_an_option_of_a_workload(option: str) -> None:
    words, path, expected = WORKLOAD_OPTIONS[option]
    storage = "xpk storage attach data --cluster c --type=gcsfuse --bucket=acme --mount-point=/data --readonly=true"
    cluster = f"{CLUSTER} --num-slices=2 --spot --enable-gcsfuse-csi-driver"
    translation = read(cluster, f"{storage} --auto-mount=false", f"{WORKLOAD} {words}")
    row = rows(translation, option)[-1]
    if expected is None:
        assert row.became == path
        assert row.reason
    else:
        assert value(translation.plan, f"kubernetes.workloads.w.{path}") == expected
        assert row.became == "key"
    if option != "--service-account":  # the account has to exist in the cluster
        assert is_valid(translation)


PATHWAYS_OPTIONS: dict[str, tuple[str, str, Any]] = {
    "--pathways-gcs-location": ("--pathways-gcs-location=gs://acme-tmp/x", "scratch", "gs://acme-tmp/x"),
    "--headless": ("--headless", "pathways.headless", True),
    "--proxy-server-image": ("--proxy-server-image=p:1", "pathways.proxy.image", "p:1"),
    "--server-image": ("--server-image=s:1", "pathways.worker.image", "s:1"),
    "--custom-pathways-server-args": (
        "--custom-pathways-server-args='--a=1 --b=2'",
        "pathways.resource_manager.args",
        ["--a=1", "--b=2"],
    ),
    "--custom-pathways-proxy-server-args": (
        "--custom-pathways-proxy-server-args='--a=1'",
        "pathways.proxy.args",
        ["--a=1"],
    ),
    "--custom-pathways-worker-args": ("--custom-pathways-worker-args='--a=1'", "pathways.worker.args", ["--a=1"]),
    "--elastic-slices": ("--elastic-slices=1", "pathways.elastic", {"slices": 1, "max_restarts": 1}),
    "--max-slice-restarts": (
        "--elastic-slices=1 --max-slice-restarts=4",
        "pathways.elastic",
        {"slices": 1, "max_restarts": 4},
    ),
    "--colocated-python-sidecar-image": (
        "--colocated-python-sidecar-image=c:1",
        "pathways.python_sidecar.image",
        "c:1",
    ),
    "--use-pathways": ("--use-pathways", "kind", "pathways"),
}


@pytest.mark.parametrize("option", PATHWAYS_OPTIONS)
def test_an_option_of_a_pathways_workload(option: str) -> None:
    words, path, expected = PATHWAYS_OPTIONS[option]
    workload = PATHWAYS.replace("--docker-image i --command run", "") if option == "--headless" else PATHWAYS
    cluster = CLUSTER.replace("cluster create", "cluster create-pathways")
    translation = read(f"{cluster} --num-slices=2 --spot", f"{workload} --num-slices=2 {words}")
    assert value(translation.plan, f"kubernetes.workloads.w.{path}") == expected
    assert rows(translation, option)[-1].became == "key"
    assert is_valid(translation)


def test_every_option_of_xpk_is_in_these_tables() -> None:
    tables = {*CLUSTER_OPTIONS, *WORKLOAD_OPTIONS, *PATHWAYS_OPTIONS}
    tested = {words.split()[0] for words in tables}
    shared = {"--project", "--device-type", "--super-slicing"}
    known = {*xpk_clusters.OPTIONS, *xpk_workloads.OPTIONS}
    assert known - tested == shared


def test_every_option_of_a_storage_is_a_row() -> None:
    words = " ".join(f"{option}=1" for option, takes in xpk_storages.OPTIONS.items() if takes == "value")
    flags = " ".join(option for option, takes in xpk_storages.OPTIONS.items() if takes == "flag")
    translation = read(f"xpk storage attach data {words} {flags}")
    assert {row.option for row in translation.rows} == set(xpk_storages.OPTIONS)
    assert all(row.key or row.reason for row in translation.rows)


@pytest.mark.parametrize(
    ("name", "keys"),
    [
        ("tpu7x-128", {"tpu": "tpu7x", "topology": "4x4x4"}),
        ("tpu7x-4x4x4", {"tpu": "tpu7x", "topology": "4x4x4"}),
        ("tpu7x-2", {"tpu": "tpu7x", "topology": "1x1x1"}),
        ("tpu7x-8", {"tpu": "tpu7x", "topology": "2x2x1"}),
        ("v5p-8", {"tpu": "v5p", "topology": "2x2x1"}),
        ("v4-8", {"tpu": "v4", "topology": "2x2x1"}),
        ("v4-768", {"tpu": "v4", "topology": "4x4x24"}),
        ("v6e-8", {"tpu": "v6e", "topology": "2x4", "chips_per_host": 4}),
        ("v6e-1", {"tpu": "v6e", "topology": "1x1"}),
        ("v6e-256", {"tpu": "v6e", "topology": "16x16"}),
        ("v5litepod-8", {"tpu": "v5e", "topology": "2x4", "chips_per_host": 4}),
        ("v5litepod-256", {"tpu": "v5e", "topology": "16x16"}),
    ],
)
def test_names_mean_what_xpk_means(name: str, keys: dict[str, Any]) -> None:
    translation = read(f"{CLUSTER.replace('v5p-64', name)} --spot")
    group = translation.plan["clusters"]["c"]["slices"]["np"]
    assert {key: group[key] for key in ("tpu", "topology", "chips_per_host") if key in group} == keys


def test_an_unknown_option_is_a_row_with_the_likely_name() -> None:
    translation = read(f"{CLUSTER} --spot --reservaton=r")
    (row,) = rows(translation, "--reservaton")
    assert (row.became, row.value) == ("unknown", "r")
    assert "did you mean --reservation?" in row.reason


def test_an_unambiguous_beginning_of_an_option_is_the_option() -> None:
    assert value(read(f"{CLUSTER} --spot --num-sl=3").plan, "slices.np.count") == 3


def test_the_queue_holds_every_slice() -> None:
    translation = read(f"{CLUSTER} --num-slices=2 --spot", f"{WORKLOAD} --docker-image=i")
    assert value(translation.plan, "kubernetes.queues.multislice-queue") == {"chips": {"np": 64}}
    assert value(translation.plan, "kubernetes.workloads.w.queue") == "multislice-queue"


def test_a_workload_without_its_cluster_uses_an_existing_one() -> None:
    translation = read(f"{WORKLOAD} --docker-image=i --project acme-ml --zone us-east5-a --spot")
    assert value(translation.plan, "existing") == "projects/acme-ml/locations/us-east5/clusters/c"
    assert value(translation.plan, "slices.np.capacity") == "spot"
    assert is_valid(translation)


def test_the_last_command_for_a_cluster_counts() -> None:
    translation = read(f"{CLUSTER} --num-slices=4 --spot", f"{CLUSTER} --num-slices=6 --spot")
    assert value(translation.plan, "slices.np.count") == 6
    assert rows(translation, "(earlier command)")


def test_ironwood_runs_two_containers_on_each_host_unless_the_command_says_otherwise() -> None:
    cluster = CLUSTER.replace("v5p-64", "tpu7x-128").replace("us-east5-a", "us-central1-c")
    workload = f"{WORKLOAD.replace('v5p-64', 'tpu7x-128')} --docker-image=i"
    assert value(read(f"{cluster} --reservation=r", workload).plan, "kubernetes.workloads.w.containers") == 2
    without = read(f"{cluster} --reservation=r", f"{workload} --no-use-parallel-containers")
    assert "containers" not in value(without.plan, "kubernetes.workloads.w")


def test_super_slicing_makes_cubes() -> None:
    cluster = CLUSTER.replace("v5p-64", "tpu7x-4x4x4").replace("us-east5-a", "us-central1-c")
    translation = read(f"{cluster} --super-slicing --num-cubes=3 --reservation=cubes")
    assert value(translation.plan, "slices.np.count") == 3
    assert value(translation.plan, "slices.np.slicing") == "dynamic"
    assert value(translation.plan, "kubernetes.queues.multislice-queue.chips") == {"np": 192}
    assert is_valid(translation)
    workload = f"{WORKLOAD.replace('v5p-64', 'tpu7x-4x4x8')} --docker-image=i --num-slices=1"
    both = read(f"{cluster} --super-slicing --num-cubes=3 --reservation=cubes", workload)
    assert value(both.plan, "kubernetes.workloads.w.topology") == "4x4x8"
    assert is_valid(both)
    static = read(f"{cluster.replace('4x4x4', '4x4x8')} --super-slicing --num-cubes=3 --reservation=cubes")
    assert [item.message for item in static.problems] == ["`--super-slicing` combines cubes, and the TPU type is none"]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("projects/p-1/reservations/r", {"name": "r", "project": "p-1"}),
        ("r/reservationBlocks/b", {"name": "r", "block": "b"}),
        ("r/reservationBlocks/b/reservationSubBlocks/s", {"name": "r", "block": "b", "sub_block": "s"}),
    ],
)
def test_a_reservation_may_have_a_project_and_blocks(given: str, expected: dict[str, str]) -> None:
    assert value(read(f"{CLUSTER} --reservation={given}").plan, "slices.np.capacity.reservation") == expected


def test_a_cluster_of_cpus_has_a_cpu_pool() -> None:
    translation = read(f"{CLUSTER.replace('v5p-64', 'n2-standard-32-256').replace('--tpu-type', '--device-type')}")
    assert value(translation.plan, "cpu_pools.np.machine_type") == "n2-standard-32"
    assert value(translation.plan, "cpu_pools.np.nodes") == 256


@pytest.mark.parametrize(
    ("script", "message"),
    [
        ("xpk cluster create --cluster c --tpu-type v5p-8 --spot --zone us-east5-a", "no project"),
        ("xpk cluster create --cluster c --tpu-type v5p-8 --spot --project p-12345", "no zone"),
        (f"{CLUSTER} --spot --num-slices=two", "the value of `--num-slices` is not a whole number"),
        (CLUSTER.replace("v5p-64", "h100-80gb-8"), "h100-80gb-8 is not a TPU type of xpk"),
        (CLUSTER.replace("v5p-64", "v5p-63"), "v5p-63 is not a TPU type of xpk"),
        (CLUSTER.replace("v5p-64", "$TYPE"), "the value of `--tpu-type` is not known: the script does not set $TYPE"),
        ("xpk cluster list", "no xpk command creates a cluster or a workload"),
        ("echo", "no xpk command found"),
        (f"{CLUSTER} --reservation=a,b", "a slice group uses one reservation"),
        (f"{CLUSTER} --spot\n{CLUSTER.replace('acme-ml', 'other')} --spot", "a plan has one project"),
    ],
)
def test_what_prevents_a_plan_is_reported_with_its_place(script: str, message: str) -> None:
    problems = read(script).problems
    assert any(problem.message.startswith(message) for problem in problems), problems
    assert all(problem.line == script.count("\n") + 1 for problem in problems if problem.line)


def test_project_and_zone_may_come_from_the_command_line() -> None:
    translation = plan_of(
        [("s", "xpk cluster create --cluster c --tpu-type v5p-8 --spot")], CATALOG, "acme-ml", "us-east5-a"
    )
    assert translation.plan["project"] == "acme-ml"
    assert is_valid(translation)


def test_add_ons_without_a_key_have_a_row_each() -> None:
    option = "--custom-cluster-arguments --addons"
    found = rows(
        read(f"{CLUSTER} --spot --custom-cluster-arguments='--addons=HttpLoadBalancing,Istio,GcsFuseCsiDriver'"), option
    )
    assert [(row.value, row.became) for row in found[:2]] == [("HttpLoadBalancing", "derived"), ("Istio", GONE)]
    assert found[2].became == "key"


@pytest.mark.parametrize("words", ["--node-taints=team", "--max-pods-per-node=all", "--disk-size=big"])
def test_a_flag_of_gcloud_with_a_value_that_gcloud_refuses_is_a_problem(words: str) -> None:
    (problem,) = read(f"{CLUSTER} --spot --custom-nodepool-arguments='{words}'").problems
    option, _, value = words.partition("=")
    assert problem.message.startswith(f"`--custom-nodepool-arguments`: `{option}` takes ")
    assert problem.message.endswith(f", not `{value}`")


@pytest.mark.parametrize("verb", ["create-pathways", "create", "create-ray --ray-version=2.39.0"])
def test_a_second_command_without_a_zone_is_a_problem(verb: str) -> None:
    second = f"xpk cluster {verb} --cluster c --tpu-type=v6e-16 --spot --project acme-ml"
    (problem,) = read(f"{CLUSTER} --spot".replace("cluster create", "cluster create-pathways"), second).problems
    assert problem.message == "no zone"


@pytest.mark.parametrize("cubes", ["", " --num-cubes=3"])
def test_an_unknown_number_of_slices_is_one_problem(cubes: str) -> None:
    translation = read(f"{CLUSTER} --num-slices=$UNSET{cubes} --spot")
    assert [problem.message for problem in translation.problems] == [
        "the value of `--num-slices` is not known: the script does not set $UNSET"
    ]


@pytest.mark.parametrize(("slices", "cubes", "problems"), [(2, 2, 0), (1, 2, 1), (3, 2, 1)])
def test_numbers_of_slices_and_cubes_that_differ_are_a_problem(slices: int, cubes: int, problems: int) -> None:
    translation = read(f"{CLUSTER} --num-slices={slices} --num-cubes={cubes} --spot")
    assert len(translation.problems) == problems


def test_the_machine_of_pathways_is_kept_with_either_way_to_ask_for_pathways() -> None:
    machine = "--pathways-gce-machine-type=n2-standard-32"
    (kept,) = rows(read(CLUSTER.replace("create ", "create-pathways ") + f" {machine}"), "--pathways-gce-machine-type")
    assert (kept.became, kept.key) == ("key", "clusters.c.cpu_pools.cpu-np.machine_type")
    (kept,) = rows(read(f"{CLUSTER} --enable-pathways {machine}"), "--pathways-gce-machine-type")
    assert kept.became == "key"
    (left,) = rows(read(f"{CLUSTER} {machine}"), "--pathways-gce-machine-type")
    assert left.became == GONE


def test_each_group_and_workload_is_a_block_and_other_short_keys_are_lines() -> None:
    text = written_plan(read(CLUSTER, WORKLOAD).plan, "schema.json").splitlines()
    assert {"    slices:", "      np:", "        tpu: v5p", "        w:", "          kind: jobset"} <= {*text}
    assert "      operators: {jobset: {}, kueue: {}}" in text
