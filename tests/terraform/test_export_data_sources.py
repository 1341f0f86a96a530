"""Exported data sources in the real OpenTofu with the real provider: they read what exists, and check it."""

from typing import Any

import pytest
from support.exported import differences, exported
from support.google_apis.server import Google
from support.plan_corpus import Source, source
from support.shipped import TODAY
from support.terraform.recordings import make_by_hand
from support.terraform.workspace import Terraform, TerraformError

from pulumi_gke_tpu.features.export.terraform.hcl import hcl
from pulumi_gke_tpu.features.export.terraform.syntax import Block, attributes

CLUSTER = "projects/my-project/locations/us-east5/clusters/training"
GROUP = {"tpu": "v6e", "topology": "4x4", "zone": "us-east5-b", "capacity": "spot"}


def plan(**cluster: Any) -> Source:
    found = source(
        "existing",
        {"version": 1, "project": "my-project", "clusters": {"train": {"slices": {"pretrain": GROUP}, **cluster}}},
        TODAY,
    )
    assert found is not None
    return found


def existing() -> Source:
    return plan(mode="standard", existing=CLUSTER)


def test_an_existing_cluster_is_read_and_the_plan_stays_the_same(terraform: Terraform, google: Google) -> None:
    make_by_hand(google, "cluster")
    terraform.write(exported(existing(), data_sources=True))
    assert terraform.validate() == []
    assert terraform.unformatted() == []
    planned = terraform.plan()
    assert [str(found) for found in differences(existing(), planned.json)] == []
    assert google.requests != []
    terraform.apply()
    assert terraform.plan().empty
    google.requests.clear()
    terraform.replace(exported(existing()))
    assert terraform.plan().empty, "with and without the data source"


def test_a_cluster_that_does_not_exist_or_has_another_mode_fails_the_plan(terraform: Terraform, google: Google) -> None:
    terraform.write(exported(existing(), data_sources=True))
    with pytest.raises(TerraformError, match=r"not\s+found"):
        terraform.plan()
    make_by_hand(google, "cluster")
    files = exported(existing(), data_sources=True)
    text = files["data.tf"]
    for old, new, message in (
        ("self.enable_autopilot != true", "self.enable_autopilot == true", "must be a Standard cluster"),
        ("[1]) >= 31", "[1]) >= 99", "must have GKE 1.31 or later"),
    ):
        assert old in text
        terraform.replace({**files, "data.tf": text.replace(old, new)})
        with pytest.raises(TerraformError, match=message.replace(" ", r"\s+(?:│\s+)?")):
            terraform.plan()


def test_existing_networks_are_read(terraform: Terraform, google: Google) -> None:
    networks = {
        "google_compute_network": {"name": "shared", "project": "my-project", "auto_create_subnetworks": False},
        "google_compute_subnetwork": {
            "name": "tpus",
            "project": "my-project",
            "region": "us-east5",
            "network": "projects/my-project/global/networks/shared",
            "ip_cidr_range": "10.0.0.0/20",
        },
    }
    for kind, values in networks.items():
        terraform.replace({"main.tf": hcl([Block("resource", (kind, "made"), attributes(values))])})
        terraform.apply()
        (terraform.folder / "terraform.tfstate").unlink()
    item = plan(
        mode="standard",
        location="us-east5",
        network={"network": "projects/my-project/global/networks/shared", "subnetwork": "tpus"},
    )
    terraform.replace(exported(item, data_sources=True))
    assert terraform.unformatted() == []
    assert [str(found) for found in differences(item, terraform.plan().json)] == []
    files = exported(item, data_sources=True)
    terraform.replace({**files, "data.tf": files["data.tf"].replace("/shared", "/other")})
    with pytest.raises(TerraformError, match="must be in the network"):
        terraform.plan()
