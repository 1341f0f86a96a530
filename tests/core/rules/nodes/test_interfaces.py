"""Rules about additional network interfaces of hosts, and the networks that are created for them."""

import pytest
from support.fixtures.checks import Broken, Check, weights
from support.rule_plans import named_group, with_groups

from pulumi_gke_tpu.core.text.findings import Severity, format_path

FOUR_HOSTS = "tpu: v6e\ntopology: 4x4\n"

V5P = "tpu: v5p\ntopology: 2x2x2\nzone: us-east5-a\n"

PROFILE = "network_profile: auto\n"

NETWORKS = "additional_networks: [{network: n1, subnetwork: s1}]\n"


@pytest.mark.parametrize(
    ("group", "expected"),
    [
        (FOUR_HOSTS + PROFILE + NETWORKS, ["TPU581"]),
        (V5P + PROFILE, ["TPU583"]),
    ],
)
def test_placement_collections_and_interfaces_depend_on_the_slices(
    group: str, expected: list[str], broken: Broken
) -> None:
    assert broken(group) == expected


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ("topology: 4x4", []),
        ("topology: 4x4, network_profile: auto", ["TPU582"]),
        ("topology: 4x4, additional_networks: [{network: n1, subnetwork: s1}]", ["TPU582"]),
    ],
)
def test_interfaces_require_dataplane_v2(keys: str, expected: list[str], check: Check) -> None:
    findings = check(with_groups(named_group("main", keys), more="security: {dataplane_v2: false}\n"))
    assert [item.rule for item in findings if item.rule.startswith("TPU58")] == expected


@pytest.mark.parametrize(
    ("more", "networks", "expected"),
    [
        ("", "[{network: n1, subnetwork: s1}, {network: n2, subnetwork: s1}]", []),
        ("", "[{network: n1, subnetwork: s1}, {network: n1, subnetwork: s2}]", [1]),
        ("", "[{network: n1, subnetwork: s1}, {network: n1, subnetwork: s2}, {network: n1, subnetwork: s3}]", [1, 2]),
        ("network: {network: shared, subnetwork: nodes}\n", "[{network: shared, subnetwork: s1}]", [0]),
        ("network: {network: shared, subnetwork: nodes}\n", "[{network: n1, subnetwork: s1}]", []),
    ],
)
def test_every_interface_has_its_own_network(more: str, networks: str, expected: list[int], check: Check) -> None:
    findings = check(with_groups(named_group("main", f"topology: 4x4, additional_networks: {networks}"), more=more))
    assert [item.path[-2] for item in findings if item.rule == "TPU584"] == expected


def test_the_cluster_has_one_finding_for_all_its_groups(check: Check) -> None:
    groups = ", ".join(named_group(name, "topology: 4x4, network_profile: auto") for name in ("a", "b", "c"))
    findings = check(with_groups(groups, more="security: {dataplane_v2: false}\n"))
    (finding,) = [item for item in findings if item.rule == "TPU582"]
    assert finding.message == "the network interfaces of train/a and 2 more require Dataplane V2"
    assert finding.severity is Severity.ERROR


CLUSTER = "mode: standard\nlocation: us-east5\n"

DATA = "additional_networks: {data: {subnet: 10.64.0.0/20}}\n"


def group(networks: str, more: str = "") -> str:
    return f"slices: {{main: {{tpu: v6e, topology: 4x4, zone: us-east5-b, additional_networks: {networks}{more}}}}}\n"


@pytest.mark.parametrize(
    ("plan", "expected"),
    [
        (DATA + group("[data]"), []),
        (DATA + group("[{name: data}]"), []),
        (DATA, []),
        # names
        (DATA + group("[other]"), ["TPU585 error"]),
        (group("[data]"), ["TPU585 error"]),
        (DATA + group("[data, data]"), ["TPU584 error"]),
        (DATA + group("[data, {network: data, subnetwork: data}]"), []),
        ("additional_networks: {data_1: {subnet: 10.64.0.0/20}}\n", ["TPU587 error"]),
        # ranges
        ("additional_networks: {data: {subnet: 10.64.0.1/20}}\n", ["TPU261 error"]),
        ("additional_networks: {data: {subnet: wide}}\n", ["TPU261 error"]),
        ("network: create\nadditional_networks: {data: {subnet: 10.0.0.0/24}}\n" + group("[data]"), ["TPU586 error"]),
        ("network: create\nadditional_networks: {data: {subnet: 10.0.0.0/24}}\n", []),
        (
            "additional_networks: {a: {subnet: 10.64.0.0/20}, b: {subnet: 10.64.8.0/24}}\n" + group("[a, b]"),
            ["TPU586 error"],
        ),
        ("additional_networks: {a: {subnet: 10.64.0.0/20}, b: {subnet: 10.64.8.0/24}}\n" + group("[a]"), []),
        ("additional_networks: {data: {subnet: 10.64.0.0/29}}\n" + group("[data]"), []),
        ("additional_networks: {data: {subnet: 10.64.0.0/29}}\n" + group("[data]", ", count: 2"), ["TPU264 error"]),
        # MTU
        ("additional_networks: {data: {subnet: 10.64.0.0/20, mtu: 9000}}\n", ["TPU266 error"]),
        ("additional_networks: {data: {subnet: 10.64.0.0/20, mtu: 1460}}\n" + group("[data]"), ["TPU267 note"]),
        # form
        (DATA + group("[{}]"), ["TPU026 error"]),
        (DATA + group("[{name: data, network: a, subnetwork: b}]"), ["TPU026 error"]),
        (group("[{network: a}]"), ["TPU026 error"]),
    ],
)
def test_networks_for_interfaces_are_checked(plan: str, expected: list[str], check: Check) -> None:
    assert weights(check(CLUSTER + plan)) == expected


def test_an_overlap_of_two_groups_is_reported_once_at_the_network(check: Check) -> None:
    slices = "".join(
        f"  {name}: {{tpu: v6e, topology: 4x4, zone: us-east5-b, additional_networks: [data]}}\n" for name in "ab"
    )
    networks = "network: create\nadditional_networks: {data: {subnet: 10.0.0.0/24}}\n"
    findings = check(f"{CLUSTER}{networks}slices:\n{slices}")
    assert [format_path(item.path) for item in findings] == ["clusters.train.additional_networks.data.subnet"]


def test_two_clusters_with_the_same_network_name_are_reported(check: Check) -> None:
    findings = check(
        "version: 1\nproject: acme-ml\nclusters:\n"
        "  a: {mode: standard, location: us-east5, additional_networks: {b-c: {subnet: 10.64.0.0/20}}}\n"
        "  a-b: {mode: standard, location: us-east5, additional_networks: {c: {subnet: 10.64.0.0/20}}}\n"
    )
    assert weights(findings) == ["TPU268 error"]
