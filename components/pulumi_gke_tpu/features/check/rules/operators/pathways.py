"""Pathways: TPU778 and TPU779."""

import re
from collections.abc import Iterable

from pulumi_gke_tpu.core.fleet import Cluster
from pulumi_gke_tpu.core.fleet.settings import system_pool
from pulumi_gke_tpu.core.kinds.written.pathways import KIND as PATHWAYS
from pulumi_gke_tpu.core.objects import is_open
from pulumi_gke_tpu.core.objects.document import items, known_text
from pulumi_gke_tpu.core.rules.engine.rule import Hit, rule, warning
from pulumi_gke_tpu.core.text.findings import Replace, did_you_mean
from pulumi_gke_tpu.core.text.patterns import lazy_pattern
from pulumi_gke_tpu.features.check.context import ManifestContext
from pulumi_gke_tpu.features.check.forms import LabeledFamily, forms_of
from pulumi_gke_tpu.features.check.rules.operators.examples import changed
from pulumi_gke_tpu.features.check.rules.operators.parts import entries

_JOB = """
apiVersion: pathways-job.pathways.domain/v1
kind: PathwaysJob
metadata: {name: train}
spec:
  pathwaysDir: gs://acme-pathways
  workers: [{type: ct6e-standard-4t, topology: 4x4, numSlices: 2}]
  controller: {deploymentMode: default}
"""
_PLAN = """--- plan
mode: standard
location: us-east5
cpu_pools:
  heads: {machine_type: n2-standard-64, zones: [us-east5-b], nodes: 1}
slices:
  train: {tpu: v6e, topology: 4x4, zone: us-east5-b, count: 2}
"""
_CPUS = lazy_pattern(r"-(\d+)\Z", re.ASCII)


@rule(
    "TPU778",
    title="Workers that PathwaysJob rejects",
    why="the controller accepts one entry of workers, with a machine type that it knows and a topology of this type",
    fix="Use a topology of the machine type. `gke-tpu catalog` lists the topologies of each generation.",
    references=["pathways-job-api"],
    failing=changed(_JOB, ("topology: 4x4", "topology: 4x5")),
    passing=_JOB,
)
def pathways_worker(context: ManifestContext) -> Iterable[Hit]:
    fact = context.catalog.kubernetes.pathways
    for owner in context.of(PATHWAYS):
        if len(items(owner.spec.get("workers"))) != 1 and not is_open(owner.spec.get("workers")):
            message = f"{owner.title} must have one entry in `workers`"
            key = ("workers",) if "workers" in owner.spec else ()
            advice = "Keep one entry, and put the number of slices into `numSlices`."
            yield Hit(owner.at("spec", *key), message, fact=fact, advice=advice)
        for path, worker in entries(owner, "spec", "workers"):
            machine, topology = known_text(worker.get("type")), known_text(worker.get("topology"))
            slices = worker.get("numSlices")
            if machine and machine not in fact.machine_types:
                allowed, near = fact.machine_types, did_you_mean(machine, fact.machine_types) or ""
                yield Hit.unknown(
                    owner.at(*path, "type"),
                    "machine type",
                    machine,
                    fact=fact,
                    allowed=allowed,
                    fix=Replace.value(near),
                )
            elif machine and topology and not _has_topology(context, machine, topology):
                reason = f"{machine} does not have it"
                yield Hit.unknown(owner.at(*path, "topology"), "topology", topology, reason, fact=fact)
            if isinstance(slices, int) and slices < 1:
                place, advice = owner.at(*path, "numSlices"), "Set `numSlices` to at least 1."
                yield Hit.invalid(place, "number of slices", slices, "the minimum is 1", fact=fact, advice=advice)


def _has_topology(context: ManifestContext, machine_type: str, topology: str) -> bool:
    """Whether slices of a topology can have a machine type."""
    catalog = context.catalog
    for name in catalog.generation_names:
        generation = catalog.generation(name)
        machine = generation.machine_types.get(machine_type)
        if machine is not None:
            family = LabeledFamily(name, generation, machine.family, generation.families[machine.family])
            return any(form.machine_type == machine_type for form in forms_of(family, topology))
    return True


@warning(
    "TPU779",
    title="No node pool for the head of Pathways",
    why="the head of Pathways runs a proxy and a resource manager on a machine without TPUs. XPK requires a machine "
    "with at least 49 vCPUs and 233 GiB of memory",
    fix="Add a node pool with a large machine type to `cpu_pools` of the cluster.",
    references=["xpk-pathways", "pathways-job-api"],
    failing=_JOB
    + changed(_PLAN, ("cpu_pools:\n  heads: {machine_type: n2-standard-64, zones: [us-east5-b], nodes: 1}\n", "")),
    passing=_JOB + _PLAN,
)
def pathways_head_without_machine(context: ManifestContext) -> Iterable[Hit]:
    facts = context.catalog.kubernetes
    clusters = [cluster for cluster in context.clusters() if cluster.mode == "standard"]
    if not clusters or any(_has_room(cluster, facts.pathways.head_cpu) for cluster in clusters):
        return
    for owner in context.of(PATHWAYS):
        message = f"no CPU pool of the plan has {facts.pathways.head_cpu} vCPUs for the head of {owner.title}"
        yield Hit(owner.at("kind"), message, fact=facts.pathways.for_item("head_cpu"))


def _has_room(cluster: Cluster, cpus: int) -> bool:
    """Whether a node pool of the cluster may have a large enough machine, judging by its name."""
    system = system_pool(cluster)
    machines = [pool.plan.machine_type for pool in cluster.cpu_pools]
    machines += [system.machine_type.value] if system is not None else []
    found = [match for machine in machines if machine and (match := _CPUS.search(machine))]
    return cluster.existing or any(int(match[1]) >= cpus for match in found)
