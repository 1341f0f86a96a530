"""Rules about node pools without TPUs, the system pool and those in `cpu_pools`."""

import pytest
from support.fixtures.checks import Broken, Check, weights

from pulumi_gke_tpu.core.text.findings import format_path

STANDARD = "mode: standard\nlocation: us-east5\n"


@pytest.mark.parametrize(
    "machine", ["n2-standard-4", "e2-medium", "n4-highmem-8", "n2-custom-4-16384", "c3-standard-4-lssd"]
)
def test_cpu_machine_types_are_accepted(machine: str, broken: Broken) -> None:
    assert broken(STANDARD + f"system_pool: {{machine_type: {machine}}}\n") == []


@pytest.mark.parametrize(
    "machine", ["ct6e-standard-4t", "tpu7x-standard-4t", "n2", "N2-standard-4", "n2_standard_4", "''"]
)
def test_other_machine_types_are_rejected(machine: str, broken: Broken) -> None:
    assert broken(STANDARD + f"system_pool: {{machine_type: {machine}}}\n") == ["TPU254"]


@pytest.mark.parametrize(
    ("location", "pool", "expected"),
    [
        ("us-central2-b", "machine_type: e2-standard-4", ["TPU255 error"]),  # an answer of the API
        ("us-central2", "machine_type: e2-standard-4", ["TPU255 warning"]),  # GKE selects the zones
        ("us-central2-b", "machine_type: c3-standard-4", ["TPU255 warning"]),
        ("us-east5", "machine_type: n1-standard-4", ["TPU255 warning"]),
        ("us-east5", "machine_type: custom-4-8192", ["TPU255 warning"]),
        ("us-east5", "machine_type: n1-standard-4, zones: [us-east5-a]", ["TPU255 warning"]),
        ("us-south1", "machine_type: c4-standard-4, zones: [us-south1-b]", []),  # the catalog has no facts on this zone
        ("us-central1", "machine_type: e2-standard-4", []),
        ("us-east5", "machine_type: z3-highmem-88", []),  # the catalog has no facts on this family
        ("us-central2-b", "min_nodes: 1", []),
        # limits
        ("us-east5", "min_nodes: 3", []),
        ("us-east5", "min_nodes: 4", ["TPU256 error"]),
        ("us-east5", "min_nodes: 0, max_nodes: 1", []),
        # zones
        ("us-east5", "zones: [us-east5-a, us-east5-c]", []),
        ("us-east5-b", "zones: [us-east5-a]", []),
        ("us-east5", "zones: [us-east5-a, us-east1-b]", ["TPU257 error"]),
        ("us-east5", "zones: [b]", ["TPU257 error"]),
        # AI zones are for TPUs
        ("us-central1", "zones: [us-central1-ai1a]", ["TPU258 error"]),
        ("us-central1-ai1a", "min_nodes: 1", ["TPU258 error"]),
        ("us-south1", "machine_type: n1-standard-4, zones: [us-south1-ai1b]", ["TPU258 error"]),
        # disks
        ("us-east5", "boot_disk_type: hyperdisk-balanced", []),
        ("us-east5", "boot_disk_type: pd-ssd", []),
        ("us-east5", "boot_disk_type: ssd", ["TPU505 warning"]),
    ],
)
def test_system_pools_are_checked(location: str, pool: str, expected: list[str], check: Check) -> None:
    assert weights(check(f"mode: standard\nlocation: {location}\nsystem_pool: {{{pool}}}\n")) == expected


@pytest.mark.parametrize(("pool", "key"), [("min_nodes: 5", "min_nodes"), ("min_nodes: 5, max_nodes: 4", "max_nodes")])
def test_the_fix_raises_the_limit_that_the_plan_sets(pool: str, key: str, check: Check) -> None:
    (finding,) = check(f"mode: standard\nlocation: us-east5\nsystem_pool: {{{pool}}}\n")
    assert (finding.path[-1], finding.fix) == (key, "max_nodes: 5")


def test_the_default_system_pool_is_also_checked(check: Check) -> None:
    assert weights(check("mode: standard\nlocation: us-central1-ai1a\n")) == ["TPU258 error"]
    assert check("mode: standard\nlocation: us-central2-b\n") == ()


IN_REGION = "mode: standard\nlocation: {location}\ncpu_pools:\n  head: {{{pool}}}\n"

N2 = "machine_type: n2-standard-64"


def plan(pool: str, location: str = "us-east5") -> str:
    return IN_REGION.format(pool=pool, location=location)


@pytest.mark.parametrize(
    ("location", "pool", "expected"),
    [
        ("us-east5", f"{N2}, nodes: 1, zones: [us-east5-b]", []),
        ("us-east5-b", f"{N2}, nodes: 3", []),
        ("us-east5", f"{N2}, nodes: 0", []),
        ("us-east5", f"{N2}, max_nodes: 3", []),
        ("us-east5", f"{N2}, min_nodes: 3, max_nodes: 3", []),
        # sizes
        ("us-east5", N2, ["TPU275 error"]),
        ("us-east5", f"{N2}, min_nodes: 1", ["TPU275 error"]),
        ("us-east5-b", f"{N2}, nodes: 1, min_nodes: 1", ["TPU275 error"]),
        ("us-east5-b", f"{N2}, nodes: 1, max_nodes: 1", ["TPU275 error"]),
        ("us-east5", f"{N2}, min_nodes: 4, max_nodes: 3", ["TPU256 error"]),
        ("us-east5", f"{N2}, nodes: -1", ["TPU023 error"]),
        # a fixed number of nodes is divided among the zones
        ("us-east5", f"{N2}, nodes: 1", ["TPU276 error"]),
        ("us-east5", f"{N2}, nodes: 4, zones: [us-east5-a, us-east5-b]", []),
        ("us-east5", f"{N2}, nodes: 3, zones: [us-east5-a, us-east5-b]", ["TPU276 error"]),
        ("us-east5", f"{N2}, max_nodes: 3, zones: [us-east5-a, us-east5-b]", []),
        # machine types
        ("us-east5", "machine_type: ct6e-standard-4t, max_nodes: 1", ["TPU254 error"]),
        ("us-east5", "machine_type: n2, max_nodes: 1", ["TPU254 error"]),
        ("us-east5", "max_nodes: 1", ["TPU021 error"]),
        ("us-central2-b", "machine_type: e2-standard-32, nodes: 1", ["TPU255 error"]),
        ("us-east5", "machine_type: n1-standard-64, max_nodes: 1", ["TPU255 warning"]),
        ("us-central2-b", "machine_type: e2-standard-32, nodes: 1, adopted: true", ["TPU255 warning"]),
        # zones
        ("us-east5", f"{N2}, max_nodes: 3, zones: [us-east1-b]", ["TPU257 error"]),
        ("us-central1", f"{N2}, max_nodes: 3, zones: [us-central1-ai1a]", ["TPU258 error"]),
        ("us-central1", f"{N2}, max_nodes: 3, zones: [us-central1-ai1a], adopted: true", ["TPU258 warning"]),
        # disks
        ("us-east5", f"{N2}, max_nodes: 3, boot_disk: {{type: pd-ssd}}", []),
        ("us-east5", f"{N2}, max_nodes: 3, boot_disk: {{type: ssd}}", ["TPU505 warning"]),
        # labels and taints
        ("us-east5", f"{N2}, max_nodes: 3, node_labels: {{cloud.google.com/gke-spot: 'true'}}", ["TPU531 error"]),
        ("us-east5", f"{N2}, max_nodes: 3, node_labels: {{role: the head}}", ["TPU532 error"]),
        ("us-east5", f"{N2}, max_nodes: 3, taints: [{{key: the head, effect: NoSchedule}}]", ["TPU536 error"]),
        (
            "us-east5",
            f"{N2}, max_nodes: 3, taints: [{{key: a, effect: NoSchedule}}, {{key: a, effect: NoSchedule}}]",
            ["TPU537 error"],
        ),
        (
            "us-east5",
            f"{N2}, max_nodes: 3, taints: [{{key: node.kubernetes.io/a, effect: NoSchedule}}]",
            ["TPU539 warning"],
        ),
        ("us-east5", f"{N2}, max_nodes: 3, taints: [{{key: google.com/tpu, effect: NoSchedule}}]", ["TPU540 warning"]),
        # properties
        ("us-east5", f"{N2}, max_nodes: 3, extra: {{node_confg: {{}}}}", ["TPU521 error"]),
        ("us-east5", f"{N2}, max_nodes: 3, extra: {{node_config: {{spot: true}}}}", ["TPU522 error"]),
        ("us-east5", f"{N2}, max_nodes: 3, extra: {{name: other}}", ["TPU522 error"]),
        ("us-east5", f"{N2}, max_nodes: 3, extra: {{node_config: {{tags: head}}}}", ["TPU525 error"]),
    ],
)
def test_cpu_pools_are_checked(location: str, pool: str, expected: list[str], check: Check) -> None:
    assert weights(check(plan(pool, location))) == expected


@pytest.mark.parametrize(
    ("pool", "path", "fix"),
    [
        (N2, "", "nodes: 1"),
        (f"{N2}, min_nodes: 2", "", "max_nodes: 2"),
        (f"{N2}, nodes: 3, zones: [us-east5-a, us-east5-b]", ".nodes", "nodes: 4"),
        (f"{N2}, min_nodes: 4, max_nodes: 3", ".max_nodes", "max_nodes: 4"),
        ("machine_type: n2, max_nodes: 1", ".machine_type", ""),
    ],
)
def test_the_fix_of_a_cpu_pool(pool: str, path: str, fix: str, check: Check) -> None:
    (finding,) = check(plan(pool))
    assert (format_path(finding.path), finding.fix) == (f"clusters.train.cpu_pools.head{path}", fix)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("head", []),
        ("system", ["TPU293"]),
        ("serve", ["TPU293"]),  # the node pool of the single-host group
        ("pretrain-0", ["TPU293"]),
        ("pretrain", []),  # its node pools are pretrain-0 and pretrain-1
        ("Head", ["TPU292"]),
        ("the/head", ["TPU292"]),
        ("1st", ["TPU292"]),
    ],
)
def test_names_of_cpu_pools_are_checked(name: str, expected: list[str], broken: Broken) -> None:
    slices = (
        "slices:\n  serve: {tpu: v6e, topology: 2x2, zone: us-east5-b}\n"
        "  pretrain: {tpu: v6e, topology: 4x4, count: 2, zone: us-east5-b}\n"
    )
    assert broken(f"mode: standard\nlocation: us-east5\ncpu_pools: {{{name}: {{{N2}, max_nodes: 1}}}}\n{slices}") == (
        expected
    )


def test_the_nodes_of_cpu_pools_use_addresses(broken: Broken) -> None:
    network = "network: {create: {mtu: 8896, subnet: 10.0.0.0/28, pods: 10.16.0.0/20}}\n"
    assert broken(f"{plan(f'{N2}, max_nodes: 8')}{network}") == []
    assert broken(f"{plan(f'{N2}, max_nodes: 40')}{network}") == ["TPU263", "TPU264"]


def test_the_vcpus_of_cpu_pools_count_against_the_limit_of_auto_provisioning(broken: Broken) -> None:
    limits = "autoprovisioning: {cpu: 100, memory_gib: 9999, tpu: {v6e: 64}}\n"
    assert broken(f"{plan(f'{N2}, max_nodes: 1')}{limits}") == []
    assert broken(f"{plan(f'{N2}, max_nodes: 2')}{limits}") == ["TPU225"]


def test_an_error_in_a_cpu_pool_leaves_the_others_checked(check: Check) -> None:
    text = (
        "mode: standard\nlocation: us-east5\ncpu_pools:\n"
        f"  head: {{{N2}, max_nodes: many}}\n"
        "  loaders: {machine_type: ct6e-standard-4t, max_nodes: 3}\n"
    )
    assert sorted(finding.rule for finding in check(text)) == ["TPU022", "TPU254"]


@pytest.mark.parametrize(
    ("account", "expected"),
    [("", ["TPU243"]), (", node_service_account: create", []), (", node_service_account: default", ["TPU243"])],
)
def test_nodes_in_an_existing_cluster_have_an_account(account: str, expected: list[str], broken: Broken) -> None:
    existing = "mode: standard\nexisting: projects/acme-ml/locations/us-east5/clusters/shared\nmin_version: '1.35'\n"
    found = broken(f"{existing}cpu_pools: {{head: {{{N2}, max_nodes: 1{account}}}}}\n")
    assert [rule for rule in found if rule == "TPU243"] == expected


def test_names_of_other_tools_are_translated(check: Check) -> None:
    (finding,) = check(plan("machine_type: n2-standard-64, num_nodes: 1", "us-east5-b"))
    assert (finding.rule, finding.fix) == ("TPU020", "nodes:")


@pytest.mark.parametrize(
    ("location", "keys", "expected"),
    [
        ("us-east5", "", []),
        ("us-east5-b", "", ["TPU298 warning"]),
        ("us-east5", "system_pool: {zones: [us-east5-b]}", ["TPU298 warning"]),
        ("us-east5", "system_pool: {zones: [us-east5-a, us-east5-b]}", []),
        ("us-east5-b", "cpu_pools: {head: {machine_type: e2-standard-8, max_nodes: 3}}", []),
        ("us-east5-b", "cpu_pools: {head: {machine_type: n2-standard-8, max_nodes: 3}}", ["TPU298 warning"]),
        (
            "us-east5",
            "system_pool: {zones: [us-east5-b]}\n"
            "cpu_pools: {head: {machine_type: n2-standard-8, max_nodes: 3, zones: [us-east5-a]}}",
            [],
        ),
        ("us-east5", "cpu_pools: {head: {machine_type: n2-standard-8, max_nodes: 3, zones: [us-east5-b]}}", []),
        ("us-east5-b", "autoprovisioning: {cpu: 100, memory_gib: 400}", []),
    ],
)
@pytest.mark.parametrize(("capacity", "reserved"), [("{reservation: v6e-pretrain}", True), ("on_demand", False)])
def test_one_machine_family_in_one_zone_is_a_risk_for_reserved_slices(
    location: str, keys: str, expected: list[str], capacity: str, reserved: bool, check: Check
) -> None:
    slices = f"slices: {{a: {{tpu: v6e, topology: 4x4, zone: us-east5-b, capacity: {capacity}}}}}\n"
    found = weights(check(f"mode: standard\nlocation: {location}\n{keys}\n{slices}"))
    assert [item for item in found if item.startswith("TPU298")] == (expected if reserved else [])
