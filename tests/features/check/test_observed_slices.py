"""The cases of dynamic slicing that were observed: ``check`` reports those that do not run, and nothing else."""

import copy
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
import yaml
from support.control_plane.cubes import EXCLUSIVE, SLICE
from support.control_plane.manifests import ACCELERATOR, TOPOLOGY
from support.control_plane.nodes import NODE_POOL
from support.manifests import findings_in
from support.slices_of_cubes import CASES, PARTS, by_hand, groups, job, job_set, plan_of_cubes, queues, template
from support.work import function_calls

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.plan import read_plan_content
from pulumi_gke_tpu.core.rules import check_plan
from pulumi_gke_tpu.core.rules.engine.examples import OPERATOR
from pulumi_gke_tpu.core.text.findings import Severity
from pulumi_gke_tpu.features.check.rules.alignment.sizes import _fit
from pulumi_gke_tpu.features.workloads.manifests import manifests_of

MODE = "cloud.google.com/gke-accelerator-topology-mode"
PLAN = yaml.safe_dump(plan_of_cubes())


def found(objects: list[object]) -> set[str]:
    findings = findings_in(yaml.safe_dump_all(objects), plan=PLAN)
    return {item.rule for item in findings if item.severity is not Severity.NOTE}


@pytest.mark.parametrize("case", CASES)
def test_check_reports_what_does_not_run(case: str) -> None:
    assert found([*CASES[case].queues, *CASES[case].workloads]) == CASES[case].rules


def test_each_case_that_does_not_run_has_a_finding() -> None:
    """Except for a workload that waits for its turn."""
    silent = [
        name for name, case in CASES.items() if any(state != "runs" for state, _ in case.outcomes) and not case.rules
    ]
    assert silent == ["quota of one cube"]


SLICES = {
    "as it runs": (by_hand("4x4x8", "a1", "a2"), set()),
    "a part": (by_hand("2x2x2", "a1"), set()),
    "too few partitions": (by_hand("4x4x8", "a1"), {"TPU881"}),
    "too many partitions": (by_hand("4x4x4", "a1", "a2"), {"TPU881"}),
    "a part of two partitions": (by_hand("2x2x4", "a1", "a2"), {"TPU881"}),
    "decreasing": (by_hand("8x4x4", "a1", "a2"), {"TPU881"}),
    "the same partition twice": (by_hand("4x4x8", "a1", "a1"), {"TPU881"}),
    "no multiple of 4": (by_hand("4x4x6", "a1", "a2"), {"TPU881"}),
    "two dimensions": (by_hand("4x4", "a1"), {"TPU881"}),
    "a name of 70 letters": (by_hand("4x4x4", "a1", name="s" * 70), {"TPU882"}),
    "an ID that no label can have": (by_hand("4x4x4", "P 1!"), {"TPU881"}),
    "no partitions": (by_hand("4x4x4"), {"TPU881"}),
    "four cubes in blocks of three": (by_hand("4x8x8", "a1", "a2", "a3", "a4"), {"TPU883"}),
}


@pytest.mark.parametrize("case", SLICES)
def test_slices_that_people_write(case: str) -> None:
    item, rules = SLICES[case]
    assert found([item]) == rules


def test_pods_without_a_queue_that_select_a_slice() -> None:
    workload = job_set("a", "4x4x8", queued=False, selector={SLICE: "by-hand"}, **{EXCLUSIVE: SLICE})
    assert found([by_hand("4x4x8", "a1", "a2"), workload]) == set()
    assert found([by_hand("4x4x4", "a1"), workload]) == {"TPU898"}


def _at_times(labels: Any, labels_of_jobs: Any) -> Any:
    whole: Any = job("a", "2x2x1")
    template = {"metadata": {"labels": labels_of_jobs}, "spec": whole["spec"]}
    spec = {"schedule": "0 0 * * *", "jobTemplate": template}
    return {"apiVersion": "batch/v1", "kind": "CronJob", "metadata": {"name": "a", "labels": labels}, "spec": spec}


@pytest.mark.parametrize(
    ("labels", "labels_of_jobs", "rules"),
    [
        ({}, {"kueue.x-k8s.io/queue-name": "lq"}, set()),
        ({"kueue.x-k8s.io/queue-name": "lq"}, {"kueue.x-k8s.io/queue-name": "lq"}, set()),
        ({"kueue.x-k8s.io/queue-name": "lq"}, {}, {"TPU390", "TPU826"}),
        ({}, {"kueue.x-k8s.io/queue-name": "other"}, {"TPU796"}),
        ({}, {}, {"TPU826"}),
    ],
)
def test_kueue_reads_the_labels_of_the_jobs_of_a_cron_job(labels: Any, labels_of_jobs: Any, rules: set[str]) -> None:
    assert found([*queues(levels=PARTS), _at_times(labels, labels_of_jobs)]) == rules


def _sets(*counts: int) -> Any:
    """A JobSet with several sets of Pods on cubes."""
    whole: Any = job_set("a", "4x4x4", counts[0])
    (first,) = whole["spec"]["replicatedJobs"]
    whole["spec"]["replicatedJobs"] = [
        {**copy.deepcopy(first), "name": f"set-{index}", "replicas": count} for index, count in enumerate(counts)
    ]
    return whole


@pytest.mark.parametrize(
    ("item", "rules"),
    [
        (_sets(3, 2), set()),
        (_sets(3), set()),
        (_sets(4), {"TPU382", "TPU795"}),
        (_sets(3, 3), {"TPU382", "TPU795"}),
        (groups("a", "4x4x4", 5), set()),
        (groups("a", "2x2x2", 40), set()),
        (groups("a", "4x4x4", 6), {"TPU382", "TPU795"}),
        (job("a", "4x4x8"), set()),
        (job("a", "4x8x8"), {"TPU382", "TPU795"}),
    ],
)
def test_kueue_admits_each_set_of_pods_to_one_flavor_of_the_plan(item: Any, rules: set[str]) -> None:
    """Its queue has a flavor for each block, of three and of two cubes."""
    text = yaml.safe_dump(_tolerating(yaml.safe_load(yaml.safe_dump(item))))
    findings = [each for each in findings_in(text, plan=PLAN) if each.rule in ("TPU382", "TPU795")]
    assert {each.rule for each in findings} == rules


def _tolerating(data: Any) -> Any:
    """The same, whose Pods tolerate the taints of slice groups."""
    for value in data.values() if isinstance(data, dict) else data if isinstance(data, list) else ():
        _tolerating(value)
    if isinstance(data, dict) and "tolerations" in data:
        data["tolerations"].append({"key": "gke-tpu/slice-group", "operator": "Exists"})
    return data


@pytest.mark.parametrize(
    ("blocks", "topology", "fits"),
    [(("b1", "b1"), "4x4x8", True), (("b1", "b2"), "4x4x8", False), (("b1", "b1"), "4x4x12", False)],
)
def test_groups_of_one_block_have_their_cubes_together(blocks: tuple[str, str], topology: str, fits: bool) -> None:
    """For a Slice that a person writes, and for a queue with one flavor for all cubes; a plan has one for each."""
    plan: Any = plan_of_cubes(blocks={"one": 1, "two": 1})
    (cluster,) = plan["clusters"].values()
    for group, block in zip(cluster["slices"].values(), blocks, strict=True):
        group["capacity"]["reservation"] |= {"block": block, "sub_block": f"sub-{group['node_labels']['block']}"}
    written = yaml.safe_dump(plan)
    made = by_hand(topology, *(f"p{index}" for index in range(2 if topology == "4x4x8" else 3)))
    queued = job_set("a", topology, pods=32 if topology == "4x4x8" else 48)
    for objects, rule in (([made], "TPU883"), ([*queues(), queued], "TPU382")):
        findings = {each.rule for each in findings_in(yaml.safe_dump_all(objects), plan=written)}
        assert (rule in findings) is not fits
    assert "TPU382" in {each.rule for each in findings_in(yaml.safe_dump(_tolerating(queued)), plan=written)}


@pytest.mark.parametrize(
    ("topology", "pods", "rules"),
    [
        ("4x4x4", 16, set()),
        ("4x4x4", 32, {"TPU728"}),
        ("4x4x4", 24, {"TPU728"}),
        ("4x4x8", 32, set()),
        ("2x2x2", 2, set()),
        ("2x2x2", 4, {"TPU728"}),
        ("2x2x1", 1, set()),
        ("2x2x1", 2, {"TPU728"}),
    ],
)
def test_a_job_has_one_slice_of_cubes(topology: str, pods: int, rules: set[str]) -> None:
    item: Any = job("a", topology)
    item["spec"] |= {"parallelism": pods, "completions": pods}
    findings = findings_in(yaml.safe_dump_all([*queues(levels=PARTS), item]))
    errors = {each.rule for each in findings if each.severity is Severity.ERROR}
    assert errors == rules


def _required(*expressions: Any) -> Any:
    """A required affinity, of which each expression is one term."""
    terms = [{"matchExpressions": [expression]} for expression in expressions]
    return {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}}


_EXISTS = {"key": SLICE, "operator": "Exists"}
_OF_TPU7X = {"key": ACCELERATOR, "operator": "In", "values": ["tpu7x"]}


@pytest.mark.parametrize(
    ("selector", "affinity", "rules"),
    [
        ({ACCELERATOR: "tpu7x"}, {}, set()),
        ({}, _required(_OF_TPU7X), set()),
        ({}, {}, {"TPU829"}),
        ({MODE: "PROVISION_ONLY"}, {}, {"TPU829"}),
        ({ACCELERATOR: "tpu7x"}, _required(_EXISTS), {"TPU823"}),
        ({ACCELERATOR: "tpu7x"}, _required({"key": TOPOLOGY, "operator": "Exists"}), {"TPU823"}),
        ({ACCELERATOR: "tpu7x"}, _required({"key": TOPOLOGY, "operator": "In", "values": ["4x4x4"]}), {"TPU823"}),
        ({ACCELERATOR: "tpu7x"}, _required({"key": SLICE, "operator": "DoesNotExist"}), set()),
        ({ACCELERATOR: "tpu7x"}, _required(_EXISTS, {"key": NODE_POOL, "operator": "NotIn", "values": ["x"]}), set()),
    ],
)
def test_what_queued_pods_select_before_their_slice(selector: Any, affinity: Any, rules: set[str]) -> None:
    item: Any = job_set("a", "4x4x4")
    spec = item["spec"]["replicatedJobs"][0]["template"]["spec"]["template"]["spec"]
    spec |= {"nodeSelector": selector, "affinity": affinity}
    findings = findings_in(yaml.safe_dump_all([*queues(), item]), mode="standard")
    assert {each.rule for each in findings if each.severity is not Severity.NOTE} == rules


@pytest.mark.parametrize("with_annotation", [True, False])
@pytest.mark.parametrize("with_accelerator", [True, False])
def test_the_leader_of_a_group_is_on_a_host_of_its_slice(*, with_annotation: bool, with_accelerator: bool) -> None:
    item: Any = groups("a", "4x4x4")
    worker = item["spec"]["leaderWorkerTemplate"]
    leader = worker["leaderTemplate"] = copy.deepcopy(worker["workerTemplate"])
    if not with_annotation:
        leader["metadata"] = {}
    if not with_accelerator:
        leader["spec"]["nodeSelector"] = {}
    findings = findings_in(yaml.safe_dump_all([*queues(), item]), mode="standard")
    errors = {each.rule for each in findings if each.severity is Severity.ERROR}
    assert bool(errors) is not (with_annotation and with_accelerator), errors


@pytest.mark.parametrize(
    ("labels", "rules"),
    [
        ({}, set()),
        ({MODE: "PROVISION_ONLY"}, set()),
        ({MODE: "AUTO_CONNECT"}, {"TPU823"}),
        ({TOPOLOGY: "4x4x4"}, {"TPU823"}),
        ({SLICE: "a"}, {"TPU823"}),
        ({"team": "research"}, set()),
    ],
)
def test_labels_that_a_flavor_of_cubes_can_have(labels: Any, rules: set[str]) -> None:
    objects: list[Any] = [*queues(), job_set("a", "4x4x4")]
    (flavor,) = (item for item in objects if item["metadata"]["name"] == "cubes" and item["kind"] == "ResourceFlavor")
    flavor["spec"]["nodeLabels"] |= labels
    findings = findings_in(yaml.safe_dump_all(objects), mode="standard")
    assert {each.rule for each in findings if each.severity is Severity.ERROR} == rules


@pytest.mark.parametrize(
    ("on", "labels", "rules"),
    [
        (["cubes"], {"block": "two"}, {"TPU825"}),
        (["cubes", "more"], {"block": "two"}, set()),
        ([], {"block": "two"}, set()),
        (["cubes"], {TOPOLOGY: "2x2x2"}, set()),
    ],
)
def test_the_check_is_for_every_flavor_of_cubes(on: list[str], labels: Any, rules: set[str]) -> None:
    """A flavor with the topology of a static slice is not one of cubes."""
    objects: list[Any] = [*queues(), job_set("a", "4x4x4")]
    (flavor,) = (item for item in objects if item["metadata"]["name"] == "cubes" and item["kind"] == "ResourceFlavor")
    other = copy.deepcopy(flavor)
    other["metadata"]["name"] = "more"
    other["spec"]["nodeLabels"] |= labels
    (queue,) = (item for item in objects if item["kind"] == "ClusterQueue")
    flavors = queue["spec"]["resourceGroups"][0]["flavors"]
    flavors.append({**copy.deepcopy(flavors[1]), "name": "more"})
    check = {"name": "slices", **({"onFlavors": on} if on else {})}
    queue["spec"]["admissionChecksStrategy"] = {"admissionChecks": [check]}
    findings = findings_in(yaml.safe_dump_all([*objects, other]), mode="standard")
    assert {each.rule for each in findings if each.severity is Severity.ERROR} == rules


QUEUE_FILE = Path(__file__).parents[3] / "docs" / "examples" / "cubes.yaml"
ANNOTATION = "cloud.google.com/gke-tpu-slice-topology"


def _misspelt(job_set: Any, annotations: Any) -> None:
    annotations["cloud.google.com/gke-tpu-slice-topolgy"] = annotations.pop(ANNOTATION)


def _on_the_owner(job_set: Any, annotations: Any) -> None:
    job_set["metadata"]["annotations"] = {ANNOTATION: annotations.pop(ANNOTATION)}


def _without_queue(job_set: Any, annotations: Any) -> None:
    job_set["metadata"]["labels"] = {}
    del annotations[ANNOTATION]


@pytest.mark.parametrize(
    ("edit", "rules", "with_plan"),
    [
        (lambda _, annotations: None, set(), set()),
        (lambda _, annotations: annotations.pop(ANNOTATION), {"TPU829"}, {"TPU316", "TPU829"}),
        (_misspelt, {"TPU390", "TPU829"}, {"TPU316", "TPU390", "TPU829"}),
        (_on_the_owner, {"TPU829"}, {"TPU316", "TPU829"}),
        (_without_queue, {"TPU826"}, {"TPU826"}),
        (lambda _, annotations: annotations.update({ANNOTATION: "4x4x4"}), {"TPU760"}, {"TPU316", "TPU760"}),
    ],
)
def test_the_topology_of_slices_in_a_queue_file_with_a_static_flavor(
    edit: Callable[[Any, Any], object], rules: set[str], with_plan: set[str]
) -> None:
    plan = QUEUE_FILE.read_text(encoding="utf-8")
    (cluster,) = manifests_of(check_plan(read_plan_content(plan.encode(), "plan.yaml"), read_catalog()))
    documents: list[Any] = [copy.deepcopy(item.object) for item in cluster.manifests]
    (job_set,) = (item for item in documents if item["kind"] == "JobSet")
    edit(job_set, job_set["spec"]["replicatedJobs"][0]["template"]["spec"]["template"]["metadata"]["annotations"])
    text = yaml.safe_dump_all(documents)
    for given, expected in ((None, rules), (plan, with_plan)):
        findings = findings_in(text, mode="standard", plan=given)
        assert {item.rule for item in findings if item.severity is not Severity.NOTE} == expected


@pytest.mark.parametrize(
    ("kind", "rules"), [("RayJob", {"TPU899"}), ("StatefulSet", {"TPU899"}), ("Pod", {"TPU899"}), ("Job", set())]
)
def test_only_some_queued_kinds_get_slices(kind: str, rules: set[str]) -> None:
    pod = template("2x2x1")
    whole: dict[str, Any] = {
        "RayJob": {"entrypoint": "python run.py", "rayClusterSpec": {"workerGroupSpecs": [{"template": pod}]}},
        "StatefulSet": {"serviceName": "a", "replicas": 1, "template": pod},
        "Pod": pod["spec"],
        "Job": job("a", "2x2x1")["spec"],
    }
    versions = {"RayJob": "ray.io/v1", "StatefulSet": "apps/v1", "Pod": "v1", "Job": "batch/v1"}
    metadata: Any = {"name": "a", "labels": {"kueue.x-k8s.io/queue-name": "lq"}}
    if kind == "Pod":
        metadata["annotations"] = pod["metadata"]["annotations"]
    item = {"apiVersion": versions[kind], "kind": kind, "metadata": metadata, "spec": whole[kind]}

    def shown(item: object) -> set[str]:
        return {each.rule for each in findings_in(yaml.safe_dump(item), mode="standard")} & {"TPU899"}

    assert shown(item) == rules
    metadata["ownerReferences"] = [{"apiVersion": "batch/v1", "kind": "Job", "name": "a", "uid": "1"}]
    assert shown(item) == set()


def test_a_queue_outside_the_files_needs_the_topology_of_slices_too() -> None:
    mode = {"cloud.google.com/gke-accelerator-topology-mode": "PROVISION_ONLY"}
    for topology, rules in (("4x4x4", []), ("", ["TPU829"])):
        text = yaml.safe_dump(job_set("a", topology, pods=16, selector=mode))
        assert [item.rule for item in findings_in(text, mode="standard") if item.severity is not Severity.NOTE] == rules


@pytest.mark.parametrize(
    ("slices", "pods", "rules"), [(1, 32, set()), (2, 32, {"TPU898"}), (1, 64, {"TPU898", "TPU760"})]
)
def test_pods_that_select_a_slice_need_no_more_hosts_than_it_has(slices: int, pods: int, rules: set[str]) -> None:
    """Also if the Slice itself is not in the files, or the Pods state no topology."""
    by_label = {SLICE: "by-hand", TOPOLOGY: "4x4x8"}
    for topology, selector in (("4x4x8", {SLICE: "by-hand"}), ("", by_label)):
        workload = job_set("a", topology, slices, pods, queued=False, selector=selector)
        for others in ([], [by_hand("4x4x8", "a1", "a2")]):
            assert found([*others, workload]) >= rules
            assert ("TPU898" in found([*others, workload])) == bool(rules)
    workload = job_set("a", "", slices, pods, queued=False, selector={SLICE: "by-hand"})
    assert ("TPU898" in found([by_hand("4x4x8", "a1", "a2"), workload])) == bool(rules)


@pytest.mark.parametrize(
    ("metadata", "severities"),
    [
        ({}, []),
        ({"finalizers": ["a.io/b"]}, []),
        ({"deletionTimestamp": "2026-11-20T10:00:00Z"}, []),
        ({"deletionTimestamp": "2026-11-20T10:00:00Z", "finalizers": ["a.io/b"]}, [Severity.WARNING]),
    ],
)
def test_a_finalizer_can_hold_a_slice_that_is_deleted(metadata: dict[str, Any], severities: list[Severity]) -> None:
    """Only its age tells whether it does, and sources disagree about removing the finalizer."""
    item: Any = by_hand("4x4x8", "a1", "a2")
    item["metadata"] |= metadata
    condition = {"type": "Ready", "status": "False", "reason": "DEACTIVATING", "message": "Dismantling slice resources"}
    findings = findings_in(yaml.safe_dump(item | {"status": {"conditions": [condition]}}))
    assert [each.severity for each in findings] == severities
    for each in findings:
        assert "(deleted at 2026-11-20T10:00:00Z)" in each.message
        assert "Sources disagree about removing the finalizer" in each.advice


@pytest.mark.parametrize(
    ("order", "level"), [((0, 1, 2, 3), None), ((0, 2, 1, 3), 2), ((1, 0, 2, 3), 1), ((0, 1, 3, 2), 3)]
)
def test_levels_of_a_topology_are_in_the_order_of_their_size(order: tuple[int, ...], level: int | None) -> None:
    prefix = "cloud.google.com/gke-tpu-partition"
    names = (
        "cloud.google.com/gce-topology-block",
        f"{prefix}-4x4x4-id",
        f"{prefix}-2x4x4-id",
        "kubernetes.io/hostname",
    )
    objects: list[Any] = [*queues(), job_set("a", "4x4x4")]
    (topology,) = (item for item in objects if item["kind"] == "Topology")
    topology["spec"]["levels"] = [{"nodeLabel": names[index]} for index in order]
    findings = findings_in(yaml.safe_dump_all(objects), mode="standard")
    assert [each.path[-2:] for each in findings if each.rule == "TPU827"] == (
        [] if level is None else [(level, "nodeLabel")]
    )


@pytest.mark.parametrize(
    ("slices", "fits"),
    [
        ([("4x4x8", 1), ("4x4x8", 1)], True),
        ([("4x4x4", 3), ("4x4x8", 1)], True),
        ([("4x4x8", 1), ("4x4x4", 3)], True),
        ([("4x4x4", 3), ("4x4x4", 2), ("2x2x1", 1)], False),
        ([("4x4x8", 1), ("4x4x8", 1), ("4x4x4", 1)], True),
        ([("4x4x8", 1), ("4x4x8", 1), ("4x4x8", 1)], False),
        ([("4x4x4", 3), ("4x4x4", 1), ("2x4x4", 1), ("2x4x4", 1)], True),
        ([("4x4x4", 3), ("4x4x4", 1), ("2x4x4", 1), ("2x4x4", 2)], False),
        ([("2x4x4", 3), ("4x4x4", 2), ("2x4x4", 3)], True),
        ([("2x4x4", 3), ("4x4x4", 2), ("4x4x8", 1)], False),
    ],
)
def test_sets_of_pods_of_a_job_set_have_cubes_together(slices: list[tuple[str, int]], fits: bool) -> None:
    """Of blocks with three and two cubes: each set is in one block, and Kueue admits all of them at once."""
    whole: Any = job_set("a", *slices[0])
    jobs = whole["spec"]["replicatedJobs"]
    for index, (topology, count) in enumerate(slices[1:]):
        (other,) = job_set("a", topology, count)["spec"]["replicatedJobs"]
        jobs.append({**other, "name": f"set-{index}"})
    assert found([*queues(levels=PARTS), whole]) == (set() if fits else {"TPU382"})


def _selecting(name: str, **spec: Any) -> Any:
    item: Any = job(name, "4x4x8")
    item["metadata"]["labels"] = {}
    item["spec"] |= spec
    item["spec"]["template"]["spec"]["nodeSelector"] |= {SLICE: "by-hand", TOPOLOGY: "4x4x8"}
    return item


def test_two_workloads_of_one_slice_run_one_after_the_other() -> None:
    made = by_hand("4x4x8", "a1", "a2")
    assert found([made, _selecting("a")]) == set()
    assert found([made, _selecting("a"), _selecting("b", suspend=True)]) == set()
    text = yaml.safe_dump_all([made, _selecting("a"), _selecting("b")])
    (finding,) = [item for item in findings_in(text, plan=PLAN) if item.severity is not Severity.NOTE]
    assert (finding.rule, finding.severity, finding.path[0]) == ("TPU898", Severity.WARNING, "spec")
    assert finding.message == "slice `by-hand` has hosts for Job `a` or for Job `b`, not for both"


def test_all_pods_of_a_workload_have_hosts_in_the_slice_that_they_select() -> None:
    selector = {SLICE: "by-hand", TOPOLOGY: "4x4x8"}
    whole: Any = job_set("a", "4x4x8", queued=False, selector=selector, **{EXCLUSIVE: SLICE})
    (first,) = whole["spec"]["replicatedJobs"]
    whole["spec"]["replicatedJobs"].append({**copy.deepcopy(first), "name": "second"})
    text = yaml.safe_dump_all([by_hand("4x4x8", "a1", "a2"), whole])
    severities = [item.severity for item in findings_in(text, plan=PLAN) if item.rule == "TPU898"]
    assert severities == [Severity.ERROR]
    whole["spec"]["replicatedJobs"][1]["dependsOn"] = [{"name": "slice", "status": "Complete"}]
    assert "TPU898" not in found([by_hand("4x4x8", "a1", "a2"), whole])


def test_two_slices_of_one_partition_are_found_in_the_second() -> None:
    text = yaml.safe_dump_all([by_hand("4x4x4", "a1", name="one"), by_hand("4x4x8", "a2", "a1", name="two")])
    (finding,) = findings_in(text)
    assert (finding.rule, finding.path) == ("TPU881", ("spec", "partitionIds", 1))
    assert finding.message == "partition `a1` is already used by Slice `one`"


RUNNING = {"jobset": "jobset/jobset:v{}", "leaderworkerset": "lws/lws:v{}", "kueue": "kueue/kueue:v{}"}
WORKLOADS: dict[str, tuple[Callable[[str], Any], str]] = {
    "jobset": (lambda topology: job_set("a", topology, 2), "jobset"),
    "one slice": (lambda topology: job_set("a", topology), "jobset"),
    "leaderworkerset": (lambda topology: groups("a", topology), "leaderworkerset"),
    "job": (lambda topology: job("a", topology), "jobset"),
}


@pytest.mark.parametrize(
    ("workload", "topology", "operator", "release", "severity"),
    [
        ("jobset", "4x4x8", "jobset", "0.10.0", Severity.ERROR),
        ("jobset", "4x4x8", "jobset", "0.10.1", None),
        ("jobset", "2x2x2", "jobset", "0.10.0", Severity.ERROR),
        ("jobset", "2x2x2", "jobset", "0.11.1", Severity.WARNING),
        ("jobset", "2x2x2", "jobset", "0.12.0", None),
        ("one slice", "4x4x8", "jobset", "0.9.0", Severity.WARNING),
        ("job", "4x4x8", "jobset", "0.9.0", None),
        ("leaderworkerset", "2x2x2", "leaderworkerset", "0.7.0", Severity.WARNING),
        ("leaderworkerset", "4x4x4", "leaderworkerset", "0.7.0", None),
        ("leaderworkerset", "2x2x2", "jobset", "0.9.0", None),
        ("job", "2x2x2", "kueue", "0.17.4", Severity.WARNING),
        ("job", "4x4x4", "kueue", "0.17.4", None),
        ("job", "2x2x2", "kueue", "0.18.2", None),
    ],
)
def test_operators_have_the_releases_that_slices_need(
    workload: str, topology: str, operator: str, release: str, severity: Severity | None
) -> None:
    """In the image that runs, and in the plan; that of parts of a cube is contested."""
    item = WORKLOADS[workload][0](topology)
    image = f"registry.k8s.io/{RUNNING[operator].format(release)}"
    manager = yaml.safe_load(OPERATOR.format(image=image))
    plan: Any = plan_of_cubes()
    (cluster,) = plan["clusters"].values()
    cluster["kubernetes"] = {"operators": {operator: {"version": release}}}
    for objects, given in (([item, manager], None), ([item], yaml.safe_dump(plan))):
        findings = findings_in(yaml.safe_dump_all(objects), mode="standard", plan=given)
        own = [each for each in findings if each.rule == "TPU797"]
        assert [each.severity for each in own] == ([] if severity is None else [severity])
        at = ("spec", "template", "spec", "containers", 0, "image") if given is None else ()
        assert {each.path for each in own} <= {at}
        contested = severity is Severity.WARNING and topology == "2x2x2"
        assert all(("Sources disagree" in each.source) is contested for each in own), own


@pytest.mark.parametrize(
    ("image", "rules"),
    [
        ("tpuongke/kueue-slice-controller:latest", ["TPU848"]),
        ("tpuongke/kueue-slice-controller", ["TPU848"]),
        ("mirror.example.com:5000/tpuongke/kueue-slice-controller:latest", ["TPU848"]),
        ("tpuongke/kueue-slice-controller:latest@sha256:" + "0" * 64, []),
        ("tpuongke/kueue-slice-controller@sha256:" + "0" * 64, []),
        ("example.com/kueue-slice-controller:v3", []),
        ("example.com/other-controller:latest", []),
    ],
)
def test_the_image_of_the_slice_controller_is_pinned(image: str, rules: list[str]) -> None:
    assert [item.rule for item in findings_in(OPERATOR.format(image=image))] == rules


DELETED = {"deletionTimestamp": "2026-11-20T10:00:00Z", "finalizers": ["accelerator.gke.io/slice-finalizer"]}
CONDITION = {"type": "Ready", "status": "False", "reason": "DEACTIVATING", "message": "Dismantling slice resources"}


def test_what_sources_contest_is_never_an_error_and_has_both_sides() -> None:
    """The release channel, the length of a name, and how a slice is deleted."""
    plan: Any = plan_of_cubes({"parts": {"slices": "one", "topology": "2x2x2", "queue": "lq"}})
    (cluster,) = plan["clusters"].values()
    cluster["release_channel"] = "regular"
    long: Any = by_hand("4x4x4", "a1", name="s" * 52)
    deleted: Any = by_hand("4x4x4", "a1")
    deleted["metadata"] |= DELETED
    deleted["status"] = {"conditions": [CONDITION]}
    content = read_plan_content(yaml.safe_dump(plan).encode(), "plan.yaml")
    channels = [item for item in check_plan(content, read_catalog()).findings if item.rule == "TPU234"]
    assert len(channels) > 1
    (name,) = findings_in(yaml.safe_dump(long))
    (finalizer,) = findings_in(yaml.safe_dump(deleted))
    assert {item.severity for item in (*channels, name, finalizer)} == {Severity.WARNING}
    assert all("Sources disagree: Cluster Toolkit" in channel.source for channel in channels)
    assert "Sources disagree: Two versions of the page" in name.source
    assert "Sources disagree about removing the finalizer" in finalizer.advice


def test_sets_of_pods_are_distributed_over_blocks_in_bounded_steps() -> None:
    """Sizes that nearly fit: without a limit, each block of each set would be tried with each of the others."""
    assert _fit([Fraction(5, 7), Fraction(2), Fraction(2)], [2, 3, 2])
    assert not _fit([Fraction(2), Fraction(2), Fraction(2)], [3, 3])
    sizes = [Fraction(1000 + 17 * index, 7) for index in range(8)]
    assert function_calls(lambda: _fit(sizes, [299 + index for index in range(4)])) < 500_000
