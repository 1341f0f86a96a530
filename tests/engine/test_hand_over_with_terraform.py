"""Node pools change hands between the real OpenTofu and the real Pulumi engine, as docs/adopt.md describes it.

Each tool has a cloud of its own here: a stand-in of the Google APIs, and one of the provider of Pulumi. Neither may see
a request that changes anything.
"""

import json
from dataclasses import dataclass

import pytest
import yaml
from support.engine.engine_cloud import Engine
from support.engine.stack_run import EngineStack
from support.exported import exported
from support.fleets import Fleet, adoptions, put_into
from support.google_apis.server import Google
from support.plan_corpus import Source, source
from support.shipped import TODAY, program
from support.terraform.recordings import configuration, make_by_hand
from support.terraform.workspace import Terraform

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.features.adopt.files import IMPORT, PLAN, files_of

STACK = "prod"
_LIMIT = "max_node_count = 2"
POOLS = {
    name: text.replace(_LIMIT, f'{_LIMIT}\n    location_policy = "BALANCED"')
    for name, text in configuration("pools").items()
}
"""The autoscaler has the location policy that GKE reports where none is set."""
NAMES = ("reserved", "hosts", "elastic")
SETTINGS = POOLS["main.tf"].partition("# One slice")[0]
REMOVED = "".join(
    f"removed {{\n  from = google_container_node_pool.{name}\n  lifecycle {{\n    destroy = false\n  }}\n}}\n"
    for name in NAMES
)
"""The block of the page, for each node pool."""
IMPORTS = "".join(
    f'import {{\n  to = google_container_node_pool.{name}\n  id = "my-project/us-east5/training/{name}"\n}}\n'
    for name in NAMES
)


@dataclass(frozen=True)
class HandedOver:
    """Node pools that Terraform made, and that Pulumi has imported."""

    stack: EngineStack
    plan: Source


@pytest.fixture
def handed_over(engine: Engine, terraform: Terraform, google: Google) -> HandedOver:
    """Terraform still has the node pools."""
    google.knobs.added = ()  # the configuration of Terraform ignores nothing
    make_by_hand(google, "cluster")
    terraform.write(POOLS)
    terraform.apply()
    fleet = Fleet("state", "", 3, 0, made=json.dumps(terraform.state()))
    put_into(engine.cloud, fleet)
    (adoption,) = adoptions(fleet)
    files = files_of(adoption, read_catalog(), STACK)
    path = engine.folder / IMPORT
    path.write_text(files[IMPORT], encoding="utf-8")
    stack = engine.stack(STACK)
    plan = yaml.safe_load(files[PLAN])
    assert stack.import_file(path) == ""
    run = stack.preview(program(plan))
    assert (run.error, run.ops()) == ("", {})
    google.requests.clear()
    found = source("adopted", plan, TODAY)
    assert found is not None
    return HandedOver(stack, found)


def forget(handed_over: HandedOver) -> None:
    urn = f"urn:pulumi:{STACK}::gke-tpu::gke-tpu:index:TpuFleet::{STACK}"
    assert handed_over.stack.forget("--force", "--target-dependents", urn) == ""
    assert handed_over.stack.state() == {}


@pytest.mark.parametrize("way", ["removed", "state rm"])
def test_terraform_gives_node_pools_away_without_deleting_them(
    way: str, handed_over: HandedOver, engine: Engine, terraform: Terraform, google: Google
) -> None:
    if way == "removed":
        terraform.replace({"main.tf": SETTINGS + REMOVED})
        plan = terraform.plan()
        assert list(plan.actions.values()) == [["forget"]] * 3
        assert "0 to destroy" in plan.text
        terraform.apply()
    else:
        terraform.run("state", "rm", *(f"google_container_node_pool.{name}" for name in NAMES))
        terraform.replace({"main.tf": SETTINGS})
    assert terraform.state().get("values", {}).get("root_module", {}).get("resources", []) == []
    assert terraform.plan().empty
    assert google.writes() == []
    assert handed_over.stack.up(program(handed_over.plan.data)).error == ""
    assert engine.cloud.requests == []


def test_terraform_takes_them_back_with_its_own_configuration(
    handed_over: HandedOver, engine: Engine, terraform: Terraform, google: Google
) -> None:
    terraform.replace({"main.tf": SETTINGS + REMOVED})
    terraform.apply()
    forget(handed_over)
    terraform.replace({**POOLS, "imports.tf": IMPORTS})
    plan = terraform.plan()
    assert plan.summary == "Plan: 3 to import, 0 to add, 0 to change, 0 to destroy."
    terraform.apply()
    assert google.writes() == []
    assert engine.cloud.requests == []
    terraform.replace(POOLS)
    assert terraform.plan().empty


def test_terraform_takes_them_back_with_the_exported_module(
    handed_over: HandedOver, engine: Engine, terraform: Terraform, google: Google
) -> None:
    terraform.replace({"main.tf": SETTINGS + REMOVED})
    terraform.apply()
    forget(handed_over)
    terraform.replace(exported(handed_over.plan, importing=True))
    plan = terraform.plan()
    assert plan.summary == "Plan: 3 to import, 3 to add, 0 to change, 0 to destroy."
    assert {address.partition(".")[0] for address in plan.actions} == {"terraform_data"}
    terraform.apply()
    assert google.writes() == []
    assert engine.cloud.requests == []
    terraform.replace(exported(handed_over.plan))
    assert terraform.plan().empty
