"""``catalog/terraform.yaml`` against the schema that the real provider prints."""

import json
from collections.abc import Mapping
from typing import Any

import pytest
from support.plan_corpus import catalog
from support.terraform.workspace import Terraform

from pulumi_gke_tpu.features.export.terraform.spelling import TerraformSpelling

REQUIRED = """\
terraform {
  required_providers {
    google = {
      source  = "hashicorp/google"
      version = ">= 8.0, < 9"
    }
  }
}
"""


@pytest.fixture
def schemas(terraform: Terraform) -> Mapping[str, Any]:
    """Resource type -> its schema."""
    terraform.write({"main.tf": REQUIRED})
    (provider,) = json.loads(terraform.run("providers", "schema", "-json").text)["provider_schemas"].values()
    found = provider["resource_schemas"]
    assert isinstance(found, dict)
    return found


def has(block: Mapping[str, Any], names: list[str]) -> bool:
    """Whether a block of the schema has a property, by the names on the way."""
    first, *rest = names
    inner = block.get("block_types", {}).get(first)
    if rest:
        return inner is not None and has(inner["block"], rest)
    return inner is not None or first in block.get("attributes", {})


def test_every_property_has_its_name_in_the_schema(schemas: Mapping[str, Any]) -> None:
    wrong = []
    for kind, item in catalog().terraform.resources.items():
        spelling = TerraformSpelling(catalog(), kind)
        for path in catalog().provider.resources[kind].properties:
            if "[" not in path:
                names = spelling.traversal(path).replace("[0]", "").split(".")
                if has(schemas[item.type]["block"], names) == (path in item.beta):
                    wrong.append(f"{item.type}: {path}")
    assert wrong == []
