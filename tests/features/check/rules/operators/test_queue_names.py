"""Rules about names that queues and workloads refer to."""

import pytest
from support.manifests import broken, findings_in
from support.work import function_calls

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
