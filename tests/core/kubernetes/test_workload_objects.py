"""The objects of each kind of workload: what their controllers need, and what GKE does not accept."""

from typing import Any

import pytest
from support.workload_plans import HEADS, TRAIN, objects_of, only, workload_plan

POOL = "cloud.google.com/gke-nodepool"
TPU = "google.com/tpu"
JOBSET_TOPOLOGY = "alpha.jobset.sigs.k8s.io/exclusive-topology"
GROUP_TOPOLOGY = "leaderworkerset.sigs.k8s.io/exclusive-topology"
SINGLE = {"tpu": "v6e", "topology": "2x2", "zone": "us-east5-b"}
SAFE_TO_EVICT = "cluster-autoscaler.kubernetes.io/safe-to-evict"


def on_train(kind: str, group: dict[str, Any] | None = None, /, *, cluster: Any = None, **workload: Any) -> list[Any]:
    """The objects of a workload on slices of v6e 4x4."""
    plan = workload_plan(
        {"train": {**TRAIN, **(group or {"count": 2})}},
        {"w": {"slices": "train", "kind": kind, **workload}},
        **(cluster or {}),
    )
    return objects_of(plan, "workloads")


def on_autopilot(kind: str, group: dict[str, Any] | None = None, /, **workload: Any) -> list[Any]:
    """The same on Autopilot."""
    slices = {"train": {"tpu": "v6e", "topology": "4x4", "count": 2, **(group or {})}}
    plan = workload_plan(slices, {"w": {"slices": "train", "kind": kind, **workload}}, mode="autopilot", network=None)
    del plan["clusters"]["c"]["network"]
    return objects_of(plan, "workloads")


def job_of(jobset: dict[str, Any], name: str = "slice") -> dict[str, Any]:
    (found,) = (item for item in jobset["spec"]["replicatedJobs"] if item["name"] == name)
    job: dict[str, Any] = found["template"]["spec"]
    return job


def pod_of(jobset: dict[str, Any], name: str = "slice") -> dict[str, Any]:
    pod: dict[str, Any] = job_of(jobset, name)["template"]["spec"]
    return pod


# Job and JobSet


def test_a_jobset_has_a_job_for_each_slice_and_a_pod_for_each_host() -> None:
    (jobset,) = on_train("jobset", count=2)
    (replicated,) = jobset["spec"]["replicatedJobs"]
    job = replicated["template"]["spec"]
    assert (replicated["replicas"], job["completions"], job["parallelism"]) == (2, 4, 4)
    assert (job["completionMode"], job["backoffLimit"]) == ("Indexed", 0)
    assert job["template"]["spec"]["restartPolicy"] == "Never"


@pytest.mark.parametrize("count", [1, 2])
def test_each_slice_of_a_jobset_has_a_node_pool_of_its_own_also_a_single_one(count: int) -> None:
    (jobset,) = on_train("jobset", count=count)
    assert jobset["metadata"]["annotations"] == {JOBSET_TOPOLOGY: POOL}


def test_single_host_slices_need_no_topology() -> None:
    (jobset,) = on_train("jobset", {**SINGLE, "count": 2}, count=2)
    assert "annotations" not in jobset["metadata"]


def test_a_disruption_restarts_the_jobset_and_does_not_count() -> None:
    (jobset,) = on_train("jobset", max_restarts=3)
    (rule,) = job_of(jobset)["podFailurePolicy"]["rules"]
    assert rule == {"action": "FailJob", "onPodConditions": [{"type": "DisruptionTarget", "status": "True"}]}
    policy = jobset["spec"]["failurePolicy"]
    assert policy["maxRestarts"] == 3
    (restart,) = policy["rules"]
    assert restart["action"] == "RestartJobSetAndIgnoreMaxRestarts"
    assert restart["onJobFailureReasons"] == ["PodFailurePolicy"]  # an error of the application has another reason


FIELDS = {"network", "failurePolicy", "successPolicy", "replicatedJobs"}
FIELDS_OF_JOBS = {"name", "replicas", "template"}


@pytest.mark.parametrize("kind", ["jobset", "pathways"])
def test_a_jobset_has_only_fields_of_both_supported_versions(kind: str) -> None:
    (jobset,) = on_train(kind, count=2)
    assert jobset["spec"].keys() <= FIELDS
    assert all(item.keys() <= FIELDS_OF_JOBS for item in jobset["spec"]["replicatedJobs"])
    assert jobset["spec"]["failurePolicy"]["rules"][0].keys() == {"name", "action", "onJobFailureReasons"}


def test_pods_find_each_other_by_name() -> None:
    (jobset,) = on_train("jobset")
    network = {"enableDNSHostnames": True, "publishNotReadyAddresses": True, "subdomain": "w"}
    assert jobset["spec"]["network"] == network


def test_a_job_is_a_jobset_if_more_than_one_node_pool_can_serve_it() -> None:
    assert [item["kind"] for item in on_train("job")] == ["JobSet"]


def test_a_job_of_one_node_pool_selects_it() -> None:
    objects = on_train("job", {"count": 1})
    job = only(objects, "Job")
    assert job["spec"]["template"]["spec"]["nodeSelector"][POOL] == "train-0"
    assert (job["spec"]["completions"], job["spec"]["backoffLimit"]) == (4, 0)


def test_a_job_of_several_hosts_has_a_headless_service_that_names_its_pods() -> None:
    objects = on_train("job", {"count": 1})
    service, job = only(objects, "Service"), only(objects, "Job")
    assert service["spec"]["clusterIP"] == "None"
    assert service["spec"]["selector"] == {"batch.kubernetes.io/job-name": job["metadata"]["name"]}
    assert job["spec"]["template"]["spec"]["subdomain"] == service["metadata"]["name"]


def test_a_job_that_restarts_several_hosts_is_a_jobset() -> None:
    assert [item["kind"] for item in on_train("job", {"count": 1}, max_restarts=1)] == ["JobSet"]


def test_a_job_of_single_hosts_creates_a_preempted_pod_again() -> None:
    (job,) = on_train("job", {**SINGLE, "count": 3}, count=3, max_restarts=2)
    assert (job["kind"], job["spec"]["completions"], job["spec"]["backoffLimit"]) == ("Job", 3, 2)
    (rule,) = job["spec"]["podFailurePolicy"]["rules"]
    assert rule["action"] == "Ignore"
    assert POOL not in job["spec"]["template"]["spec"]["nodeSelector"]


def test_a_job_of_several_hosts_is_a_jobset_on_autopilot() -> None:
    (jobset,) = on_autopilot("job")
    assert jobset["kind"] == "JobSet"
    assert "annotations" not in jobset["metadata"]  # Autopilot rejects the selector that exclusive topology adds


# LeaderWorkerSet and Deployment


def test_a_group_of_a_leaderworkerset_has_the_hosts_of_a_slice() -> None:
    (item,) = on_train("leaderworkerset", count=2)
    template = item["spec"]["leaderWorkerTemplate"]
    assert (item["spec"]["replicas"], template["size"]) == (2, 4)
    assert template["restartPolicy"] == "RecreateGroupOnPodRestart"
    assert item["metadata"]["annotations"] == {GROUP_TOPOLOGY: POOL}
    assert "leaderTemplate" not in template


def test_a_leader_without_chips_is_one_more_and_never_in_the_pool_of_its_workers() -> None:
    (item,) = on_train("leaderworkerset", cluster={"cpu_pools": {"heads": HEADS}}, count=2, head={"cpu": 2})
    template = item["spec"]["leaderWorkerTemplate"]
    assert template["size"] == 5
    assert "annotations" not in item["metadata"]
    leader = template["leaderTemplate"]["spec"]
    assert leader["nodeSelector"] == {POOL: "heads"}
    assert TPU not in leader["containers"][0]["resources"]["requests"]


def test_workers_of_a_leader_without_chips_select_the_only_pool() -> None:
    (item,) = on_train("leaderworkerset", {"count": 1}, head={})
    worker = item["spec"]["leaderWorkerTemplate"]["workerTemplate"]["spec"]
    assert worker["nodeSelector"][POOL] == "train-0"
    assert "affinity" not in worker


@pytest.mark.parametrize(
    ("kind", "group", "name"), [("leaderworkerset", None, "w-leader"), ("deployment", {**SINGLE, "count": 2}, "w")]
)
def test_a_port_has_a_service(kind: str, group: dict[str, Any] | None, name: str) -> None:
    service = only(on_train(kind, group, port=8080), "Service")
    assert service["metadata"]["name"] == name
    assert service["spec"]["ports"] == [{"port": 8080, "targetPort": 8080}]


PROBE = {"tcpSocket": {"port": 8080}}


def test_a_deployment_with_a_port_is_ready_when_the_port_answers() -> None:
    item = only(on_train("deployment", {**SINGLE, "count": 2}, port=8080), "Deployment")
    (container,) = item["spec"]["template"]["spec"]["containers"]
    assert container["readinessProbe"] == PROBE


@pytest.mark.parametrize("head", [None, {"cpu": 2}])
def test_only_the_leader_of_a_group_answers_at_the_port(head: Any) -> None:
    item = only(on_train("leaderworkerset", port=8080, **({} if head is None else {"head": head})), "LeaderWorkerSet")
    template = item["spec"]["leaderWorkerTemplate"]
    (leader,), (worker,) = (template[key]["spec"]["containers"] for key in ("leaderTemplate", "workerTemplate"))
    assert leader["readinessProbe"] == PROBE
    assert "readinessProbe" not in worker


def test_a_leader_with_chips_differs_from_its_workers_only_in_the_probe() -> None:
    template = only(on_train("leaderworkerset", port=8080), "LeaderWorkerSet")["spec"]["leaderWorkerTemplate"]
    assert template["size"] == 4
    del template["leaderTemplate"]["spec"]["containers"][0]["readinessProbe"]
    assert template["leaderTemplate"] == template["workerTemplate"]


def test_nothing_without_a_port_has_a_probe() -> None:
    (item,) = on_train("deployment", {**SINGLE, "count": 2})
    assert "readinessProbe" not in item["spec"]["template"]["spec"]["containers"][0]


def test_an_update_of_a_deployment_frees_chips_first() -> None:
    (item,) = on_train("deployment", {**SINGLE, "count": 2}, count=2)
    assert item["spec"]["replicas"] == 2
    assert item["spec"]["strategy"]["rollingUpdate"] == {"maxSurge": 0, "maxUnavailable": 1}
    assert item["spec"]["selector"]["matchLabels"] == item["spec"]["template"]["metadata"]["labels"]


# Ray


def worker_groups(item: dict[str, Any]) -> list[Any]:
    spec = item["spec"]
    groups: list[Any] = spec.get("rayClusterSpec", spec)["workerGroupSpecs"]
    return groups


@pytest.mark.parametrize("run", [on_train, on_autopilot])
def test_the_slices_of_a_ray_cluster_are_replicas_of_one_group(run: Any) -> None:
    """A fixed node pool for each slice would wait forever beside a JobSet, which takes any node pool of the group."""
    (item,) = run("raycluster", count=2)
    (group,) = worker_groups(item)
    assert (group["replicas"], group["numOfHosts"]) == (2, 4)
    assert POOL not in group["template"]["spec"]["nodeSelector"]


def test_multi_host_workers_of_v6e_have_further_variables() -> None:
    (item,) = on_train("rayjob", env={"JAX_PLATFORMS": "tpu"})
    (container,) = worker_groups(item)[0]["template"]["spec"]["containers"]
    names = [variable["name"] for variable in container["env"]]
    assert names == ["NODE_IP", "VBAR_CONTROL_SERVICE_URL", "ENABLE_PJRT_COMPATIBILITY", "JAX_PLATFORMS"]
    assert container["env"][-1]["value"] == "tpu"
    assert container["ports"] == [{"containerPort": 8081, "name": "mxla"}]


def test_a_ray_job_runs_the_command_on_the_head() -> None:
    (item,) = on_train("rayjob", command=["python", "-c"], args=["print('a b')"])
    assert item["spec"]["entrypoint"] == "python -c 'print('\"'\"'a b'\"'\"')'"
    head = item["spec"]["rayClusterSpec"]["headGroupSpec"]["template"]["spec"]
    assert "command" not in head["containers"][0]


# Pathways


def test_the_head_of_pathways_is_in_a_cpu_pool_that_is_large_enough() -> None:
    taint = {"key": "heads", "effect": "NO_SCHEDULE"}
    pools = {
        "small": {**HEADS, "machine_type": "n2-standard-8"},
        "large": {**HEADS, "taints": [taint]},
    }
    (jobset,) = on_train("pathways", cluster={"cpu_pools": pools}, count=2, scratch="gs://acme-ml/tmp")
    head = pod_of(jobset, "head")
    assert head["nodeSelector"] == {POOL: "large"}
    assert head["tolerations"] == [{"key": "heads", "operator": "Exists", "effect": "NoSchedule"}]
    assert [item["restartPolicy"] for item in head["initContainers"]] == ["Always", "Always"]
    assert "--gcs_scratch_location=gs://acme-ml/tmp" in head["initContainers"][0]["args"]
    assert "--instance_type=tpuv6e:4x4" in head["initContainers"][1]["args"]
    assert "--instance_count=2" in head["initContainers"][1]["args"]


def test_the_workers_of_pathways_fill_their_slices() -> None:
    (jobset,) = on_train("pathways", count=2)
    (workers,) = (item for item in jobset["spec"]["replicatedJobs"] if item["name"] == "worker")
    assert workers["replicas"] == 2
    assert workers["template"]["metadata"]["annotations"] == {JOBSET_TOPOLOGY: POOL}
    assert job_of(jobset, "worker")["completions"] == 4
    assert "annotations" not in jobset["metadata"]  # the head must not have a slice of its own


def test_the_program_of_pathways_runs_in_the_head() -> None:
    (jobset,) = on_train("pathways", command=["python", "train.py"], env={"JAX_PLATFORMS": "proxy,cpu"})
    (program,) = pod_of(jobset, "head")["containers"]
    assert program["command"] == ["python", "train.py"]
    values = {item["name"]: item.get("value") for item in program["env"]}
    assert values["PATHWAYS_HEAD"] == "w-head-0-0.w"  # the name that JobSet gives the Pod in DNS
    assert values["JAX_PLATFORMS"] == "proxy,cpu"
    assert values["JAX_BACKEND_TARGET"] == "grpc://$(PATHWAYS_HEAD):29000"
    assert jobset["spec"]["successPolicy"] == {"operator": "All", "targetReplicatedJobs": ["head"]}


# Pods


def test_two_containers_share_the_chips_of_a_host_of_tpu7x() -> None:
    group = {"tpu": "tpu7x", "topology": "2x2x1", "zone": "us-central1-c", "count": 1}
    plan = workload_plan(
        {"s": group}, {"w": {"slices": "s", "containers": 2, "cpu": "7", "memory": "3Gi"}}, location="us-central1"
    )
    (job,) = objects_of(plan, "workloads")
    containers = job["spec"]["template"]["spec"]["containers"]
    assert [item["name"] for item in containers] == ["tpu-0", "tpu-1"]
    assert [item["resources"]["requests"] for item in containers] == [
        {"cpu": "3500m", "memory": "1536Mi", TPU: "2"}
    ] * 2


def test_other_machines_have_one_container_with_chips() -> None:
    (jobset,) = on_train("jobset", containers=2)
    (container,) = pod_of(jobset)["containers"]
    assert container["resources"]["limits"] == {TPU: "4"}


def test_requests_of_the_plan_win() -> None:
    (jobset,) = on_train("jobset", cpu=100, memory="400Gi")
    (container,) = pod_of(jobset)["containers"]
    assert container["resources"]["requests"] == {"cpu": "100", "memory": "400Gi", TPU: "4"}


def test_no_cpu_or_memory_limit_is_written() -> None:
    (jobset,) = on_train("jobset")
    assert pod_of(jobset)["containers"][0]["resources"]["limits"] == {TPU: "4"}


def test_pods_have_priority_grace_period_and_service_account() -> None:
    (jobset,) = on_train(
        "jobset",
        cluster={"kubernetes": {"priority_classes": {"high": {"value": 10}}}},
        priority="high",
        grace_period="10m",
        service_account="trainer",
    )
    pod = pod_of(jobset)
    assert (pod["priorityClassName"], pod["terminationGracePeriodSeconds"]) == ("high", 600)
    assert pod["serviceAccountName"] == "trainer"


QUEUED = {"capacity": {"flex_start": {"queued": True, "max_run_duration": "3h"}}, "count": {"max": 1}}


@pytest.mark.parametrize("kind", ["jobset", "leaderworkerset", "raycluster", "rayjob", "pathways"])
def test_the_object_joins_the_queue_and_its_pods_do_not(kind: str) -> None:
    kubernetes = {"queues": {"team": {}}, "priority_classes": {"high": {"value": 10}}}
    (item,) = on_train(kind, QUEUED, cluster={"kubernetes": kubernetes}, queue="team", priority="high")
    labels = item["metadata"]["labels"]
    assert labels["kueue.x-k8s.io/queue-name"] == "team"
    assert labels["kueue.x-k8s.io/priority-class"] == "high"
    assert item["metadata"]["annotations"]["provreq.kueue.x-k8s.io/maxRunDurationSeconds"] == "10800"
    assert "kueue.x-k8s.io" not in str(item["spec"])


def test_volumes_are_mounted_in_every_container() -> None:
    volumes = {
        "scratch": {"mount": "/scratch", "empty_dir": True},
        "weights": {"mount": "/weights", "claim": "weights"},
        "data": {"mount": "/data", "disk": {"type": "hyperdisk-ml", "size_gib": 10, "access": "read_only_many"}},
    }
    (jobset,) = on_train("jobset", volumes=volumes)
    pod = pod_of(jobset)
    assert pod["volumes"] == [
        {"name": "scratch", "emptyDir": {}},
        {"name": "weights", "persistentVolumeClaim": {"claimName": "weights"}},
        {"name": "data", "persistentVolumeClaim": {"claimName": "w-data", "readOnly": True}},
    ]
    assert pod["containers"][0]["volumeMounts"] == [
        {"name": "scratch", "mountPath": "/scratch"},
        {"name": "weights", "mountPath": "/weights"},
        {"name": "data", "mountPath": "/data", "readOnly": True},
    ]


def test_the_claim_of_a_new_disk_is_the_one_that_the_pods_use() -> None:
    disk = {"mount": "/data", "disk": {"type": "hyperdisk-balanced", "size_gib": 10}}
    plan = workload_plan({"train": {**TRAIN, "count": 2}}, {"w": {"slices": "train", "volumes": {"data": disk}}})
    claims = {item["metadata"]["name"] for item in objects_of(plan) if item["kind"] == "PersistentVolumeClaim"}
    (volume,) = pod_of(only(objects_of(plan), "JobSet"))["volumes"]
    assert volume["persistentVolumeClaim"]["claimName"] in claims


# Extended run time


def extended(objects: list[Any]) -> bool:
    return SAFE_TO_EVICT in str(objects)


def test_extended_run_time_is_an_annotation_of_pods_on_autopilot() -> None:
    (jobset,) = on_autopilot("jobset", extended_run=True)
    assert job_of(jobset)["template"]["metadata"]["annotations"] == {SAFE_TO_EVICT: "false"}
    assert "extended-duration" not in str(jobset)


def test_extended_run_time_is_not_the_default() -> None:
    assert not extended(on_autopilot("jobset"))


@pytest.mark.parametrize("group", [{"capacity": "spot"}, {"fallback": ["flex_start"]}])
def test_extended_run_time_excludes_spot_and_compute_classes(group: dict[str, Any]) -> None:
    assert not extended(on_autopilot("jobset", group, extended_run=True))


def test_extended_run_time_excludes_affinity_which_the_webhook_of_ray_adds() -> None:
    assert not extended(on_autopilot("raycluster", extended_run=True))


def test_extended_run_time_exists_only_on_autopilot() -> None:
    assert not extended(on_train("jobset", extended_run=True))


# Slice groups with a ComputeClass


def test_pods_of_a_compute_class_select_nothing_else() -> None:
    (jobset,) = on_train("jobset", {"count": 2, "capacity": {"reservation": "ours"}, "fallback": ["spot"]})
    assert pod_of(jobset)["nodeSelector"] == {"cloud.google.com/compute-class": "tpu-train"}
    assert jobset["metadata"]["annotations"] == {JOBSET_TOPOLOGY: POOL}


# Other Pods


def test_the_example_of_other_pods_is_small_and_tolerates_the_taint() -> None:
    plan = workload_plan(
        {"train": {**TRAIN, "taints": [{"key": "team", "effect": "NO_SCHEDULE"}]}}, {"w": {"slices": "train"}}
    )
    (pod,) = objects_of(plan, "examples")
    assert [item["key"] for item in pod["spec"]["tolerations"]] == [TPU, "team"]
    (container,) = pod["spec"]["containers"]
    assert container["resources"]["requests"].keys() == {"cpu", "memory"}
    assert container["resources"]["limits"].keys() == {"memory"}
    assert "priorityClassName" not in pod["spec"]


def test_autopilot_has_no_example_of_other_pods() -> None:
    plan = workload_plan({"train": {"tpu": "v6e", "topology": "4x4"}}, {"w": {"slices": "train"}}, mode="autopilot")
    del plan["clusters"]["c"]["network"]
    assert objects_of(plan, "examples") == []


def test_pods_choose_among_the_node_pools_of_a_group_that_no_label_tells_from_others() -> None:
    slices = {"a": {**TRAIN, "count": 2}, "b": TRAIN}
    (jobset,) = objects_of(workload_plan(slices, {"w": {"slices": "a", "kind": "jobset"}}), "workloads")
    required = pod_of(jobset)["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
    expression = {"key": POOL, "operator": "In", "values": ["a-0", "a-1"]}
    assert required == {"nodeSelectorTerms": [{"matchExpressions": [expression]}]}


def test_several_slices_are_never_a_job() -> None:
    assert [item["kind"] for item in on_train("job", {"count": 1}, count=2)] == ["JobSet"]


def test_other_generations_need_no_further_variables_for_ray() -> None:
    group = {"tpu": "v5p", "topology": "2x2x2", "zone": "us-east5-a", "count": 1}
    (item,) = objects_of(workload_plan({"s": group}, {"w": {"slices": "s", "kind": "raycluster"}}), "workloads")
    (container,) = worker_groups(item)[0]["template"]["spec"]["containers"]
    assert not {"env", "ports"} & container.keys()
