"""What objects, clusters and node pools report about themselves: failures in words, and nothing of what is usual."""

import copy
import json
import pathlib
from typing import Any

import pytest
import yaml
from support.each import each
from support.live_objects import event, listed, live_objects
from support.manifests import findings_in
from support.sampling import sample

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.objects import ManifestFile
from pulumi_gke_tpu.core.plan import read_plan_content
from pulumi_gke_tpu.core.rules import check_plan
from pulumi_gke_tpu.core.text.findings import Finding, Severity
from pulumi_gke_tpu.features.check.manifest_check import check_manifests
from pulumi_gke_tpu.features.check.resource_check import check_resource_files
from pulumi_gke_tpu.features.check.resource_files import sorted_files

ROOT = pathlib.Path(__file__).parents[3]
CASES = yaml.safe_load((ROOT / "tests/data/incidents.yaml").read_text(encoding="utf-8"))
POD = yaml.safe_load("""
apiVersion: v1
kind: Pod
metadata: {name: trainer, namespace: ml}
spec:
  nodeSelector: {cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice, cloud.google.com/gke-tpu-topology: 2x2}
  containers:
    - {name: jax, image: trainer, resources: {requests: {google.com/tpu: 4}, limits: {google.com/tpu: 4}}}
""")
PLANS = [*sorted(ROOT.glob("stacks/*/plan.yaml")), *sorted(ROOT.glob("docs/examples/*.yaml"))]


def objects(case: dict[str, Any]) -> dict[str, Any]:
    """The list of objects of a case."""
    if "event" in case:
        waits = {**POD, "status": {"phase": "Pending"}}
        return listed([waits, event(POD, *(case["event"][key] for key in ("type", "reason", "message")))])
    if "pod" in case:
        return listed([{**POD, "status": case["pod"]}])
    return listed([{"metadata": {"name": "x", "namespace": "ml"}, **case["object"]}])


def reported(found: dict[str, Any], plan: str | None = None) -> list[Finding]:
    return [each for each in findings_in(json.dumps(found), plan=plan) if each.rule == "TPU572"]


@pytest.mark.parametrize("case", CASES["wrong"], ids=lambda case: str(case["says"])[:40])
def test_a_failure_is_reported_with_its_text_cause_and_page(case: dict[str, Any]) -> None:
    (finding,) = reported(objects(case))
    assert case["says"] in finding.message
    assert finding.severity is Severity.WARNING
    assert finding.position is not None
    if case["says"] != "unknown text of ours":
        assert "gke-tpu explain" in finding.fix


@pytest.mark.parametrize("case", CASES["usual"], ids=range(len(CASES["usual"])))
def test_what_is_usual_is_not_reported(case: dict[str, Any]) -> None:
    assert reported(objects(case)) == []


def test_an_event_counts_only_while_its_object_has_the_problem() -> None:
    text = "Node scale up in zones us-east5-b associated with this pod failed: GCE quota exceeded."
    waits = {**copy.deepcopy(POD), "status": {"phase": "Pending"}}
    runs = {**copy.deepcopy(POD), "status": {"phase": "Running", "containerStatuses": [{"name": "jax", "ready": True}]}}
    failed = event(POD, "Warning", "FailedScaleUp", text, "2026-11-28T10:00:00Z")
    other = {"kind": "Pod", "metadata": {"name": "other", "namespace": "ml"}}
    later = event(POD, "Normal", "Scheduled", "Successfully assigned", "2026-11-28T10:10:00Z")
    much_later = event(other, "Normal", "Pulling", "x", "2026-11-28T12:00:00Z")
    counts = {
        "alone": [failed],
        "beside a Pod that waits": [waits, failed],
        "twice": [waits, failed, failed],
    }
    for name, those in counts.items():
        assert len(reported(listed(those))) == 1, name
    silent = {
        "its Pod runs": [runs, failed],
        "its Pod is gone": [{**waits, "metadata": {"name": "another", "namespace": "ml"}}, failed],
        "a node was found later": [waits, failed, later],
        "two hours passed": [waits, failed, much_later],
    }
    for name, those in silent.items():
        assert reported(listed(those)) == [], name


def test_a_plan_gives_the_place() -> None:
    plan = (
        "version: 1\nproject: acme-ml\nclusters:\n  train:\n    mode: standard\n    location: us-east5\n    slices:\n"
        "      small: {tpu: v6e, topology: 2x2, zone: us-east5-b}\n"
    )
    (finding,) = reported(objects(CASES["wrong"][1]), plan)
    assert "in `train/small` of the plan" in finding.message
    assert finding.related is not None
    assert finding.related.position.line == 8


@each("path", lambda: sample(PLANS, 6))
def test_a_fleet_that_runs_has_no_finding(path: pathlib.Path) -> None:
    catalog = read_catalog()
    checked = check_plan(read_plan_content(path.read_bytes(), path.name), catalog)
    for cluster in checked.fleet.clusters if checked.fleet is not None and not checked.has_errors else ():
        files = [ManifestFile("live.json", json.dumps(listed(live_objects(cluster, catalog))).encode())]
        for plan in (None, checked):
            found = check_manifests(files, catalog, plan, cluster.mode, cluster.key if plan else None)
            about = [each for each in found if each.severity is not Severity.NOTE]
            about = [each for each in about if each.position and each.position.file == "live.json"]
            assert not about, f"{cluster.key}: {about[0].rule} {about[0].message}"


STOCKOUT = {"code": "GCE_STOCKOUT", "message": "no capacity\x1b[31m in us-east5-b"}
QUOTA = {"code": "GCE_STOCKOUT", "message": "Quota 'TPUS_PER_TPU_FAMILY' exceeded.  Limit: 0.0 in region us-east5."}


@pytest.mark.parametrize("machine", ["ct6e-standard-4t", "e2-standard-4"])
@pytest.mark.parametrize(
    ("status", "said"),
    [
        ({"status": "ERROR"}, "ERROR, without a reason"),
        ({"status": "ERROR", "statusMessage": "Broken."}, "ERROR: Broken"),
        ({"status": "RUNNING_WITH_ERROR", "conditions": [STOCKOUT, STOCKOUT]}, "GCE_STOCKOUT: no capacity"),
        ({"status": "RECONCILING", "conditions": [STOCKOUT]}, "RECONCILING: GCE_STOCKOUT: no capacity"),
        ({"status": "ERROR", "conditions": [STOCKOUT]}, "The zone has no free capacity of this kind: GKE reports"),
        ({"status": "ERROR", "conditions": [QUOTA]}, "The quota of the project is too low: GKE reports"),
        ({"status": "ERROR", "conditions": [7, {"code": 7}, "x"], "statusMessage": []}, "ERROR, without a reason"),
        ({"status": "RUNNING", "conditions": [STOCKOUT]}, None),
        ({"status": "PROVISIONING", "conditions": []}, None),
        ({"status": 7}, None),
        ({}, None),
    ],
)
def test_an_answer_says_why_a_node_pool_is_in_error(status: dict[str, Any], said: str | None, machine: str) -> None:
    link = "https://container.googleapis.com/v1/projects/acme-ml/locations/us-east5/clusters/train/nodePools/a"
    pool = {"name": "a", "selfLink": link, "config": {"machineType": machine}, **status}
    catalog = read_catalog()
    given = sorted_files([ManifestFile("pool.json", json.dumps(pool).encode())], catalog)
    found = check_resource_files(given, None, None, catalog, today=None, mode=None).findings
    about = [each for each in found if each.rule == "TPU896"]
    assert len(about) == (said is not None)
    assert said is None or said in about[0].message
    assert "\x1b" not in "".join(finding.message for finding in about)
