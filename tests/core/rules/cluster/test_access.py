"""Rules about access to the control plane and from the nodes."""

import pytest
from support.fixtures.checks import Broken, Check

from pulumi_gke_tpu.core.text.findings import Severity


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ("control_plane: {dns_endpoint: true}", []),
        ("control_plane: {dns_endpoint: false}", ["TPU271"]),
        ("control_plane: {dns_endpoint: false, private: true, authorized_networks: {office: 10.0.0.0/8}}", []),
        ("control_plane: {dns_endpoint: false, private: true}", ["TPU273"]),
        ("control_plane: {private: true}", []),
        ("control_plane: {private: true}\nnetwork: create", []),
        ("control_plane: {dns_endpoint: false, authorized_networks: {office: 203.0.113.0/24}}", []),
        ("control_plane: {private: true, authorized_networks: {all: 0.0.0.0/0}}", ["TPU274"]),
        ("control_plane: {private: true, authorized_networks: {half: 0.0.0.0/1}}", ["TPU274"]),
        ("control_plane: {private: true, authorized_networks: {office: 8.8.8.8/32}}", ["TPU274"]),
        ("control_plane: {private: true, authorized_networks: {a: 172.16.0.0/12, b: 192.168.0.0/16}}", []),
        ("control_plane: {private: true, authorized_networks: {a: 100.64.0.0/10, b: 240.0.0.0/4}}", []),
        ("control_plane: {private: true, authorized_networks: {documentation: 203.0.113.0/24}}", []),
        ("network: {create: {nat: false}}", ["TPU272"]),
        ("network: {create: {nat: false}}\nprivate_nodes: true", ["TPU272"]),
        ("network: {create: {nat: false}}\nprivate_nodes: false", []),
        ("private_nodes: true", []),  # the plan does not create the network
    ],
)
def test_access_to_the_control_plane_and_from_nodes_is_checked(keys: str, expected: list[str], broken: Broken) -> None:
    for mode in ("standard", "autopilot"):
        assert broken(f"mode: {mode}\nlocation: us-east5\n{keys}\n") == expected


def test_a_private_endpoint_that_only_the_cluster_can_access_is_noted_without_a_fix(check: Check) -> None:
    plane = "control_plane: {dns_endpoint: false, private: true}"
    (finding,) = check(f"mode: standard\nlocation: us-east5\n{plane}\n")
    assert (finding.rule, finding.severity, finding.fix) == ("TPU273", Severity.NOTE, "")
