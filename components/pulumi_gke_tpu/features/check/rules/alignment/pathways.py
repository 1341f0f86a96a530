"""PathwaysJobs and the slice groups of a plan: TPU396."""

from collections.abc import Iterable

from pulumi_gke_tpu.core.kinds.written.pathways import KIND as PATHWAYS
from pulumi_gke_tpu.core.objects import is_open
from pulumi_gke_tpu.core.objects.document import items, mapping
from pulumi_gke_tpu.core.rules.engine.examples import TWO_SLICES, plan_of
from pulumi_gke_tpu.core.rules.engine.rule import Hit, rule
from pulumi_gke_tpu.core.text.findings import Severity, listed, number, quoted
from pulumi_gke_tpu.features.check.context import ManifestContext
from pulumi_gke_tpu.features.check.serving import makes_nodes

_JOB = """
apiVersion: pathways-job.pathways.domain/v1
kind: PathwaysJob
metadata: {name: train}
spec:
  pathwaysDir: gs://acme-pathways
  workers: [{type: ct6e-standard-4t, topology: 4x4, numSlices: SLICES}]
  controller: {deploymentMode: default}
--- plan
"""
_HEADS = "    cpu_pools:\n      heads: {machine_type: n2-standard-64, zones: [us-east5-b], nodes: 1}\n"
_PLAN = plan_of(TWO_SLICES).replace("    slices:\n", _HEADS + "    slices:\n")


@rule(
    "TPU396",
    title="PathwaysJob that the slices of the plan do not serve",
    why="the controller creates a Job for each of `numSlices`, and its Pods select the accelerator and topology of "
    "`workers`. The Pods of slices that the plan does not have stay Pending, and Pathways waits for all slices",
    fix="Use the machine type and the topology of a slice group, and at most as many slices as it has.",
    references=["pathways-job-api", "pathways-job-controller"],
    source="gke-tpu: the slices of a group follow from the plan",
    otherwise={Severity.WARNING: "if a cluster exists already, with node pools outside the plan"},
    failing=_JOB.replace("SLICES", "3").strip("\n") + "\n" + _PLAN,
    passing=_JOB.replace("SLICES", "2").strip("\n") + "\n" + _PLAN,
)
def pathways_job_larger_than_slices(context: ManifestContext) -> Iterable[Hit]:
    """Only if GKE makes no node pools by itself: their slices have no limit in the plan."""
    clusters = context.clusters()
    labels = {group.shape.accelerator_label for cluster in clusters for group in cluster.groups}
    if not labels or any(makes_nodes(cluster, label, context.catalog) for cluster in clusters for label in labels):
        return
    severity = Severity.WARNING if any(cluster.existing for cluster in clusters) else None
    for owner in context.of(PATHWAYS):
        for index, worker in enumerate(map(mapping, items(owner.spec.get("workers")))):
            path = ("spec", "workers", index)
            machine, topology = worker.get("type"), worker.get("topology")
            if (
                not isinstance(topology, str)
                or is_open(topology)
                or machine not in context.catalog.kubernetes.pathways.machine_types
            ):
                continue
            wanted = (machine, topology)
            serving = [
                [group for group in cluster.groups if (group.shape.machine_type, str(group.shape.topology)) == wanted]
                for cluster in clusters
            ]
            if any(group.compute_class is not None for groups in serving for group in groups):
                continue
            slices = worker.get("numSlices")
            most = max(sum(group.slices.maximum for group in groups) for groups in serving)
            if not any(serving):
                message = (
                    f"no slice group of the plan serves {owner.title}: none has {machine} with topology {topology}"
                )
                yield Hit(owner.at(*path, "topology"), message, severity=severity)
            elif isinstance(slices, int) and slices > most:
                names = listed([quoted(group.key) for groups in serving for group in groups])
                message = f"{owner.title} needs {number(slices, 'slice')}, and {names} has {most:,} at most"
                yield Hit(owner.at(*path, "numSlices"), message, severity=severity)
