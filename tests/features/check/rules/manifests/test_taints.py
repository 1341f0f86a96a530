"""Rules about tolerations that pods need."""

import pytest
from support.manifests import broken

from pulumi_gke_tpu.core.rules.engine.examples import tpu_pod
from pulumi_gke_tpu.features.check.rules.manifests.taints import missing_tpu_toleration


def test_the_flavor_of_a_queue_may_bring_the_toleration() -> None:
    text = tpu_pod(selector='cloud.google.com/gke-queued: "true"')
    assert broken(text) == ["TPU734"]
    label = "metadata: {name: trainer, labels: {kueue.x-k8s.io/queue-name: research}}"
    assert broken(text.replace("metadata: {name: trainer}", label)) == []


@pytest.mark.parametrize(
    ("toleration", "expected"),
    [
        ("{key: google.com/tpu, operator: Exists}", []),
        ("{key: google.com/tpu, value: present}", []),
        ("{key: google.com/tpu, operator: Equal, value: present, effect: NoSchedule}", []),
        ('{key: google.com/tpu, operator: Equal, value: "true"}', ["TPU731"]),
        ("{key: google.com/tpu}", ["TPU731"]),
        ("{key: google.com/tpu, operator: Exists, effect: NoExecute}", ["TPU731"]),
    ],
)
def test_a_toleration_counts_with_the_value_of_the_taint(toleration: str, expected: list[str]) -> None:
    text = missing_tpu_toleration.passing.replace("{key: google.com/tpu, operator: Exists}", toleration)
    assert broken(text + "\n") == expected
