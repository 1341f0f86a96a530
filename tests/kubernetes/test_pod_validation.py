"""Validation of Pods and of what creates them: what ``gke-tpu check`` reports is what the API server rejects."""

from typing import Any

import pytest
import yaml
from support.control_plane.testbed import Testbed
from support.manifests import findings_in

from pulumi_gke_tpu.core.text.findings import Severity

LABELS = {"cloud.google.com/gke-tpu-accelerator": "tpu-v6e-slice", "cloud.google.com/gke-tpu-topology": "2x2"}
CHIPS = {"limits": {"google.com/tpu": 4}, "requests": {"google.com/tpu": 4}}
HTTP = {"httpGet": {"port": 80}}
RUN = {"exec": {"command": ["run"]}}
NAME = {"fieldRef": {"fieldPath": "metadata.name"}}


def pod(spec: dict[str, Any] | None = None, **container: Any) -> dict[str, Any]:
    """A Pod with chips, with further fields of its specification and of its container."""
    first = {"name": "main", "image": "image", "resources": CHIPS, **container}
    whole = {"nodeSelector": LABELS, "containers": [first], **(spec or {})}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "serve"}, "spec": whole}


def in_metadata(**metadata: Any) -> dict[str, Any]:
    item = pod()
    return {**item, "metadata": {**item["metadata"], **metadata}}


def deployment(**strategy: Any) -> dict[str, Any]:
    template = {"metadata": {"labels": {"app": "serve"}}, "spec": pod()["spec"]}
    spec = {"selector": {"matchLabels": {"app": "serve"}}, "template": template, "strategy": strategy}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "serve"}, "spec": spec}


def job(**spec: Any) -> dict[str, Any]:
    template = {"spec": {**pod()["spec"], "restartPolicy": "Never"}}
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": "train"},
        "spec": {"template": template, **spec},
    }


def cron_job(schedule: str) -> dict[str, Any]:
    spec = {"schedule": schedule, "jobTemplate": {"spec": job()["spec"]}}
    return {"apiVersion": "batch/v1", "kind": "CronJob", "metadata": {"name": "train"}, "spec": spec}


def named(item: dict[str, Any], name: str) -> dict[str, Any]:
    return {**item, "metadata": {"name": name}}


def variable(**entry: Any) -> dict[str, Any]:
    return pod(env=[{"name": "RUN", **entry}])


def field(path: str) -> dict[str, Any]:
    return variable(valueFrom={"fieldRef": {"fieldPath": path}})


def volume(**source: Any) -> dict[str, Any]:
    return pod({"volumes": [{"name": "data", **source}]})


def mounts(*entries: dict[str, Any]) -> dict[str, Any]:
    mounted = [{"name": "data", "mountPath": "/data", **entry} for entry in entries]
    return pod({"volumes": [{"name": "data", "emptyDir": {}}]}, volumeMounts=mounted)


def requirement(operator: str, *values: str) -> dict[str, Any]:
    term = {"matchExpressions": [{"key": "zone", "operator": operator, **({"values": list(values)} if values else {})}]}
    required = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [term]}}
    return pod({"affinity": {"nodeAffinity": required}})


def beside(operator: str, *values: str) -> dict[str, Any]:
    """A Pod that is not beside others with a label."""
    selector = {"matchExpressions": [{"key": "app", "operator": operator, "values": list(values)}]}
    term = {"topologyKey": "zone", "labelSelector": selector}
    return pod({"affinity": {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}})


def toleration(**entry: Any) -> dict[str, Any]:
    return pod({"tolerations": [{"key": "google.com/tpu", "operator": "Exists", **entry}]})


def ports(**port: Any) -> dict[str, Any]:
    return pod({"hostNetwork": True}, ports=[{"containerPort": 80, **port}])


def rolling(**limits: Any) -> dict[str, Any]:
    return deployment(type="RollingUpdate", rollingUpdate=limits)


def failures(*rules: dict[str, Any]) -> dict[str, Any]:
    return job(podFailurePolicy={"rules": [{"action": "FailJob", **rule} for rule in rules]})


def init(**container: Any) -> dict[str, Any]:
    return pod({"initContainers": [{"name": "first", "image": "image", **container}]})


CASES = {
    "variable": variable(value="x"),
    "variable without a value": variable(),
    "variable with an empty value and a source": variable(value="", valueFrom=NAME),
    "variable with a value and a source": variable(value="x", valueFrom=NAME),
    "variable with two sources": variable(valueFrom={**NAME, "secretKeyRef": {"name": "a", "key": "b"}}),
    "variable without a source": variable(valueFrom={}),
    "variable with a space": variable(name="MY RUN", value="x"),
    "variable with a hyphen": variable(name="my-run", value="x"),
    "variable with an equals sign": variable(name="RUN=1", value="x"),
    "variable with another letter": variable(name="LÄUFE", value="x"),
    "field name": field("metadata.name"),
    "field node name": field("spec.nodeName"),
    "field of a label": field("metadata.labels['app.kubernetes.io/name']"),
    "field of an annotation": field("metadata.annotations['batch.kubernetes.io/job-completion-index']"),
    "field pod IP": field("status.podIP"),
    "field pod IPs": field("status.podIPs"),
    "field pod name": field("metadata.podName"),
    "field in other capitals": field("spec.nodename"),
    "all labels": field("metadata.labels"),
    "field phase": field("status.phase"),
    "variables of a ConfigMap": pod(envFrom=[{"configMapRef": {"name": "a"}}]),
    "variables of two": pod(envFrom=[{"configMapRef": {"name": "a"}, "secretRef": {"name": "b"}}]),
    "variables of none": pod(envFrom=[{"prefix": "A_"}]),
    "volume": volume(emptyDir={}),
    "volume without a source": volume(),
    "volume with an empty source": volume(emptyDir=None),
    "volume with two sources": volume(emptyDir={}, hostPath={"path": "/data"}),
    "ConfigMap without a name": volume(configMap={}),
    "host path": volume(hostPath={"path": "/data", "type": "Directory"}),
    "host path of any type": volume(hostPath={"path": "/data", "type": ""}),
    "host path of an unknown type": volume(hostPath={"path": "/data", "type": "directory"}),
    "host path that goes up": volume(hostPath={"path": "/data/../etc"}),
    "mount": mounts({}),
    "two mounts": mounts({}, {"mountPath": "/other"}),
    "two mounts at one path": mounts({}, {"subPath": "a"}),
    "mount of a part": mounts({"subPath": "a/b"}),
    "mount of a part that goes up": mounts({"subPath": "../b"}),
    "mount of an absolute part": mounts({"subPath": "/b"}),
    "mount of two parts": mounts({"subPath": "a", "subPathExpr": "b"}),
    "image with a space": pod(image="image "),
    "empty values": pod(
        {"restartPolicy": "", "dnsPolicy": ""}, imagePullPolicy="", ports=[{"containerPort": 80, "protocol": ""}]
    ),
    "requirement": requirement("In", "a", "b"),
    "requirement without values": requirement("In"),
    "requirement that a label exists": requirement("Exists"),
    "requirement that a label exists with values": requirement("Exists", "a"),
    "requirement that a label is missing": requirement("DoesNotExist", "a"),
    "requirement of a number": requirement("Gt", "1"),
    "requirement of two numbers": requirement("Gt", "1", "2"),
    "beside": beside("In", "a"),
    "beside without values": beside("In"),
    "beside with an unknown operator": beside("in", "a"),
    "toleration": toleration(effect="NoSchedule"),
    "toleration for a time": toleration(effect="NoExecute", tolerationSeconds=5),
    "toleration for a time of another effect": toleration(effect="NoSchedule", tolerationSeconds=5),
    "toleration for a time of all effects": toleration(tolerationSeconds=5),
    "probe": pod(readinessProbe=HTTP),
    "probe with two handlers": pod(readinessProbe={**HTTP, **RUN}),
    "probe without a handler": pod(readinessProbe={"periodSeconds": 5}),
    "probe without a command": pod(readinessProbe={"exec": {}}),
    "probe with an unknown scheme": pod(readinessProbe={"httpGet": {"port": 80, "scheme": "https"}}),
    "readiness after three": pod(readinessProbe={**HTTP, "successThreshold": 3}),
    "liveness after three": pod(livenessProbe={**HTTP, "successThreshold": 3}),
    "liveness after one": pod(livenessProbe={**HTTP, "successThreshold": 1}),
    "startup after three": pod(startupProbe={**HTTP, "successThreshold": 3}),
    "readiness with a grace period": pod(readinessProbe={**HTTP, "terminationGracePeriodSeconds": 5}),
    "liveness with a grace period": pod(livenessProbe={**HTTP, "terminationGracePeriodSeconds": 5}),
    "handler": pod(lifecycle={"preStop": RUN}),
    "two handlers": pod(lifecycle={"preStop": {**RUN, **HTTP}}),
    "no handler": pod(lifecycle={"preStop": {}}),
    "empty handler": pod(lifecycle={"preStop": None}),
    "handler without a command": pod(lifecycle={"preStop": {"exec": {"command": []}}}),
    "name servers": pod({"dnsPolicy": "None", "dnsConfig": {"nameservers": ["10.0.0.2"]}}),
    "no name servers": pod({"dnsPolicy": "None"}),
    "port of the host": ports(hostPort=80),
    "port of the host without a number": ports(),
    "other port of the host": ports(hostPort=81),
    "init container": init(),
    "init container with a probe": init(readinessProbe=HTTP),
    "sidecar with a probe": init(restartPolicy="Always", readinessProbe=HTTP),
    "container that escalates": pod(securityContext={"allowPrivilegeEscalation": False}),
    "profile": pod({"securityContext": {"seccompProfile": {"type": "RuntimeDefault"}}}),
    "unknown profile": pod({"securityContext": {"seccompProfile": {"type": "runtime/default"}}}),
    "operating system": pod({"os": {"name": "linux"}}),
    "unknown operating system": pod({"os": {"name": "Linux"}}),
    "host name": pod({"hostname": "head", "subdomain": "train"}),
    "invalid host name": pod({"hostname": "head_1"}),
    "invalid subdomain": pod({"subdomain": "train.acme"}),
    "label": in_metadata(labels={"acme.com/team": "a"}),
    "label with a space": in_metadata(labels={"my team": "a"}),
    "label with two slashes": in_metadata(labels={"acme.com/team/a": "a"}),
    "label with a prefix in capitals": in_metadata(labels={"Acme.com/team": "a"}),
    "annotation with a prefix in capitals": in_metadata(annotations={"Acme.com/team": "a"}),
    "annotation with a space": in_metadata(annotations={"my team": "a"}),
    "selector with two slashes": pod({"nodeSelector": {**LABELS, "a/b/c": "d"}}),
    "strategy": rolling(maxSurge=0, maxUnavailable=1),
    "strategy in percent": rolling(maxSurge="25%"),
    "strategy without movement": rolling(maxSurge=0, maxUnavailable=0),
    "strategy in a text": rolling(maxSurge="1"),
    "strategy to create again": deployment(type="Recreate"),
    "strategy to create again with limits": deployment(type="Recreate", rollingUpdate={"maxSurge": 1}),
    "exit codes": failures({"onExitCodes": {"operator": "In", "values": [1, 42]}}),
    "exit code of success": failures({"onExitCodes": {"operator": "In", "values": [0, 42]}}),
    "no exit code of success": failures({"onExitCodes": {"operator": "NotIn", "values": [0]}}),
    "rule without a condition": failures({}),
    "rule with two conditions": failures(
        {"onExitCodes": {"operator": "In", "values": [1]}, "onPodConditions": [{"type": "DisruptionTarget"}]}
    ),
    "selector of a Job": job(selector={"matchLabels": {"app": "train"}}),
    "limit of an index": job(backoffLimitPerIndex=1, completionMode="Indexed", completions=1),
    "limit of an index without indexes": job(backoffLimitPerIndex=1),
    "misspelled specification": {name.replace("spec", "sepc"): value for name, value in job().items()},
    "specification in capitals": {name.replace("spec", "Spec"): value for name, value in pod().items()},
    "index limit of all without one of each": job(
        maxFailedIndexes=1, completionMode="Indexed", completions=2, parallelism=2
    ),
    "Job with a long name": named(job(), "a" * 64),
    "Job with the longest name": named(job(), "a" * 63),
    "indexed Job with a long name": named(job(completionMode="Indexed", completions=2), "a" * 62),
    "indexed Job with the longest name": named(job(completionMode="Indexed", completions=2), "a" * 61),
    "beginning of names in capitals": {**job(), "metadata": {"generateName": "Train-"}},
    "beginning of names": {**job(), "metadata": {"generateName": "train-"}},
    "priority class in capitals": pod({"priorityClassName": "High"}),
    "service account in capitals": pod({"serviceAccountName": "Train"}),
    "restart policy of a sidecar": pod(
        {"initContainers": [{"name": "proxy", "image": "image", "restartPolicy": "Always"}]}
    ),
    "restart policy of a sidecar in lower case": pod(
        {"initContainers": [{"name": "proxy", "image": "image", "restartPolicy": "always"}]}
    ),
    "resource in a variable": variable(valueFrom={"resourceFieldRef": {"resource": "requests.memory"}}),
    "misspelled resource in a variable": variable(valueFrom={"resourceFieldRef": {"resource": "request.memory"}}),
    "chips in a variable": variable(valueFrom={"resourceFieldRef": {"resource": "limits.google.com/tpu"}}),
    "huge pages in a volume": volume(emptyDir={"medium": "HugePages-1Gi"}),
    **{
        f"schedule {schedule}": cron_job(schedule)
        for schedule in (
            "0 3 * * *",
            "0 3 * *",
            "every day",
            "0 25 * * *",
            "*/90 0-23/2 1,15 JAN-MAR MON-FRI",
            "0 0 0 * *",
            "0 0 * * 7",
            "0 0 * * 6",
            "@daily",
            "@every 1h",
            "@sometimes",
            "0 3 ? * *",
        )
    },
    "misspelled template": {**job(), "spec": {"tempalte": job()["spec"]["template"]}},
    "number for a specification": {**job(), "spec": 7},
    "number for a template": job(template=4),
    "number for the specification of Pods": job(template={"spec": 4}),
    "mapping for containers": pod({"containers": pod()["spec"]["containers"][0]}),
    "misspelled containers": pod({"containers": None, "contianers": pod()["spec"]["containers"]}),
    "misspelled labels": in_metadata(labls={"app": "serve"}),
    "what kubectl writes for a missing time": {
        **job(template={"metadata": {"creationTimestamp": None}, **job()["spec"]["template"]}),
        "metadata": {"name": "train", "creationTimestamp": None},
        "status": {},
    },
}


@pytest.mark.parametrize("case", CASES)
def test_the_api_server_rejects_what_is_reported(bed: Testbed, case: str) -> None:
    found = [item for item in findings_in(yaml.safe_dump(CASES[case])) if item.severity is Severity.ERROR]
    assert bool(bed.refusal(CASES[case])) == bool(found), found


def test_an_invalid_name_of_a_namespace_is_reported() -> None:
    """No API server has such a namespace."""
    assert not findings_in(yaml.safe_dump(in_metadata(namespace="research")))
    assert {item.rule for item in findings_in(yaml.safe_dump(in_metadata(namespace="Research")))} == {"TPU371"}


def test_an_image_with_a_scheme_is_reported() -> None:
    """The API server accepts it, and no node pulls it."""
    assert {item.rule for item in findings_in(yaml.safe_dump(pod(image="https://gcr.io/acme/train")))} == {"TPU867"}
