"""The folder in which the real programs run: what reaches tests, and that nothing leaves this computer."""

import pathlib

import pytest
from support.google_apis.server import Google
from support.terraform.binaries import Programs
from support.terraform.recordings import configuration, make_by_hand
from support.terraform.workspace import Printed, Terraform, TerraformError

HEAD = """\
terraform {
  required_providers {
    google = {
      source  = "hashicorp/google"
      version = ">= 8.0, < 9"
    }
  }
}
"""
NETWORK = HEAD + 'resource "google_compute_network" "n" {\n  name    = "n"\n  project = "my-project"\n}\n'


@pytest.mark.parametrize(
    ("text", "summary"),
    [
        ("\nPlan: 1 to add, 0 to change, 0 to destroy.\n", "Plan: 1 to add, 0 to change, 0 to destroy."),
        ("No changes. Your infrastructure matches the configuration.", "No changes."),
        (
            "Apply complete! Resources: 1 added, 0 changed, 0 destroyed.",
            "Apply complete! Resources: 1 added, 0 changed, 0 destroyed.",
        ),
        ("something else", ""),
    ],
)
def test_the_summary_is_the_line_with_the_numbers(text: str, summary: str) -> None:
    assert Printed(0, text).summary == summary


def test_a_plan_an_apply_and_the_state(terraform: Terraform, google: Google) -> None:
    terraform.write({"main.tf": NETWORK})
    assert terraform.validate() == []
    assert terraform.unformatted() == []
    plan = terraform.plan()
    assert plan.summary == "Plan: 1 to add, 0 to change, 0 to destroy."
    assert plan.actions == {"google_compute_network.n": ["create"]}
    assert google.requests == [], "nothing is read to create"
    terraform.apply()
    assert google.writes() == ["POST networks"]
    assert terraform.plan().empty
    (resource,) = terraform.state()["values"]["root_module"]["resources"]
    assert resource["values"]["self_link"].endswith("projects/my-project/global/networks/n")
    terraform.destroy()
    assert google.writes()[1:] == ["DELETE networks/n"]
    assert "values" not in terraform.state()


def test_the_provider_block_and_the_framework_half_are_those_of_the_release(terraform: Terraform) -> None:
    terraform.write(
        {
            "main.tf": HEAD
            + 'provider "google" {\n  project        = "p"\n  default_labels = { a = "b" }\n'
            + '  batching {\n    send_after = "1s"\n  }\n  container_custom_endpoint = "https://container.googleapis.com/v1/"\n}\n'
            + 'data "google_client_config" "me" {}\n'
            + 'output "zone" {\n  value = provider::google::region_from_zone("us-east5-b")\n}\n'
            + 'output "project" {\n  value = data.google_client_config.me.project\n}\n'
        }
    )
    terraform.apply()
    outputs = terraform.state()["values"]["outputs"]
    assert {name: item["value"] for name, item in outputs.items()} == {"zone": "us-east5", "project": "p"}


def test_problems_of_validate_have_their_places(terraform: Terraform) -> None:
    terraform.write({"main.tf": NETWORK.replace("name ", "nama ")})
    problems = {(problem["summary"], problem["range"]["start"]["line"]) for problem in terraform.validate()}
    assert problems == {("Missing required argument", 9), ("Unsupported argument", 10)}
    terraform.write({"main.tf": "resource {"})
    assert terraform.validate()[0]["severity"] == "error"


def test_a_failure_is_an_error_with_what_was_printed(terraform: Terraform) -> None:
    terraform.write({"main.tf": NETWORK + "x"})
    with pytest.raises(TerraformError, match="Error:"):
        terraform.plan()
    assert "Error:" in terraform.run("plan", fails=True).text
    terraform.write({"main.tf": NETWORK})
    with pytest.raises(TerraformError, match="Plan: 1 to add"):
        terraform.run("plan", "-no-color", fails=True)


def test_files_that_are_replaced_are_gone(terraform: Terraform) -> None:
    terraform.write({"main.tf": NETWORK, "modules/a/main.tf": "locals {}\n"})
    terraform.replace({"other.tf": NETWORK.replace('"n"', '"m"')})
    assert terraform.plan().actions == {"google_compute_network.m": ["create"]}


def test_nothing_is_sent_to_other_hosts(tmp_path: pathlib.Path, terraform_programs: Programs) -> None:
    alone = Terraform(tmp_path / "alone", terraform_programs)
    alone.write({"main.tf": NETWORK})
    assert alone.plan().summary == "Plan: 1 to add, 0 to change, 0 to destroy."
    printed = alone.run("apply", "-no-color", "-auto-approve", fails=True)
    assert "is not sent" in printed.text
    away = Terraform(tmp_path / "away", terraform_programs, "https://10.0.0.1:443")
    away.write({"main.tf": NETWORK})
    assert "which is not on this computer" in " ".join(away.run("plan", "-no-color", fails=True).text.split())


def test_credentials_and_proxies_of_the_user_are_not_passed_on(
    terraform: Terraform, google: Google, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("GOOGLE_CREDENTIALS", "HTTPS_PROXY", "HTTP_PROXY", "TF_CLI_ARGS", "TF_VAR_x"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    terraform.write({"main.tf": NETWORK})
    terraform.apply()
    assert google.writes() == ["POST networks"]


def test_a_module_is_tested_with_mocked_providers(terraform: Terraform, google: Google) -> None:
    terraform.write(
        {
            **configuration("pools"),
            "tests/pools.tftest.hcl": (
                'mock_provider "google" {}\nrun "plan" {\n  command = plan\n  assert {\n'
                "    condition     = google_container_node_pool.reserved.node_count == 4\n"
                '    error_message = "four hosts"\n  }\n}\n'
            ),
        }
    )
    assert "1 passed, 0 failed" in terraform.run("test", "-no-color").text
    assert google.requests == []


def test_a_state_of_a_fleet_is_imported_with_the_command(terraform: Terraform, google: Google) -> None:
    for name in ("cluster", "pools"):
        make_by_hand(google, name)
    files = configuration("pools")
    terraform.write(files)
    identity = "projects/my-project/locations/us-east5/clusters/training/nodePools/reserved"
    terraform.run("import", "-no-color", "google_container_node_pool.reserved", identity)
    assert [item["name"] for item in terraform.state()["values"]["root_module"]["resources"]] == ["reserved"]
