"""Data sources for what exists: references in the place of names, and the conditions of what is read."""

from support.exported import exported
from support.plan_corpus import Source, source
from support.shipped import TODAY

CLUSTER = "projects/my-project/locations/us-east5/clusters/training"
GROUP = {"tpu": "v6e", "topology": "4x4", "zone": "us-east5-b", "capacity": "spot"}


def plan(cluster: dict[str, object]) -> Source:
    clusters = {"train": {"mode": "standard", "slices": {"pretrain": GROUP}, **cluster}}
    found = source("plan", {"version": 1, "project": "my-project", "clusters": clusters}, TODAY)
    assert found is not None
    return found


def test_an_existing_cluster_is_read_by_name_and_location() -> None:
    files = exported(plan({"existing": CLUSTER}), data_sources=True)
    assert files["data.tf"].partition("\n")[2] == (
        'data "google_container_cluster" "train" {\n'
        '  name     = "training"\n'
        '  location = "us-east5"\n'
        '  project  = "my-project"\n'
        "\n"
        "  lifecycle {\n"
        "    postcondition {\n"
        "      condition     = self.enable_autopilot != true\n"
        '      error_message = "Cluster training must be a Standard cluster."\n'
        "    }\n"
        "    postcondition {\n"
        '      condition     = tonumber(split(".", self.master_version)[1]) >= 31\n'
        '      error_message = "Cluster training must have GKE 1.31 or later for these TPUs."\n'
        "    }\n"
        "  }\n"
        "}\n"
    )
    assert "cluster                   = data.google_container_cluster.train.name\n" in files["main.tf"]


def test_existing_networks_are_read_by_path_or_by_name() -> None:
    network = {"network": "projects/host/global/networks/shared", "subnetwork": "tpus"}
    files = exported(plan({"location": "us-east5", "network": network}), data_sources=True)
    assert '  project = "host"\n' in files["data.tf"]
    assert 'condition     = endswith(self.network, "/shared")\n' in files["data.tf"]
    assert "= data.google_compute_network.network.id\n" in files["main.tf"]
    assert "= data.google_compute_subnetwork.subnetwork.name\n" in files["main.tf"]


def test_without_the_option_nothing_is_read() -> None:
    assert "data.tf" not in exported(plan({"existing": CLUSTER}))


def test_a_cluster_without_a_network_reads_the_default_one() -> None:
    assert '  name    = "default"\n' in exported(plan({"location": "us-east5"}), data_sources=True)["data.tf"]
