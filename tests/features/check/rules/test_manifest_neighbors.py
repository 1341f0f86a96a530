"""Rules about manifests where other objects, containers or templates are beside the mistake."""

from pathlib import Path
from typing import Any

import pytest
import yaml
from support.manifests import findings_in

from pulumi_gke_tpu.core.rules import Rule, all_rules
from pulumi_gke_tpu.core.rules.engine.examples import manifest_files_of, tpu_job, tpu_pod
from pulumi_gke_tpu.core.text.findings import Finding, Severity

VALID = Path(__file__).parents[3] / "manifests" / "valid"

ALONE = [rule for rule in all_rules() if rule.scope.breakable == "manifests" and "--- plan" not in rule.failing]

SKIPPED = """\
apiVersion: batch/v1
kind: Job
metadata: {name: patched}
spec:
  completionMode: Indexed
  template:
    spec:
      nodeSelector: {cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice, cloud.google.com/gke-tpu-topology: 2x2}
      containers: [{name: trainer, resources: {limits: {google.com/tpu: 4}, requests: {google.com/tpu: 4}}}]
---
apiVersion: v1
kind: Pod
metadata: {name: templated, namespace: "{{ .Release.Namespace }}"}
spec:
  "{{ include pod.spec }}": ""
  nodeSelector: {cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice, cloud.google.com/gke-tpu-topology: 2x2}
  containers: [{name: trainer, image: trainer, resources: {limits: {google.com/tpu: 4}, requests: {google.com/tpu: 4}}}]
---
apiVersion: "{{ .Values.apiVersion }}"
kind: "{{ .Values.kind }}"
metadata: {name: unknown}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: web}]}
---
apiVersion: v1
kind: Pod
metadata: {name: buckets, annotations: {gke-gcsfuse/volumes: "true"}}
spec:
  nodeSelector: {cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice, cloud.google.com/gke-tpu-topology: 2x2}
  containers: [{name: trainer, image: trainer, resources: {limits: {google.com/tpu: 4}, requests: {google.com/tpu: 4}}}]
---
"""
"""Objects that rules skip: a patch, a template, a template of a kind, Pods without chips, and Pods without mistakes."""


def found(text: str, rule: str) -> list[Finding]:
    return [finding for finding in findings_in(text) if finding.rule == rule]


def test_the_skipped_objects_break_no_rule_themselves() -> None:
    assert [finding.message for finding in findings_in(SKIPPED)] == []


@pytest.mark.parametrize("rule", ALONE, ids=lambda rule: rule.id)
def test_an_object_that_a_rule_skips_hides_no_mistake_in_the_objects_after_it(rule: Rule[Any]) -> None:
    files = manifest_files_of(rule.failing)
    alone = findings_in(files.manifests, mode=files.mode)
    after = findings_in(SKIPPED + files.manifests, mode=files.mode)
    expected = [finding.message for finding in alone if finding.rule == rule.id]
    assert [finding.message for finding in after if finding.rule == rule.id] == expected


# Volumes and images

MOUNT = "volumeMounts: [{name: NAME, mountPath: /data}]"


def test_an_unknown_volume_is_reported_beside_a_container_without_an_image() -> None:
    pod = tpu_pod(container=MOUNT.replace("NAME", "data"))
    (finding,) = found(pod.replace("  containers:\n", "  containers:\n    - name: injected\n"), "TPU374")
    assert "unknown volume `data`" in finding.message


def test_an_unknown_volume_of_an_init_container_is_reported() -> None:
    spec = "initContainers: [{name: copy, image: copy, " + MOUNT.replace("NAME", "data") + "}]"
    (finding,) = found(tpu_pod(spec=spec), "TPU374")
    assert finding.path[-5:] == ("initContainers", 0, "volumeMounts", 0, "name")


def test_a_volume_whose_name_a_template_sets_is_not_reported() -> None:
    assert found(tpu_pod(container=MOUNT.replace("NAME", "'{{ .Values.volume }}'")), "TPU374") == []


def test_a_container_without_an_image_is_an_error_if_the_leader_has_one() -> None:
    """A LeaderWorkerSet with an image is not taken for a patch, although no other key shows that it is whole."""
    path = VALID / "standard" / "v5e-4x4-leaderworkerset.yaml"
    document = yaml.safe_load(path.read_text(encoding="utf-8"))
    workers = document["spec"]["leaderWorkerTemplate"]["workerTemplate"]["spec"]["containers"]
    workers.append({"name": "metrics"})
    (finding,) = found(yaml.safe_dump(document), "TPU394")
    assert (finding.severity, "`metrics`" in finding.message) == (Severity.ERROR, True)


# Kinds and types

KIND = "apiVersion: {group}\nkind: {kind}\nmetadata: {{name: a}}\nspec: {{}}\n"


def test_a_misspelled_kind_has_the_kind_of_its_own_group_as_its_fix() -> None:
    (finding,) = found(KIND.format(group="jobset.x-k8s.io/v1alpha2", kind="JobSett"), "TPU372")
    assert finding.fix == "kind: JobSet"


def test_a_kind_that_resembles_only_one_of_another_group_is_not_reported() -> None:
    assert found(KIND.format(group="kueue.x-k8s.io/v1beta1", kind="JobSett"), "TPU372") == []


def test_a_list_instead_of_a_string_has_no_fix_and_a_number_has() -> None:
    (finding,) = found(tpu_pod(container="command: [[sleep]]"), "TPU368")
    assert finding.fix == ""
    (finding,) = found(tpu_pod(spec="priorityClassName: 5"), "TPU368")
    assert finding.fix == 'priorityClassName: "5"'


@pytest.mark.parametrize("processors", ["2", "0.5"])
def test_a_number_of_processors_may_have_a_fraction(processors: str) -> None:
    path = VALID / "standard" / "v6e-2x4-rayjob.yaml"
    document = yaml.safe_load(path.read_text(encoding="utf-8"))
    document["spec"]["entrypointNumCpus"] = float(processors)
    assert found(yaml.safe_dump(document), "TPU368") == []


def test_the_restart_policy_of_a_job_without_chips_is_not_reported() -> None:
    web = "apiVersion: batch/v1\nkind: Job\nmetadata: {name: web}\nspec:\n  template:\n    spec:\n"
    web += "      restartPolicy: Always\n      containers: [{name: web, image: web}]\n"
    assert found(tpu_job() + "---\n" + web, "TPU375") == []


# Services

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
