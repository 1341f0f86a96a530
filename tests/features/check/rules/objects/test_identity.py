"""Rules about what an object is: its name, names inside of it, and its kind."""

import pytest
import yaml
from support.manifest_texts import findings_of
from support.manifests import broken, findings_in

from pulumi_gke_tpu.core.text.findings import Severity

WHERE = {
    "LeaderWorkerSet": ("leaderworkerset.x-k8s.io/v1", "{leaderWorkerTemplate: {size: 4, workerTemplate: TEMPLATE}}"),
    "JobSet": (
        "jobset.x-k8s.io/v1alpha2",
        "{replicatedJobs: [{name: a, template: {META, spec: {template: TEMPLATE}}}]}",
    ),
    "RayCluster": ("ray.io/v1", "{headGroupSpec: {rayStartParams: {}, template: TEMPLATE}}"),
    "Job": ("batch/v1", "{template: TEMPLATE}"),
    "CronJob": ("batch/v1", "{schedule: 1 * * * *, jobTemplate: {META, spec: {template: TEMPLATE}}}"),
    "Deployment": ("apps/v1", "{selector: {matchLabels: {a: b}}, template: TEMPLATE}"),
}


@pytest.mark.parametrize("kind", WHERE)
@pytest.mark.parametrize("value", ["3", "true", "1.5", "{a: b}", "[a]"])
def test_a_value_that_is_not_text_is_reported_once(kind: str, value: str) -> None:
    version, spec = WHERE[kind]
    meta = f"metadata: {{annotations: {{x: {value}}}, labels: {{y: {value}, a: b}}}}"
    chips = "resources: {limits: {google.com/tpu: 4}}"
    containers = f"[{{name: a, image: b, env: [{{name: A, value: {value}}}], {chips}}}]"
    template = f"{{{meta}, spec: {{nodeSelector: {{z: {value}}}, containers: {containers}}}}}"
    text = spec.replace("META", meta).replace("TEMPLATE", template)
    found = findings_in(f"apiVersion: {version}\nkind: {kind}\nmetadata: {{name: a}}\nspec: {text}\n")
    places = [finding.path for finding in found if finding.rule in ("TPU755", "TPU368")]
    assert len(places) == len(set(places)) == 4 + 2 * spec.count("META")


def test_every_object_of_a_misspelled_kind_is_reported() -> None:
    objects = [{"apiVersion": "apps/v1", "kind": "Deploymnet", "metadata": {"name": f"a{n}"}} for n in range(120)]
    assert [item.rule for item in findings_in(yaml.safe_dump_all(objects))] == ["TPU372"] * 120


@pytest.mark.parametrize(
    ("version", "kind", "rules"),
    [
        ("v1", "Config", []),  # of a kubeconfig
        ("v1", "Pods", ["TPU372"]),
        ("core/v1", "Service", ["TPU372"]),
        ("app/v1", "Deployment", ["TPU372"]),
        ("extensions/v1beta1", "Deployment", ["TPU372"]),
        ("extensions/v1beta1", "Ingress", ["TPU747"]),
        ("networking.k8s.io/v1", "Ingress", []),
        ("events.k8s.io/v1", "Event", []),
        ("batch/v1", "Job", []),
        ("batch/v1beta1", "Job", ["TPU747"]),
        ("batch.volcano.sh/v1alpha1", "Job", []),
        ("policy/v1beta1", "PodSecurityPolicy", []),
    ],
)
def test_kinds_and_api_versions(version: str, kind: str, rules: list[str]) -> None:
    assert broken(f"apiVersion: {version}\nkind: {kind}\nmetadata: {{name: a}}\n") == rules


@pytest.mark.parametrize(
    ("name", "fix"),
    [
        ("Worker_1", "name: worker-1"),
        ("a.b", "name: a-b"),
        ("-a", "name: a"),
        ("a" * 64, ""),
        ("", ""),
    ],
)
def test_a_container_has_a_name_of_a_dns_label(name: str, fix: str) -> None:
    (finding,) = findings_in(pod(containers=[{"name": name}]))
    assert (finding.rule, finding.fix) == ("TPU304", fix)


@pytest.mark.parametrize("name", ["http", "8471-tcp", "a" * 15, "${PORT}"])
def test_a_valid_name_of_a_port_is_accepted(name: str) -> None:
    assert findings_in(pod(containers=[{"name": "jax", "ports": [{"containerPort": 1, "name": name}]}])) == ()


@pytest.mark.parametrize("name", ["HTTP", "8080", "a--b", "a" * 16, "-http", "http_1"])
def test_an_invalid_name_of_a_port_is_reported(name: str) -> None:
    assert broken(pod(containers=[{"name": "jax", "ports": [{"containerPort": 1, "name": name}]}])) == ["TPU304"]


@pytest.mark.parametrize(
    ("port", "fixes"),
    [
        ("{port: 80, name: http}", []),
        ("{port: 80, name: 8080-a--b}", []),
        ('{port: 80, name: "${PORT}"}', []),
        ('{port: 80, name: ""}', []),
        ("{port: 80, name: Http_1}", ["name: http-1"]),
        ("{port: 80, name: a.b}", ["name: a-b"]),
        (f"{{port: 80, name: {'a' * 64}}}", [""]),
        ("{port: 80, targetPort: http}", []),
        ("{port: 80, targetPort: 8000}", []),
        ('{port: 80, targetPort: ""}', []),
        ('{port: 80, targetPort: "8000"}', ["targetPort: 8000"]),
        ("{port: 80, targetPort: a--b}", ["targetPort: a-b"]),
        ("{port: 80, name: A, targetPort: Http_1}", ["name: a", "targetPort: http-1"]),
    ],
)
def test_names_of_ports_of_a_service(port: str, fixes: list[str]) -> None:
    text = (
        f"apiVersion: v1\nkind: Service\nmetadata: {{name: serve}}\nspec: {{selector: {{app: a}}, ports: [{port}]}}\n"
    )
    findings = findings_in(text)
    assert [(finding.rule, finding.fix) for finding in findings] == [("TPU304", fix) for fix in fixes]


@pytest.mark.parametrize("where", ["readinessProbe", "livenessProbe", "startupProbe", "preStop", "postStart"])
@pytest.mark.parametrize("handler", ["httpGet", "tcpSocket"])
@pytest.mark.parametrize(("port", "fix"), [("Http_1", "port: http-1"), ("8000", "port: 8000"), ("http", ""), (80, "")])
def test_a_probe_names_a_port_of_a_container(where: str, handler: str, port: object, fix: str) -> None:
    check: dict[str, object] = {where: {handler: {"port": port}}}
    found = findings_in(pod([{"name": "jax", **(check if "Probe" in where else {"lifecycle": check})}]))
    assert [(finding.rule, finding.fix) for finding in found] == ([("TPU304", fix)] if fix else [])


def test_ports_of_a_container_and_of_a_service_have_different_names() -> None:
    ports = [{"containerPort": 80, "name": "http"}, {"containerPort": 81, "name": "http"}]
    assert broken(pod(containers=[{"name": "jax", "ports": ports}])) == ["TPU373"]
    assert broken(pod(containers=[{"name": "jax", "ports": ports[:1]}, {"name": "proxy", "ports": ports[1:]}])) == []
    text = "apiVersion: v1\nkind: Service\nmetadata: {name: a}\nspec: {ports: [{port: 1, name: a}, {port: 2, name: a}]}"
    assert broken(text) == ["TPU373"]


def pod(containers: list[dict[str, object]]) -> str:
    chips = {"google.com/tpu": 4}
    first, *others = [{"image": "trainer", **item} for item in containers]
    first["resources"] = {"limits": chips, "requests": chips}
    labels = {"cloud.google.com/gke-tpu-accelerator": "tpu-v6e-slice", "cloud.google.com/gke-tpu-topology": "2x2"}
    spec = {"nodeSelector": labels, "containers": [first, *others]}
    return yaml.safe_dump({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "trainer"}, "spec": spec})


TF_JOB = """
apiVersion: kubeflow.org/v1
kind: TFJob
metadata: {name: NAME}
spec: {replicaSpecs: {Worker: {template: {spec: {containers: [{name: a, resources: {limits: {google.com/tpu: 4}}}]}}}}}
"""

WORKFLOW = """
apiVersion: argoproj.io/v1alpha1
kind: Workflow
metadata: {name: train}
spec:
  templates:
    - nodeSelector: {cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice}
      container: {image: a}
"""

QUOTAS = """
apiVersion: v1
kind: ResourceQuota
metadata: {name: chips}
spec: {hard: {requests.google.com/tpu: 8, limits: {google.com/tpu: 8}}}
---
apiVersion: v1
kind: LimitRange
metadata: {name: chips}
spec: {limits: [{type: Container, max: {google.com/tpu: 8}}]}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: Workload
metadata: {name: chips}
spec: {podSets: [{name: main, template: {spec: {containers: [{resources: {requests: {google.com/tpu: 8}}}]}}}]}
---
apiVersion: example.com/v1
kind: Report
metadata: {name: chips}
spec: {text: "limits: {google.com/tpu: 4}", google.com/tpu: 4}
"""


def test_kinds_that_are_not_read_have_a_note_each() -> None:
    text = "---".join([TF_JOB.replace("NAME", "a"), WORKFLOW, TF_JOB.replace("NAME", "b"), TF_JOB.replace("NAME", "c")])
    first, second = findings_in(text)
    assert (first.rule, first.severity) == ("TPU305", Severity.NOTE)
    expected = (
        "gke-tpu does not read the Pods of TFJob `a` (kubeflow.org/v1), which have TPUs; this file has 2 more objects"
    )
    assert first.message.startswith(expected)
    assert second.message.startswith("gke-tpu does not read the Pods of Workflow `train`")


def test_kinds_without_pods_have_no_note() -> None:
    assert findings_in(QUOTAS) == ()


# Kinds and types
KIND = "apiVersion: {group}\nkind: {kind}\nmetadata: {{name: a}}\nspec: {{}}\n"


def test_a_misspelled_kind_has_the_kind_of_its_own_group_as_its_fix() -> None:
    (finding,) = findings_of(KIND.format(group="jobset.x-k8s.io/v1alpha2", kind="JobSett"), "TPU372")
    assert finding.fix == "kind: JobSet"


def test_a_kind_that_resembles_only_one_of_another_group_is_not_reported() -> None:
    assert findings_of(KIND.format(group="kueue.x-k8s.io/v1beta1", kind="JobSett"), "TPU372") == []
