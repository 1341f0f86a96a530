"""Properties that only google-beta creates: reported where Terraform certainly uses google, and nowhere else."""

import datetime
import json
from typing import Any

import pytest
from support.foreign_files import terraform_plan
from support.raw_pools import SLICE

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.graph.resource_types import NODE_POOL
from pulumi_gke_tpu.core.objects import ManifestFile
from pulumi_gke_tpu.core.text.findings import Finding, Severity
from pulumi_gke_tpu.features.check.resource_check import check_resource_files
from pulumi_gke_tpu.features.check.resource_files import sorted_files

CATALOG = read_catalog()
BEST_EFFORT = "best_effort_provisioning {\n    enabled = true\n    min_provision_nodes = 1\n  }"
HOSTS = 'node_config {\n    host_maintenance_policy {\n      maintenance_interval = "PERIODIC"\n    }\n  }'
LACKS, NEVER_SENDS = "does not have this property", "never sends it"
AS_GOOGLE = 'terraform {\n  required_providers {\n    google = { source = "hashicorp/google-beta" }\n  }\n}\n'


def pool(body: str, provider: str = "") -> str:
    written = f"  provider = {provider}\n" if provider else ""
    return f'resource "google_container_node_pool" "a" {{\n{written}  cluster = "train"\n  {body}\n}}\n'


def found(**files: str | bytes) -> list[Finding]:
    contents = [
        ManifestFile(name.replace("__", ".").replace("_", "/", 1), text.encode() if isinstance(text, str) else text)
        for name, text in files.items()
    ]
    given = sorted_files(contents, CATALOG)
    checked = check_resource_files(given, None, None, CATALOG, today=datetime.date(2026, 11, 29), mode=None)
    return [each for each in checked.findings if each.rule == "TPU972"]


def told(**files: str | bytes) -> list[str]:
    return [each.message for each in found(**files)]


def test_a_property_that_google_lacks_or_never_sends_is_reported_once_at_its_block() -> None:
    lacks, never = found(tf_main__tf=pool(f"{BEST_EFFORT}\n  {HOSTS}"))
    assert "best_effort_provisioning: " in lacks.message
    assert LACKS in lacks.message
    assert "node_config.host_maintenance_policy: " in never.message
    assert NEVER_SENDS in never.message
    assert [each.position.line for each in (lacks, never) if each.position is not None] == [3, 8]
    assert {each.severity for each in (lacks, never)} == {Severity.WARNING}
    assert "provider = google-beta" in lacks.advice


@pytest.mark.parametrize(
    ("provider", "number"),
    [("google", 1), ("google.east", 1), ("google-beta", 0), ("google-beta.east", 0), ('"google-beta"', 0), ("ours", 0)],
)
def test_the_resource_names_its_provider(provider: str, number: int) -> None:
    assert len(told(tf_main__tf=pool(BEST_EFFORT, provider))) == number


def test_google_can_be_the_name_of_google_beta_in_a_folder() -> None:
    assert told(tf_main__tf=pool(BEST_EFFORT), tf_versions__tf=AS_GOOGLE) == []
    assert len(told(tf_main__tf=pool(BEST_EFFORT), tf_versions__tf=AS_GOOGLE.replace("google-beta", "google"))) == 1


def test_the_providers_that_a_caller_gives_are_unknown() -> None:
    call = 'module "pools" {\n  source = "./pools"\n}\n'
    given = call.replace("\n}", "\n  providers = { google = google-beta }\n}")
    assert len(told(main__tf=call, pools_main__tf=pool(BEST_EFFORT))) == 1
    assert told(main__tf=given, pools_main__tf=pool(BEST_EFFORT)) == []


def test_a_block_whose_items_are_unknown_may_be_absent() -> None:
    each = (
        'dynamic "best_effort_provisioning" {\n    for_each = var.some\n    content {\n      enabled = true\n    }\n  }'
    )
    assert told(tf_main__tf=pool(each)) == []


@pytest.mark.parametrize(("declared", "number"), [({"source": "hashicorp/google"}, 1), (None, 0)])
def test_json_says_it_of_the_providers_that_it_declares(declared: dict[str, str] | None, number: int) -> None:
    body = {"cluster": "train", "best_effort_provisioning": [{"enabled": True, "min_provision_nodes": 1}]}
    data: dict[str, Any] = {"resource": {"google_container_node_pool": {"a": body}}}
    if declared is not None:
        data["terraform"] = {"required_providers": {"google": declared}}
    assert len(told(tf_main__tf__json=json.dumps(data))) == number


@pytest.mark.parametrize(("provider", "number"), [("google", 1), ("google-beta", 0)])
def test_a_plan_has_only_what_google_never_sends(provider: str, number: int) -> None:
    values = {
        **SLICE,
        "bestEffortProvisioning": {"enabled": True, "minProvisionNodes": 1},
        "nodeConfig": {**SLICE["nodeConfig"], "hostMaintenancePolicy": {"maintenanceInterval": "AS_NEEDED"}},
    }
    plan = terraform_plan([(NODE_POOL, "a", values)]).replace(b"hashicorp/google", f"hashicorp/{provider}".encode())
    messages = told(plan__json=plan)
    assert len(messages) == number
    assert all(NEVER_SENDS in each for each in messages)
