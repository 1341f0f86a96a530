"""What reaches resources out of the catalog: constants of the product, which no other edit of the catalog changes."""

import pathlib
from collections.abc import Mapping
from typing import Any

import yaml
from support.plans import CLUSTER, MEMBER
from support.recording import Recording, record

from pulumi_gke_tpu import StandardCluster, TpuFleet
from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.catalog.shipped import catalog_folder

CATALOG = read_catalog()
LIMITS = {
    "v3": {"tpu-v3-device", "tpu-v3-slice"},
    "v4": {"tpu-v4-podslice"},
    "v5e": {"tpu-v5-lite-podslice"},
    "v5p": {"tpu-v5p-slice"},
    "v6e": {"tpu-v6e-slice"},
    "tpu7x": {"tpu7x"},
}
"""What a limit of auto-provisioning by generation has always meant. A later family is limited by its own label."""
PLAN: Any = {
    "version": 1,
    "project": "acme-ml",
    "clusters": {
        "east": {
            "mode": "standard",
            "location": "us-east5",
            "autoprovisioning": {"cpu": 999, "memory_gib": 9999, "tpu": {"v6e": 64}},
        }
    },
}
SHIPPED = {name: (catalog_folder() / f"{name}.yaml").read_text(encoding="utf-8") for name in ("capacity", "disks")}
FACT = "source: [unverified], as_of: 2026-12-01, confidence: high"
NEW_FAMILY = f"""\
generations:
  v6e:
    families: {{ct6x: {{accelerator_label: tpu-v6e-device, {FACT}}}}}
    machine_types: {{ct6x-standard-4t: {{family: ct6x, chips: 4, vcpu: 100, memory_gib: 500, {FACT}}}}}
zones: {{families: {{ct6x: {{documented: {{zones: [us-east5-b], {FACT}}}}}}}}}
"""


def tpu_limits(recording: Recording) -> Mapping[str, int]:
    limits = recording.one(CLUSTER, "east").inputs["clusterAutoscaling"]["resourceLimits"]
    return {item["resourceType"]: item["maximum"] for item in limits if item["resourceType"].startswith("tpu")}


def test_limits_by_generation_mean_what_they_always_did() -> None:
    assert {name: set(CATALOG.generation(name).limit_labels) for name in LIMITS} == LIMITS
    assert all(CATALOG.generation(name).limit_labels for name in CATALOG.generation_names)


def test_a_new_family_changes_no_limit(tmp_path: pathlib.Path) -> None:
    overlay = tmp_path / "family.yaml"
    data = yaml.safe_load(NEW_FAMILY)
    for section in ("capacity", "disks"):
        data.setdefault(section, {})["families"] = {"ct6x": yaml.safe_load(SHIPPED[section])["families"]["ct6e"]}
    overlay.write_text(yaml.safe_dump(data), encoding="utf-8")
    newer = read_catalog([overlay])
    assert "ct6x" in newer.generation("v6e").families
    before = record(lambda: TpuFleet("fleet", PLAN))
    after = record(lambda: TpuFleet("fleet", PLAN, catalog=newer))
    assert tpu_limits(before) == tpu_limits(after) == {"tpu-v6e-slice": 64}


def test_roles_scope_and_image_stay() -> None:
    """One role less takes rights from nodes that run, another scope replaces every pool, another image every node."""
    args: Any = {"project": "acme-ml", "location": "us-east5", "autoprovisioning": {"cpu": 1, "memory_gib": 1}}
    recording = record(lambda: StandardCluster("east", args))
    assert {item.inputs["role"] for item in recording.of_type(MEMBER)} == {
        "roles/container.defaultNodeServiceAccount",
        "roles/artifactregistry.reader",
    }
    defaults = recording.one(CLUSTER, "east").inputs["clusterAutoscaling"]["autoProvisioningDefaults"]
    assert defaults["oauthScopes"] == ["https://www.googleapis.com/auth/cloud-platform"]
    assert defaults["imageType"] == "COS_CONTAINERD"


def test_exclusions_keep_their_words() -> None:
    assert CATALOG.maintenance.exclusions.scopes == {
        "no_upgrades": "NO_UPGRADES",
        "no_minor_upgrades": "NO_MINOR_UPGRADES",
        "no_minor_or_node_upgrades": "NO_MINOR_OR_NODE_UPGRADES",
    }
