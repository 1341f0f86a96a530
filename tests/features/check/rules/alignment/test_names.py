"""Rules about names that manifests refer to and nothing defines."""

import pytest
import yaml
from support.manifest_texts import finding_of, plan_with
from support.manifests import broken, findings_in
from support.workload_plans import TRAIN, objects_of, workload_plan

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


CLUSTER_QUEUE = "---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: ClusterQueue\nmetadata: {name: %s}\n"


def test_a_cluster_queue_needs_a_local_queue() -> None:
    text = JOB % ("default", "a")
    assert "and a ClusterQueue needs a LocalQueue" in finding_of(text + CLUSTER_QUEUE % "a", "TPU796").message
    assert "TPU796" not in broken(text + CLUSTER_QUEUE % "b")
    assert "TPU796" not in broken(text + CLUSTER_QUEUE % "a" + LOCAL % "default")


@pytest.mark.parametrize(
    ("queue", "namespace", "expected"),
    [("a", "team", False), ("a", "default", True), ("old", "team", True), ("a", "", False), ("old", "", True)],
)
def test_the_queues_of_the_plan_are_known(queue: str, namespace: str, expected: bool) -> None:
    of = plan_with("tpu: v6e, topology: 2x2") + "    kubernetes: {queues: {a: {namespace: team}}}\n"
    text = (JOB % (namespace or "default", queue)).replace("" if namespace else ", namespace: default", "", 1)
    assert ("TPU796" in broken(text, plan=of)) is expected
    assert "TPU796" not in broken(text, plan=plan_with("tpu: v6e, topology: 2x2"))


@pytest.mark.parametrize(
    ("keys", "known"),
    [
        ("", {"default"}),
        ("namespace: team", {"team"}),
        ("namespaces: [ml, web]", {"ml", "web"}),
        ("namespace: team, namespaces: [ml]", {"team", "ml"}),
    ],
)
def test_a_queue_of_the_plan_is_known_in_each_of_its_namespaces(keys: str, known: set[str]) -> None:
    of = plan_with("tpu: v6e, topology: 2x2") + f"    kubernetes: {{queues: {{a: {{{keys}}}}}}}\n"
    every = ("default", "team", "ml", "web")
    assert {name for name in every if "TPU796" not in broken(JOB % (name, "a"), plan=of)} == known


@pytest.mark.parametrize(("lost", "reported"), [("LocalQueue", True), ("ClusterQueue", False), ("", False)])
@pytest.mark.parametrize("namespace", ["default", "research"])
def test_the_plan_has_a_queue_only_where_its_files_have_it(namespace: str, lost: str, reported: bool) -> None:
    """gke-tpu writes the LocalQueues of a plan beside the ClusterQueue."""
    content = workload_plan(
        {"train": TRAIN},
        {"run": {"slices": "train", "kind": "jobset", "queue": "team"}},
        kubernetes={"queues": {"team": {}}, "namespace": namespace},
    )
    objects = [item for item in objects_of(content) if item["kind"] not in (lost, "Namespace")]
    found = findings_in(yaml.safe_dump_all(objects), plan=yaml.safe_dump(content))
    assert [item.rule for item in found] == ["TPU796"] * reported
