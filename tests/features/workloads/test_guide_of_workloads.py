"""docs/workloads.md states the facts of the catalog."""

import pathlib
import re

import yaml
from support.control_plane.nodes import pools_of
from support.kubernetes_model.matching import NodePool, hosts_for
from support.workload_plans import checked, objects_of

from pulumi_gke_tpu.core.catalog import read_catalog

DOCS = pathlib.Path(__file__).parents[3] / "docs"
PAGE, VOLUMES = ((DOCS / name).read_text(encoding="utf-8") for name in ("workloads.md", "volumes.md"))
WEIGHTS = DOCS / "examples" / "weights.yaml"
FACTS = read_catalog().kubernetes


def test_the_job_that_writes_weights_runs_in_its_plan() -> None:
    """On a host with room beside the Pods with the chips, in the zone of the disk, whose machines attach its type."""
    text = re.search(r"<!-- file: weights/plan.yaml -->\n```yaml\n(.*?)```", VOLUMES, re.DOTALL)
    assert text is not None
    plan = yaml.safe_load(text[1])
    job = next(one for one in yaml.safe_load_all(WEIGHTS.read_text(encoding="utf-8")) if one["kind"] == "Job")
    spec, objects = job["spec"]["template"]["spec"], objects_of(plan)
    (server,) = (one["spec"]["template"]["spec"] for one in objects if one["kind"] == "Deployment")
    beside = {**server, "containers": [*server["containers"], *spec["containers"]]}
    claims = {one["metadata"]["name"] for one in objects if one["kind"] == "PersistentVolumeClaim"}
    assert {one["persistentVolumeClaim"]["claimName"] for one in spec["volumes"]} <= claims
    (storage,) = (one for one in objects if one["kind"] == "StorageClass")
    (topology,) = storage["allowedTopologies"]
    fleet = checked(plan).fleet
    assert fleet is not None
    places = []
    for pool in pools_of(fleet.clusters[0]):
        node = pool.node(0)
        labels = node["metadata"]["labels"]
        offered = NodePool(pool.name, 1, labels, tuple(pool.taints), node["status"]["allocatable"])
        if hosts_for(spec, offered):
            assert hosts_for(beside, offered)
            places.append((labels["topology.kubernetes.io/zone"], labels["cloud.google.com/gke-tpu-accelerator"]))
    (family,) = {group.shape.family for group in fleet.clusters[0].groups}
    assert places == [(topology["matchLabelExpressions"][0]["values"][0], "tpu-v6e-slice")]
    assert storage["parameters"]["type"] in read_catalog().disks.families[family].attach


def test_the_share_of_the_host_is_that_of_the_catalog() -> None:
    assert f"it requests {FACTS.workloads.requests.host_percent}% of the vCPUs and memory of the host" in PAGE
