"""Rules about additional network interfaces of hosts."""

import pytest
from support.fixtures.checks import Broken, Check
from support.rule_plans import named_group, with_groups

from pulumi_gke_tpu.core.text.findings import Severity

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
