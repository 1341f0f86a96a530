"""Rules about what Autopilot refuses in pods."""

import pytest
from support.manifest_texts import job_set_with, only
from support.manifests import broken, findings_in

from pulumi_gke_tpu.core.rules.engine.examples import tpu_pod
from pulumi_gke_tpu.core.text.findings import Severity

E, W, N = Severity.ERROR, Severity.WARNING, Severity.NOTE

SERVER = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: adapter}
spec:
  selector: {matchLabels: {app: adapter}}
  template:
    metadata: {labels: {app: adapter}}
    spec:
      tolerations: [%s]
      containers: [{name: a, image: adapter}]
"""
COUNTS = "parallelism: 4\n          completions: 4"

ON_AUTOPILOT = {
    "host network": ("hostNetwork: true", "`hostNetwork` is not supported with Autopilot"),
    "host processes": ("hostPID: true", "`hostPID`"),
    "a host path": ("volumes: [{name: a, hostPath: {path: /tmp}}]", "the host path `/tmp`"),
    "a log folder that is written": (
        "volumes: [{name: logs, hostPath: {path: /var/log}}]\n"
        "initContainers: [{name: a, image: a, volumeMounts: [{name: logs, mountPath: /logs}]}]",
        "the host path `/var/log`",
    ),
    "a host port": ("initContainers: [{name: a, image: a, ports: [{containerPort: 1, hostPort: 80}]}]", "`hostPort`"),
    "privileges": ("initContainers: [{name: a, image: a, securityContext: {privileged: true}}]", "`privileged`"),
}


@pytest.mark.parametrize("name", ON_AUTOPILOT)
def test_autopilot_refuses_access_to_the_host(name: str) -> None:
    spec, words = ON_AUTOPILOT[name]
    finding = only(tpu_pod(spec=spec), mode="autopilot")
    assert (finding.rule, finding.severity) == ("TPU737", E)
    assert words in finding.message
    assert broken(tpu_pod(spec=spec), mode="standard") == []
    assert broken(tpu_pod(spec=spec)) == []


@pytest.mark.parametrize(
    "spec",
    [
        "hostNetwork: false",
        "volumes: [{name: a, emptyDir: {}}]",
        "volumes: [{name: logs, hostPath: {path: /var/log/pods}}]\n"
        "initContainers: [{name: a, image: a, volumeMounts: [{name: logs, mountPath: /logs, readOnly: true}]}]",
        "initContainers: [{name: a, image: a, ports: [{containerPort: 1}], securityContext: {privileged: false}}]",
    ],
)
def test_autopilot_accepts_the_rest(spec: str) -> None:
    assert broken(tpu_pod(spec=spec), mode="autopilot") == []


def test_a_node_pool_is_reported_on_autopilot() -> None:
    finding = only(tpu_pod(selector="cloud.google.com/gke-nodepool: train"), mode="autopilot")
    assert (finding.rule, finding.severity) == ("TPU736", E)


NOT_EVICTED = 'metadata: {name: a, annotations: {cluster-autoscaler.kubernetes.io/safe-to-evict: "false"}}'

EXCLUDING = {
    "Spot": tpu_pod(selector='cloud.google.com/gke-spot: "true"'),
    "a ComputeClass": tpu_pod(selector="cloud.google.com/compute-class: a"),
    "affinity between Pods": tpu_pod(
        spec="affinity: {podAntiAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 1}]}}"
    ),
}


@pytest.mark.parametrize("other", EXCLUDING)
def test_an_extended_run_excludes_others_on_autopilot_only(other: str) -> None:
    text = EXCLUDING[other].replace("metadata: {name: trainer}", NOT_EVICTED)
    (finding,) = [item for item in findings_in(text, mode="autopilot") if item.rule == "TPU740"]
    assert finding.message == f"the extended run time of a Pod is not supported with {other}"
    assert finding.severity is W
    assert "TPU740" not in broken(text, mode="standard") + broken(text)


def test_exclusive_topology_counts_as_affinity() -> None:
    text = job_set_with(COUNTS).replace(
        "            spec:\n              restartPolicy",
        f"            {NOT_EVICTED}\n            spec:\n              restartPolicy",
    )
    assert "exclusive topology" in next(x.message for x in findings_in(text, mode="autopilot") if x.rule == "TPU740")


@pytest.mark.parametrize(
    ("pod", "severity"),
    [
        (tpu_pod(selector="node.kubernetes.io/instance-type: ct6e-standard-4t"), W),
        (tpu_pod(selector="beta.kubernetes.io/os: linux"), W),
        (tpu_pod(selector="kubernetes.io/os: linux"), None),
        (tpu_pod(spec="tolerations: [{key: google.com/tpu, operator: Exists}]"), None),
        (SERVER % "{key: google.com/tpu, operator: Exists}", W),
        (SERVER % "{key: google.com/tpu, operator: Equal, value: present, effect: NoSchedule}", W),
        (SERVER % "{operator: Exists}", None),
        (SERVER % "{key: team, operator: Exists}", None),
    ],
)
def test_autopilot_rejects_some_selectors_and_tolerations(pod: str, severity: Severity | None) -> None:
    found = [item for item in findings_in(pod, mode="autopilot") if item.rule == "TPU736"]
    assert [item.severity for item in found] == ([severity] if severity else [])
    assert "TPU736" not in broken(pod, mode="standard")
