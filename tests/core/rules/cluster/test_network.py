"""Rules about a network that gke-tpu creates: its address ranges, MTU and name."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.fixtures.checks import Broken, Check, weights
from support.rule_plans import v6e_group, with_network

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.fleet.addresses import pod_block
from pulumi_gke_tpu.core.output.text import findings_text
from pulumi_gke_tpu.core.plan.networks import CreateNetwork


@pytest.mark.parametrize(
    ("text", "fix"),
    [
        ("10.0.0.0/20", None),
        ("192.168.0.0/16", None),
        ("10.0.0.1/20", "10.0.0.0/20"),
        ("10.0.0.0/255.255.240.0", "10.0.0.0/20"),
        ("10.0.0.0", "10.0.0.0/20"),
        ("10.0.0.7", "10.0.0.0/20"),
        ("10.0.0/20", ""),
        ("10.0.0.0/33", ""),
        ("10.0.0.256/20", ""),
        ("fd00::/48", ""),
        ("127.0.0.0/20", ""),
        ("169.254.0.0/20", ""),
        ("224.0.0.0/20", ""),
        ("239.255.0.0/20", ""),
        ("0.0.0.0/20", ""),
        ("100.64.0.0/20", None),
        ("240.16.0.0/20", None),
        ("default", ""),
        ("", ""),
    ],
)
def test_ranges_are_in_cidr_notation(text: str, fix: str | None, check: Check) -> None:
    findings = check(with_network(f"subnet: '{text}'"))
    assert weights(findings) == ([] if fix is None else ["TPU261 error"])
    assert [finding.fix for finding in findings] == ([] if fix is None else [f"subnet: {fix}" if fix else ""])


@pytest.mark.parametrize(
    ("text", "expected", "fix"),
    [
        ("203.0.113.0/24", [], ""),
        ("203.0.113.7/32", [], ""),
        ("2001:db8::/32", [], ""),
        ("203.0.113.7/24", ["TPU261 warning"], "office: 203.0.113.0/24"),
        ("203.0.113.7", ["TPU261 error"], "office: 203.0.113.7/32"),
        ("office.example.com", ["TPU261 error"], ""),
        ("0.0.0.0/0", ["TPU271 warning"], ""),
        ("::/0", ["TPU271 warning"], ""),
    ],
)
def test_authorized_networks_are_in_cidr_notation(text: str, expected: list[str], fix: str, check: Check) -> None:
    for mode in ("standard", "autopilot"):
        findings = check(
            f"mode: {mode}\nlocation: us-east5\ncontrol_plane: {{authorized_networks: {{office: '{text}'}}}}\n"
        )
        assert weights(findings) == expected
        assert [finding.fix for finding in findings] == ([fix] if expected else [])


@pytest.mark.parametrize(
    ("create", "expected"),
    [
        ("subnet: 10.0.0.0/20, pods: 10.16.0.0/14, services: 10.20.0.0/20", []),
        ("subnet: 10.0.0.0/20, pods: 10.0.16.0/20, services: 10.0.32.0/20", []),
        ("subnet: 10.0.0.0/8", ["TPU262", "TPU262"]),
        ("pods: 10.0.0.0/9", ["TPU262", "TPU262"]),
        ("services: 10.0.0.0/20", ["TPU262"]),
        ("services: 10.0.8.0/21", ["TPU262"]),
        ("services: 10.0.16.0/20", []),
        ("pods: 10.0.0.1/14", ["TPU261"]),
    ],
)
def test_overlapping_ranges_are_rejected(create: str, expected: list[str], check: Check) -> None:
    assert [finding.rule for finding in check(with_network(create))] == expected


def test_an_overlap_is_reported_at_the_range_that_the_plan_sets(check: Check) -> None:
    (finding,) = check(with_network("subnet: 10.16.0.0/20"))
    assert finding.path[-1] == "subnet"
    assert finding.message == "`pods` 10.16.0.0/14 overlaps `subnet` 10.16.0.0/20"


ADDRESSES = read_catalog().platform.addresses


@pytest.mark.parametrize(
    ("pods", "block"), [(8, 16), (9, 32), (16, 32), (32, 64), (33, 128), (64, 128), (110, 256), (128, 256), (256, 512)]
)
def test_the_block_of_a_node_depends_on_its_pods(pods: int, block: int) -> None:
    assert pod_block(ADDRESSES, pods) == block


@given(st.integers(1, 256))
def test_a_block_is_the_next_power_of_two_of_twice_the_pods(pods: int) -> None:
    block = pod_block(ADDRESSES, pods)
    assert block.bit_count() == 1
    assert block >= 2 * pods > block // 2


@pytest.mark.parametrize(
    ("create", "groups", "expected"),
    [
        # the system pool alone: 3 nodes of 256 addresses
        ("pods: 10.16.0.0/22", "", []),
        ("pods: 10.16.0.0/23", "", ["TPU263"]),
        # 61 hosts and 3 more nodes fill a /18
        ("pods: 10.16.0.0/18", v6e_group("topology: 2x2, count: 61"), []),
        ("pods: 10.16.0.0/18", v6e_group("topology: 2x2, count: 62"), ["TPU263"]),
        ("pods: 10.16.0.0/18", v6e_group("topology: 2x2, count: {min: 0, max: 62}"), ["TPU263"]),
        ("pods: 10.16.0.0/18", v6e_group("topology: 2x2, count: 62, max_pods_per_node: 64"), []),
        ("pods: 10.16.0.0/18", v6e_group("topology: 2x2, count: 31, max_pods_per_node: 256"), ["TPU263"]),
        (
            "pods: 10.16.0.0/18",
            v6e_group("topology: 2x2, count: 30", "a") + ", " + v6e_group("topology: 1x1, count: 31", "b"),
            [],
        ),
        # a subnetwork of 32 addresses has 28 for nodes
        ("subnet: 10.0.0.0/27", v6e_group("topology: 2x2, count: 25"), []),
        ("subnet: 10.0.0.0/27", v6e_group("topology: 2x2, count: 26"), ["TPU264"]),
        ("subnet: 10.0.0.0/29", "", []),
        ("subnet: 10.0.0.0/30", "", ["TPU264"]),
        ("subnet: 10.0.0.0/32", "", ["TPU264"]),
        # services
        ("services: 10.20.0.0/27", "", []),
        ("services: 10.20.0.0/28", "", ["TPU265"]),
    ],
)
def test_ranges_have_addresses_for_all_nodes(create: str, groups: str, expected: list[str], broken: Broken) -> None:
    assert broken(with_network(create, groups)) == expected


def test_multi_host_slices_count_all_hosts(check: Check) -> None:
    group = v6e_group("topology: 16x16, count: 2")
    (finding,) = check(with_network("mtu: 8896, pods: 10.16.0.0/18", group))
    assert (
        finding.message
        == "the Pod range 10.16.0.0/18 has 16,384 addresses; the 131 nodes of the plan require 33,536 addresses"
    )
    assert finding.fix == "pods: 10.16.0.0/16"
    (finding,) = check(with_network("mtu: 8896, subnet: 10.0.0.0/26", group))
    assert finding.fix == "subnet: 10.0.0.0/24"


@pytest.mark.parametrize(("pods", "fix"), [(128, "pods: 10.0.0.0/8"), (256, "")])
def test_a_fix_has_a_prefix_of_at_least_8(pods: int, fix: str, check: Check) -> None:
    create = "mtu: 8896, subnet: 172.16.0.0/12, pods: 10.16.0.0/18, services: 192.168.0.0/24"
    findings = check(with_network(create, v6e_group(f"topology: 16x16, count: 600, max_pods_per_node: {pods}")))
    assert [finding.fix for finding in findings if finding.rule == "TPU263"] == [fix]


def test_a_fix_does_not_overlap_another_range(check: Check) -> None:
    (finding,) = check(
        with_network("mtu: 8896, subnet: 10.0.0.0/26, services: 10.0.0.128/25", v6e_group("topology: 16x16, count: 2"))
    )
    assert finding.rule == "TPU264"
    assert finding.fix == ""


def test_autopilot_counts_tpu_hosts_only(broken: Broken) -> None:
    group = "main: {tpu: v6e, topology: 16x16, count: 2}"
    assert broken(with_network("mtu: 8896, subnet: 10.0.0.0/26", group, "autopilot")) == ["TPU264"]
    assert broken(with_network("mtu: 8896, pods: 10.16.0.0/18", group, "autopilot")) == []


def test_ranges_of_an_existing_network_are_not_checked(broken: Broken) -> None:
    network = "network: {network: shared, subnetwork: shared-us-east5, pods_range: pods}\n"
    assert broken(f"mode: standard\nlocation: us-east5\n{network}") == []


def test_clusters_with_the_same_name_cannot_both_create_a_network(broken: Broken) -> None:
    def two(one: str, other: str) -> str:
        clusters = f"  train: {{mode: standard, {one}}}\n  other: {{mode: standard, name: train, {other}}}\n"
        return f"version: 1\nproject: acme-ml\nclusters:\n{clusters}"

    here, there = "location: us-east5", "location: us-central1"
    assert broken(two(f"{here}, network: create", f"{there}, network: create")) == ["TPU268"]
    assert broken(two(f"{here}, network: create", there)) == []
    assert broken(two(f"{here}, network: create", f"{here}, network: create")) == ["TPU252"]


@pytest.mark.parametrize(
    ("create", "groups", "expected"),
    [
        ("mtu: 1300", "", []),
        ("mtu: 1299", "", ["TPU266 error"]),
        ("mtu: 8896", "", []),
        ("mtu: 8897", "", ["TPU266 error"]),
        ("mtu: 8897", v6e_group("topology: 4x4"), ["TPU266 error"]),
        ("mtu: 8896", v6e_group("topology: 4x4"), []),
        ("mtu: 8895", v6e_group("topology: 4x4"), ["TPU267 note"]),
        ("mtu: 1460", v6e_group("topology: 2x2"), []),
        ("mtu: 1460", "main: {tpu: v5p, topology: 2x2x2, zone: us-east5-a}", []),
        (
            "mtu: 1460",
            "main: {tpu: v5p, topology: 2x2x2, zone: us-east5-a}, " + v6e_group("topology: 4x4", "b"),
            ["TPU267 note"],
        ),
    ],
)
def test_the_mtu_is_in_its_range_and_large_enough(create: str, groups: str, expected: list[str], check: Check) -> None:
    assert weights(check(with_network(create, groups))) == expected


@pytest.mark.parametrize("network", ["create", "{create: {}}", "{create: {pods: 10.32.0.0/14}}"])
def test_the_default_mtu_suits_every_generation(network: str, check: Check) -> None:
    groups = f"slices: {{{v6e_group('topology: 4x4')}}}"
    assert check(f"mode: standard\nlocation: us-east5\nnetwork: {network}\n{groups}\n") == ()
    facts = read_catalog().platform.network
    assert facts.min_mtu <= CreateNetwork.model_fields["mtu"].default == facts.jumbo_mtu


def test_a_low_mtu_is_one_line_of_advice(check: Check) -> None:
    (finding,) = check(with_network("mtu: 1460", v6e_group("topology: 4x4")))
    shown = findings_text([finding], width=200, color=False).splitlines()
    message = "MTU 8,896 is recommended for v6e, but the network has 1,460"
    assert shown == [f"plan.yaml:8:21: note TPU267: {message}", "", "1 note"]
