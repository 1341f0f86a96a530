"""Kubernetes objects beside node pools: what the plan of a cluster renders equally, and what is left alone."""

import copy
import functools
import re
from typing import Any

import pytest
import yaml
from support.adopted_objects import (
    Object,
    found_for,
    name_of,
    plans_with_objects,
    rendered,
    with_objects,
    without_objects,
)
from support.each import each
from support.workload_plans import TRAIN, every_option, workload_plan

from pulumi_gke_tpu.features.adopt.objects.comparison import _pull_policy
from pulumi_gke_tpu.features.adopt.objects.search import ClusterObjectsFound, _with_namespace
from pulumi_gke_tpu.features.adopt.objects.templates import _probe

LEFT = {
    "AdmissionCheck": "MultiKueue",
    "CheckpointConfiguration": "no keys",
    "ClusterQueue": "MultiKueue",
    "ComputeClass": "no chips",
    "GCPBackendPolicy": "no keys",
    "Gateway": "no keys",
    "HTTPRoute": "no keys",
    "HealthCheckPolicy": "no keys",
    "HorizontalPodAutoscaler": "beside a workload that is left",
    "JobSet": "Pathways, checkpoints, and file systems of Parallelstore",
    "LeaderWorkerSet": "additions to the template of a leader",
    "LocalQueue": "MultiKueue",
    "MultiKueueCluster": "MultiKueue",
    "MultiKueueConfig": "MultiKueue",
    "PersistentVolume": "no keys",
    "PersistentVolumeClaim": "no keys: workloads name them as `claim`",
    "PodDisruptionBudget": "beside a workload that is left",
    "RayCluster": "no keys",
    "RayJob": "no keys",
    "RayService": "no keys",
    "ResourceFlavor": "MultiKueue",
    "Service": "beside a workload that is left",
    "ServiceAccount": "no workload uses it, or one that is left",
    "StorageClass": "no keys",
    "WorkloadPriorityClass": "MultiKueue",
}
"""The kinds of which objects of the corpora are left alone, and why."""
WRITTEN_DEFAULTS = {"periodSeconds: 10", "terminationGracePeriodSeconds: 30"}
"""What a plan of the corpora states although Kubernetes has it of itself."""


def texts(value: Any) -> list[str]:
    """Every field of an object, as a text; without what plans state although it is a default."""
    if isinstance(value, dict):
        every = [key if isinstance(one, dict | list) else f"{key}: {one}" for key, one in value.items()]
        return [text for text in every if text not in WRITTEN_DEFAULTS] + [
            text for inner in value.values() for text in texts(inner)
        ]
    if isinstance(value, list):
        return [text for inner in value for text in (*texts(inner), *([] if isinstance(inner, dict) else [str(inner)]))]
    return []


def reasons(found: ClusterObjectsFound) -> dict[str, str]:
    return {name_of(item.object.data): item.reason for item in found.alone}


@functools.cache
def searched() -> list[tuple[Any, str, list[Object], ClusterObjectsFound]]:
    """Each plan with objects, the key of the cluster, its objects, and what adoption finds for them."""
    every = ((plan, key, rendered(plan, key)) for _, plan, key in plans_with_objects())
    return [(plan, key, objects, found_for(plan, key, objects)) for plan, key, objects in every]


@each("plan,key,objects,found", searched, lambda case: case[1])
def test_the_plan_renders_what_is_adopted_and_the_rest_is_listed(
    plan: Any, key: str, objects: list[Object], found: ClusterObjectsFound
) -> None:
    before = {name_of(item): item for item in objects}
    after = {name_of(item): item for item in rendered(with_objects(plan, key, found.keys), key)}
    assert after.keys() <= before.keys()
    assert {name_of(item.object.data) for item in found.adopted} == set(after)
    for one, item in after.items():
        assert texts(item) == texts(before[one]), one
    assert reasons(found).keys() == before.keys() - after.keys()
    assert all(reasons(found).values())


def test_the_kinds_that_are_left_alone_are_those_of_the_list() -> None:
    left: set[str] = set()
    objects = alone = 0
    for plan, key, before, found in searched():
        left |= {item.object.kind for item in found.alone}
        objects, alone = objects + len(before), alone + len(found.alone)
        if "multikueue" not in plan["clusters"][key]["kubernetes"]:
            kinds = {item.object.kind for item in found.alone}
            assert kinds.isdisjoint(kind for kind, why in LEFT.items() if why == "MultiKueue")
    assert left == set(LEFT)
    assert objects >= 600
    assert alone <= objects * 0.35


# xpk


XPK = """
apiVersion: v1
kind: List
items:
  - {apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: very-low, uid: a}, value: 100,
     globalDefault: false, preemptionPolicy: PreemptLowerPriority, description: Very Low}
  - {apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: very-high, uid: b}, value: 1000,
     globalDefault: false, preemptionPolicy: PreemptLowerPriority, description: Very High}
  - {apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: system-cluster-critical},
     value: 2000000000}
  - apiVersion: kueue.x-k8s.io/v1beta2
    kind: ResourceFlavor
    metadata: {name: 1xv6e-16, finalizers: [kueue.x-k8s.io/resource-in-use]}
    spec: {nodeLabels: {cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice, cloud.google.com/gke-tpu-topology: 4x4}}
  - apiVersion: kueue.x-k8s.io/v1beta2
    kind: ClusterQueue
    metadata: {name: cluster-queue}
    spec:
      namespaceSelector: {}
      preemption: {reclaimWithinCohort: Never, withinClusterQueue: LowerPriority}
      queueingStrategy: BestEffortFIFO
      resourceGroups:
        - coveredResources: [google.com/tpu]
          flavors: [{name: 1xv6e-16, resources: [{name: google.com/tpu, nominalQuota: "32"}]}]
  - apiVersion: kueue.x-k8s.io/v1beta2
    kind: LocalQueue
    metadata: {name: multislice-queue, namespace: default}
    spec: {clusterQueue: cluster-queue, stopPolicy: None}
  - {apiVersion: v1, kind: ConfigMap, metadata: {name: xpk-resources-configmap, namespace: default}, data: {a: b}}
"""
SLICES = {"train": {**TRAIN, "count": 2}}


def test_priority_classes_of_xpk_are_adopted_and_its_queue_is_left_alone() -> None:

    objects = yaml.safe_load(XPK)["items"]
    plan = workload_plan(SLICES, {})
    found = found_for(plan, "c", objects)
    assert found.keys == {
        "priority_classes": {
            "very-low": {"value": 100, "description": "Very Low"},
            "very-high": {"value": 1000, "description": "Very High"},
        }
    }
    assert reasons(found) == {
        "ResourceFlavor /1xv6e-16": "no adopted item of the plan renders it",
        "ClusterQueue /cluster-queue": "no slice group of the plan has its flavor `1xv6e-16`",
        "LocalQueue default/multislice-queue": "no adopted item of the plan renders it",
    }
    assert found.others == {"PriorityClass": 1, "ConfigMap": 1}


# Single objects


def one_workload(**keys: Any) -> tuple[Any, list[Object]]:
    plan = workload_plan(SLICES, {"run": {"slices": "train", "kind": "jobset", "count": 2, **keys}})
    return plan, rendered(plan, "c")


def test_a_workload_without_texts_is_adopted_with_the_shortest_keys() -> None:
    plan, objects = one_workload()
    keys = {"slices": "train", "image": "us-docker.pkg.dev/acme-ml/train/image:1", "kind": "jobset", "count": 2}
    assert found_for(plan, "c", objects, commands=False).keys == {"workloads": {"run": keys}}


SECRET = "hunter2-is-a-secret"


@pytest.mark.parametrize(
    "keys",
    [
        {"command": ["run", f"--token={SECRET}"]},
        {"args": [SECRET]},
        {"env": {"TOKEN": SECRET}},
        {"init_containers": [{"name": "first", "image": "a", "command": [SECRET]}]},
        {"sidecars": [{"name": "beside", "image": "a", "env": {"TOKEN": SECRET}}]},
    ],
    ids=["command", "args", "env", "init container", "sidecar"],
)
def test_what_can_hold_a_secret_is_adopted_only_on_request(keys: dict[str, Any]) -> None:
    plan, objects = one_workload(**keys)
    found = found_for(plan, "c", objects, commands=False)
    assert found.keys == {}
    assert "--with-commands" in reasons(found)["JobSet default/run"]
    assert SECRET not in repr(found.keys) + repr(reasons(found))
    asked = found_for(plan, "c", objects, commands=True)
    assert SECRET in repr(asked.keys)


def test_variables_from_secrets_are_references_and_adopted() -> None:
    plan, objects = one_workload(env_from_secrets={"TOKEN": {"secret": "hub", "key": "token"}})
    found = found_for(plan, "c", objects, commands=False)
    assert found.keys["workloads"]["run"]["env_from_secrets"] == {"TOKEN": {"secret": "hub", "key": "token"}}


@pytest.mark.parametrize(
    "place", ["annotations", "volumes", "lifecycle"], ids=["annotation", "volume", "hook of a container"]
)
def test_texts_of_unknown_fields_get_into_no_output(place: str) -> None:
    plan, objects = one_workload()
    pod = objects[0]["spec"]["replicatedJobs"][0]["template"]["spec"]["template"]
    if place == "annotations":
        pod["metadata"] = {"annotations": {"note": SECRET}}
    elif place == "volumes":
        pod["spec"]["volumes"] = [{"name": "v", "csi": {"driver": "x", "volumeAttributes": {"password": SECRET}}}]
    else:
        pod["spec"]["containers"][0]["lifecycle"] = {"preStop": {"exec": {"command": [SECRET]}}}
    found = found_for(plan, "c", objects)
    assert found.keys == {}
    assert place in reasons(found)["JobSet default/run"]
    assert SECRET not in repr(reasons(found))


def test_fields_of_pods_without_a_key_are_additions_to_the_template() -> None:
    plan, objects = one_workload()
    pod = objects[0]["spec"]["replicatedJobs"][0]["template"]["spec"]["template"]["spec"]
    pod |= {"hostNetwork": True, "dnsPolicy": "ClusterFirstWithHostNet"}
    pod["containers"][0]["securityContext"] = {"privileged": True}
    found = found_for(plan, "c", objects)
    assert found.keys["workloads"]["run"]["pod_template"] == {
        "spec": {
            "hostNetwork": True,
            "dnsPolicy": "ClusterFirstWithHostNet",
            "containers": [{"name": "tpu", "securityContext": {"privileged": True}}],
        }
    }
    (after,) = rendered(with_objects(plan, "c", found.keys), "c")
    assert after["spec"] == objects[0]["spec"]


def test_a_service_account_is_adopted_with_the_workload_that_uses_it() -> None:
    more = {"service_accounts": {"runner": {"google": "runner@acme-ml.iam.gserviceaccount.com"}}}
    plan = workload_plan(SLICES, {"run": {"slices": "train", "count": 2, "service_account": "runner"}}, kubernetes=more)
    found = found_for(plan, "c", rendered(plan, "c"))
    assert found.keys["service_accounts"] == more["service_accounts"]
    assert reasons(found) == {}


def test_a_class_that_kueue_lacks_is_left_alone_where_the_plan_has_queues() -> None:
    """The plan would create its WorkloadPriorityClass."""
    classes = {"priority_classes": {"high": {"value": 10}}, "queues": {"team": {}}}
    plan = workload_plan(SLICES, {}, kubernetes=classes)
    objects = [item for item in rendered(plan, "c") if item["kind"] != "WorkloadPriorityClass"]
    found = found_for(plan, "c", objects)
    assert found.keys == {"queues": {"team": {}}}
    assert "WorkloadPriorityClass high" in reasons(found)["PriorityClass /high"]


def test_a_queue_is_left_alone_if_an_object_that_it_needs_is_not_given() -> None:
    plan = workload_plan(SLICES, {}, kubernetes={"queues": {"team": {}}})
    objects = [item for item in rendered(plan, "c") if item["metadata"]["name"] != "cpu"]
    found = found_for(plan, "c", objects)
    assert found.keys == {}
    assert "ResourceFlavor cpu" in reasons(found)["ClusterQueue /team"]


def test_a_workload_of_a_queue_that_is_left_alone_is_left_alone_too() -> None:
    plan = workload_plan(
        SLICES, {"run": {"slices": "train", "count": 2, "queue": "team"}}, kubernetes={"queues": {"team": {}}}
    )
    objects = copy.deepcopy(rendered(plan, "c"))
    (queue,) = (item for item in objects if item["kind"] == "ClusterQueue")
    queue["spec"]["queueingStrategy"] = "StrictFIFO"
    found = found_for(plan, "c", objects)
    assert found.keys == {}
    assert "queueingStrategy is 'StrictFIFO' and would be missing" in reasons(found)["ClusterQueue /team"]
    assert re.match(r"TPU\d+: ", reasons(found)["JobSet default/run"])


@pytest.mark.parametrize("chosen", ["first", "second"])
def test_labels_that_kueue_adds_to_pods_are_not_those_of_the_plan(chosen: str) -> None:
    """Those of the flavor that it has chosen, of the groups that the workload can use."""
    slices = {
        "first": {**SLICES["train"], "node_labels": {"pool": "first"}},
        "second": {**SLICES["train"], "node_labels": {"pool": "second"}},
    }
    keys = {"slices": "second", "fallback": ["first"], "kind": "jobset", "count": 2, "queue": "team"}
    plan = workload_plan(slices, {"run": keys}, kubernetes={"queues": {"team": {}}})
    objects = copy.deepcopy(rendered(plan, "c"))
    (run,) = (item for item in objects if item["kind"] == "JobSet")
    pod = run["spec"]["replicatedJobs"][0]["template"]["spec"]["template"]
    assert "nodeSelector" not in pod["spec"]
    (flavor,) = (item for item in objects if item["metadata"]["name"] == f"tpu-{chosen}")
    pod["spec"]["nodeSelector"] = dict(flavor["spec"]["nodeLabels"])
    pod["metadata"] = {"labels": {"kueue.x-k8s.io/podset": "slice"}, "annotations": {"kueue.x-k8s.io/workload": "w"}}
    found = found_for(plan, "c", objects)
    assert found.keys["workloads"]["run"]["fallback"] == ["first"]
    assert reasons(found) == {}
    pod["spec"]["nodeSelector"]["pool"] = "third"
    assert "nodeSelector.pool is 'third'" in reasons(found_for(plan, "c", objects))["JobSet default/run"]


def test_the_label_of_another_tool_is_not_replaced() -> None:
    plan = workload_plan(SLICES, {}, kubernetes={"priority_classes": {"high": {"value": 10}}})
    (item,) = rendered(plan, "c")
    item["metadata"]["labels"] = {"app.kubernetes.io/managed-by": "Helm"}
    found = found_for(plan, "c", [item])
    assert found.keys == {}
    assert "managed-by" in reasons(found)["PriorityClass /high"]


@pytest.mark.parametrize("kind", ["PriorityClass", "JobSet"])
def test_an_object_twice_is_listed(kind: str) -> None:
    plan = workload_plan(
        SLICES, {"run": {"slices": "train", "count": 2}}, kubernetes={"priority_classes": {"high": {"value": 10}}}
    )
    objects = rendered(plan, "c")
    (twice,) = (item for item in objects if item["kind"] == kind)
    found = found_for(plan, "c", [*objects, twice])
    assert [(item.object.kind, item.reason) for item in found.alone] == [(kind, "another object has its kind and name")]


def test_objects_of_controllers_and_of_the_system_are_only_counted() -> None:
    plan, objects = one_workload()
    job = {"apiVersion": "batch/v1", "kind": "Job", "spec": {}}
    job["metadata"] = {"name": "run-0", "namespace": "default", "ownerReferences": [{"kind": "JobSet", "name": "run"}]}
    system = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "kube-system"}}
    operator = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "kueue-system"}}
    found = found_for(plan, "c", [*objects, job, system, operator])
    assert reasons(found) == {}
    assert found.others == {"Job": 1, "Namespace": 2}


def test_the_plan_without_objects_is_not_changed_by_the_search() -> None:
    plan = without_objects(every_option("standard"))
    before = copy.deepcopy(plan)
    found_for(plan, "c", [])
    assert plan == before


@pytest.mark.parametrize(
    ("image", "policy"),
    [
        ("python", "Always"),
        ("python:latest", "Always"),
        ("python:3.12", "IfNotPresent"),
        ("python@sha256:ab", "IfNotPresent"),
        ("python:3.12@sha256:ab", "IfNotPresent"),
        ("localhost:5000/python", "Always"),
    ],
)
def test_the_pull_policy_is_that_of_the_api_server(image: str, policy: str) -> None:
    assert _pull_policy(image) == policy


@pytest.mark.parametrize(
    ("keys", "short"),
    [
        ({"queues": {"q": {"namespace": "a"}}}, {"namespace": "a", "queues": {"q": {}}}),
        ({"queues": {"q": {"namespace": "default"}}}, {"queues": {"q": {}}}),
        (
            {"workloads": {"x": {"namespace": "a"}, "y": {"namespace": "b"}, "z": {"namespace": "b", "kind": "job"}}},
            {"namespace": "b", "workloads": {"x": {"namespace": "a"}, "y": {}, "z": {"kind": "job"}}},
        ),
        (
            {"queues": {"q": {"namespace": "a"}}, "namespaces": {"a": {}, "b": {}, "c": {"labels": {"x": "y"}}}},
            {"namespace": "a", "queues": {"q": {}}, "namespaces": {"b": {}, "c": {"labels": {"x": "y"}}}},
        ),
        (
            {"queues": {"q": {"namespace": "a"}}, "namespaces": {"a": {"labels": {"x": "y"}}}},
            {"namespace": "a", "queues": {"q": {}}, "namespaces": {"a": {"labels": {"x": "y"}}}},
        ),
        ({"queues": {"q": {"namespace": "a"}}, "namespaces": {"a": {}}}, {"namespace": "a", "queues": {"q": {}}}),
        ({"queues": {"q": {}}, "namespaces": {"a": {}}}, None),
    ],
)
def test_the_most_frequent_namespace_is_stated_once(keys: dict[str, Any], short: dict[str, Any] | None) -> None:
    assert _with_namespace(keys) == short


@pytest.mark.parametrize(
    ("fields", "keys"),
    [
        ({}, {}),
        ({"failureThreshold": 3, "periodSeconds": 10, "timeoutSeconds": 1, "initialDelaySeconds": 0}, {}),
        ({"failureThreshold": 4}, {"failure_threshold": 4}),
        ({"failureThreshold": 1, "periodSeconds": 1}, {"failure_threshold": 1, "period": "1s"}),
        ({"timeoutSeconds": 10, "initialDelaySeconds": 1}, {"timeout": "10s", "initial_delay": "1s"}),
        ({"httpGet": {"path": "/", "port": 80}}, {"http_path": "/"}),
        ({"httpGet": {"path": "/", "port": 81}}, {"http_path": "/", "port": 81}),
        ({"tcpSocket": {"port": 81}}, {"port": 81}),
    ],
)
def test_a_probe_has_the_keys_that_differ_from_what_kubernetes_does_of_itself(
    fields: dict[str, Any], keys: dict[str, Any]
) -> None:
    usual = {} if "tcpSocket" in fields else {"httpGet": {"path": "/", "port": 80}}
    assert _probe(usual | fields, 80) == ({"http_path": "/"} if usual else {}) | keys
