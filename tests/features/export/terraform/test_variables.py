"""Which values of a plan become variables of a module, and which only look like them."""

from typing import Any

import pytest
from support.plan_corpus import catalog, source
from support.shipped import TODAY, shipped_plan

from pulumi_gke_tpu.core.graph.builders.standard import tpu_fleet
from pulumi_gke_tpu.core.graph.declared import Declarations
from pulumi_gke_tpu.features.export.terraform.hcl import hcl
from pulumi_gke_tpu.features.export.terraform.syntax import Attribute
from pulumi_gke_tpu.features.export.terraform.variables import ModuleVariables, variables_of


def variables(plan: Any) -> ModuleVariables:
    item = source("plan", plan, TODAY)
    assert item is not None
    return variables_of(Declarations(tpu_fleet(item.fleet, catalog(), item.data, "export")))


def names(plan: Any) -> list[str]:
    return [block.labels[0] for block in variables(plan).blocks()]


def test_a_plan_that_creates_everything_has_only_the_project() -> None:
    assert names(shipped_plan("prod")) == ["project"]


def test_networks_of_several_clusters_have_names_of_their_own() -> None:
    plan = shipped_plan("dev")
    clusters = plan["clusters"]
    clusters["lab"] = {**clusters["dev"], "network": {"network": "lab", "subnetwork": "shared"}}
    clusters["dev"]["network"] = {"network": "dev", "subnetwork": "shared"}
    assert names(plan) == ["project", "network_dev", "network_lab", "subnetwork"]


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("projects/acme-ml/global/networks/a", '"projects/${var.project}/global/networks/a"'),
        ("projects/acme-ml", '"projects/${var.project}"'),
        ("acme-ml.svc.id.goog", '"${var.project}.svc.id.goog"'),
        ("serviceAccount:acme-ml.svc.id.goog[a/b]", '"serviceAccount:${var.project}.svc.id.goog[a/b]"'),
        ("a@acme-ml.iam.gserviceaccount.com", '"a@${var.project}.iam.gserviceaccount.com"'),
        ("get-credentials acme-ml --project acme-ml", '"get-credentials acme-ml --project ${var.project}"'),
        ("acme-ml", '"acme-ml"'),
        ("acme-ml-2.svc.id.goog", '"acme-ml-2.svc.id.goog"'),
        ("projects/acme-ml-2/x", '"projects/acme-ml-2/x"'),
        ("my-acme-ml.svc.id.goog", '"my-acme-ml.svc.id.goog"'),
        ("a/projects/acme-ml/x", '"a/projects/acme-ml/x"'),
    ],
)
def test_only_the_id_of_the_project_is_replaced(text: str, written: str) -> None:
    value = variables(shipped_plan("prod")).applied(text, "any")
    assert hcl([Attribute("a", value)]) == f"a = {written}\n"


@pytest.mark.parametrize("key", ["team", "project", "network"])
def test_a_label_that_is_spelled_like_the_project_stays(key: str) -> None:
    value = variables(shipped_plan("prod")).applied({"labels": {key: "acme-ml"}, "project": "acme-ml"})
    assert hcl([Attribute("a", value)]) == (
        f'a = {{\n  labels = {{\n    {key} = "acme-ml"\n  }}\n  project = var.project\n}}\n'
    )
