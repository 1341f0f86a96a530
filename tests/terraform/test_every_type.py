"""Every type of resource that a TPU cluster needs: made, planned again without a change, imported, and deleted."""

from support.google_apis.server import Google
from support.terraform.recordings import configuration
from support.terraform.workspace import Terraform

READ = """\
data "google_container_cluster" "tpu" {
  name     = google_container_cluster.tpu.name
  location = "us-central1"
}

output "endpoint" {
  value = data.google_container_cluster.tpu.endpoint
}

data "google_container_engine_versions" "rapid" {
  location = "us-central1"
}

output "version" {
  value = data.google_container_engine_versions.rapid.release_channel_default_version["RAPID"]
}
"""


def test_everything_is_made_and_the_second_plan_changes_nothing_and_all_of_it_is_deleted(
    terraform: Terraform, google: Google
) -> None:
    google.knobs.added = ()  # the configurations ignore nothing
    terraform.write({**configuration("everything"), "read.tf": READ})
    assert terraform.validate() == []
    terraform.apply()
    assert terraform.plan().empty
    outputs = terraform.state()["values"]["outputs"]
    assert {name: item["value"] for name, item in outputs.items()} == {
        "endpoint": "10.0.0.2",
        "number": "123456789012",
        "version": "1.35.1-gke.1396000",
    }
    google.requests.clear()
    terraform.destroy()
    assert google.compute.objects == {}
    assert google.container.clusters == {}
    assert google.accounts.accounts == {}
    assert [policy.get("bindings", []) for policy in google.accounts.policies.values()] == [[], [], []]


def test_what_a_state_of_pools_has_lost_is_imported_again_without_a_change(
    terraform: Terraform, google: Google
) -> None:
    """A crash can lose the state: import blocks are the repair. What an import cannot read is listed here."""
    google.knobs.added = ()
    terraform.write(configuration("fleet"))
    terraform.apply()
    (terraform.folder / "terraform.tfstate").unlink()
    identities = {
        "google_compute_network.tpu": "projects/my-project/global/networks/tpu",
        "google_compute_subnetwork.tpu": "projects/my-project/regions/us-central1/subnetworks/tpu",
        "google_compute_resource_policy.cube": "projects/my-project/regions/us-central1/resourcePolicies/cube",
        "google_container_cluster.tpu": "projects/my-project/locations/us-central1/clusters/tpu",
        "google_container_node_pool.cube": "my-project/us-central1/tpu/cube",
    }
    blocks = [f'import {{\n  to = {address}\n  id = "{identity}"\n}}\n' for address, identity in identities.items()]
    terraform.write({"import.tf": "\n".join(blocks)})
    plan = terraform.plan()
    assert plan.summary == "Plan: 5 to import, 0 to add, 1 to change, 0 to destroy."
    (change,) = (item["change"] for item in plan.json["resource_changes"] if item["change"]["actions"] != ["no-op"])
    different = {key for key, value in change["after"].items() if value != change["before"].get(key)}
    assert different <= {"remove_default_node_pool", "deletion_protection", "terraform_labels"}
    google.requests.clear()
    terraform.apply()
    assert google.writes() == ["DELETE clusters/tpu/nodePools/default-pool"], "it is tried again, without effect"
    assert terraform.plan().empty
