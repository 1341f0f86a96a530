"""What objects, clusters and node pools report about themselves: failures in words, and nothing of what is usual."""

import copy
import json
import pathlib
from typing import Any

import pytest
from support.each import each
from support.healthy_cluster import healthy_cluster
from support.incident_cases import CASES, POD, objects
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
PLANS = [*sorted(ROOT.glob("stacks/*/plan.yaml")), *sorted(ROOT.glob("docs/examples/*.yaml"))]


def reported(found: Any, plan: str | None = None) -> list[Finding]:
    return [each for each in findings_in(json.dumps(found), plan=plan) if each.rule == "TPU572"]


@pytest.mark.parametrize("case", CASES["wrong"], ids=lambda case: str(case["says"])[:40])
def test_a_failure_is_reported_with_its_text_cause_and_page(case: dict[str, Any]) -> None:
    (finding,) = reported(listed(objects(case)))
    assert case["says"] in finding.message
    assert finding.severity is Severity.WARNING
    assert finding.position is not None
    if case["says"] != "unknown text of ours":
        assert "gke-tpu explain" in finding.advice


@pytest.mark.parametrize("case", CASES["usual"], ids=range(len(CASES["usual"])))
def test_what_is_usual_is_not_reported(case: dict[str, Any]) -> None:
    assert reported(listed(objects(case))) == []


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


def test_a_pod_waits_for_the_nodes_of_a_running_scale_up() -> None:
    reason = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": "no such label"}
    waits = {**copy.deepcopy(POD), "status": {"phase": "Pending", "conditions": [reason]}}
    scales = event(POD, "Normal", "TriggeredScaleUp", "pod triggered scale-up: [0->4]", "2026-11-28T10:00:00Z")
    failed = event(POD, "Warning", "FailedScaleUp", "failed: GCE out of resources.", "2026-11-28T10:01:00Z")
    other = {"kind": "Pod", "metadata": {"name": "other", "namespace": "ml"}}
    later = event(other, "Normal", "Pulling", "x", "2026-11-28T10:16:00Z")
    lost = {**waits, "status": {"phase": "Failed", "reason": "Evicted", "message": "disk", "conditions": [
        {"type": "PodScheduled", "status": "True"}]}}  # fmt: skip
    never = {**scales, "lastTimestamp": "0001-01-01T00:00:00Z"}  # the first time that Go and Python have
    assert reported(listed([waits, scales])) == reported(listed([waits, never])) == []
    for those in ([waits], [waits, scales, failed], [waits, scales, later], [lost, scales]):
        assert reported(listed(those)) != []


def test_a_pod_that_stopped_with_its_node_counts_until_another_one_runs() -> None:
    owner = [{"apiVersion": "batch/v1", "kind": "Job", "name": "train", "uid": "1", "controller": True}]

    def pod(name: str, index: str, created: str, status: dict[str, Any]) -> dict[str, Any]:
        labels = {"batch.kubernetes.io/job-completion-index": index}
        known = {"name": name, "namespace": "ml", "labels": labels, "ownerReferences": owner}
        return {**copy.deepcopy(POD), "metadata": {**known, "creationTimestamp": created}, "status": status}

    runs = {"phase": "Running", "containerStatuses": [{"name": "jax", "ready": True}]}
    early, late = "2026-11-28T10:00:00Z", "2026-11-28T11:00:00Z"
    lost = pod("a", "2", early, {"phase": "Failed", "reason": "Terminated", "message": "imminent node shutdown"})
    failed = pod("a", "2", early, {"phase": "Failed", "reason": "Error", "message": "no such file"})
    assert reported(listed([lost, pod("b", "2", late, runs)])) == []
    counts = {
        "nothing runs": [lost],
        "another number runs": [lost, pod("b", "1", late, runs)],
        "the other one does not run": [lost, pod("b", "2", late, {"phase": "Pending"})],
        "the other one is older": [
            {**lost, "metadata": pod("a", "2", late, {})["metadata"]},
            pod("b", "2", early, runs),
        ],
        "the program failed": [failed, pod("b", "2", late, runs)],
    }
    for name, those in counts.items():
        assert len(reported(listed(those))) == 1, name


def test_a_plan_gives_the_place() -> None:
    plan = (
        "version: 1\nproject: acme-ml\nclusters:\n  train:\n    mode: standard\n    location: us-east5\n    slices:\n"
        "      small: {tpu: v6e, topology: 2x2, zone: us-east5-b}\n"
    )
    (finding,) = reported(listed(objects(CASES["wrong"][1])), plan)
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


PLAN = """\
version: 1
project: acme-ml
clusters:
  train:
    mode: standard
    location: us-east5
    slices:
      pretrain: {tpu: v6e, topology: 4x4, zone: us-east5-b}
      next: {tpu: v6e, topology: 2x4, chips_per_host: 4, zone: us-east5-b, count: {min: 0, max: 1}}
    kubernetes:
      queues: {tpu: {}}
"""


@pytest.mark.parametrize("plan", [None, PLAN], ids=["alone", "with a plan"])
def test_what_is_around_a_healthy_fleet_has_no_finding(plan: str | None) -> None:
    """Pods of GKE, operators that Helm installed, webhooks, and objects in all usual states."""
    found = findings_in(json.dumps(listed(healthy_cluster())), plan=plan)
    about = [each for each in found if each.severity is not Severity.NOTE]
    assert [f"{each.rule} {each.message}" for each in about] == []


def test_what_is_usual_is_a_problem_with_one_change() -> None:
    """The same objects with something wrong in each: the corpus above is not silent because nothing is looked at."""
    changed = {each["metadata"]["name"]: each for each in healthy_cluster()}
    changed["warm"]["status"]["containerStatuses"][0]["lastState"] = {"terminated": {"exitCode": 1, "reason": "Error"}}
    changed["gated"]["status"]["conditions"] = [{"type": "PodScheduled", "status": "False", "reason": "Unschedulable"}]
    limit = "The workload is deactivated due to exceeding the maximum number of re-queuing retries"
    changed["parked"]["status"]["conditions"][1] |= {"message": limit}
    del changed["done"]["status"]["conditions"]
    told = [each.message for each in reported(listed(changed.values()))]
    for name in ("`warm`", "`gated`", "`parked`", "`done-0-old`"):
        assert any(name in message for message in told), (name, told)


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


POOL_LINK = "https://container.googleapis.com/v1/projects/acme-ml/locations/us-east5/clusters/train/nodePools/a"
COMPUTE = "https://www.googleapis.com/compute/v1/projects/acme-ml/zones/us-east5-b/instanceGroupManagers/gke-a-grp"
EXHAUSTED = "ZONE_RESOURCE_POOL_EXHAUSTED"
EARLY, LATE, DAYS_LATER = "2026-11-28T10:00:00Z", "2026-11-28T11:00:00Z", "2026-11-30T11:00:00Z"


def operation(kind: str, time: str, error: str = "", link: str = POOL_LINK, status: str = "DONE") -> dict[str, Any]:
    told = {"error": {"code": 8, "message": error}} if error else {}
    return {
        "name": f"operation-{kind}",
        "operationType": kind,
        "status": status,
        "startTime": time,
        "targetLink": link,
    } | told


def resize(state: str, time: str, code: str = "") -> dict[str, Any]:
    errors = {"error": {"errors": [{"code": code, "message": "no capacity"}]}} if code else {}
    status = errors if state == "FAILED" else {"lastAttempt": errors}
    link = {"selfLink": f"{COMPUTE}/resizeRequests/r-{time}", "name": f"r-{time}"}
    told = {
        "state": state,
        "creationTimestamp": time,
        "status": status,
    }
    return {"kind": "compute#instanceGroupManagerResizeRequest", **link, **told}


def instance_error(name: str, time: str, message: str) -> dict[str, Any]:
    details = {"action": "CREATING", "instance": f"{COMPUTE}/instances/{name}"}
    error = {"code": "ZONE_RESOURCE_POOL_EXHAUSTED", "message": message}
    return {"error": error, "instanceActionDetails": details, "timestamp": time}


FAILED = operation("CREATE_NODE_POOL", EARLY, STOCKOUT["message"] + " GCE_STOCKOUT")
ANSWERS: dict[str, tuple[list[Any], list[str]]] = {
    "an operation that failed": ([FAILED], ["no free capacity of this kind: GKE reports that CREATE_NODE_POOL failed"]),
    "one that a later one repaired": ([FAILED, operation("DELETE_NODE_POOL", LATE)], []),
    "the older of two that failed": (
        [operation("CREATE_NODE_POOL", EARLY, "old text"), operation("SET_NODE_POOL_SIZE", LATE, "new text")],
        ["new text"],
    ),
    "one of days ago": ([FAILED, operation("UPGRADE_MASTER", DAYS_LATER, link="x/clusters/train")], []),
    "one of a node pool that runs": ([FAILED, {"name": "a", "selfLink": POOL_LINK, "status": "RUNNING"}], []),
    "one that runs": ([operation("UPGRADE_NODES", EARLY, status="RUNNING")], []),
    "a request that waits": ([resize("ACCEPTED", EARLY, EXHAUSTED), resize("SUCCEEDED", LATE)], []),
    "a request that failed": (
        [resize("FAILED", EARLY, EXHAUSTED)],
        ["no free capacity of this kind: Compute Engine reports that a resize request failed"],
    ),
    "a request before one that succeeded": ([resize("FAILED", EARLY, EXHAUSTED), resize("SUCCEEDED", LATE)], []),
    "one error of many instances": (
        [instance_error(name, LATE, "no capacity") for name in ("i-1", "i-2")],
        ["no free capacity of this kind: Compute Engine reports that CREATING of an instance failed"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", ANSWERS)
def test_answers_about_what_happened_say_what_still_counts(name: str) -> None:
    items, says = ANSWERS[name]
    catalog = read_catalog()
    given = sorted_files([ManifestFile("answer.json", json.dumps(items).encode(), asked=True)], catalog)
    found = check_resource_files(given, None, None, catalog, today=None, mode=None).findings
    assert [each.rule for each in (*found, *given.unusable)] == ["TPU896"] * len(says)
    for finding, text in zip(found, says, strict=True):
        assert text in finding.message


@pytest.mark.parametrize(
    "data",
    [
        [{"kind": "compute#instance", "name": "gke-1", "status": "RUNNING"}],
        [{"kind": "compute#machineType", "name": "ct6e-standard-4t", "zone": "us-east5-b"}],
        [{"kind": "compute#reservationBlock", "name": "b", "count": 8}],
        {"kind": "compute#instanceGroupManager", "name": "gke-a-grp", "status": {"isStable": True}},
        {"quotaId": "TPUS-PER-TPU-FAMILY-per-project-region", "dimensionsInfos": []},
        {"autoUpgradeStatus": ["ACTIVE"], "minorTargetVersion": "1.35.1-gke.100", "upgradeDetails": []},
        {"channels": [], "validMasterVersions": ["1.34.5-gke.1"]},
        {"bindings": [{"members": [], "role": "roles/viewer"}], "etag": "x"},
        [{"config": {"name": "container.googleapis.com"}, "parent": "projects/1", "state": "ENABLED"}],
    ],
)
def test_other_answers_are_known_and_have_nothing_to_check(data: Any) -> None:
    catalog = read_catalog()
    given = sorted_files([ManifestFile("answer.json", json.dumps(data).encode(), asked=True)], catalog)
    assert given.unusable == ()
    assert not given.has_manifests
    assert check_resource_files(given, None, None, catalog, today=None, mode=None).findings == ()
