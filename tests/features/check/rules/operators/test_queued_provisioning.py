"""Rules about queued provisioning by Kueue."""

import pytest
from support.manifest_texts import finding_of
from support.manifests import broken, findings_in

from pulumi_gke_tpu.core.text.findings import Severity
from pulumi_gke_tpu.features.check.rules.operators.examples import changed, job_set, queues
from pulumi_gke_tpu.features.check.rules.operators.queued_provisioning import queued_provisioning

QUEUED = queues() + "---" + job_set("training")


@pytest.mark.parametrize(
    ("name", "severity", "message"),
    [
        ("check-capacity.autoscaling.x-k8s.io", Severity.WARNING, "creates no queued slices"),
        ("dws", Severity.ERROR, "unknown provisioning class `dws`"),
        ('""', Severity.ERROR, "unknown provisioning class"),
    ],
)
def test_other_provisioning_classes(name: str, severity: Severity, message: str) -> None:
    finding = finding_of(changed(queued_provisioning.passing, ("queued-provisioning.gke.io", name)), "TPU789")
    assert finding.severity is severity
    assert message in finding.message


@pytest.mark.parametrize(
    ("seconds", "expected"), [("604800", []), ("604801", ["TPU789"]), ("9" * 400, ["TPU789"]), ("-1", ["TPU789"])]
)
def test_a_run_lasts_at_most_seven_days(seconds: str, expected: list[str]) -> None:
    annotation = f'provreq.kueue.x-k8s.io/maxRunDurationSeconds: "{seconds}", '
    assert broken(changed(job_set(), ("annotations: {", "annotations: {" + annotation))) == expected


PROVISIONED = """---
apiVersion: kueue.x-k8s.io/v1beta2
kind: AdmissionCheck
metadata: {name: queued}
spec: {controllerName: CONTROLLER}
"""


@pytest.mark.parametrize(
    ("controller", "number"), [("kueue.x-k8s.io/provisioning-request", 1), ("kueue.x-k8s.io/multikueue", 0)]
)
def test_gke_provisions_one_set_of_pods(controller: str, number: int) -> None:
    second = job_set().partition("  replicatedJobs:\n")[2].replace("name: slice", "name: second")
    checks = "  admissionChecksStrategy: {admissionChecks: [{name: queued}]}\n  namespaceS"
    text = changed(QUEUED, ("  namespaceS", checks)) + second + PROVISIONED.replace("CONTROLLER", controller)
    found = [item for item in findings_in(text) if item.rule == "TPU789"]
    assert len(found) == number
    assert all("2 sets of Pods" in item.message for item in found)


CLASS = """
apiVersion: kueue.x-k8s.io/v1beta2
kind: ProvisioningRequestConfig
metadata: {name: sample}
spec: {provisioningClassName: test-class}
"""


@pytest.mark.parametrize(("managed", "severity"), [("", Severity.WARNING), ("[google.com/tpu]", Severity.ERROR)])
def test_a_provisioning_class_is_an_error_only_for_chips(managed: str, severity: Severity) -> None:
    text = CLASS.replace("test-class", f"test-class, managedResources: {managed}") if managed else CLASS
    (finding,) = findings_in(text)
    assert (finding.rule, finding.severity) == ("TPU789", severity)
