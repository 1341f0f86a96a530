"""Networks that a source creates for its clusters."""

from collections.abc import Iterator
from typing import Any

import pytest
from support.described_sources import made_by
from support.foreign_files import Made, answer, pulumi_state, terraform_plan, terraform_state
from support.plan_edits import document

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.graph.resource_types import CLUSTER, NETWORK, SUBNETWORK
from pulumi_gke_tpu.core.resource_rules.files import check_resources
from pulumi_gke_tpu.core.resources.read import ResourceReader
from pulumi_gke_tpu.core.rules import check_plan
from pulumi_gke_tpu.core.text.findings import Finding

CATALOG = read_catalog()
WRITTEN = {
    "plan.json": terraform_plan,
    "state.json": terraform_state,
    "stack.json": pulumi_state,
    "answer.json": answer,
}
PLAN = """
version: 1
project: acme-ml
clusters:
  train:
    mode: standard
    location: us-east5
    network:
      create: {subnet: 10.0.0.0/29, pods: 10.16.0.0/22, services: 10.16.2.0/29, mtu: 1500}
    slices:
      pretrain: {tpu: v6e, topology: 8x8, zone: us-east5-b}
"""
FAULTS = {"TPU262": "10.16.2.0/29", "TPU263": "10.16.0.0/22", "TPU264": "10.0.0.0/29", "TPU265": "10.16.2.0/29"}
"""Rule -> the value that it points at."""
CONFIGURATION = """
resource "google_compute_network" "tpu" {
  name = "tpu"
  mtu  = 8896
}
resource "google_compute_subnetwork" "tpu" {
  name          = "tpu"
  region        = "us-east5"
  network       = google_compute_network.tpu.id
  ip_cidr_range = "10.0.0.0/20"
  secondary_ip_range {
    range_name    = "tpu-pods"
    ip_cidr_range = "10.16.0.0/22"
  }
  secondary_ip_range {
    range_name    = "tpu-services"
    ip_cidr_range = "10.20.0.0/20"
  }
}
resource "google_container_cluster" "tpu" {
  name       = "tpu"
  location   = google_compute_subnetwork.tpu.region
  network    = google_compute_network.tpu.id
  subnetwork = google_compute_subnetwork.tpu.id
  ip_allocation_policy {
    cluster_secondary_range_name  = google_compute_subnetwork.tpu.secondary_ip_range[0].range_name
    services_secondary_range_name = google_compute_subnetwork.tpu.secondary_ip_range[1].range_name
  }
}
resource "google_container_node_pool" "v6e" {
  name           = "v6e"
  cluster        = google_container_cluster.tpu.id
  node_locations = ["us-east5-b"]
  node_count     = 16
  node_config {
    machine_type = "ct6e-standard-4t"
  }
  placement_policy {
    type         = "COMPACT"
    tpu_topology = "8x8"
  }
}
"""
POOLS = "secondary_ip_range[0].ip_cidr_range: the Pod range 10.16.0.0/22 has 1,024 addresses"


def findings(name: str, content: bytes) -> Iterator[Finding]:
    read = ResourceReader(CATALOG).read(name, content)
    assert read is not None
    return (item for item in check_resources(read.found, CATALOG) if item.rule.startswith("TPU26"))


def made() -> list[Made]:
    return made_by(check_plan(document(PLAN), CATALOG, rules=()))


@pytest.mark.parametrize("name", WRITTEN)
def test_a_fault_is_at_the_value_of_the_network(name: str) -> None:
    content = WRITTEN[name](made())
    found = {item.rule: item.position for item in findings(name, content) if item.position is not None}
    assert found.keys() == {*FAULTS, "TPU267"}
    lines = content.decode().splitlines()
    for rule, value in {**FAULTS, "TPU267": "1500"}.items():
        assert value in lines[found[rule].line - 1], rule


def test_a_configuration_refers_to_what_it_creates() -> None:
    (found,) = findings("main.tf", CONFIGURATION.encode())
    assert (found.rule, POOLS in found.message) == ("TPU263", True)
    assert found.position is not None
    assert CONFIGURATION.splitlines()[found.position.line - 1].strip() == 'ip_cidr_range = "10.16.0.0/22"'


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"10.16.0.0/22"', '"10.16.0.0/18"'),
        ('"10.16.0.0/22"', "var.pods"),
        ('"tpu-pods"', "var.name"),
        ("= google_compute_subnetwork.tpu.secondary_ip_range[0].range_name", '= "other"'),
        ('  mtu  = 8896\n}\nresource "google_compute_subnetwork"', '}\nresource "google_compute_subnetwork_"'),
        ('"8x8"', "var.topology"),
        ("node_count     = 16", 'node_count     = 16\n  network_config {\n    pod_range = "more-pods"\n  }'),
        ("node_count     = 16", "node_count     = 16\n  max_pods_per_node = 16"),
        ("  ip_allocation_policy {", "  default_max_pods_per_node = 16\n  ip_allocation_policy {"),
        ("location   = google_compute_subnetwork.tpu.region", 'location   = "us-east1"'),
        ("location   = google_compute_subnetwork.tpu.region", 'location   = "us-east5"\n  project    = "b"'),
        ("  subnetwork = google_compute_subnetwork.tpu.id\n", ""),
    ],
)
def test_what_is_not_known_or_enough_is_not_reported(old: str, new: str) -> None:
    text = CONFIGURATION.replace(old, new)
    assert text != CONFIGURATION
    text = text.replace("  region ", '  project       = "a"\n  region ')
    assert [item.rule for item in findings("main.tf", text.encode())] == []


PROGRAM = """
name: fleet
runtime: yaml
resources:
  net: {type: 'gcp:compute:Network', properties: {mtu: 8896}}
  subnet:
    type: gcp:compute:Subnetwork
    properties:
      network: ${net.id}
      region: us-east5
      ipCidrRange: 10.0.0.0/20
      secondaryIpRanges:
        - {rangeName: tpu-pods, ipCidrRange: 10.16.0.0/22}
        - {rangeName: tpu-services, ipCidrRange: 10.20.0.0/20}
  tpu:
    type: gcp:container:Cluster
    properties:
      location: ${subnet.region}
      network: ${net.id}
      subnetwork: ${subnet.id}
      ipAllocationPolicy:
        clusterSecondaryRangeName: ${subnet.secondaryIpRanges[0].rangeName}
        servicesSecondaryRangeName: ${subnet.secondaryIpRanges[1].rangeName}
  v6e:
    type: gcp:container:NodePool
    properties:
      cluster: ${tpu.id}
      nodeLocations: [us-east5-b]
      nodeCount: 16
      nodeConfig: {machineType: ct6e-standard-4t}
      placementPolicy: {type: COMPACT, tpuTopology: 8x8}
"""


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [("", "", ["TPU263"]), ("region: us-east5", "region: ${tpu.location}", ["TPU263"]), ("/22", "/18", [])],
)
def test_a_program_refers_to_what_it_creates(old: str, new: str, expected: list[str]) -> None:
    assert [item.rule for item in findings("Pulumi.yaml", PROGRAM.replace(old, new).encode())] == expected


def test_resources_that_refer_to_each_other_are_not_known() -> None:
    text = CONFIGURATION.replace('region        = "us-east5"', "region = google_container_cluster.tpu.location")
    assert [item.rule for item in findings("main.tf", text.encode())] == ["TPU263"]


def test_a_network_in_another_source_stays_an_existing_one() -> None:
    without: list[tuple[str, str, Any]] = [each for each in made() if each[0] not in (NETWORK, SUBNETWORK)]
    assert any(each[0] == CLUSTER for each in without)
    assert [*findings("plan.json", terraform_plan(without))] == []
