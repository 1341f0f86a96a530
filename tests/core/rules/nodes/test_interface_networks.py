"""Rules about the networks that are created for additional interfaces of hosts."""

import pytest
from support.fixtures.checks import Check, weights

from pulumi_gke_tpu.core.text.findings import format_path

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
