"""Networks for additional interfaces of hosts: created once per cluster, and used by groups by name."""

from typing import Any

import pytest
from support.plans import CLUSTER, FIREWALL, NETWORK, NODE_POOL, SUBNETWORK, fleet
from support.recording import Recording, record

from pulumi_gke_tpu import TpuSlices

PLAN = """
clusters:
  east:
    mode: standard
    location: us-east5
    network: create
    additional_networks: {data: {subnet: 10.64.0.0/20}, storage: {subnet: 10.65.0.0/24, mtu: 1460}}
    slices:
      main: {tpu: v6e, topology: 4x4, count: 2, zone: us-east5-b, additional_networks: [data]}
      both: {tpu: v6e, topology: 4x4, zone: us-east5-b, additional_networks: [storage, {network: a, subnetwork: b}]}
      plain: {tpu: v6e, topology: 4x4, zone: us-east5-b}
"""
DATA = "east/additional_networks/data"


@pytest.fixture(scope="module")
def recording() -> Recording:
    return fleet(PLAN)


def interfaces(recording: Recording, pool: str) -> Any:
    config = recording.one(NODE_POOL, f"east/{pool}").inputs["networkConfig"]
    return config.get("additionalNodeNetworkConfigs")


def test_a_network_has_a_subnetwork_and_a_rule_for_traffic_between_the_hosts(recording: Recording) -> None:
    network = recording.one(NETWORK, DATA).inputs
    assert (network["name"], network["mtu"], network["autoCreateSubnetworks"]) == ("east-data", 8896, False)
    subnetwork = recording.one(SUBNETWORK, DATA).inputs
    assert (subnetwork["name"], subnetwork["ipCidrRange"]) == ("east-data", "10.64.0.0/20")
    assert "secondaryIpRanges" not in subnetwork
    rule = recording.one(FIREWALL, DATA).inputs
    assert (rule["direction"], rule["sourceRanges"]) == ("INGRESS", ["10.64.0.0/20"])
    assert {item["protocol"] for item in rule["allows"]} == {"tcp", "udp", "icmp"}
    assert not any("ports" in item for item in rule["allows"])


def test_the_mtu_can_be_set(recording: Recording) -> None:
    assert recording.one(NETWORK, "east/additional_networks/storage").inputs["mtu"] == 1460


def test_groups_have_interfaces_in_the_networks_that_they_name(recording: Recording) -> None:
    data = {"network": "east-data", "subnetwork": "east-data"}
    assert interfaces(recording, "main/main-0") == interfaces(recording, "main/main-1") == [data]
    storage = {"network": "east-storage", "subnetwork": "east-storage"}
    assert interfaces(recording, "both/both-0") == [storage, {"network": "a", "subnetwork": "b"}]
    assert interfaces(recording, "plain/plain-0") is None


def test_the_firewall_rule_exists_before_the_hosts(recording: Recording) -> None:
    rule, subnetwork = recording.one(FIREWALL, DATA), recording.one(SUBNETWORK, DATA)
    assert rule.urn in subnetwork.request.dependencies
    assert subnetwork.urn in recording.one(NODE_POOL, "east/main/main-0").request.dependencies


def test_a_replaced_cluster_deletes_its_hosts_before_the_networks(recording: Recording) -> None:
    assert recording.one(CLUSTER, "east").urn in recording.one(NETWORK, DATA).request.dependencies


def test_the_cluster_has_multi_networking_from_its_creation() -> None:
    written = PLAN.partition("    slices:")[0]
    assert fleet(written).one(CLUSTER, "east").inputs["enableMultiNetworking"] is True
    without = "\n".join(line for line in written.splitlines() if "additional_networks" not in line)
    assert fleet(without).one(CLUSTER, "east").inputs["enableMultiNetworking"] is False


def test_a_long_name_stays_within_the_limit_and_unique() -> None:
    keys = [f"{'n' * 60}-{end}" for end in "ab"]
    written = ", ".join(f"{key}: {{subnet: 10.{64 + index}.0.0/20}}" for index, key in enumerate(keys))
    recorded = fleet(PLAN.partition("    additional_networks")[0] + f"    additional_networks: {{{written}}}\n")
    names = {item.inputs["name"] for item in recorded.of_type(SUBNETWORK)}
    assert len(names) == 3
    assert all(len(name) <= 63 for name in names)


def test_slices_outside_a_cluster_of_the_program_name_existing_networks() -> None:
    def program() -> None:
        TpuSlices(
            "main",
            cluster="projects/acme-ml/locations/us-east5/clusters/c",
            tpu="v6e",
            topology="4x4",
            zone="us-east5-b",
            additional_networks=[{"name": "data"}],
        )

    with pytest.raises(Exception, match="TPU585"):
        record(program)
