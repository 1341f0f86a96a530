"""Rules about names that queues and workloads refer to."""

import pytest
from support.manifest_texts import plan_with
from support.manifests import broken, findings_in
from support.work import function_calls

from pulumi_gke_tpu.core.rules.engine.examples import tpu_pod
from pulumi_gke_tpu.features.check.rules.operators.examples import changed, job_set, queues

QUEUED = queues() + "---" + job_set("training")


@pytest.mark.parametrize("defined", [True, False])
def test_the_work_grows_with_the_number_of_queues_and_workloads(defined: bool) -> None:
    def calls(number: int) -> int:
        texts = []
        for index in range(number):
            text = QUEUED.replace("training", f"queue-{index}").replace("{name: v6e}", f"{{name: v6e-{index}}}")
            texts.append(text.replace("- name: v6e\n", f"- name: v6e-{index}\n") if defined else text)
        assert ("TPU751" in broken(texts[0])) is not defined
        return function_calls(lambda: findings_in("---".join(texts)))

    calls(1)  # loads rules and facts
    assert calls(160) < 2.3 * calls(80)


def test_a_request_of_zero_needs_no_quota() -> None:
    assert broken(changed(QUEUED, ("requests: {google.com/tpu: 4}", "requests: {google.com/tpu: 4, cpu: 0}"))) == []


CLASS = "---\napiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {name: %s}\nvalue: 10\n"
CLASSES = "    kubernetes: {priority_classes: {high: {value: 10}}%s}\n"


@pytest.mark.parametrize("name", ["high", "hihg", "system-node-critical"])
@pytest.mark.parametrize("source", ["files", "plan", "neither"])
def test_priority_classes_are_those_of_the_files_and_of_the_plan(name: str, source: str) -> None:
    text = tpu_pod(spec=f"priorityClassName: {name}") + (CLASS % "high" if source == "files" else "")
    of = plan_with("tpu: v6e, topology: 2x2") + (CLASSES % "" if source == "plan" else "")
    assert broken(text, plan=of) == (["TPU751"] if name == "hihg" and source != "neither" else [])


@pytest.mark.parametrize(("queues_of_plan", "expected"), [(", queues: {training: {}}", True), ("", False)])
def test_a_plan_has_classes_of_workloads_only_with_queues(queues_of_plan: str, expected: bool) -> None:
    label = "metadata: {name: trainer, labels: {kueue.x-k8s.io/priority-class: hihg}}"
    text = tpu_pod().replace("metadata: {name: trainer}", label)
    of = plan_with("tpu: v6e, topology: 2x2") + CLASSES % queues_of_plan
    assert ("TPU751" in broken(text, plan=of)) is expected


def test_a_queue_in_the_files_can_use_the_flavors_of_the_plan() -> None:
    text = changed(queues(), ("- name: v6e\n", "- name: tpu-main\n"))
    of = plan_with("tpu: v6e, topology: 4x4, count: 2")
    assert "TPU751" in broken(text, plan=of)
    assert "TPU751" not in broken(text, plan=f"{of}    kubernetes: {{queues: {{team: {{}}}}}}\n")


OF_KUEUE = """
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: WorkloadPriorityClass
metadata: {name: high}
value: 10
"""
IN_KUBERNETES = OF_KUEUE.replace("kueue.x-k8s.io/v1beta2", "scheduling.k8s.io/v1").replace("WorkloadP", "P")
PRIORITY = ("queue-name: training", "queue-name: training, kueue.x-k8s.io/priority-class: high")
OF_PODS = ("restartPolicy: Never", "restartPolicy: Never\n              priorityClassName: high")


@pytest.mark.parametrize(
    ("text", "reported"),
    [
        (changed(QUEUED, PRIORITY), True),
        (changed(QUEUED, PRIORITY) + OF_KUEUE, False),
        (changed(job_set("training"), PRIORITY), False),
        (changed(job_set("training"), OF_PODS), False),
        (changed(QUEUED, PRIORITY, OF_PODS) + OF_KUEUE, True),
        (changed(QUEUED, PRIORITY, OF_PODS) + OF_KUEUE + IN_KUBERNETES, False),
    ],
)
def test_a_lost_priority_class_is_unknown_if_the_files_have_what_belongs_to_it(text: str, reported: bool) -> None:
    assert broken(text) == ["TPU751"] * reported
