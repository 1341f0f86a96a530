"""A whole stack moves from the real Pulumi engine to the real OpenTofu, in the order of docs/terraform.md.

Each tool has a cloud of its own here, with the same resources. Neither may see a request that changes anything.
"""

import re

import pytest
from support.documents import ROOT
from support.engine.engine_cloud import Engine
from support.exported import exported
from support.google_apis.server import Google
from support.plan_corpus import source
from support.shipped import TODAY, program, shipped_plan
from support.terraform.workspace import Terraform

GUIDE = (ROOT / "docs" / "terraform.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["prod"])
def test_terraform_imports_everything_and_then_pulumi_forgets_it(
    name: str, engine: Engine, terraform: Terraform, google: Google
) -> None:
    item = source(name, shipped_plan(name), TODAY)
    assert item is not None
    stack = engine.stack(name)
    assert stack.up(program(item.data)).error == ""
    terraform.write(exported(item))
    terraform.apply()
    for state in terraform.folder.glob("terraform.tfstate*"):
        state.unlink()
    google.requests.clear()
    engine.cloud.requests.clear()

    terraform.replace(exported(item, importing=True))
    actions = {(address.partition(".")[0], *what) for address, what in terraform.plan().actions.items()}
    assert {kind for kind, *what in actions if what != ["update"]} == {"terraform_data"}
    terraform.apply()
    terraform.replace(exported(item))
    assert terraform.plan().empty

    (options,) = re.findall(r"`pulumi state delete ([^`]+)`", GUIDE)
    assert stack.forget(*options.split()) == ""
    assert stack.state() == {}
    assert google.writes() == []
    assert engine.cloud.requests == []
