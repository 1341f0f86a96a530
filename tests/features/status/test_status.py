"""``gke-tpu status``: a fleet as its plan says is fine, an incident has its cause and fix first."""

import json
import pathlib
from collections.abc import Callable, Iterator
from typing import Any

import jsonschema
import pytest
from support.each import each
from support.fixtures.commands import Run
from support.fleets import Fleet, adoptions, fleets
from support.live_objects import event
from support.snapshots import (
    PLANS,
    QUOTA,
    TAKEN,
    Answers,
    as_gke_shows,
    as_recorded,
    checked_plan,
    healthy,
    quota,
    reservation,
    status_in,
    write,
)

from pulumi_gke_tpu.core.estimate.quota import plain_metric, quota_needs
from pulumi_gke_tpu.core.fleet.checked import CheckedPlan
from pulumi_gke_tpu.features.status.capacity import limit_of
from pulumi_gke_tpu.features.status.output.json import status_schema

PLAN = """\
version: 1
project: acme-ml
clusters:
  train:
    mode: standard
    location: us-east5
    maintenance:
      window: {start: 2026-01-03T02:00:00Z, duration: 12h, recurrence: "FREQ=WEEKLY;BYDAY=SA,SU"}
    slices:
      pretrain: {tpu: v6e, topology: 4x4, zone: us-east5-b, count: 2}
      reserved: {tpu: v6e, topology: 4x4, zone: us-east5-b, capacity: {reservation: v6e-pretrain}}
"""
POOLS, NODES = "node-pools-train.json", "nodes-train.jsonl"
CHECKED = checked_plan(PLAN)
NOT_WHOLE = "Not all instances running in IGM after 35m4.03s. Expected 4, running 0, transitioning 4. Current errors: "
STOCKOUT = (
    "[GCE_STOCKOUT]: Instance 'gke-train-1' creation failed: The zone 'projects/acme-ml/zones/us-east5-b' does not "
    "have enough resources available to fulfill the request. '(resource type:compute)'"
)
Change = Callable[[Answers], None]


def pool(answers: Answers, name: str) -> dict[str, Any]:
    found: dict[str, Any] = next(item for item in answers[POOLS] if item["name"] == name)
    return found


def lose(answers: Answers, name: str, most: int = 0) -> None:
    """Only some nodes of a node pool are there."""
    of_pool = [
        each for each in answers[NODES]["items"] if each["metadata"]["labels"]["cloud.google.com/gke-nodepool"] == name
    ]
    answers[NODES]["items"] = [each for each in answers[NODES]["items"] if each not in of_pool[most:]]


def failed(answers: Answers, text: str, name: str = "pretrain-0", code: str = "GCE_STOCKOUT") -> None:
    pool(answers, name).update(status="ERROR", conditions=[{"code": code, "message": text}])
    lose(answers, name)


def stockout(answers: Answers) -> None:
    failed(answers, NOT_WHOLE + STOCKOUT)


def workload(message: str, name: str = "jobset-train-1", reason: str = "Pending", priority: int = 0) -> dict[str, Any]:
    condition = {"type": "QuotaReserved", "status": "False", "reason": reason, "message": message}
    flat = {
        "kind": "Workload",
        "apiVersion": "kueue.x-k8s.io/v1beta2",
        "metadata.name": name,
        "metadata.namespace": "ml",
    }
    owner = {"kind": "JobSet", "name": name.split("-")[1]}
    values = {"spec.queueName": "tpu", "spec.priority": [priority], "metadata.ownerReferences": [[owner]]}
    return {**flat, **values, "status.conditions": [[condition]], "metadata.creationTimestamp": TAKEN}


def clean_state(answers: Answers) -> None:
    """GKE says RUNNING, and only the errors of the instances have the reason."""
    lose(answers, "pretrain-0")
    url = "https://www.googleapis.com/compute/v1/projects/acme-ml/zones/us-east5-b/instanceGroupManagers/gke-train-pretrain-0-grp"
    pool(answers, "pretrain-0")["instanceGroupUrls"] = [url]
    error = {"error": {"code": "ZONE_RESOURCE_POOL_EXHAUSTED", "message": STOCKOUT}}
    answers["errors-train.gke-train-pretrain-0-grp.json"] = [error]


def no_cluster(answers: Answers) -> None:
    answers["cluster-train.json"] = (
        "ERROR: (gcloud.container.clusters.describe) ResponseError: code=404, message=Not found"
    )
    answers[POOLS] = "ERROR: (gcloud.container.node-pools.list) ResponseError: code=404, message=Not found"


def missing(answers: Answers) -> None:
    answers[POOLS] = [each for each in answers[POOLS] if each["name"] != "pretrain-1"]
    lose(answers, "pretrain-1")


TWO_CLUSTERS = (
    PLAN
    + """\
    cpu_pools:
      heads: {machine_type: n2-standard-4, max_nodes: 3}
  serve:
    mode: standard
    location: us-central1
    slices:
      chat: {tpu: v5e, topology: 2x4, chips_per_host: 4, zone: us-central1-a}
"""
)


def test_every_node_pool_in_error_is_reported_for_its_own_cluster(tmp_path: pathlib.Path) -> None:
    """Pools without TPUs are of the plan too; a name of another cluster's slices is none of this one."""

    def fail(answers: Answers) -> None:
        for item in answers[POOLS]:
            if item["name"] in ("heads", "system"):
                item.update(status="ERROR", conditions=[{"message": STOCKOUT}])
        of_serve = answers["node-pools-serve.json"]
        link = of_serve[0]["selfLink"].rpartition("/")[0]
        of_serve.append({**of_serve[0], "name": "pretrain-0", "selfLink": f"{link}/pretrain-0", "status": "ERROR"})

    found = status_in(tmp_path, checked_plan(TWO_CLUSTERS), fail)
    assert [each.subject for each in found.problems] == [
        "node pool `heads`",
        "node pool `system`",
        "node pool `pretrain-0`, which is not in the plan",
    ]


def test_the_limit_of_a_quota_is_that_of_its_project() -> None:
    assert CHECKED.fleet is not None
    metric = next(need.metric for need in quota_needs(CHECKED.fleet, CHECKED.catalog) if need.metric is not None)
    entry = {"metric": plain_metric(metric.metric), "family": metric.dimension, "region": "us-east5"}
    limits = [{**entry, "project": project, "limit": limit} for project, limit in (("other", 0), ("acme-ml", 64))]
    assert limit_of(limits, metric, "acme-ml", "us-east5") == 64
    assert limit_of(limits, metric, "third", "us-east5") is None


INCIDENTS: list[tuple[Change, str, str]] = [
    (clean_state, "The zone has no free capacity of this kind", "stockout"),
    (missing, "The node pool does not exist", "error"),
    (no_cluster, "The cluster does not exist", "drift"),
]
"""What the folders in tests/data/snapshots do not have."""


@pytest.mark.parametrize(("change", "title", "page"), INCIDENTS, ids=lambda value: getattr(value, "__name__", ""))
def test_an_incident_has_its_cause_and_way_out(tmp_path: pathlib.Path, change: Change, title: str, page: str) -> None:
    found = status_in(tmp_path, CHECKED, change)
    problem = found.problems[0]
    assert (title, page) == (problem.title, problem.page) or title in problem.title
    assert problem.fix
    assert found.is_wrong
    assert not found.not_read


@each("path", PLANS)
def test_a_fleet_as_its_plan_says_is_fine(path: pathlib.Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    checked = checked_plan(path)
    if checked.fleet is None or checked.has_errors:
        pytest.skip("the plan has errors")
    found = status_in(tmp_path_factory.mktemp("snapshot"), checked, lambda answers: as_gke_shows(checked, answers))
    assert not found.is_wrong, [*found.problems, *found.drift]
    assert found.not_read == ()
    assert {group.state for group in found.groups} <= {"ready", "idle"}


def adopted() -> Iterator[tuple[Fleet, CheckedPlan]]:
    """Each recorded fleet with a plan that was made of it."""
    for fleet in fleets():
        for adoption in adoptions(fleet):
            if adoption.plan["clusters"]:
                yield fleet, checked_plan(json.dumps(adoption.plan))


@each("fleet, checked", adopted, lambda case: case[0].name)
def test_a_recorded_fleet_differs_nowhere_from_its_plan(
    fleet: Fleet, checked: CheckedPlan, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """What failed when it was recorded is the only problem."""
    failed: list[str] = []
    folder = tmp_path_factory.mktemp("snapshot")
    found = status_in(folder, checked, lambda answers: failed.extend(as_recorded(fleet, checked, answers)))
    assert [each.subject for each in found.problems] == [
        f"node pool `{name}`, which is not in the plan" for name in failed
    ]
    assert (*found.drift, *found.not_read) == ()
    assert {group.state for group in found.groups} <= {"ready", "idle"}


def test_a_change_in_the_console_is_drift(tmp_path: pathlib.Path) -> None:
    def change(answers: Answers) -> None:
        pool(answers, "pretrain-0")["config"]["machineType"] = "ct6e-standard-8t"
        pool(answers, "pretrain-1")["management"] = {"autoUpgrade": True, "autoRepair": False}

    found = status_in(tmp_path, CHECKED, change)
    told = {f"{item.name}: {item.what}": item.next_up for item in found.drift}
    replaces = "`pulumi up --refresh` replaces the node pool, with all its hosts, and their jobs stop"
    assert told["pretrain-0: config.machineType: ct6e-standard-8t found, ct6e-standard-4t in the plan"] == replaces
    sets = "`pulumi up --refresh` sets the plan's value"
    assert told["pretrain-1: management.autoRepair: false found, true in the plan"] == sets
    assert found.is_wrong


def test_additions_of_gke_do_not_count_as_drift(tmp_path: pathlib.Path) -> None:
    def change(answers: Answers) -> None:
        added = pool(answers, "pretrain-0")
        added["config"]["metadata"] = {"disable-legacy-endpoints": "true"}
        added["config"]["windowsNodeConfig"] = {}
        added |= {"etag": "x", "podIpv4CidrSize": 24, "updateInfo": {"blueGreenInfo": {}}}

    assert status_in(tmp_path, CHECKED, change).drift == ()


def test_the_head_of_a_queue_comes_first_and_waiting_counts_as_none(tmp_path: pathlib.Path) -> None:
    used = "couldn't assign flavors: insufficient unused quota for google.com/tpu in flavor v6e, 16 more needed"

    def change(answers: Answers) -> None:
        answers["workloads-train.jsonl"] = [
            workload(used, "jobset-late-1"),
            workload(used, "jobset-first-1", priority=5),
        ]

    found = status_in(tmp_path, CHECKED, change)
    assert not found.is_wrong
    assert [(item.workload, item.place) for item in found.waiting] == [
        ("JobSet `first`", "1 of 2"),
        ("JobSet `late`", "2 of 2"),
    ]
    assert "Other workloads hold the quota" in found.waiting[0].why


def test_what_was_not_read_is_never_fine(tmp_path: pathlib.Path) -> None:
    refused = "Error from server (Forbidden): nodes is forbidden"
    found = status_in(tmp_path, CHECKED, lambda answers: answers.update({NODES: refused}))
    assert not found.is_wrong
    assert {group.state for group in found.groups} == {"not read"}
    assert found.not_read[0].reason == refused
    uninstalled = 'error: the server doesn\'t have a resource type "slices"'
    fine = status_in(tmp_path / "b", CHECKED, lambda answers: answers.update({"slices-train.jsonl": uninstalled}))
    assert not fine.not_read


@pytest.fixture
def status(tmp_path: pathlib.Path, gke_tpu: Callable[..., Run]) -> Callable[..., Run]:
    """Runs the command with the plan and a folder."""
    plan = tmp_path / "plan.yaml"
    plan.write_text(PLAN, encoding="utf-8")
    return lambda folder, *options: gke_tpu("status", plan, "--snapshot", folder, *options)


def test_the_command_has_three_exit_codes_and_three_formats(tmp_path: pathlib.Path, status: Callable[..., Run]) -> None:
    answers = healthy(CHECKED)
    write(tmp_path, answers)
    assert status(tmp_path).code == 0
    (tmp_path / NODES).unlink()
    assert status(tmp_path).code == 4
    stockout(answers)
    write(tmp_path, answers)
    found = status(tmp_path)
    assert found.code == 1
    assert found.out.index("no free capacity") < found.out.index("hosts ready")
    data = json.loads(status(tmp_path, "--format", "json").out)
    assert data["wrong"] is True
    assert data["groups"][0]["problems"][0]["page"] == "stockout"
    jsonschema.Draft202012Validator(status_schema()).validate(data)
    assert "## The zone has no free capacity" in status(tmp_path, "--format", "markdown").out


def test_a_folder_without_answers_is_refused(tmp_path: pathlib.Path, status: Callable[..., Run]) -> None:
    assert status(tmp_path).code == 2
    write(tmp_path, {"snapshot.json": {"format": 2, "taken": TAKEN}})
    found = status(tmp_path)
    assert found.code == 2
    assert "another format" in found.err


HOSTILE = [b"", b"{", b"[" * 100_000, b"null", b"7", b'"x"', b"[null, 7, {}]", b'{"items": 7}', b"\xff\xfe\x00"]


@each("content", [*HOSTILE, b'[{"name": "\\u001b[31m"}]'])
def test_hostile_answers_end_in_no_traceback(
    content: bytes, tmp_path: pathlib.Path, status: Callable[..., Run]
) -> None:
    answers = healthy(CHECKED)
    write(tmp_path, answers)
    for name in answers:
        if name != "snapshot.json":
            (tmp_path / name).write_bytes(content)
    found = status(tmp_path)
    assert found.code in (1, 4)
    assert "\x1b" not in found.out


def test_secrets_in_answers_are_in_no_output(tmp_path: pathlib.Path, status: Callable[..., Run]) -> None:
    """A folder that somebody filled with whole answers instead of those of the script."""
    answers, marker = healthy(CHECKED), "hunter2"
    stockout(answers)
    pool(answers, "pretrain-1")["config"] |= {"metadata": {"startup-script": marker}, "labels": {"stage": "x"}}
    answers["cluster-train.json"]["masterAuth"] = {"clientKey": marker, "clusterCaCertificate": marker}
    waits = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": "0/9 nodes"}
    secret = {"name": "jax", "image": "x", "env": [{"name": "TOKEN", "value": marker}], "args": [marker]}
    pods = {"kind": "Pod", "apiVersion": "v1", "metadata": {"name": "p", "annotations": {"a": marker}}}
    whole = {**pods, "spec": {"containers": [secret]}, "status": {"phase": "Pending", "conditions": [waits]}}
    answers["pods-train.jsonl"] = {"items": [whole]}
    write(tmp_path, answers)
    for form in ("text", "json", "markdown"):
        assert marker not in status(tmp_path, "--format", form).out


REFUSED = "ERROR: (gcloud.container.node-pools.list) ResponseError: code=403, message=Required permission is missing"


@each("content", [None, REFUSED, b"{", b'{"x": 1}', b'"x"', b'[{"x": 1}]', b"[null]", b"null"])
def test_node_pools_that_were_not_read_are_not_missing(
    content: bytes | str | None, tmp_path: pathlib.Path, status: Callable[..., Run], gke_tpu: Callable[..., Run]
) -> None:
    """Nor does doctor say that nothing has their names."""
    answers = healthy(CHECKED) | {"reservations-acme-ml.json": [reservation(16)], QUOTA: quota(64), POOLS: content}
    write(tmp_path, {name: each for name, each in answers.items() if each is not None})
    found = status(tmp_path, "--format", "json")
    assert found.code == 4
    data = json.loads(found.out)
    assert {group["state"] for group in data["groups"]} == {"not read"}
    assert any("node pools" in each["what"] for each in data["not_read"])
    assert gke_tpu("doctor", tmp_path / "plan.yaml", "--snapshot", tmp_path).code == 4


@each("status", ["STOPPING", "PROVISIONING", "RECONCILING", "STATUS_UNSPECIFIED"])
def test_a_node_pool_that_gke_changes_is_not_ready(status: str, tmp_path: pathlib.Path) -> None:
    found = status_in(tmp_path, CHECKED, lambda answers: pool(answers, "pretrain-0").update(status=status))
    assert [group.state for group in found.groups] == ["changing", "ready"]
    assert not found.is_wrong


@each("status, state", [("STOPPING", "changing"), ("PROVISIONING", "changing"), ("RECONCILING", "ready")])
def test_no_slice_is_ready_while_gke_creates_or_deletes_its_cluster(
    status: str, state: str, tmp_path: pathlib.Path
) -> None:
    """A cluster is reconciling with every update of its control plane, beside node pools that run."""
    found = status_in(tmp_path, CHECKED, lambda answers: answers["cluster-train.json"].update(status=status))
    assert {group.state for group in found.groups} == {state}


AUTOPILOT = """\
version: 1
project: acme-ml
clusters:
  train:
    mode: autopilot
    location: us-east5
    slices:
      pretrain: {tpu: v6e, topology: 4x4, zone: us-east5-b}
"""


@each("plan", [PLAN, AUTOPILOT])
def test_slices_of_a_cluster_that_does_not_exist_are_missing(plan: str, tmp_path: pathlib.Path) -> None:
    def change(answers: Answers) -> None:
        for name in [name for name in answers if "-train" in name]:
            answers[name] = "ERROR: ResponseError: code=404, message=Not found"

    found = status_in(tmp_path, checked_plan(plan), change)
    assert {group.state for group in found.groups} == {"missing"}
    assert [each.title for each in found.problems] == ["The cluster does not exist"]


def test_a_command_that_does_not_exist_says_nothing_about_the_cluster(tmp_path: pathlib.Path) -> None:
    def change(answers: Answers) -> None:
        answers["cluster-train.json"] = answers[POOLS] = "read.sh: line 9: gcloud: command not found"

    found = status_in(tmp_path, CHECKED, change)
    assert found.problems == ()
    assert {group.state for group in found.groups} == {"not read"}


def test_another_topology_is_drift_that_replaces_the_node_pool(tmp_path: pathlib.Path) -> None:
    def change(answers: Answers) -> None:
        pool(answers, "pretrain-0")["placementPolicy"]["tpuTopology"] = "2x8"

    (item,) = status_in(tmp_path, CHECKED, change).drift
    assert item.what == "placementPolicy.tpuTopology: 2x8 found, 4x4 in the plan"
    assert "replaces the node pool" in item.next_up


def nodes_of(answers: Answers, name: str) -> list[dict[str, Any]]:
    label = "cloud.google.com/gke-nodepool"
    return [each for each in answers[NODES]["items"] if each["metadata"]["labels"][label] == name]


def cordoned(answers: Answers) -> None:
    for node in nodes_of(answers, "pretrain-0"):
        node["spec"]["unschedulable"] = True


def without_chips(answers: Answers) -> None:
    for node in nodes_of(answers, "pretrain-0")[:2]:
        node["status"]["allocatable"]["google.com/tpu"] = "0"


def without_device_plugin(answers: Answers) -> None:
    for node in nodes_of(answers, "pretrain-0")[:2]:
        node["status"]["allocatable"] = {"cpu": "112", "memory": "400Gi"}


def spot_loss(answers: Answers) -> None:
    gone = nodes_of(answers, "pretrain-0")[2:]
    lose(answers, "pretrain-0", most=2)
    text = "Deleting node {} because it does not exist in the cloud provider"
    answers["events-train.jsonl"]["items"] = [
        event(each, "Normal", "DeletingNode", text.format(each["metadata"]["name"]), TAKEN) for each in gone
    ]


@pytest.mark.parametrize(
    ("change", "title", "ready", "named"),
    [
        (cordoned, "Nodes take no new Pods", 4, 4),
        (without_chips, "The node has TPUs, and their device plugin does not run", 6, 2),
        (without_device_plugin, "The node has TPUs, and their device plugin does not run", 6, 2),
        (spot_loss, "The VM of a node is gone", 6, 2),
    ],
)
def test_nodes_that_are_of_no_use_to_a_slice_are_named(
    change: Change, title: str, ready: int, named: int, tmp_path: pathlib.Path
) -> None:
    found = status_in(tmp_path, CHECKED, change)
    (problem,) = found.problems
    assert (found.groups[0].state, found.groups[0].hosts_ready) == ("not whole", ready)
    assert problem.title == title
    assert problem.text.count("pretrain-0-") >= named
    assert "pretrain-1" not in problem.text


def test_events_of_objects_that_were_not_read_do_not_count(tmp_path: pathlib.Path) -> None:
    """The Pod of an event can be gone since."""

    def change(answers: Answers) -> None:
        pod = {"kind": "Pod", "metadata": {"name": "old", "namespace": "ml"}}
        failed = event(pod, "Warning", "Failed", "Error: ImagePullBackOff", TAKEN)
        answers["events-train.jsonl"]["items"] = [failed]

    def without_pods(answers: Answers) -> None:
        change(answers)
        answers["pods-train.jsonl"] = "Error from server (Forbidden): pods is forbidden"

    assert status_in(tmp_path / "a", CHECKED, change).problems == ()
    found = status_in(tmp_path / "b", CHECKED, without_pods)
    assert not found.is_wrong
    assert [each.what for each in found.not_read] == ["pods of train"]


IN_ERROR = "Instance 'gke-train-1' creation failed: "
AGENT = (
    "Required 'compute.instances.create' permission for 'projects/acme-ml/zones/us-east5-b/instances/gke-train-1' "
    "(when acting as '123456@cloudservices.gserviceaccount.com')"
)


@each(
    "code, text, says",
    [
        ("PERMISSIONS_ERROR", AGENT, "Google APIs Service Agent"),
        ("GCE_QUOTA_EXCEEDED", "Quota 'SSD_TOTAL_GB' exceeded.  Limit: 500.0 in region us-east5.", "SSD_TOTAL_GB"),
        (
            "GCE_QUOTA_EXCEEDED",
            "Quota 'IN_USE_ADDRESSES' exceeded.  Limit: 8.0 in region x.",
            "IN_USE_ADDRESSES",
        ),
        ("GCE_QUOTA_EXCEEDED", "Quota 'NETWORKS' exceeded.  Limit: 5.0 globally.", "NETWORKS"),
    ],
)
def test_the_cause_and_the_way_out_name_what_the_text_names(
    code: str, text: str, says: str, tmp_path: pathlib.Path
) -> None:
    """Also where the project has no quota of TPUs."""

    def change(answers: Answers) -> None:
        failed(answers, f"{NOT_WHOLE}[{code}]: {IN_ERROR}{text}", code=code)
        answers[QUOTA] = quota(0)

    problem = status_in(tmp_path, CHECKED, change).problems[0]
    assert says in problem.cause
    assert says in problem.fix
    assert ";" not in problem.title
    assert "container-engine-robot" not in problem.fix
    assert "gke-tpu quota" not in problem.fix
