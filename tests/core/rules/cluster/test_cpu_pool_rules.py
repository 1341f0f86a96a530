"""Rules about node pools without TPUs in `cpu_pools`: sizes, machine types, zones, names, labels and taints."""

from collections.abc import Callable

import pytest

from pulumi_gke_tpu.core.text.findings import Finding, format_path

Check = Callable[[str], tuple[Finding, ...]]
Broken = Callable[[str], list[str]]
IN_REGION = "mode: standard\nlocation: {location}\ncpu_pools:\n  head: {{{pool}}}\n"
N2 = "machine_type: n2-standard-64"


def plan(pool: str, location: str = "us-east5") -> str:
    return IN_REGION.format(pool=pool, location=location)


def weights(findings: tuple[Finding, ...]) -> list[str]:
    return [f"{finding.rule} {finding.severity.word}" for finding in findings]


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
        # zones
        ("us-east5", f"{N2}, max_nodes: 3, zones: [us-east1-b]", ["TPU257 error"]),
        ("us-central1", f"{N2}, max_nodes: 3, zones: [us-central1-ai1a]", ["TPU258 error"]),
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


OWN = "{key: components.gke.io/gke-managed-components, effect: NoSchedule}"
OTHER = "{key: dedicated, effect: NoSchedule}"


@pytest.mark.parametrize(
    ("system", "more", "expected"),
    [
        ("node_labels: {role: system}", "", []),
        ("node_labels: {role: the system}", "", ["TPU532 error"]),
        (f"taints: [{OTHER}]", "", ["TPU541 warning"]),
        ("taints: [{key: dedicated, effect: PreferNoSchedule}]", "", []),
        ("taints: [{key: dedicated, effect: NoExecute}]", "", ["TPU541 warning"]),
        (f"taints: [{OWN}]", "", ["TPU541 warning"]),
        (f"taints: [{OTHER}]", f"cpu_pools: {{a: {{{N2}, max_nodes: 1}}}}", []),
        (f"taints: [{OTHER}]", f"cpu_pools: {{a: {{{N2}, max_nodes: 1, taints: [{OTHER}]}}}}", ["TPU541 warning"]),
        (f"taints: [{OTHER}]", "autoprovisioning: {cpu: 999, memory_gib: 9999, tpu: {v6e: 64}}", []),
        ("taints: [{key: google.com/tpu, effect: PreferNoSchedule}]", "", ["TPU540 warning"]),
        (f"taints: [{OTHER}, {OTHER}]", f"cpu_pools: {{a: {{{N2}, max_nodes: 1}}}}", ["TPU537 error"]),
    ],
)
def test_labels_and_taints_of_the_system_pool_are_checked(
    system: str, more: str, expected: list[str], check: Check
) -> None:
    assert weights(check(f"mode: standard\nlocation: us-east5\nsystem_pool: {{{system}}}\n{more}\n")) == expected


@pytest.mark.parametrize(("taint", "system"), [(OWN, False), (OTHER, True)])
def test_pods_that_gke_manages_tolerate_one_taint(taint: str, system: bool, check: Check) -> None:
    (finding,) = check(f"mode: standard\nlocation: us-east5\nsystem_pool: {{taints: [{taint}]}}\n")
    assert ("system Pods" in finding.message) == system


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
