"""Rules about fields that the API server accepts only with, or only without, others.

``tests/kubernetes/test_pod_validation.py`` compares them with the API server.
"""

import pytest
from support.manifest_texts import findings_of

from pulumi_gke_tpu.core.rules.engine.examples import INDEXED, tpu_job, tpu_pod

IN_A_VOLUME = "volumes: [{name: data, emptyDir: {}, SECOND: {}}]"


def test_the_second_source_is_the_place_of_the_finding() -> None:
    (finding,) = findings_of(tpu_pod(spec=IN_A_VOLUME.replace("SECOND", "secret")), "TPU339")
    assert finding.path[-3:] == ("volumes", 0, "secret")
    assert "`emptyDir` and `secret` exclude each other" in finding.message


def test_a_field_that_a_template_adds_may_be_the_one_that_is_required() -> None:
    for probe in ('{"{{ .Values.handler }}": {}, periodSeconds: 5}', "{'${HANDLER}': {}}"):
        assert findings_of(tpu_pod(container=f"livenessProbe: {probe}"), "TPU339") == []


def test_a_patch_states_only_what_it_changes() -> None:
    patch = tpu_pod(container="livenessProbe: {periodSeconds: 5}")
    assert findings_of(patch, "TPU339")
    without_image = "".join(line for line in patch.splitlines(keepends=True) if "image:" not in line)
    assert findings_of(without_image, "TPU339") == []


def test_values_that_a_template_sets_may_be_the_missing_ones() -> None:
    term = "{key: zone, operator: In, values: VALUES}"
    affinity = (
        "requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [" + term + "]}]}"
    )
    spec = "affinity: {nodeAffinity: {" + affinity + "}}"
    assert findings_of(tpu_pod(spec=spec.replace("VALUES", "[]")), "TPU353")
    for values in ("'{{ .Values.zones }}'", "['${ZONE}']", "[a]"):
        assert findings_of(tpu_pod(spec=spec.replace("VALUES", values)), "TPU353") == []


def test_the_fix_of_a_port_is_that_of_the_container() -> None:
    pod = tpu_pod(spec="hostNetwork: true", container="ports: [{containerPort: 80, hostPort: 81}]")
    (finding,) = findings_of(pod, "TPU866")
    assert finding.fix is not None
    assert findings_of(pod.replace("hostPort: 81", "hostPort: 80"), "TPU866") == []


def test_a_job_with_manual_selector_has_a_selector() -> None:
    job = "manualSelector: true\nselector: {matchLabels: {app: train}}\n" + INDEXED
    assert findings_of(tpu_job(job=job), "TPU866") == []
    assert findings_of(tpu_job(job=job.replace("true", "false")), "TPU866")


def test_a_mode_that_a_template_sets_may_be_indexed() -> None:
    for mode, count in (("Indexed", 0), ("'{{ .Values.mode }}'", 0), ("NonIndexed", 1)):
        job = INDEXED.replace("Indexed", mode) + "\nbackoffLimitPerIndex: 1"
        assert len(findings_of(tpu_job(job=job), "TPU866")) == count, mode


@pytest.mark.parametrize(
    ("mode", "parallelism", "reported"),
    [("Indexed", "4", True), ("Indexed", "", False), ("NonIndexed", "4", False), ("'{{ .mode }}'", "4", False)],
)
def test_an_indexed_job_needs_completions(mode: str, parallelism: str, reported: bool) -> None:
    """Without `parallelism`, the API server sets both to 1."""
    keys = f"completionMode: {mode}" + (f"\nparallelism: {parallelism}" if parallelism else "")
    found = findings_of(tpu_job(job=keys), "TPU866")
    assert len(found) == reported
    assert all(item.fix == "completions: 4" for item in found)
