"""Rules about manifests where other objects, containers or templates are beside the mistake."""

from typing import Any

from support.each import by_id, each
from support.manifests import findings_in

from pulumi_gke_tpu.core.rules import Rule, all_rules
from pulumi_gke_tpu.core.rules.engine.examples import manifest_files_of

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


def test_the_skipped_objects_break_no_rule_themselves() -> None:
    assert [finding.message for finding in findings_in(SKIPPED)] == []


@each("rule", ALONE, by_id)
def test_an_object_that_a_rule_skips_hides_no_mistake_in_the_objects_after_it(rule: Rule[Any]) -> None:
    files = manifest_files_of(rule.failing)
    alone = findings_in(files.manifests, mode=files.mode)
    after = findings_in(SKIPPED + files.manifests, mode=files.mode)
    expected = [finding.message for finding in alone if finding.rule == rule.id]
    assert [finding.message for finding in after if finding.rule == rule.id] == expected
