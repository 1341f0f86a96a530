"""The keys of workloads and other objects that exist, in each form that files have, and why one has none."""

import copy
from collections.abc import Sequence
from typing import Any

import pytest
import yaml
from support.adopted_objects import Object, found_for, rendered
from support.workload_plans import TRAIN, with_image, workload_plan

from pulumi_gke_tpu.features.adopt.objects.search import ClusterObjectsFound

SLICES = {"train": {**TRAIN, "count": 2}}
SINGLE = {"train": {**TRAIN, "topology": "2x2", "count": 2}}
PARTS = {"train": {"tpu": "tpu7x", "topology": "2x2x1", "zone": "us-central1-c", "count": 2}}
PODS = ("spec", "replicatedJobs", 0, "template", "spec", "template", "spec")
CONTAINER = (*PODS, "containers", 0)


def result(found: ClusterObjectsFound) -> tuple[dict[str, Any], list[str], dict[str, int]]:
    """The keys, the reasons why objects have none, and the others."""
    alone = [f"{one.object.kind} {one.object.name}: {one.reason}" for one in found.alone]
    return found.keys, alone, dict(found.others)


JOBSET, DEPLOYMENT, LEADERS = (
    {"slices": "train", "kind": kind, "count": 2, **({} if kind == "jobset" else {"port": 8000})}
    for kind in ("jobset", "deployment", "leaderworkerset")
)


@pytest.mark.parametrize(
    ("keys", "slices"),
    [
        *(
            ({**JOBSET, "deadline": time, "ttl": time, "grace_period": time}, SLICES)
            for time in ("90s", "5m", "61m", "1h", "25h", "1d", "3601s", "61s")
        ),
        ({**JOBSET, "cpu": "4", "memory": "8Gi"}, SLICES),
        ({**JOBSET, "containers": 2}, PARTS),
        ({**JOBSET, "containers": 2, "cpu": "500m", "memory": "8Gi"}, PARTS),
        ({**JOBSET, "max_restarts": 3, "exit_codes": {"fail": [1, 2]}}, SLICES),
        ({**JOBSET, "max_restarts": 3, "exit_codes": {"restart": [1, 2]}}, SLICES),
        (
            {
                **JOBSET,
                "volumes": {
                    "a": {"mount": "/a", "empty_dir": True},
                    "b": {"mount": "/b", "host_path": "/x", "read_only": True},
                    "c": {"mount": "/c", "claim": "cl"},
                    "d": {"mount": "/d", "bucket": {"name": "acme"}},
                    "e": {"mount": "/e", "bucket": {"name": "acme", "path": "p/q", "mount_options": ["x:only-dir="]}},
                },
            },
            SLICES,
        ),
        (
            {
                **JOBSET,
                "init_containers": [{"name": "i", "image": "b", "command": ["x"]}],
                "sidecars": [{"name": "s", "image": "a", "cpu": "1", "memory": "1Gi"}],
                "pull_secrets": ["registry"],
            },
            SLICES,
        ),
        (DEPLOYMENT, SINGLE),
        ({"slices": "train", "kind": "deployment"}, SINGLE),
        ({**DEPLOYMENT, "probes": {"startup": {"http_path": "/s"}, "liveness": {}}}, SINGLE),
        ({**DEPLOYMENT, "probes": {"readiness": {"http_path": "/r"}, "startup": {}}}, SINGLE),
        ({"slices": "train", "kind": "deployment", "probes": {"readiness": {"port": 81}}}, SINGLE),
        ({**DEPLOYMENT, "ports": {"metrics": 9000}, "disruption_budget": {"max_unavailable": 1}}, SINGLE),
        ({**DEPLOYMENT, "disruption_budget": {"max_unavailable": 0}}, SINGLE),
        ({**DEPLOYMENT, "disruption_budget": {"min_available": 1}}, SINGLE),
        (LEADERS, SLICES),
        ({**LEADERS, "disruption_budget": {"max_unavailable": 1}}, SLICES),
        ({**LEADERS, "disruption_budget": {"min_available": 1}}, SLICES),
        ({**LEADERS, "head": {"image": "h:1", "cpu": "2", "memory": "4Gi"}}, SLICES),
    ],
)
def test_a_workload_has_the_keys_that_it_follows_from(keys: dict[str, Any], slices: dict[str, Any]) -> None:
    location = {"location": "us-central1"} if slices is PARTS else {}
    plan = workload_plan(slices, {"run": keys}, addons=["gcs_fuse"], **location)
    found = result(found_for(plan, "c", rendered(plan, "c")))
    assert found == ({"workloads": {"run": with_image(keys)}}, [], {})


def changed(path: Sequence[str | int], value: object) -> list[Object]:
    """The objects of a JobSet with another value."""
    objects = copy.deepcopy(rendered(workload_plan(SLICES, {"run": JOBSET}), "c"))
    inner: Any = objects[0]
    for step in path[:-1]:
        inner = inner[step]
    inner[path[-1]] = value
    return objects


PLACE = "spec.replicatedJobs[0].template.spec.template.spec"


@pytest.mark.parametrize(
    ("path", "value", "reason"),
    [
        (
            (*PODS, "nodeSelector", "cloud.google.com/gke-tpu-topology"),
            "2x4",
            "no slice group of the plan has its nodes",
        ),
        (
            (*PODS, "nodeSelector", "cloud.google.com/gke-tpu-accelerator"),
            "tpu-v5-lite-podslice",
            "no slice group of the plan has its nodes",
        ),
        ((*PODS, "priorityClassName"), "high", "TPU700: unknown priority class `high`"),
        ((*PODS, "containers"), [], "it has no containers"),
        (
            (*PODS, "terminationGracePeriodSeconds"),
            -1,
            f"{PLACE}.terminationGracePeriodSeconds is -1 and would be missing",
        ),
        (
            (*CONTAINER, "resources", "requests", "cpu"),
            True,
            f"{PLACE}.containers[0].resources.requests.cpu is true and would be '135'",
        ),
        (
            (*CONTAINER, "resources", "requests", "cpu"),
            "lots",
            f"{PLACE}.containers[0].resources.requests.cpu is 'lots' and would be '135'",
        ),
        (
            (*CONTAINER, "volumeMounts"),
            [{"name": "v", "mountPath": "/v"}],
            f"{PLACE}.containers[0].volumeMounts is a list and would be missing",
        ),
        ((*PODS, "volumes"), [{"name": "v", "emptyDir": {}}], f"{PLACE}.volumes is a list and would be missing"),
        ((*CONTAINER, "tty"), True, f"{PLACE}.containers[0].tty is true and would be missing"),
        (
            (*CONTAINER, "env"),
            [{"name": "A", "valueFrom": {"fieldRef": {"fieldPath": "x"}}}],
            f"{PLACE}.containers[0].env is a list and would be missing",
        ),
    ],
)
def test_a_workload_without_keys_is_left_alone_and_the_reason_stated(
    path: Sequence[str | int], value: object, reason: str
) -> None:
    found = result(found_for(workload_plan(SLICES, {}), "c", changed(path, value)))
    assert found == ({}, [f"JobSet run: {reason}"], {})


def test_of_the_reasons_of_several_slice_groups_the_most_detailed_is_stated() -> None:
    objects = changed((*CONTAINER, "tty"), True)
    slices = {"first": {**TRAIN, "count": 2, "capacity": "spot"}, **SLICES}
    found = result(found_for(workload_plan(slices, {}), "c", objects))
    assert found == (
        {},
        [f"JobSet run: {PLACE}.nodeSelector[\"cloud.google.com/gke-spot\"] is missing and would be 'true'"],
        {},
    )


@pytest.mark.parametrize(
    ("path", "value", "spec"),
    [
        ((*PODS, "hostNetwork"), True, {"hostNetwork": True}),
        ((*CONTAINER, "imagePullPolicy"), "Never", {"containers": [{"name": "tpu", "imagePullPolicy": "Never"}]}),
    ],
)
def test_a_field_of_pods_without_a_key_is_adopted(
    path: Sequence[str | int], value: object, spec: dict[str, Any]
) -> None:
    run = {**with_image(JOBSET), "pod_template": {"spec": spec}}
    found = result(found_for(workload_plan(SLICES, {}), "c", changed(path, value)))
    assert found == ({"workloads": {"run": run}}, [], {})


KUEUE = "kueue.x-k8s.io/v1beta2"
LOCAL = (
    f"{{kind: LocalQueue, apiVersion: {KUEUE}, metadata: {{name: a, namespace: default}}, spec: {{clusterQueue: a}}}}"
)


def pod(metadata: str = "", resources: str = "limits: {google.com/tpu: 4}", spec: str = "") -> str:
    return (
        f"{{kind: Pod, apiVersion: v1, metadata: {{name: a{metadata}}}, "
        f"spec: {{containers: [{{name: c, resources: {{{resources}}}}}]{spec}}}}}"
    )


def priority_class(fields: str, metadata: str = "name: x") -> str:
    return f"{{kind: PriorityClass, apiVersion: scheduling.k8s.io/v1, metadata: {{{metadata}}}, {fields}}}"


def queue(amount: str, spec: str = "") -> str:
    resources = f"[{{name: google.com/tpu, nominalQuota: {amount}}}]"
    return (
        f"{{kind: ClusterQueue, apiVersion: {KUEUE}, metadata: {{name: a}}, spec: {{namespaceSelector: {{}}, "
        f"resourceGroups: [{{coveredResources: [google.com/tpu], flavors: [{{name: tpu-train, "
        f"resources: {resources}}}]}}]{spec}}}}}"
    )


def quota(amount: str, namespace: str = "n") -> str:
    return (
        "{kind: Namespace, apiVersion: v1, metadata: {name: n}}, "
        f"{{kind: ResourceQuota, apiVersion: v1, metadata: {{name: chips, namespace: {namespace}}}, "
        f"spec: {{hard: {{requests.google.com/tpu: '{amount}'}}}}}}"
    )


MANAGED = "labels: {app.kubernetes.io/managed-by: gke-tpu}"
LEFT_POD = ["Pod a: gke-tpu adopts no objects of kind Pod"]
NONE = "no adopted item of the plan renders it"
NOT_WHOLE = ["ClusterQueue a: a quota of chips is not a whole number", f"LocalQueue a: {NONE}"]
ADMITS = "ClusterQueue a: it admits every namespace, and has"
RENDERED_QUOTA = {"namespaces": {"n": {"chips": 16}}}


@pytest.mark.parametrize(
    ("objects", "keys", "alone", "others"),
    [
        (pod(), {}, LEFT_POD, {}),
        (pod(resources="requests: {google.com/tpu: 4}"), {}, LEFT_POD, {}),
        (pod(resources="limits: {cpu: 4}"), {}, [], {"Pod": 1}),
        (pod("", "", ", nodeSelector: {cloud.google.com/gke-tpu-accelerator: x}"), {}, LEFT_POD, {}),
        (pod(", namespace: research"), {}, LEFT_POD, {}),
        (pod(", namespace: kube-system"), {}, [], {"Pod": 1}),
        (pod(", namespace: kueue-system"), {}, [], {"Pod": 1}),
        (pod(", ownerReferences: [{kind: X}]"), {}, [], {"Pod": 1}),
        (f"{{kind: Secret, apiVersion: v1, metadata: {{name: a, {MANAGED}}}}}", {}, [], {"Secret": 1}),
        (f"{{kind: ConfigMap, apiVersion: v1, metadata: {{name: a, {MANAGED}}}}}", {}, [f"ConfigMap a: {NONE}"], {}),
        (f"{{kind: Workload, apiVersion: {KUEUE}, metadata: {{name: a}}}}", {}, [], {"Workload": 1}),
        ("{kind: Namespace, apiVersion: v1, metadata: {name: default}}", {}, [], {"Namespace": 1}),
        ("{kind: Namespace, apiVersion: v1, metadata: {name: kube-x}}", {}, [], {"Namespace": 1}),
        ("{kind: Namespace, apiVersion: v1, metadata: {name: kube}}", {"namespaces": {"kube": {}}}, [], {}),
        (priority_class("value: 3", "name: system-x"), {}, [], {"PriorityClass": 1}),
        (
            priority_class("value: 3, preemptionPolicy: Never", "name: x, ownerReferences: [{kind: A}]"),
            {},
            [],
            {"PriorityClass": 1},
        ),
        (priority_class("value: true, preemptionPolicy: Never"), {}, [f"PriorityClass x: {NONE}"], {}),
        (priority_class("value: a, preemptionPolicy: Never"), {}, [f"PriorityClass x: {NONE}"], {}),
        (
            priority_class("value: 3, preemptionPolicy: Never, description: d"),
            {"priority_classes": {"x": {"value": 3, "preemption": "never", "description": "d"}}},
            [],
            {},
        ),
        (
            priority_class("value: 3"),
            {},
            ["PriorityClass x: preemptionPolicy is missing and would be 'PreemptLowerPriority'"],
            {},
        ),
        (quota("16"), RENDERED_QUOTA, [], {}),
        (quota("16", "m"), {"namespaces": {"n": {}}}, [], {"ResourceQuota": 1}),
        *((quota(amount), {"namespaces": {"n": {}}}, [], {"ResourceQuota": 1}) for amount in ("16500m", "-1", "x")),
        *((f"{queue(amount)}, {LOCAL}", {}, NOT_WHOLE, {}) for amount in ("1500m", "-1", "x")),
        (f"{queue('32', ', fairSharing: {weight: 500m}')}, {LOCAL}", {}, NOT_WHOLE, {}),
        (
            f"{queue('32')}, {LOCAL}",
            {},
            [
                "ClusterQueue a: ResourceFlavor cpu: the plan would create it, and it is not among the objects",
                f"LocalQueue a: {NONE}",
            ],
            {},
        ),
        (queue("32"), {}, [f"{ADMITS} no LocalQueue of its name; a plan has one"], {}),
        (
            f"{queue('32')}, {LOCAL}, {LOCAL.replace('default', 'b')}",
            {},
            [
                f"{ADMITS} LocalQueues in 2 namespaces of its name; a plan has one",
                *([f"LocalQueue a: {NONE}"] * 2),
            ],
            {},
        ),
    ],
)
def test_an_object_is_adopted_or_left_alone_or_only_counted(
    objects: str, keys: dict[str, Any], alone: list[str], others: dict[str, int]
) -> None:
    found = found_for(workload_plan(SLICES, {}), "c", yaml.safe_load(f"[{objects}]"))
    assert result(found) == (keys, alone, others)
