"""What objects that exist say is wrong with them, as ``kubectl get -o yaml`` shows it: TPU572."""

from collections.abc import Iterable

from pulumi_gke_tpu.core.fleet import SliceGroup
from pulumi_gke_tpu.core.kinds import pod_templates
from pulumi_gke_tpu.core.objects import KubernetesObject
from pulumi_gke_tpu.core.objects.reports import held_by_finalizers, reports_of
from pulumi_gke_tpu.core.rules.engine.rule import Hit, warning
from pulumi_gke_tpu.core.text.findings import Related, printable, quoted
from pulumi_gke_tpu.features.check.context import ManifestContext

_LONGEST_TEXT = 300
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


@warning(
    "TPU572",
    title="Object that reports a problem",
    why="the status of the object has the reason, as Kubernetes, GKE or an operator states it",
    fix="Run `gke-tpu explain` with the text.",
    source="Kubernetes: conditions, container states and events",
    failing=_POD.format(condition=_WAITS),
    passing=_POD.format(condition="{type: PodScheduled, status: 'True'}"),
)
def object_reports_problem(context: ManifestContext) -> Iterable[Hit]:
    objects, kinds = context.manifests.objects, context.catalog.statuses
    by_key = {(each.kind, each.namespace, each.name): each for each in objects}
    held = held_by_finalizers(objects, kinds)
    for report in (*reports_of(objects, kinds, context.listed_kinds), *held):
        found = context.messages.explained(report.text)
        if found.waits if found is not None else report.may_be_usual:
            continue
        owner = report.owner if report.about is None else by_key.get(report.about)
        group = _group(context, owner) if owner is not None else None
        document = context.checked.document if context.checked is not None else None
        position = document.position_of(group.path) if group is not None and document is not None else None
        place = f" in {quoted(group.key)} of the plan" if group is not None else ""
        given = printable(report.text, _LONGEST_TEXT).rstrip(".")
        yield Hit(
            report.owner.at(*report.path),
            f"{report.title}{place}: {f'{found.titles}: ' if found is not None else ''}{given}",
            given=given,
            why=found.cause.rstrip(".") if found is not None else "",
            advice=found.advice if found is not None else "",
            related=Related("slice group", position) if position is not None else None,
        )


def _group(context: ManifestContext, owner: KubernetesObject) -> SliceGroup | None:
    """The slice group of the plan that a node belongs to, or that an object with Pods can run on."""
    nodes = context.catalog.kubernetes.workloads.nodes
    if owner.kind == "Node":
        return context.groups_of_pools.get(str(owner.labels.get(nodes.pool)))
    for pod in pod_templates(owner) if owner.is_outline else context.pods_by_owner.get(owner.index, ()):
        selected = context.selected_pools(pod)
        served = (
            [group for _, group in context.groups.serving(pod, context.shape(pod)).groups] if context.groups else []
        )
        if selected or len(served) == 1:
            return (selected or served)[0]
    return None
