"""What the scheduler wrote into Pods that ``kubectl get -o yaml`` shows: TPU572."""

from collections.abc import Iterable, Iterator

from pulumi_gke_tpu.core.objects.document import items, known_text, mapping
from pulumi_gke_tpu.core.rules.engine.rule import Hit, rule
from pulumi_gke_tpu.core.text.findings import Path, Severity, listed, printable
from pulumi_gke_tpu.features.check.context import ManifestContext

_CAUSES = (
    ("untolerated taint", "the Pod does not tolerate a taint"),
    ("node affinity/selector", "no label of the nodes matches"),
    ("Insufficient google.com/tpu", "all chips of matching hosts are taken, or the hosts do not exist yet"),
    ("Insufficient cpu", "the Pod requests more CPU than is free"),
    ("Insufficient memory", "the Pod requests more memory than is free"),
    ("volume node affinity", "its disk is in another zone"),
    ("pod affinity rules", "no node pool has the other Pods of its slice"),
    ("anti-affinity rules", "other slices hold the node pools"),
    ("unbound immediate PersistentVolumeClaims", "a claim has no volume yet"),
    ("persistentvolumeclaim", "a claim does not exist"),
)
"""Words of the scheduler, each with what it means."""
_POD = """
apiVersion: v1
kind: Pod
metadata: {{name: trainer}}
spec:
  nodeSelector: {{cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice, cloud.google.com/gke-tpu-topology: 2x2}}
  containers:
    - name: jax
      image: trainer
      resources: {{requests: {{google.com/tpu: 4}}, limits: {{google.com/tpu: 4}}}}
status: {{phase: Pending, conditions: [{condition}]}}
"""
_WAITS = (
    "{type: PodScheduled, status: 'False', reason: Unschedulable, message: '0/3 nodes are available: "
    "3 Insufficient google.com/tpu.'}"
)


@rule(
    "TPU572",
    "unschedulable-pod",
    severity=Severity.WARNING,
    title="Pod that the scheduler cannot place",
    why="the status of the Pod has the reason of the scheduler, one for each group of nodes. Ignore reasons about "
    "other nodes, such as those of the system",
    fix="Run `gke-tpu check --plan` to compare the Pod with the node pools.",
    source="Kubernetes: condition PodScheduled of Pods",
    failing=_POD.format(condition=_WAITS),
    passing=_POD.format(condition="{type: PodScheduled, status: 'True'}"),
)
def unschedulable_pod(context: ManifestContext) -> Iterable[Hit]:
    for pod in context.tpu_pods:
        for path, condition in _conditions(pod.owner.value("status", "conditions")) if pod.is_pod else ():
            if condition.get("type") != "PodScheduled" or str(condition.get("status")) != "False":
                continue
            given = known_text(condition.get("message"))
            causes = [words for part, words in _CAUSES if part in given] or [printable(given)]
            place = pod.owner.at("status", "conditions", *path)
            yield Hit(place, f"{pod.owner.title} is not scheduled: {listed(causes, 'and')}", given=printable(given))


def _conditions(value: object) -> Iterator[tuple[Path, dict[str, object]]]:
    return (((index,), mapping(entry)) for index, entry in enumerate(items(value)))
