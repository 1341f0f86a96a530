"""Rules about containers with chips, variables, values that must be text, and values of labels."""

import pytest
from support.manifest_texts import ON_TPU7X, assert_found, job_set_with
from support.manifests import broken, findings_in
from support.written import FORMATS_OF_FINDINGS, findings_as

from pulumi_gke_tpu.core.rules.engine.examples import tpu_pod
from pulumi_gke_tpu.core.text.findings import Severity
from pulumi_gke_tpu.features.check.rules.operators.examples import changed, job_set

E, W, N = Severity.ERROR, Severity.WARNING, Severity.NOTE

COUNTS = "parallelism: 4\n          completions: 4"

FOUND = {
    "three containers on tpu7x": (
        f"{ON_TPU7X}  containers: [{{name: a, image: a, resources: {{limits: {{google.com/tpu: 2}}}}}}, "
        "{name: b, image: a, resources: {limits: {google.com/tpu: 1}}}, "
        "{name: c, image: a, resources: {limits: {google.com/tpu: 1}}}]",
        "TPU729",
        W,
        "3 containers",
    ),
    "a GPU beside a TPU selector": (
        tpu_pod().replace("limits: {google.com/tpu: 4}", "limits: {google.com/tpu: 4, nvidia.com/gpu: 1}"),
        "TPU730",
        E,
        "TPU nodes have no GPUs",
    ),
    "a misspelt resource": (
        "apiVersion: v1\nkind: Pod\nspec: {containers: [{name: a, resources: {limits: {google.com/tpus: 4}}}]}",
        "TPU730",
        W,
        "the resource of chips is google.com/tpu",
    ),
    # variables and types
    "the number of slices by hand": (
        job_set_with(COUNTS, env="env: [{name: MEGASCALE_NUM_SLICES, value: '2'}]"),
        "TPU738",
        W,
        "`MEGASCALE_NUM_SLICES` has a fixed value",
    ),
    "a number as a variable": (
        tpu_pod(container="env: [{name: STEPS, value: 100}]"),
        "TPU755",
        E,
        "`value` must be text, and YAML reads `100` as a number",
    ),
    "a boolean as an annotation": (
        tpu_pod().replace("metadata: {name: trainer}", "metadata: {name: a, annotations: {gke-gcsfuse/volumes: true}}"),
        "TPU755",
        E,
        "`gke-gcsfuse/volumes` must be text",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", FOUND)
def test_a_mistake_is_found(name: str) -> None:
    assert_found(*FOUND[name])


@pytest.mark.parametrize("name", ["slice", "leader"])
def test_a_job_of_a_job_set_leads_no_others_whatever_its_name(name: str) -> None:
    env = 'image: train\n                  env: [{name: TPU_WORKER_ID, value: "0"}]'
    assert broken(changed(job_set(), ("- name: slice", f"- name: {name}"), ("image: train", env))) == ["TPU738"]


@pytest.mark.parametrize("name", ["MEGASCALE_COORDINATOR_ADDRESS", "MEGASCALE_NUM_SLICES", "TPU_WORKER_ID"])
@pytest.mark.parametrize("with_head", [False, True])
def test_gke_sets_variables_of_several_slices_only_if_all_pods_have_chips(name: str, with_head: bool) -> None:
    text = changed(job_set(), ("image: train", f"image: train\n                  env: [{{name: {name}, value: '1'}}]"))
    if with_head:
        text += "    - name: head\n      template: {spec: {backoffLimit: 0, template: {spec: {restartPolicy: Never, "
        text += "containers: [{name: head, image: head}]}}}}\n"
    assert ("TPU738" in broken(text)) is not (with_head and name.startswith("MEGASCALE"))


CONFIG = "apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: settings}}\ndata: {{VALUE: {value}}}\n"

SECRET = "apiVersion: v1\nkind: Secret\nmetadata: {name: login}\nstringData: {PIN: 40961234}\n"


@pytest.mark.parametrize("written", ["12", "1.50", "0x1F", "1e3", "yes", "True", "off"])
def test_a_text_is_quoted_as_it_is_written(written: str) -> None:
    (finding,) = findings_in(CONFIG.format(value=written))
    assert (finding.rule, finding.fix) == ("TPU755", f'VALUE: "{written}"')
    assert findings_in(CONFIG.format(value=f'"{written}"')) == ()


@pytest.mark.parametrize("form", FORMATS_OF_FINDINGS)
def test_no_value_of_a_secret_is_shown(form: str) -> None:
    findings = findings_in(SECRET)
    assert [finding.rule for finding in findings] == ["TPU755"]
    assert "40961234" not in findings_as(form, findings)


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


@pytest.mark.parametrize(
    ("resource", "severity"),
    [
        ("smarter-devices/fuse: 1", W),
        ("devices.acme.example/camera: 1", W),
        ("nvidia.com/gpu: 1", E),
        ("hugepages-2Mi: 1Gi", None),
        ("networking.gke.io.networks/dcn: 1", None),
        ("'{{ .Values.device }}': 1", None),
    ],
)
def test_a_tpu_node_has_no_resources_of_other_device_plugins(resource: str, severity: Severity | None) -> None:
    text = tpu_pod().replace("limits: {google.com/tpu: 4}", f"limits: {{google.com/tpu: 4, {resource}}}")
    found = [item for item in findings_in(text) if item.rule == "TPU730"]
    assert [item.severity for item in found] == ([severity] if severity else [])


@pytest.mark.parametrize("value", ["yes", "on", "True", "true"])
@pytest.mark.parametrize("label", ["gke-spot", "gke-flex-start", "gke-queued"])
def test_a_boolean_of_a_capacity_label_is_true(label: str, value: str) -> None:
    found = findings_in(tpu_pod(selector=f"cloud.google.com/{label}: {value}"))
    (finding,) = [item for item in found if item.rule == "TPU755"]
    assert finding.fix == f'cloud.google.com/{label}: "true"'


def test_other_booleans_are_quoted_as_they_are() -> None:
    (finding,) = findings_in(tpu_pod(selector="acme.example/spare: yes"))
    assert finding.fix == 'acme.example/spare: "yes"'
