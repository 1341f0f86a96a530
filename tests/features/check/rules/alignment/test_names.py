"""Rules about names that manifests refer to and nothing defines."""

import pytest
from support.manifests import broken

JOB = """
apiVersion: batch/v1
kind: Job
metadata: {name: tune, namespace: %s, labels: {kueue.x-k8s.io/queue-name: %s}}
spec: {template: {spec: {containers: [{name: a, resources: {limits: {google.com/tpu: 4}}}]}}}
"""

LOCAL = "---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: LocalQueue\nmetadata: {name: a, namespace: %s}\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (JOB % ("default", "a") + LOCAL % "default", False),
        (JOB % ("default", "b") + LOCAL % "default", True),
        (JOB % ("team", "a") + LOCAL % "default", True),
        (JOB % ("default", "'{{ q }}'") + LOCAL % "default", False),
        (JOB % ("default", "b"), False),
        (JOB % ("default", "b") + LOCAL % "'{{ n }}'", False),
    ],
)
def test_a_queue_is_known_if_the_files_have_queues(text: str, expected: bool) -> None:
    assert ("TPU796" in broken(text)) is expected


NAMESPACE = "---\napiVersion: v1\nkind: Namespace\nmetadata: {name: %s}\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (JOB % ("team", "a") + NAMESPACE % "team", False),
        (JOB % ("default", "a") + NAMESPACE % "team", False),
        (JOB % ("tem", "a") + NAMESPACE % "team", True),
        (JOB % ("tem", "a"), False),
        (JOB % ("tem", "a") + NAMESPACE % "'{{ n }}'", False),
    ],
)
def test_a_namespace_is_known_if_the_files_have_namespaces(text: str, expected: bool) -> None:
    assert ("TPU797" in broken(text)) is expected
