"""Names, kinds and texts of objects: what is reported, and what the suggested text is."""

import pytest
import yaml
from support.manifests import broken, findings_in
from support.written import findings_as

from pulumi_gke_tpu.core.rules.engine.examples import tpu_pod
from pulumi_gke_tpu.core.text.findings import Severity

CONFIG = "apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: settings}}\ndata: {{VALUE: {value}}}\n"
SECRET = "apiVersion: v1\nkind: Secret\nmetadata: {name: login}\nstringData: {PIN: 40961234}\n"


@pytest.mark.parametrize("written", ["12", "1.50", "0x1F", "1e3", "yes", "True", "off"])
def test_a_text_is_quoted_as_it_is_written(written: str) -> None:
    (finding,) = findings_in(CONFIG.format(value=written))
    assert (finding.rule, finding.fix) == ("TPU755", f'VALUE: "{written}"')
    assert findings_in(CONFIG.format(value=f'"{written}"')) == ()


@pytest.mark.parametrize("form", ["text", "json", "sarif", "github", "gitlab"])
def test_no_value_of_a_secret_is_shown(form: str) -> None:
    findings = findings_in(SECRET)
    assert [finding.rule for finding in findings] == ["TPU755"]
    assert "40961234" not in findings_as(form, findings)


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


@pytest.mark.parametrize(
    ("value", "fix"),
    [
        ("projects/acme/regions/us-east5/resourcePolicies/cubes", "cubes"),
        ("https://www.googleapis.com/compute/v1/projects/acme/regions/us-east5/resourcePolicies/cubes", "cubes"),
        ("a b", ""),
        ("x" * 64, ""),
        ("-x", ""),
    ],
)
def test_a_value_that_no_label_can_have_is_reported(value: str, fix: str) -> None:
    key = "cloud.google.com/placement-policy-name"
    (finding,) = findings_in(tpu_pod(selector=f"{key}: {value}"))
    assert (finding.rule, finding.fix) == ("TPU308", f"{key}: {fix}" if fix else "")


@pytest.mark.parametrize("value", ["cubes", "x" * 63, "A.b_c-1", '""', "${POLICY}"])
def test_a_value_of_a_label_is_accepted(value: str) -> None:
    assert findings_in(tpu_pod(selector=f"cloud.google.com/placement-policy-name: {value}")) == ()
