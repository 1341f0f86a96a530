"""Blocks that GKE may add, in the real provider of Terraform: they do what ``tests/data/echoes.yaml`` lists."""

from support.exported import exported
from support.gcp_standin.echoes import expected
from support.gcp_standin.knowledge import POOL
from support.google_apis.server import Google
from support.plan_corpus import source
from support.shipped import TODAY
from support.terraform.workspace import Terraform

BETA = ("bestEffortProvisioning", "nodeConfig.ephemeralStorageConfig", "nodeConfig.hostMaintenancePolicy")
"""Blocks that only google-beta has, with those inside of them."""
OF_THE_PLAN = ("nodeConfig.advancedMachineFeatures", "nodeConfig.gvnic")
"""What these node pools ignore or set."""
NOT_STORED = ("autoscaling", "nodeConfig.sandboxConfig")
BLOCKS = (*expected(POOL)["replaces"], *expected(POOL)["updates"], *NOT_STORED)


def test_a_block_that_gke_adds_does_what_is_listed(terraform: Terraform, google: Google) -> None:
    group = {"tpu": "v6e", "topology": "2x2", "count": 1, "zone": "us-east5-b", "protect": False}
    groups = {f"e{number}": group for number, _ in enumerate(BLOCKS)}
    cluster = {"mode": "standard", "location": "us-east5", "slices": groups}
    plan = source("echoes", {"version": 1, "project": "my-project", "clusters": {"east": cluster}}, TODAY)
    assert plan is not None
    terraform.write(exported(plan, standalone=True))
    terraform.apply()
    assert terraform.plan().empty
    names = dict(zip(pools(google), BLOCKS, strict=True))
    google.knobs.echoes = {name: [(block.replace("nodeConfig", "config"), {})] for name, block in names.items()}
    changes = {
        names[item["change"]["before"]["name"]]: item["change"]["actions"]
        for item in terraform.plan().json["resource_changes"]
        if item["type"] == "google_container_node_pool" and item["change"]["actions"] != ["no-op"]
    }
    assert {block for block, actions in changes.items() if "delete" in actions} == known("replaces")
    assert {block for block, actions in changes.items() if actions == ["update"]} == known("updates")


def known(how: str) -> set[str]:
    return {block for block in expected(POOL)[how] if not block.startswith(BETA) and block not in OF_THE_PLAN}


def pools(google: Google) -> list[str]:
    """The node pools of the groups, in the order of the groups."""
    (cluster,) = google.container.clusters.values()
    names = [name for name in cluster.pools if name.startswith("e")]
    return sorted(names, key=lambda name: int(name[1:].partition("-")[0]))
