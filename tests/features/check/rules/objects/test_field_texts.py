"""Rules about texts of fields. ``tests/kubernetes/test_pod_validation.py`` compares them with the API server."""

from support.manifest_texts import findings_of

from pulumi_gke_tpu.core.rules.engine.examples import tpu_pod


def test_the_fix_of_an_image_is_its_name() -> None:
    for image in ("https://gcr.io/acme/train:v1", "docker://gcr.io/acme/train:v1", "'gcr.io/acme/train:v1 '"):
        (finding,) = findings_of(tpu_pod().replace("image: trainer", f"image: {image}"), "TPU867")
        assert finding.fix == 'image: "gcr.io/acme/train:v1"', image


def test_the_fix_of_a_field_is_its_spelling() -> None:
    field = "env: [{name: NODE, valueFrom: {fieldRef: {fieldPath: PATH}}}]"
    (finding,) = findings_of(tpu_pod(container=field.replace("PATH", "status.podIp")), "TPU867")
    assert finding.fix == "fieldPath: status.podIP"
    for path in ("\"metadata.labels['app']\"", "'{{ .Values.field }}'"):
        assert findings_of(tpu_pod(container=field.replace("PATH", path)), "TPU867") == []


def test_texts_and_keys_of_a_template_are_not_reported() -> None:
    pod = tpu_pod(selector='"{{ .Values.label }}": "true"', container="env: [{name: '${NAME}=', value: a}]")
    assert findings_of(pod, "TPU867") == []


def test_a_key_of_a_pod_template_is_reported_once() -> None:
    deployment = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: serve, labels: {app: serve}}
spec:
  selector: {matchLabels: {app: serve}}
  template:
    metadata: {labels: {app: serve, my team: a}}
    spec: SPEC
"""
    spec = "{nodeSelector: {cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice}, containers: [{name: a, image: a}]}"
    (finding,) = findings_of(deployment.replace("SPEC", spec), "TPU867")
    assert finding.path[-2:] == ("labels", "my team")
