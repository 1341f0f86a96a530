"""Workloads that gke-tpu wrote before a change of the plan; ``test_changed_plans.py`` changes plans of every kind."""

import pytest
from support.manifest_texts import finding_of
from support.manifests import broken, findings_in

from pulumi_gke_tpu.core.text.findings import Severity
from pulumi_gke_tpu.features.check.rules.alignment.written_workloads import written_workload_differs
from pulumi_gke_tpu.features.check.rules.operators.examples import changed

JOB, _, PLAN = written_workload_differs.passing.partition("--- plan\n")
SELECTOR = "      nodeSelector:\n"
SPOT = changed(PLAN, ("zone: us-east5-b", "zone: us-east5-b, capacity: spot"))


def message(text: str, plan: str = PLAN) -> str:
    finding = finding_of(text, "TPU316", plan=plan)
    assert finding.severity is Severity.WARNING
    return finding.message


def test_the_finding_is_at_what_differs() -> None:
    text = changed(JOB, ("topology: 2x2", "topology: 2x4"), ("google.com/tpu: 4", "google.com/tpu: 8"))
    finding = finding_of(text, "TPU316", plan=PLAN)
    assert finding.message == "Job `tune` is out of date: the plan now has gke-tpu-topology 2x2 and 4 chips in each Pod"
    assert finding.position is not None
    assert text.splitlines()[finding.position.line - 1].strip() == "cloud.google.com/gke-tpu-topology: 2x4"


@pytest.mark.parametrize(
    ("change", "plan", "expected"),
    [
        (("{name: tune,", "{name: tune, namespace: team,"), PLAN, "the namespace `default`"),
        (("gke-tpu}", "gke-tpu, kueue.x-k8s.io/queue-name: q}"), PLAN, "no queue"),
        (("    spec:\n", "    spec:\n      priorityClassName: high\n"), PLAN, "no priority class"),
        ((SELECTOR, f'{SELECTOR}        cloud.google.com/gke-spot: "true"\n'), PLAN, "no gke-spot"),
        ((SELECTOR, SELECTOR), SPOT, "gke-spot true"),
    ],
)
def test_what_decides_where_and_when_pods_run_is_compared(change: tuple[str, str], plan: str, expected: str) -> None:
    assert message(changed(JOB, change), plan) == f"Job `tune` is out of date: the plan now has {expected}"


@pytest.mark.parametrize(
    "change",
    [
        ("image: tune", "image: other"),
        ("name: tune, ", "name: tune, namespace: default, "),
        ("    spec:\n", "    spec:\n      tolerations: [{key: team, operator: Exists}]\n"),
        (SELECTOR, f"{SELECTOR}        topology.kubernetes.io/zone: us-east5-b\n"),
        ("topology: 2x2", "topology: '${TOPOLOGY}'"),
        ("tpu: 4", "tpu: '${CHIPS}'"),
        ("gke-tpu}", "gke-tpu, kueue.x-k8s.io/queue-name: '${QUEUE}'}"),
        ("by: gke-tpu", "by: Helm"),
        ("name: tune", "name: other"),
    ],
)
def test_the_rest_can_be_edited(change: tuple[str, str]) -> None:
    assert "TPU316" not in broken(changed(JOB, change), plan=PLAN)


@pytest.mark.parametrize("odd", ["[a]", "{a: b}", "1", "null", "true"])
def test_odd_values_are_not_compared_with_an_error(odd: str) -> None:
    for key in ("kueue.x-k8s.io/queue-name", "kueue.x-k8s.io/priority-class"):
        findings_in(changed(JOB, ("gke-tpu}", f"gke-tpu, {key}: {odd}}}")), plan=PLAN)
    for key in ("nodeSelector", "priorityClassName", "tolerations", "affinity"):
        text = changed(JOB, ("    spec:\n", f"    spec:\n      {key}: {odd}\n"))
        findings_in(text if key != "nodeSelector" else text.replace(SELECTOR, "      other:\n"), plan=PLAN)
