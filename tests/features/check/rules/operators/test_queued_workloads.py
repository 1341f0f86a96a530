"""Rules about workloads in queues: what they request and what their queue has."""

import re

import pytest
import yaml
from support.manifests import broken, findings_in
from support.workload_plans import TRAIN, checked, workload_plan

from pulumi_gke_tpu.core.text.findings import Finding, Severity
from pulumi_gke_tpu.features.check.rules.operators.examples import changed, head, job_set, pod, queues
from pulumi_gke_tpu.features.check.rules.operators.queued_workloads import head_on_tpu_flavor, quota_below_workload
from pulumi_gke_tpu.features.workloads.manifests import manifests_of
from pulumi_gke_tpu.features.workloads.text import manifest_stream

QUEUED = queues() + "---" + job_set("training")


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


STORAGE = (
    ("[google.com/tpu]", "[google.com/tpu, ephemeral-storage]"),
    ("resources: [{name", "resources: [{name: ephemeral-storage, nominalQuota: 1Ti}, {name"),
)


def test_autopilot_requests_ephemeral_storage_which_a_queue_has_to_cover() -> None:
    """Once for a workload, and only where nothing in the files requests it: then the request itself is reported."""
    (found,) = (one for one in findings_in(QUEUED, mode="autopilot") if one.rule == "TPU754")
    assert (found.severity, found.path[-3:-1]) == (Severity.WARNING, ("metadata", "labels"))
    assert "which Autopilot requests for Pods of JobSet `train`" in found.message
    for text, mode, expected in (
        (QUEUED, "standard", 0),
        (QUEUED, None, 0),
        (changed(QUEUED, *STORAGE), "autopilot", 0),
        (changed(QUEUED, ("requests: {google", "requests: {ephemeral-storage: 1Gi, google")), "autopilot", 1),
    ):
        assert sum(one.rule == "TPU754" for one in findings_in(text, mode=mode)) == expected, (text, mode)


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


TPU = "{key: google.com/tpu, operator: Exists, effect: NoSchedule}"

SAME = {"tpu": "v6e", "topology": "4x4", "zone": "us-east5-b"}

GROUPS = {"spot": {**SAME, "capacity": "spot"}, "paid": SAME}


def own(group: str) -> str:
    return f"{{key: gke-tpu/slice-group, operator: Equal, value: {group}, effect: NoSchedule}}"


def plan(mode: str = "standard", **kubernetes: object) -> str:
    slices = {
        name: {key: value for key, value in group.items() if mode == "standard" or key != "zone"}
        for name, group in GROUPS.items()
    }
    keys = {"mode": mode, "location": "us-east5", "slices": slices}
    keys["kubernetes"] = {"queues": {"team": {}}, **kubernetes}
    return yaml.safe_dump({"version": 1, "project": "acme-ml", "clusters": {"c": keys}}, sort_keys=False)


def jobs(*tolerations: str, selector: str = "", queue: str = "team") -> str:
    """A JobSet of the queue, written by hand."""
    return changed(
        job_set(queue),
        (TPU, ", ".join((TPU, *tolerations))),
        ("gke-tpu-topology: 4x4", f"gke-tpu-topology: 4x4{selector}"),
    )


def written(of: str) -> str:
    """The queues that gke-tpu writes for a plan."""
    (cluster,) = manifests_of(checked(yaml.safe_load(of)))
    return manifest_stream(cluster.manifests)


def reported(text: str, *, of: str | None = None) -> list[Finding]:
    return [item for item in findings_in(text, plan=of) if item.rule == "TPU399"]


SPOT = ', cloud.google.com/gke-spot: "true"'

SOURCES = pytest.mark.parametrize("in_files", [False, True], ids=["queue of the plan", "queue in the files"])


def found(in_files: bool, text: str, mode: str = "standard") -> list[Finding]:
    of = plan(mode)
    return reported(f"{written(of)}---{text}" if in_files else text, of=of)


@SOURCES
@pytest.mark.parametrize("mode", ["standard", "autopilot"])
def test_a_workload_without_the_toleration_is_an_error_with_the_toleration_to_paste(in_files: bool, mode: str) -> None:
    (finding,) = found(in_files, jobs(selector=SPOT), mode)
    assert finding.severity is Severity.ERROR
    assert finding.message.endswith("does not tolerate the taints of the flavor `tpu-spot`")
    assert finding.allowed == ("gke-tpu/slice-group=spot:NoSchedule",)
    tolerations = yaml.safe_load(finding.fix)["tolerations"]
    assert tolerations == [yaml.safe_load(TPU), yaml.safe_load(own("spot"))], "the fix keeps what the Pods tolerate"


@SOURCES
def test_the_toleration_of_the_own_group_is_enough(in_files: bool) -> None:
    assert found(in_files, jobs(own("spot"), selector=SPOT)) == []


@SOURCES
def test_the_toleration_of_another_group_is_not(in_files: bool) -> None:
    (finding,) = found(in_files, jobs(own("paid"), selector=SPOT))
    assert "tpu-spot" in finding.message


@SOURCES
def test_pods_that_several_groups_serve_may_tolerate_any_of_them(in_files: bool) -> None:
    for group in GROUPS:
        assert found(in_files, jobs(own(group))) == []
    (finding,) = found(in_files, jobs())
    assert "`tpu-spot`" in finding.message
    assert finding.message.endswith("the taints of any flavor that serves it: `tpu-spot` or `tpu-paid`")


@SOURCES
@pytest.mark.parametrize(
    "toleration",
    ["{operator: Exists}", "{key: gke-tpu/slice-group, operator: Exists}", '{key: "${KEY}", operator: Exists}'],
)
def test_a_toleration_of_every_value_and_an_open_one_are_enough(in_files: bool, toleration: str) -> None:
    assert found(in_files, jobs(toleration)) == []


@pytest.mark.parametrize("effect", ["NoExecute", "PreferNoSchedule"])
def test_a_toleration_of_another_effect_is_not_enough(effect: str) -> None:
    assert found(True, jobs(own("spot").replace("NoSchedule", effect), selector=SPOT))


def test_workloads_of_other_queues_and_namespaces_are_not_compared() -> None:
    assert reported(jobs(queue="other"), of=plan()) == []
    assert reported(job_set(), of=plan()) == []
    elsewhere = changed(jobs(), ("metadata:\n", "metadata:\n  namespace: research\n"))
    assert reported(elsewhere, of=plan()) == []
    assert reported(elsewhere, of=plan(namespace="research"))


def test_a_group_without_quota_in_the_queue_is_not_meant() -> None:
    of = plan(queues={"team": {"chips": {"paid": 16}}})
    assert reported(jobs(own("paid")), of=of) == []
    assert "`tpu-paid`" in reported(jobs(own("spot")), of=of)[0].message


def test_tolerations_that_the_flavor_adds_count() -> None:
    taints = "nodeTaints: [{key: team, value: a, effect: NoSchedule}]"
    tainted = changed(queues(), ("  nodeLabels", f"  {taints}\n  nodeLabels"))
    text = tainted + "---" + job_set("training")
    assert [item.rule for item in findings_in(text)] == ["TPU399"]
    adding = changed(tainted, ("  nodeLabels", "  tolerations: [{key: team, operator: Exists}]\n  nodeLabels"))
    assert broken(adding + "---" + job_set("training")) == []
    soft = changed(tainted, ("effect: NoSchedule", "effect: PreferNoSchedule"))
    assert broken(soft + "---" + job_set("training")) == []


def test_heads_need_no_toleration() -> None:
    """They get the flavor without taints, also if it is the last one: they do not tolerate the others."""
    workers = pod(10).replace(TPU, f"{TPU}, {own('paid')}")
    ray = (
        "apiVersion: ray.io/v1\nkind: RayCluster\nmetadata: {name: tune, labels: {kueue.x-k8s.io/queue-name: team}}\n"
        f"spec:\n  headGroupSpec:\n    rayStartParams: {{}}\n    template:\n      spec:\n{head(8)}"
        "  workerGroupSpecs:\n    - groupName: tpu\n      replicas: 1\n      minReplicas: 1\n      maxReplicas: 1\n"
        f"      numOfHosts: 4\n      rayStartParams: {{}}\n      template:\n        spec:\n{workers}"
    )
    (cluster,) = manifests_of(checked(yaml.safe_load(plan())))
    documents = [item.object for item in cluster.manifests]
    for item in documents:
        if item["kind"] == "ClusterQueue":
            item["spec"]["resourceGroups"][0]["flavors"].reverse()
    reversed_order = yaml.safe_dump_all(documents, sort_keys=False)
    assert not {"TPU399", "TPU759"} & set(broken(f"{reversed_order}---\n{ray}"))
    assert reported(ray, of=plan()) == []


@pytest.mark.parametrize(("namespace", "expected"), [("ml", 1), ("web", 1), ("other", 0)])
def test_every_namespace_of_a_queue_of_the_plan_leads_to_its_flavors(namespace: str, expected: int) -> None:
    of = plan(queues={"team": {"namespaces": ["ml", "web"]}})
    text = changed(jobs(), ("  name: train\n", f"  name: train\n  namespace: {namespace}\n"))
    assert len(reported(text, of=of)) == expected


def rendered(*changes: tuple[str, str]) -> str:
    """The objects of a plan with queues, of which one flavor has other quotas."""
    plan = workload_plan(
        {"large": TRAIN | {"count": 2}, "small": {**TRAIN, "topology": "2x2", "count": 4}},
        {"run": {"slices": "large", "count": 2, "queue": "team", "kind": "jobset"}},
        kubernetes={"queues": {"team": {}}},
    )
    (cluster,) = manifests_of(checked(plan))
    text = manifest_stream(cluster.manifests)
    for flavor, change in changes:
        head, name, tail = text.partition(f"- name: tpu-{flavor}\n")
        resource, amount = change.split("=")
        tail = re.sub(rf"(name: {resource}\n *nominalQuota: )\S+", rf"\g<1>{amount}", tail, count=1)
        text = head + name + tail
    return text


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ((), ""),
        (
            (("large", "google.com/tpu=16"),),
            "requests 32 chips at once, but a flavor of ClusterQueue `team` has at most 16",
        ),
        ((("large", "google.com/tpu=16"), ("small", "google.com/tpu=64")), "requests 32 chips"),
        (
            (("large", "cpu=100"),),
            "requests `cpu: 1080` at once, but flavor `tpu-large` of ClusterQueue `team` has at most 100",
        ),
        (
            (("large", "memory=1Ti"),),
            "requests `memory: 4320Gi` at once, but flavor `tpu-large` of ClusterQueue `team` has at most 1Ti",
        ),
        ((("small", "cpu=1"), ("small", "memory=1")), ""),
    ],
)
def test_only_flavors_that_the_pods_can_get_count(changes: tuple[tuple[str, str], ...], message: str) -> None:
    """A larger flavor of another group has a taint that they do not tolerate; CPU and memory have quotas too."""
    found = [item.message for item in findings_in(rendered(*changes))]
    assert len(found) == bool(message)
    assert all(message in one for one in found)


def test_a_head_needs_quota_too() -> None:
    text = head_on_tpu_flavor.passing
    assert broken(text) == []
    assert broken(text.replace("{name: cpu, nominalQuota: 64}", "{name: cpu, nominalQuota: 2}")) == ["TPU746"]


TEMPLATE = "          template:\n            "
LEVEL = "kueue.x-k8s.io/podset-required-topology"
TOPOLOGY = """---
apiVersion: kueue.x-k8s.io/v1beta2
kind: Topology
metadata: {name: racks}
spec: {levels: [{nodeLabel: cloud.google.com/gke-nodepool}, {nodeLabel: kubernetes.io/hostname}]}
"""


def annotated(key: str, value: str) -> tuple[str, str]:
    """The change that annotates the Pods of a JobSet."""
    return f"{TEMPLATE}spec:\n", f"{TEMPLATE}metadata: {{annotations: {{{key}: {value}}}}}\n            spec:\n"


@pytest.mark.parametrize(
    ("annotation", "level", "flavor", "files", "expected"),
    [
        (LEVEL, "cloud.google.com/gke-nodepool", "", "", ["TPU392"]),
        (LEVEL, "cloud.google.com/gke-nodepool", "topologyName: racks", TOPOLOGY, []),
        (LEVEL, "cloud.google.com/gce-topology-block", "topologyName: racks", TOPOLOGY, ["TPU392"]),
        (LEVEL, "cloud.google.com/gce-topology-block", "topologyName: '${TOPOLOGY}'", TOPOLOGY, []),
        (LEVEL, "'${LEVEL}'", "", "", []),
        ("kueue.x-k8s.io/podset-preferred-topology", "cloud.google.com/gke-nodepool", "", "", ["TPU392"]),
        ("example.com/podset-required-topology", "cloud.google.com/gke-nodepool", "", "", []),
    ],
)
def test_pods_get_only_flavors_with_the_level_of_a_topology_that_they_name(
    annotation: str, level: str, flavor: str, files: str, expected: list[str]
) -> None:
    annotated = (
        f"          template:\n            metadata: {{annotations: {{{annotation}: {level}}}}}\n            spec:\n"
    )
    text = changed(QUEUED, ("          template:\n            spec:\n", annotated))
    if flavor:
        text = changed(text, ("  nodeLabels: {cloud", f"  {flavor}\n  nodeLabels: {{cloud"))
    assert broken(text + files) == expected


@pytest.mark.parametrize(
    ("key", "value", "expected"),
    [
        ("podset-slice-size", '"3"', ["TPU849"]),
        ("podset-slice-size", '"2"', []),
        ("podset-slice-size", '"${SIZE}"', []),
        ("podset-required-topology", "kubernetes.io/hostname", ["TPU849"]),
        ("podset-preferred-topology", "kubernetes.io/hostname", []),
    ],
)
def test_pods_ask_kueue_for_places_that_exist(key: str, value: str, expected: list[str]) -> None:
    assert broken(changed(job_set("training"), annotated(f"kueue.x-k8s.io/{key}", value))) == expected
