"""Rules about queued provisioning by Kueue."""

import pytest
from support.manifest_texts import finding_of
from support.manifests import broken, findings_in

from pulumi_gke_tpu.core.text.findings import Severity
from pulumi_gke_tpu.features.check.rules.operators.examples import changed, job_set, queues
from pulumi_gke_tpu.features.check.rules.operators.queued_provisioning import (
    ephemeral_volume_on_queued_capacity,
    queued_provisioning,
)

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


SERVER = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: serve, annotations: {OBJECT}, labels: {kueue.x-k8s.io/queue-name: training}}
spec:
  selector: {matchLabels: {app: serve}}
  template:
    metadata: {annotations: {POD}, labels: {app: serve}}
    spec:
      nodeSelector: {cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice, cloud.google.com/gke-tpu-topology: 2x2}
      containers:
        - {name: main, image: serve, resources: {requests: {google.com/tpu: 4}, limits: {google.com/tpu: 4}}}
"""
DAY = 'provreq.kueue.x-k8s.io/maxRunDurationSeconds: "86400"'


@pytest.mark.parametrize(
    ("on_object", "on_pod", "expected"),
    [
        ("", DAY, []),
        (DAY, "", ["has no effect on the object; put it on the Pod template"]),
        ("", DAY.replace("86400", "864000"), ["run duration 864000 s"]),
        ("", DAY.replace("86400", "1d"), ["invalid run duration"]),
    ],
    ids=str,
)
def test_kueue_reads_the_run_duration_of_a_deployment_from_its_pods(
    on_object: str, on_pod: str, expected: list[str]
) -> None:
    text = SERVER.replace("OBJECT", on_object).replace("POD", on_pod)
    found = [one.message for one in findings_in(text) if one.rule == "TPU789"]
    assert len(found) == len(expected)
    assert all(part in message for part, message in zip(expected, found, strict=True)), found


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


CHECK = """
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: AdmissionCheck
metadata: {name: queued}
spec:
  controllerName: CONTROLLER
  parameters: {apiGroup: kueue.x-k8s.io, kind: ProvisioningRequestConfig, name: queued}
"""
SERVED = "kueue.x-k8s.io/provisioning-request"
STRATEGY = "  admissionChecksStrategy: {admissionChecks: [{name: queued%s}]}\n  namespaceSelector"
OF_GPUS = queued_provisioning.passing.replace("google.com/tpu", "nvidia.com/gpu")


@pytest.mark.parametrize(
    ("queue", "reported"),
    [
        ("", False),
        (queues(), False),
        (queues().replace("  namespaceSelector", STRATEGY % ""), True),
        (queues().replace("  namespaceSelector", STRATEGY % ", onFlavors: [v6e]"), True),
        (queues().replace("  namespaceSelector", STRATEGY % ", onFlavors: [a100]"), False),
        (queues().replace("  namespaceSelector", STRATEGY % "").replace("nominalQuota: 32", "nominalQuota: 0"), False),
        (queues().replace("  namespaceSelector", STRATEGY % "").replace("name: queued", "name: [queued]"), False),
    ],
)
def test_a_configuration_for_gpus_is_wrong_where_it_serves_chips(queue: str, reported: bool) -> None:
    text = OF_GPUS + CHECK.replace("CONTROLLER", SERVED) + (f"---{queue}" if queue else "")
    found = [item for item in findings_in(text) if item.rule == "TPU789"]
    assert ["managedResources" in item.message for item in found] == [True] * reported


@pytest.mark.parametrize(
    ("name", "reported"),
    [
        (SERVED, False),
        ("kueue.x-k8s.io/multikueue", False),
        ("kueue.x-k8s.io/provisioningrequest", True),
        ("kueue.x-k8s.io/budget", True),
        ("accelerator.gke.io/slice", False),
        ("'${CONTROLLER}'", False),
    ],
)
def test_only_kueue_has_the_controllers_of_its_domain(name: str, reported: bool) -> None:
    found = findings_in(queued_provisioning.passing + CHECK.replace("CONTROLLER", name))
    assert [item.rule for item in found] == ["TPU789"] * reported


@pytest.mark.parametrize(
    "queued",
    [
        ('    cloud.google.com/gke-queued: "true"\n', ""),
        (
            "metadata: {name: trainer}",
            "metadata:\n  name: trainer\n  annotations: {autoscaling.x-k8s.io/consume-provisioning-request: a}",
        ),
        ("", None),
    ],
    ids=["no capacity", "an annotation", "a label"],
)
def test_only_queued_capacity_lacks_ephemeral_volumes(queued: tuple[str, str | None]) -> None:
    before, after = queued
    text = ephemeral_volume_on_queued_capacity.failing
    text = text.replace('    cloud.google.com/gke-queued: "true"\n', "") if after is not None else text
    text = text.replace(before, after) if after else text
    assert ("TPU570" in broken(text)) is (after != "")


def test_a_queue_asks_for_queued_capacity() -> None:
    queue = queues().replace("  namespaceSelector", STRATEGY % "")
    claim = "ephemeral: {volumeClaimTemplate: {spec: {accessModes: [ReadWriteOnce]}}}"
    volumes = f"volumes: [{{name: scratch, {claim}}}]"
    run = job_set("training").replace("restartPolicy: Never", f"restartPolicy: Never\n              {volumes}")
    assert "TPU570" in broken(f"{queue}---{run}{CHECK.replace('CONTROLLER', SERVED)}")
    assert "TPU570" not in broken(f"{queues()}---{run}{CHECK.replace('CONTROLLER', SERVED)}")
