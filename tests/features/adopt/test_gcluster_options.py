"""Each setting of a TPU blueprint, and each option of gcluster job submit, is a row of the table."""

import json
from typing import Any

import pytest

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.plan import parse_plan
from pulumi_gke_tpu.core.rules import check_plan
from pulumi_gke_tpu.core.text.findings import Severity
from pulumi_gke_tpu.features.adopt.command_lines import gcluster_jobs
from pulumi_gke_tpu.features.adopt.command_lines.gcluster import plan_of
from pulumi_gke_tpu.features.adopt.command_lines.page import translation_data
from pulumi_gke_tpu.features.adopt.command_lines.table import OptionRow, Translation

CATALOG = read_catalog()
GONE = "left out"
VARIABLES = {"project_id": "acme-ml", "deployment_name": "tpus", "region": "us-east5", "zone": "us-east5-b"}
POOL = {
    "name": "pool",
    "machine_type": "ct6e-standard-4t",
    "placement_policy": {"type": "COMPACT", "tpu_topology": "4x4"},
    "zones": ["$(vars.zone)"],
}


def blueprint(
    cluster: dict[str, Any] | None = None, pool: dict[str, Any] | None = None, more: tuple[dict[str, Any], ...] = ()
) -> Translation:
    """The plan of a blueprint with these settings."""
    modules = [
        {"id": "net", "source": "modules/network/vpc", "settings": {"network_name": "n"}},
        {
            "id": "data",
            "source": "modules/network/vpc",
            "settings": {"subnetworks": [{"subnet_name": "s", "subnet_ip": "192.168.64.0/18"}]},
        },
        {"id": "gke", "source": "modules/scheduler/gke-cluster", "use": ["net"], "settings": cluster or {}},
        {"id": "pool", "source": "modules/compute/gke-node-pool", "use": ["gke"], "settings": POOL | (pool or {})},
        *more,
    ]
    text = json.dumps({"blueprint_name": "b", "vars": VARIABLES, "deployment_groups": [{"modules": modules}]})
    return plan_of([("b.yaml", text)], CATALOG)


def submit(options: str) -> Translation:
    """The plan of one job in an existing cluster."""
    command = (
        "gcluster job submit --name w -c tpus -l us-east5-b -p acme-ml --image i --command run --compute-type v6e-8"
    )
    return plan_of([("s.sh", f"{command} {options}")], CATALOG)


def value(translation: Translation, path: str) -> Any:
    """The value at a path below the cluster."""
    found: Any = translation.plan["clusters"]["tpus"]
    for part in path.split("."):
        found = found[part]
    return found


def row_of(translation: Translation, option: str, module: str = "") -> OptionRow:
    """What became of an option."""
    return [row for row in translation.rows if row.option == option and module in row.command][-1]


def assert_valid(translation: Translation) -> None:
    """There is a plan without errors."""
    assert not translation.problems, translation.problems
    findings = check_plan(parse_plan(translation.plan), CATALOG).findings
    assert not [item for item in findings if item.severity is Severity.ERROR]


@pytest.mark.parametrize(
    ("settings", "cluster"),
    [
        ({"cluster_name": "mine"}, "mine"),
        ({"name_suffix": "a"}, "tpus-a"),
        ({"name_suffix": "a", "prefix_with_deployment_name": False}, "a"),
    ],
)
def test_a_setting_that_names_the_cluster_is_a_row_with_its_key(settings: dict[str, Any], cluster: str) -> None:
    translation = blueprint(settings)
    assert [*translation.plan["clusters"]] == [cluster]
    row = row_of(translation, next(iter(settings)))
    assert (row.became, row.key) == ("key", f"clusters.{cluster}")


def test_a_cluster_without_a_name_is_a_problem() -> None:
    (problem,) = blueprint({"prefix_with_deployment_name": False}).problems
    assert "gives its cluster no known name" in problem.message


EXCLUSION = {"name": "e", "start_time": "2025-12-01T00:00:00Z", "exclusion_scope": "NO_MINOR_OR_NODE_UPGRADES"}
SETTINGS: list[tuple[str, str, Any, str, Any]] = [
    ("gke", "enable_ml_diagnostics", True, "ml_diagnostics", True),
    ("gke", "enable_private_endpoint", False, "control_plane.private", False),
    ("gke", "enable_private_nodes", True, "private_nodes", True),
    (
        "gke",
        "master_authorized_networks",
        [{"cidr_block": "10.0.0.1/32", "display_name": "me"}],
        "control_plane.authorized_networks",
        {"me": "10.0.0.1/32"},
    ),
    ("gke", "system_node_pool_machine_type", "n2-standard-8", "system_pool.machine_type", "n2-standard-8"),
    ("gke", "system_node_pool_disk_size_gb", 200, "system_pool.boot_disk_size_gib", 200),
    ("gke", "system_node_pool_disk_type", "pd-balanced", "system_pool.boot_disk_type", "pd-balanced"),
    ("gke", "system_node_pool_node_count", {"total_min_nodes": 2, "total_max_nodes": 5}, "system_pool.max_nodes", 5),
    ("gke", "system_node_pool_taints", [], GONE, None),
    ("gke", "version_prefix", "1.35.", "min_version", "1.35"),
    ("gke", "min_master_version", "1.35.1-gke.100", "min_version", "1.35.1-gke.100"),
    ("gke", "release_channel", "REGULAR", "release_channel", "regular"),
    (
        "gke",
        "maintenance_exclusions",
        [EXCLUSION | {"exclusion_end_time_behavior": "UNTIL_END_OF_SUPPORT"}],
        "maintenance.exclusions.e.end_of_support",
        True,
    ),
    ("gke", "maintenance_start_time", "05:00", "maintenance.window.start", "2026-01-01T05:00:00Z"),
    ("gke", "enable_gcsfuse_csi", True, "addons", ["gcs_fuse"]),
    ("gke", "enable_filestore_csi", True, "addons", ["filestore"]),
    ("gke", "enable_parallelstore_csi", True, "addons", ["parallelstore"]),
    ("gke", "enable_managed_lustre_csi", True, "addons", ["lustre"]),
    ("gke", "enable_ray_operator", True, "addons", ["ray_operator"]),
    ("gke", "enable_node_local_dns_cache", True, "addons", ["dns_cache"]),
    ("gke", "enable_persistent_disk_csi", True, GONE, None),
    ("gke", "enable_pathways_for_tpus", True, "cpu_pools.cpu-np.machine_type", "n2-standard-64"),
    ("gke", "configure_workload_identity_sa", True, "kubernetes.service_accounts.workload-identity-k8s-sa", None),
    ("gke", "namespace", "research", "kubernetes.namespace", "research"),
    (
        "gke",
        "additional_networks",
        "$(data.instance_additional_networks)",
        "additional_networks.data",
        {"subnet": "192.168.64.0/18"},
    ),
    ("gke", "k8s_network_names", {"rdma_prefix": "x"}, GONE, None),
    ("gke", "enable_private_ipv6_google_access", True, GONE, None),
    ("gke", "default_max_pods_per_node", 110, "extra.default_max_pods_per_node", 110),
    ("gke", "enable_vertical_pod_autoscaling", True, "extra.vertical_pod_autoscaling.enabled", True),
    ("gke", "service_account_scopes", ["cloud-platform"], GONE, None),
    ("gke", "cluster_autoscaling", {"enabled": False}, GONE, None),
    ("gke", "labels", {"team": "research"}, "resource_labels", {"team": "research"}),
    ("gke", "timeout_create", "120m", GONE, None),
    ("pool", "num_slices", 3, "slices.pool.count", 3),
    ("pool", "static_node_count", 4, "slices.pool.topology", "4x4"),
    ("pool", "autoscaling_max_node_count", 16, "slices.pool.count", {"min": 0, "max": 4}),
    ("pool", "autoscaling_total_max_nodes", 16, "slices.pool.count", {"min": 0, "max": 4}),
    ("pool", "spot", True, "slices.pool.capacity", "spot"),
    ("pool", "enable_flex_start", True, "slices.pool.capacity", "flex_start"),
    (
        "pool",
        "reservation_affinity",
        {
            "consume_reservation_type": "SPECIFIC_RESERVATION",
            "specific_reservations": [{"name": "r", "project": "acme-capacity"}],
        },
        "slices.pool.capacity",
        {"reservation": {"name": "r", "project": "acme-capacity"}},
    ),
    ("pool", "is_reservation_active", False, GONE, None),
    ("pool", "disk_size_gb", 200, "slices.pool.boot_disk.size_gib", 200),
    ("pool", "disk_type", "hyperdisk-balanced", "slices.pool.boot_disk.type", "hyperdisk-balanced"),
    ("pool", "auto_upgrade", True, "slices.pool.upgrade.auto_upgrade", True),
    ("pool", "auto_repair", True, "slices.pool.upgrade.auto_repair", True),
    ("pool", "host_maintenance_interval", "PERIODIC", "slices.pool.host_maintenance.interval", "periodic"),
    ("pool", "kubernetes_labels", {"team": "x"}, "slices.pool.node_labels", {"team": "x"}),
    ("pool", "max_pods_per_node", 32, "slices.pool.max_pods_per_node", 32),
    ("pool", "enable_dranet", True, GONE, None),
    ("pool", "enable_secure_boot", True, GONE, None),
    ("pool", "upgrade_settings", {"strategy": "SURGE"}, GONE, None),
    ("pool", "guest_accelerator", [], GONE, None),
    ("pool", "something_new", 1, GONE, None),
]


@pytest.mark.parametrize(("module", "name", "given", "path", "expected"), SETTINGS, ids=[row[1] for row in SETTINGS])
def test_a_setting_of_a_blueprint(module: str, name: str, given: Any, path: str, expected: Any) -> None:
    on_demand = {"reservation_affinity": {"specific_reservations": [{"name": "r"}]}}
    pool = {name: given} if module == "pool" else {}
    capacity = {} if {"spot", "enable_flex_start", "reservation_affinity"} & pool.keys() else on_demand
    scaled: dict[str, Any] = {"spot": True} if "autoscaling" in name or name == "enable_flex_start" else {}
    if name == "enable_flex_start":
        scaled = {"autoscaling_max_node_count": 4}
    if "autoscaling" in name:
        capacity = {}
    translation = blueprint({name: given} if module == "gke" else {}, {**capacity, **scaled, **pool})
    row = row_of(translation, name, module)
    if path == GONE:
        assert row.became == GONE
        assert row.reason
    else:
        assert value(translation, path) == (expected if expected is not None else {"google": "create"})
        assert row.became == ("extra" if path.startswith("extra") else "key")
        assert row.key.startswith("clusters.tpus")
    if name != "namespace":  # the namespace has to exist in `namespaces`
        assert_valid(translation)


def test_what_is_installed_becomes_operators_and_a_queue() -> None:
    install = {
        "id": "install",
        "source": "modules/management/kubectl-apply",
        "use": ["gke"],
        "settings": {
            "kueue": {"install": True, "config_path": "k.tftpl"},
            "jobset": {"install": True},
            "cert_manager": {"install": True},
            "apply_manifests": [{"source": "m.yaml"}],
        },
    }
    pool = {"spot": True, "num_slices": 2}
    translation = blueprint({}, pool, (install,))
    assert value(translation, "kubernetes.operators") == {"kueue": {}, "jobset": {}}
    assert value(translation, "kubernetes.queues.user-queue") == {"chips": {"pool": 32}}
    assert row_of(translation, "apply_manifests").became == GONE
    assert_valid(translation)


@pytest.mark.parametrize(
    "source", ["file-system/cloud-storage-bucket", "file-system/filestore", "file-system/managed-lustre", "new/module"]
)
def test_a_module_without_a_key_is_a_row(source: str) -> None:
    more = ({"id": "other", "source": f"modules/{source}", "settings": {"size_gib": 1}},)
    assert row_of(blueprint({}, {"spot": True}, more), "(module)", "other").became == GONE


def test_an_existing_cluster_is_named() -> None:
    modules = [
        {"id": "gke", "source": "modules/scheduler/pre-existing-gke-cluster", "settings": {"cluster_name": "tpus"}},
        {
            "id": "pool",
            "source": "modules/compute/gke-node-pool",
            "use": ["gke"],
            "settings": POOL | {"spot": True},
        },
    ]
    text = json.dumps({"vars": VARIABLES, "deployment_groups": [{"modules": modules}]})
    translation = plan_of([("b.yaml", text)], CATALOG)
    assert value(translation, "existing") == "projects/acme-ml/locations/us-east5/clusters/tpus"
    assert value(translation, "slices.pool.topology") == "4x4"


def test_the_deployment_file_sets_variables_in_any_order() -> None:
    modules = [
        {"id": "gke", "source": "modules/scheduler/gke-cluster"},
        {
            "id": "pool",
            "source": "modules/compute/gke-node-pool",
            "use": ["gke"],
            "settings": POOL | {"spot": True, "num_slices": "$(vars.num_slices)"},
        },
    ]
    empty = dict.fromkeys((*VARIABLES, "num_slices"))
    one = ("b.yaml", json.dumps({"vars": empty, "deployment_groups": [{"modules": modules}]}))
    other = ("d.yaml", json.dumps({"vars": VARIABLES | {"num_slices": 5}}))
    for files in ((one, other), (other, one)):
        assert value(plan_of(files, CATALOG), "slices.pool.count") == 5
    assert "the variable region has no value" in [problem.message for problem in plan_of([one], CATALOG).problems]


JOB: dict[str, tuple[str, str, Any]] = {
    "--name": ("", "kind", "jobset"),
    "--cluster": ("", "kind", "jobset"),
    "--location": ("", "slices", "np"),
    "--image": ("", "image", "i"),
    "--command": ("", "args", ["run"]),
    "--compute-type": ("", "slices", "np"),
    "--topology": ("--topology 2x4", "slices", "np"),
    "--num-slices": ("--num-slices 2", "count", 2),
    "--num-nodes": ("--num-nodes 2", "derived", None),
    "--env": ("--env A=b", "env", {"A": "b"}),
    "--queue": ("--queue q", "queue", "q"),
    "--gke-namespace": ("--gke-namespace research", "namespace", "research"),
    "--restarts": ("--restarts 3", "max_restarts", 3),
    "--restart-on-exit-codes": ("--restart-on-exit-codes 3,1", "exit_codes.restart", [1, 3]),
    "--gke-ttl-after-finished": ("--gke-ttl-after-finished 5m", "ttl", "5m"),
    "--grace-period": ("--grace-period 2m", "grace_period", "2m"),
    "--priority": ("--priority high", "priority", "high"),
    "--service-account": ("--service-account a", "service_account", "a"),
    "--image-pull-secret": ("--image-pull-secret a,b", "pull_secrets", ["a", "b"]),
    "--gke-scheduler": ("--gke-scheduler s", "pod_template.spec.schedulerName", "s"),
    "--node-constraint": ("--node-constraint a/b=c", "pod_template.spec.nodeSelector", {"a/b": "c"}),
    "--gke-disable-parallel-containers": ("--gke-disable-parallel-containers", "derived", None),
    "--gke-nap-provisioning": ("--gke-nap-provisioning spot", "derived", None),
    "--gke-nap-reservation": ("--gke-nap-reservation r", "derived", None),
    "--gke-mtc-ramdisk-directory": ("--gke-mtc-ramdisk-directory /ram", GONE, None),
    "--pathways": ("--pathways", "kind", "pathways"),
    "--pathways-gcs-location": ("--pathways --pathways-gcs-location gs://acme/x", "scratch", "gs://acme/x"),
    "--pathways-headless": ("--pathways --pathways-headless", "pathways.headless", True),
    "--pathways-proxy-server-image": ("--pathways --pathways-proxy-server-image p", "pathways.proxy.image", "p"),
    "--pathways-server-image": ("--pathways --pathways-server-image s", "pathways.resource_manager.image", "s"),
    "--pathways-worker-image": ("--pathways --pathways-worker-image w", "pathways.worker.image", "w"),
    "--pathways-proxy-args": ("--pathways --pathways-proxy-args=--a=1", "pathways.proxy.args", ["--a=1"]),
    "--pathways-server-args": ("--pathways --pathways-server-args=--a", "pathways.resource_manager.args", ["--a"]),
    "--pathways-worker-args": ("--pathways --pathways-worker-args=--a", "pathways.worker.args", ["--a"]),
    "--pathways-elastic-slices": ("--pathways --pathways-elastic-slices=1", "pathways.elastic.slices", 1),
    "--pathways-max-slice-restarts": (
        "--pathways --pathways-elastic-slices=1 --pathways-max-slice-restarts=4",
        "pathways.elastic.max_restarts",
        4,
    ),
    "--pathways-colocated-python-sidecar-image": (
        "--pathways --pathways-colocated-python-sidecar-image=c",
        "pathways.python_sidecar.image",
        "c",
    ),
    **{option: (f"{option}=x", GONE, None) for option in gcluster_jobs.LEFT_OUT if option != "--base-image"},
    "--base-image": ("--base-image=x", GONE, None),
    "--mount": ("--mount gs://acme-data/v3:/data:rw", "volumes.mount-1", {"mount": "/data"}),
}


@pytest.mark.parametrize("option", JOB)
def test_an_option_of_a_job(option: str) -> None:
    words, path, expected = JOB[option]
    translation = submit(words)
    row = row_of(translation, option)
    if expected is None:
        assert row.became == path
        assert row.reason
    elif option == "--mount":
        bucket = {"mount": "/data", "bucket": {"name": "acme-data", "path": "v3"}}
        assert value(translation, "kubernetes.workloads.w.volumes.mount-1") == bucket
    else:
        assert value(translation, f"kubernetes.workloads.w.{path}") == expected
        assert row.became == "key"


def test_every_option_of_a_job_is_in_this_table() -> None:
    assert set(gcluster_jobs.OPTIONS) - set(JOB) == {"--project"}


def test_a_job_in_an_existing_cluster_is_valid() -> None:
    assert_valid(
        submit(
            "--mount gs://acme-data:/data:rw --mount claim:/c --mount /var/log:/logs --priority high "
            "--gke-nap-provisioning=spot"
        )
    )


def test_names_mean_what_gcluster_means() -> None:
    assert value(submit(""), "slices.np") == {
        "tpu": "v6e",
        "topology": "2x4",
        "chips_per_host": 8,
        "zone": "us-east5-b",
    }


@pytest.mark.parametrize(
    ("options", "containers"),
    [("", 2), ("--gke-disable-parallel-containers", None), ("--pathways", None)],
)
def test_ironwood_runs_two_containers_on_each_host_unless_the_job_says_otherwise(
    options: str, containers: int | None
) -> None:
    found = submit(f"--compute-type tpu7x-128 -l us-central1-c {options}")
    assert value(found, "kubernetes.workloads.w").get("containers") == containers
    assert "containers" not in value(submit(""), "kubernetes.workloads.w")


def with_variables(variables: dict[str, Any], cluster: dict[str, Any] | None = None) -> Translation:
    """The plan of a blueprint with more variables."""
    modules = [{"id": "gke", "source": "modules/scheduler/gke-cluster", "settings": cluster or {}}]
    written = {"blueprint_name": "b", "vars": VARIABLES | variables, "deployment_groups": [{"modules": modules}]}
    return plan_of([("b.yaml", json.dumps(written))], CATALOG)


@pytest.mark.parametrize("name", ["password", "db_passwd", "hf_token", "API_KEY", "service_credentials"])
def test_values_that_can_be_secret_are_not_shown(name: str) -> None:
    cluster = {name: f"$(vars.{name})", "other": f"x-$(vars.{name})", "auth": [{name: f"$(vars.{name})"}]}
    translation = with_variables({name: "hunter2"}, cluster)
    assert [row.option for row in translation.rows if "hunter2" in row.value] == []
    assert row_of(translation, name, "vars").value == "(not shown)"
    data = json.dumps(translation_data(translation.rows, ()))
    assert "hunter2" not in data
    assert "hunter2" not in json.dumps(translation.plan)


def test_other_values_are_shown() -> None:
    translation = with_variables({"enable_secret_manager": True, "labels": {"team": "a"}})
    assert row_of(translation, "enable_secret_manager").value == "True"
    assert row_of(translation, "labels").value == "{team: a}"


@pytest.mark.parametrize("name", ["a\nb", "a\tb", "a: b\n  c: d"])
def test_a_name_with_a_line_break_is_a_problem(name: str) -> None:
    for translation in (with_variables({"deployment_name": name}), blueprint(pool={"name": name})):
        (problem,) = translation.problems
        assert problem.message.startswith("the name ")


@pytest.mark.parametrize("source", ["modules/network/vpc", "modules/compute/gke-node-pool", "modules/scheduler/other"])
def test_a_blueprint_without_a_cluster_is_a_problem(source: str) -> None:
    modules = [{"id": "net", "source": source, "settings": {"subnetworks": [{"subnet_ip": "10.0.0.0/8"}]}}]
    written = {"blueprint_name": "b", "vars": VARIABLES, "deployment_groups": [{"modules": modules}]}
    (problem,) = plan_of([("b.yaml", json.dumps(written))], CATALOG).problems
    assert problem.message == "no module gke-cluster or pre-existing-gke-cluster"


RANGE = "$(range.cidr)"


@pytest.mark.parametrize(
    ("cluster", "network"),
    [
        ({}, {"subnetworks": [{"subnet_name": "s", "subnet_ip": RANGE}]}),
        ({}, {"secondary_ranges_list": [{"ranges": [{"range_name": "pods", "ip_cidr_range": RANGE}]}]}),
        ({"labels": {"team": RANGE}}, {}),
        ({"master_authorized_networks": [{"cidr_block": RANGE, "display_name": "office"}]}, {}),
        ({"system_node_pool_zones": ["$(range.zone)"]}, {}),
    ],
    ids=["subnetwork", "pods", "labels", "authorized networks", "zones"],
)
def test_a_value_of_another_module_is_not_in_the_plan(cluster: dict[str, Any], network: dict[str, Any]) -> None:
    modules = [
        {"id": "net", "source": "modules/network/vpc", "settings": network},
        {"id": "gke", "source": "modules/scheduler/gke-cluster", "use": ["net"], "settings": cluster},
    ]
    written = {"blueprint_name": "b", "vars": VARIABLES, "deployment_groups": [{"modules": modules}]}
    translation = plan_of([("b.yaml", json.dumps(written))], CATALOG)
    assert_valid(translation)
    assert "range." not in json.dumps(translation.plan)
    ((option, _),) = (cluster or network).items()
    row = row_of(translation, option)
    assert (row.became, row.reason) == (GONE, "only a deployment knows the value")


@pytest.mark.parametrize(
    ("pool", "most"),
    [
        ({"enable_flex_start": True, "static_node_count": 4}, 1),
        ({"enable_flex_start": True, "static_node_count": 4, "num_slices": 3}, 3),
        ({"enable_queued_provisioning": True, "static_node_count": 4, "num_slices": 2}, 2),
    ],
)
def test_a_fixed_number_of_nodes_is_the_most_with_flex_start_and_queued_capacity(
    pool: dict[str, Any], most: int
) -> None:
    translation = blueprint(pool=pool)
    assert value(translation, "slices.pool.count") == {"min": 0, "max": most}
    assert row_of(translation, "static_node_count").reason.endswith("are autoscaled, from 0 to the number of slices")
    assert_valid(translation)


@pytest.mark.parametrize(
    ("mode", "shape"),
    [
        ({"accelerator_topology_mode": "PROVISION_ONLY"}, {"slicing": "dynamic"}),
        ({"accelerator_topology_mode": "AUTO_CONNECT"}, {"topology": "4x4x4"}),
        ({}, {"topology": "4x4x4"}),
    ],
)
def test_a_policy_decides_between_cubes_and_slices(mode: dict[str, str], shape: dict[str, str]) -> None:
    policy = {"type": "HIGH_THROUGHPUT", "accelerator_topology": "4x4x4", **mode}
    settings = {
        "name": "cubes",
        "machine_type": "tpu7x-standard-4t",
        "num_slices": 5,
        "static_node_count": 16,
        "zones": ["us-central1-c"],
        "reservation_affinity": {
            "consume_reservation_type": "SPECIFIC_RESERVATION",
            "specific_reservations": [{"name": "ironwood"}],
        },
    }
    modules = [
        {"id": "net", "source": "modules/network/vpc", "settings": {"network_name": "n", "mtu": 8896}},
        {"id": "cube", "source": "modules/compute/resource-policy", "settings": {"workload_policy": policy}},
        {
            "id": "gke",
            "source": "modules/scheduler/gke-cluster",
            "use": ["net"],
            "settings": {"enable_slice_controller": True, "release_channel": "RAPID"},
        },
        {"id": "pool", "source": "modules/compute/gke-node-pool", "use": ["gke", "cube"], "settings": settings},
    ]
    variables = {**VARIABLES, "region": "us-central1", "zone": "us-central1-c"}
    text = json.dumps({"blueprint_name": "b", "vars": variables, "deployment_groups": [{"modules": modules}]})
    found = plan_of([("b.yaml", text)], CATALOG)
    assert_valid(found)
    assert value(found, "slices.cubes") == {
        "tpu": "tpu7x",
        **shape,
        "zone": "us-central1-c",
        "count": 5,
        "capacity": {"reservation": "ironwood"},
    }
    assert value(found, "addons") == ["slice_controller"]


@pytest.mark.parametrize("start", ["noon", "9", 900, None, ["09:00"]])
def test_a_start_of_maintenance_that_is_not_a_time_is_a_problem(start: Any) -> None:
    (problem,) = blueprint({"maintenance_start_time": start}).problems
    assert "maintenance_start_time is not a time such as 09:00" in problem.message


def test_a_stated_version_is_used_instead_of_its_prefix() -> None:
    both = blueprint({"min_master_version": "1.35.1-gke.100", "version_prefix": "1.34."})
    assert value(both, "min_version") == "1.35.1-gke.100"
    assert row_of(both, "version_prefix").became == GONE
    empty = blueprint({"version_prefix": ""})
    assert "min_version" not in empty.plan["clusters"]["tpus"]


def test_the_image_of_a_job_is_its_own_before_the_one_that_it_builds_on() -> None:
    command = "gcluster job submit --name w -c tpus -l us-east5-b -p acme-ml --command run --compute-type v6e-8"
    found = plan_of([("s.sh", f"{command} --base-image python:3.12")], CATALOG)
    assert value(found, "kubernetes.workloads.w.image") == "python:3.12"
    assert value(submit("--base-image python:3.12"), "kubernetes.workloads.w.image") == "i"
