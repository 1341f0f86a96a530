"""Checks of what queues share, and of the namespaces that they admit: TPU319, TPU320, TPU330, TPU706."""

from collections.abc import Iterable, Iterator

from pulumi_gke_tpu.core.fleet.cohorts import parent_of, parents_of
from pulumi_gke_tpu.core.fleet.workloads import Cohort, Queue
from pulumi_gke_tpu.core.rules.engine.context import PlanContext
from pulumi_gke_tpu.core.rules.engine.rule import Hit, rule
from pulumi_gke_tpu.core.text.findings import SetKeys, number, quoted
from pulumi_gke_tpu.features.workloads.rules.walk import clusters_with_objects

_CLUSTER = """
mode: standard
location: us-east5
slices:
  pretrain: {tpu: v6e, topology: 4x4, count: 2, zone: us-east5-b}
kubernetes:
"""
_RUN = "  workloads: {run: {slices: pretrain, image: train, queue: research, namespace: NAME}}\n"
_RUN_OF = f"{_CLUSTER}{_RUN}  queues: {{research: {{namespaces: [research, papers]}}}}"


@rule(
    "TPU706",
    "borrow-without-cohort",
    about=(
        "clusters.*.kubernetes.cohorts.*.borrow",
        "clusters.*.kubernetes.cohorts.*.lend",
        "clusters.*.kubernetes.cohorts.*.parent",
        "clusters.*.kubernetes.queues.*.borrow",
        "clusters.*.kubernetes.queues.*.cohort",
        "clusters.*.kubernetes.queues.*.lend",
    ),
    title="Borrowing or lending without a cohort",
    why="a queue shares quota with the other queues of its cohort, and a cohort with the other parts of its parent. "
    "Kueue rejects limits of a queue without a cohort, and of a cohort without a parent",
    fix="Set `cohort` of the queue or `parent` of the cohort, or remove `borrow` and `lend`.",
    references=["kueue-clusterqueue-api", "kueue-clusterqueue-webhook"],
    basis="format",
    source="Kueue: validation rules of ClusterQueue and Cohort",
    failing=f"{_CLUSTER}  queues: {{research: {{borrow: {{pretrain: 16}}}}}}",
    passing=f"{_CLUSTER}  queues: {{research: {{cohort: tpu, borrow: {{pretrain: 16}}}}}}",
)
def borrow_without_cohort(context: PlanContext) -> Iterable[Hit]:
    for found in clusters_with_objects(context):
        for owner in found.quota_owners:
            limits = (("borrow", owner.plan.borrow), ("lend", owner.plan.lend))
            for key, chips in limits if parent_of(owner) is None else ():
                if chips:
                    yield Hit((*owner.path, key), f"{_titled(owner)} can {key} only {_WITH[key, type(owner)]}")


_WITH = {
    ("borrow", Queue): "from a cohort",
    ("lend", Queue): "to a cohort",
    ("borrow", Cohort): "from a parent",
    ("lend", Cohort): "to a parent",
}


def _titled(owner: Queue | Cohort) -> str:
    return f"{'queue' if isinstance(owner, Queue) else 'cohort'} {quoted(owner.name)}"


@rule(
    "TPU320",
    "lend-exceeds-quota",
    about=("clusters.*.kubernetes.queues.*.chips", "clusters.*.kubernetes.queues.*.lend"),
    title="Queue lends more chips than it has",
    why="a queue lends its own quota. Kueue rejects a lending limit above it",
    fix="Set `lend` to at most the quota of the queue, or raise `chips`.",
    references=["kueue-clusterqueue-webhook"],
    basis="format",
    source="Kueue: validation rule of ClusterQueue",
    failing=f"{_CLUSTER}  queues: {{research: {{cohort: tpu, chips: {{pretrain: 16}}, lend: {{pretrain: 32}}}}}}",
    edit=("lend: {pretrain: 32}", "lend: {pretrain: 8}"),
)
def lend_exceeds_quota(context: PlanContext) -> Iterable[Hit]:
    for found in clusters_with_objects(context):
        known = {str(group.path[-1]) for group in found.cluster.groups}
        for queue in found.queues:
            nominal = {str(quota.group.path[-1]): quota.nominal for quota in queue.quotas}
            for group, lend in queue.plan.lend.items():
                most = nominal.get(group, 0)
                if group in known and lend > most:
                    yield Hit(
                        (*queue.path, "lend", group),
                        f"queue {quoted(queue.name)} lends {number(lend, 'chip')} of {quoted(group)}, but has {most:,}",
                        fix=SetKeys.of({group: most}),
                    )


@rule(
    "TPU330",
    "circular-cohorts",
    about=("clusters.*.kubernetes.cohorts.*.parent",),
    title="Cohorts are parts of each other",
    why="cohorts are a tree. Kueue stops all queues of cohorts that are circular",
    fix="Remove `parent` of the cohort at the top.",
    references=["kueue-cohort-api"],
    basis="format",
    source="Kueue: Cohort API",
    failing=f"{_CLUSTER}  cohorts: {{all: {{parent: team}}, team: {{parent: all}}}}",
    passing=f"{_CLUSTER}  cohorts: {{all: {{}}, team: {{parent: all}}}}",
)
def circular_cohorts(context: PlanContext) -> Iterable[Hit]:
    for found in clusters_with_objects(context):
        seen: set[str] = set()
        for cohort in found.cohorts:
            chain = parents_of(found, cohort.plan.parent)
            if cohort.name in chain and cohort.name not in seen:
                seen.update(chain)
                names = " -> ".join((cohort.name, *chain))
                yield Hit((*cohort.path, "parent"), f"cohorts are circular: {quoted(names)}")


@rule(
    "TPU319",
    "namespace-without-queue",
    about=(
        "clusters.*.kubernetes.queues.*.namespace",
        "clusters.*.kubernetes.queues.*.namespaces",
        "clusters.*.kubernetes.workloads.*.namespace",
    ),
    title="Queue is not in the namespace of the workload",
    why="Kueue looks for the queue of a workload in the namespace of the workload. Without it there, the workload "
    "waits forever, and Kueue reports nothing",
    fix="Add the namespace to `namespaces` of the queue, or remove `namespace` of the workload.",
    references=["kueue-cluster-queue"],
    basis="format",
    source="Kueue: LocalQueues are in namespaces",
    failing=_RUN_OF.replace("NAME", "serving"),
    edit=("namespace: serving", "namespace: papers"),
)
def namespace_without_queue(context: PlanContext) -> Iterator[Hit]:
    for found in clusters_with_objects(context):
        queues = {queue.name: queue for queue in found.queues}
        for workload in found.workloads:
            queue = queues.get(workload.plan.queue or "")
            if queue is not None and workload.namespace not in queue.namespaces:
                yield Hit.unknown(
                    (*workload.path, "namespace"),
                    f"namespace of queue {quoted(queue.name)}",
                    workload.namespace,
                    allowed=queue.namespaces,
                )
