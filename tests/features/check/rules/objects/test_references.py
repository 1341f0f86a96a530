"""Rules about names inside of an object: duplicates, volumes, and labels that it refers to."""

import textwrap

import pytest
from support.manifest_texts import findings_of
from support.manifests import findings_in

from pulumi_gke_tpu.core.rules.engine.examples import tpu_job, tpu_pod
from pulumi_gke_tpu.core.text.findings import Severity

MOUNT = "volumeMounts: [{name: NAME, mountPath: /data}]"


def test_an_unknown_volume_is_reported_beside_a_container_without_an_image() -> None:
    pod = tpu_pod(container=MOUNT.replace("NAME", "data"))
    (finding,) = findings_of(pod.replace("  containers:\n", "  containers:\n    - name: injected\n"), "TPU374")
    assert "unknown volume `data`" in finding.message


def test_an_unknown_volume_of_an_init_container_is_reported() -> None:
    spec = "initContainers: [{name: copy, image: copy, " + MOUNT.replace("NAME", "data") + "}]"
    (finding,) = findings_of(tpu_pod(spec=spec), "TPU374")
    assert finding.path[-5:] == ("initContainers", 0, "volumeMounts", 0, "name")


def test_a_volume_whose_name_a_template_sets_is_not_reported() -> None:
    assert findings_of(tpu_pod(container=MOUNT.replace("NAME", "'{{ .Values.volume }}'")), "TPU374") == []


def test_the_restart_policy_of_a_job_without_chips_is_not_reported() -> None:
    web = "apiVersion: batch/v1\nkind: Job\nmetadata: {name: web}\nspec:\n  template:\n    spec:\n"
    web += "      restartPolicy: Always\n      containers: [{name: web, image: web}]\n"
    assert findings_of(tpu_job() + "---\n" + web, "TPU375") == []


SERVER = """\
apiVersion: v1
kind: Service
metadata: {name: SERVICE}
spec:
  selector: SELECTOR
  ports: [{port: 80, targetPort: http}]
---
"""


def served(selector: str, labels: str, ports: str = "[{name: metrics, containerPort: 9}]", service: str = "web") -> str:
    pod = tpu_pod(container=f"ports: {ports}" if ports else "")
    pod = pod.replace("metadata: {name: trainer}", f"metadata: {{name: trainer, labels: {labels}}}")
    return SERVER.replace("SELECTOR", selector).replace("SERVICE", service) + pod


def test_a_service_with_an_unknown_port_is_reported_also_if_it_selects_pods_without_chips_too() -> None:
    text = served("{app: a}", "{app: a}")
    other = "---\napiVersion: v1\nkind: Pod\nmetadata: {name: web, labels: {app: a}}\n"
    other += "spec: {containers: [{name: web, image: web}]}\n"
    (finding,) = [item for item in findings_in(text + other) if "unknown port `http`" in item.message]
    assert finding.severity is Severity.WARNING


def test_a_service_without_a_selector_has_endpoints_of_its_own() -> None:
    assert [item.message for item in findings_in(served("{}", "{app: a}"))] == []


def test_ports_that_a_template_sets_are_not_reported() -> None:
    assert [item.message for item in findings_in(served("{app: a}", "{app: a}", "'{{ .Values.ports }}'"))] == []


def test_a_label_that_is_not_text_is_not_compared_with_a_selector() -> None:
    labels = "{app: [a], tier: front}"
    text = served("{app: a, tier: fronts}", labels, service="trainer")
    assert "no Pod of the files" not in " ".join(item.message for item in findings_in(text))


@pytest.mark.parametrize(("policy", "reported"), [("Never", True), ("OnFailure", True), ("Always", False)])
@pytest.mark.parametrize("template", ["leaderTemplate", "workerTemplate"])
def test_the_pods_of_a_leader_worker_set_are_those_of_stateful_sets(template: str, policy: str, reported: bool) -> None:
    spec = tpu_pod(spec=f"restartPolicy: {policy}").partition("spec:\n")[2]
    pods = f"    {template}:\n      spec:\n{textwrap.indent(spec, '      ')}"
    others = "    workerTemplate: {spec: {containers: [{name: w, image: w}]}}\n" if template[0] == "l" else ""
    text = (
        "apiVersion: leaderworkerset.x-k8s.io/v1\nkind: LeaderWorkerSet\nmetadata: {name: serve}\nspec:\n"
        f"  leaderWorkerTemplate:\n    size: 2\n{others}{pods}"
    )
    assert len(findings_of(text, "TPU375")) == reported
