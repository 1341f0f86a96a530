"""Rules about custom resources: what they accept, what they leave open, and their words and fixes."""

import pytest
from support.manifests import broken, findings_in
from support.work import function_calls

from pulumi_gke_tpu.core.text.findings import Finding, Severity
from pulumi_gke_tpu.features.check.manifest_check import ClusterMode
from pulumi_gke_tpu.features.check.rules.operators.examples import changed, compute_class, job_set, queues, ray_cluster
from pulumi_gke_tpu.features.check.rules.operators.leaderworkerset import leader_outside_slice, leaderworkerset_size
from pulumi_gke_tpu.features.check.rules.operators.pathways import pathways_worker
from pulumi_gke_tpu.features.check.rules.operators.queued_provisioning import queued_provisioning
from pulumi_gke_tpu.features.check.rules.operators.queued_workloads import head_on_tpu_flavor, quota_below_workload

ON_POOL = "\n  annotations: {alpha.jobset.sigs.k8s.io/exclusive-topology: cloud.google.com/gke-nodepool}"
GROUPS = """
mode: standard
location: us-east5
slices:
  train: {{tpu: v6e, topology: 4x4, zone: us-east5-b, count: {count}}}
  other: {{tpu: {other}, zone: us-east5-b, count: 3}}
"""
SET = leaderworkerset_size.passing
WITH_LEADER = leader_outside_slice.failing
QUEUED = queues() + "---" + job_set("training")
CLUSTER = "version: 1\nproject: acme-ml\nclusters:\n  train:\n    mode: standard\n    location: us-east5\n"


def only(text: str, rule: str, mode: ClusterMode | None = None, plan: str | None = None) -> Finding:
    """The only finding of a rule."""
    found: list[Finding] = [item for item in findings_in(text, mode=mode, plan=plan) if item.rule == rule]
    assert len(found) == 1
    return found[0]


# JobSets


def test_the_message_names_the_job_and_its_job_set() -> None:
    finding = only(changed(job_set(), ("parallelism: 4", "parallelism: 3")), "TPU760")
    assert finding.message == (
        "Job `slice` of JobSet `train` has `parallelism: 3`, but a v6e slice 4x4 with 4 chips per host has 4 hosts"
    )
    assert finding.fix == "parallelism: 4"


def test_a_plain_job_is_named_alone() -> None:
    text = changed(job_set(), (ON_POOL, "")).replace("jobset.x-k8s.io/v1alpha2", "batch/v1")
    job = "apiVersion: batch/v1\nkind: Job\nmetadata: {name: alone}\nspec:\n" + text.partition("        spec:\n")[2]
    job = job.replace("          parallelism", "  parallelism").replace("\n        ", "\n")
    assert only(job, "TPU762").message == "missing key `completionMode` in Job `alone`: the slice 4x4 has 4 hosts"


def test_a_job_set_without_index_needs_no_completions() -> None:
    text = changed(job_set(), ("completions: 4", "completionMode: NonIndexed"))
    assert broken(text) == ["TPU762"]


@pytest.mark.parametrize(
    "policy", ['"{{ .Values.policy }}"', "{rules: [{action: Ignore, onPodConditions: [{type: $T}]}]}"]
)
def test_an_open_pod_failure_policy_is_unknown(policy: str) -> None:
    before = "podFailurePolicy: {rules: [{action: FailJob, onPodConditions: [{type: DisruptionTarget}]}]}"
    assert broken(changed(job_set(), (before, f"podFailurePolicy: {policy}"))) == []


def test_pods_that_restart_in_place_need_no_restart_of_the_job() -> None:
    before = "podFailurePolicy: {rules: [{action: FailJob, onPodConditions: [{type: DisruptionTarget}]}]}"
    text = changed(
        job_set(), (before, "completionMode: Indexed"), ("Never", "OnFailure"), ("backoffLimit: 0", "backoffLimit: 16")
    )
    assert broken(text) == []


# What holds a slice together


def test_single_hosts_can_have_any_exclusive_topology() -> None:
    text = changed(
        job_set(),
        ("topology: cloud.google.com/gke-nodepool", "topology: kubernetes.io/hostname"),
        ("topology: 4x4", "topology: 2x2"),
        ("parallelism: 4", "parallelism: 1"),
        ("completions: 4", "completions: 1"),
    )
    assert broken(text) == []


@pytest.mark.parametrize(
    ("topology", "mode", "severity"),
    [
        ("kubernetes.io/hostname", "standard", Severity.ERROR),
        ("topology.kubernetes.io/zone", "standard", Severity.WARNING),
        ("cloud.google.com/gke-nodepool", "autopilot", Severity.WARNING),
    ],
)
def test_how_sure_a_wrong_exclusive_topology_is(topology: str, mode: ClusterMode, severity: Severity) -> None:
    text = changed(job_set(), ("topology: cloud.google.com/gke-nodepool", f"topology: {topology}"))
    assert only(text, "TPU763", mode=mode).severity is severity


def test_an_exclusive_topology_of_several_jobs_is_reported_once() -> None:
    text = changed(job_set(), ("topology: cloud.google.com/gke-nodepool", "topology: kubernetes.io/hostname"))
    second = text.partition("  replicatedJobs:\n")[2].replace("name: slice", "name: second")
    assert only(text + second, "TPU763").position is not None


@pytest.mark.parametrize(
    ("count", "other", "expected"),
    [
        (1, "v6e, topology: 2x2", []),
        (1, "v6e, topology: 8x8", []),
        (2, "v6e, topology: 2x2", ["TPU764"]),
        (1, "v6e, topology: 4x4", ["TPU764"]),
    ],
)
def test_one_node_pool_of_the_plan_holds_a_slice_together(count: int, other: str, expected: list[str]) -> None:
    text = changed(job_set(), (ON_POOL, ""))
    plan = (
        CLUSTER
        + "    slices:\n"
        + GROUPS.format(count=count, other=other).partition("slices:\n")[2].replace("\n  ", "\n      ")
    )
    plan = plan.replace("slices:\n  train", "slices:\n      train")
    found = [item for item in findings_in(text, plan=plan) if item.rule == "TPU764"]
    assert [item.rule for item in found] == expected
    assert all(item.severity is Severity.WARNING for item in found)


def test_the_message_counts_the_node_pools_of_the_plan() -> None:
    plan = CLUSTER + "    slices:\n      train: {tpu: v6e, topology: 4x4, zone: us-east5-b, count: 3}\n"
    finding = only(changed(job_set(), (ON_POOL, "")), "TPU764", plan=plan)
    assert finding.message.endswith("; 3 node pools of the plan can serve the slice")
    assert "plan" not in only(changed(job_set(), (ON_POOL, "")), "TPU764").message


@pytest.mark.parametrize(
    "held",
    [
        "cloud.google.com/gke-nodepool: train-0",
        "acme.example/slice: one",
        "'{{ .Values.key }}': x",
    ],
)
def test_another_selector_can_hold_a_slice_together(held: str) -> None:
    text = changed(job_set(), (ON_POOL, ""), ("nodeSelector: {", f"nodeSelector: {{{held}, "))
    assert broken(text) == []


def test_an_affinity_holds_a_slice_together() -> None:
    term = "{topologyKey: cloud.google.com/gke-nodepool, labelSelector: {matchLabels: {slice: a}}}"
    affinity = f"affinity: {{podAffinity: {{requiredDuringSchedulingIgnoredDuringExecution: [{term}]}}}}"
    text = changed(
        job_set(), (ON_POOL, ""), ("restartPolicy: Never", f"restartPolicy: Never\n              {affinity}")
    )
    assert broken(text) == []


# Fields and versions


@pytest.mark.parametrize(
    ("version", "severity"), [("v1beta1", Severity.WARNING), ("v1", Severity.ERROR), ("v1alpha1", Severity.ERROR)]
)
def test_a_deprecated_version_warns_and_an_unknown_one_is_an_error(version: str, severity: Severity) -> None:
    text = changed(
        queues(), ("kueue.x-k8s.io/v1beta2\nkind: LocalQueue", f"kueue.x-k8s.io/{version}\nkind: LocalQueue")
    )
    finding = only(text, "TPU747")
    assert (finding.severity, finding.fix) == (severity, "apiVersion: kueue.x-k8s.io/v1beta2")


def test_a_deprecated_version_is_one_warning_per_file_and_version() -> None:
    text = queues().replace("v1beta2", "v1beta1")
    assert text.count("v1beta1") == 3
    finding = only(text, "TPU747")
    assert finding.message == (
        "Kueue has deprecated version v1beta1 of ResourceFlavor; this file has 2 more objects of this version"
    )
    assert finding.position is not None
    assert finding.position.line == text.splitlines().index("apiVersion: kueue.x-k8s.io/v1beta1") + 1


def test_kinds_of_other_groups_have_other_versions_and_fields() -> None:
    assert broken("apiVersion: example.com/v7\nkind: JobSet\nmetadata: {name: a}\nspec: {anything: 1}") == []


@pytest.mark.parametrize(("field", "fix"), [("cohort: research", "cohortName:"), ("admissionChecks: [queued]", "")])
def test_a_former_field_is_renamed_if_its_form_is_the_same(field: str, fix: str) -> None:
    assert only(changed(queues(), ("  namespaceS", f"  {field}\n  namespaceS")), "TPU748").fix == fix


@pytest.mark.parametrize(
    ("field", "severity", "fix"),
    [("maxRestart: 1", Severity.ERROR, "maxRestarts:"), ("shade: 1", Severity.WARNING, "")],
)
def test_a_field_without_a_similar_name_warns(field: str, severity: Severity, fix: str) -> None:
    finding = only(changed(job_set(), ("{maxRestarts: 3}", f"{{{field}}}")), "TPU768")
    assert (finding.severity, finding.fix) == (severity, fix)


def test_a_field_named_like_a_former_one_of_another_kind_is_unknown() -> None:
    assert broken(changed(job_set(), ("  failurePolicy", "  cohort: a\n  failurePolicy"))) == ["TPU768"]


# LeaderWorkerSets


def test_a_missing_size_is_one() -> None:
    finding = only(changed(SET, ("    size: 4\n", "")), "TPU769")
    assert finding.message == "LeaderWorkerSet `serve` has groups of 1 Pod, but a slice 4x4 has 4 hosts"
    assert finding.fix == "size: 4"


def test_a_leader_with_open_chips_leaves_the_size_unknown() -> None:
    assert "TPU769" not in broken(
        changed(
            WITH_LEADER,
            ("requests: {cpu: 4, memory: 16Gi}", 'limits: {google.com/tpu: "${CHIPS}"}'),
            ("size: 5", "size: 4"),
        )
    )


@pytest.mark.parametrize(("size", "expected"), [(5, []), (4, ["TPU769"]), (6, ["TPU769"])])
def test_a_leader_without_chips_is_one_pod_more(size: int, expected: list[str]) -> None:
    text = changed(
        WITH_LEADER,
        ("  annotations: {leaderworkerset.sigs.k8s.io/exclusive-topology: cloud.google.com/gke-nodepool}\n", ""),
        ("nodeSelector: {", "nodeSelector: {cloud.google.com/gke-nodepool: chat-0, "),
        ("size: 5", f"size: {size}"),
        ("replicas: 2", "replicas: 1"),
    )
    assert broken(text) == expected


@pytest.mark.parametrize(
    ("policy", "severity"), [("None", Severity.WARNING), ("Default", Severity.WARNING), ("Never", Severity.ERROR)]
)
def test_how_sure_a_wrong_restart_policy_is(policy: str, severity: Severity) -> None:
    finding = only(changed(SET, ("size: 4", f"size: 4\n    restartPolicy: {policy}")), "TPU771")
    assert (finding.severity, finding.fix) == (severity, "restartPolicy: RecreateGroupOnPodRestart")
    assert ("deprecated" in finding.message) is (policy == "Default")


def test_single_hosts_can_restart_one_by_one() -> None:
    text = changed(SET, ("size: 4", "size: 1\n    restartPolicy: None"), ("topology: 4x4", "topology: 2x2"))
    assert broken(text) == []


# Ray


def ray_groups(number: int, queue: str = "team") -> str:
    text = ray_cluster(queue)
    before, marker, group = text.partition("    - groupName: tpu")
    return before + "".join(marker + str(index) + group for index in range(number))


@pytest.mark.parametrize(
    ("groups", "severity"), [(7, None), (8, Severity.WARNING), (17, Severity.WARNING), (18, Severity.ERROR)]
)
def test_older_releases_of_kueue_take_fewer_ray_groups(groups: int, severity: Severity | None) -> None:
    found = [item for item in findings_in(ray_groups(groups)) if item.rule == "TPU774"]
    assert [item.severity for item in found] == ([] if severity is None else [severity])


def test_ray_groups_without_a_queue_are_not_limited() -> None:
    assert broken(ray_groups(18, "")) == []


def test_an_elastic_ray_cluster_can_autoscale_in_a_queue() -> None:
    text = changed(
        ray_cluster("team"),
        ("metadata: {", 'metadata: {annotations: {kueue.x-k8s.io/elastic-job: "true"}, '),
        ("spec:\n  headGroupSpec", "spec:\n  enableInTreeAutoscaling: true\n  headGroupSpec"),
    )
    assert broken(text) == []


def test_a_missing_minimum_of_ray_replicas_is_zero() -> None:
    assert (
        broken(
            changed(
                ray_cluster(),
                ("      minReplicas: 0\n", ""),
                ("replicas: 1", "replicas: 0"),
                ("maxReplicas: 2", "maxReplicas: 0"),
            )
        )
        == []
    )


def test_a_ray_job_of_another_group_is_not_one_of_ray() -> None:
    group = "{minReplicas: 3, maxReplicas: 1}"
    text = f"spec: {{rayClusterSpec: {{workerGroupSpecs: [{group}]}}}}"
    text = f"apiVersion: example.com/v1\nkind: RayJob\nmetadata: {{name: a}}\n{text}"
    assert broken(text) == []


# Pathways


def test_an_unlike_machine_type_has_no_fix() -> None:
    finding = only(changed(pathways_worker.passing, ("ct6e-standard-4t", "zzz")), "TPU778")
    assert (finding.message, finding.fix) == ("unknown machine type `zzz`", "")


@pytest.mark.parametrize(
    ("machine", "expected"), [("n2-standard-48", ["TPU779"]), ("n2-standard-64", []), ("n2-standard-2", ["TPU779"])]
)
def test_the_system_pool_can_have_room_for_the_head(machine: str, expected: list[str]) -> None:
    slices = "    slices:\n      train: {tpu: v6e, topology: 4x4, zone: us-east5-b, count: 2}\n"
    plan = CLUSTER + f"    system_pool: {{machine_type: {machine}}}\n" + slices
    found = [item.rule for item in findings_in(pathways_worker.passing, plan=plan) if item.rule == "TPU779"]
    assert found == expected


def test_one_slice_is_enough_for_pathways() -> None:
    assert broken(changed(pathways_worker.passing, ("numSlices: 2", "numSlices: 1"))) == []


# ComputeClasses


def test_active_migration_is_reported_for_slices_of_two_hosts_and_not_for_single_hosts() -> None:
    migration = compute_class(spec="activeMigration: {optimizeRulePriority: true}")
    assert broken(migration.replace("topology: 4x4", "topology: 2x4")) == ["TPU785"]
    assert broken(migration.replace("topology: 4x4", "topology: 2x2")) == []


def test_priorities_with_scores_have_no_order() -> None:
    assert broken(compute_class("spot: true\npriorityScore: 10", "priorityScore: 10")) == []


def test_a_specific_reservation_must_be_named_unless_a_template_does() -> None:
    assert broken(compute_class("reservations: {affinity: Specific}")) == ["TPU783"]
    assert broken(compute_class("reservations: {affinity: Specific, specific: '{{ .Values.reservations }}'}")) == []
    assert broken(compute_class("reservations: {specific: [{name: a}]}")) == ["TPU783"]
    assert broken(compute_class("reservations: {affinity: None}")) == []


def test_machine_types_and_families_exclude_each_other_without_tpus_too() -> None:
    text = compute_class().replace(
        "tpu: {type: tpu-v6e-slice, count: 4, topology: 4x4}", "machineType: n2-standard-4\n      machineFamily: n2"
    )
    finding = only(text, "TPU788")
    assert finding.severity is Severity.ERROR
    assert finding.message == "`machineFamily` conflicts with `machineType`"


@pytest.mark.parametrize(
    ("field", "expected"),
    [
        ("machineType: ct6e-standard-4t", []),
        ("machineType: ct6e-standard-1t", ["TPU788"]),
        ("machineFamily: ct6e", []),
        ("machineFamily: n2", ["TPU788"]),
        ("gpu: {type: nvidia-l4, count: 1}", ["TPU788"]),
        ("machineType: '{{ .Values.machine }}'", []),
    ],
)
def test_hardware_that_contradicts_the_tpus_warns(field: str, expected: list[str]) -> None:
    found = findings_in(compute_class(field))
    assert [item.rule for item in found] == expected
    assert all(item.severity is Severity.WARNING for item in found)


@pytest.mark.parametrize(
    ("written", "severity"),
    [
        ("", Severity.NOTE),
        ("whenUnsatisfiable: ScaleUpAnyway", Severity.WARNING),
        ("whenUnsatisfiable: Never", Severity.ERROR),
    ],
)
def test_how_sure_a_wrong_value_for_unavailable_capacity_is(written: str, severity: Severity) -> None:
    finding = only(changed(compute_class(), ("whenUnsatisfiable: DoNotScaleUp", written or "description: a")), "TPU784")
    assert (finding.severity, finding.fix) == (severity, "whenUnsatisfiable: DoNotScaleUp")


def test_open_tpus_of_a_class_are_unknown() -> None:
    assert (
        broken(compute_class().replace("topology: 4x4", "topology: '${TOPOLOGY}'").replace("count: 4", "count: 7"))
        == []
    )


@pytest.mark.parametrize(("topology", "fix", "allowed"), [("4x4", "4", ("4",)), ("2x4", "", ("8", "4"))])
def test_chips_that_no_host_has(topology: str, fix: str, allowed: tuple[str, ...]) -> None:
    finding = only(compute_class().replace("count: 4, topology: 4x4", f"count: 2, topology: {topology}"), "TPU781")
    assert (finding.fix, finding.allowed) == (fix, allowed)


def test_an_unlike_accelerator_of_a_class_has_no_fix() -> None:
    finding = only(compute_class().replace("tpu-v6e-slice", "gpu"), "TPU781")
    assert (finding.message, finding.fix) == ("unknown accelerator `gpu`", "")


def versions(version: str, more: str = "", spec: str = "", priority: str = "") -> list[tuple[str, Severity]]:
    slices = "    slices:\n      other: {tpu: v5p, topology: 2x2x1, zone: us-east5-a}\n"
    plan = CLUSTER + f'    min_version: "{version}"\n{more}' + slices
    text = compute_class(priority, spec=spec)
    return [
        (item.message.partition(" requires ")[0], item.severity)
        for item in findings_in(text, plan=plan)
        if item.rule == "TPU786"
    ]


@pytest.mark.parametrize(
    ("version", "spec", "expected"),
    [
        ("1.34.1-gke.3084001", "", []),
        ("1.31.5-gke.1000000", "", [("automatic creation of v6e node pools", Severity.ERROR)]),
        ("1.32.4-gke.1000000", "", [("`nodePoolAutoCreation`", Severity.WARNING)]),
        ("1.34.1-gke.3084001", "nodePoolConfig: {taints: []}", [("`nodePoolConfig.taints`", Severity.ERROR)]),
        ("1.34", "nodePoolConfig: {taints: []}", []),
        ("1.34.1-gke.3084001", "nodePoolGroup: {name: a}", []),
    ],
)
def test_what_an_old_cluster_lacks(version: str, spec: str, expected: list[tuple[str, Severity]]) -> None:
    assert versions(version, spec=spec) == expected


def test_fields_of_priorities_have_versions_of_their_own() -> None:
    assert versions("1.33.3-gke.1000000", priority="taints: []") == [("`priorities.taints`", Severity.ERROR)]
    assert versions("1.33.4-gke.1350000", priority="taints: []") == []


def test_auto_provisioning_of_the_cluster_creates_node_pools_for_a_class() -> None:
    limits = "    autoprovisioning: {cpu: 1000, memory_gib: 4000, tpu: {v6e: 64}}\n"
    assert versions("1.32.4-gke.1000000") == [("`nodePoolAutoCreation`", Severity.WARNING)]
    assert versions("1.32.4-gke.1000000", limits) == []


# Queues


def test_open_resources_of_a_queue_are_unknown() -> None:
    assert broken(changed(queues(), ("[google.com/tpu]", "['{{ .Values.resource }}', cpu]"))) == []


def test_resources_in_another_order_are_reported_as_such() -> None:
    two = ("resources: [{name", "resources: [{name: cpu, nominalQuota: 8}, {name")
    wrong = only(changed(queues(), ("[google.com/tpu]", "[google.com/tpu, cpu]"), two), "TPU749")
    assert wrong.message == "flavor `v6e` has the resources of `coveredResources` in another order"
    missing = only(changed(queues(), ("[google.com/tpu]", "[google.com/tpu, cpu]")), "TPU749")
    assert missing.message == "`coveredResources` are `google.com/tpu` and `cpu`, but flavor `v6e` has `google.com/tpu`"


@pytest.mark.parametrize(("limit", "expected"), [(32, []), (33, ["TPU753"])])
def test_a_queue_lends_at_most_its_quota(limit: int, expected: list[str]) -> None:
    text = changed(queues(), ("  namespaceS", "  cohortName: a\n  namespaceS"), ("32}", f"32, lendingLimit: {limit}}}"))
    assert broken(text) == expected


@pytest.mark.parametrize(("chips", "expected"), [("'4'", []), ("'8'", ["TPU752"]), ("'${CHIPS}'", [])])
def test_a_flavor_can_select_the_chips_of_a_host(chips: str, expected: list[str]) -> None:
    label = f"topology: 4x4, cloud.google.com/gke-accelerator-count: {chips}"
    assert [rule for rule in broken(changed(queues(), ("topology: 4x4", label))) if rule != "TPU755"] == expected


def test_an_empty_namespace_selector_is_reported_at_its_key() -> None:
    finding = only(changed(queues(), ("namespaceSelector: {}", "namespaceSelector:")), "TPU750")
    assert finding.path == ("spec", "namespaceSelector")


@pytest.mark.parametrize(("labels", "expected"), [(8, []), (9, ["TPU752"])])
def test_a_flavor_has_at_most_eight_labels(labels: int, expected: list[str]) -> None:
    names = ", ".join(f"label-{index}: x" for index in range(labels))
    flavor = "apiVersion: kueue.x-k8s.io/v1beta2\nkind: ResourceFlavor\nmetadata: {name: a}\n"
    assert broken(flavor + f"spec: {{nodeLabels: {{{names}}}}}") == expected


def test_parameters_of_other_admission_checks_are_unknown() -> None:
    text = (
        queued_provisioning.passing
        + "\n---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: AdmissionCheck\nmetadata: {name: a}\n"
        + "spec: {controllerName: kueue.x-k8s.io/multikueue, parameters: {apiGroup: kueue.x-k8s.io, "
        "kind: MultiKueueConfig, name: remote}}\n"
    )
    assert broken(text) == []


@pytest.mark.parametrize(
    ("namespaces", "expected"),
    [
        (("", ""), ["TPU746"]),
        (("a", ""), ["TPU746"]),
        (("", "a"), ["TPU746"]),
        (("a", "a"), ["TPU746"]),
        (("a", "b"), []),
    ],
)
def test_the_queue_of_a_workload_is_in_its_namespace(namespaces: tuple[str, str], expected: list[str]) -> None:
    local, own = (f"\n  namespace: {name}" if name else "" for name in namespaces)
    text = changed(
        quota_below_workload.failing,
        ("kind: LocalQueue\nmetadata: {name: training}", f"kind: LocalQueue\nmetadata:\n  name: training{local}"),
        ("metadata:\n  name: train\n", f"metadata:\n  name: train{own}\n"),
    )
    assert [rule for rule in broken(text) if rule == "TPU746"] == expected


@pytest.mark.parametrize(
    ("cohort", "limit", "expected"),
    [("", "", ["TPU746"]), ("a", "", []), ("a", ", borrowingLimit: 16", []), ("a", ", borrowingLimit: 8", ["TPU746"])],
)
def test_a_queue_in_a_cohort_can_borrow(cohort: str, limit: str, expected: list[str]) -> None:
    text = changed(quota_below_workload.failing, ("nominalQuota: 32", f"nominalQuota: 32{limit}"))
    if cohort:
        text = changed(text, ("  namespaceS", f"  cohortName: {cohort}\n  namespaceS"))
    assert broken(text) == expected


def test_workloads_of_unknown_size_and_open_resources_of_queues_are_unknown() -> None:
    assert broken(changed(QUEUED, ("parallelism: 4", "parallelism: '${HOSTS}'"))) == []
    assert broken(changed(QUEUED, ("[google.com/tpu]", "['${RESOURCE}']"))) == []


def test_the_requests_of_init_containers_count() -> None:
    init = "initContainers: [{name: fetch, image: fetch, resources: {requests: {cpu: 1}}}]"
    text = changed(QUEUED, ("restartPolicy: Never", f"restartPolicy: Never\n              {init}"))
    assert broken(text) == ["TPU754"]


@pytest.mark.parametrize("defined", [True, False])
def test_the_work_grows_with_the_number_of_queues_and_workloads(defined: bool) -> None:
    def calls(number: int) -> int:
        texts = []
        for index in range(number):
            text = QUEUED.replace("training", f"queue-{index}").replace("{name: v6e}", f"{{name: v6e-{index}}}")
            texts.append(text.replace("- name: v6e\n", f"- name: v6e-{index}\n") if defined else text)
        assert ("TPU751" in broken(texts[0])) is not defined
        return function_calls(lambda: findings_in("---".join(texts)))

    calls(1)  # loads rules and facts
    assert calls(160) < 2.3 * calls(80)


def test_a_request_of_zero_needs_no_quota() -> None:
    assert broken(changed(QUEUED, ("requests: {google.com/tpu: 4}", "requests: {google.com/tpu: 4, cpu: 0}"))) == []


def test_a_workload_without_chips_can_use_any_flavor() -> None:
    text = changed(
        head_on_tpu_flavor.failing,
        ("{requests: {google.com/tpu: 4}, limits: {google.com/tpu: 4}}", "{requests: {cpu: 1}}"),
    )
    assert "TPU759" not in broken(text)


def test_a_flavor_without_quota_for_the_head_does_not_serve_it() -> None:
    text = changed(
        head_on_tpu_flavor.passing,
        ("            - {name: cpu, nominalQuota: 64}", "            - {name: cpu, nominalQuota: 0}"),
        ("            - {name: memory, nominalQuota: 1Ti}", "            - {name: memory, nominalQuota: 0}"),
    )
    assert broken(text) == ["TPU759"]


@pytest.mark.parametrize(
    ("name", "severity", "message"),
    [
        ("check-capacity.autoscaling.x-k8s.io", Severity.WARNING, "creates no queued slices"),
        ("dws", Severity.ERROR, "unknown provisioning class `dws`"),
        ('""', Severity.ERROR, "unknown provisioning class"),
    ],
)
def test_other_provisioning_classes(name: str, severity: Severity, message: str) -> None:
    finding = only(changed(queued_provisioning.passing, ("queued-provisioning.gke.io", name)), "TPU789")
    assert finding.severity is severity
    assert message in finding.message


@pytest.mark.parametrize(
    ("seconds", "expected"), [("604800", []), ("604801", ["TPU789"]), ("9" * 400, ["TPU789"]), ("-1", ["TPU789"])]
)
def test_a_run_lasts_at_most_seven_days(seconds: str, expected: list[str]) -> None:
    annotation = f'provreq.kueue.x-k8s.io/maxRunDurationSeconds: "{seconds}", '
    assert broken(changed(job_set(), ("annotations: {", "annotations: {" + annotation))) == expected


PROVISIONED = """---
apiVersion: kueue.x-k8s.io/v1beta2
kind: AdmissionCheck
metadata: {name: queued}
spec: {controllerName: CONTROLLER}
"""


@pytest.mark.parametrize(
    ("controller", "number"), [("kueue.x-k8s.io/provisioning-request", 1), ("kueue.x-k8s.io/multikueue", 0)]
)
def test_gke_provisions_one_set_of_pods(controller: str, number: int) -> None:
    second = job_set().partition("  replicatedJobs:\n")[2].replace("name: slice", "name: second")
    checks = "  admissionChecksStrategy: {admissionChecks: [{name: queued}]}\n  namespaceS"
    text = changed(QUEUED, ("  namespaceS", checks)) + second + PROVISIONED.replace("CONTROLLER", controller)
    found = [item for item in findings_in(text) if item.rule == "TPU789"]
    assert len(found) == number
    assert all("2 sets of Pods" in item.message for item in found)


# Names


@pytest.mark.parametrize(("length", "expected"), [(47, []), (48, ["TPU798"])])
def test_the_pods_of_a_job_set_have_names_of_63_characters_at_most(length: int, expected: list[str]) -> None:
    """The name of the last Pod ends with ``-slice-0-3-abcde``, which has 16 characters."""
    text = changed(job_set(), ("name: train\n  ann", f"name: {'a' * length}\n  ann"))
    assert broken(text) == expected


@pytest.mark.parametrize(("length", "subdomain", "expected"), [(26, "", []), (27, "", ["TPU798"]), (40, "hosts", [])])
def test_the_label_of_a_coordinator_has_63_characters_at_most(length: int, subdomain: str, expected: list[str]) -> None:
    network = f"  network: {{subdomain: {subdomain}}}\n" if subdomain else ""
    text = changed(
        job_set(),
        ("name: train\n  ann", f"name: {'a' * length}\n  ann"),
        ("  failurePolicy", f"{network}  coordinator: {{replicatedJob: slice}}\n  failurePolicy"),
    )
    assert broken(text) == expected


@pytest.mark.parametrize(("length", "expected"), [(53, []), (54, ["TPU798"])])
def test_the_name_of_a_ray_cluster_has_53_characters_at_most(length: int, expected: list[str]) -> None:
    assert broken(changed(ray_cluster(), ("name: tune", f"name: {'a' * length}"))) == expected


MINIMAL = """
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: sample}
spec:
  namespaceSelector: {}
  admissionChecksStrategy: {admissionChecks: [{name: sample, onFlavors: [default-flavor]}]}
"""
CLASS = """
apiVersion: kueue.x-k8s.io/v1beta2
kind: ProvisioningRequestConfig
metadata: {name: sample}
spec: {provisioningClassName: test-class}
"""


def test_a_queue_without_flavors_is_a_part_of_a_queue() -> None:
    assert findings_in(MINIMAL) == ()


@pytest.mark.parametrize(("managed", "severity"), [("", Severity.WARNING), ("[google.com/tpu]", Severity.ERROR)])
def test_a_provisioning_class_is_an_error_only_for_chips(managed: str, severity: Severity) -> None:
    text = CLASS.replace("test-class", f"test-class, managedResources: {managed}") if managed else CLASS
    (finding,) = findings_in(text)
    assert (finding.rule, finding.severity) == ("TPU789", severity)
