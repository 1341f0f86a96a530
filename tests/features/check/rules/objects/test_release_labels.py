"""Labels of Helm with a version in Pods with chips and their selectors."""

import pytest
from support.manifests import findings_in

from pulumi_gke_tpu.core.rules.engine.examples import tpu_job, tpu_pod, tpu_server
from pulumi_gke_tpu.core.text.findings import Severity
from pulumi_gke_tpu.features.check.rules.operators.examples import changed, job_set

SERVER = tpu_server()
LABELS = "labels: {app: serve}}"
CHART, VERSION = "helm.sh/chart: serve-0.1.0", "app.kubernetes.io/version: v1"
IN_JOB = "template:\n    metadata: {labels: {%s}}\n"


def in_template(label: str, text: str = SERVER) -> str:
    return text.replace(LABELS, f"labels: {{app: serve, {label}}}}}")


def in_selector(label: str) -> str:
    return in_template(label).replace("matchLabels: {app: serve}", f"matchLabels: {{app: serve, {label}}}")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (in_template(CHART), [(Severity.NOTE, "restarts them")]),
        (in_template(VERSION), []),
        (in_template("helm.sh/chart: $CHART"), []),
        (in_selector(CHART), [(Severity.WARNING, "the selector")]),
        (in_selector(VERSION), [(Severity.WARNING, "the selector")]),
        (in_selector(CHART).replace("Deployment", "StatefulSet"), [(Severity.WARNING, "the selector")]),
        (SERVER.replace("{name: serve}", f"{{name: serve, labels: {{{CHART}}}}}", 1), []),
        (changed(tpu_job(), ("template:\n", IN_JOB % CHART)), [(Severity.WARNING, "while it exists")]),
        (changed(job_set(), ("metadata:\n", f"metadata:\n  labels: {{{CHART}}}\n")), []),
        (tpu_pod().replace("{name: trainer}", f"{{name: trainer, labels: {{{CHART}}}}}"), []),
    ],
)
def test_versions_of_charts_are_reported_where_they_restart_or_stop(
    text: str, found: list[tuple[Severity, str]]
) -> None:
    assert text not in (SERVER, tpu_job(), job_set(), tpu_pod())
    findings = [item for item in findings_in(text) if item.rule == "TPU580"]
    assert [item.severity for item in findings] == [severity for severity, _ in found]
    assert all(part in item.message for item, (_, part) in zip(findings, found, strict=True))


def test_a_hook_of_helm_is_created_again() -> None:
    text = changed(tpu_job(), ("template:\n", IN_JOB % CHART))
    hook = text.replace(
        "metadata: {name: trainer}", "metadata: {name: trainer, annotations: {helm.sh/hook: post-install}}", 1
    )
    assert hook != text
    assert "TPU580" not in {item.rule for item in findings_in(hook)}
